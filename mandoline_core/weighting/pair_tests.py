"""Score tests of pairs: what weighting leaves of each pair that has no edge, and what an edge would do."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from mandoline_core.arrays import Floats
from mandoline_core.errors import ProjectError
from mandoline_core.weighting.clusters import Edges
from mandoline_core.weighting.fitting import Fit
from mandoline_core.weighting.potentials import build_tilt, expected_potentials
from mandoline_core.weighting.problem import Problem
from mandoline_core.weighting.reach import rule_out_empty

FALSE_EDGE_RATE = 0.05


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


def score_tests(problem: Problem, fitted: Fit | None = None) -> tuple[EdgeTest, ...]:
    """Test every pair that has no edge yet, at the fitted weights, from one pass over the patterns.

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
    target = expected_potentials(patterns.codes[fitted.target_rows], corrections.target, wider)
    means, covariance = _wider_moments(problem, fitted, wider, target)
    rows, ratios = fitted.rows, ratios_of(fitted, patterns.source)
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
    left = gaps[d:] - gaps[:d] @ lines
    z = np.divide(left, np.sqrt(variance), out=np.zeros(len(pairs)), where=tested)
    slopes = _value_slopes(problem, fitted, ratios) @ means
    step = np.divide(left, leftover, out=np.zeros(len(pairs)), where=tested)
    effects = step * (slopes[d:] - slopes[:d] @ lines)
    return tuple(map(EdgeTest, pairs, gaps[d:].tolist(), z.tolist(), effects.tolist()))


def edge_threshold(n_slices: int) -> float:
    """Return the |z| beyond which a pair stands out, corrected for the number of pairs (Bonferroni).

    >>> round(edge_threshold(2), 2), round(edge_threshold(8), 2)
    (1.96, 3.12)
    """
    n_pairs = n_slices * (n_slices - 1) // 2
    return -float(ndtri(FALSE_EDGE_RATE / (2 * n_pairs))) if n_pairs else float("inf")


def ratios_of(fitted: Fit, source: Floats) -> Floats:
    """Give unused patterns ratio 0 and let the ratios average 1 over all source rows."""
    ratios = np.where(fitted.unused[fitted.rows], 0.0, fitted.solution.ratios)
    counts = source[fitted.rows]
    return ratios * (counts.sum() / (counts @ ratios))


def _value_slopes(problem: Problem, fitted: Fit, ratios: Floats) -> Floats:
    """Differentiate the metric's value by the log-ratio of each source pattern, shape (n_source_patterns,)."""
    patterns = problem.patterns
    if problem.metric.ranked:
        return np.full(len(ratios), np.nan)
    sums, rows = patterns.sums[fitted.rows], patterns.source[fitted.rows]
    means = ratios @ sums / patterns.n_source
    slope = problem.metric.slope(means)
    return ratios * (sums @ slope - rows * float(means @ slope)) / patterns.n_source


def _wider_moments(problem: Problem, fitted: Fit, edges: Edges, target: Floats) -> tuple[Floats, Floats]:
    """Compute the tilted means (per pattern) and the covariance of more potentials than were fitted.

    Given the pattern, slices in different components are independent under the tilt, so a pair across
    components has the product of means; a pair inside one is computed by enumerating it together.
    """
    patterns = problem.patterns
    delta = np.concatenate([fitted.solution.delta, np.zeros(len(edges) - len(problem.edges))])
    weights = ratios_of(fitted, patterns.source) * patterns.source[fitted.rows] / patterns.n_source
    corrections = problem.corrections().source
    codes = patterns.codes[fitted.rows]
    if fitted.tilt.certain:
        potentials = expected_potentials(codes, corrections, edges)
        centred = potentials - weights @ potentials
        return potentials, (weights[:, None] * centred).T @ centred
    try:
        tilt = build_tilt(codes, corrections, edges, patterns.names)
    except ProjectError as error:
        raise ProjectError(
            f'edges = "auto" tests every pair of slices, which needs them enumerated together. {error}'
        ) from None
    tilted = rule_out_empty(tilt, target)[0].evaluate(delta)
    return tilted.mean, tilted.covariance(weights)
