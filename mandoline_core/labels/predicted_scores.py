"""Predicted scores: what the source, weighted like the target, leads one to expect of each target row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import (
    FEWEST,
    Outcome,
    OutcomeDesign,
    usable_rows,
    why_not_new_classes,
    why_not_probabilities,
)
from mandoline_core.weighting import Problem, expected_potentials


class PredictedScores(NamedTuple):
    """Hold the predicted statistics of the target rows; no label of the target has a part in them.

    Parameters
    ----------
    by_slices : array of float, shape (n_target, n_statistics)
        From the slices alone.
    best : array of float, shape (n_target, n_statistics)
        From the slices, and from confidence and predicted class where they are known.
    """

    by_slices: Floats
    best: Floats
    uses_confidence: bool


def predict_scores(problem: Problem, outcome: Outcome) -> PredictedScores:
    """Regress the source's statistics on slices, and on confidence; apply the lines to the target.

    Parameters
    ----------
    outcome : Outcome
        Whose weights make the source look like the target.
    """
    members = problem.members
    potentials = expected_potentials(problem.patterns.codes, problem.corrections().source, problem.edges)
    before, after = potentials[members.source], potentials[members.target]
    weights, statistics = outcome.weights(members), members.statistics
    by_slices = regress(before, statistics, weights, after)
    if why_not_probabilities(problem) or why_not_new_classes(problem):
        return PredictedScores(by_slices, by_slices, uses_confidence=False)
    try:
        known = usable_rows(problem)
    except MandolineError:
        return PredictedScores(by_slices, by_slices, uses_confidence=False)
    source, target = known.source, known.target
    if len(source) < FEWEST or not weights[source.rows].any():
        return PredictedScores(by_slices, by_slices, uses_confidence=False)
    design = OutcomeDesign.of(source, len(known.classes))
    best = by_slices.copy()
    best[target.rows] = regress(
        np.hstack([before[source.rows], design.columns(source)]),
        statistics[source.rows],
        weights[source.rows],
        np.hstack([after[target.rows], design.columns(target)]),
    )
    return PredictedScores(by_slices, best, uses_confidence=True)


def regress(source: Floats, statistics: Floats, weights: Floats, target: Floats) -> Floats:
    """Predict statistics by weighted least squares, held back by about one row's worth; kept to the range seen.

    Parameters
    ----------
    source : array of float, shape (n_source, n_columns)
    statistics : array of float, shape (n_source, n_statistics)
    weights : array of float, shape (n_source,)
        Taken as shares of their total.
    target : array of float, shape (n_target, n_columns)

    Returns
    -------
    array of float, shape (n_target, n_statistics)

    Examples
    --------
    >>> column = np.array([[0.0], [1.0]] * 500)
    >>> regress(column, 2 + 3 * column, np.ones(1000), np.array([[0.5], [9.0]])).round(2).ravel().tolist()
    [3.5, 5.0]
    """
    used = weights > 0
    share = weights[used] / weights[used].sum()
    columns, values = source[used], statistics[used]
    centre, middle = share @ columns, share @ values
    scale = np.sqrt(share @ (columns - centre) ** 2)
    varies = scale > 1e-9
    scaled = (columns[:, varies] - centre[varies]) / scale[varies]
    square = (share[:, None] * scaled).T @ scaled
    # One-hot slices make columns depend on each other: the penalty also makes the solution unique.
    slope = np.linalg.solve(
        square + float(share @ share) * np.eye(len(square)), (share[:, None] * scaled).T @ (values - middle)
    )
    predicted = middle + ((target[:, varies] - centre[varies]) / scale[varies]) @ slope
    return np.clip(predicted, statistics.min(axis=0), statistics.max(axis=0))
