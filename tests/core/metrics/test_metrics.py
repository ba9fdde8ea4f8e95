"""Metrics: scores per row against plain pandas, values against scikit-learn, slopes against differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandoline_core import DataError, MandolineError, Model, ProjectError, Sample
from mandoline_core.metrics.confusion import MOST_CLASSES
from mandoline_core.metrics.metric import Metric, evaluate
from mandoline_core.metrics.registry import METRICS, get_metric
from mandoline_core.metrics.scores import Scores, score_rows
from mandoline_core.project.settings import MetricSettings
from tests.core.metric_rows import CASES, draw

MODEL = Model("m", "pred")
CLASSES = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=40
)


def scores(name: str, label: Any, pred: Any, **settings: Any) -> Scores:
    """Score a label column against a prediction column."""
    frame = pd.DataFrame({"label": label, "pred": pred})
    return score_rows(MetricSettings(name, **settings), Sample(frame, label="label"), label="label", model=MODEL)


@given(CLASSES)
def test_accuracy_and_error_equal_pandas_on_rows_with_both(rows: list[tuple[str | None, str | None]]) -> None:
    """A row is known when it has a label and a prediction, and right when they are equal."""
    rows = [*rows, ("a", "a")]  # one value in common
    frame = pd.DataFrame(rows, columns=["label", "pred"])
    known = frame["label"].notna() & frame["pred"].notna()
    right = frame["label"] == frame["pred"]
    for name, expected in (("accuracy", right), ("error", ~right)):
        found = scores(name, frame["label"], frame["pred"])
        assert found.known.tolist() == known.tolist()
        assert found.statistics[found.known, 0].tolist() == expected[known].astype(float).tolist()


@pytest.mark.parametrize("name", ["accuracy", "error"])
def test_rows_that_are_not_known_count_for_nothing(name: str) -> None:
    """Their statistic is 0, so that no sum can pick them up."""
    found = scores(name, ["a", None, "a"], ["a", "b", None])
    assert found.statistics.ravel().tolist()[1:] == [0.0, 0.0]


NUMBERS = ([1, 0, 1], [1.0, 0.0, 1.0])
OTHERS = (["1", "0", "1"], ["1.0", "0.0", "1.0"], [True, False, True], ["true", "false", "True"])


@pytest.mark.parametrize("label", NUMBERS, ids=["whole", "decimal"])
@pytest.mark.parametrize(
    "pred", [*NUMBERS, *OTHERS], ids=["whole", "decimal", "text", "text with point", "flag", "word"]
)
def test_one_class_written_in_several_ways_is_one_class(label: list[Any], pred: list[Any]) -> None:
    """1, 1.0, "1" and true are the same answer when label and prediction are of different types."""
    assert scores("accuracy", label, pred).statistics.ravel().tolist() == [1.0, 1.0, 1.0]
    assert scores("accuracy", pred, label).statistics.ravel().tolist() == [1.0, 1.0, 1.0]
    assert scores("error", label, [pred[1], *pred[1:]]).statistics.ravel().tolist() == [1.0, 0.0, 0.0]


def test_two_columns_of_text_are_compared_as_written() -> None:
    """Where both are text, "01" and "1" may be two classes."""
    assert scores("accuracy", ["1", "01"], ["1", "1"]).statistics.ravel().tolist() == [1.0, 0.0]


def test_merged_classes_count_as_one() -> None:
    """The paper's binary accuracy: neutral and contradiction are both "no"."""
    label = ["entailment", "neutral", "contradiction", "neutral"]
    pred = ["entailment", "contradiction", "neutral", "entailment"]
    merge = {"no": ["neutral", "contradiction"]}
    assert scores("accuracy", label, pred).statistics.ravel().tolist() == [1.0, 0.0, 0.0, 0.0]
    assert scores("accuracy", label, pred, merge=merge).statistics.ravel().tolist() == [1.0, 1.0, 1.0, 0.0]


