"""Pattern tables: what counting keeps, and what selecting and splitting add up to."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandoline_core.errors import SliceError
from mandoline_core.patterns.patterns import Patterns, code_rates, count_patterns, restrict_source, total_statistics
from tests.strategies import random_case


@st.composite
def samples(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw codes of two samples, from a few to more slices than fit into one integer, and two statistics.

    Statistics are any numbers, or indicators of which at most one is 1.
    """
    n_slices = draw(st.sampled_from([1, 2, 5, 13, 14, 19, 20, 39, 40, 59, 60, 81]))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    library = rng.integers(-1, 2, (draw(st.integers(1, 8)), n_slices)).astype(np.int8)
    library[-1] = library[0]
    library[-1, -1] = 1  # patterns that differ in the last slice only
    n_source, n_target = draw(st.integers(1, 30)), draw(st.integers(1, 30))
    source, target = (library[rng.integers(0, len(library), n)] for n in (n_source, n_target))
    statistics = draw(st.sampled_from(["numbers", "indicators"]))
    if statistics == "numbers":
        return source, target, rng.standard_normal((n_source, 2))
    return source, target, np.eye(3)[rng.integers(0, 3, n_source), :2]


def products(table: Patterns) -> np.ndarray:
    """Return the sums of outer products, also where they are the sums on the diagonal and not kept."""
    if table.products is not None:
        return table.products
    return np.array([np.diag(row) for row in table.sums]).reshape(len(table), *[table.sums.shape[1]] * 2)


@given(samples())
def test_counts_equal_a_dictionary_of_rows(drawn):
    """Every distinct row is one pattern, with its rows and the sums of their statistics, for any number of slices."""
    source, target, statistics = drawn
    table, source_index, target_index, *_ = count_patterns(source, target, statistics)
    keys = [tuple(row) for row in table.codes]
    in_source, in_target = Counter(map(tuple, source)), Counter(map(tuple, target))
    assert set(keys) == set(in_source) | set(in_target)
    assert keys == sorted(set(keys))
    assert [in_source[key] for key in keys] == table.source.tolist()
    assert [in_target[key] for key in keys] == table.target.tolist()
    assert (table.codes[source_index] == source).all()
    assert (table.codes[target_index] == target).all()
    for i, key in enumerate(keys):
        mine = statistics[(source == key).all(axis=1)]
        np.testing.assert_allclose(table.sums[i], mine.sum(axis=0), atol=1e-12)
        np.testing.assert_allclose(products(table)[i], mine.T @ mine, atol=1e-12)


@given(samples(), st.data())
def test_selecting_slices_equals_counting_them_alone(drawn, data):
    """Dropping and reordering columns before or after counting makes the same table."""
    source, target, statistics = drawn
    chosen = data.draw(st.lists(st.integers(0, source.shape[1] - 1), min_size=1, max_size=4, unique=True))
    counted = count_patterns(source, target, statistics)
    after, index = counted.patterns.select(chosen)
    before = count_patterns(source[:, chosen], target[:, chosen], statistics).patterns
    assert after.names == tuple(f"slice {i}" for i in chosen)
    assert (after.codes[index] == counted.patterns.codes[:, chosen]).all()
    for name in ("codes", "source", "target", "sums"):
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), atol=1e-12, err_msg=name)
    np.testing.assert_allclose(products(after), products(before), atol=1e-12)


@settings(max_examples=20)
@given(samples(), st.integers(0, 100))
def test_groups_of_source_rows_add_up_to_the_whole(drawn, seed):
    """Recounting with some rows, and with the others, splits the table without loss."""
    source, target, statistics = drawn
    count = count_patterns(source, target, statistics)
    rows = np.random.default_rng(seed).random(len(source)) < 0.5
    groups = [restrict_source(count, statistics, chosen) for chosen in (rows, ~rows)]
    for name in ("source", "sums"):
        total = sum(getattr(group, name) for group in groups)
        np.testing.assert_allclose(total, getattr(count.patterns, name), atol=1e-12)
    np.testing.assert_allclose(sum(map(products, groups)), products(count.patterns), atol=1e-12)
    assert groups[0].n_source == rows.sum()
    assert (groups[0].target == count.patterns.target).all()


def test_setting_target_rows_aside_keeps_everything_else():
    """Patterns not kept have no target rows left; their source rows stay."""
    table = random_case(np.random.default_rng(0)).count.patterns
    keep = np.arange(len(table)) > 0
    trimmed = table.keep_target(keep)
    assert trimmed.target.tolist() == [0.0, *table.target[1:]]
    assert (trimmed.source == table.source).all()
    assert trimmed.n_target == table.n_target - table.target[0]


def test_rates_are_shares_of_rows():
    """Rates count rows, not patterns, in the order outside, abstained, inside."""
    codes = np.array([[1, 0], [1, -1], [-1, 1]], dtype=np.int8)
    expected = [[0.2, 0.0, 0.8], [0.5, 0.3, 0.2]]
    np.testing.assert_allclose(code_rates(codes, np.array([3.0, 5.0, 2.0])), expected, atol=1e-15)
    case = random_case(np.random.default_rng(1), abstain=0.2)
    for side, rows in (("source", case.source), ("target", case.target)):
        by_row = [[(column == code).mean() for code in (-1, 0, 1)] for column in rows.T]
        np.testing.assert_allclose(case.count.patterns.rates(side), by_row, atol=1e-15)


def test_statistics_of_patterns_without_rows_are_zero():
    """A pattern that only the target shows adds nothing."""
    sums, products = total_statistics(np.array([1, 1]), np.array([[2.0], [3.0]]), 3)
    assert sums.ravel().tolist() == [0.0, 5.0, 0.0]
    assert products.ravel().tolist() == [0.0, 13.0, 0.0]


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], False),
        ([[1.0], [0.0], [1.0]], False),
        ([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]], True),
        ([[0.5, 0.5], [0.0, 1.0], [0.0, 0.0]], True),
        ([[2.0, -1.0], [0.0, 1.0], [0.0, 0.0]], True),
        ([[-1.0], [0.0], [1.0]], True),
        ([[0.5], [0.0], [1.0]], True),
    ],
)
def test_products_are_kept_unless_they_are_the_sums(rows, kept):
    """Only where at most one statistic is 1, and the others 0, in every row."""
    statistics = np.array(rows)
    sums, found = total_statistics(np.array([0, 1, 1]), statistics, 2)
    assert (found is not None) == kept
    np.testing.assert_array_equal(sums, [statistics[0], statistics[1] + statistics[2]])
    table = replace(random_case(np.random.default_rng(0)).count.patterns, sums=sums, products=found)
    slope = np.random.default_rng(1).standard_normal(sums.shape)
    by_row = ((slope[[0, 1, 1]] * statistics).sum(axis=1)) ** 2
    np.testing.assert_allclose(table.squares(slope), [by_row[0], by_row[1:].sum()], rtol=1e-12)


def test_samples_with_different_numbers_of_slices_are_refused():
    """The message gives both numbers."""
    codes = np.ones((2, 3), dtype=np.int8)
    with pytest.raises(SliceError, match="The labelled data has 3 slices, the new data 2"):
        count_patterns(codes, codes[:, :2], np.ones((2, 1)))
