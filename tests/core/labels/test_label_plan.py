"""The label plan: which rows, how many of each pattern, with which weights."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from mandoline_core import DataError, EstimatorSettings, MandolineError, Sample, read_plan, read_table
from mandoline_core.data import PLAN_COLUMNS
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.labels.few_labels import use_labels
from mandoline_core.labels.plan import (
    allocate,
    draw_rows,
    plan_labels,
    round_at_random,
    spreads,
)
from mandoline_core.labels.rows import has_label
from mandoline_core.patterns import describe
from tests.core.labelled_worlds import LabelWorld, judged
from tests.core.labels.test_few_labels import prepared_with


@given(
    st.lists(st.tuples(st.integers(0, 200), st.floats(0.05, 1.0)), min_size=1, max_size=30),
    st.floats(0.01, 1.0),
)
def test_allocation_adds_up_within_bounds_and_in_proportion(patterns: list[tuple[int, float]], part: float) -> None:
    """Sums to n; no more than there are; where neither limit holds, proportional to rows times spread."""
    counts, spread = (np.array(column, dtype=float) for column in zip(*patterns, strict=True))
    n = int(part * counts.sum())
    if n < 1:
        return
    found = allocate(counts, spread, n)
    assert found.sum() == pytest.approx(n)
    assert (found <= counts).all()
    assert (found[counts > 0] > 0).all()  # every row has a chance
    assert (found[counts * n >= counts.sum()] >= (counts > 0)[counts * n >= counts.sum()]).all()
    free = (found < counts - 1e-6) & (np.abs(found - 1) > 1e-6) & (counts > 0)
    rate = found[free] / (counts * spread)[free]
    assert rate == pytest.approx(np.full(free.sum(), rate.mean() if free.any() else 0.0), rel=1e-6)


def test_allocation_by_hand() -> None:
    """60 x 0.1, 30 x 0.4 and 10 x 0.2 are 6, 12 and 2 of 20; a small pattern is not asked for more than it has."""
    assert allocate(np.array([60.0, 30.0, 10.0]), np.array([0.1, 0.4, 0.2]), 20) == pytest.approx([6, 12, 2])
    assert allocate(np.array([90.0, 2.0]), np.array([0.1, 1.0]), 20) == pytest.approx([18, 2])


def test_rounding_is_right_on_average_and_keeps_the_total() -> None:
    """Each number is its floor or its ceiling."""
    rng = np.random.default_rng(0)
    expected = np.array([0.3, 2.5, 4.0, 1.2, 2.0])
    drawn = np.array([round_at_random(expected, rng) for _ in range(4000)])
    assert (drawn.sum(axis=1) == 10).all()
    assert ((drawn == np.floor(expected)) | (drawn == np.ceil(expected))).all()
    assert drawn.mean(axis=0) == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(4000))


def test_rows_are_drawn_evenly_within_a_pattern() -> None:
    """Of four rows two are drawn: each half of the time; rows that are not free never."""
    rng = np.random.default_rng(1)
    index = np.array([0, 1, 0, 1, 0, 0, 1])
    counts = np.zeros(7)
    for _ in range(2000):
        counts[draw_rows(np.array([0, 2, 3, 4, 5]), index, np.array([2, 1]), rng)] += 1
    assert counts[[1, 6]].tolist() == [0, 0]
    assert counts[3] == 2000
    assert counts[[0, 2, 4, 5]] == pytest.approx(1000, abs=4 * np.sqrt(500))


def test_patterns_never_seen_have_the_largest_spread() -> None:
    """Others their own, drawn a little towards the overall one."""
    rng = np.random.default_rng(2)
    problem, _ = LabelWorld().draw(800, 500, rng)
    outcome = get_estimator("mandoline").estimate(problem)
    gone = problem.patterns.source.argmin()
    members = problem.members
    left = members.source != gone
    cut = replace(
        problem,
        patterns=replace(problem.patterns, source=np.where(np.arange(8) == gone, 0, problem.patterns.source)),
        membership=members._replace(
            source=members.source[left], statistics=members.statistics[left], source_rows=members.source_rows[left]
        ),
    )
    found = spreads(cut, outcome)
    assert found[gone] == found.max()
    most = int(cut.patterns.source.argmax())
    own = members.statistics[members.source == most].std()
    assert found[most] == pytest.approx(own, rel=0.05)


def test_plan_proposes_n_rows_without_a_label() -> None:
    """Counts add up; weights undo the preference: they sum, on average, to the rows they stand for."""
    fit, target = prepared_with(60)
    plan = plan_labels(fit, EstimatorSettings(), 50, target)
    rows = [one.row for one in plan.rows]
    assert len(rows) == len(set(rows)) == sum(one.planned for one in plan.by_pattern) == 50
    assert not has_label(fit, target)[np.array(rows) - 1].any()
    assert sum(one.expected for one in plan.by_pattern) == pytest.approx(50)
    assert sum(one.n_target for one in plan.by_pattern) == 300
    assert all(one.weight == pytest.approx(1 / one.probability) for one in plan.rows)
    totals = [
        sum(one.weight for one in plan_labels(fit, EstimatorSettings(seed=seed), 50, target).rows) for seed in range(30)
    ]
    assert np.mean(totals) == pytest.approx(240, rel=0.02)
    words = dict(zip(range(300), np.array(pattern_words(fit))[fit.problem.members.target], strict=True))
    assert all(one.in_slices == words[one.row - 1] for one in plan.rows)
    json.dumps(plan.as_dict(), allow_nan=False)


def pattern_words(fit):
    """Describe the patterns of a problem."""
    return [describe(fit.problem.patterns.names, row) for row in fit.problem.patterns.codes]


def test_plan_follows_its_seed() -> None:
    """The same seed gives the same rows, another others."""
    fit, target = prepared_with(0)
    first, again, other = (plan_labels(fit, EstimatorSettings(seed=seed), 30, target) for seed in (1, 1, 2))
    assert first == again
    assert first.rows != other.rows


def test_csv_reads_back(tmp_path) -> None:
    """With the agreed columns; the weights come out as they went in, also as a plan for labels."""
    fit, target = prepared_with(0)
    plan = plan_labels(fit, EstimatorSettings(), 40, target)
    path = tmp_path / "plan.csv"
    path.write_text(plan.to_csv(), encoding="utf-8")
    table = Sample(read_table(path), name="plan.csv")
    assert table.columns[: len(PLAN_COLUMNS)] == PLAN_COLUMNS
    np.testing.assert_array_equal(read_plan(table, 300), plan.weights)
    assert [one.reason for one in plan.rows] == table.series("reason").to_list()


def test_files_that_are_no_plan_are_refused() -> None:
    """Rows beyond the target, twice the same row, text for numbers, other columns."""
    for rows, weights in (([301], [1.0]), ([0], [1.0]), ([2, 2], [1.0, 1.0]), ([1], [-1.0]), ([1.5], [1.0])):
        with pytest.raises(DataError, match="is not a plan for this new data"):
            read_plan(Sample(pd.DataFrame({"row": rows, "weight": weights})), 300)
    with pytest.raises(DataError, match="must contain numbers"):
        read_plan(Sample(pd.DataFrame({"row": ["a"], "weight": ["b"]})), 300)
    with pytest.raises(DataError, match="Column 'weight' is not in"):
        read_plan(Sample(pd.DataFrame({"row": [1]})), 300)


def test_plan_refuses_what_it_cannot_draw() -> None:
    """More rows than there are without a label; none; rankings."""
    fit, target = prepared_with(290)
    for n in (0, 11):
        with pytest.raises(MandolineError, match=rf"rows to label \(--rows\) must be between 1 and 10, .* Got {n}"):
            plan_labels(fit, EstimatorSettings(), n, target)
    assert len(plan_labels(fit, EstimatorSettings(), 10, target).rows) == 10
    fit, target = prepared_with(0, "auroc")
    with pytest.raises(MandolineError, match=r"metric made of means, .* Got 'auroc'"):
        plan_labels(fit, EstimatorSettings(), 10, target)


def test_expected_interval_narrows_with_labels_and_is_about_what_follows() -> None:
    """More labels, a shorter interval; with labels at hand, the interval before is the combined one."""
    fit, target = prepared_with(40)
    plans = [plan_labels(fit, EstimatorSettings(), n, target) for n in (40, 160)]
    now = use_labels(fit, EstimatorSettings(), target).combined.interval
    widths = [np.diff(plan.expected_interval_after)[0] for plan in plans]
    assert all(plan.expected_interval_before == now for plan in plans)
    assert np.diff(now)[0] > widths[0] > widths[1]
    assert plans[0].detectable > plans[1].detectable
    for plan in plans:
        assert np.diff(plan.expected_interval_at_random)[0] >= np.diff(plan.expected_interval_after)[0] - 1e-9


def drawn_by_plan(world: LabelWorld, n: int, repetitions: int, rng: np.random.Generator) -> np.ndarray:
    """Use labels that a plan drew, in many draws of a world: the columns of `Repeated`, and the estimate's bias."""
    found = []
    for _ in range(repetitions):
        problem, statistics = world.draw(1500, 1500, rng)
        spread = spreads(problem, get_estimator("mandoline").estimate(problem))
        index = problem.members.target
        counts = np.bincount(index, minlength=len(spread)).astype(float)
        expected = allocate(counts, spread, n)
        rows = draw_rows(np.arange(1500), index, round_at_random(expected, rng), rng)
        labelled = np.zeros(1500, dtype=bool)
        labelled[rows] = True
        found.append(judged(problem, statistics, labelled, world.truth(), (counts / expected)[index]))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("world", [LabelWorld(), LabelWorld("wrong"), LabelWorld(hidden=0.1)])
def test_planned_labels_cover_too(world: LabelWorld) -> None:
    """Weights undo the plan's preference, also where the source misleads the plan."""
    repetitions = 100
    for n in (20, 100):
        covered = drawn_by_plan(world, n, repetitions, np.random.default_rng(11))[:, 1]
        assert covered.sum() >= binom.ppf(0.001, repetitions, 0.93)