def test_a_class_may_be_merged_under_a_name_that_exists() -> None:
    """A model with two classes is scored against labels with three."""
    label, pred = ["yes", "maybe", "no"], ["yes", "no", "no"]
    found = scores("accuracy", label, pred, merge={"no": ["maybe"]})
    assert found.statistics.ravel().tolist() == [1.0, 1.0, 1.0]


def test_merging_can_give_classes_in_common() -> None:
    """Labels and predictions that share no name may share a merged one."""
    found = scores("accuracy", ["pos", "neg"], ["1", "0"], merge={"good": ["pos", "1"], "bad": ["neg", "0"]})
    assert found.statistics.ravel().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_mean_is_the_columns_mean_in_every_engine(make: Any) -> None:
    """Numbers as they are, integers beyond 2**53 to the nearest; true and false as 1 and 0."""
    values = np.random.default_rng(0).normal(5, 2, 50)
    large = 2**53 + np.arange(50)
    sample = Sample(make({"loss": values, "flag": values > 5, "large": large}))
    for column, expected in (("loss", values), ("flag", values > 5), ("large", large.astype(float))):
        found = score_rows(MetricSettings("mean", column=column), sample, label=None, model=None)
        assert found.known.all()
        assert found.metric.combine(found.statistics.mean(axis=0)) == pytest.approx(expected.mean(), rel=1e-13)


def test_metrics_say_what_they_lack() -> None:
    """Without a label, a prediction or a column there is nothing to score."""
    sample = Sample(pd.DataFrame({"label": ["a"], "pred": ["a"]}))
    with pytest.raises(ProjectError, match="Metric 'accuracy' needs labels"):
        score_rows(MetricSettings(), sample, label=None, model=MODEL)
    with pytest.raises(ProjectError, match=r"Model 'm' has no prediction column\. Metric 'error' needs one"):
        score_rows(MetricSettings("error"), sample, label="label", model=Model("m"))
    with pytest.raises(ProjectError, match="needs a column to average"):
        MetricSettings("mean")


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.is_mean or name == "rmse"])
def test_slope_is_the_derivative_of_combine(name: str) -> None:
    """Intervals rest on it."""
    metric, means, step = METRICS[name], np.array([0.6]), 1e-6
    difference = (metric.combine(means + step) - metric.combine(means - step)) / (2 * step)
    assert metric.slope(means) == pytest.approx([difference])


