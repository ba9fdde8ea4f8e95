"""Edges from how slices depend on each other in the source: the inverse covariance, and graphical lasso."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import take_step
from mandoline_core.patterns import Patterns
from mandoline_core.weighting.clusters import Edges
from mandoline_core.weighting.edges import has_rows
from mandoline_core.weighting.learning import add_edges
from mandoline_core.weighting.problem import Problem

SUBSAMPLES = 50
# A pair is stable if it is found in this share of the subsamples.
STABLE = 0.9
# So many pairs may be found by accident, on average.
FALSE_PAIRS = 1.0
_HALVINGS = 12  # of the interval in which the penalty is looked for
_SHRINKAGE = 0.05  # of correlations: a slice and its opposite, or buckets, would leave nothing to invert
_PRESENT = 1e-6  # a smaller partial correlation is none


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

    The penalty is the one at which it finds so many pairs in all rows that, by the bound of Meinshausen and Buehlmann,
    at most one stable pair is an accident. Halves are drawn from the counts of patterns. Pairs that cannot be joined
    are passed over, as for the inverse covariance.
    """
    table, pairs = problem.patterns, _possible(problem)
    if not pairs:
        return problem.edges
    wanted = max(1, int(np.sqrt((2 * STABLE - 1) * len(pairs) * FALSE_PAIRS)))
    penalty = _penalty(_correlation(table, table.source), pairs, wanted)
    counts = table.source.astype(np.int64)
    half = int(counts.sum() // 2)
    found = np.zeros(len(pairs))
    for _ in range(SUBSAMPLES):
        take_step()
        drawn = rng.multivariate_hypergeometric(counts, half, method="marginals").astype(float)
        here = _present(_correlation(table, drawn), penalty, pairs)
        found += 0.0 if here is None else here
    share = found / SUBSAMPLES
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
    """Find the largest penalty at which at least so many pairs are found."""
    low, high = 0.01, max(0.02, float(np.abs(correlation - np.eye(len(correlation))).max()))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = _present(correlation, middle, pairs)
        if found is None or found.sum() >= wanted:
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
