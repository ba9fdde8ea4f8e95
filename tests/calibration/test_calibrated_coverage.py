"""Coverage of calibrated probabilities: 500 worlds each, printed and held to bands; bias and spread apart."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from mandoline_core.estimators.cbpe import Cbpe, Pape
from mandoline_core.pipeline.diagnostics import interval_of
from tests.core.answered import state_drawn
from tests.core.estimators.test_confidence_simulations import mixed, mixed_truth

REPETITIONS = 500
SHARES = (0.2, 0.7)  # of the slice, in source and target
# How much probabilities say of the class, in the slice and in the rest. CBPE is right only where that is the same.
WORLDS = {
    "useless": (Pape(), (0.0, 0.0)),
    "nearly useless in the slice": (Pape(), (0.1, 0.9)),
    "useful": (Pape(), (0.6, 0.95)),
    "nearly useless": (Cbpe(), (0.05, 0.05)),
    "useful everywhere": (Cbpe(), (0.8, 0.8)),
}
# A band of 93-97%, and luck's share in 500 worlds, once in 1,000.
LEAST, MOST = binom.ppf(0.0005, REPETITIONS, 0.93), binom.ppf(0.9995, REPETITIONS, 0.97)


@pytest.mark.slow
@pytest.mark.parametrize("n", [500, 5000])
@pytest.mark.parametrize("metric", ["accuracy", "brier"])
@pytest.mark.parametrize("world", WORLDS)
def test_calibrated_intervals_cover(world, metric, n, record_property):
    """The spread answers for luck and for the pull of steps that only go up: for the mean squared error."""
    estimator, useful = WORLDS[world]
    rng, truth = np.random.default_rng(100), mixed_truth(SHARES[1], useful, metric)
    values, errors, hits = np.empty(REPETITIONS), np.empty(REPETITIONS), 0
    for i in range(REPETITIONS):
        problem = state_drawn(*(mixed(rng, n, s, useful, labelled=s == SHARES[0]) for s in SHARES), metric)
        outcome = estimator.estimate(problem)
        low, high = interval_of(problem, outcome, 0.95)
        hits += low <= truth <= high
        values[i], errors[i] = outcome.value - truth, outcome.influence.standard_error()
    bias, luck = values.mean(), values.std(ddof=1)
    said = (
        f"{estimator.name}, probabilities {world}, {metric}, {n:,} rows: {hits / REPETITIONS:.1%} of {REPETITIONS} "
        f"intervals cover; bias {100 * bias:+.2f} points (+- {100 * luck / np.sqrt(REPETITIONS):.2f}), "
        f"standard deviation {100 * luck:.2f}, squared standard error over squared error "
        f"{(errors**2).mean() / (values**2).mean():.2f}"
    )
    record_property("measured", said)
    assert LEAST <= hits <= MOST, said
