"""The solver: derivatives, what a solution satisfies, and that it depends on nothing else."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from mandoline_core.errors import ProjectError
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.components import MAX_TOGETHER, connected_groups
from mandoline_core.weighting.kliep import solve, varying_directions
from mandoline_core.weighting.potentials import build_tilt, expected_potentials
from mandoline_core.weighting.weights import fit, potential_names
from tests import oracles
from tests.strategies import Case, cases, random_case, settled, share

MIXED = {"kinds": ("identity", "own", "derived"), "abstain": True, "edges": True, "min_slices": 2, "max_slices": 5}
NOISY = Noise(Correction(inside=0.85, outside=0.2))


def tilt_of(case: Case):
    """Build the tilt of the source's patterns, with their counts."""
    problem = case.problem()
    rows = problem.patterns.source > 0
    corrections = problem.corrections()
    names = problem.patterns.names
    return build_tilt(problem.patterns.codes[rows], corrections.source, case.edges, names), problem.patterns.source[
        rows
    ]


@given(cases(**MIXED), st.integers(0, 2**16))
def test_scales_and_moments_equal_enumeration(case: Case, seed):
    """E[exp(delta . phi) | codes] and the tilted moments equal sums over all truths, at any delta."""
    delta = np.random.default_rng(seed).normal(0, 1, case.source.shape[1] + len(case.edges))
    table = oracles.correction_tables(case.noises, case.source, case.target)[0]
    potentials = oracles.phi(oracles.all_truths(case.source.shape[1]), case.edges)
    tilt, counts = tilt_of(case)
    codes = case.count.patterns.codes[case.count.patterns.source > 0]
    joint = oracles.truth_given_codes(codes, table) * np.exp(potentials @ delta)
    tilted = tilt.evaluate(delta)
    np.testing.assert_allclose(np.exp(tilted.log_scale), joint.sum(axis=1), rtol=1e-10)
    np.testing.assert_allclose(tilted.mean, joint @ potentials / joint.sum(axis=1, keepdims=True), atol=1e-10)
    weights = counts / counts.sum()
    truths = weights @ (joint / joint.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(tilted.covariance(weights), oracles.covariance(potentials, truths), atol=1e-10)


@given(cases(**MIXED), st.integers(0, 2**16))
def test_gradient_and_hessian_equal_finite_differences(case: Case, seed):
    """The log of the average scale has the weighted mean as gradient and Tilted.covariance as Hessian."""
    tilt, counts = tilt_of(case)
    log_share = np.log(counts / counts.sum())
    delta = np.random.default_rng(seed).normal(0, 0.5, tilt.fixed.shape[1])

    def value(delta):
        return logsumexp(log_share + tilt.evaluate(delta).log_scale)

    def gradient(delta):
        tilted = tilt.evaluate(delta)
        weights = np.exp(log_share + tilted.log_scale - value(delta))
        return weights @ tilted.mean, weights

    mean, weights = gradient(delta)
    step = 1e-5
    steps = step * np.eye(len(delta))
    by_value = [(value(delta + h) - value(delta - h)) / (2 * step) for h in steps]
    by_gradient = [(gradient(delta + h)[0] - gradient(delta - h)[0]) / (2 * step) for h in steps]
    # Central differences err by step^2 times a third derivative, at most 2 here, and by rounding over step.
    np.testing.assert_allclose(mean, by_value, atol=1e-9)
    np.testing.assert_allclose(tilt.evaluate(delta).covariance(weights), by_gradient, atol=1e-9)


@given(cases(**MIXED), st.floats(0.1, 20), st.integers(0, 2**16))
def test_any_start_gives_the_same_solution(case: Case, size, seed):
    """A warm start saves steps and changes nothing, however far off it is."""
    settled(case)
    problem = case.problem()
    cold = fit(problem.patterns, case.edges, problem.corrections())
    start = np.random.default_rng(seed).normal(0, size, len(cold.solution.delta))
    warm = fit(problem.patterns, case.edges, problem.corrections(), start=start)
    assert warm.solution.converged
    assert not warm.unused.any()
    np.testing.assert_allclose(warm.solution.weights, cold.solution.weights, atol=1e-10)
    np.testing.assert_allclose(warm.solution.delta, cold.solution.delta, atol=1e-8)


@given(cases(ridge=True, **MIXED), st.floats(0.1, 20), st.integers(0, 2**16))
def test_any_start_gives_the_same_ridge_solution(case: Case, size, seed):
    """With a ridge too."""
    problem = case.problem()
    cold = fit(problem.patterns, case.edges, problem.corrections(), ridge=case.ridge)
    start = np.random.default_rng(seed).normal(0, size, len(cold.solution.delta))
    warm = fit(problem.patterns, case.edges, problem.corrections(), ridge=case.ridge, start=start)
    assert warm.solution.converged
    np.testing.assert_allclose(warm.solution.delta, cold.solution.delta, atol=1e-8)


@given(cases(redundant=True, edges=True, max_slices=4))
def test_redundant_slices_get_the_parameters_of_minimum_norm(case: Case):
    """Delta has no part along directions in which no source row varies."""
    settled(case)
    problem = case.problem()
    fitted = fit(problem.patterns, case.edges, problem.corrections())
    values = oracles.phi(problem.patterns.codes[problem.patterns.source > 0].astype(float), case.edges)
    silent = np.linalg.svd(values - values.mean(axis=0))
    still = silent.Vh[np.append(silent.S, np.zeros(len(silent.Vh) - len(silent.S))) < 1e-9]
    np.testing.assert_allclose(still @ fitted.solution.delta, 0, atol=1e-10)


def test_twins_share_their_parameter():
    """A slice given twice gets half of the parameter each time, and an opposite slice the negative."""
    case = random_case(np.random.default_rng(0), n_slices=1)
    alone = fit(case.count.patterns, (), case.problem().corrections()).solution.delta[0]
    twins = replace(case, **{side: getattr(case, side)[:, [0, 0, 0]] * [1, 1, -1] for side in ("source", "target")})
    twins = replace(twins, source=twins.source.astype(np.int8), target=twins.target.astype(np.int8))
    found = fit(twins.count.patterns, (), twins.problem().corrections()).solution.delta
    np.testing.assert_allclose(found, np.array([1, 1, -1]) * alone / 3, atol=1e-12)


@given(st.integers(1, 999), st.integers(1, 999))
def test_one_slice_is_solved_in_closed_form_however_far_it_shifts(source, target):
    """Delta is half the log of the odds ratio, from one row in a thousand to all but one and back."""
    codes = np.ones((1000, 1), dtype=np.int8)
    rows = [np.where(np.arange(1000)[:, None] < n, codes, -codes) for n in (source, target)]
    case = Case(rows[0], np.ones(1000), rows[1])
    solution = fit(case.count.patterns, (), case.problem().corrections()).solution
    odds = target / (1000 - target) / (source / (1000 - source))
    assert solution.converged
    assert solution.delta[0] == pytest.approx(np.log(odds) / 2, abs=1e-8)


@given(st.integers(1, 999), st.integers(1, 999), share(0.0, 0.01), share(0.99, 1.0))
def test_a_nearly_certain_slice_is_solved_however_far_it_shifts(source, target, outside, inside):
    """With rare mistakes too, where all source rows say the same and when they do not."""
    codes = np.ones((1000, 1), dtype=np.int8)
    rows = [np.where(np.arange(1000)[:, None] < n, codes, -codes) for n in (source, target)]
    for source_rows in (rows[0], -codes):
        noise = Noise(Correction(inside, outside), Correction(0.98, 0.02))
        case = Case(source_rows, np.ones(1000), rows[1], (), (noise,))
        if outside == 0 and (source_rows == -1).all():
            continue
        fitted = fit(case.count.patterns, (), case.problem().corrections())
        assert fitted.solution.converged
        np.testing.assert_allclose(fitted.solution.mean, fitted.target_mean, atol=1e-9)


def test_solutions_are_the_same_to_the_bit():
    """Nothing is random."""
    case = random_case(np.random.default_rng(1), edges=((0, 1),), noises=(NOISY, None, NOISY), abstain=0.1)
    first, second = (fit(case.count.patterns, case.edges, case.problem().corrections()).solution for _ in range(2))
    assert (first.delta == second.delta).all()
    assert (first.weights == second.weights).all()


def test_sound_problems_need_few_steps():
    """Newton's method: fewer than ten steps from zero, next to none from the solution itself."""
    case = random_case(np.random.default_rng(2), n_slices=6, n=2000, edges=((0, 1), (1, 2)), noises=(NOISY,) * 6)
    problem = case.problem()
    cold = fit(problem.patterns, case.edges, problem.corrections()).solution
    warm = fit(problem.patterns, case.edges, problem.corrections(), start=cold.delta).solution
    assert cold.steps < 10
    assert warm.steps <= 1


def test_an_unreachable_mean_does_not_converge():
    """The bare solver never reports a diverging delta as success."""
    case = Case(np.array([[-1, -1], [-1, 1]], dtype=np.int8), np.ones(2), np.array([[1, 1]], dtype=np.int8))
    tilt, counts = tilt_of(case)
    for goal in ([-1.0, 2.0], [-1.0, 1.0 + 1e-6]):
        assert not solve(tilt, counts, np.array(goal), basis=varying_directions(tilt, counts > 0)).converged


def test_potentials_multiply_over_edges():
    """Given the codes, slices are independent: an edge's expectation is the product of its ends'."""
    codes = np.array([[1, 0, -1]], dtype=np.int8)
    table = np.array([[0.1, 0.5, 0.9], [0.2, 0.7, 0.9], [0.0, 0.5, 1.0]])
    found = expected_potentials(codes, table, ((0, 1), (1, 2)))
    np.testing.assert_allclose(found, [[0.8, 0.4, -1.0, 0.32, -0.4]])
    assert potential_names(("a", "b", "c"), ((0, 1), (1, 2))) == ("a", "b", "c", "a*b", "b*c")


def test_groups_join_whatever_the_order_of_edges():
    """Chains that meet late are one group."""
    assert connected_groups(np.arange(6), ((0, 1), (2, 3), (4, 5), (3, 0), (1, 4))) == [(0, 1, 2, 3, 4, 5)]
    assert connected_groups(np.array([0, 2]), ((0, 1), (1, 2))) == [(0,), (2,)]


def test_slices_that_all_hang_together_are_named_where_they_are_too_many():
    """The message names the slices, counts combinations and says what to do; a chain of as many is no trouble."""
    n = MAX_TOGETHER + 1
    case = random_case(np.random.default_rng(3), n_slices=n + 1, noises=(NOISY,) * (n + 1))
    with pytest.raises(ProjectError) as caught:
        fit(case.count.patterns, tuple(itertools.combinations(range(n), 2)), case.problem().corrections())
    message = str(caught.value)
    assert message.startswith(f"Too many noisy slices are connected by edges ({2**n:,} combinations): slice 0, slice 1")
    assert message.endswith("Remove an edge, or remove the corrections of some.")
    chain = tuple((i, i + 1) for i in range(n))
    assert fit(case.count.patterns, chain, case.problem().corrections()).solution.converged
