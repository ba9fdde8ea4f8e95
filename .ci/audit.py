"""Look for versions among known vulnerabilities with pip-audit, and say plainly when nobody could be asked.

pip-audit calls it a success, "no known vulnerabilities found", when its service knows none of the packages, as where an
index without that service stands in for the public one. So what counts is how many versions it has an answer for.
"""

import json
import subprocess
import sys
from pathlib import Path

COMMAND = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")


def judge(packages: list[dict[str, object]]) -> tuple[int, str]:
    """Make an exit code and words of what pip-audit found: 1 only for a known vulnerability."""
    asked = [package for package in packages if "vulns" in package]
    known = [
        f"{package['name']} {package['version']}: {found['id']}"
        + "".join(f", mended in {version}" for version in found["fix_versions"])
        for package in asked
        for found in package["vulns"]
    ]
    if not asked:
        return 0, f"Not audited: no service that knows vulnerabilities answered for any of {len(packages)} versions."
    rest = f" {len(packages) - len(asked)} versions it does not know." if len(asked) < len(packages) else ""
    if known:
        return 1, "\n".join([*known, f"{len(known)} known vulnerabilities in {len(asked)} versions.{rest}"])
    return 0, f"No known vulnerability in {len(asked)} versions.{rest}"


def main(constraints: str) -> int:
    """Audit the versions of a file; print what was found, or why nothing could be."""
    command = [str(Path(sys.executable).parent / "pip-audit"), "--requirement", constraints, *COMMAND]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        reason = done.stderr.strip().splitlines()[-1:] or ["it printed nothing"]
        print(f"Not audited: pip-audit could not run ({reason[0]}).")
        return 0
    code, words = judge(packages)
    print(words)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
