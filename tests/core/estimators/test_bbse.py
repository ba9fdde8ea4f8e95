"""Label shift: exact on tables where only class frequencies differ, derivatives, and what cannot be told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from mandoline_core import EstimatorSettings, MandolineError
from mandoline_core.estimators.baselines import Source
from mandoline_core.estimators.bbse import Bbse, fit_label_shift
from mandoline_core.metrics.class_labels import ClassLabels
from mandoline_core.metrics.registry import METRICS
from mandoline_core.pipeline.diagnostics import diagnose, interval_of
from tests.core.answered import (
    CLASSES,
    SamplePair,
    answers,
    assert_influence_is_the_derivative,
    state,
    state_drawn,
)

OF_CLASSES = [metric.name for metric in METRICS.values() if metric.needs in ("predictions", "probabilities")]

# Of 10 rows of a class (row), so many are predicted as each class (column).
TELLING = np.array([[8, 1, 1], [2, 7, 1], [0, 3, 7]])


def tabled(rows_of_class: list[int], confusion: np.ndarray = TELLING) -> pd.DataFrame:
    """Build a frame with whole tens of rows of each class, predicted in exact proportion.

    Probabilities depend on the prediction and, a little, on the label, so that they are part of what a class looks
    like.
    """
    truth, said = [], []
    for label, n in enumerate(rows_of_class):
        for guess, tenths in enumerate(confusion[label]):
            truth += [label] * (tenths * n // 10)
            said += [guess] * (tenths * n // 10)
    n_classes = len(confusion)
    logits = 2.0 * np.eye(n_classes)[said] + 0.5 * np.eye(n_classes)[truth]
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return answers(chances, truth, predicted=said)


def only_predictions(frame: pd.DataFrame) -> pd.DataFrame:
    """Drop the labels."""
    return frame.drop(columns="label")


@pytest.mark.parametrize("metric", [name for name in OF_CLASSES if name != "quadratic_kappa"])  # classes have no order
def test_estimate_is_exact_when_only_class_frequencies_differ(metric: str) -> None:
    """Every metric, by weighting rows with the ratio of their class's frequencies."""
    source, target = tabled([300, 200, 100]), tabled([50, 150, 400])
    problem = state(source, only_predictions(target), metric)
    truth = state(target, target, metric)
    outcome = Bbse().estimate(problem)
    n = len(truth.members.statistics)
    if truth.metric.rank is None:
        expected = truth.metric.combine(truth.members.statistics.mean(axis=0))
    else:
        expected = truth.metric.rank(truth.members.statistics, np.full(n, 1 / n))[0]
    assert outcome.value == pytest.approx(expected, abs=1e-12)
    ratios = np.array([50 / 300, 150 / 200, 400 / 100])
    assert outcome.scored_weights == pytest.approx(ratios[source["label"].map(CLASSES.index)] / 600)
    assert outcome.weights(problem.members).sum() == pytest.approx(1)


@pytest.mark.parametrize("metric", OF_CLASSES)
def test_influence_is_the_derivative(metric: str) -> None:
    """Rows move the estimate by their own weight, through the source's table and through the target's shares."""
    rng = np.random.default_rng(0)
    source = tabled([30, 20, 20])
    source["p_a"] = source["p_a"] * rng.uniform(0.5, 1, len(source))
    source["p_b"] = 1 - source["p_a"] - source["p_c"]
    target = only_predictions(tabled([20, 30, 40]))
    assert_influence_is_the_derivative(Bbse(), source, target, metric)


def test_influence_with_a_clipped_class_is_the_derivative() -> None:
    """The clipped class stays absent."""
    source = tabled([30, 20, 20])
    target = only_predictions(tabled([0, 0, 20])).assign(pred=["b"] * 4 + ["c"] * 16)  # fewer b than c alone brings
    many = source.loc[np.repeat(source.index, 20)]
    outcome = Bbse().estimate(state(many, target.loc[np.repeat(target.index, 20)]))
    assert [finding.code for finding in outcome.findings] == ["negative_class_share"]
    assert "Class 'b' gets a negative share of the new data" in outcome.findings[0].message
    labels = many["label"].to_numpy()
    assert outcome.scored_weights is not None
    assert not outcome.scored_weights[labels == "b"].any()
    assert outcome.scored_weights.sum() == pytest.approx(1)
    assert_influence_is_the_derivative(Bbse(), source, target)


def test_error_is_one_minus_accuracy() -> None:
    """The same weights behind both."""
    source, target = tabled([300, 200, 100]), only_predictions(tabled([50, 150, 400]))
    right, wrong = (Bbse().estimate(state(source, target, name)) for name in ("accuracy", "error"))
    assert wrong.value == pytest.approx(1 - right.value)
    assert wrong.influence.standard_error() == pytest.approx(right.influence.standard_error())


def test_probabilities_are_not_needed() -> None:
    """Predictions alone do; they may be probabilities' or not."""
    source, target = tabled([300, 200, 100]), only_predictions(tabled([50, 150, 400]))
    with_them = Bbse().estimate(state(source, target))
    without = Bbse().estimate(state(source[["pred", "label"]], target[["pred"]]))
    assert without.value == with_them.value
    assert Bbse().needs == ("predictions",)


