"""Simulated worlds: their stated probabilities are those of their draws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from tests import oracles
from tests.worlds import World, potentials, random_world

SIGMAS = 4  # one fixed seed in 16,000 would miss such a band by chance
seeds = st.integers(0, 2**16)


def made(seed: int, accuracy: float = 0.8) -> World:
    """Make a world of three slices and one edge."""
    return random_world(np.random.default_rng(seed), n_slices=3, edges=((0, 2),), accuracy=accuracy)


@settings(max_examples=20)
@given(seeds, st.sampled_from([0.6, 0.8, 0.95, 1.0]))
def test_slices_tell_the_truth_as_often_as_asked(seed, accuracy):
    """In the source, averaged over slices."""
    assert made(seed, accuracy).slice_accuracy("source") == pytest.approx(accuracy, abs=1e-9)


@settings(max_examples=20)
@given(seeds, st.sampled_from(["source", "target"]))
def test_the_table_follows_the_papers_model(seed, side):
    """p(g, t) ~ exp(a . g + c g . t + sum_E e t_i t_j), summed term by term."""
    world = made(seed)
    i = ("source", "target").index(side)
    energy = {}
    for g in itertools.product((-1, 1), repeat=3):
        for t in itertools.product((-1, 1), repeat=3):
            energy[g, t] = sum(world.fields[i][j] * g[j] + world.link * g[j] * t[j] for j in range(3))
            energy[g, t] += world.couplings[i][0] * t[0] * t[2]
    total = sum(np.exp(value) for value in energy.values())
    truth, codes, chance = world.table(side)
    assert chance.sum() == pytest.approx(1)
    for g, t, p in zip(truth.tolist(), codes.tolist(), chance, strict=True):
        assert p == pytest.approx(np.exp(energy[tuple(g), tuple(t)]) / total)


@settings(max_examples=20)
@given(seeds)
def test_given_the_codes_the_truth_is_independent_and_follows_the_corrections(seed):
    """p(g | t) is the product over slices of p(g_i | t_i): what the estimators take for granted."""
    world = made(seed)
    for side in ("source", "target"):
        truth, codes, chance = world.table(side)
        table = world.corrections(side)
        for t in itertools.product((-1, 1), repeat=3):
            here = (codes == t).all(axis=1)
            expected = oracles.truth_given_codes(np.array([t]), table)[0]
            found = chance[here] / chance[here].sum()
            np.testing.assert_allclose(found, expected, atol=1e-12)
            assert (truth[here] == oracles.all_truths(3)).all()


@settings(max_examples=20)
@given(seeds)
def test_scores_are_chances(seed):
    """The chance of being right stays inside (0, 1) and averages to the stated score."""
    world = made(seed)
    for side in ("source", "target"):
        truth, _, chance = world.table(side)
        right = world.intercept + oracles.phi(truth.astype(float), world.edges) @ world.slope
        assert right.min() > 0
        assert right.max() < 1
        assert world.score(side) == pytest.approx(chance @ right)


def test_draws_follow_the_table():
    """Rows fall into the cells with their chances, and scores follow the truth, not the codes."""
    world, rng = made(0), np.random.default_rng(1)
    drawn = world.draw("target", 50_000, rng)
    truth, codes, chance = world.table("target")
    keys = {tuple(row): i for i, row in enumerate(np.column_stack([truth, codes]).tolist())}
    cells = [keys[tuple(row)] for row in np.column_stack([drawn.truth, drawn.codes]).tolist()]
    assert chisquare(np.bincount(cells, minlength=len(keys)), 50_000 * chance).pvalue > 1e-4
    score = world.score("target")
    assert abs(drawn.scores.mean() - score) < SIGMAS * np.sqrt(score * (1 - score) / 50_000)
    left = drawn.scores - world.intercept - oracles.phi(drawn.truth.astype(float), world.edges) @ world.slope
    slopes = drawn.codes.T @ left / 50_000
    assert np.abs(slopes).max() < SIGMAS * left.std() / np.sqrt(50_000)


def test_slices_that_are_never_wrong_are_the_truth():
    """At accuracy 1 codes and truth are the same."""
    drawn = made(0, 1.0).draw("source", 1000, np.random.default_rng(0))
    assert (drawn.codes == drawn.truth).all()
    np.testing.assert_allclose(made(0, 1.0).corrections("source")[:, [0, 2]], [[0, 1]] * 3, atol=1e-12)


def test_the_same_generator_draws_the_same_rows():
    """Nothing else is random."""
    first, second = (made(3).draw("source", 100, np.random.default_rng(4)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_potentials_equal_the_definition():
    """Slices first, then products over edges."""
    truth = oracles.all_truths(3).astype(np.int8)
    expected = oracles.phi(oracles.all_truths(3), ((0, 2), (1, 2)))
    np.testing.assert_array_equal(potentials(truth, ((0, 2), (1, 2))), expected)
