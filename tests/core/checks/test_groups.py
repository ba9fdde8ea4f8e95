"""The check of groups: rows alike though nobody said so, and copies of rows; ordinary features are neither."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Finding, Flag, ModelReport, Sample, estimate
from mandoline_core.checks.groups import likeness

GROUPS, SIZE = 150, 8


def sample(seed: int, correlation: float, users: str) -> pd.DataFrame:
    """Draw users with rows; a row's answer depends on the slice, on its user, and on an ordinary feature."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(GROUPS), SIZE)
    inside, age = rng.integers(0, 2, len(user)), rng.integers(20, 60, len(user))
    common = rng.standard_normal(GROUPS)[user] * np.sqrt(correlation)
    right = common + rng.standard_normal(len(user)) * np.sqrt(1 - correlation) < 0.4 + inside + (age - 40) / 40
    columns = {"who": [f"{users}{i}" for i in user], "inside": inside, "age": age, "x": rng.random(len(user))}
    return pd.DataFrame({**columns, "y": 1, "p": right.astype(int)})


def report_on(source: pd.DataFrame, target: pd.DataFrame, group: str | None = None) -> ModelReport:
    """Estimate accuracy with one slice."""
    labelled = Sample(source, label="y", prediction="p", group=group)
    return estimate(labelled, Sample(target.drop(columns="y"), group=group), [Flag("inside", column="inside")]).first


def found(report: ModelReport) -> list[Finding]:
    """Return what the check found."""
    return [finding for finding in report.findings if finding.check == "groups"]


def test_rows_alike_within_users_are_a_finding_with_the_factor_that_setting_the_group_gives() -> None:
    samples = sample(0, 0.7, "a"), sample(1, 0.7, "b")
    report = report_on(*samples)
    (finding,) = found(report)
    assert (finding.code, finding.severity) == ("rows_alike", "serious")
    assert finding.remedy == "Set group to 'who'."
    grouped = report_on(*samples, group="who")
    factor = grouped.standard_error / report.standard_error
    assert finding.numbers["times"] == pytest.approx(factor, rel=0.01)
    assert report.verdict is not None
    assert report.verdict.level == "red"
    assert not found(grouped)


def test_independent_rows_and_an_ordinary_feature_that_matters_are_no_finding() -> None:
    assert not found(report_on(sample(0, 0.0, "a"), sample(1, 0.0, "b")))


def test_a_user_in_both_samples_is_known_by_the_name_of_its_column() -> None:
    samples = [sample(seed, 0.4, "a").rename(columns={"who": "userId"}) for seed in (0, 1)]
    (finding,) = found(report_on(*samples))
    assert finding.numbers["column"] == "userId"


def test_copies_of_rows_are_a_finding() -> None:
    source, target = (sample(seed, 0.0, "a").drop(columns="who") for seed in (0, 1))
    copied = pd.concat([source, *[source.iloc[:300]] * 4], ignore_index=True)
    (finding,) = found(report_on(copied, target))
    assert (finding.code, finding.numbers["n"], finding.severity) == ("copied_rows", 1200, "serious")


def test_rows_that_are_the_same_by_chance_are_no_copies() -> None:
    source, target = (sample(seed, 0.0, "a").drop(columns=["who", "x"]) for seed in (0, 1))
    assert not found(report_on(source, target))


def test_likeness_alarms_as_often_as_it_says_where_rows_weigh_differently() -> None:
    rng, n, repetitions = np.random.default_rng(0), 1000, 400
    alarms = 0
    for _ in range(repetitions):
        groups = rng.integers(100, size=n)
        weight: Any = np.where(rng.random(100) < 0.2, 4.0, 1.0)[groups]
        moved = weight * ((rng.random(n) < 0.8) - 0.8)
        seen = likeness(moved, groups)
        alarms += seen is not None and seen.p < 0.05
    assert alarms / repetitions < 0.05 + 3 * np.sqrt(0.05 * 0.95 / repetitions)


def test_groups_in_which_one_row_carries_all_the_weight_are_not_alike() -> None:
    """Their rows have no products with each other, only rounding, which may be below zero."""
    groups, values = np.repeat(np.arange(60), 3), np.zeros(180)
    values[::3] = 10 ** np.random.default_rng(0).uniform(-3, 3, 60)
    found = likeness(values, groups)
    assert found is not None
    assert found.p == 1.0
