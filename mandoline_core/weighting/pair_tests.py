"""Score tests of pairs: what weighting leaves of each pair that has no edge, and what an edge would do.

Moments of many pairs are taken at once on patterns, and their products never all written out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Floats
from mandoline_core.errors import ProjectError
from mandoline_core.weighting.potentials import build_tilt, expected_potentials
from mandoline_core.weighting.problem import Problem
from mandoline_core.weighting.reach import rule_out_empty
from mandoline_core.weighting.weights import WeightFit

FALSE_EDGE_RATE = 0.05  # over all pairs: how often tests find any if absent
# Products that are written out at one time: few enough to stay in the processor's cache.
_AT_ONCE = 2**16


class ProductPairs:
    """Hold slices that are independent given the pattern: a pair is the product of what each is expected to be.

    Parameters
    ----------
    slices : array of float, shape (n_patterns, n_slices)
    pairs : sequence of pair of int

    Examples
    --------
    >>> ProductPairs(np.array([[1.0, -1.0], [0.5, 1.0]]), [(0, 1)]).average(np.array([0.5, 0.5])).tolist()
    [-0.25]
    """

    def __init__(self, slices: Floats, pairs: Sequence[tuple[int, int]]) -> None:
        self.slices = np.ascontiguousarray(slices.T)  # (n_slices, n_patterns)
        self.first, self.second = (np.array([pair[end] for pair in pairs], dtype=np.intp) for end in (0, 1))
        self.n_pairs = len(pairs)

    def some(self, rows: slice) -> Floats:
        """Write out the products of some patterns, shape (n_pairs, n_some)."""
        slices = self.slices[:, rows]
        products = slices[self.first]
        products *= slices[self.second]
        return products

    def average(self, weights: Floats) -> Floats:
        """Add up over patterns with weights, shape (n_pairs,)."""
        return np.asarray(((self.slices * weights) @ self.slices.T)[self.first, self.second])

    def cross(self, potentials: Floats) -> Floats:
        """Add up products with weighted potentials, shape (n_potentials, n_pairs)."""
        total = np.zeros((self.n_pairs, potentials.shape[1]))
        for rows in self._steps(len(potentials)):
            total += self.some(rows) @ potentials[rows]
        return total.T

    def residual_squares(self, weights: Floats, potentials: Floats, lines: Floats, offset: Floats) -> Floats:
        """Add up weights * (pair - potentials . line - offset)**2 over patterns, shape (n_pairs,).

        Parameters
        ----------
        lines : array of float, shape (n_potentials, n_pairs)
        offset : array of float, shape (n_pairs,)
        """
        total = np.zeros(self.n_pairs)
        for rows in self._steps(len(potentials)):
            left = self.some(rows)
            left -= lines.T @ potentials[rows].T
            left -= offset[:, None]
            left *= left
            total += left @ weights[rows]
        return total

    def _steps(self, n_patterns: int) -> Iterator[slice]:
        step = max(_AT_ONCE // max(self.n_pairs, 1), 1)
        return (slice(start, start + step) for start in range(0, n_patterns, step))


class GivenPairs(ProductPairs):
    """Hold pairs that were worked out before, shape (n_patterns, n_pairs): slices of one component are dependent."""

    def __init__(self, columns: Floats) -> None:
        self.columns, self.n_pairs = columns, columns.shape[1]

    def some(self, rows: slice) -> Floats:
        """Take those of some patterns."""
        return self.columns[rows].T.copy()

    def average(self, weights: Floats) -> Floats:
        """Add up over patterns with weights, shape (n_pairs,)."""
        return weights @ self.columns


@dataclass(frozen=True)
class EdgeTest:
    """Report a score test of whether a pair's joint frequency is still off after weighting.

    Parameters
    ----------
    gap : float
        Target minus weighted source, in the mean of g_i g_j.
    z : float
        The gap over its standard error, after projecting out the fitted potentials; 0 where it cannot be tested.
    effect : float
        What the first Newton step of refitting with this edge would do to the estimate: nearly what the edge does.
        NaN for a metric that ranks rows.
    """

    edge: tuple[int, int]
    gap: float
    z: float
    effect: float


def score_tests(problem: Problem, fitted: WeightFit | None = None) -> tuple[EdgeTest, ...]:
    """Test every pair that has no edge yet, at the fitted weights, from moments of the patterns.

    The gap in g_i g_j is compared with its standard error from both samples, after projecting out the
    fitted potentials, whose own fitting absorbs part of the gap.
    """
    patterns = problem.patterns
    fitted = problem.fitted if fitted is None else fitted
    pairs = [pair for pair in itertools.combinations(range(len(patterns.names)), 2) if pair not in problem.edges]
    if not pairs:
        return ()
    rows, ratios = fitted.rows, ratios_of(fitted, patterns.source)
    n_kept = float(patterns.target @ fitted.kept)
    target = fitted.target_potentials
    target_pairs = ProductPairs(target[:, : len(patterns.names)], pairs)
    source, source_pairs, covariance, spread = _tilted(problem, fitted, pairs, ratios)
    weights = patterns.source[rows] * ratios / patterns.n_source
    means, target_means = source_pairs.average(weights), target_pairs.average(fitted.target_shares)
    centre, target_centre = weights @ source, fitted.target_shares @ target
    # What refitting the potentials takes over of a pair: its regression on them, under the fitted weights.
    lines = fitted.solution.inverse @ covariance
    leftover = spread - (lines * covariance).sum(axis=0)
    of_source, of_target = problem.spreads
    variance = source_pairs.residual_squares(
        weights * ratios / patterns.n_source * of_source[rows], source, lines, means - centre @ lines
    )
    offset = target_means - target_centre @ lines
    shares = fitted.target_shares / n_kept * of_target[fitted.target_rows]
    variance += target_pairs.residual_squares(shares, target, lines, offset)
    # A pair that is a combination of what is fitted leaves nothing to test.
    tested = (leftover >= 1e-8) & (variance > 0)
    gaps = target_means - means
    left = gaps - (target_centre - centre) @ lines
    z = np.divide(left, np.sqrt(variance), out=np.zeros(len(pairs)), where=tested)
    slopes = _value_slopes(problem, fitted, ratios)
    step = np.divide(left, leftover, out=np.zeros(len(pairs)), where=tested)
    effects = step * (source_pairs.average(slopes) - (slopes @ source) @ lines)
    return tuple(map(EdgeTest, pairs, gaps.tolist(), z.tolist(), effects.tolist()))


def edge_threshold(n_slices: int) -> float:
    """Return the |z| beyond which a pair is significant, corrected for the number of pairs (Bonferroni).

    >>> round(edge_threshold(2), 2), round(edge_threshold(8), 2)
    (1.96, 3.12)
    """
    n_pairs = n_slices * (n_slices - 1) // 2
    return -float(ndtri(FALSE_EDGE_RATE / (2 * n_pairs))) if n_pairs else float("inf")


def ratios_of(fitted: WeightFit, source: Floats) -> Floats:
    """Give unused patterns ratio 0 and let the ratios average 1 over all source rows."""
    ratios = np.where(fitted.unused[fitted.rows], 0.0, fitted.solution.ratios)
    counts = source[fitted.rows]
    return ratios * (counts.sum() / (counts @ ratios))


def _value_slopes(problem: Problem, fitted: WeightFit, ratios: Floats) -> Floats:
    """Differentiate the metric's value by the log-ratio of each source pattern, shape (n_source_patterns,)."""
    patterns = problem.patterns
    if problem.metric.ranked:
        return np.full(len(ratios), np.nan)
    sums, rows = patterns.sums[fitted.rows], patterns.source[fitted.rows]
    means = ratios @ sums / patterns.n_source
    slope = problem.metric.slope(means)
    return ratios * (sums @ slope - rows * float(means @ slope)) / patterns.n_source


