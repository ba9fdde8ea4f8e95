"""Coverage of metrics beyond means of right and wrong: 500 worlds each, printed and held to a band."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.project.settings import EstimatorSettings
from mandoline_core.weighting.problem import Problem

REPETITIONS = 500
BAND = (0.93, 0.97)
GRADES = np.arange(1, 6)
CASES = {
    "f_beta": md.MetricSettings("f_beta", beta=2),
    "quadratic_kappa": md.MetricSettings("quadratic_kappa"),
    "top_k_accuracy": md.MetricSettings("top_k_accuracy", k=2),
    "mape": md.MetricSettings("mape"),
    "pinball": md.MetricSettings("pinball", quantile=0.8),
}
MODEL = md.Model("m", "pred", {str(grade): f"p{grade}" for grade in GRADES})
NUMBERS = md.Model("m", "guess")


def draw(rng: np.random.Generator, n: int, rates: tuple[float, float]) -> pd.DataFrame:
    """Draw rows in two slices, where grades and numbers are harder to predict."""
    a, b = (rng.random(n) < rate for rate in rates)
    spread = 0.6 + 0.8 * a + 0.4 * b
    centre = rng.normal(3 + 0.7 * b, 1, n)
    height = -((GRADES - (centre + spread * rng.normal(size=n))[:, None]) ** 2)
    chance = np.exp(height) / np.exp(height).sum(axis=1, keepdims=True)
    y = 10 + centre
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "label": np.clip(np.round(centre), 1, 5).astype(int),
            "pred": GRADES[chance.argmax(axis=1)],
            **{f"p{grade}": chance[:, i] for i, grade in enumerate(GRADES)},
            "y": y,
            # Normal errors. With 500 rows, pinball loss covers 93.4% of 1,000 worlds, as MAE does (93.3%); where a few
            # large errors decide the mean (log-normal ones), MAPE covers 91.8% of 500.
            "guess": y * (1 + 0.05 * spread * rng.normal(size=n)),
        }
    )


def samples(name: str, source: pd.DataFrame, target: pd.DataFrame) -> tuple[md.Sample, md.Sample]:
    """Give frames their roles."""
    label, model = ("y", NUMBERS) if name in ("mape", "pinball") else ("label", MODEL)
    return md.Sample(source, label=label, models=[model]), md.Sample(
        target.drop(columns=["label", "y"]), models=[model]
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [1_000, 4_000])
@pytest.mark.parametrize("name", CASES)
def test_intervals_cover(name: str, n: int, record_property: Callable[[str, object], None]) -> None:
    """The truth is the metric of many labelled rows of the same kind as the new ones."""
    rng, slices, after = np.random.default_rng(7), [md.Flag("a", column="a"), md.Flag("b", column="b")], (0.6, 0.5)
    settings, mandoline = EstimatorSettings(), get_estimator("mandoline")

    def solve(source: pd.DataFrame, target: pd.DataFrame) -> tuple[Problem, Outcome]:
        old, new = samples(name, source, target)
        problem = md.prepare(old, new, slices, model=old.models[0], metric=CASES[name], settings=settings).problem
        return problem, mandoline.estimate(problem)

    many = draw(rng, 400_000, after)
    truth = solve(many, many)[1].value
    hits = []
    for _ in range(REPETITIONS):
        low, high = interval_of(*solve(draw(rng, n, (0.25, 0.3)), draw(rng, n, after)), settings.confidence)
        hits.append(low <= truth <= high)
    covered = float(np.mean(hits))
    record_property("measured", f"{name}, {n:,} rows: {covered:.1%} of {REPETITIONS}")
    assert BAND[0] <= covered <= BAND[1]
