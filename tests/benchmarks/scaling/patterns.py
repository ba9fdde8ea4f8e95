"""Growth with patterns, slices, edges and models: tables made directly, then counted, solved and given an interval.

On one thread and by the processor's clock, so that a busy machine does not matter. Run as a script it is the process
being measured: a case as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project.settings import EstimatorSettings

ROWS_A_PATTERN = 10.0


@dataclass(frozen=True)
class Case:
    """Say how large a table of patterns is to be."""

    n_patterns: int
    n_slices: int
    n_edges: int = 0
    n_models: int = 1


@dataclass(frozen=True)
class Cost:
    """Hold what a case took: seconds to count cells, to solve, and for the interval; megabytes above imports.

    Parameters
    ----------
    found : int
        Patterns that there were.
    """

    case: Case
    found: int
    count: float
    solve: float
    interval: float
    memory: float


CASES = (
    *(Case(n, 20) for n in (10**3, 10**4, 10**5, 10**6)),
    *(Case(10**5, k) for k in (30, 40)),
    Case(10**6, 40),
    *(Case(10**5, 20, edges) for edges in (2, 4, 8)),
    *(Case(10**5, 20, 0, models) for models in (2, 4)),
)


def measure(cases: tuple[Case, ...] = CASES) -> list[Cost]:
    """Measure every case in a process of its own."""
    found = []
    for case in cases:
        command = [sys.executable, "-m", "tests.benchmarks.scaling.patterns", json.dumps(asdict(case))]
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        found.append(Cost(case, **said))
        print(
            f"  {found[-1].found:>9,} patterns, {case.n_slices} slices, {case.n_edges} edges, {case.n_models} models:"
            f"  count {said['count']:.2f} s, solve {said['solve']:.2f} s, interval {said['interval']:.2f} s,"
            f" {said['memory']:.0f} MB",
            flush=True,
        )
    return found


def _main(case: Case) -> dict[str, float]:
    """Make cells whose codes and counts are random, and estimate."""
    rng = np.random.default_rng(0)
    before = _memory()
    bits = rng.choice(2**case.n_slices, case.n_patterns, replace=False)
    codes = np.empty((case.n_patterns, case.n_slices), dtype=np.int8, order="F")
    for i in range(case.n_slices):
        codes[:, i] = 2 * (bits >> i & 1) - 1
    rows = 1.0 + rng.poisson(ROWS_A_PATTERN, (2, case.n_patterns))
    lift = np.exp(0.1 * codes @ rng.normal(size=case.n_slices) / np.sqrt(case.n_slices))
    right = rng.integers(0, 2, (case.n_models, case.n_patterns)).astype(float)
    spent = {"count": 0.0, "solve": 0.0, "interval": 0.0}
    edges = tuple((2 * i, 2 * i + 1) for i in range(case.n_edges))
    for statistics in right:
        start = time.process_time()
        count = count_patterns(
            codes, codes, statistics[:, None], source_rows=rows[0], target_rows=np.ceil(rows[1] * lift)
        )
        counted = time.process_time()
        problem = make_problem(count, statistics[:, None], get_metric("accuracy"), EstimatorSettings())
        problem = replace(problem, edges=edges)
        estimator = get_estimator("mandoline")
        outcome = estimator.estimate(problem)
        solved = time.process_time()
        interval_of(problem, outcome, 0.95)
        done = time.process_time()
        for part, seconds in zip(spent, (counted - start, solved - counted, done - solved), strict=True):
            spent[part] += seconds
    return {"found": len(count.patterns), **spent, "memory": _memory() - before}


def _memory() -> float:
    """Read this process's peak from the kernel, in megabytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    with threadpool_limits(1):
        print(json.dumps(_main(Case(**json.loads(sys.argv[1])))))
