"""Elimination: summing slices out cluster by cluster equals enumerating all truths, on any graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mandoline_core.weighting import clusters
from mandoline_core.weighting.clusters import cluster_slices
from mandoline_core.weighting.potentials import build_tilt
from tests import oracles

CHAIN = tuple((i, i + 1) for i in range(8))
GRAPHS = {
    "chain": CHAIN,
    "star": tuple((0, i) for i in range(1, 9)),
    "tree": ((0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (5, 6), (5, 7), (7, 8)),
    "cycle": (*CHAIN, (0, 8)),
    "ladder": ((0, 1), (2, 3), (4, 5), (6, 7), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7)),
    "disconnected": ((0, 1), (1, 2), (0, 2), (4, 5), (5, 6), (7, 8)),
    "all pairs": tuple(itertools.combinations(range(7), 2)),
}
N_SLICES = 9


def draw(seed: int, *, certain: float = 0.0, abstain: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Draw patterns, and corrections of which some are certain."""
    rng = np.random.default_rng(seed)
    codes = rng.choice([-1, 0, 1], (60, N_SLICES), p=[0.5 - abstain / 2, abstain, 0.5 - abstain / 2]).astype(np.int8)
    table = np.sort(rng.uniform(0.05, 0.95, (N_SLICES, 3)), axis=1)
    at_word = rng.random(N_SLICES) < certain
    table[at_word] = np.column_stack([np.zeros(at_word.sum()), table[at_word, 1], np.ones(at_word.sum())])
    return np.unique(codes, axis=0), table


def enumerate_truths(
    codes: np.ndarray, table: np.ndarray, edges: tuple[tuple[int, int], ...], delta: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute log E[exp(delta . phi) | codes], the tilted probability of every truth, and phi of every truth."""
    potentials = oracles.phi(oracles.all_truths(codes.shape[1]), edges)
    joint = oracles.truth_given_codes(codes, table) * np.exp(potentials @ delta)
    return np.log(joint.sum(axis=1)), joint / joint.sum(axis=1, keepdims=True), potentials


@pytest.mark.parametrize("certain", [0.0, 0.5], ids=["all uncertain", "some certain"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_elimination_equals_enumeration(graph, certain):
    """Scales, means, averages and covariances, also where slices abstain or are certain in some patterns."""
    edges = GRAPHS[graph]
    codes, table = draw(len(graph), certain=certain)
    rng = np.random.default_rng(len(edges))
    delta, weights = rng.normal(0, 0.7, N_SLICES + len(edges)), rng.dirichlet(np.ones(len(codes)))
    names = [f"slice {i}" for i in range(N_SLICES)]
    log_scale, chance, potentials = enumerate_truths(codes, table, edges, delta)
    found = build_tilt(codes, table, edges, names).evaluate(delta)
    np.testing.assert_allclose(found.log_scale, log_scale, atol=1e-11)
    np.testing.assert_allclose(found.average(weights), weights @ chance @ potentials, atol=1e-12)
    covariance = oracles.covariance(potentials, weights @ chance)
    np.testing.assert_allclose(found.covariance(weights), covariance, atol=1e-11)
    np.testing.assert_allclose(found.mean, chance @ potentials, atol=1e-12)


@pytest.mark.parametrize("small", [1, 2, 9])
@pytest.mark.parametrize("graph", ["chain", "cycle", "tree"])
def test_how_many_slices_are_summed_out_at_once_changes_no_number(graph, small, monkeypatch):
    """One by one, two by two, or all together."""
    edges, names = GRAPHS[graph], [f"slice {i}" for i in range(N_SLICES)]
    codes, table = draw(3)
    rng = np.random.default_rng(4)
    delta, weights = rng.normal(0, 0.7, N_SLICES + len(edges)), rng.dirichlet(np.ones(len(codes)))
    expected = build_tilt(codes, table, edges, names).evaluate(delta)
    monkeypatch.setattr(clusters, "_SMALL", small)
    cluster_slices.cache_clear()
    found = build_tilt(codes, table, edges, names).evaluate(delta)
    cluster_slices.cache_clear()
    np.testing.assert_allclose(found.log_scale, expected.log_scale, atol=1e-12)
    np.testing.assert_allclose(found.covariance(weights), expected.covariance(weights), atol=1e-12)


@pytest.mark.parametrize("graph", ["chain", "ladder", "all pairs"])
def test_the_mean_is_the_slope_of_the_scale_and_the_covariance_that_of_the_mean(graph):
    """Central differences, where every pattern weighs the same whatever delta is."""
    edges = GRAPHS[graph]
    codes, table = draw(5)
    tilt = build_tilt(codes[:1], table, edges, [f"slice {i}" for i in range(N_SLICES)])
    delta, step = np.random.default_rng(6).normal(0, 0.5, N_SLICES + len(edges)), 1e-5
    at = tilt.evaluate(delta)
    ends = [[tilt.evaluate(delta + side * step * one) for side in (1, -1)] for one in np.eye(len(delta))]
    slopes = [(up.log_scale[0] - down.log_scale[0]) / (2 * step) for up, down in ends]
    np.testing.assert_allclose(at.mean[0], slopes, atol=1e-8)
    bends = [(up.mean[0] - down.mean[0]) / (2 * step) for up, down in ends]
    np.testing.assert_allclose(at.covariance(np.ones(1)), bends, atol=1e-8)


@pytest.mark.parametrize(("graph", "most"), [("chain", 2), ("star", 2), ("tree", 2), ("cycle", 3), ("ladder", 3)])
def test_tables_are_as_small_as_the_graph_allows(graph, most, monkeypatch):
    """Trees need tables of two slices, a cycle and a ladder of three."""
    monkeypatch.setattr(clusters, "_SMALL", 1)
    cluster_slices.cache_clear()
    slices = tuple(sorted({end for edge in GRAPHS[graph] for end in edge}))
    found = cluster_slices(slices, GRAPHS[graph])
    cluster_slices.cache_clear()
    assert max(len(cluster.slices) for cluster in found) == most
    assert sorted(one for cluster in found for one in cluster.inner) == list(slices)


def test_a_chain_of_many_slices_looks_at_few_combinations_of_each_pattern():
    """Forty slices: sixteen combinations at a time, where all together have a million million."""
    edges = tuple((i, i + 1) for i in range(39))
    rng = np.random.default_rng(7)
    codes = rng.choice([-1, 1], (200, 40)).astype(np.int8)
    table = np.tile([0.1, 0.5, 0.9], (40, 1))
    tilt = build_tilt(codes, table, edges, [f"slice {i}" for i in range(40)])
    assert sum(log.size for log in tilt.logs[1:]) <= len(codes) * 16 * 14
    delta = rng.normal(0, 0.3, 79)
    # A chain's sum is a product of two-by-two matrices.
    up = np.exp(delta[:40, None] * np.array([-1, 1])) * np.stack([1 - table[0, codes + 1], table[0, codes + 1]], -1)
    sums = up[:, 0]
    for i in range(39):
        join = np.exp(delta[40 + i] * np.array([[1, -1], [-1, 1]]))
        sums = (sums @ join) * up[:, i + 1]
    np.testing.assert_allclose(tilt.evaluate(delta).log_scale, np.log(sums.sum(axis=1)), atol=1e-11)
