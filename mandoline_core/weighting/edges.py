"""Edges: slices that move together. Given by a person, or learned by score tests."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError, ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.weighting.fitting import Fit
from mandoline_core.weighting.potentials import Edges, build_tilt, expected_potentials
from mandoline_core.weighting.problem import Problem

FALSE_EDGE_RATE = 0.05
MAX_ROUNDS = 10
# An edge needs source rows in each combination of its two slices that the target shows.
MIN_CELL = 5
# Testing pairs of uncertain slices means enumerating them together.
MAX_UNCERTAIN = 8


@dataclass(frozen=True)
class EdgeTest:
    """Report a score test of whether a pair's joint frequency is still off after weighting.

    Parameters
    ----------
    gap : float
        Target minus weighted source, in the mean of g_i g_j.
    z : float
        The gap over its standard error, after projecting out the fitted potentials; 0 where it cannot be tested.
    """

    edge: tuple[int, int]
    gap: float
    z: float


@dataclass(frozen=True)
class LearnedEdges:
    """Hold the edges that score tests chose, each with the z-value that brought it in."""

    edges: Edges
    z: tuple[float, ...]


def edges_by_name(pairs: Sequence[Sequence[str]], names: Sequence[str]) -> Edges:
    """Translate pairs of slice names to pairs of slice numbers.

    >>> edges_by_name([("b", "a")], ["a", "b"])
    ((0, 1),)
    """
    position = {name: i for i, name in enumerate(names)}
    found = []
    for pair in pairs:
        for name in pair:
            if name not in position:
                raise ProjectError(
                    f"Edge {list(pair)!r} names slice {name!r}, which is not in use. "
                    f"Slices: {listed(names)}.{did_you_mean(str(name), names)}"
                )
        found.append((position[pair[0]], position[pair[1]]))
    return check_edges(found, len(names))


def check_edges(pairs: Sequence[Sequence[int]], n_slices: int) -> Edges:
    """Put pairs of slice numbers in order; refuse loops, repeats and numbers out of range.

    >>> check_edges([(2, 0)], 3)
    ((0, 2),)
    """
    found = []
    for pair in pairs:
        if len(pair) != 2:
            raise ProjectError(f"An edge joins two slices. Got {list(pair)!r}.")
        i, j = sorted(int(x) for x in pair)
        if not 0 <= i <= j < n_slices:
            raise ProjectError(f"Edge {list(pair)!r} is out of range: slices are numbered 0 to {n_slices - 1}.")
        if i == j:
            raise ProjectError(f"Edge {list(pair)!r} joins a slice to itself. An edge needs two different slices.")
        if (i, j) in found:
            raise ProjectError(f"Edge {list(pair)!r} is given twice. Remove one of the two.")
        found.append((i, j))
    return tuple(found)


def score_tests(problem: Problem, fitted: Fit | None = None) -> tuple[EdgeTest, ...]:
    """Test every pair that has no edge yet, at the fitted weights.

    The gap in g_i g_j is compared with its standard error from both samples, after projecting out the
    fitted potentials, whose own fitting absorbs part of the gap.
    """
    patterns, corrections = problem.patterns, problem.corrections()
    fitted = problem.fitted if fitted is None else fitted
    pairs = [pair for pair in itertools.combinations(range(len(patterns.names)), 2) if pair not in problem.edges]
    if not pairs:
        return ()
    d = len(patterns.names) + len(problem.edges)
    wider = (*problem.edges, *pairs)
    means, covariance = _wider_moments(problem, fitted, wider)
    rows, ratios = fitted.rows, _ratios(fitted, patterns.source)
    target = expected_potentials(patterns.codes[fitted.target_rows], corrections.target, wider)
    gaps = fitted.target_shares @ target - (patterns.source[rows] * ratios / patterns.n_source) @ means
    n_kept = float(patterns.target @ fitted.kept)
    lines = fitted.solution.inverse @ covariance[:d, d:]
    leftover = np.diag(covariance)[d:] - (lines * covariance[:d, d:]).sum(axis=0)
    at_source = ratios[:, None] * (means[:, d:] - means[:, :d] @ lines)
    at_source -= np.outer(ratios, patterns.source[rows] @ at_source / patterns.n_source)
    at_target = target[:, d:] - target[:, :d] @ lines
    at_target -= fitted.target_shares @ at_target
    variance = (
        patterns.source[rows] @ at_source**2 / patterns.n_source**2 + fitted.target_shares @ at_target**2 / n_kept
    )
    # A pair that is a combination of what is fitted leaves nothing to test.
    tested = (leftover >= 1e-8) & (variance > 0)
    z = np.divide(gaps[d:] - gaps[:d] @ lines, np.sqrt(variance), out=np.zeros(len(pairs)), where=tested)
    return tuple(map(EdgeTest, pairs, gaps[d:].tolist(), z.tolist()))


def edge_threshold(n_slices: int) -> float:
    """Return the |z| beyond which a pair stands out, corrected for the number of pairs (Bonferroni).

    >>> round(edge_threshold(2), 2), round(edge_threshold(8), 2)
    (1.96, 3.12)
    """
    n_pairs = n_slices * (n_slices - 1) // 2
    return -float(ndtri(FALSE_EDGE_RATE / (2 * n_pairs))) if n_pairs else float("inf")


def pair_gaps(problem: Problem) -> dict[tuple[int, int], tuple[float, float]]:
    """Compare how often two slices agree in the target with the source, before and after weighting.

    Returns
    -------
    dict of pair to (before, after)
        Target minus source, in the share of rows on which the two slices (corrected) agree.
    """
    patterns, corrections = problem.patterns, problem.corrections()
    fitted = problem.fitted
    pairs = tuple(itertools.combinations(range(len(patterns.names)), 2))
    k, rows = len(patterns.names), fitted.rows
    target = fitted.target_shares @ expected_potentials(patterns.codes[fitted.target_rows], corrections.target, pairs)
    source = expected_potentials(patterns.codes[rows], corrections.source, pairs)
    plain = patterns.source[rows] / patterns.n_source
    before = target - plain @ source
    after = target - (plain * _ratios(fitted, patterns.source)) @ source
    # Two slices agree in (1 + E[g_i g_j]) / 2 of the rows.
    return {pair: (float(before[k + n] / 2), float(after[k + n] / 2)) for n, pair in enumerate(pairs)}


def learn_edges(problem: Problem) -> LearnedEdges:
    """Add edges by score tests until no pair stands out.

    Each round adds the pairs beyond a Bonferroni threshold and refits. A pair is passed over when the source
    has too few rows in one of its combinations, or when adding it would put target rows out of reach.

    Parameters
    ----------
    problem : Problem
        Its own edges are kept.
    """
    threshold = edge_threshold(len(problem.patterns.names))
    chosen: dict[tuple[int, int], float] = {}
    refused: set[tuple[int, int]] = set()
    fitted = problem.fitted
    for _ in range(MAX_ROUNDS):
        tests = [test for test in score_tests(problem, fitted) if abs(test.z) > threshold and test.edge not in refused]
        tests = [test for test in tests if has_rows(problem, test.edge)]
        if not tests:
            break
        tests.sort(key=lambda test: (-abs(test.z), test.edge))
        bigger, refitted = _add(problem, fitted, [test.edge for test in tests])
        if refitted is None:
            bigger, refitted, left_out = _add_one_by_one(problem, fitted, [test.edge for test in tests])
            refused |= left_out
        chosen |= {test.edge: test.z for test in tests if test.edge in bigger.edges}
        problem, fitted = bigger, refitted
    return LearnedEdges(tuple(sorted(chosen)), tuple(chosen[edge] for edge in sorted(chosen)))


def _add(problem: Problem, fitted: Fit, edges: Sequence[tuple[int, int]]) -> tuple[Problem, Fit | None]:
    """Refit with more edges; no fit when that loses target rows, source rows or convergence."""
    bigger = replace(problem, edges=(*problem.edges, *edges))
    try:
        refitted = bigger.fitted
    except MandolineError:
        return bigger, None
    worse = (refitted.kept < fitted.kept - 1e-9).any() or (refitted.unused & ~fitted.unused).any()
    return bigger, None if worse or not refitted.solution.converged else refitted


def _add_one_by_one(
    problem: Problem, fitted: Fit, edges: Sequence[tuple[int, int]]
) -> tuple[Problem, Fit, set[tuple[int, int]]]:
    left_out = set()
    for edge in edges:
        bigger, refitted = _add(problem, fitted, [edge])
        if refitted is None:
            left_out.add(edge)
        else:
            problem, fitted = bigger, refitted
    return problem, fitted, left_out


def has_rows(problem: Problem, edge: tuple[int, int]) -> bool:
    """Tell whether there are rows to learn an edge from: a few source rows in each combination that the target shows.

    A combination that neither sample shows leaves nothing to learn: two buckets of one column, a slice and its
    opposite, or a slice and a part of it never meet in one of the four, and the slices alone settle the others.
    """
    patterns = problem.patterns
    for codes in itertools.product((-1, 1), repeat=2):
        here = (patterns.codes[:, edge] == codes).all(axis=1)
        source, target = patterns.source[here].sum(), patterns.target[here].sum()
        if source < MIN_CELL and (target > 0 or source == 0):
            return False
    return True


def count_uncertain(problem: Problem) -> int:
    """Count the slices whose truth is not what they say: noisy ones, and those that abstain in the source."""
    noisy = (problem.rule.source[:, [0, 2]] != [0.0, 1.0]).any(axis=1)
    abstains = problem.patterns.rates("source")[:, 1] > 0
    return int((noisy | abstains).sum())


def _ratios(fitted: Fit, source: Floats) -> Floats:
    """Give unused patterns ratio 0 and let the ratios average 1 over all source rows."""
    ratios = np.where(fitted.unused[fitted.rows], 0.0, fitted.solution.ratios)
    counts = source[fitted.rows]
    return ratios * (counts.sum() / (counts @ ratios))


def _wider_moments(problem: Problem, fitted: Fit, edges: Edges) -> tuple[Floats, Floats]:
    """Compute the tilted means (per pattern) and the covariance of more potentials than were fitted.

    Given the pattern, slices in different components are independent under the tilt, so a pair across
    components has the product of means; a pair inside one is computed by enumerating it together.
    """
    patterns = problem.patterns
    delta = np.concatenate([fitted.solution.delta, np.zeros(len(edges) - len(problem.edges))])
    weights = _ratios(fitted, patterns.source) * patterns.source[fitted.rows] / patterns.n_source
    corrections = problem.corrections().source
    codes = patterns.codes[fitted.rows]
    if fitted.tilt.certain:
        potentials = expected_potentials(codes, corrections, edges)
        centred = potentials - weights @ potentials
        return potentials, (weights[:, None] * centred).T @ centred
    try:
        tilted = build_tilt(codes, corrections, edges, patterns.names).evaluate(delta)
    except ProjectError as error:
        raise ProjectError(
            f'edges = "auto" tests every pair of slices, which needs them enumerated together. {error}'
        ) from None
    return tilted.mean, tilted.covariance(weights)
