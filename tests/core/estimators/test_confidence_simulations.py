"""Simulations: intervals hold what a method estimates as often as they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, binom

from mandoline_core.estimators.cbpe import Cbpe, Pape, expected_metric
from mandoline_core.estimators.confidence import AverageConfidence, ThresholdedConfidence
from mandoline_core.estimators.intervals import RowInfluence
from mandoline_core.metrics.registry import get_metric
from mandoline_core.pipeline.diagnostics import interval_of
from tests.core.answered import SamplePair, answers, state, state_drawn

WORLDS, CONFIDENCE = 400, 0.95
# So many of the worlds must be covered, at the least and at the most, with a chance of 99.9%, at a true 93% and 97%:
# the delta method is allowed two points.
LEAST, MOST = binom.ppf(0.0005, WORLDS, 0.93), binom.ppf(0.9995, WORLDS, 0.97)


def drawn(scores: np.ndarray, truth: np.ndarray | None = None, z: np.ndarray | None = None) -> SamplePair:
    """Take scores for probabilities of the second of two classes, which is predicted from one half on."""
    n = len(scores)
    return SamplePair(
        np.column_stack([1 - scores, scores]),
        np.full(n, -1, dtype=np.int32) if truth is None else truth.astype(np.int32),
        (scores > 0.5).astype(np.int32),
        np.zeros((n, 0), dtype=np.int8) if z is None else (2 * z[:, None] - 1).astype(np.int8),
    )


def draw_scores(rng: np.random.Generator, n: int, shape: tuple[float, float]) -> np.ndarray:
    """Draw confidences between one half and one."""
    return 0.5 + rng.beta(*shape, n) / 2


@pytest.mark.slow
def test_threshold_interval_covers_its_population_value() -> None:
    """The threshold on a large sample's confidence is known; overconfident model, shifted target."""
    rng, shapes = np.random.default_rng(13), ((3.0, 2.0), (2.0, 3.0))
    grid = (np.arange(200_000) + 0.5) / 200_000
    confidence = 0.5 + beta.ppf(grid, *shapes[0]) / 2
    right = float((0.4 + 0.5 * confidence).mean())
    threshold = 0.5 + beta.ppf(1 - right, *shapes[0]) / 2
    truth = float(beta.sf((threshold - 0.5) * 2, *shapes[1]))
    covered, values, errors = 0, [], []
    for _ in range(WORLDS):
        before, after = draw_scores(rng, 600, shapes[0]), draw_scores(rng, 500, shapes[1])
        truth_codes = (rng.random(600) < 0.4 + 0.5 * before).astype(np.int32)
        problem = state_drawn(drawn(before, truth_codes), drawn(after))
        outcome = ThresholdedConfidence().estimate(problem)
        low, high = interval_of(problem, outcome, CONFIDENCE)
        covered += low <= truth <= high
        values.append(outcome.value)
        errors.append(outcome.influence.standard_error())
    assert LEAST <= covered <= MOST
    assert np.mean(errors) == pytest.approx(np.std(values), rel=4 / np.sqrt(2 * WORLDS))


@pytest.mark.slow
def test_threshold_spread_equals_a_bootstraps() -> None:
    """Rows of both samples drawn again with replacement, the threshold learned anew."""
    rng = np.random.default_rng(14)
    before, after = draw_scores(rng, 2000, (3, 2)), draw_scores(rng, 1500, (2, 3))
    right = rng.random(2000) < 0.4 + 0.5 * before
    problem = state(answers(before, right.astype(int), predicted=np.ones(2000, int)), answers(after))
    values = []
    for _ in range(2000):
        rows = rng.integers(0, 2000, 2000)
        ranked, drawn = np.sort(before[rows])[::-1], after[rng.integers(0, 1500, 1500)]
        values.append((drawn >= ranked[right[rows].sum() - 1]).mean())
    found = ThresholdedConfidence().estimate(problem).influence.standard_error()
    assert found == pytest.approx(np.std(values), rel=0.1)


