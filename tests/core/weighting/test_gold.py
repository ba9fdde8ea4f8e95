"""Gold columns: measured corrections, and the test of whether mistakes have to do with the score."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.errors import SliceError
from mandoline_core.slices.noise import Correction
from mandoline_core.weighting.gold import gold_table
from tests.worlds import random_world

SIGMAS = 4  # one fixed seed in 16,000 would miss such a band by chance
rows = st.lists(st.tuples(*[st.sampled_from([-1, 0, 1])] * 2, st.floats(0, 1)), min_size=1, max_size=60)


def columns(drawn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Turn rows into columns."""
    codes, truth, scores = zip(*drawn, strict=True)
    return np.array(codes, dtype=np.int8), np.array(truth, dtype=np.int8), np.array(scores)


@given(rows)
def test_the_table_counts_rows_by_answer_and_truth(drawn):
    """Rows, scores and squared scores are added up cell by cell."""
    codes, truth, scores = columns(drawn)
    table = gold_table(codes, truth, scores)
    for i, code in enumerate((-1, 0, 1)):
        for j, gold in enumerate((-1, 0, 1)):
            here = scores[(codes == code) & (truth == gold)]
            assert table.counts[i, j] == len(here)
            assert table.sums[i, j] == pytest.approx(here.sum())
            assert table.squares[i, j] == pytest.approx((here**2).sum())


@given(rows)
def test_measured_corrections_are_shares_of_rows_with_a_known_truth(drawn):
    """p(truly in | answer), over rows whose gold column is filled in; abstention only where it was seen."""
    codes, truth, scores = columns(drawn)
    known = truth != 0
    shares = {
        code: (truth[known & (codes == code)] == 1).mean() if (known & (codes == code)).any() else None
        for code in (-1, 0, 1)
    }
    table = gold_table(codes, truth, scores)
    if shares[1] is None or shares[-1] is None:
        side = "inside" if shares[1] is None else "outside"
        with pytest.raises(
            SliceError, match=f"slice 'it' cannot be measured: no labelled row with a gold label is {side}"
        ):
            table.measure("it")
    elif shares[1] == pytest.approx(shares[-1], abs=1e-9):
        with pytest.raises(ValueError, match="carries no information"):
            table.measure("it")
    else:
        found = table.measure("it")
        assert (found.inside, found.outside) == pytest.approx((shares[1], shares[-1]))
        assert found.abstain == (None if shares[0] is None else pytest.approx(shares[0]))


def test_a_perfect_slice_measures_as_identity():
    """No mistakes, no corrections."""
    codes = np.array([1, 1, -1], dtype=np.int8)
    assert gold_table(codes, codes, np.zeros(3)).measure("it") == Correction(1.0, 0.0)


@pytest.mark.parametrize("binary", [True, False], ids=["right or wrong", "any score"])
def test_mistake_z_is_standard_normal_when_mistakes_do_not_matter(binary):
    """The score depends on the truth only; mistakes are rare on one side."""
    rng = np.random.default_rng(0)
    values = []
    for _ in range(1000):
        truth = np.where(rng.random(600) < 0.3, 1, -1).astype(np.int8)
        codes = np.where(rng.random(600) < np.where(truth == 1, 0.8, 0.9), truth, -truth).astype(np.int8)
        scores = (rng.random(600) < 0.7 + 0.2 * truth).astype(float) if binary else truth + rng.standard_normal(600)
        values.append(gold_table(codes, truth, scores).mistake_z())
    assert abs(np.mean(values)) < SIGMAS / np.sqrt(1000)
    # The spread is estimated from few rows: its own error adds a little to the variance.
    assert abs(np.var(values) - 1) < SIGMAS * np.sqrt(2 / 1000)
    beyond = (np.abs(values) > 1.96).mean()
    assert abs(beyond - 0.05) < SIGMAS * np.sqrt(0.05 * 0.95 / 1000)


def test_mistake_z_finds_scores_that_follow_the_slice():
    """Ten points between the answers, at 4,000 rows, are found; the sign says which answer scores higher."""
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(4000) < 0.5, 1, -1).astype(np.int8)
    codes = np.where(rng.random(4000) < 0.8, truth, -truth).astype(np.int8)
    for direction in (1, -1):
        scores = (rng.random(4000) < 0.7 + 0.1 * truth + 0.05 * direction * codes).astype(float)
        z = gold_table(codes, truth, scores).mistake_z()
        # Two strata of 400 against 1,600 rows: a gap of 0.1 is about 5.5 standard errors.
        assert z * direction > 2.576


def test_mistake_z_on_simulated_worlds_does_not_reject():
    """Worlds in which the score depends on the true slices only, one slice at a time and no other."""
    rng = np.random.default_rng(2)
    values = []
    for _ in range(200):
        drawn = random_world(rng, n_slices=1, accuracy=0.8).draw("source", 1000, rng)
        values.append(gold_table(drawn.codes[:, 0], drawn.truth[:, 0], drawn.scores).mistake_z())
    assert abs(np.mean(values)) < SIGMAS / np.sqrt(200)
    assert abs(np.var(values) - 1) < SIGMAS * np.sqrt(2 / 200)


def test_mistake_z_needs_mistakes():
    """Without rows on both sides of a truth, or without any spread, there is nothing to test."""
    codes = np.array([1, 1, -1, -1], dtype=np.int8)
    assert gold_table(codes, codes, np.array([0.0, 1, 0, 1])).mistake_z() is None
    mixed = np.array([1, 1, -1, -1] * 2, dtype=np.int8)
    truth = np.repeat(np.array([1, -1], dtype=np.int8), 4)
    assert gold_table(mixed, truth, np.ones(8)).mistake_z() is None


def test_abstained_and_unknown_rows_do_not_enter_the_test():
    """Only rows with an answer and a truth are compared."""
    rng = np.random.default_rng(3)
    truth = rng.choice([-1, 1], 300).astype(np.int8)
    codes = rng.choice([-1, 1], 300).astype(np.int8)
    scores = rng.random(300)
    more = np.zeros(50, dtype=np.int8)
    z = gold_table(codes, truth, scores).mistake_z()
    silent = gold_table(np.append(codes, more), np.append(truth, truth[:50]), np.append(scores, np.full(50, 9.0)))
    unknown = gold_table(np.append(codes, codes[:50]), np.append(truth, more), np.append(scores, np.full(50, 9.0)))
    assert silent.mistake_z() == unknown.mistake_z() == z
