"""Choosing pairs by tests, against one estimate of the same problem without pairs."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline import choose_edges
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project import EDGE_CHOICES
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.weighting.problem import Problem
from tests.benchmarks.measuring import Bound, medians_in_turn

N_ROWS, N_SLICES, ABSTAINING = 60_000, 13, 6
MOST = 20.0


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    with threadpool_limits(1):
        return _run()


def _run() -> list[Bound]:
    problem = _problem(np.random.default_rng(0))
    estimator = get_estimator("mandoline")
    works = [lambda: estimator.estimate(replace(problem)).delta]
    works += [lambda how=how: choose_edges(replace(problem), how).edges for how in EDGE_CHOICES]
    (seconds, _), *found = medians_in_turn(*works, rounds=5, clock=time.process_time)
    print(f"{N_ROWS:,} rows a sample, {N_SLICES} slices that hang together, {len(problem.patterns):,} patterns")
    print(f"  one estimate        {seconds:8.3f} s")
    for how, (taken, edges) in zip(EDGE_CHOICES, found, strict=True):
        print(f"  {how:18}  {taken:8.3f} s   {len(edges)} pairs")
    return [Bound('edges = "auto" over one estimate, time', found[0][0] / seconds, at_most=MOST)]


def _problem(rng: np.random.Generator) -> Problem:
    """Draw slices that hang together in both samples, in other ways; some of them abstain at times."""
    ties = 0.3 * rng.standard_normal((2, N_SLICES, N_SLICES))
    cuts = rng.uniform(-1.0, 0.3, (2, N_SLICES))
    source, target = (
        np.where(rng.standard_normal((N_ROWS, N_SLICES)) @ (np.eye(N_SLICES) + mix) < cut, 1, -1).astype(np.int8)
        for mix, cut in zip(ties, cuts, strict=True)
    )
    chance = 0.75 + 0.02 * source @ rng.choice([-1, 1], N_SLICES) + 0.05 * source[:, 0] * source[:, 1]
    scores = (rng.random(N_ROWS) < chance).astype(float)[:, None]
    for codes in (source, target):
        codes[rng.random(N_ROWS) < 0.01, :ABSTAINING] = 0
    count = count_patterns(source, target, scores)
    return make_problem(count, scores, get_metric("accuracy"), EstimatorSettings())


if __name__ == "__main__":
    for bound in run():
        print(bound)
