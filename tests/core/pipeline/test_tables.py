"""Estimates from tables are those from rows in memory, to the last digits, whatever engine counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.data import open_data
from mandoline_core.pipeline.table_count import bins_of
from tests.core.metric_rows import CASES, SLICES, draw
from tests.core.projects import DIGITS, REVIEWS, ROOT

ENGINES = ("polars", "duckdb")
SHARED = sorted((ROOT.parent / "shared" / "data").glob("*/*.toml"))
METRICS = ("f1, 4 classes", "mcc, 2 classes", "mae", "rmse", "bias", "mean", "log_loss, 4 classes", "brier, 2 classes")
METRICS += ("f_beta 2 of None, 4 classes", "top_k_accuracy, 4 classes", "mape", "pinball")


def numbers(report: md.ModelReport) -> np.ndarray:
    """List what must not differ."""
    return np.array([report.estimate, *report.interval, report.source, report.effective_sample_size, report.n_patterns])


def assert_same(found: md.Report, expected: md.Report) -> None:
    """Compare all models."""
    assert found.models.keys() == expected.models.keys()
    for name, model in expected.models.items():
        np.testing.assert_allclose(numbers(found.models[name]), numbers(model), rtol=0, atol=1e-12)
        assert found.models[name].verdict.level == model.verdict.level


def check_project(path: Path, engine: str) -> None:
    """Estimate in memory and by an engine; other slices, which are tried on a sample of a large table, are not."""
    project = md.load_project(path)
    project = replace(project, estimator=replace(project.estimator, spread=False))
    try:
        expected = md.estimate(project)
    except md.MandolineError as error:
        with pytest.raises(type(error)):
            md.estimate(replace(project, source_engine=engine, target_engine=engine))
        return
    assert_same(md.estimate(replace(project, source_engine=engine, target_engine=engine)), expected)


@pytest.mark.parametrize(("path", "engine"), [(REVIEWS, "polars"), (DIGITS, "duckdb")])
def test_a_project_is_estimated_alike(path: Path, engine: str) -> None:
    check_project(path, engine)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", [REVIEWS, DIGITS, *SHARED], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_project_is_estimated_alike(path: Path, engine: str) -> None:
    check_project(path, engine)


def samples(name: str, folder: Path, engine: str | None, **sizes: int) -> tuple[md.Sample, md.Sample]:
    """Draw a metric's rows: in memory, in tables, or the target alone in a table."""
    case = CASES[name]
    frames = draw(1, sizes.get("source", 800), case.n_classes), draw(2, 600, case.n_classes, (0.6, 0.2))
    source, target = case.samples(*frames)
    if engine is None:
        return source, target
    frames[0].to_parquet(folder / "source.parquet")
    frames[1].drop(columns=["label", "y"]).to_parquet(folder / "target.parquet")
    table = open_data(folder / "target.parquet", engine="duckdb" if engine == "mixed" else engine)
    given = frames[0] if engine == "mixed" else open_data(folder / "source.parquet", engine=engine)
    return md.Sample(given, label=source.label, models=source.models), md.Sample(table, models=target.models)


@pytest.mark.parametrize("engine", ["polars", "mixed"])  # the target of the latter is DuckDB's
@pytest.mark.parametrize("name", METRICS)
def test_every_family_of_metrics_is_estimated_alike(name: str, engine: str, tmp_path: Path) -> None:
    metric = CASES[name].settings
    expected = md.estimate(*samples(name, tmp_path, None), SLICES, metric=metric)
    assert_same(md.estimate(*samples(name, tmp_path, engine), SLICES, metric=metric), expected)


@pytest.mark.parametrize("name", ["auroc, 2 classes", "auroc, 4 classes"])
def test_ranks_are_off_by_no_more_than_scores_that_fall_together(name: str, tmp_path: Path) -> None:
    """Rounding keeps the order, so that only pairs which it makes equal count for another half, more or less."""
    metric = CASES[name].settings
    source, target = samples(name, tmp_path, None)
    expected = md.estimate(source, target, SLICES, metric=metric).models["m"]
    found = md.estimate(*samples(name, tmp_path, "polars"), SLICES, metric=metric).models["m"]
    labels = source.frame["label"].to_numpy()
    chances = source.models[0].probabilities
    steps = bins_of(1 if len(chances) == 2 else len(chances))
    moved = [_half_of_new_ties(source.frame[chances[c]].to_numpy(), labels == c, steps) for c in chances]
    assert abs(found.source - expected.source) <= np.mean(moved) + 1e-12
    assert "scores_binned" in {finding.code for finding in found.findings}


