"""Edges: the pairs people give, the score tests, and what is learned from them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mandoline_core.errors import ProjectError
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting import components
from mandoline_core.weighting.components import MAX_TOGETHER
from mandoline_core.weighting.corrections import fixed_rule
from mandoline_core.weighting.edge_selection import learn_edges
from mandoline_core.weighting.edges import MIN_CELL, check_edges, edges_by_name, has_rows
from mandoline_core.weighting.pair_tests import score_tests
from mandoline_core.weighting.weights import fit
from tests.strategies import Case, random_case, world_problem
from tests.worlds import World

SIGMAS = 4  # one fixed seed in 16,000 would miss such a band by chance


def world(n_slices: int, coupling: float = 0.0, link: float = 30.0) -> World:
    """Make a world whose first two slices go together in the target more than in the source."""
    edges = ((0, 1),) if coupling else ()
    fields = np.full(n_slices, -0.2), np.full(n_slices, 0.2)
    couplings = np.zeros(len(edges)), np.full(len(edges), coupling)
    return World(edges, fields, couplings, link, 0.7, np.full(n_slices + len(edges), 0.02))


def without_edges(made: World, n: int, rng: np.random.Generator, corrections: str):
    """Draw a world's samples and forget its edges."""
    return replace(world_problem(made, n, rng, corrections), edges=())


@pytest.mark.parametrize(("corrections", "link"), [("none", 30.0), ("true", 1.5)], ids=["exact", "noisy"])
def test_a_planted_edge_is_found_alone(corrections, link):
    """Two slices that move together are joined; no other pair is."""
    problem = without_edges(world(5, 0.5, link), 4000, np.random.default_rng(0), corrections)
    learned = learn_edges(problem)
    assert learned.edges == ((0, 1),)
    assert learned.z[0] > 4
    strongest = max(score_tests(problem), key=lambda test: abs(test.z))
    assert strongest.edge == (0, 1)
    assert strongest.gap > 0


def test_a_learned_edge_moves_the_estimate_towards_the_truth():
    """Where the score depends on the pair, leaving the edge out is a bias that no number of rows removes."""
    made = replace(world(3, 0.6), slope=np.array([0.02, 0.02, 0.02, 0.2]))
    problem = without_edges(made, 20_000, np.random.default_rng(1), "none")
    truth, estimator = made.score("target"), get_estimator("mandoline")
    without = estimator.estimate(problem)
    found = estimator.estimate(replace(problem, edges=learn_edges(problem).edges))
    assert abs(without.value - truth) > 0.03
    assert abs(found.value - truth) < SIGMAS * found.influence.standard_error()


@pytest.mark.long
@pytest.mark.parametrize(
    ("corrections", "link", "n"), [("none", 30.0, 1000), ("true", 1.5, 4000)], ids=["exact", "noisy"]
)
def test_score_tests_are_standard_normal_without_interaction(corrections, link, n):
    """Mean 0, variance 1 and 5% beyond 1.96, within bands for the number of tests."""
    rng = np.random.default_rng(2)
    made = world(3, 0.0, link)
    z = np.array([[test.z for test in score_tests(world_problem(made, n, rng, corrections))] for _ in range(300)])
    total = z.size
    assert abs(z.mean()) < SIGMAS / np.sqrt(total)
    assert abs(z.var() - 1) < SIGMAS * np.sqrt(2 / total)
    beyond = (np.abs(z) > 1.96).mean()
    assert abs(beyond - 0.05) < SIGMAS * np.sqrt(0.05 * 0.95 / total), f"{beyond:.3f} beyond 1.96"
    across = np.corrcoef(z.T)[np.triu_indices(3, 1)]
    assert np.abs(across).max() < SIGMAS / np.sqrt(len(z))


def test_edges_are_rarely_learned_where_there_are_none():
    """At most one false edge in twenty samples of five slices, and a margin for luck."""
    rng = np.random.default_rng(3)
    false = [bool(learn_edges(world_problem(world(5), 1000, rng)).edges) for _ in range(100)]
    assert sum(false) <= 100 * 0.05 + SIGMAS * np.sqrt(100 * 0.05 * 0.95)


def test_pairs_of_one_hot_slices_are_never_added():
    """Their product follows from the slices themselves, so there is nothing to test."""
    rng = np.random.default_rng(4)
    source, target = (rng.choice(3, 2000, p=p) for p in ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]))
    source, target = (np.where(c[:, None] == np.arange(3), 1, -1).astype(np.int8) for c in (source, target))
    problem = Case(source, rng.random(2000), target).problem()
    assert [test.z for test in score_tests(problem)] == [0.0, 0.0, 0.0]
    assert learn_edges(problem).edges == ()


def test_a_pair_without_source_rows_is_passed_over():
    """An edge needs a few source rows in each combination the target shows."""
    rng = np.random.default_rng(5)
    case = random_case(rng, n_slices=2, n=2000)
    rare = (case.source == 1).all(axis=1)
    target = np.vstack([case.target, np.ones((1500, 2), dtype=np.int8)])
    for left, expected in ((MIN_CELL - 1, ()), (MIN_CELL + 20, ((0, 1),))):
        keep = ~rare | (np.cumsum(rare) <= left)
        kept = Case(case.source[keep], case.scores[keep], target)
        assert learn_edges(kept.problem()).edges == expected


