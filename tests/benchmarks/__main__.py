"""Run every benchmark, print PASS or FAIL for each bound, and fail if one is not met.

With --others, packages that take minutes are compared with, too.
"""

from __future__ import annotations

import sys

from tests.benchmarks import (
    comparing,
    density_ratios,
    edges,
    many_slices,
    million_rows,
    pages,
    slider,
    solving,
    starting,
)


def main() -> int:
    """Run and report."""
    bounds = starting.run()
    print()
    bounds += solving.run()
    print()
    bounds += edges.run()
    print()
    bounds += many_slices.run()
    print()
    bounds += density_ratios.run(others="--others" in sys.argv)
    print()
    bounds += comparing.run()
    print()
    bounds += million_rows.run()
    print()
    bounds += slider.run()
    print()
    bounds += pages.run()
    print()
    for bound in bounds:
        print(bound)
    return 0 if all(bound.is_met for bound in bounds) else 1


if __name__ == "__main__":
    sys.exit(main())
