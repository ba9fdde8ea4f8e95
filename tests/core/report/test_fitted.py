"""Fitted models to a report in one call: the numbers of frames joined by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import mandoline_core as md

RULES = ["late: hour >= 17", "x0 > 0.5"]


def rows(n: int, shift: float, seed: int) -> pd.DataFrame:
    """Draw rows whose class depends on x0, and less clearly so in late hours; the index counts down."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x0": rng.normal(shift, 1, n), "x1": rng.normal(size=n), "hour": rng.integers(0, 24, n)})
    noise = np.where(frame["hour"] >= 17, 2.0, 0.5)
    frame["late"] = np.where(frame["x0"] + noise * rng.normal(size=n) > 0, "yes", "no")
    return frame.set_axis(range(n, 0, -1))


TRAINING, SOURCE, TARGET = rows(300, 0.0, 1), rows(400, 0.0, 2), rows(350, 0.7, 3)
FEATURES = ["x0", "x1"]
FITTED = LogisticRegression().fit(TRAINING[FEATURES], TRAINING["late"])


def by_hand(model: Any = FITTED, name: str = "model") -> md.Report:
    """Join predictions and labels as the guide did before."""
    mine, theirs = (md.predict_columns(model, frame[FEATURES], name=name) for frame in (SOURCE, TARGET))
    source = md.Sample(SOURCE.join(mine.frame), label="late", models=[mine.model])
    return md.estimate(source, md.Sample(TARGET.drop(columns="late").join(theirs.frame)), RULES)


def numbers(report: md.Report) -> tuple[Any, ...]:
    """Return what must be equal."""
    return report.estimate, report.interval, report.source, report.weights.tolist()


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas])
def test_the_numbers_are_those_of_frames_joined_by_hand(engine):
    """Slices read a column that the model does not; labels as an array or as a column."""
    source, target = engine(SOURCE), engine(TARGET.drop(columns="late"))
    expected = numbers(by_hand())
    found = [
        md.estimate_model(FITTED, source, "late", target, RULES, features=FEATURES),
        md.estimate_model(FITTED, source, SOURCE["late"], target, RULES, features=FEATURES),
        md.estimate_model(FITTED, source, SOURCE["late"].tolist(), target, RULES),  # it knows its columns
    ]
    for report in found:
        assert numbers(report) == expected


def test_arrays_have_columns_by_number():
    """The model reads the array as it is; slices read x0, x1 and so on."""
    fitted = LogisticRegression().fit(TRAINING[FEATURES].to_numpy(), TRAINING["late"])
    arrays = [frame[FEATURES].to_numpy() for frame in (SOURCE, TARGET)]
    report = md.estimate_model(fitted, arrays[0], SOURCE["late"], arrays[1], ["x0 > 0.5"])
    frames = [frame[FEATURES] for frame in (SOURCE, TARGET)]
    assert numbers(report) == numbers(md.estimate_model(FITTED, frames[0], SOURCE["late"], frames[1], ["x0 > 0.5"]))


def test_several_models_are_reported_by_name():
    """Each with the numbers it has alone."""
    other = GaussianNB().fit(TRAINING[FEATURES], TRAINING["late"])
    both = md.estimate_model({"lr": FITTED, "nb": other}, SOURCE, "late", TARGET[[*FEATURES, "hour"]], RULES)
    assert list(both.models) == ["lr", "nb"]
    assert both.models["lr"].estimate == by_hand().estimate
    assert both.models["nb"].estimate == by_hand(other, "nb").estimate


def test_labels_of_the_new_data_show_the_truth():
    """Where the new data has the column of labels, too."""
    report = md.estimate_model(FITTED, SOURCE, "late", TARGET, RULES)
    assert report.models["model"].truth == pytest.approx((FITTED.predict(TARGET[FEATURES]) == TARGET["late"]).mean())


def test_a_regression_is_scored_by_its_mean_absolute_error():
    """Unless another metric is asked for."""
    line = LinearRegression().fit(TRAINING[["x0"]], TRAINING["x1"])
    report = md.estimate_model(line, SOURCE[["x0", "hour"]], SOURCE["x1"], TARGET[["x0", "hour"]], RULES)
    assert report.source == pytest.approx(np.abs(line.predict(SOURCE[["x0"]]) - SOURCE["x1"]).mean())
    squared = md.estimate_model(line, SOURCE[["x0", "hour"]], SOURCE["x1"], TARGET, RULES, metric="rmse")
    assert squared.source == pytest.approx(np.sqrt(((line.predict(SOURCE[["x0"]]) - SOURCE["x1"]) ** 2).mean()))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (({}, SOURCE, "late", TARGET, RULES), {}, "There is no model. Give a fitted model, or several by name."),
        (
            (FITTED, SOURCE, "late", TARGET, RULES),
            {"features": ["x0", "hours"]},
            "Column 'hours' is not in X_source. Columns: x0, x1, hour, late. Did you mean 'hour'?",
        ),
        (
            (FITTED, SOURCE, SOURCE["late"][:5], TARGET, RULES),
            {},
            "Column 'late (2)' has 5 values, and X_source has 400 rows. Give one value per row.",
        ),
        (
            (FITTED, SOURCE.assign(pred_model="no"), "late", TARGET, RULES),
            {},
            "X_source already has a column 'pred_model'. Rename it, or leave it out.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(arguments, options, message):
    """That names the argument."""
    with pytest.raises(md.DataError) as caught:
        md.estimate_model(*arguments, **options)
    assert str(caught.value) == message
