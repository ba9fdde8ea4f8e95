"""Learned edges: updating gives what refitting gives, whatever the order; effects are what edges do."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandoline_core.errors import MandolineError
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.pipeline import choose_edges
from mandoline_core.project import EDGE_CHOICES
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.edge_selection import AT_ONCE, learn_edges
from mandoline_core.weighting.edges import has_rows
from mandoline_core.weighting.pair_tests import edge_threshold, score_tests
from mandoline_core.weighting.problem import Problem
from tests.strategies import Case, cases

ESTIMATOR = get_estimator("mandoline")
NOISY = Noise(Correction(inside=0.9, outside=0.1))


def shifted(seed: int, *, n_slices: int = 6, n: int = 3000, abstain: float = 0.0, noisy: int = 0) -> Case:
    """Draw slices that go together in other ways in the target; some combinations are missing there."""
    rng = np.random.default_rng(seed)
    source, target = (
        np.where(rng.standard_normal((n, n_slices)) @ mix < rng.uniform(-0.5, 0.5, n_slices), 1, -1).astype(np.int8)
        for mix in (np.eye(n_slices), np.eye(n_slices) + 0.4 * rng.standard_normal((n_slices, n_slices)))
    )
    scores = (rng.random(n) < 0.6 + 0.1 * source[:, 0] * source[:, 1] + 0.1 * source[:, 2] * source[:, 3]).astype(float)
    target = target[~((target[:, 1] == 1) & (target[:, 2] == 1))]
    for codes in (source, target):
        codes[rng.random(codes.shape) < abstain] = 0
    return Case(source, scores, target, noises=(NOISY,) * noisy + (None,) * (n_slices - noisy) if noisy else ())


def refit_from_scratch(problem: Problem, enough: float) -> tuple[tuple[int, int], ...]:
    """Learn edges as slowly as possible: every pair that stands out is added alone, and everything is fitted anew."""
    threshold, refused = edge_threshold(len(problem.patterns.names)), set()
    while True:
        found = [
            test
            for test in score_tests(problem)
            if abs(test.z) > threshold and abs(test.effect) >= enough and has_rows(problem, test.edge)
        ]
        found = [test for test in found if test.edge not in refused]
        most = max((abs(test.effect) for test in found), default=0.0) if enough else 0.0
        found = [test for test in found if abs(test.effect) >= AT_ONCE * most]
        if not found:
            return tuple(sorted(problem.edges))
        for test in sorted(found, key=lambda test: -abs(test.z)):
            bigger = replace(problem, edges=(*problem.edges, test.edge))
            same = (bigger.fitted.kept == problem.fitted.kept).all() and not (
                bigger.fitted.unused & ~problem.fitted.unused
            ).any()
            problem = bigger if same else problem
            refused |= set() if same else {test.edge}


@pytest.mark.parametrize("enough", [0.0, 0.002])
@pytest.mark.parametrize(("abstain", "noisy"), [(0.0, 0), (0.05, 0), (0.0, 3)], ids=["exact", "abstaining", "noisy"])
@pytest.mark.parametrize("seed", [0, 1])
def test_updating_chooses_what_refitting_from_scratch_chooses(seed, abstain, noisy, enough):
    """Also where some pairs cannot be added, because the target lacks a combination."""
    problem = shifted(seed, abstain=abstain, noisy=noisy, n_slices=5).problem()
    chosen = learn_edges(problem, enough=enough).edges
    assert chosen == refit_from_scratch(problem, enough)
    assert chosen
    assert noisy or abstain or (1, 2) not in chosen


@settings(max_examples=10)
@given(st.integers(0, 2**16), st.permutations(range(6)))
def test_neither_the_order_of_rows_nor_of_slices_matters(seed, order):
    """Tests and the inverse covariance choose the same slices, under other numbers."""
    case = shifted(seed, n=1500)
    rng = np.random.default_rng(seed)
    rows, order = rng.permutation(len(case.source)), list(order)
    moved = Case(case.source[rows][:, order], case.scores[rows], rng.permutation(case.target)[:, order])
    for how in EDGE_CHOICES[:2]:
        there = choose_edges(moved.problem(), how).edges
        back = sorted(tuple(sorted((order[i], order[j]))) for i, j in there)
        assert tuple(back) == choose_edges(case.problem(), how).edges


def test_rows_in_another_order_give_the_same_stable_pairs():
    """Halves are drawn from the counts of patterns, with the project's seed."""
    case, rng = shifted(3), np.random.default_rng(0)
    rows = rng.permutation(len(case.source))
    moved = Case(case.source[rows], case.scores[rows], rng.permutation(case.target))
    assert choose_edges(case.problem(), EDGE_CHOICES[2]) == choose_edges(moved.problem(), EDGE_CHOICES[2])


