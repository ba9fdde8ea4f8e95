"""Allocation: how many labels each slice pattern gets, and which rows are drawn for them."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.estimators import Outcome
from mandoline_core.patterns import add_up
from mandoline_core.weighting import Problem

PRIOR_ROWS = 5.0  # a pattern's spread is drawn towards the overall one as if so many rows had shown that
LEAST_SPREAD = 0.25  # of the overall one


def allocate(counts: Floats, spread: Floats, n: int) -> Floats:
    """Share n labels out among patterns, in proportion to rows times spread; numbers need not be whole.

    No pattern gets more than its rows, and one that a random draw would meet at least once gets at least one.

    Parameters
    ----------
    counts, spread : array of float, shape (n_patterns,)

    Examples
    --------
    >>> allocate(np.array([60.0, 30.0, 10.0]), np.array([0.1, 0.4, 0.2]), 10).round(2).tolist()
    [3.0, 6.0, 1.0]
    """
    size = counts * spread
    least = np.where(counts * n >= counts.sum(), 1.0, 0.0)
    low, high = 0.0, float((counts[size > 0] / size[size > 0]).max(initial=1.0))
    for _ in range(200):  # the total grows with the scale, from too few to all rows
        scale = (low + high) / 2
        low, high = (scale, high) if np.clip(scale * size, least, counts).sum() < n else (low, scale)
    return np.clip(high * size, least, counts)


def spreads(problem: Problem, outcome: Outcome) -> Floats:
    """Return the standard deviation of scores within each pattern, shape (n_patterns,).

    In the source, drawn towards the overall one; where the source has no row, the largest of all.

    Parameters
    ----------
    outcome : Outcome
        Says at which means the metric's slope is taken.
    """
    members, gradient = problem.members, problem.metric.slope(outcome.means)
    scores, rows = members.statistics @ gradient, problem.patterns.source
    mean = add_up(members.source, scores * members.source_rows, len(rows)) / np.maximum(rows, 1)
    squares = add_up(members.source, (scores - mean[members.source]) ** 2 * members.source_rows, len(rows))
    overall = float(scores.var()) if scores.var() > 0 else 1.0  # all the same: nothing to prefer one pattern for
    variance = (squares + PRIOR_ROWS * overall) / (rows + PRIOR_ROWS)
    seen = rows > 0
    # Rows that were always right on the source may not be on the target: they keep some chance.
    return np.sqrt(np.where(seen, np.maximum(variance, LEAST_SPREAD**2 * overall), variance[seen].max()))


def round_at_random(expected: Floats, rng: np.random.Generator) -> Index:
    """Round up or down so that each number is right on average and the total stays: a systematic draw."""
    order = rng.permutation(len(expected))
    ends = np.cumsum(expected[order])
    ends[-1] = round(ends[-1])
    steps = np.floor(ends + rng.random()).astype(np.intp)
    planned = np.empty(len(expected), dtype=np.intp)
    planned[order] = np.diff(steps, prepend=0)
    return planned


def draw_rows(rows: Index, index: Index, planned: Index, rng: np.random.Generator) -> Index:
    """Draw so many rows of each pattern; all in random order."""
    mixed = rng.permutation(rows)
    by_pattern = mixed[np.argsort(index[mixed], kind="stable")]
    pattern = index[by_pattern]
    place = np.arange(len(pattern)) - np.searchsorted(pattern, pattern)
    return rng.permutation(by_pattern[place < planned[pattern]])
