"""Coverage with design weights: 500 worlds in which rare rows, on which the model errs more, were drawn more often."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import interval_of, prediction_interval_of, prepare

REPETITIONS, ROWS = 500, 800
SLICES = [md.Flag("inside", column="inside")]


def population(n: int, share: float, rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows of a population; `hard` rows are wrong more often, whatever the slice."""
    inside, hard = rng.random(n) < share, rng.random(n) < 0.3
    wrong = rng.random(n) < 0.08 + 0.15 * inside + 0.25 * hard
    return pd.DataFrame({"inside": inside.astype(int), "hard": hard, "y": 1, "p": (~wrong).astype(int)})


def sample(share: float, rng: np.random.Generator) -> pd.DataFrame:
    """Draw hard rows five times as often, and easy ones by sizes that vary; the weight is 1 over the chance."""
    rows = population(8 * ROWS, share, rng)
    chance = np.where(rows["hard"], 0.35, 0.07) * rng.uniform(0.5, 1.5, len(rows))
    return rows.assign(w=1 / chance)[rng.random(len(rows)) < chance]


@pytest.mark.long
def test_weighted_intervals_cover_and_those_that_ignore_weights_do_not() -> None:
    rng, covered = np.random.default_rng(7), dict.fromkeys(("weighted", "predicted", "ignored"), 0)
    truth = 1 - (0.08 + 0.15 * 0.7 + 0.25 * 0.3)
    for _ in range(REPETITIONS):
        source, target = sample(0.3, rng), sample(0.7, rng)
        own = float(np.average(target["p"], weights=target["w"]))
        for way, weight in (("weighted", "w"), ("ignored", None)):
            labelled = md.Sample(source, label="y", prediction="p", weight=weight)
            new = md.Sample(target.drop(columns="y"), weight=weight)
            problem = prepare(labelled, new, SLICES, model=labelled.models[0]).problem
            outcome = get_estimator("mandoline").estimate(problem)
            low, high = interval_of(problem, outcome, 0.95)
            covered[way] += low <= truth <= high
            if weight is not None:
                low, high = prediction_interval_of(problem, outcome, 0.95) or (0.0, 0.0)
                covered["predicted"] += low <= own <= high
    shares = {way: n / REPETITIONS for way, n in covered.items()}
    assert 0.93 <= shares["weighted"] <= 0.97, shares
    assert 0.93 <= shares["predicted"] <= 0.97, shares
    assert shares["ignored"] < 0.5, shares
