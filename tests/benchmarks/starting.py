"""How long the command line takes to say a word, against importing pandas; and the same for importing the library."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from tests.benchmarks.measuring import Bound, medians_in_turn

ROUNDS = 9
WORKS = {
    "import pandas": ["-c", "import pandas"],
    "import mandoline_core": ["-c", "import mandoline_core"],
    "mandoline --version": ["-m", "mandoline_core.cli", "--version"],
    "mandoline --help": ["-m", "mandoline_core.cli", "--help"],
    "mandoline, a bad argument": ["-m", "mandoline_core.cli", "estimat"],
    "every public name": ["-c", "import mandoline_core as md; [getattr(md, name) for name in md.__all__]"],
}


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    found = medians_in_turn(*(partial(_start, work) for work in WORKS.values()), rounds=ROUNDS)
    seconds = dict(zip(WORKS, (time for time, _ in found), strict=True))
    print(f"starting a process; median of {ROUNDS}")
    for what, time in seconds.items():
        print(f"  {what:27} {time:7.3f} s")
    pandas = seconds.pop("import pandas")
    seconds.pop("every public name")  # what a first estimate pays; no bound
    library = seconds.pop("import mandoline_core")
    return [
        *(Bound(f"{what}, over importing pandas", time / pandas, at_most=1 / 3) for what, time in seconds.items()),
        Bound("import mandoline_core, over importing pandas", library / pandas, at_most=1.5),
    ]


def _start(arguments: list[str]) -> int:
    return subprocess.run([sys.executable, *arguments], capture_output=True, check=False).returncode


if __name__ == "__main__":
    for bound in run():
        print(bound)