def test_given_edges_are_kept_and_not_tested_again():
    """Learning adds to what a person gave."""
    problem = world_problem(world(4, 0.5), 3000, np.random.default_rng(6))
    assert problem.edges == ((0, 1),)
    assert (0, 1) not in {test.edge for test in score_tests(problem)}
    assert learn_edges(problem).edges == ()
    full = replace(problem, edges=tuple(itertools.combinations(range(4), 2)))
    assert score_tests(full) == ()


def test_learned_edges_close_the_gap():
    """After refitting with the edge, the pair's frequency is matched exactly."""
    problem = without_edges(world(3, 0.5), 3000, np.random.default_rng(7), "none")
    bigger = replace(problem, edges=learn_edges(problem).edges)
    fitted = fit(bigger.patterns, bigger.edges, bigger.corrections())
    np.testing.assert_allclose(fitted.solution.mean, fitted.target_mean, atol=1e-10)


def test_pairs_of_many_noisy_slices_are_tested_one_by_one(monkeypatch):
    """All pairs of uncertain slices hang together; where they are too many for one sum, each has its own."""
    noise = Noise(Correction(0.9, 0.1))
    few = random_case(np.random.default_rng(8), n_slices=5, n=2000, noises=(noise,) * 5).problem()
    together = score_tests(few)
    monkeypatch.setattr(components, "MAX_TOGETHER", 3)
    for alone, test in zip(score_tests(few), together, strict=True):
        assert alone.edge == test.edge
        np.testing.assert_allclose((alone.gap, alone.z, alone.effect), (test.gap, test.z, test.effect), rtol=1e-9)
    monkeypatch.undo()
    many = random_case(np.random.default_rng(8), n_slices=MAX_TOGETHER + 1, noises=(noise,) * (MAX_TOGETHER + 1))
    assert any(test.z for test in score_tests(many.problem()))
    learn_edges(many.problem())


def test_any_number_of_edges_is_cheap_without_noise():
    """Sixteen slices with all 120 edges are solved, and balanced, without enumerating anything."""
    rng = np.random.default_rng(9)
    case = random_case(rng, n_slices=16, n=6000)
    edges = tuple(itertools.combinations(range(16), 2))
    problem = replace(case, edges=edges).problem()
    fitted = fit(problem.patterns, edges, problem.corrections())
    assert fitted.tilt.certain
    assert fitted.solution.converged
    assert (fitted.kept == 1).all()
    np.testing.assert_allclose(fitted.solution.mean, fitted.target_mean, atol=1e-9)
    ends = np.array(edges)
    products = case.source[:, ends[:, 0]] * case.source[:, ends[:, 1]]
    weights = fitted.solution.ratios[np.searchsorted(fitted.rows, case.count.source_index)] / len(case.source)
    by_row = weights @ np.column_stack([case.source, products])
    np.testing.assert_allclose(by_row, fitted.target_mean, atol=1e-9)


def test_edges_by_name_are_checked():
    """Unknown names, loops, repeats and numbers out of range are told apart."""
    assert edges_by_name([("c", "a"), ("a", "b")], ["a", "b", "c"]) == ((0, 2), (0, 1))
    with pytest.raises(ProjectError) as caught:
        edges_by_name([("lng", "old")], ["long", "old"])
    assert "names an unknown slice 'lng'. Slices: long, old. Did you mean 'long'?" in str(caught.value)
    for pairs, message in (
        ([(1, 1)], "joins a slice to itself"),
        ([(0, 1), (1, 0)], "is given twice"),
        ([(0, 3)], "is out of range. Slices are numbered 0 to 2"),
        ([(0, 1, 2)], "An edge joins two slices"),
    ):
        with pytest.raises(ProjectError, match=message):
            check_edges(pairs, 3)


def test_score_tests_on_fixed_corrections_equal_those_on_exact_slices():
    """Corrections of 1 and 0 are no corrections."""
    problem = random_case(np.random.default_rng(10)).problem()
    identity = np.tile([0.0, 0.5, 1.0], (3, 1))
    assert score_tests(replace(problem, rule=fixed_rule(identity, identity))) == score_tests(problem)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({(1, 1): (9, 9), (1, -1): (9, 9), (-1, 1): (9, 9), (-1, -1): (9, 9)}, True),
        ({(1, 1): (9, 0), (1, -1): (9, 9), (-1, 1): (9, 9), (-1, -1): (9, 9)}, True),
        ({(1, 1): (MIN_CELL - 1, 1), (1, -1): (9, 9), (-1, 1): (9, 9), (-1, -1): (9, 9)}, False),
        ({(1, -1): (9, 9), (-1, 1): (9, 9), (-1, -1): (9, 9)}, False),  # two buckets of one column
        ({(1, -1): (9, 9), (-1, 1): (9, 9)}, False),  # a slice and its opposite
        ({(1, 1): (9, 9), (-1, 1): (9, 9), (-1, -1): (9, 9)}, False),  # a slice and a part of it
    ],
)
def test_an_edge_needs_rows_in_all_four_combinations(cells, expected):
    codes = np.array(list(cells), dtype=np.int8)
    source, target = (np.repeat(codes, [n[side] for n in cells.values()], axis=0) for side in (0, 1))
    assert has_rows(Case(source, np.zeros(len(source)), target).problem(), (0, 1)) == expected
