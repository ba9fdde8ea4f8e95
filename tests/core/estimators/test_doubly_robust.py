"""The doubly robust estimator: right when either half is, with influence through weights and outcome model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from mandoline_core import EstimatorSettings, MandolineError
from mandoline_core.estimators.doubly_robust import DoublyRobust
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.estimators.outcome_model import OutcomeDesign, combine
from mandoline_core.estimators.probabilities import PredictedRows, usable_rows
from mandoline_core.metrics.registry import get_metric
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.weighting.problem import Problem
from tests.core.answered import SamplePair, answers, multiples, random_answers, state, state_drawn


def test_combination_by_hand() -> None:
    """Two folds, one column: each half's mean predicts the other half and, on average, the target."""
    statistics, ones = np.array([[1.0], [0.0], [1.0], [1.0]]), np.ones((4, 1))
    weights, folds = np.array([0.4, 0.1, 0.3, 0.2]), np.array([0, 0, 1, 1])
    found = combine(get_metric("accuracy"), statistics, ones, np.ones((3, 1)), weights, folds)
    # The model for fold 0 is the mean of fold 1, 1; for fold 1 that of fold 0, 1/2; for the target their mean, 3/4.
    assert found.means == pytest.approx([0.75 + 0.4 * 0 + 0.1 * -1 + 0.3 * 0.5 + 0.2 * 0.5])
    assert weights @ found.by_weight == pytest.approx(0)


def test_a_constant_outcome_is_estimated_without_error() -> None:
    """Where every row is right, so is the outcome model, and nothing is left to weight."""
    rng = np.random.default_rng(0)
    source = random_answers(rng, 200, 2)
    problem = state(source.assign(label=source["pred"]), random_answers(rng, 150, 2, labelled=False), slices=("z", "u"))
    outcome = DoublyRobust().estimate(problem)
    assert outcome.value == pytest.approx(1)
    assert outcome.influence.standard_error() == pytest.approx(0, abs=1e-9)


def test_without_any_shift_the_estimate_is_near_the_source_score() -> None:
    """The target is the source itself: weights are even, and predictions of either average the same."""
    source = random_answers(np.random.default_rng(1), 2000, 3)
    problem = state(source, source.drop(columns="label"), slices=("z", "u"))
    score = float((source["label"] == source["pred"]).mean())
    assert DoublyRobust().estimate(problem).value == pytest.approx(score, abs=1e-3)


def test_estimate_depends_on_the_seed_only_through_folds() -> None:
    """The same seed gives the same number; another a slightly different one."""
    rng = np.random.default_rng(2)
    source, target = random_answers(rng, 400, 2), random_answers(rng, 300, 2, labelled=False, tilt=0.2)
    first, again, other = (
        DoublyRobust().estimate(state(source, target, slices=("z", "u"), settings=EstimatorSettings(seed=seed))).value
        for seed in (0, 0, 1)
    )
    assert first == again
    assert 0 < abs(first - other) < 0.01


def test_constant_confidence_leaves_one_number_a_class() -> None:
    """Directions in which the source does not vary are dropped, not inverted."""
    rng = np.random.default_rng(3)
    said = rng.integers(0, 2, 400)
    source = answers(np.where(said, 0.8, 0.2), np.where(rng.random(400) < 0.7, said, 1 - said))
    target = answers(np.where(np.arange(200) < 150, 0.8, 0.2))
    right = (source["label"] == source["pred"]).groupby(source["pred"]).mean()
    assert DoublyRobust().estimate(state(source, target)).value == pytest.approx(
        0.75 * right["b"] + 0.25 * right["a"], abs=0.01
    )


def test_rarely_predicted_classes_share_a_line() -> None:
    """A class with too few rows joins the next rarest; one that is never predicted goes with them."""
    predicted = np.repeat([0, 1, 2], [300, 60, 20]).astype(np.int32)
    rows = PredictedRows(np.ones(380, bool), predicted, predicted, np.full((380, 4), 0.25))
    group = OutcomeDesign.of(rows, 4).group
    assert group[2] == group[3] == group[1]  # 20 rows are too few, so the class with 60 joins
    assert group[0] != group[1]
    even = replace(rows, truth=predicted % 2, predicted=np.repeat([0, 1], 190).astype(np.int32))
    assert len(set(OutcomeDesign.of(even, 2).group.tolist())) == 2


def test_a_value_beyond_the_bounds_is_put_back_and_said() -> None:
    """A line through confidences may lead above 100% where the target is surer than the source ever was."""
    rng = np.random.default_rng(4)
    scores = rng.uniform(0.5, 0.7, 3000)
    truth = (rng.random(3000) < 5 * (scores - 0.5)).astype(int)
    source = answers(scores, truth, predicted=np.ones(3000, int))
    outcome = DoublyRobust().estimate(state(source, answers(np.full(100, 0.95))))
    assert outcome.value == 1.0
    assert [finding.code for finding in outcome.findings] == ["estimate_outside_bounds"]


def test_what_it_refuses() -> None:
    """No slices, metrics that are not means, too few rows to regress on."""
    rng = np.random.default_rng(5)
    source, target = random_answers(rng, 100, 2), random_answers(rng, 80, 2, labelled=False)
    assert "made of means over rows, unlike auroc" in str(DoublyRobust().reason(state(source, target, "auroc")))
    bare = state_drawn(SamplePair.of(source), SamplePair.of(target))
    assert DoublyRobust().reason(bare) == "There are no slices. Add or enable at least one."
    with pytest.raises(MandolineError, match=r"needs at least 10 labelled rows with all it looks at\. Got 9"):
        DoublyRobust().estimate(state(source[:9], target))


# --- The influence, with folds that do not change when a row is added ---


