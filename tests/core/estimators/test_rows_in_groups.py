"""Rows that belong together: influence is summed by group, and whatever splits or redraws rows keeps groups whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mandoline_core import DataError, Report, Sample, Threshold, estimate
from mandoline_core.data import open_data
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import prepare

SLICES = [Threshold("big", column="n", above=0.5), Threshold("late", column="day", above=3)]


def rows_alike(seed: int, *, n_groups: int = 60, size: int = 8, correlation: float = 0.3) -> pd.DataFrame:
    """Draw rows whose answers are alike within users."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(n_groups), rng.integers(1, 2 * size, n_groups))
    common = rng.standard_normal(n_groups)[user] * np.sqrt(correlation)
    n, day = rng.random(len(user)), rng.integers(0, 7, len(user))
    right = common + np.sqrt(1 - correlation) * rng.standard_normal(len(user)) < 1.2 - n
    return pd.DataFrame({"user": [f"u{i}" for i in user], "n": n, "day": day, "y": 1, "p": right.astype(int)})


def report_on(source: Any, target: Any, group: str | None = "user", **options: Any) -> Report:
    """Estimate accuracy, rows belonging together in both samples."""
    labelled = Sample(source, label="y", prediction="p", group=group)
    return estimate(labelled, Sample(target, group=group), SLICES, **options)


SOURCE, TARGET = rows_alike(0), rows_alike(1).query("n > 0.3")


def cluster_robust(report: Report, source: pd.DataFrame, target: pd.DataFrame) -> float:
    """Sum influence by group and square it, in plain loops."""
    problem = report.first.problem
    by_source, by_target, *_ = report.first.outcome.influence.pieces(problem.members)
    variance = 0.0
    for moved, frame in ((by_source, source), (by_target, target)):
        totals: dict[str, float] = {}
        for value, user in zip(moved, frame["user"], strict=True):
            totals[user] = totals.get(user, 0.0) + float(value)
        n = len(totals)
        variance += n / (n - 1) * sum(total**2 for total in totals.values())
    return float(np.sqrt(variance))


@pytest.mark.parametrize("estimator", ["mandoline", "simple", "source", "denoised"])
@pytest.mark.parametrize("split", ["none", "crossfit"])
def test_the_standard_error_is_the_cluster_robust_sum(estimator: str, split: Any) -> None:
    report = report_on(SOURCE, TARGET, estimator=estimator, split=split)
    assert report.first.standard_error == pytest.approx(cluster_robust(report, SOURCE, TARGET), rel=1e-12)
    assert report.first.diagnostics.group_design_effect is not None
    assert report.first.diagnostics.group_design_effect > 1.5


def test_groups_leave_the_estimate_alone() -> None:
    assert report_on(SOURCE, TARGET).estimate == report_on(SOURCE, TARGET, group=None).estimate


def test_a_group_for_each_row_is_no_group_but_for_its_small_sample_factor() -> None:
    source, target = (frame.assign(user=np.arange(len(frame))) for frame in (SOURCE, TARGET))
    plain, grouped = report_on(source, target, group=None).first, report_on(source, target).first
    before, after = (one.outcome.influence.pieces(one.problem.members) for one in (plain, grouped))
    factors = [len(piece) / (len(piece) - 1) for piece in before]
    expected = sum(factor * piece @ piece for factor, piece in zip(factors, before, strict=True))
    assert grouped.standard_error**2 == pytest.approx(expected, rel=1e-12)
    assert all((first == second).all() for first, second in zip(before, after, strict=True))


def test_the_order_of_rows_does_not_matter() -> None:
    mixed = report_on(SOURCE.sample(frac=1, random_state=0), TARGET.sample(frac=1, random_state=1))
    assert mixed.interval == pytest.approx(report_on(SOURCE, TARGET).interval, rel=1e-9)


def test_all_engines_give_the_same_interval(tmp_path: Any) -> None:
    paths = [str(tmp_path / name) for name in ("source.parquet", "target.parquet")]
    for frame, path in zip((SOURCE, TARGET), paths, strict=True):
        frame.to_parquet(path)
    expected = report_on(SOURCE, TARGET)
    assert report_on(pl.read_parquet(paths[0]), pl.read_parquet(paths[1])).interval == pytest.approx(
        expected.interval, rel=1e-12
    )


@pytest.mark.parametrize("metric", ["accuracy", "recall"])
def test_rows_that_stay_in_a_table_are_counted_by_group(tmp_path: Any, metric: str) -> None:
    tables = []
    for name, frame in (("source", SOURCE.assign(y=lambda f: f["day"] % 2)), ("target", TARGET)):
        frame.to_parquet(path := tmp_path / f"{name}.parquet")
        tables.append((frame, open_data(path, engine="duckdb")))
    (source, source_table), (target, target_table) = tables
    expected, found = report_on(source, target, metric=metric), report_on(source_table, target_table, metric=metric)
    assert found.first.fit.in_table
    assert found.first.standard_error == pytest.approx(expected.first.standard_error, rel=1e-9)
    assert found.interval == pytest.approx(expected.interval, rel=1e-9)


def test_the_bootstrap_redraws_groups() -> None:
    report = report_on(SOURCE, TARGET, interval="bootstrap", replicates=400)
    low, high = report_on(SOURCE, TARGET).interval
    assert np.diff(report.interval)[0] == pytest.approx(high - low, rel=0.15)


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_a_split_keeps_groups_whole(split: Any) -> None:
    members = report_on(SOURCE, TARGET, split=split).first.problem.members
    halves = pd.Series(members.groups).groupby(SOURCE["user"].to_numpy()).nunique()
    assert (halves == 1).all()


def test_a_missing_group_is_a_group_of_its_own() -> None:
    source = SOURCE.assign(user=[None, None, *SOURCE["user"][2:]])
    alone = SOURCE.assign(user=["a lone row", "another", *SOURCE["user"][2:]])
    assert report_on(source, TARGET).interval == report_on(alone, TARGET).interval


def test_one_group_is_refused() -> None:
    with pytest.raises(DataError, match="'user' of sample \\(the group\\) is the same in all rows"):
        report_on(SOURCE.assign(user="me"), TARGET)


def test_few_groups_are_a_finding() -> None:
    few = SOURCE[SOURCE["user"].isin([f"u{i}" for i in range(8)])]
    found = {finding.code: finding.severity for finding in report_on(few, TARGET).first.findings}
    assert found["few_source_groups"] == "serious"
    assert found["rows_in_groups"] == "info"


def test_the_source_score_of_a_problem_goes_by_group_too() -> None:
    labelled = Sample(SOURCE, label="y", prediction="p", group="user")
    problem = prepare(labelled, Sample(TARGET), SLICES, model=labelled.models[0]).problem
    right = SOURCE["p"].to_numpy() == 1
    totals = pd.Series((right - right.mean()) / len(right)).groupby(SOURCE["user"].to_numpy()).sum().to_numpy()
    n = len(totals)
    expected = float(np.sqrt(n / (n - 1) * totals @ totals))
    assert get_estimator("source").estimate(problem).influence.standard_error() == pytest.approx(expected, rel=1e-12)