def _tilted(
    problem: Problem, fitted: WeightFit, pairs: Sequence[tuple[int, int]], ratios: Floats
) -> tuple[Floats, ProductPairs, Floats, Floats]:
    """Compute what is fitted and the pairs under the tilt.

    Given the pattern, slices in different components are independent under the tilt, so a pair across
    components has the product of means; a pair inside one is computed by summing over both together.

    Returns
    -------
    potentials : array of float, shape (n_patterns, n_potentials)
        Tilted means of what is fitted.
    pairs : ProductPairs
        Tilted means of the pairs.
    covariance : array of float, shape (n_potentials, n_pairs)
    spread : array of float, shape (n_pairs,)
        The pairs' variances.
    """
    patterns, k = problem.patterns, len(problem.patterns.names)
    weights = ratios * patterns.source[fitted.rows] / patterns.n_source
    if fitted.tilt.certain:
        potentials = fitted.tilt.fixed
        products = ProductPairs(potentials[:, :k], pairs)
        means = products.average(weights)
        covariance = products.cross(weights[:, None] * (potentials - weights @ potentials))
        return potentials, products, covariance, 1 - means**2
    try:
        blocks = [_given_pairs(problem, fitted, pairs, weights)]
    except ProjectError:  # many uncertain slices, all joined by their pairs, are too many to add up together
        blocks = [_given_pair(problem, fitted, pair, weights) for pair in pairs]
    means, covariance, spread = (np.concatenate(parts, axis=-1) for parts in zip(*blocks, strict=True))
    return fitted.tilt.evaluate(fitted.solution.delta).mean, GivenPairs(means), covariance, spread


def _given_pair(
    problem: Problem, fitted: WeightFit, pair: tuple[int, int], weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Sum over one pair; where even that joins too many slices it varies by nothing, so that it is not tested."""
    try:
        return _given_pairs(problem, fitted, [pair], weights)
    except ProjectError:
        n_potentials = len(problem.patterns.names) + len(problem.edges)
        return np.zeros((len(weights), 1)), np.zeros((n_potentials, 1)), np.zeros(1)


def _given_pairs(
    problem: Problem, fitted: WeightFit, pairs: Sequence[tuple[int, int]], weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Sum over pairs together: their tilted means by pattern, their covariance with what is fitted, their variances."""
    patterns, corrections = problem.patterns, problem.corrections()
    wider, d = (*problem.edges, *pairs), len(patterns.names) + len(problem.edges)
    tilt = build_tilt(patterns.codes[fitted.rows], corrections.source, wider, patterns.names)
    target = expected_potentials(patterns.codes[fitted.target_rows], corrections.target, wider)
    delta = np.concatenate([fitted.solution.delta, np.zeros(len(pairs))])
    tilted = rule_out_empty(tilt, target)[0].evaluate(delta)
    second = tilted.covariance(weights)
    return tilted.mean[:, d:], second[:d, d:], np.diag(second)[d:]
