"""Short scripts, from a fitted model to a report: at most ten lines each, run as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

import mandoline_core as md

REVIEWS = Path(__file__).resolve().parents[3] / "sample_data" / "reviews"
Names = dict[str, Any]


def split(data: Any, by: str, seed: int = 0) -> Names:
    """Draw training, labelled and new rows; the new ones more often with a large value of a column."""
    frame, rng = data.frame.rename(columns=lambda name: name.replace(" ", "_")), np.random.default_rng(seed)
    shuffled = frame.sample(frac=1, random_state=seed).reset_index(drop=True)
    training, rest = shuffled[: len(frame) // 2], shuffled[len(frame) // 2 :]
    likely = np.where(rest[by] > rest[by].median(), 0.7, 0.3)
    new = rng.random(len(rest)) < likely
    return {"training": training, "labelled": rest[~new], "new": rest[new].drop(columns="target"), "truth": rest[new]}


def tabular() -> Names:
    """Fit a classifier on numbers."""
    names = split(load_breast_cancer(as_frame=True), "mean_radius")
    features = list(names["new"])
    return names | {
        "model": LogisticRegression(max_iter=10_000).fit(names["training"][features], names["training"]["target"])
    }


def text() -> Names:
    """Fit a classifier on texts."""
    labelled, new = (pd.read_csv(REVIEWS / f"{side}.csv") for side in ("source", "target"))
    training, held_out = labelled[::2], labelled[1::2]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(training["text"], training["label"])
    return {"model": model, "labelled": held_out, "new": new}


def regression() -> Names:
    """Fit a line."""
    names = split(load_diabetes(as_frame=True), "bmi")
    return names | {
        "model": LinearRegression().fit(names["training"].drop(columns="target"), names["training"]["target"])
    }


def many_classes() -> Names:
    """Fit a classifier of three classes, on arrays."""
    names = split(load_wine(as_frame=True), "alcohol")
    arrays = {side: names[side].drop(columns="target", errors="ignore").to_numpy() for side in ("labelled", "new")}
    forest = RandomForestClassifier(random_state=0)
    model = forest.fit(names["training"].drop(columns="target").to_numpy(), names["training"]["target"])
    return {
        "model": model,
        "X": arrays["labelled"],
        "y": names["labelled"]["target"].to_numpy(),
        "X_new": arrays["new"],
    }


def few_labels() -> Names:
    """Fit a classifier, and label every fourth new row, in a table with the row's id and in another order."""
    names = tabular()
    ids = np.arange(len(names["new"]))
    answers = pd.DataFrame({"id": ids, "target": names["truth"]["target"]})[::4].sample(frac=1, random_state=1)
    return names | {"new": names["new"].assign(id=ids), "answers": answers}


SCRIPTS: dict[str, tuple[Callable[[], Names], str]] = {
    "tabular classifier": (
        tabular,
        """
import mandoline_core as md
slices = ["large: mean_radius > 14", "mean_texture > 19", lambda rows: rows["mean_area"] > 800]
report = md.estimate_model(model, labelled, "target", new, slices)
print(report)
""",
    ),
    "text classifier": (
        text,
        """
import mandoline_core as md
slices = ["negation: not, never", "short: words(text) < 30"]
report = md.estimate_model(model, labelled, "label", new, slices, features="text", metric="auroc")
print(report)
""",
    ),
    "regression": (
        regression,
        """
import mandoline_core as md
report = md.estimate_model(model, labelled, "target", new, ["heavy: bmi > 0.02", "bp > 0"])
print(report)
""",
    ),
    "many classes": (
        many_classes,
        """
import mandoline_core as md
options = {"classes": model.classes_}
source = md.Sample.from_arrays(X, y, proba=model.predict_proba(X), **options)
target = md.Sample.from_arrays(X_new, proba=model.predict_proba(X_new), **options)
report = md.estimate(source, target, ["strong: x0 > 13", "x10 > 1"])
print(report)
""",
    ),
    "own metric": (
        regression,
        """
import mandoline_core as md
from sklearn.metrics import r2_score
slices = ["heavy: bmi > 0.02", "bp > 0"]
report = md.estimate_model(model, labelled, "target", new, slices, metric=md.Metric.of(r2_score))
print(report)
""",
    ),
    "few labels": (
        few_labels,
        """
import mandoline_core as md
slices = ["large: mean_radius > 14", "mean_texture > 19"]
report = md.estimate_model(model, labelled, "target", new, slices, features=list(model.feature_names_in_))
print(report.use_labels(answers, key="id").to_frame())
""",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_short_script_makes_a_report(name, capsys):
    """In at most ten lines; its labelled score is the model's own."""
    make, script = SCRIPTS[name]
    assert len(script.strip().splitlines()) <= 10
    names = make()
    exec(compile(script, name, "exec"), names)  # noqa: S102 - our own text, above
    report: md.Report = names["report"]
    assert capsys.readouterr().out
    assert report.estimate is not None
    assert len(report.slices()) >= 2
    assert report.source == pytest.approx(OWN[name](names), abs=1e-12)


def right(names: Names) -> float:
    """Score a classifier on its labelled rows."""
    rows = names["labelled"]
    return float((names["model"].predict(rows.drop(columns="target")) == rows["target"]).mean())


def ranked(names: Names) -> float:
    """Compare every positive row with every negative one."""
    rows = names["labelled"]
    position = list(names["model"].classes_).index("positive")
    chances = names["model"].predict_proba(rows["text"])[:, position]
    above, below = chances[rows["label"] == "positive"][:, None], chances[rows["label"] != "positive"][None, :]
    return float(((above > below) + 0.5 * (above == below)).mean())


def off(names: Names) -> float:
    """Take the mean absolute error."""
    rows = names["labelled"]
    return float(np.abs(names["model"].predict(rows.drop(columns="target")) - rows["target"]).mean())


OWN: dict[str, Callable[[Names], float]] = {
    "tabular classifier": right,
    "text classifier": ranked,
    "regression": off,
    "many classes": lambda names: float((names["model"].predict(names["X"]) == names["y"]).mean()),
    "own metric": lambda names: names["model"].score(
        names["labelled"].drop(columns="target"), names["labelled"]["target"]
    ),
    "few labels": right,
}
