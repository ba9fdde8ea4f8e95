"""Write the table of the experience band anew, from records of runs.

python -m tests.benchmarks.bands RECORDS BASE [MIX ...] > mandoline_core/checks/experience.toml

RECORDS is a JSON file: a list of runs, each with `case`, `light`, `mandoline` (the estimate) and `truth`, as
`tests.benchmarks.lights` writes it. BASE says in a few words what they are of. MIX are the cases that were made by
sampling rows again, so that nothing changed but the mix; the others are natural shifts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import tomli_w

from mandoline_core.checks import measure_bands

LEVELS = ("green", "amber", "red")
ABOUT = """\
# How far estimates were off on real cases with true labels, by verdict: points within which half, 8 of 10 and 9 of 10
# runs were, cases weighed equally. A run is a case, a list of slices and a model. `make bands` makes it again.
"""


def main(records: str, base: str, *mix: str) -> int:
    """Print the table."""
    runs = json.loads(Path(records).read_text(encoding="utf-8"))
    unknown = set(mix) - {one["case"] for one in runs}
    if unknown:
        print(f"No record of {', '.join(sorted(unknown))}.", file=sys.stderr)
        return 2
    print(as_toml(runs, base, date.today(), mix), end="")
    return 0


def as_toml(records: Iterable[Mapping[str, Any]], base: str, measured: date, mix: Collection[str] = ()) -> str:
    """Write the bands as the package's table: natural shifts first, from green to red."""
    bands = sorted(measure_bands(records, mix), key=lambda band: (band.shift != "natural", LEVELS.index(band.level)))
    return ABOUT + tomli_w.dumps({"measured": measured, "base": base, "bands": [asdict(band) for band in bands]})


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