def test_a_report_says_that_no_groups_are_looked_for(tmp_path: Path) -> None:
    """And names a column to set; once it is set there is nothing to say, nor where rows are in memory."""
    frame = draw(1, 800, 2).assign(user_id=np.arange(800) // 4)
    frame.to_parquet(tmp_path / "rows.parquet")
    for engine, group, says in (("polars", None, True), ("polars", "user_id", False), ("pandas", None, False)):
        opened = open_data(tmp_path / "rows.parquet", engine=engine)
        source = md.Sample(opened, label="label", prediction="pred", group=group)
        report = md.estimate(source, md.Sample(opened, group=group), SLICES)
        found = [one for one in report.first.findings if one.code == "groups_not_searched"]
        assert [one.remedy for one in found] == [
            "If rows belong together, set group to their column, such as 'user_id'."
        ] * says


def _half_of_new_ties(scores: np.ndarray, inside: np.ndarray, steps: int) -> float:
    """Count the pairs, one of the class and one not, that are ties after rounding only."""
    after = np.round(scores * steps)
    new = (after[inside][:, None] == after[~inside]) & (scores[inside][:, None] != scores[~inside])
    return float(new.mean() / 2)


@pytest.mark.parametrize(
    "asked", [{"interval": "bootstrap", "replicates": 50}, {"split": "half"}, {"split": "crossfit"}]
)
def test_other_settings_agree_within_what_chance_allows(asked: dict[str, object], tmp_path: Path) -> None:
    """Draws of cells and of rows differ; both lie well within the interval."""
    name = "accuracy, 2 classes"
    metric = CASES[name].settings
    expected, found = (
        md.estimate(*samples(name, tmp_path, engine, source=3_000), SLICES, metric=metric, seed=1, **asked).models["m"]  # type: ignore[arg-type]
        for engine in (None, "polars")
    )
    width = expected.interval[1] - expected.interval[0]
    assert abs(found.estimate - expected.estimate) < width / 2
    assert found.interval[1] - found.interval[0] == pytest.approx(width, rel=0.35)


def said_and_true(seed: int, n: int, rate: float) -> pd.DataFrame:
    """Draw rows with a flag that errs now and then, the truth of some of them, and two models."""
    rng = np.random.default_rng(seed)
    true = rng.random(n) < rate
    label = rng.integers(0, 2, n)
    columns = {
        "said": np.where(rng.random(n) < 0.1, ~true, true).astype(int),
        "gold": np.where(rng.random(n) < 0.3, true * 1.0, np.nan),
        "label": label,
    }
    for name, skill in (("good", 0.9), ("poor", 0.7)):
        columns[name] = np.where(rng.random(n) < skill - 0.2 * true, label, 1 - label)
    return pd.DataFrame(columns)


@pytest.mark.parametrize("engine", ENGINES)
def test_measured_corrections_and_several_models_are_alike(engine: str, tmp_path: Path) -> None:
    source, target = said_and_true(1, 1_500, 0.3), said_and_true(2, 1_000, 0.6).drop(columns=["gold", "label"])
    source.to_parquet(tmp_path / "source.parquet")
    target.to_parquet(tmp_path / "target.parquet")
    models = [md.Model("good", "good"), md.Model("poor", "poor")]
    rule = md.Flag("said", column="said", gold="gold", noise=md.Noise(measured=True))
    expected, found = (
        md.estimate(md.Sample(one, label="label", models=models), md.Sample(other, models=models), [rule])
        for one, other in (
            (source, target),
            [open_data(tmp_path / f"{side}.parquet", engine=engine) for side in ("source", "target")],
        )
    )
    assert_same(found, expected)
