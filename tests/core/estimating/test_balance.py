"""What the weights do to slices, and to what nobody modelled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Category, Model, ModelReport, Sample, estimate, load_project
from mandoline_core.estimating.balance import column_balance, heaviest_patterns, slice_balance, used_columns
from tests.core.projects import REVIEWS


def draw(n_rows: int, share: float, seed: int) -> pd.DataFrame:
    """Draw rows whose place shifts and takes their age and colour along."""
    rng = np.random.default_rng(seed)
    there = rng.random(n_rows) < share
    return pd.DataFrame(
        {
            "place": np.where(there, "b", "a"),
            "age": np.where(there, 60.0, 30.0) + rng.normal(0, 5, n_rows),
            "colour": np.where(rng.random(n_rows) < 0.3 + 0.4 * there, "red", "blue"),
            "luck": rng.normal(0, 1, n_rows),
            "text": [f"row {i}" for i in range(n_rows)],
            "label": 1,
            "pred": rng.integers(0, 2, n_rows),
        }
    )


@pytest.fixture(scope="module")
def samples() -> tuple[Sample, Sample]:
    """Return a source and a target whose place shifts."""
    model = Model("m", "pred")
    target = draw(800, 0.7, 2).drop(columns="label")
    return Sample(draw(1000, 0.2, 1), label="label", models=[model]), Sample(target, models=[model])


@pytest.fixture(scope="module")
def report(samples: tuple[Sample, Sample]) -> ModelReport:
    """Estimate with the place as the only slice."""
    return estimate(*samples, [Category("b", column="place", values=("b",))]).first


def test_modelled_slices_match_by_construction(report: ModelReport) -> None:
    (line,) = slice_balance(report)
    assert line.modelled
    assert abs(line.before) > 1
    assert line.after == pytest.approx(0, abs=1e-9)


def test_columns_that_go_with_a_slice_come_closer(report: ModelReport, samples: tuple[Sample, Sample]) -> None:
    lines = {line.name: line for line in column_balance(report, *samples)}
    age = lines["age"]
    assert abs(age.before) > 1
    assert abs(age.after) < 0.15
    assert not age.modelled


def test_column_means_are_weighted_means(report: ModelReport, samples: tuple[Sample, Sample]) -> None:
    source, target = samples
    (age,) = [line for line in column_balance(report, source, target) if line.name == "age"]
    values = source.series("age").to_numpy()
    assert age.source == pytest.approx(values.mean())
    assert age.weighted == pytest.approx(report.weights @ values)
    assert age.target == pytest.approx(target.series("age").to_numpy().mean())


def test_roles_slices_and_prose_are_left_out(report: ModelReport, samples: tuple[Sample, Sample]) -> None:
    names = [line.name.split(" = ")[0] for line in column_balance(report, *samples)]
    assert sorted(names) == ["age", "colour", "luck"]
    assert used_columns(report, samples[0]) == {"place", "label", "pred"}


def test_a_column_of_classes_shows_the_value_that_is_furthest_off(
    report: ModelReport, samples: tuple[Sample, Sample]
) -> None:
    (line,) = [line for line in column_balance(report, *samples) if line.name.startswith("colour")]
    assert line.name in ("colour = red", "colour = blue")
    assert 0 <= line.weighted <= 1


def test_what_remains_most_comes_first(report: ModelReport, samples: tuple[Sample, Sample]) -> None:
    after = [abs(line.after) for line in column_balance(report, *samples)]
    assert after == sorted(after, reverse=True)


def test_missing_values_are_a_value_of_their_own() -> None:
    frame = draw(400, 0.2, 3).drop(columns=["age", "luck", "text", "colour"])
    colour = pd.Series(["red", "blue"] * 200)
    source = Sample(frame.assign(colour=colour), label="label", prediction="pred")
    target = Sample(frame.assign(colour=colour.mask(np.arange(400) < 100)))
    found = estimate(source, target, [Category("b", column="place", values=("b",))]).first
    (line,) = column_balance(found, source, target)
    assert line.name == "colour = (missing)"
    assert line.source == 0
    assert line.target == pytest.approx(0.25)


def test_a_constant_column_is_not_off() -> None:
    source, target = draw(300, 0.2, 4).assign(age=1), draw(300, 0.6, 5).assign(age=1)
    kept = ["place", "age", "label", "pred"]
    samples = Sample(source[kept], label="label", prediction="pred"), Sample(target[kept[:-2]])
    (line,) = column_balance(estimate(*samples, [Category("b", column="place", values=("b",))]).first, *samples)
    assert (line.before, line.after) == (0, 0)


def test_rows_without_a_score_do_not_enter() -> None:
    frame = draw(300, 0.3, 6)
    frame["pred"] = frame["pred"].astype("Int64").mask(np.arange(300) < 50)
    frame["age"] = frame["age"].mask(np.arange(300) >= 50, 1.0)
    source, target = Sample(frame, label="label", prediction="pred"), Sample(draw(300, 0.6, 7))
    found = estimate(source, target, [Category("b", column="place", values=("b",))]).first
    (age,) = [line for line in column_balance(found, source, target) if line.name == "age"]
    assert age.source == pytest.approx(1.0)


def test_heaviest_patterns_are_in_order_and_add_up() -> None:
    report = estimate(load_project(REVIEWS)).first
    everything = heaviest_patterns(report, most=10_000)
    ratios = [pattern.ratio for pattern in everything]
    assert ratios == sorted(ratios, reverse=True)
    assert sum(pattern.weight for pattern in everything) == pytest.approx(1)
    assert ratios[0] == pytest.approx(report.largest_ratio)
    assert set(everything[0].inside) >= {"negation", "short", "slang"}