def weighted(seed: int, n: int) -> np.ndarray:
    """Draw weights that sum to 1."""
    weights = np.random.default_rng(seed).exponential(size=n)
    return weights / weights.sum()


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=6)
@given(seed=st.integers(0, 2**16))
def test_values_on_weighted_rows_equal_scikit_learn(name: str, seed: int) -> None:
    """Every metric, for two and four classes, of one class and averaged."""
    case = CASES[name]
    frame, weights = draw(seed, 80, case.n_classes), weighted(seed, 80)
    sample, _ = case.samples(frame, frame)
    found = score_rows(case.settings, sample, label=sample.label, model=sample.models[0])
    assert found.known.all()
    expected = case.expected(frame, weights)
    assert evaluate(found.metric, found.statistics, weights).value == pytest.approx(expected, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_slopes_are_the_derivatives_by_the_weights(name: str) -> None:
    """When a row gains weight at the expense of all; weighted, slopes average 0."""
    case = CASES[name]
    frame, weights = draw(3, 40, case.n_classes), weighted(4, 40)
    sample, _ = case.samples(frame, frame)
    found = score_rows(case.settings, sample, label=sample.label, model=sample.models[0])
    slopes = evaluate(found.metric, found.statistics, weights).slopes
    assert weights @ slopes == pytest.approx(0, abs=1e-12)

    def value(row: int, gained: float) -> float:
        moved = weights + gained * (np.arange(40) == row)
        return evaluate(found.metric, found.statistics, moved / moved.sum()).value

    for row in range(40):
        difference = (value(row, 1e-6) - value(row, -1e-6)) / 2e-6
        assert slopes[row] == pytest.approx(difference, abs=2e-7, rel=1e-6), row


def test_rows_that_lack_a_number_or_a_probability_are_not_known() -> None:
    """They count for nothing, whatever the metric."""
    case = CASES["log_loss, 4 classes"]
    frame = draw(5, 30, 4)
    frame.loc[3, "p_c2"] = np.nan
    frame.loc[4, "label"] = None
    frame.loc[5, "guess"] = np.nan
    sample, _ = case.samples(frame, frame)
    found = score_rows(case.settings, sample, label="label", model=sample.models[0])
    assert np.flatnonzero(~found.known).tolist() == [3, 4]
    assert not found.statistics[[3, 4]].any()
    numbers, _ = CASES["mae"].samples(frame, frame)
    found = score_rows(CASES["mae"].settings, numbers, label="y", model=numbers.models[0])
    assert np.flatnonzero(~found.known).tolist() == [5]


@pytest.mark.parametrize("name", ["log_loss", "brier", "auroc"])
def test_chance_given_to_classes_that_no_row_shows_is_not_shared_out(name: str) -> None:
    """The source shows three of a model's four classes; what it gives to the fourth is lost to the others."""
    case = CASES[f"{name}, 4 classes"]
    frame, weights = draw(6, 200, 4), weighted(7, 200)
    keep = ((frame["label"] != "c3") & (frame["pred"] != "c3")).to_numpy()
    frame, weights = frame[keep].reset_index(drop=True), weights[keep] / weights[keep].sum()
    sample, _ = case.samples(frame, frame)
    found = score_rows(case.settings, sample, label="label", model=sample.models[0])
    value = evaluate(found.metric, found.statistics, weights).value
    if name == "auroc":  # three classes can be ranked first, by the probabilities as they are
        areas = [CASES["auroc of c0, 4 classes"].expected(swapped(frame, c), weights) for c in ("c0", "c1", "c2")]
        assert value == pytest.approx(np.mean(areas), abs=1e-12)
    else:
        assert value == pytest.approx(case.expected(frame, weights), abs=1e-12)


def swapped(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Let a class change places with c0."""
    return frame.rename(columns={"p_c0": f"p_{name}", f"p_{name}": "p_c0"}).replace({"label": {"c0": name, name: "c0"}})


CLASS_CASES = {
    name: case
    for name, case in CASES.items()
    if case.n_classes == 4 and not case.numeric and case.settings.name != "quadratic_kappa"  # classes with an order
}


@pytest.mark.parametrize("name", CLASS_CASES)
def test_merging_equals_merging_the_columns_beforehand(name: str) -> None:
    """Labels and predictions get the new name; probabilities of merged classes add up."""
    case = CLASS_CASES[name]
    frame, weights = draw(8, 120, 4), weighted(9, 120)
    by_hand = frame.replace({column: {"c2": "x", "c3": "x"} for column in ("label", "pred")})
    by_hand["p_x"] = by_hand.pop("p_c2") + by_hand.pop("p_c3")
    values = []
    for rows, merge in ((frame, {"x": ("c2", "c3")}), (by_hand, {})):
        sample, _ = case.samples(rows, rows)
        how = replace(case.settings, merge=merge)
        found = score_rows(how, sample, label="label", model=sample.models[0])
        assert set(found.classes) == {"c0", "c1", "x"}
        values.append(evaluate(found.metric, found.statistics, weights).value)
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_bounds_follow_the_classes() -> None:
    """A Brier score over more than two classes goes up to 2, Matthews' correlation from -1."""
    assert get_metric("brier").fit(("a", "b")).bounds == (0.0, 1.0)
    assert get_metric("brier").fit(("a", "b", "c")).bounds == (0.0, 2.0)
    assert get_metric("mcc").fit(("a", "b")).bounds == (-1.0, 1.0)
    assert [METRICS[name].bounds for name in ("mae", "rmse", "log_loss")] == [(0.0, np.inf)] * 3


def fitted(name: str) -> Metric:
    """Fit a metric to two classes."""
    return get_metric(name).fit(("0", "1"))


def test_metrics_know_what_they_are() -> None:
    """Means average over parts of a sample, ratios and rankings do not."""
    assert [name for name in METRICS if fitted(name).ranked] == ["auroc"]
    means = {name for name in METRICS if fitted(name).is_mean}
    losses = {"log_loss", "brier", "mae", "mape", "pinball", "bias", "mean"}
    assert means == {"accuracy", "error", "top_k_accuracy"} | losses


def measured(frame: pd.DataFrame, label: str = "label", pred: str = "pred", chance: bool = False, **how: Any) -> float:
    """Score a frame and evaluate with equal weights."""
    probabilities = {c.removeprefix("p_"): c for c in frame.columns if c.startswith("p_")} if chance else {}
    sample = Sample(frame, name="rows.csv", label=label)
    found = score_rows(MetricSettings(**how), sample, label=label, model=Model("m", pred, probabilities))
    return evaluate(found.metric, found.statistics, np.full(len(frame), 1 / len(frame))).value


ROWS = pd.DataFrame({"label": ["yes", "no", "no"], "pred": ["yes", "no", "yes"]})
NEVER = ROWS.assign(pred="no")
ALONE = pd.DataFrame({"label": ["yes"] * 2, "pred": ["yes"] * 2, "p_yes": [0.9, 1.0], "p_no": [0.1, 0.0]})
MANY = pd.DataFrame({"label": [f"c{i}" for i in range(61)], "pred": [f"c{i}" for i in range(61)]})


@pytest.mark.parametrize(
    ("frame", "how", "message"),
    [
        (
            ROWS,
            {"name": "f1", "positive": "yess"},
            ("positive in [metric] is 'yess', an unknown class. Classes: no, yes. Did you mean 'yes'?"),
        ),
        (
            ROWS,
            {"name": "log_loss"},
            "Model 'm' has no class probabilities. Set probabilities in [[models]].",
        ),
        (
            ROWS,
            {"name": "mae"},
            (
                "Column 'label' of rows.csv contains text. Metric 'mae' needs numbers. "
                "For classes, choose a metric such as 'accuracy'."
            ),
        ),
        (
            ALONE,
            {"name": "auroc", "chance": True},
            "Metric 'auroc' needs at least two classes. Got yes. Choose another metric.",
        ),
        (
            ALONE.assign(pred=["yes", "no"], p_yes=[0.9, 0.2], p_no=[0.1, 0.8]),
            {"name": "auroc", "chance": True},
            "Every row with a weight has the label 'yes', so AUROC is undefined. Choose another class or metric.",
        ),
        (
            NEVER,
            {"name": "precision", "positive": "yes"},
            ("The model never predicts class 'yes', so its precision is undefined. Choose another class or metric."),
        ),
        (
            MANY,
            {"name": "f1"},
            (
                "Metric 'f1' supports at most 60 classes. Got 61. "
                "Set positive in [metric] to one class, or merge classes."
            ),
        ),
    ],
    ids=["positive", "no probabilities", "text", "one class", "one label", "never predicted", "61 classes"],
)
def test_what_a_metric_cannot_measure_is_said(frame: pd.DataFrame, how: dict[str, Any], message: str) -> None:
    """What is wrong, where, and what to do."""
    with pytest.raises(MandolineError) as caught:
        measured(frame, **how)
    assert isinstance(caught.value, (DataError, ProjectError))
    assert str(caught.value) == message


def test_one_of_very_many_classes_can_be_measured() -> None:
    """Only the average needs all pairs."""
    assert len(MANY) == MOST_CLASSES + 1
    assert measured(MANY, name="f1", positive="c7") == 1.0
    assert measured(MANY[:-1], name="f1") == 1.0


@pytest.mark.parametrize("positive", [1, 1.0, True, "1", "true"])
def test_the_positive_class_may_be_written_in_several_ways(positive: Any) -> None:
    """A project file says true, the data say 1."""
    frame = pd.DataFrame({"label": [1, 1, 0, 0, 1], "pred": [1, 0, 0, 1, 1]})
    assert measured(frame, name="recall", positive=positive) == pytest.approx(2 / 3)
