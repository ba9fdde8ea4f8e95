"""Metrics: scores per row, against plain pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core import Model, ProjectError, Sample
from mandoline_core.metrics import METRICS, Scores, get_metric, score_rows

MODEL = Model("m", "pred")
CLASSES = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=40
)


def scores(name: str, label: Any, pred: Any, **settings: Any) -> Scores:
    """Score a label column against a prediction column."""
    frame = pd.DataFrame({"label": label, "pred": pred})
    return score_rows(get_metric(name), Sample(frame, label="label"), label="label", model=MODEL, **settings)


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
    """Numbers as they are; true and false as 1 and 0."""
    values = np.random.default_rng(0).normal(5, 2, 50)
    sample = Sample(make({"loss": values, "flag": values > 5}))
    metric = get_metric("mean")
    for column, expected in (("loss", values), ("flag", values > 5)):
        found = score_rows(metric, sample, column=column)
        assert found.known.all()
        assert metric.combine(found.statistics.mean(axis=0)) == pytest.approx(expected.mean(), abs=1e-12)


def test_metrics_say_what_they_lack() -> None:
    """Without a label, a prediction or a column there is nothing to score."""
    sample = Sample(pd.DataFrame({"label": ["a"], "pred": ["a"]}))
    with pytest.raises(ProjectError, match="needs the column of true classes"):
        score_rows(get_metric("accuracy"), sample, model=MODEL)
    with pytest.raises(ProjectError, match="Model 'm' has no prediction column, which metric 'error' needs"):
        score_rows(get_metric("error"), sample, label="label", model=Model("m"))
    with pytest.raises(ProjectError, match="needs the column to average"):
        score_rows(get_metric("mean"), sample)


@pytest.mark.parametrize("name", METRICS)
def test_slope_is_the_derivative_of_combine(name: str) -> None:
    """Intervals rest on it."""
    metric, means, step = METRICS[name], np.array([0.6]), 1e-6
    difference = (metric.combine(means + step) - metric.combine(means - step)) / (2 * step)
    assert metric.slope(means) == pytest.approx([difference])
