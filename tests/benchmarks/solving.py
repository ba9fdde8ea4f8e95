"""Counting and solving on patterns, against a quasi-Newton solver on rows that is given no gradient.

Both sides run on one thread and are timed by the processor's clock: the ratio then does not depend on what else
the machine is doing.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

import mandoline_core as md
from mandoline_core.estimators.bootstrap import bootstrap
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.paper.experiments.runtime import row_level_estimate
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.weighting.problem import Problem
from tests.benchmarks.measuring import Bound, medians_in_turn

N_SOURCE, N_TARGET, N_SLICES = 45_000, 134_000, 8
EDGES = ((0, 1), (2, 3), (4, 5), (6, 7))
REPLICATES = 1_000
REPEATS = 20  # of what is too short to time once
LEAST_SPEEDUP = 150.0
LEAST_SPEEDUP_WHOLE = 100.0


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    with threadpool_limits(1):
        return _run()


def _run() -> list[Bound]:
    source, scores, target = _rows(np.random.default_rng(0))
    problem, found = _pattern_estimate(source, scores, target)
    estimator = get_estimator("mandoline")
    outcome = estimator.estimate(problem)
    (row_seconds, expected), (many_seconds, _), (reports_seconds, _), (bootstrap_seconds, refits) = medians_in_turn(
        lambda: row_level_estimate(source, scores, target, EDGES),
        lambda: [_pattern_estimate(source, scores, target) for _ in range(REPEATS)],
        lambda: [md.estimate_from_codes(source, scores, target, edges=EDGES) for _ in range(REPEATS)],
        lambda: bootstrap(problem, estimator, outcome, replicates=REPLICATES, rng=np.random.default_rng(1)),
        rounds=5,
        clock=time.process_time,
    )
    seconds, whole_seconds = many_seconds / REPEATS, reports_seconds / REPEATS
    print(f"{N_SOURCE:,} x {N_TARGET:,} rows, {N_SLICES} slices, {len(EDGES)} edges, {len(problem.patterns)} patterns")
    print(f"  rows, BFGS without gradients  {row_seconds:8.3f} s   estimate {expected:.8f}")
    print(f"  patterns, count and solve     {seconds:8.4f} s   estimate {found:.8f}")
    print(f"  whole report, checks and all  {whole_seconds:8.4f} s")
    print(f"  {len(refits):,} bootstrap refits         {bootstrap_seconds:8.3f} s   {REPLICATES - len(refits)} failed")
    return [
        Bound("row-level solver over counting and solving, time", row_seconds / seconds, at_least=LEAST_SPEEDUP),
        Bound("row-level solver over a whole report, time", row_seconds / whole_seconds, at_least=LEAST_SPEEDUP_WHOLE),
        Bound("difference of the two estimates", abs(found - expected), at_most=5e-7),
        Bound(f"{REPLICATES:,} refits over one row-level run, time", bootstrap_seconds / row_seconds, at_most=1.0),
        Bound("refits that failed", REPLICATES - len(refits), at_most=0),
    ]


def _rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw slice codes of both samples, and source scores that depend on them."""
    source_rates, target_rates = rng.uniform(0.2, 0.6, N_SLICES), rng.uniform(0.3, 0.7, N_SLICES)
    source, target = (
        np.where(rng.random((n, N_SLICES)) < rates, 1, -1).astype(np.int8)
        for n, rates in ((N_SOURCE, source_rates), (N_TARGET, target_rates))
    )
    for i, j in EDGES:  # in the target the slices of an edge go together
        copied = rng.random(N_TARGET) < 0.3
        target[copied, j] = target[copied, i]
    chance = 0.75 + 0.03 * source @ rng.choice([-1, 1], N_SLICES)
    scores = (rng.random(N_SOURCE) < chance).astype(float)
    return np.asfortranarray(source), scores, np.asfortranarray(target)  # in column order, as slices give them


def _pattern_estimate(source: np.ndarray, scores: np.ndarray, target: np.ndarray) -> tuple[Problem, float]:
    count = count_patterns(source, target, scores[:, None])
    problem = make_problem(count, scores[:, None], get_metric("accuracy"), EstimatorSettings())
    problem = replace(problem, edges=EDGES)
    return problem, float(get_estimator("mandoline").means(problem)[0])


if __name__ == "__main__":
    for bound in run():
        print(bound)