def test_an_effect_is_what_the_edge_does_to_first_order():
    """Where two slices go together a little more, one step of the solver is nearly all of it."""
    rng = np.random.default_rng(4)
    codes = rng.choice(np.array([-1, 1], dtype=np.int8), (40_000, 3))
    scores = (rng.random(40_000) < 0.6 + 0.2 * codes[:, 0] * codes[:, 1]).astype(float)
    target = codes[rng.random(40_000) < 0.5 + 0.05 * codes[:, 0] * codes[:, 1]]
    problem = Case(codes, scores, target).problem()
    for test in score_tests(problem):
        moved = ESTIMATOR.estimate(replace(problem, edges=(test.edge,))).value - ESTIMATOR.estimate(problem).value
        assert test.effect == pytest.approx(moved, abs=2e-4)
        assert (abs(moved) > 0.01) == (test.edge == (0, 1))


def test_pairs_that_do_nothing_to_the_estimate_are_left_out():
    """With many rows a pair stands out that the score knows nothing of."""
    rng = np.random.default_rng(5)
    source, target = (rng.choice(np.array([-1, 1], dtype=np.int8), (20_000, 4)) for _ in range(2))
    for i, j in ((0, 1), (2, 3)):
        copied = rng.random(20_000) < 0.3
        target[copied, j] = target[copied, i]
    scores = (rng.random(20_000) < 0.6 + 0.2 * source[:, 0] * source[:, 1]).astype(float)
    problem = Case(source, scores, target).problem()
    assert learn_edges(problem).edges == ((0, 1), (2, 3))
    assert choose_edges(problem, "auto").edges == ((0, 1),)


def test_the_largest_entries_of_the_inverse_covariance_are_taken():
    """As many as asked for, of pairs that have rows in all four combinations."""
    case = shifted(6)
    inverse = np.abs(np.linalg.inv(np.cov(case.source.T)))
    problem = case.problem()
    pairs = [pair for pair in itertools.combinations(range(6), 2) if has_rows(problem, pair) and pair != (1, 2)]
    expected = sorted(pairs, key=lambda pair: -inverse[pair])
    assert choose_edges(problem, "inverse-covariance:2").edges == tuple(sorted(expected[:2]))
    assert choose_edges(problem, "inverse-covariance").edges == tuple(sorted(expected[:4]))
    assert set(choose_edges(problem, "inverse-covariance:99").edges) == set(expected)


@settings(max_examples=15)
@given(cases(redundant=True, abstain=True, inside=False, min_slices=2, max_slices=4), st.sampled_from(EDGE_CHOICES))
def test_slices_that_say_the_same_or_the_opposite_are_no_obstacle(case, how):
    """Whatever is chosen gives an estimate, or nothing can be estimated at all."""
    problem = case.problem()
    try:
        ESTIMATOR.estimate(problem)
    except MandolineError:
        return
    chosen = choose_edges(problem, how).edges
    assert ESTIMATOR.estimate(replace(problem, edges=chosen)).converged


def test_a_slice_beside_its_opposite_leaves_the_others_to_choose_from():
    """Two classes that a model predicts are such a pair."""
    rng = np.random.default_rng(8)
    first, other = rng.choice(np.array([-1, 1], dtype=np.int8), (2, 500))
    other[:200] = first[:200]
    case = Case(np.column_stack([first, -first, other]), rng.random(500), np.column_stack([first, -first, other])[100:])
    for how in EDGE_CHOICES:
        assert (0, 1) not in choose_edges(case.problem(), how).edges


def test_stable_pairs_are_some_that_depend_on_each_other():
    """In a chain of slices, each with the next, and two that stand alone: no pair by accident."""
    rng = np.random.default_rng(7)
    source = rng.choice(np.array([-1, 1], dtype=np.int8), (4000, 6))
    for i in range(3):
        copied = rng.random(len(source)) < 0.4
        source[copied, i + 1] = source[copied, i]
    case = Case(source, rng.random(4000), rng.choice(np.array([-1, 1], dtype=np.int8), (2000, 6)))
    chosen = choose_edges(case.problem(), "graphical-lasso").edges
    assert len(chosen) >= 2
    assert set(chosen) <= {(0, 1), (1, 2), (2, 3)}
