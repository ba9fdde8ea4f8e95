"""`make fuzz`: 20,000 inputs, or as many as the first argument says; the second is the seed."""

from __future__ import annotations

import os
import sys
import time

from tests.fuzz.running import RESULTS, SEED, SHARES, keep_failures, run_many, table

LARGE = 100  # one in so many inputs is a large one


def run(n_inputs: int = 20_000, seed: int = SEED) -> int:
    """Run inputs of every kind, print what became of them, and keep those that failed."""
    start = time.monotonic()
    n_large = n_inputs // LARGE
    counts = {kind: (n_inputs - n_large) * share // sum(SHARES.values()) for kind, share in SHARES.items()}
    tallies = run_many(counts | {"large": n_large}, seed=seed, processes=os.cpu_count() or 1)
    spent = sum(tally.seconds for tally in tallies.values())
    print(table(tallies))
    print(f"\nseed {seed}; {spent:,.0f} s of processor time in {time.monotonic() - start:,.0f} s")
    kept = keep_failures(tallies, seed)
    for tally in tallies.values():
        for _, failure in tally.failures[:3]:
            print("\n" + failure.strip()[-600:])
    if kept:
        print(f"\n{len(kept)} inputs failed; they are in {RESULTS}.")
    return 1 if kept else 0


if __name__ == "__main__":
    sys.exit(run(*map(int, sys.argv[1:3])))
