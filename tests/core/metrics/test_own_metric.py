"""A metric of your own: exact where it is a mean over rows, else by redraws of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import mean_absolute_error, roc_auc_score

import mandoline_core as md
from mandoline_core.metrics import OwnMetric, score_rows
from tests.core.metric_rows import SLICES, draw
from tests.core.projects import REVIEWS

SOURCE = draw(1, 900, 3, (0.2, 0.3))
SOURCE.loc[5, ["label", "y"]] = [None, np.nan]
TARGET = draw(2, 800, 3, (0.6, 0.5)).drop(columns=["label", "y"])
N_FIRST = int((SOURCE["label"] == "c0").sum())
CHANCES = {name: f"p_{name}" for name in ("c0", "c1", "c2")}
CLASSES, NUMBERS = md.Model("m", "pred", CHANCES), md.Model("m", "guess")


def right(label: np.ndarray, prediction: np.ndarray) -> np.ndarray:
    """Tell whether a prediction is right."""
    return (label == prediction).astype(float)


def apart(label: np.ndarray, prediction: np.ndarray, power: float = 1.0) -> np.ndarray:
    """Tell how far a prediction is off; what has a default is not asked for."""
    return np.abs(prediction - label) ** power


def brier(label: np.ndarray, prediction: np.ndarray, probabilities: pd.DataFrame, weight: np.ndarray) -> np.ndarray:
    """Compare probabilities with what happened."""
    assert len(label) == len(prediction) == len(weight)
    assert list(probabilities.columns) == list(CHANCES)
    happened = pd.get_dummies(pd.Series(label))[list(CHANCES)].to_numpy()
    return ((probabilities.to_numpy() - happened) ** 2).sum(axis=1)


OWN = [
    ("accuracy", md.Metric.of(right, bounds=(0, 1), unit="percent"), "label", CLASSES),
    ("mae", md.Metric.of(apart, bounds=(0, np.inf), better="lower"), "y", NUMBERS),
    ("brier", md.Metric.of(brier, bounds=(0, 2), better="lower"), "label", CLASSES),
]


def estimate(
    metric: Any, label: str, model: md.Model, take: Callable[[pd.DataFrame], Any] = lambda frame: frame
) -> md.Report:
    """Estimate a metric on drawn rows, of any engine."""
    old, new = md.Sample(take(SOURCE), label=label, models=[model]), md.Sample(take(TARGET), models=[model])
    return md.estimate(old, new, SLICES, metric=metric)


@pytest.mark.parametrize(("name", "own", "label", "model"), OWN, ids=[case[0] for case in OWN])
@pytest.mark.parametrize("take", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_a_mean_over_rows_equals_the_ready_made_metric(
    name: str, own: md.Metric, label: str, model: md.Model, take: Callable[[pd.DataFrame], Any]
) -> None:
    """Number, interval, slices and what else belongs to a report."""
    found, expected = (estimate(metric, label, model, take) for metric in (own, name))
    for one, other in ((found, expected), (found.ablation(), expected.ablation()), (found.slices(), expected.slices())):
        numbers = [each.to_frame().select_dtypes("number").to_numpy() for each in (one, other)]
        np.testing.assert_allclose(*numbers, atol=1e-9)
    assert found.first.n_source == 899
    assert f"estimated {own.name} on new data" in str(found)
    assert found.first.metric == own.name


def test_a_function_of_rows_in_a_table_is_called_part_by_part() -> None:
    tables = [pl.from_pandas(frame).lazy() for frame in (SOURCE, TARGET)]
    old, new = md.Sample(tables[0], label="y", models=[NUMBERS]), md.Sample(tables[1], models=[NUMBERS])
    found = md.estimate(old, new, SLICES, metric=md.Metric.of(apart, bounds=(0, np.inf)))
    assert found.estimate == pytest.approx(estimate("mae", "y", NUMBERS).estimate, abs=1e-9)


def total(label: np.ndarray, prediction: np.ndarray, probabilities: Any, weight: np.ndarray) -> float:
    """Average how far predictions are off."""
    return float(np.average(np.abs(prediction - label), weights=weight))


def root(label: np.ndarray, prediction: np.ndarray, probabilities: Any, weight: np.ndarray) -> float:
    """Take the root of the mean square, which is no mean."""
    return float(np.sqrt(np.average((prediction - label) ** 2, weights=weight)))


@pytest.mark.parametrize("function", [total, mean_absolute_error], ids=["own", "scikit-learn's"])
def test_one_number_that_is_a_weighted_mean_is_found_out(function: Callable[..., float]) -> None:
    """Number and interval are those of scores by row; so is all that needs them."""
    found, expected = (
        estimate(md.Metric.of(one, name="x", bounds=(0, np.inf)), "y", NUMBERS) for one in (function, apart)
    )
    assert (found.estimate, *found.interval) == pytest.approx((expected.estimate, *expected.interval), abs=1e-9)
    assert found.first.problem.metric.is_mean


def test_any_other_number_is_estimated_with_weights_and_redraws() -> None:
    """RMSE as a function equals the ready-made one; 200 redraws know its error to 5%, four times that is allowed."""
    found, expected = (
        estimate(metric, "y", NUMBERS) for metric in (md.Metric.of(root, bounds=(0, np.inf), better="lower"), "rmse")
    )
    assert (found.estimate, found.source) == pytest.approx((expected.estimate, expected.source), abs=1e-9)
    assert found.first.standard_error == pytest.approx(expected.first.standard_error, rel=0.2)
    assert found.first.n_source == 899
    assert found.ablation().to_frame()["estimate"].notna().all()
    with pytest.raises(md.MandolineError, match="'root' is one number for all rows"):
        md.estimate(
            md.Sample(SOURCE, label="y", models=[NUMBERS]),
            md.Sample(TARGET, models=[NUMBERS]),
            SLICES,
            metric=md.Metric.of(root),
            estimator="cbiw_features",
        )


def test_one_number_of_classes_and_probabilities() -> None:
    """Label, prediction and probabilities are those of the rows that count; no redraw sees a row without weight."""

    def area(label: np.ndarray, _: np.ndarray, probabilities: pd.DataFrame, weight: np.ndarray) -> float:
        assert (weight > 0).all()
        return float(roc_auc_score(label == "c0", probabilities["c0"], sample_weight=weight))

    found = estimate(md.Metric.of(area, bounds=(0, 1), unit="percent"), "label", CLASSES)
    expected = estimate(md.MetricSettings("auroc", positive="c0"), "label", CLASSES)
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-9)
    assert found.first.standard_error == pytest.approx(expected.first.standard_error, rel=0.2)


def test_one_number_needs_all_rows() -> None:
    """A part of the rows, as a table is read in, does not do."""
    part, own = md.Sample(SOURCE[:100], label="y", models=[NUMBERS]), OwnMetric.hold(md.Metric.of(root))
    with pytest.raises(md.ProjectError, match="returns one number, so all rows must be in memory"):
        score_rows(own, part, label="y", model=NUMBERS, whole=False)


def test_a_project_takes_it_in_the_place_of_its_own() -> None:
    project = md.load_project(REVIEWS)
    found = md.estimate(project, metric=md.Metric.of(right, bounds=(0, 1), unit="percent"))
    assert found.estimate == pytest.approx(md.estimate(project).estimate, abs=1e-12)


def test_methods_for_classifiers_do_not_take_it() -> None:
    found = estimate(md.Metric.of(right), "label", CLASSES)
    assert np.isfinite(found.compare().to_frame().set_index("method").loc["mandoline", "estimate"])
    with pytest.raises(md.MandolineError, match="Metric 'right' is not"):
        md.estimate(
            md.Sample(SOURCE, label="label", models=[CLASSES]),
            md.Sample(TARGET, models=[CLASSES]),
            SLICES,
            metric=md.Metric.of(right),
            estimator="cbpe",
        )


def test_a_project_file_cannot_hold_it() -> None:
    """Python keeps a function, a file does not; with a column of scores it could."""
    project = replace(md.load_project(REVIEWS), metric=OwnMetric.hold(md.Metric.of(right)))
    with pytest.raises(md.ProjectError) as caught:
        md.dump_project(project)
    assert str(caught.value) == (
        "Metric 'right' is a Python function, which a project file cannot hold. Add a column with its scores and use "
        "the metric 'mean'."
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: md.Metric.of(lambda y, p: y),
            "Metric.of needs a name for this function: Metric.of(function, name=...).",
        ),
        (lambda: md.Metric.of("mae"), "Metric.of needs a function. Got str."),
        (lambda: md.Metric.of(right, bounds=(1, 0)), "bounds must be two numbers, the lower one first. Got (1, 0)."),
        (
            lambda: md.Metric.of(right, better="more"),
            (
                'unit must be "number" or "percent", and better "higher", "lower" or "near 0". '
                "Got 'number' and 'more'."
            ),
        ),
        (lambda: md.METRICS["mae"], "metric must be a name, MetricSettings or Metric.of(function). Try 'mae'."),
        (
            lambda: md.Metric.of(lambda y, p: np.mean(y == p), name="x"),
            (
                "The function of metric 'x' returns one number for all rows, but takes no weight. Return a score for "
                "each row, or take label, prediction, probabilities and weight."
            ),
        ),
        (
            lambda: md.Metric.of(lambda y, p: np.zeros(3), name="x"),
            "The function of metric 'x' must return one score for each of 899 rows. Got shape (3,).",
        ),
        (
            lambda: md.Metric.of(lambda y, p: np.where(y == "c0", np.nan, 1.0), name="x"),
            f"Metric 'x' is missing or infinite in {N_FIRST} of 899 rows of sample. Return finite scores.",
        ),
        (
            lambda: md.Metric.of(lambda y: y, name="x"),
            "The function of metric 'x' must take label, prediction, probabilities, weight, or the first of them.",
        ),
    ],
)
def test_what_cannot_be_a_metric_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(md.MandolineError) as caught:
        estimate(make(), "label", CLASSES)
    assert str(caught.value) == message