@pytest.mark.parametrize("metric", ["accuracy", "f1", "log_loss"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_influence_is_the_derivative(metric: str, n_classes: int) -> None:
    """Of rows of both samples, through the weights, the outcome model of every fold, and the metric."""
    rng = np.random.default_rng(6)
    slices, times = ("z", "u"), 300
    frames = random_answers(rng, 40, n_classes), random_answers(rng, 30, n_classes, labelled=False, tilt=0.2)
    drawn = [SamplePair.of(frame, slices) for frame in frames]
    own_folds = rng.permutation(40) % 5

    def parts(problem: Problem, folds: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        known, first = usable_rows(problem), Mandoline().weigh(problem)
        design = OutcomeDesign(np.arange(n_classes), np.array([0.55, 0.7]))
        columns = design.columns(known.source), design.columns(known.target)
        weights = first.weights(problem.members)
        found = combine(problem.metric, problem.members.statistics, *columns, weights, folds)
        source, target = Mandoline().weigh(problem, found.by_weight).influence.pieces(problem.members)
        return problem.metric.combine(found.means), source + found.by_source, target + found.by_target

    def at(side: int = 0, row: int = 0, more: int = 0) -> tuple[float, np.ndarray, np.ndarray]:
        counts = [multiples(len(rows.truth), times) for rows in drawn]
        counts[side][row] += more
        many = [rows.repeat(count) for rows, count in zip(drawn, counts, strict=True)]
        return parts(state_drawn(many[0], many[1], metric), np.repeat(own_folds, counts[0]))

    _, *pieces = at()
    for side, found in enumerate(pieces):
        counts = multiples(len(drawn[side].truth), times)
        first = np.cumsum(counts) - counts
        for row in range(0, len(counts), 5):
            expected = (at(side, row, 1)[0] - at(side, row, -1)[0]) / 2 * counts.sum()
            assert found[first[row]] * counts.sum() == pytest.approx(expected, abs=1e-3), (side, row)


# --- Simulations ---

WORLDS = 400
# A true coverage of 93 to 97% stays within these with a chance of 99.9%.
LEAST, MOST = binom.ppf(0.0005, WORLDS, 0.93), binom.ppf(0.9995, WORLDS, 0.97)


def drawn(rng: np.random.Generator, confidence: np.ndarray, z: np.ndarray, right: np.ndarray | None) -> SamplePair:
    """Make rows of two classes from confidences, one slice, and chances of being right; none for the target."""
    n = len(confidence)
    said = rng.integers(0, 2, n).astype(np.int32)
    probabilities = np.where(said[:, None] == [0, 1], confidence[:, None], 1 - confidence[:, None])
    truth = np.full(n, -1) if right is None else np.where(rng.random(n) < right, said, 1 - said)
    return SamplePair(probabilities, truth.astype(np.int32), said, (2 * z[:, None] - 1).astype(np.int8))


def outcome_model_alone(problem: Problem) -> float:
    """Average over the target what confidence and class predict; the control for a wrong outcome model."""
    known = usable_rows(problem)
    design = OutcomeDesign.of(known.source, 2)
    slope = np.linalg.lstsq(design.columns(known.source), problem.members.statistics[:, 0], rcond=None)[0]
    return float((design.columns(known.target) @ slope).mean())


def simulate(world: Callable[[np.random.Generator], Problem], truth: float, alone: str) -> None:
    """Check that the estimate is unbiased with honest intervals where one half alone is three points off and more.

    The bands are four standard errors of the mean over worlds.
    """
    rng, values, wrong, covered = np.random.default_rng(7), [], [], 0
    for _ in range(WORLDS):
        problem = world(rng)
        outcome = DoublyRobust().estimate(problem)
        low, high = interval_of(problem, outcome, 0.95)
        covered += low <= truth <= high
        values.append(outcome.value)
        wrong.append(Mandoline().estimate(problem).value if alone == "weights" else outcome_model_alone(problem))
    assert abs(np.mean(values) - truth) < 4 * np.std(values) / np.sqrt(WORLDS)
    assert abs(np.mean(wrong) - truth) > 0.03 + 4 * np.std(wrong) / np.sqrt(WORLDS)
    assert LEAST <= covered <= MOST


@pytest.mark.long
def test_right_when_slices_miss_what_changed_but_confidence_tells() -> None:
    """Being right depends on confidence alone, which falls; the slice says nothing of it."""

    def world(rng: np.random.Generator) -> Problem:
        before, after = 0.5 + rng.beta(3, 2, 800) / 2, 0.5 + rng.beta(2, 3, 600) / 2
        return state_drawn(
            drawn(rng, before, rng.random(800) < 0.3, 0.1 + 0.8 * before),
            drawn(rng, after, rng.random(600) < 0.6, None),
        )

    simulate(world, 0.1 + 0.8 * (0.5 + 0.4 / 2), "weights")


@pytest.mark.long
def test_right_when_confidence_misleads_but_slices_capture_what_changed() -> None:
    """Being right depends on the slice alone; confidence is higher where the model is worse, and on the target."""

    def confidence(rng: np.random.Generator, z: np.ndarray) -> np.ndarray:
        return 0.5 + np.where(z, rng.beta(3, 2, len(z)), rng.beta(2, 3, len(z))) / 2

    def world(rng: np.random.Generator) -> Problem:
        before, after = rng.random(800) < 0.3, rng.random(600) < 0.7
        return state_drawn(
            drawn(rng, confidence(rng, before), before, np.where(before, 0.5, 0.9)),
            drawn(rng, confidence(rng, after), after, None),
        )

    simulate(world, 0.7 * 0.5 + 0.3 * 0.9, "outcome model")
