"""The tail index: right on known tails, the same for counted rows as for single ones, silent where there is none."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.checks.tail import FEWEST_VALUES, USABLE, pareto_k, tail_of
from mandoline_core.formatting import show_times

N = 20_000


def pareto(k: float, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw from a generalised Pareto distribution, whose every tail has the same index."""
    return (rng.random(n) ** -k - 1) / k


def by_rows(rows: np.ndarray) -> float:
    """Fit the tail one row at a time, as the method is written down."""
    rows = sorted(rows)
    n = len(rows)
    length = math.ceil(min(0.2 * n, 3 * math.sqrt(n)))
    cutoff = rows[n - length - 1]
    x = [row - cutoff for row in rows if row > cutoff]
    m = 30 + math.floor(math.sqrt(len(x)))
    quartile = x[math.floor(len(x) / 4 + 0.5) - 1]
    grid = [1 / x[-1] + (1 - math.sqrt(m / (j - 0.5))) / (3 * quartile) for j in range(1, m + 1)]

    def index(b: float) -> float:
        return sum(math.log1p(-b * value) for value in x) / len(x)

    profile = [len(x) * (math.log(-b / index(b)) - index(b) - 1) for b in grid]
    weights = [1 / sum(math.exp(min(other - own, 700)) for other in profile) for own in profile]
    k = index(sum(b * weight for b, weight in zip(grid, weights, strict=True)))
    return (len(x) * k + 10 * 0.5) / (len(x) + 10)


def grid_report(n_slices: int = 9, n: int = 4000, **settings) -> md.ModelReport:
    """Estimate with so many slices that almost every heavy row has a ratio of its own."""
    rng = np.random.default_rng(4)
    rates = np.linspace(0.3, 0.5, n_slices), np.linspace(0.55, 0.75, n_slices)
    source, target = (np.where(rng.random((n, n_slices)) < rate, 1, -1) for rate in rates)
    return md.estimate_from_codes(source, (rng.random(n) < 0.7).astype(float), target, **settings).first


@pytest.mark.parametrize("k", [0.2, 0.5, 0.8, 1.2])
def test_the_index_of_a_pareto_sample_is_found(k):
    """Within four of the standard errors (1 + k) / sqrt(tail) that the estimate has in large samples."""
    length = math.ceil(3 * math.sqrt(N))
    found = pareto_k(pareto(k, N, np.random.default_rng(round(10 * k))), np.ones(N))
    drawn_in = (length * k + 10 * 0.5) / (length + 10)
    assert found == pytest.approx(drawn_in, abs=4 * (1 + k) / math.sqrt(length))


@given(seed=st.integers(0, 2**16), n_values=st.integers(100, 200), k=st.sampled_from([-0.3, 0.3, 0.7, 1.2]))
@settings(max_examples=40, deadline=None)
def test_counted_rows_are_the_rows_they_stand_for(seed, n_values, k):
    """Ratios with counts give what an explicit loop over all rows gives, ties included."""
    rng = np.random.default_rng(seed)
    ratios, counts = pareto(k, n_values, rng), rng.integers(0, 3, n_values).astype(float)
    rows = np.repeat(ratios, counts.astype(int))
    found = pareto_k(ratios, counts)
    assume(found is not None)
    # Ratios are told apart by 12 digits of the largest, here as there.
    assert found == pytest.approx(by_rows((rows / rows.max()).round(12)), abs=1e-9)
    shuffled = rng.permutation(rows)
    assert pareto_k(7 * shuffled, np.ones(len(rows))) == pytest.approx(found, abs=1e-9)


def test_many_tied_values_hardly_move_the_index():
    """Rounded to three digits, a tail has ties and still many values."""
    ratios = pareto(0.7, N, np.random.default_rng(1))
    rounded = np.array([float(f"{ratio:.2e}") for ratio in ratios])
    assert len(np.unique(rounded)) < N / 5
    assert pareto_k(rounded, np.ones(N)) == pytest.approx(pareto_k(ratios, np.ones(N)), abs=0.02)


@pytest.mark.parametrize("n_values", [1, 2, 8, FEWEST_VALUES])
def test_a_handful_of_values_has_no_index(n_values):
    """One of them lies outside the tail, so that twenty values are one too few."""
    ratios = np.geomspace(1, 50, n_values)
    assert pareto_k(ratios, np.full(n_values, 3.0)) is None
    assert pareto_k(ratios, np.concatenate([[500.0], np.ones(n_values - 1)])) is None
    more = np.geomspace(1, 50, FEWEST_VALUES + 1)
    assert pareto_k(more, np.concatenate([[500.0], np.ones(FEWEST_VALUES)])) is not None


def test_ratios_that_differ_by_rounding_are_one():
    """A thousand values that agree to fifteen digits are no tail, above one another or above the rest."""
    rng = np.random.default_rng(3)
    ratios = np.concatenate([np.ones(1000), np.full(60, 5.0)]) * (1 + 1e-15 * rng.standard_normal(1060))
    assert len(np.unique(ratios[1000:])) > 5
    assert pareto_k(ratios, np.ones(1060)) is None


def test_rows_tied_with_the_cut_off_are_not_beyond_it():
    """A flood of rows at one ratio that reaches into the tail leaves only what lies above."""
    ratios = np.concatenate([[1.0], 1 + pareto(0.6, 40, np.random.default_rng(2))])
    few, many = (pareto_k(ratios, np.concatenate([[n], np.ones(40)])) for n in (1000.0, 5000.0))
    assert few == many


def test_ratios_of_a_few_patterns_are_said_to_be_bounded():
    """Two slices make four ratios; the sentence names the largest."""
    report = grid_report(n_slices=2)
    tail = tail_of(report)
    assert tail.k is None
    assert tail.reason in tail.words
    assert f"more than {show_times(report.largest_ratio)}." in tail.words


@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
def test_the_tail_of_a_report_is_that_of_its_rows(split):
    """Patterns with their counts stand for the rows evaluated; rows that only serve to fit are left out."""
    report = grid_report(split=split)
    used = report.problem.members.groups == 1 if split == "half" else np.ones(report.n_source, dtype=bool)
    tail = tail_of(report)
    expected = by_rows(report.weights[used] * used.sum())
    if tail.k is None:  # ratios in steps, which another cut gives away
        assert f"instead of {expected:.2f}" in tail.reason
    else:
        assert tail.k == pytest.approx(expected, abs=1e-6)
    assert (tail.k is None) == (expected >= USABLE)


@pytest.mark.parametrize(
    ("k", "words"),
    [(0.2, "no heavy tail"), (0.6, "is usable"), (0.85, "probably too short"), (1.5, "it is unstable")],
)
def test_words_follow_the_index(k, words):
    """Four levels, from good to hopeless; weights by row serve as well as weights by pattern."""
    report = grid_report(n_slices=2, n=N)
    weights = ((np.arange(N) + 0.5) / N) ** -k
    outcome = replace(report.outcome, scored_weights=weights / weights.sum())
    tail = tail_of(replace(report, outcome=outcome))
    assert words in tail.words
    assert f"{tail.k:.2f}" in tail.words
