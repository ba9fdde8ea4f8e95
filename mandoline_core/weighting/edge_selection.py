"""Choose edges: by score tests and what an edge would do to the estimate, or by how slices depend on each other."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import take_step
from mandoline_core.errors import MandolineError
from mandoline_core.patterns import Patterns
from mandoline_core.weighting.components import Edges
from mandoline_core.weighting.edges import has_rows
from mandoline_core.weighting.kliep import solve, varying_directions
from mandoline_core.weighting.pair_tests import EdgeTest, edge_threshold, score_tests
from mandoline_core.weighting.potentials import build_tilt, expected_potentials
from mandoline_core.weighting.problem import Problem
from mandoline_core.weighting.reach import rule_out_empty
from mandoline_core.weighting.weights import WeightFit, is_level, is_sound

MAX_ROUNDS = 20
# Pairs that do at least this share of what the strongest does are added together; the others are looked at again,
# because part of what they do may be done by then.
AT_ONCE = 0.25
SUBSAMPLES = 50
# A pair is stable if it is found in this share of the subsamples.
STABLE = 0.9
# So many pairs may be found by accident, on average.
FALSE_PAIRS = 1.0
_HALVINGS = 12  # of the interval in which the penalty is looked for
_SHRINKAGE = 0.05  # of correlations: a slice and its opposite, or buckets, would leave nothing to invert
_PRESENT = 1e-6  # a smaller partial correlation is none


@dataclass(frozen=True)
class LearnedEdges:
    """Hold the edges that score tests chose, each with the z-value that brought it in."""

    edges: Edges
    z: tuple[float, ...]


def learn_edges(problem: Problem, *, enough: float = 0.0) -> LearnedEdges:
    """Add edges by score tests until no significant pair would move the estimate.

    Each round tests all pairs from one pass over the patterns, at the weights it has, and goes on from these with
    the significant pairs that would move the estimate most. With many rows nearly every pair is significant; what
    counts is what it does to the estimate. A pair is passed over when the source has too few rows in one of its
    combinations, or when adding it would put target rows out of reach or leave more source rows without use.

    Parameters
    ----------
    problem : Problem
        Its own edges are kept.
    enough : float
        The smallest effect on the estimate that counts. With 0, all significant pairs are added.
    """
    chosen: dict[tuple[int, int], float] = {}
    passed_over: set[tuple[int, int]] = set()
    fitted = problem.fitted
    for _ in range(MAX_ROUNDS):
        take_step()
        tests = _worth_adding(problem, fitted, enough, passed_over)
        if not tests:
            break
        bigger, fitted = add_edges(problem, fitted, [test.edge for test in tests])
        passed_over |= {test.edge for test in tests} - {*bigger.edges}
        chosen |= {test.edge: test.z for test in tests if test.edge in bigger.edges}
        problem = bigger
    return LearnedEdges(tuple(sorted(chosen)), tuple(chosen[edge] for edge in sorted(chosen)))


def _worth_adding(
    problem: Problem, fitted: WeightFit, enough: float, passed_over: Collection[tuple[int, int]]
) -> list[EdgeTest]:
    """List the pairs to add in a round, the most significant first."""
    threshold = edge_threshold(len(problem.patterns.names))
    standing_out = [
        test
        for test in score_tests(problem, fitted)
        if abs(test.z) > threshold
        and not abs(test.effect) < enough  # where it is not known, tests alone decide
        and test.edge not in passed_over
        and has_rows(problem, test.edge)
        and not (problem.ridge == 0 and _wastes_rows(problem, fitted, test.edge))
    ]
    if enough:
        most = max((abs(test.effect) for test in standing_out), default=0.0)
        standing_out = [test for test in standing_out if not abs(test.effect) < AT_ONCE * most]
    return sorted(standing_out, key=lambda test: (-abs(test.z), test.edge))


def _wastes_rows(problem: Problem, fitted: WeightFit, edge: tuple[int, int]) -> bool:
    """Tell whether source rows in use would lose it with an edge: those in combinations that the target never shows."""
    patterns, corrections = problem.patterns, problem.corrections()
    truth = fitted.tilt.fixed[:, edge][~fitted.unused[fitted.rows]]
    target = expected_potentials(patterns.codes[fitted.target_rows][:, edge], corrections.target[list(edge)], ())
    return any(
        bool((truth == sides).all(axis=1).any()) and not bool((target != -sides).all(axis=1).any())
        for sides in map(np.array, itertools.product((-1, 1), repeat=2))
    )


def add_edges(problem: Problem, fitted: WeightFit, edges: Sequence[tuple[int, int]]) -> tuple[Problem, WeightFit]:
    """Add those edges, in their order, that keep all target rows within reach and all source rows in use.

    What can be reached with some edges can be reached with fewer. So if all of them do, they are added at once; if
    not, the first half is added, then the second half to what that gave.
    """
    if not edges:
        return problem, fitted
    bigger = replace(problem, edges=(*problem.edges, *edges))
    refitted = _update(bigger, fitted)
    if refitted is not None:
        return bigger, refitted
    if len(edges) == 1:
        return problem, fitted
    half = len(edges) // 2
    return add_edges(*add_edges(problem, fitted, edges[:half]), edges[half:])


def _update(problem: Problem, fitted: WeightFit) -> WeightFit | None:
    """Go on from the weights of a smaller problem, on the same rows; None where these do not reach the target.

    The rows that a smaller problem sets aside or leaves without use, a bigger one does, too. So nothing has to be
    searched for: either there are weights on the rows that are left, or the edges are not to be added.
    """
    patterns, corrections, rows = problem.patterns, problem.corrections(), fitted.rows
    try:
        tilt = build_tilt(patterns.codes[rows], corrections.source, problem.edges, patterns.names)
    except MandolineError:
        return None
    potentials = expected_potentials(patterns.codes[fitted.target_rows], corrections.target, problem.edges)
    mean, counts = fitted.target_shares @ potentials, np.where(fitted.unused, 0.0, patterns.source)[rows]
    start = np.concatenate([fitted.solution.delta, np.zeros(len(mean) - len(fitted.solution.delta))])
    if problem.ridge > 0:
        solution = solve(tilt, counts, mean, ridge=problem.ridge, start=start)
        return (
            replace(fitted, solution=solution, tilt=tilt, target_potentials=potentials) if solution.converged else None
        )
    tilt, usable = rule_out_empty(tilt, potentials)
    if not usable[counts > 0].all():
        return None
    if not tilt.certain and usable[counts == 0].any():  # there, not all is known that was ruled out before
        return _refit(problem, fitted)
    basis = varying_directions(tilt, counts > 0)
    solution = solve(tilt, counts, mean, start=start, basis=basis)
    if not (is_sound(solution, counts) and is_level(tilt, counts, basis, mean)):
        return None
    return replace(fitted, solution=solution, tilt=tilt, target_potentials=potentials)


def _refit(problem: Problem, fitted: WeightFit) -> WeightFit | None:
    """Fit from scratch; None when that loses target rows, source rows or convergence."""
    try:
        refitted = problem.fitted
    except MandolineError:
        return None
    worse = (refitted.kept < fitted.kept - 1e-9).any() or (refitted.unused & ~fitted.unused).any()
    return None if worse or not refitted.solution.converged else refitted


def inverse_covariance_edges(problem: Problem, most: int) -> Edges:
    """Take the pairs with the largest entries in the inverse covariance of the source's codes, as the paper does.

    Pairs that cannot be joined are passed over: too few rows to tell them from the two slices alone, or target rows
    that would be out of reach.
    """
    inverse = np.asarray(np.linalg.pinv(_covariance(problem.patterns, problem.patterns.source)), dtype=float)
    ranked = sorted(_possible(problem), key=lambda pair: (-round(abs(float(inverse[pair])), 9), pair))
    smaller, fitted = problem, problem.fitted
    while ranked and len(smaller.edges) < len(problem.edges) + most:
        missing = len(problem.edges) + most - len(smaller.edges)
        smaller, fitted = add_edges(smaller, fitted, ranked[:missing])
        ranked = ranked[missing:]
    return tuple(sorted(smaller.edges))


def graphical_lasso_edges(problem: Problem, rng: np.random.Generator) -> Edges:
    """Take the pairs that graphical lasso finds in nearly every half of the source's rows (stability selection).

    The penalty is such that, by the bound of Meinshausen and Buehlmann, at most one stable pair is an accident. Halves
    are drawn from the counts of patterns. Pairs that cannot be joined are skipped, as for the inverse covariance.
    """
    table, pairs = problem.patterns, _possible(problem)
    if not pairs:
        return problem.edges
    wanted = max(1, int(np.sqrt((2 * STABLE - 1) * len(pairs) * FALSE_PAIRS)))
    penalty = _penalty(_correlation(table, table.source), pairs, wanted)
    counts = table.source.astype(np.int64)
    half = int(counts.sum() // 2)
    times_found = np.zeros(len(pairs))
    for _ in range(SUBSAMPLES):
        take_step()
        drawn = rng.multivariate_hypergeometric(counts, half, method="marginals").astype(float)
        present = _present(_correlation(table, drawn), penalty, pairs)
        times_found += 0.0 if present is None else present
    share = times_found / SUBSAMPLES
    stable = sorted((-share[i], pair) for i, pair in enumerate(pairs) if share[i] >= STABLE)
    return tuple(sorted(add_edges(problem, problem.fitted, [pair for _, pair in stable])[0].edges))


def _possible(problem: Problem) -> list[tuple[int, int]]:
    """List the pairs without an edge that have rows to learn one from."""
    pairs = itertools.combinations(range(len(problem.patterns.names)), 2)
    return [pair for pair in pairs if pair not in problem.edges and has_rows(problem, pair)]


def _covariance(table: Patterns, counts: Floats) -> Floats:
    share = counts / counts.sum()
    centred = table.codes - share @ table.codes
    return np.asarray((share[:, None] * centred).T @ centred)


def _correlation(table: Patterns, counts: Floats) -> Floats:
    covariance = _covariance(table, counts)
    spread = np.sqrt(np.diag(covariance))
    spread = np.where(spread > 0, spread, 1.0)
    correlation = (1 - _SHRINKAGE) * covariance / np.outer(spread, spread)
    np.fill_diagonal(correlation, 1.0)  # also of a slice that is the same in all of these rows
    return correlation


def _penalty(correlation: Floats, pairs: Sequence[tuple[int, int]], wanted: int) -> float:
    """Find the largest penalty at which at least a number of pairs are found."""
    low, high = 0.01, max(0.02, float(np.abs(correlation - np.eye(len(correlation))).max()))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        present = _present(correlation, middle, pairs)
        if present is None or present.sum() >= wanted:
            low = middle
        else:
            high = middle
    return low


def _present(correlation: Floats, penalty: float, pairs: Sequence[tuple[int, int]]) -> Floats | None:
    """Tell which pairs graphical lasso finds, as 0 or 1; None where it finds no answer at all."""
    from sklearn.covariance import graphical_lasso
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # Which entries are there is settled long before the last digits are.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            precision = graphical_lasso(correlation, penalty, max_iter=50)[1]
        except FloatingPointError:
            return None
    return np.array([abs(precision[pair]) > _PRESENT for pair in pairs], dtype=float)