def shifted_by_score(rng: np.random.Generator, n: int, shape: tuple[float, float], *, labelled: bool) -> SamplePair:
    """Draw probabilities of class b; given them, b is the label with a chance that is not they."""
    scores = rng.beta(*shape, n)
    return drawn(scores, rng.random(n) < 0.15 + 0.6 * scores if labelled else None)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_calibrated_interval_covers_the_truth_when_only_scores_shift(metric: str) -> None:
    """The expected metric of the whole target population, from the chances it was drawn by."""
    rng, shapes = np.random.default_rng(15), ((1.5, 2.5), (2.5, 1.5))
    scores = beta.ppf((np.arange(100_000) + 0.5) / 100_000, *shapes[1])
    chances = np.column_stack([0.85 - 0.6 * scores, 0.15 + 0.6 * scores])
    fitted = get_metric(metric).fit(("a", "b"))
    truth = expected_metric(fitted, (scores > 0.5).astype(np.int32), chances, chances).value
    covered = plain = 0
    for _ in range(WORLDS):
        source = shifted_by_score(rng, 800, shapes[0], labelled=True)
        problem = state_drawn(source, shifted_by_score(rng, 600, shapes[1], labelled=False), metric)
        outcome = Cbpe().estimate(problem)
        low, high = interval_of(problem, outcome, CONFIDENCE)
        covered += low <= truth <= high
        if metric == "accuracy":  # the control: taking the probabilities at their word is wrong here
            low, high = interval_of(problem, AverageConfidence().estimate(problem), CONFIDENCE)
            plain += low <= truth <= high
    assert LEAST <= covered <= MOST
    assert plain < 0.1 * WORLDS


def mixed(rng: np.random.Generator, n: int, share: float, useful: tuple[float, float], *, labelled: bool) -> SamplePair:
    """Draw probabilities of class b that say so much about it in a slice, and so much in the rest."""
    z, scores = rng.random(n) < share, rng.beta(2, 2, n)
    is_b = rng.random(n) < 0.5 + np.where(z, *useful) * (scores - 0.5)
    return drawn(scores, is_b if labelled else None, z)


def mixed_truth(share: float, useful: tuple[float, float], metric: str = "accuracy") -> float:
    """Compute the metric to expect on all rows of which such a share is in the slice."""
    scores = beta.ppf((np.arange(100_000) + 0.5) / 100_000, 2, 2)
    chance = 0.5 + (share * useful[0] + (1 - share) * useful[1]) * (scores - 0.5)
    fitted = get_metric(metric).fit(("a", "b"))
    own, chances = (np.column_stack([1 - of_b, of_b]) for of_b in (scores, chance))
    return expected_metric(fitted, (scores > 0.5).astype(np.int32), own, chances).value


@pytest.mark.slow
@pytest.mark.parametrize("rows", [(500, 500), (800, 600)], ids=str)
@pytest.mark.long
def test_weighted_calibration_covers_the_truth_when_a_slice_shifts_that_changes_calibration(
    rows: tuple[int, int],
) -> None:
    """Calibration differs between slice and rest, and the slice grows: CBPE is wrong there, PAPE is not."""
    rng, useful = np.random.default_rng(16), (0.1, 0.9)
    truth = mixed_truth(0.7, useful)
    covered = unweighted = 0
    for _ in range(WORLDS):
        source, target = (
            mixed(rng, n, share, useful, labelled=share == 0.2) for n, share in zip(rows, (0.2, 0.7), strict=True)
        )
        problem = state_drawn(source, target)
        for estimator in (Pape(), Cbpe()):
            low, high = interval_of(problem, estimator.estimate(problem), CONFIDENCE)
            if estimator.name == "pape":
                covered += low <= truth <= high
            else:
                unweighted += low <= truth <= high
    assert LEAST <= covered <= MOST
    assert unweighted < 0.5 * WORLDS


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [Cbpe(), Pape()], ids=["cbpe", "pape"])
def test_calibrated_interval_covers_the_truth_when_probabilities_are_useless(estimator: Cbpe | Pape) -> None:
    """Steps that only go up find a use for them: without an allowance for this pull, intervals miss."""
    rng, useful = np.random.default_rng(17), (0.0, 0.0)
    covered = without = 0
    for _ in range(WORLDS):
        problem = state_drawn(*(mixed(rng, 500, s, useful, labelled=s == 0.2) for s in (0.2, 0.7)))
        outcome = estimator.estimate(problem)
        assert isinstance(outcome.influence, RowInfluence)
        luck = replace(outcome, influence=replace(outcome.influence, pooled=0.0))
        (low, high), (lower, upper) = (interval_of(problem, found, CONFIDENCE) for found in (outcome, luck))
        covered += low <= 0.5 <= high
        without += lower <= 0.5 <= upper
    assert LEAST <= covered <= MOST
    assert without < 0.93 * WORLDS  # the control
