"""Metrics that read settings, and those beyond a plain mean: identities, refusals and every face."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

import mandoline_core as md
from mandoline_core.metrics.agreement import kappa
from mandoline_core.metrics.confusion import f_beta, ratio_of_one
from mandoline_core.metrics.means import top_k_rows
from mandoline_core.metrics.registry import get_metric
from mandoline_core.schemas import make_schema
from tests.core.metric_rows import SLICES, draw
from tests.core.projects import refused, run_json, write_project

SOURCE, TARGET = draw(1, 800, 3, (0.2, 0.3)), draw(2, 700, 3, (0.6, 0.5))


def estimate(metric: md.MetricSettings | str, source: pd.DataFrame = SOURCE, **roles: Any) -> md.Report:
    """Estimate a metric on drawn rows."""
    roles = {"label": "label", "prediction": "pred"} | roles
    label = roles.pop("label")
    return md.estimate(md.Sample(source, label=label, **roles), md.Sample(TARGET, **roles), SLICES, metric=metric)


def numeric(metric: md.MetricSettings | str, source: pd.DataFrame = SOURCE) -> md.Report:
    """Estimate a metric of numbers."""
    return estimate(metric, source, label="y", prediction="guess")


def test_f_beta_of_1_is_f1() -> None:
    one, other = estimate(md.MetricSettings("f_beta", beta=1)), estimate("f1")
    assert (one.estimate, *one.interval) == pytest.approx((other.estimate, *other.interval), abs=1e-12)


def test_a_large_beta_is_recall_and_a_small_one_precision() -> None:
    for beta, name in ((1e4, "recall"), (1e-4, "precision")):
        found = estimate(md.MetricSettings("f_beta", beta=beta, positive="c1")).estimate
        assert found == pytest.approx(estimate(md.MetricSettings(name, positive="c1")).estimate, abs=1e-6)


@given(st.floats(0.1, 10), st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
def test_f_beta_is_the_weighted_harmonic_mean(beta: float, table: list[float]) -> None:
    means = np.array(table) / sum(table)
    precision, recall = means[0] / (means[0] + means[1]), means[0] / (means[0] + means[2])
    expected = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    assert ratio_of_one(f_beta(beta), means, "yes")[0] == pytest.approx(expected)


def test_pinball_at_a_half_is_half_the_absolute_error() -> None:
    one, other = numeric("pinball"), numeric("mae")
    assert (one.estimate, *one.interval) == pytest.approx(np.array([other.estimate, *other.interval]) / 2, abs=1e-12)


def test_the_absolute_percentage_error_ignores_units_and_signs() -> None:
    base = numeric("mape")
    for factor in (1000.0, -1.0):
        scaled = SOURCE.assign(y=factor * SOURCE["y"], guess=factor * SOURCE["guess"])
        assert numeric("mape", scaled).estimate == pytest.approx(base.estimate, abs=1e-12)
    assert "%" in str(base)


def test_a_label_of_0_has_no_percentage() -> None:
    """scikit-learn would divide by a tiny number."""
    zero = SOURCE.assign(y=SOURCE["y"].where(SOURCE.index != 4, 0.0))
    with pytest.raises(md.DataError) as caught:
        numeric("mape", zero)
    assert str(caught.value) == (
        "Label 'y' of sample is 0 in 1 row, the first in row 5, so the mean absolute percentage error is undefined. "
        "Choose another metric such as 'mae', or remove these rows."
    )


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 6))
def test_top_k_is_scikit_learns_where_nothing_ties(seed: int, n_classes: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    chance, truth = rng.dirichlet(np.ones(n_classes), 40), rng.integers(0, n_classes, 40)
    found = top_k_rows(truth, chance, k).mean()
    if n_classes == 2:
        expected = sk.top_k_accuracy_score(truth, chance[:, 1], k=1, labels=[0, 1]) if k == 1 else 1.0
        # Of two classes scikit-learn compares with a half.
    else:
        expected = 1.0 if k >= n_classes else sk.top_k_accuracy_score(truth, chance, k=k, labels=range(n_classes))
    assert found == pytest.approx(expected, abs=1e-12)


def test_top_1_is_accuracy_of_the_most_probable_class() -> None:
    probable = SOURCE.assign(pred=SOURCE[["p_c0", "p_c1", "p_c2"]].idxmax(axis=1).str[2:])
    unique = probable[["p_c0", "p_c1", "p_c2"]].apply(lambda row: (row == row.max()).sum() == 1, axis=1)
    columns = {name: f"p_{name}" for name in ("c0", "c1", "c2")}
    one = estimate(md.MetricSettings("top_k_accuracy", k=1), probable[unique], probabilities=columns)
    other = estimate("accuracy", probable[unique], probabilities=columns)
    assert (one.estimate, *one.interval) == pytest.approx((other.estimate, *other.interval), abs=1e-12)
    assert "top-1 accuracy" in str(one)


@given(st.integers(0, 1000), st.sampled_from([(1, 2, 3), (0, 1), (1, 2, 5), (-1, 0, 3, 4)]))
def test_kappa_is_scikit_learns_with_every_grade_between(seed: int, grades: tuple[int, ...]) -> None:
    """Grades that no row has keep their places: 2 and 5 are three apart."""
    rng = np.random.default_rng(seed)
    truth, said = (rng.choice(grades, 30) for _ in range(2))
    if len({*truth, *said}) < 2:
        return
    weights = rng.random(30)
    names = tuple(map(str, grades))
    fitted = get_metric("quadratic_kappa").fit(names)
    assert fitted.statistics is not None
    codes = [np.array([grades.index(grade) for grade in side], dtype=np.int32) for side in (truth, said)]
    found = fitted.combine(weights / weights.sum() @ fitted.statistics(*codes, np.zeros((30, 0))))
    every = list(range(min(grades), max(grades) + 1))
    expected = sk.cohen_kappa_score(truth, said, labels=every, weights="quadratic", sample_weight=weights)
    assert found == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(-2, 2), min_size=2, max_size=8), st.integers(0, 99))
def test_slopes_of_kappa_are_differences(values: list[float], seed: int) -> None:
    y = np.array(values)
    p = y + np.random.default_rng(seed).normal(0, 1, len(y))
    means = np.array([y.mean(), p.mean(), (y * y).mean(), (p * p).mean(), (y * p).mean()])
    slopes = kappa(means)[1]
    for i, slope in enumerate(slopes):
        step = 1e-6 * np.eye(5)[i]
        assert slope == pytest.approx((kappa(means + step)[0] - kappa(means - step)[0]) / 2e-6, rel=1e-3, abs=1e-4)


def test_kappa_needs_grades() -> None:
    with pytest.raises(md.DataError, match=r"needs classes with an order: numbers such as 1, 2, 3\. Got c0, c1, c2\."):
        estimate("quadratic_kappa")
    same = SOURCE.assign(label=3, pred=3)
    with pytest.raises(md.DataError, match="All labels and predictions are the same class"):
        estimate("quadratic_kappa", same)


SETTINGS = [("f_beta", "beta", 0.5, "F0.5 score"), ("top_k_accuracy", "k", 1, "top-1 accuracy")]
SETTINGS += [("pinball", "quantile", 0.9, "pinball loss at 0.9")]


@pytest.mark.parametrize(("name", "setting", "value", "said"), SETTINGS)
def test_a_project_file_and_the_command_line_read_the_setting(
    name: str, setting: str, value: float, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    role = {"pinball": ("y", "guess")}.get(name, ("label", "pred"))
    model: dict[str, Any] = {"name": "m", "prediction": role[1]}
    if name == "top_k_accuracy":
        model["probabilities"] = {c: f"p_{c}" for c in ("c0", "c1", "c2")}
    changes: dict[str, Any] = {
        "target": {"path": "target.csv"},
        "task": {"label": role[0]},
        "models": [model],
        "metric": {"name": name, setting: value},
        "slices": [{"name": "a", "kind": "flag", "column": "a"}, {"name": "b", "kind": "flag", "column": "b"}],
    }
    frames = {"source": SOURCE, "target": TARGET.drop(columns=["label", "y"])}
    path = write_project(tmp_path, changes, **frames)
    project = md.load_project(path)
    report = md.estimate(project)
    assert said in str(report)
    assert run_json(capsys, "estimate", path)["estimate"] == report.estimate
    assert md.parse_project(tomllib.loads(md.dump_project(project)), tmp_path).metric == project.metric
    other = md.estimate(project, metric=md.MetricSettings(name))
    assert other.estimate != report.estimate
    changes["metric"][setting] = 0
    assert f"{setting} must be" in refused(capsys, write_project(tmp_path, changes, **frames))
    assert setting in make_schema("project")["$defs"]["MetricSettings"]["properties"]
