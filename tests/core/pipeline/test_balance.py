"""What the weights do to slices, and to what nobody modelled."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mandoline_core import Category, Model, Sample, estimate, estimate_from_codes, load_project
from mandoline_core.checks import BalanceLine, ModelReport
from mandoline_core.pipeline.balance import FARTHEST, heaviest_patterns, slice_balance
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


def line_of(report: ModelReport, column: str) -> BalanceLine:
    """Find what the report says of one column."""
    (line,) = [line for line in report.evidence.columns or () if line.column == column]
    return line


def test_modelled_slices_match_by_construction(report: ModelReport) -> None:
    (line,) = slice_balance(report)
    assert abs(line.before) > 1
    assert line.after == pytest.approx(0, abs=1e-9)
    assert report.evidence.slices == (line,)


def test_columns_that_go_with_a_slice_come_closer(report: ModelReport) -> None:
    age = line_of(report, "age")
    assert abs(age.before) > 1
    assert abs(age.after) < 0.15


def test_column_means_are_weighted_means(report: ModelReport, samples: tuple[Sample, Sample]) -> None:
    source, target = samples
    age, values = line_of(report, "age"), source.series("age").to_numpy()
    assert age.source == pytest.approx(values.mean())
    assert age.weighted == pytest.approx(report.weights @ values)
    assert age.target == pytest.approx(target.series("age").to_numpy().mean())


def test_what_could_move_the_estimate_most_comes_first(report: ModelReport) -> None:
    times = [(line.stands_out, line.times) for line in report.evidence.columns or ()]
    assert len(times) > 2
    assert times == sorted(times, reverse=True)


def test_rows_without_a_score_do_not_enter() -> None:
    frame = draw(300, 0.3, 6)
    frame["pred"] = frame["pred"].astype("Int64").mask(np.arange(300) < 50)
    frame["age"] = frame["age"].mask(np.arange(300) < 50, 1e6)
    source, target = Sample(frame, label="label", prediction="pred"), Sample(draw(300, 0.6, 7))
    found = estimate(source, target, [Category("b", column="place", values=("b",))]).first
    assert line_of(found, "age").source == pytest.approx(frame["age"][50:].mean())


def test_heaviest_patterns_are_in_order_and_add_up() -> None:
    report = estimate(load_project(REVIEWS)).first
    everything = heaviest_patterns(report, most=10_000)
    ratios = [ratio for _, ratio, *_ in everything]
    assert ratios == sorted(ratios, reverse=True)
    assert sum(weight for *_, weight in everything) == pytest.approx(1)
    assert ratios[0] == pytest.approx(report.largest_ratio)
    assert set(everything[0][0].split(", ")) >= {"negation", "short", "slang"}


def test_a_slice_that_is_empty_here_and_full_there_is_as_far_off_as_can_be() -> None:
    """A ridge keeps such a slice; no row of a sample differs in it, so there is no standard deviation."""
    source, target = np.ones((40, 2), dtype=int), np.ones((30, 2), dtype=int)
    source[:, 0], source[::2, 1] = -1, -1
    found = estimate_from_codes(source, np.arange(40) % 2, target, names=["new", "both"], ridge=0.1).first
    new = slice_balance(found)[0]
    assert (new.source, new.weighted, new.target) == pytest.approx((0, 0, 1))
    assert (new.before, new.after) == (FARTHEST, FARTHEST)
