"""Install the wheel beside other packages, one environment each, and estimate there: python .ci/beside.py WHEEL UV."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

# Each, with what it needs and does not declare. On Python 3.11, balance (0.23) wants NumPy below 2, which PyArrow 26
# cannot be imported with, and scikit-learn below 1.4, which is why ours may be 1.3.
OTHERS = {
    "nannyml": ["statsmodels"],
    "fairlearn": [],
    "balance": ["pyarrow<26; python_version < '3.12'"],
    "evidently": ["pandas<3"],
}
TOGETHER = (list(OTHERS), ["nannyml", "fairlearn", "evidently"], [], *([name] for name in OTHERS))
ESTIMATE = """
import pandas as pd, numpy, sklearn, {modules}
import mandoline_core as md
labelled = pd.DataFrame({{"text": ["not good", "fine"] * 50, "label": [0, 1, 1, 1] * 25, "guess": 1}})
source = md.Sample(labelled, label="label", prediction="guess")
target = md.Sample(labelled[["text"]].iloc[:60:2])
report = md.estimate(source, target, [md.Keyword("negated", column="text", words=("not",))])
assert abs(report.estimate - 0.5) < 1e-6, report.estimate  # half of the negated texts are right
print("pandas", pd.__version__, "numpy", numpy.__version__, "scikit-learn", sklearn.__version__)
"""


def try_beside(names: list[str], wheel: str, uv: str, folder: Path) -> str:
    """Make an environment, and say what happened there."""
    python = folder / "bin" / "python"
    subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, folder], check=True)
    install = [uv, "pip", "install", "--quiet", "--python", python, wheel, "scikit-learn", *names]
    install += [more for name in names for more in OTHERS[name]]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"does not resolve.\n{done.stderr.strip()}"  # uv names the requirements that exclude each other
    code = ESTIMATE.format(modules=", ".join(names or ["scipy"]))
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or f"FAILS: {done.stderr.strip().splitlines()[-1]}"


def main(wheel: str, uv: str) -> int:
    """Try all at once, those that fit every Python, and each alone; fail where something resolves and does not work."""
    failed = False
    for names in TOGETHER:
        with tempfile.TemporaryDirectory() as folder:
            found = try_beside(names, str(Path(wheel).resolve()), uv, Path(folder) / "venv")
        failed |= found.startswith("FAILS")
        print(f"{', '.join(names) or 'scikit-learn'}: {found}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
