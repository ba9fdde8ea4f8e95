"""Candidates say what their rules say, relevance is what slow arithmetic gives, and refined counts are counts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import mandoline_core as md
from mandoline_core.checks import CellWeights
from mandoline_core.discovery.phrases import phrases_of
from mandoline_core.discovery.pool import inside_shares, make_pools
from mandoline_core.discovery.ranking import join_rules, rank
from mandoline_core.discovery.relevance import relevance
from mandoline_core.discovery.search_state import start_search
from mandoline_core.patterns import count_patterns, refine_count
from mandoline_core.pipeline import state
from mandoline_core.slices import codes, slice_codes
from tests.core.discovery.shifted import samples

SOURCE, TARGET, _ = samples(400)
REGION = md.Category("south", column="region", values=("south",))


def test_every_candidate_says_of_the_drawn_rows_what_its_rule_says() -> None:
    """Words and phrases are counted from tokens; their slices run regular expressions."""
    request = state("suggest", SOURCE, TARGET, [REGION])
    (pool,) = make_pools([one for one, _ in request.each_model(None)], [REGION])
    assert len(pool.rule_of) > 20
    single = [
        (column, pool.rules[place]) for column, place in enumerate(pool.rule_of) if not pool.rules[place].is_family
    ]
    for sample, table in ((SOURCE, pool.source), (TARGET, pool.target)):
        expected = codes(sample, [rule for _, rule in single])
        for number, (column, rule) in enumerate(single):
            found = table[:, [column]].toarray().ravel()
            np.testing.assert_array_equal(found, inside_shares(expected[:, number]), rule.name)


@given(st.lists(st.text("ab '.-", max_size=12), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_phrases_are_found_where_keyword_slices_find_them(texts: list[str]) -> None:
    rows, names = phrases_of(pa.array(texts, pa.large_string()), ["a", "b", "ab", "ba", "a'b"], 1)
    sample = md.Sample(pa.table({"text": texts}))
    for column, name in enumerate(names):
        said = slice_codes(sample, md.Keyword("phrase", column="text", words=(name,)))
        found = rows[:, [column]].toarray().ravel() == 1
        assert ((said == 1) >= found).all(), name


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_refined_count_is_the_count_with_one_more_slice(data: st.DataObject) -> None:
    n, m = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    here, there = (rng.integers(-1, 2, (rows, 3)).astype(np.int8) for rows in (n, m))
    statistics = rng.random((n, 2))
    start = count_patterns(here[:, :2], there[:, :2], statistics, ["a", "b"])
    found = refine_count(start, here[:, 2], there[:, 2], statistics, "c")
    whole = count_patterns(here, there, statistics, ["a", "b", "c"])
    assert found.patterns.names == whole.patterns.names
    for key in ("codes", "source", "target", "sums", "products"):
        np.testing.assert_allclose(getattr(found.patterns, key), getattr(whole.patterns, key))
    np.testing.assert_array_equal(found.source_index, whole.source_index)
    np.testing.assert_array_equal(found.target_index, whole.target_index)


def test_relevance_is_the_weighted_regression_of_the_score_row_by_row() -> None:
    """By cells and all at once, it gives what least squares gives for one candidate after the other."""
    rng = np.random.default_rng(5)
    n, cells, m = 300, 6, 4
    cell, score = rng.integers(0, cells, n), rng.normal(size=n)
    inside = (rng.random((n, m)) < 0.3).astype(float)
    target_cell, target_inside = rng.integers(0, cells, n), (rng.random((n, m)) < 0.5).astype(float)
    matched, weight = rng.normal(size=(cells, 2)), rng.random(cells) + 0.5
    marks = csr_matrix(np.eye(cells)[cell].T), csr_matrix(np.eye(cells)[target_cell].T)
    weights = CellWeights(weight, np.ones(cells), matched, matched)
    found = relevance(weights, marks, score, (csr_matrix(inside), csr_matrix(target_inside)))
    assert found is not None
    rows = weight[cell] / weight[cell].sum()
    root = np.sqrt(rows)
    for j in range(m):
        design = np.column_stack([np.ones(n), matched[cell], inside[:, j]])
        slope = np.linalg.lstsq(design * root[:, None], score * root, rcond=None)[0][-1]
        assert found.difference[j] == pytest.approx(slope)
        assert found.gap[j] == pytest.approx(target_inside[:, j].mean() - rows @ inside[:, j])


def test_the_first_order_effect_is_what_adding_a_small_shift_does() -> None:
    """Where little is off, the product of both factors is the change of the estimate."""
    request = state("suggest", SOURCE, TARGET, [REGION])
    states = start_search(request, [one for one, _ in request.each_model(None)])
    pools = make_pools([one.fit for one in states], [REGION])
    small = [
        one
        for one in rank(states, pools, set()).candidates
        if isinstance(one.rule, md.Slice) and not one.rule.is_family and abs(one.gap) < 0.03
    ]
    assert len(small) > 5
    for one in small[:10]:
        effect = states[0].add(one.rule).report.estimate - states[0].report.estimate
        assert effect == pytest.approx(one.gap * one.difference, abs=5e-4)


def test_a_part_of_the_rows_is_a_sample_of_its_own() -> None:
    """Half of the source, with a slice added, gives what an estimate on half of the source gives."""
    request = state("suggest", SOURCE, TARGET, [REGION])
    (start,) = start_search(request, [one for one, _ in request.each_model(None)])
    old = md.Threshold("old", column="age", above=50)
    part = np.arange(SOURCE.n_rows) % 2 == 0
    half = md.Sample(SOURCE.frame.to_pandas()[part], label="y", prediction="p")
    expected = md.estimate(half, TARGET, [REGION, old], spread=False)
    found = start.on(part).add(old).report
    assert found.estimate == pytest.approx(expected.estimate)
    assert found.interval == pytest.approx(expected.interval)


@pytest.mark.parametrize("way", [(True, True), (True, False), (False, True)])
def test_a_conjunction_says_what_its_parts_say_together(way: tuple[bool, bool]) -> None:
    parts = md.Keyword("refund", column="text", words=("refund",)), md.Threshold("old", column="age", above=50)
    for one, other in (parts, parts[::-1], (parts[0], REGION), (md.Length("l", column="text", below=8), parts[1])):
        rule = join_rules((one, other), way)
        assert rule is not None
        inside = [slice_codes(SOURCE, part) * (1 if yes else -1) for part, yes in zip((one, other), way, strict=True)]
        np.testing.assert_array_equal(slice_codes(SOURCE, rule), np.minimum(*inside))
