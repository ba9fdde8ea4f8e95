"""Measure growth with everything that may grow, write SCALE.md anew, and fail if a bound is not met.

python -m tests.benchmarks.scale [largest power of ten of rows, 8 when left out]
"""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks import million_rows
from tests.benchmarks.measuring import Bound
from tests.benchmarks.scaling import growth, partitions, patterns
from tests.benchmarks.scaling.page import write_page

MEASURED = Path(__file__).parent / "scaling" / "measured.json"
MOST_TIMES = 1.3
MOST_MEMORY = 2_000.0  # megabytes
COUNTS = 10**7  # rows from which on counting takes longer than all that does not grow with rows


def main(largest: int) -> int:
    """Measure, write down and report."""
    busy = [os.getloadavg()[0]]
    print("Rows")
    points = growth.measure(largest)
    print("Patterns")
    costs = patterns.measure()
    print("Partitions")
    found, fits, clusters, widths = partitions.measure()
    print("A million rows in memory")
    million = million_rows.run()
    busy.append(os.getloadavg()[0])
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    measured: dict[str, Any] = {
        "where": f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.machine()}, {datetime.now(UTC):%Y-%m-%d}, "
        f"load {busy[0]:.0f} at the beginning and {busy[1]:.0f} at the end",
        "growth": [asdict(point) for point in points],
        "most_times": MOST_TIMES,
        "engines": growth.engines(),
        "text_share": growth.text_share(),
        "patterns": [asdict(cost) for cost in costs],
        "partitions": {
            "found": [asdict(one) for one in found],
            "fits": {str(n_slices): fit for n_slices, fit in fits.items()},
            "clusters": [asdict(one) for one in clusters],
            "widths": widths,
        },
        "million": [asdict(bound) for bound in million],
    }
    MEASURED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    write_page(measured)
    bounds = [*_bounds(points), *million]
    for bound in bounds:
        print(bound)
    return 0 if all(bound.is_met for bound in bounds) else 1


def _bounds(points: list[growth.Point]) -> list[Bound]:
    found = []
    for point in points:
        rows = f"{point.engine}, {point.n_rows:,} rows"
        if point.n_rows >= COUNTS:
            found.append(Bound(f"{rows}: whole estimate over the query by hand, time", point.ratio, at_most=MOST_TIMES))
        found.append(Bound(f"{rows}: peak memory, MB", point.memory, at_most=MOST_MEMORY))
    return found


if __name__ == "__main__":
    sys.exit(main(10 ** int(sys.argv[1] if len(sys.argv) > 1 else 8)))
