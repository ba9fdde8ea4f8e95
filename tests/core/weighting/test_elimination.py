"""Elimination: summing slices out cluster by cluster equals enumerating all truths, on any graph."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting import components
from mandoline_core.weighting.components import cluster_slices
from mandoline_core.weighting.potentials import Tilt, build_tilt, expected_potentials
from mandoline_core.weighting.reach import find_beyond, restrict_to_face
from tests import oracles
from tests.strategies import Case, random_case

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
    monkeypatch.setattr(components, "_SMALL", small)
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
    monkeypatch.setattr(components, "_SMALL", 1)
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


def tilt_by(case: Case, small: int) -> Tilt:
    """Build the tilt of all patterns with so many slices summed out at once."""
    patterns, table = case.count.patterns, case.problem().corrections().source
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "_SMALL", small)
        cluster_slices.cache_clear()
        tilt = build_tilt(patterns.codes, table, case.edges, patterns.names)
    cluster_slices.cache_clear()
    return tilt


def test_the_face_is_the_same_however_many_slices_are_summed_out_at_once():
    """The target never shows two noisy slices of a chain together: what is ruled out, and all that is left."""
    noise = Noise(Correction(0.9, 0.2), Correction(1.0, 0.0))
    edges = ((0, 1), (1, 2), (2, 3), (3, 4))
    case = random_case(np.random.default_rng(8), n_slices=5, n=60, noises=(noise,) * 4 + (None,), edges=edges)
    case = replace(case, target=case.target[~(case.target[:, 1:3] == 1).all(axis=1)])
    patterns, there = case.count.patterns, case.problem().corrections().target
    potentials = expected_potentials(patterns.codes, there, edges)
    mean, present = patterns.target / patterns.n_target @ potentials, patterns.source > 0
    whole = [tilt_by(case, small) for small in (1, 9)]
    assert [len(component.tables) for tilt in whole for component in tilt.components] == [4, 1]
    faces = [restrict_to_face(tilt, present, mean) for tilt in whole]
    assert (faces[0][1] == faces[1][1]).all()
    rng = np.random.default_rng(9)
    delta, weights = rng.normal(0, 0.5, len(mean)), np.where(faces[0][1], rng.random(len(present)), 0.0)
    one, other = (face.evaluate(delta) for face, _ in faces)
    assert not np.allclose(one.log_scale, whole[0].evaluate(delta).log_scale)
    np.testing.assert_allclose(one.log_scale[present], other.log_scale[present], atol=1e-11)
    np.testing.assert_allclose(one.covariance(weights), other.covariance(weights), atol=1e-10)
    together = (1 + one.mean[present, 1] + one.mean[present, 2] + one.mean[present, 6]) / 4
    np.testing.assert_allclose(together, 0.0, atol=1e-12)  # never both


def test_what_is_beyond_reach_is_the_same_however_many_slices_are_summed_out_at_once():
    """A slice that the source has on one side only, joined to a chain of noisy ones."""
    noise = Noise(Correction(0.9, 0.2), same=True)
    edges = ((0, 1), (1, 2), (2, 3), (3, 4))
    case = random_case(np.random.default_rng(10), n_slices=5, n=60, noises=(noise,) * 4 + (None,), edges=edges)
    kept = case.source[:, 4] == -1
    case = replace(case, source=case.source[kept], scores=case.scores[kept])
    patterns, there = case.count.patterns, case.problem().corrections().target
    shown = patterns.target > 0
    potentials, shares = expected_potentials(patterns.codes[shown], there, edges), patterns.target[shown] / 60
    found = [find_beyond(tilt_by(case, small), patterns.source > 0, potentials, shares)[0] for small in (1, 9)]
    np.testing.assert_allclose(found[0] @ shares, found[1] @ shares, atol=1e-9)
    assert (found[0][patterns.codes[shown, 4] == 1] == 0).all()
