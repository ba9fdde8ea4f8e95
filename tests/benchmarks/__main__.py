"""Run every benchmark, print PASS or FAIL for each bound, and fail if one is not met."""

from __future__ import annotations

import sys

from threadpoolctl import threadpool_limits

from tests.benchmarks import million_rows, solving


def main() -> int:
    """Run and report."""
    # Both sides of a solving ratio get one thread: with more, the ratio would depend on what else the machine does.
    with threadpool_limits(1):
        bounds = solving.run()
    print()
    bounds += million_rows.run()
    print()
    for bound in bounds:
        print(bound)
    return 0 if all(bound.is_met for bound in bounds) else 1


if __name__ == "__main__":
    sys.exit(main())
