"""A scikit-learn model's answers as columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.svm import LinearSVC

import mandoline_core as md

RNG = np.random.default_rng(5)


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw a source and a shifted target; the index counts from 100."""
    source, target = (pd.DataFrame({"x": RNG.normal(mean, 1, 400)}, index=range(100, 500)) for mean in (0, 0.7))
    for frame in (source, target):
        frame["y"] = np.where(frame["x"] + RNG.normal(0, 1, 400) > 0, "yes", "no")
    return source, target


def test_answers_are_the_models_own() -> None:
    """Predictions, a probability a class in the model's order, and the rows' own index."""
    source, target = frames()
    fitted = LogisticRegression().fit(source[["x"]], source["y"])
    found = md.predict_columns(fitted, target[["x"]], name="lr")
    assert found.frame.index.equals(target.index)
    assert (found.frame["pred_lr"] == fitted.predict(target[["x"]])).all()
    assert np.array_equal(found.frame[["prob_lr_no", "prob_lr_yes"]], fitted.predict_proba(target[["x"]]))
    assert found.model == md.Model("lr", "pred_lr", {"no": "prob_lr_no", "yes": "prob_lr_yes"})


def test_models_without_probabilities_have_predictions_alone() -> None:
    source, _ = frames()
    svc = LinearSVC(dual="auto").fit(source[["x"]], source["y"])
    assert list(md.predict_columns(svc, source[["x"]]).frame) == ["pred_model"]
    line = LinearRegression().fit(source[["x"]].to_numpy(), source["x"])
    found = md.predict_columns(line, source[["x"]].to_numpy())
    assert found.model.probabilities == {}
    assert found.frame["pred_model"].to_numpy() == pytest.approx(source["x"].to_numpy())


def test_weights_serve_as_sample_weight() -> None:
    """Scikit-learn's weighted metrics on the source are our estimates on the target."""
    source, target = frames()
    fitted = LogisticRegression().fit(source[["x"]], source["y"])
    here, there = (md.predict_columns(fitted, frame[["x"]], name="lr") for frame in (source, target))
    old = md.Sample(source.join(here.frame), label="y", models=[here.model])
    new = md.Sample(target.drop(columns="y").join(there.frame))
    slices = [md.Threshold("high", column="x", above=0.5)]
    report = md.estimate(old, new, slices)
    weighted = accuracy_score(source["y"], here.frame["pred_lr"], sample_weight=report.weights)
    assert report.estimate == pytest.approx(weighted, abs=1e-12)
    f1 = md.estimate(old, new, slices, metric=md.MetricSettings("f1", positive="yes"))
    said = f1_score(source["y"], here.frame["pred_lr"], pos_label="yes", sample_weight=f1.weights)
    assert f1.estimate == pytest.approx(said, abs=1e-12)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(md.DataError, match=r"have a predict method, as in scikit-learn\. Got a str"):
        md.predict_columns("lr", [[1]])
    source, _ = frames()
    two = LinearRegression().fit(source[["x"]], source[["x", "x"]].to_numpy())
    with pytest.raises(md.DataError, match="2 predictions per row"):
        md.predict_columns(two, source[["x"]])
