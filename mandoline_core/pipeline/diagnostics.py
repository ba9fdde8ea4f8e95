"""Diagnostics of the weights, and the interval of an estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.estimators import Outcome, effective_rows, influence_interval, prediction_error, root_of_squares
from mandoline_core.metrics import smaller_class
from mandoline_core.weighting import Problem


@dataclass(frozen=True)
class Diagnostics:
    """Hold what the weights look like.

    Parameters
    ----------
    effective_sample_size : float
        1 / sum of squared weights: the number of equally weighted rows that would be as informative. Design weights
        are part of the weights.
    design_effect : float
        Number of scored labelled rows divided by the effective sample size.
    largest_ratio : float
        Largest weight, relative to equal weights; of rows with design weights, relative to these.
    unseen : float
        Share of the new data in patterns without a labelled row.
    set_aside : float
        Share of the new data that the estimate leaves out.
    group_design_effect : float or None
        How many times as large the variance is as if rows were independent; None where rows are on their own.
    bounds : pair of floats or None
        Bounds of the metric on all of the new data, for any scores of the rows left out.
    """

    effective_sample_size: float
    design_effect: float
    largest_ratio: float
    unseen: float
    set_aside: float
    bounds: Interval | None
    group_design_effect: float | None = None


def diagnose(problem: Problem, outcome: Outcome) -> Diagnostics:
    """Compute the diagnostics of an outcome."""
    table = problem.patterns
    if outcome.scored_weights is not None:
        rows = problem.members.source_rows
        some = rows > 0
        weights, counts = (outcome.scored_weights[some] / rows[some])[None, :], rows[None, some]
    else:
        counts = np.array([group.source for group in problem.groups])
        weights = np.where(counts > 0, outcome.row_weights, 0.0)
    # Rows that only serve to fit have no weight and are not averaged over.
    n_evaluated = float(counts[weights.any(axis=1)].sum())
    effective = effective_rows(problem, outcome.row_weights, outcome.scored_weights)
    n_target = max(table.n_target, 1.0)  # a part of the samples, such as a slice's rows, may have none
    set_aside = float(table.target @ (1 - outcome.kept) / n_target)
    return Diagnostics(
        effective_sample_size=effective,
        design_effect=n_evaluated / effective,
        largest_ratio=float(weights.max()) * n_evaluated,
        unseen=float(table.target[table.source == 0].sum() / n_target),
        set_aside=set_aside,
        bounds=_bounds(problem, outcome.value, set_aside),
        group_design_effect=_group_design_effect(problem, outcome),
    )


def _group_design_effect(problem: Problem, outcome: Outcome) -> float | None:
    """Compare the variance by groups with that of independent rows."""
    members = problem.designed
    if members is None or all(side.clusters is None for side in members.design):
        return None
    pieces = outcome.influence.pieces(members)
    alone = root_of_squares(pieces)
    return (root_of_squares(members.together(pieces)) / alone) ** 2 if alone else 1.0


def degrees_of_freedom(problem: Problem, outcome: Outcome) -> float | None:
    """Count the degrees of freedom of a variance by groups (Satterthwaite); None where rows are on their own."""
    members = problem.designed
    if members is None or all(side.clusters is None for side in members.design):
        return None
    pieces = members.together(outcome.influence.pieces(members))
    if len(pieces) < 2:  # redraws show the spread itself
        return None
    counts = (
        side.effective(weights, rows)
        for side, weights, rows in zip(
            members.design,
            (outcome.weights(members), members.target_rows),
            (members.source_rows, members.target_rows),
            strict=True,
        )
    )
    variances = [float(piece @ piece) for piece in pieces[:2]]
    each = sum(variance**2 / max(n - 1, 1) for variance, n in zip(variances, counts, strict=True))
    return sum(variances) ** 2 / each if each else None


def interval_of(
    problem: Problem,
    outcome: Outcome,
    confidence: float,
    diagnostics: Diagnostics | None = None,
    choice_error: float = 0.0,
) -> Interval:
    """Put the influence-function interval around an outcome.

    A ratio such as recall rests on the rows below its line only. Where it is all or nothing, and the exact interval
    for a number of rows is used, those are the rows that count: a cell that moves the value by 1 / share a row is
    one of a share of the rows. A ranking rests on the smaller class. Where the outcome must span others, the interval
    reaches over theirs.
    """
    error = math.hypot(outcome.influence.standard_error(), choice_error)
    own = _interval_by(problem, outcome, error, confidence, diagnostics)
    others = (interval_of(problem, other, confidence, choice_error=choice_error) for other in outcome.spanned)
    return hull(own, *others)


def prediction_interval_of(
    problem: Problem,
    outcome: Outcome,
    confidence: float,
    diagnostics: Diagnostics | None = None,
    choice_error: float = 0.0,
) -> Interval | None:
    """Put an interval around an outcome that holds the score of exactly these new rows, or return None."""
    error = prediction_error(problem, outcome)
    others = [
        prediction_interval_of(problem, other, confidence, choice_error=choice_error) for other in outcome.spanned
    ]
    if error is None or None in others:
        return None
    error = math.hypot(error, choice_error)
    own = _interval_by(problem, outcome, error, confidence, diagnostics, new_rows=max(problem.alike_rows[1], 1.0))
    return hull(own, *(other for other in others if other is not None))


def _interval_by(
    problem: Problem,
    outcome: Outcome,
    standard_error: float,
    confidence: float,
    diagnostics: Diagnostics | None,
    new_rows: float = math.inf,
) -> Interval:
    effective = (diagnostics or diagnose(problem, outcome)).effective_sample_size
    if problem.metric.rank is not None:
        members = problem.members
        alike = members.design[0].alike(members.source_rows)
        effective = smaller_class(members.statistics, outcome.weights(members), alike)
    elif not problem.metric.ranked and not problem.metric.is_mean:
        effective /= max(1.0, float(np.abs(problem.metric.slope(outcome.means)).max()))
    if problem.designed is not None:  # where all scores are alike, how alike groups are cannot be seen
        cells = problem.designed
        effective = min(effective, cells.design[0].effective(outcome.weights(cells), cells.source_rows))
    return influence_interval(
        outcome.value,
        standard_error,
        confidence=confidence,
        bounds=problem.metric.bounds,
        # Where all rows score alike, the score of a few new rows is as uncertain as that of a few labelled ones.
        effective_rows=1 / (1 / effective + 1 / new_rows),
        student=problem.metric.rank is not None,
        degrees=degrees_of_freedom(problem, outcome),
    )


def hull(*intervals: Interval) -> Interval:
    """Return the shortest interval that holds all of some.

    >>> hull((0.2, 0.4), (0.3, 0.7))
    (0.2, 0.7)
    """
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def widen(interval: Interval, by: float, bounds: Interval | None) -> Interval:
    """Widen an interval both ways, within the metric's bounds.

    >>> widen((0.5, 0.75), 0.5, (0.0, 1.0))
    (0.0, 1.0)
    """
    low, high = bounds or (-math.inf, math.inf)
    return max(interval[0] - by, low), min(interval[1] + by, high)


def _bounds(problem: Problem, value: float, set_aside: float) -> Interval | None:
    if problem.metric.bounds is None or set_aside == 0 or not problem.metric.is_mean:
        return None
    low, high = problem.metric.bounds
    return (1 - set_aside) * value + set_aside * low, (1 - set_aside) * value + set_aside * high
