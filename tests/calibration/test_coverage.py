"""Coverage of the intervals at length: 500 simulated worlds each, printed and held to 93-97%."""

from __future__ import annotations

import numpy as np
import pytest

from mandoline_core.estimators.bootstrap import bootstrap
from mandoline_core.estimators.intervals import bootstrap_interval
from mandoline_core.estimators.registry import get_estimator
from tests.strategies import covers, world_problem
from tests.worlds import random_world

REPETITIONS = 500
ROWS = 2000
REPLICATES = 200
SETTINGS = {
    "mandoline, exact slices": ("mandoline", 1.0, "none", ((0, 1),)),
    "denoised, true corrections": ("denoised", 0.8, "true", ((0, 1),)),
    "denoised, derived corrections": ("denoised", 0.8, "derived", ()),
}


def bootstrap_covers(problem, name: str, truth: float, rng: np.random.Generator) -> bool:
    """Tell whether the 95% bootstrap interval holds the truth."""
    estimator = get_estimator(name)
    outcome = estimator.estimate(problem)
    values = bootstrap(problem, estimator, outcome, replicates=REPLICATES, rng=rng)
    low, high = bootstrap_interval(values, confidence=0.95, estimate=outcome.value)
    return low <= truth <= high


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("interval", ["influence", "bootstrap"])
def test_intervals_cover_between_93_and_97_percent(setting, interval, record_property):
    """Of 95% intervals, in worlds that differ from each other, at 2,000 rows a sample."""
    name, accuracy, corrections, edges = SETTINGS[setting]
    rng, redraws = np.random.default_rng(95), np.random.default_rng(96)  # both intervals meet the same worlds
    hits = []
    for _ in range(REPETITIONS):
        world = random_world(rng, n_slices=4, edges=edges, accuracy=accuracy)
        problem, truth = world_problem(world, ROWS, rng, corrections), world.score("target")
        hits.append(
            covers(problem, name, truth) if interval == "influence" else bootstrap_covers(problem, name, truth, redraws)
        )
    covered = np.mean(hits)
    error = np.sqrt(covered * (1 - covered) / REPETITIONS)
    said = f"{setting}, {interval}: {covered:.1%} of {REPETITIONS} intervals cover (+- {error:.1%})"
    record_property("measured", said)
    assert 0.93 <= covered <= 0.97, said
