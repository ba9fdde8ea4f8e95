"""Look versions up among known vulnerabilities with pip-audit, and say so if no service answered.

pip-audit reports "no known vulnerabilities found" even if its service knows none of the packages, for example with a
private index. So what counts is the number of versions that it has an answer for.
"""

import json
import subprocess
import sys
from pathlib import Path

COMMAND = ("--no-deps", "--disable-pip", "--progress-spinner", "off", "--format", "json")


def judge(packages: list[dict[str, object]]) -> tuple[int, str]:
    """Turn what pip-audit found into an exit code and a text: 1 only for a known vulnerability."""
    asked = [package for package in packages if "vulns" in package]
    known = [
        f"{package['name']} {package['version']}: {found['id']}"
        + "".join(f", fixed in {version}" for version in found["fix_versions"])
        for package in asked
        for found in package["vulns"]
    ]
    if not asked:
        return 0, f"Not audited: no vulnerability service answered for any of {len(packages)} versions."
    rest = f" {len(packages) - len(asked)} versions are unknown to it." if len(asked) < len(packages) else ""
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
