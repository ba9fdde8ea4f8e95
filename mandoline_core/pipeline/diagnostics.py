"""Diagnostics: what the weights look like, in numbers, and the interval that goes with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.estimators import Outcome, influence_interval
from mandoline_core.metrics import smaller_class
from mandoline_core.weighting import Problem


@dataclass(frozen=True)
class Diagnostics:
    """Hold what the weights look like.

    Parameters
    ----------
    effective_sample_size : float
        1 / sum of squared weights: so many equally weighted rows would be as informative.
    design_effect : float
        Source rows evaluated, over the effective sample size.
    largest_ratio : float
        How many times the heaviest row counts.
    unseen : float
        Share of the target in patterns that no source row shows.
    set_aside : float
        Share of the target that the estimate does not speak of.
    bounds : pair of floats or None
        Where the metric on the whole target must lie whatever happens in the part set aside.
    """

    effective_sample_size: float
    design_effect: float
    largest_ratio: float
    unseen: float
    set_aside: float
    bounds: Interval | None


def diagnose(problem: Problem, outcome: Outcome) -> Diagnostics:
    """Compute the diagnostics of an outcome."""
    table = problem.patterns
    if outcome.scored_weights is not None:
        weights, counts = outcome.scored_weights[None, :], np.ones((1, len(outcome.scored_weights)))
    else:
        counts = np.array([group.source for group in problem.groups])
        weights = np.where(counts > 0, outcome.row_weights, 0.0)
    # Rows that only serve to fit have no weight and are not averaged over.
    n_evaluated = float(counts[weights.any(axis=1)].sum())
    effective = 1 / float((counts * weights**2).sum())
    n_target = max(table.n_target, 1.0)  # a part of the samples, such as a slice's rows, may have none
    set_aside = float(table.target @ (1 - outcome.kept) / n_target)
    return Diagnostics(
        effective_sample_size=effective,
        design_effect=n_evaluated / effective,
        largest_ratio=float(weights.max()) * n_evaluated,
        unseen=float(table.target[table.source == 0].sum() / n_target),
        set_aside=set_aside,
        bounds=_bounds(problem, outcome.value, set_aside),
    )


def interval_of(
    problem: Problem, outcome: Outcome, confidence: float, diagnostics: Diagnostics | None = None
) -> Interval:
    """Put the influence-function interval around an outcome.

    A ratio such as recall rests on the rows below its line only. Where it is all or nothing, and the exact interval
    for a number of rows is used, those are the rows that count: a cell that moves the value by 1 / share a row is
    one of a share of the rows. A ranking rests on the smaller class. Where the outcome must span others, the interval
    reaches over theirs.
    """
    effective = (diagnostics or diagnose(problem, outcome)).effective_sample_size
    if problem.metric.ranked:
        members = problem.members
        effective = smaller_class(members.statistics, outcome.weights(members), members.source_rows)
    elif not problem.metric.is_mean:
        effective /= max(1.0, float(np.abs(problem.metric.slope(outcome.means)).max()))
    own = influence_interval(
        outcome.value,
        outcome.influence.standard_error(),
        confidence=confidence,
        bounds=problem.metric.bounds,
        effective_rows=effective,
        student=problem.metric.ranked,
    )
    return hull(own, *(interval_of(problem, other, confidence) for other in outcome.spanned))


def hull(*intervals: Interval) -> Interval:
    """Return the shortest interval that holds all of some.

    >>> hull((0.2, 0.4), (0.3, 0.7))
    (0.2, 0.7)
    """
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def _bounds(problem: Problem, value: float, set_aside: float) -> Interval | None:
    if problem.metric.bounds is None or set_aside == 0 or not problem.metric.is_mean:
        return None
    low, high = problem.metric.bounds
    return (1 - set_aside) * value + set_aside * low, (1 - set_aside) * value + set_aside * high
