"""Support: which target rows match no labelled row, and the bounds on the metric that follow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import counted, show_percent
from mandoline_core.patterns import Patterns, describe
from mandoline_core.pipeline import Estimate
from mandoline_core.weighting import Problem

MOST_SHOWN = 5
TINY = 5  # source rows: the score of fewer is mostly sampling error


@dataclass(frozen=True)
class Support:
    """Hold how much of the target the source covers.

    Parameters
    ----------
    unseen : float
        Share of the target in patterns without a source row.
    rare : float
        Share of the target in patterns with 1 to 4 source rows.
    bounds : pair of floats or None
        The range of the metric on the whole target, whatever the unseen rows score, before sampling error.
    assumes : str
        What the bounds assume; or why there are no bounds.
    worst : tuple of str
        The unseen and rare patterns with most target rows, in words: the slices they are in, not in where most labelled
        rows are, and unknown; and how many rows they have.
    """

    unseen: float
    rare: float
    bounds: Interval | None
    assumes: str
    worst: tuple[str, ...]


def support(report: Estimate) -> Support:
    """Find combinations of slices that occur in the target but not, or hardly, in the source.

    The bounds estimate the seen part by the same method and give every unseen row the worst, then the best possible
    score: (1 - u) * estimate of the seen part + u * bound. They need a metric that is a mean with finite bounds,
    and a method that works on patterns.

    Examples
    --------
    >>> import numpy as np
    >>> from mandoline_core import estimate_from_codes
    >>> source = np.array([[1, -1], [1, -1], [-1, 1], [-1, -1]])
    >>> target = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> found = support(estimate_from_codes(source, np.ones(4), target, names=["long", "slang"]).first)
    >>> found.unseen, found.worst[0]
    (0.25, 'long, slang: 25.0% of new rows, no labelled row')
    >>> [round(bound, 6) for bound in found.bounds]
    [0.75, 1.0]
    """
    table = report.problem.patterns
    shares, rows = table.target / table.n_target, report.problem.row_counts[0]
    unseen, rare = table.source == 0, (table.source > 0) & (rows < TINY)
    bounds, assumes = _bounds(report)
    order = np.flatnonzero((unseen | rare) & (shares > 0))
    order = order[np.lexsort((order, rows[order], -shares[order]))][:MOST_SHOWN]
    return Support(
        unseen=float(shares[unseen].sum()),
        rare=float(shares[rare].sum()),
        bounds=bounds,
        assumes=assumes,
        worst=tuple(
            f"{words}: {show_percent(shares[pattern])} of new rows, "
            f"{counted(round(rows[pattern]), 'labelled row') if table.source[pattern] else 'no labelled row'}"
            for words, pattern in zip(_describe(table, order), order, strict=True)
        ),
    )


def _bounds(report: Estimate) -> tuple[Interval | None, str]:
    problem, metric = report.problem, report.problem.metric
    if not metric.is_mean:
        return None, f"No bounds: {metric.name} is not a mean over rows."
    if metric.bounds is None or not all(map(math.isfinite, metric.bounds)):
        return None, f"No bounds: {metric.name} has no upper limit."
    low, high = metric.bounds
    value, target = report.estimate, report.outcome.kept * problem.patterns.target
    if target[problem.patterns.source == 0].sum() > 0:
        estimator = get_estimator(report.estimator)
        if not (estimator.on_patterns and estimator.uses_slices):
            return None, "No bounds: this method does not use slices alone."
        seen = _seen(problem)
        if seen.patterns.target.sum() == 0:
            return (low, high), "Nothing is assumed: no new row matches a labelled row."
        try:
            outcome = estimator.estimate(seen)
        except MandolineError as error:
            return None, f"No bounds: the new rows that match labelled rows cannot be estimated on their own. {error!s}"
        value, target = outcome.value, outcome.kept * seen.patterns.target
    left = float(target.sum() / problem.patterns.n_target)
    bounds = (left * value + (1 - left) * low, left * value + (1 - left) * high)
    if left > 1 - 1e-12:
        return bounds, "Every combination of slices in the new data has labelled rows, so there is nothing to bound."
    return bounds, (
        f"Assumes that {show_percent(left)} of the new data scores like labelled rows with the same slices. Nothing is "
        f"assumed about the other {show_percent(1 - left)}. Sampling error is not included."
    )


def _seen(problem: Problem) -> Problem:
    """Leave out the target rows of patterns that no source row has."""
    seen = problem.patterns.source > 0
    groups = tuple(group.keep_target(seen) for group in problem.groups)
    return replace(problem, patterns=problem.patterns.keep_target(seen), groups=groups)


def _describe(table: Patterns, patterns: np.ndarray) -> list[str]:
    """Name what is unusual about each pattern; everything, where two would read the same."""
    common = [name for name, inside in zip(table.names, table.rates("source")[:, 2], strict=True) if inside > 0.5]
    short = [describe(table.names, table.codes[pattern], say_not=common) for pattern in patterns]
    return [
        words if short.count(words) == 1 else describe(table.names, table.codes[pattern], say_not=table.names)
        for words, pattern in zip(short, patterns, strict=True)
    ]
