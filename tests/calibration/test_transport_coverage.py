"""Coverage of optimal transport and of the second opinion: 500 worlds each, printed and held to bands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

import mandoline_core as md
from mandoline_core.checks import second_opinion_on
from mandoline_core.estimators.cot import Cot, CotWeighted, share_out
from mandoline_core.pipeline.diagnostics import interval_of
from tests.core.answered import SamplePair, state_drawn
from tests.core.checks.test_second_opinion import RULES, draw_samples, draw_world

REPETITIONS = 500
# A band of 93-97%, and luck's share in 500 worlds, once in 1,000.
LEAST, MOST = binom.ppf(0.0005, REPETITIONS, 0.93), binom.ppf(0.9995, REPETITIONS, 0.97)
MANY = 400_000  # rows that stand for a population
SHARES = (0.3, 0.6)  # of the slice, in source and target


def draw(rng: np.random.Generator, n: int, n_classes: int, share: float, *, digits: int | None) -> SamplePair:
    """Draw rows of an ill-calibrated model; classes are of unequal size, and more so in the slice."""
    z = rng.random(n) < share
    truth = (rng.random(n) ** np.where(z, 2.0, 1.3) * n_classes).astype(np.int32)
    logits = rng.normal(0, 1.0, (n, n_classes)) + np.where(z, 1.0, 2.5)[:, None] * np.eye(n_classes)[truth]
    rows = np.exp(1.5 * logits) / np.exp(1.5 * logits).sum(axis=1, keepdims=True)
    if digits is not None:
        rows = np.maximum(np.round(rows, digits), 10.0**-digits)
        rows /= rows.sum(axis=1, keepdims=True)
    return SamplePair(rows, truth, rows.argmax(axis=1).astype(np.int32), (2 * z[:, None] - 1).astype(np.int8))


def population_value(estimator: Cot | CotWeighted, n_classes: int, digits: int | None) -> float:
    """Transport many target rows to the classes of many source rows, weighted by how the slice shifts."""
    rng = np.random.default_rng(1)
    source, target = (draw(rng, MANY, n_classes, share, digits=digits) for share in SHARES)
    inside = source.codes[:, 0] == 1
    ratios = np.where(inside, SHARES[1] / SHARES[0], (1 - SHARES[1]) / (1 - SHARES[0]))
    weights = ratios if isinstance(estimator, CotWeighted) else np.ones(MANY)
    shares = np.bincount(source.truth, weights, minlength=n_classes)
    return share_out(target.probabilities, shares / shares.sum()).value


@pytest.mark.slow
@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("digits", [None, 1], ids=["any", "tied"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("estimator", [Cot(), CotWeighted()], ids=lambda one: one.name)
def test_transport_intervals_cover_the_populations_value(
    estimator: Cot | CotWeighted,
    n_classes: int,
    digits: int | None,
    n: int,
    record_property: Callable[[str, object], None],
) -> None:
    """The luck of the target's rows, of the source's classes and of the weights, and nothing else."""
    rng, truth = np.random.default_rng(100), population_value(estimator, n_classes, digits)
    values, errors, hits = np.empty(REPETITIONS), np.empty(REPETITIONS), 0
    for i in range(REPETITIONS):
        source, target = (draw(rng, n, n_classes, share, digits=digits) for share in SHARES)
        problem = state_drawn(source, target)
        outcome = estimator.estimate(problem)
        low, high = interval_of(problem, outcome, 0.95)
        hits += low <= truth <= high
        values[i], errors[i] = outcome.value - truth, outcome.influence.standard_error()
    said = (
        f"{estimator.name}, {n_classes} classes, {'tied' if digits else 'untied'}, {n:,} rows: "
        f"{hits / REPETITIONS:.1%} of {REPETITIONS} intervals cover; bias {100 * values.mean():+.2f} points, standard "
        f"deviation {100 * values.std(ddof=1):.2f}, mean standard error {100 * errors.mean():.2f}"
    )
    record_property("measured", said)
    assert LEAST <= hits <= MOST, said


def accuracy(hard: float, place: float) -> float:
    """Compute how often the model is right on all rows of a world."""
    frame = draw_world(np.random.default_rng(2), 2 * MANY, hard=hard, place=place)
    return float(np.maximum(frame["p_no"], frame["p_yes"]).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shares", "level"), [((0.2, 0.2), "not red"), ((0.1, 0.7), "red")], ids=["slices explain", "they do not"]
)
def test_second_opinion_covers_the_truth(
    shares: tuple[float, float], level: str, record_property: Callable[[str, object], None]
) -> None:
    """Where slices explain the change the interval is Mandoline's; where a column that nobody named does, it spans."""
    rng, truth = np.random.default_rng(3), accuracy(shares[1], 0.6)
    hits = mandoline = red = 0
    for _ in range(REPETITIONS):
        report = md.estimate(*draw_samples(rng, shares), RULES, spread=False).first
        opinion = second_opinion_on(report)
        assert opinion is not None
        hits += opinion.interval[0] <= truth <= opinion.interval[1]
        mandoline += report.interval[0] <= truth <= report.interval[1]
        red += opinion.follows != "mandoline"
    said = (
        f"second_opinion, {level}: {hits / REPETITIONS:.1%} of {REPETITIONS} intervals cover the truth, Mandoline's "
        f"{mandoline / REPETITIONS:.1%}; red in {red / REPETITIONS:.1%}"
    )
    record_property("measured", said)
    assert hits >= LEAST, said
    if level == "red":
        assert red > 0.9 * REPETITIONS
        assert mandoline < 0.1 * REPETITIONS
    else:
        assert hits <= MOST, said