def test_target_rows_without_a_prediction_are_left_out_and_counted() -> None:
    """They move nothing."""
    source, target = tabled([300, 200, 100]), only_predictions(tabled([50, 150, 400]))
    holes = pd.concat([target, target[:60].assign(pred=None)], ignore_index=True)
    outcome = Bbse().estimate(state(source, holes))
    assert outcome.value == pytest.approx(Bbse().estimate(state(source, target)).value)
    assert not outcome.influence.pieces(None)[1][600:].any()  # type: ignore[arg-type]
    assert [finding.message for finding in outcome.findings] == [
        "60 of 660 rows of target.csv have no prediction and are left out."
    ]
    (why,) = {Bbse().reason(state(source, target.assign(pred=pd.Series([None] * 600, dtype="object"))))}
    assert why is not None
    assert "has a prediction" in why


def test_outcome_has_weights_by_row_and_by_pattern() -> None:
    """Also on a split source; diagnostics read the rows'."""
    source, target = tabled([300, 200, 100]), only_predictions(tabled([50, 150, 400]))
    source["z"], target["z"] = np.arange(600) % 2, np.arange(600) % 2
    for split in ("none", "crossfit"):
        problem = state(source, target, settings=EstimatorSettings(split=split))
        outcome = Bbse().estimate(problem)
        assert outcome.row_weights.shape == (len(problem.groups), len(problem.patterns))
        assert float(outcome.row_weights[0] @ problem.patterns.source) == pytest.approx(1)
        assert diagnose(problem, outcome).largest_ratio == pytest.approx(4.0)


def refusal(source: pd.DataFrame, target: pd.DataFrame) -> str:
    """Return why the method does not apply; estimating refuses with the same sentence."""
    problem = state(source, target)
    why = Bbse().reason(problem)
    assert why is not None
    with pytest.raises(MandolineError) as caught:
        Bbse().estimate(problem)
    assert str(caught.value) == why
    return why


def test_what_cannot_be_told_is_said() -> None:
    """One class of labels, predictions that do not tell classes apart, classes that only one column has."""
    source, target = tabled([300, 200, 100]), only_predictions(tabled([50, 150, 400]))
    assert refusal(source.assign(label="a"), target).startswith("Every label of source.csv is 'a'")
    blind = tabled([300, 200, 100], np.array([[5, 4, 1], [5, 4, 1], [5, 4, 1]]))
    assert refusal(blind, target).startswith("The model confuses classes too often to estimate label shift")
    assert refusal(source.assign(pred=source["pred"].replace("c", "b")), target).startswith(
        "Class 'c' is never predicted in the labelled data"
    )
    assert refusal(source.assign(label=source["label"].replace("c", "b")), target).startswith(
        "Class 'c' is predicted but never a label in the labelled data"
    )
    few = tabled([10, 10, 10], np.array([[4, 3, 3], [3, 4, 3], [3, 3, 4]]))
    assert "with a standard error of" in refusal(few, target)
    two = source[(source["label"] != "c") & (source["pred"] != "c")]
    assert refusal(two, target).startswith("target.csv has predictions of class 'c', which does not occur in")


def test_standard_errors_of_ratios_equal_those_of_drawn_samples() -> None:
    """Against many samples drawn from a table; the band is four standard errors of a standard deviation."""
    rng = np.random.default_rng(1)
    joint, said = (TELLING.T / 10 * [0.5, 0.3, 0.2]), np.array([0.3, 0.3, 0.4])
    worlds, n_source, n_target = 1000, 800, 500
    found, errors = [], []
    for _ in range(worlds):
        cells = rng.choice(9, n_source, p=joint.ravel())
        source = ClassLabels(CLASSES[:3], (cells % 3).astype(np.int32), (cells // 3).astype(np.int32))
        shift = fit_label_shift(source, rng.choice(3, n_target, p=said).astype(np.int32))
        found.append(shift.solution)
        errors.append(shift.standard_errors(n_source, n_target))
    assert np.mean(errors, axis=0) == pytest.approx(np.std(found, axis=0), rel=4 / np.sqrt(2 * worlds))


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_interval_covers_the_truth_under_label_shift(metric: str) -> None:
    """So often as it says, give or take two points and the luck of so many worlds; the source score's does not."""
    rng, worlds = np.random.default_rng(2), 400
    given = np.array([[9, 1, 0], [2, 7, 1], [1, 4, 5]]) / 10
    before, after = given * np.array([[0.5], [0.3], [0.2]]), given * np.array([[0.2], [0.3], [0.5]])

    def draw(table: np.ndarray, n: int, *, labelled: bool) -> SamplePair:
        cells = rng.choice(9, n, p=table.ravel()).astype(np.int32)
        truth = cells // 3 if labelled else np.full(n, -1, dtype=np.int32)
        return SamplePair(np.zeros((n, 0)), truth, cells % 3, np.zeros((n, 0), dtype=np.int8))

    covered = {"bbse": 0, "source": 0}
    for _ in range(worlds):
        problem = state_drawn(draw(before, 800, labelled=True), draw(after, 600, labelled=False), metric)
        truth = problem.metric.combine(after.ravel() if metric == "f1" else np.array([np.trace(after)]))
        for estimator in (Bbse(), Source()):
            low, high = interval_of(problem, estimator.estimate(problem), 0.95)
            covered[estimator.name] += low <= truth <= high
    assert binom.ppf(0.0005, worlds, 0.93) <= covered["bbse"] <= binom.ppf(0.9995, worlds, 0.97)
    assert covered["source"] < 0.1 * worlds
