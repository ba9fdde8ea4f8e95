"""The check of groups: rows alike within users are never green, and independent rows seldom raise an alarm."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md

USERS, SIZE = 200, 10
WORLDS = 200


def sample(rng: np.random.Generator, correlation: float, share: float, users: str) -> pd.DataFrame:
    """Draw users with ten rows each, an ordinary feature that matters, and columns like ids that do not."""
    user = np.repeat(np.arange(USERS), SIZE)
    common, n = rng.standard_normal(USERS)[user] * np.sqrt(correlation), len(user)
    inside, age = rng.random(n) < share, rng.integers(18, 70, n)
    own = rng.standard_normal(n) * np.sqrt(1 - correlation)
    right = common + own < np.where(inside, 1.2, 0.5) + (age - 44) / 100
    columns = {
        "user_id": [f"{users}{i}" for i in user],
        "item": [f"item {i}" for i in rng.integers(0, 150, n)],
        "day": rng.integers(0, 60, n),
        "code": rng.integers(0, 5000, n),
        "age": age,
        "inside": inside.astype(int),
    }
    return pd.DataFrame({**columns, "y": 1, "p": right.astype(int)})


def light_and_alarm(rng: np.random.Generator, correlation: float) -> tuple[str, bool]:
    """Estimate without a group: the light, and whether the check of groups did not pass."""
    labelled = md.Sample(sample(rng, correlation, 0.4, "a"), label="y", prediction="p")
    new = md.Sample(sample(rng, correlation, 0.6, "b").drop(columns="y"))
    report = md.estimate(labelled, new, [md.Flag("inside", column="inside")]).first
    assert report.verdict is not None
    return report.verdict.level, any(
        finding.check == "groups" and finding.severity != "info" for finding in report.findings
    )


@pytest.mark.long
def test_rows_alike_within_users_are_never_green() -> None:
    rng = np.random.default_rng(0)
    lights = Counter(light_and_alarm(rng, 0.2)[0] for _ in range(WORLDS))
    assert not lights["green"], lights


@pytest.mark.long
def test_independent_rows_raise_an_alarm_in_at_most_one_world_of_twenty() -> None:
    rng = np.random.default_rng(1)
    alarms = sum(light_and_alarm(rng, 0.0)[1] for _ in range(WORLDS))
    assert alarms <= 0.05 * WORLDS, alarms
