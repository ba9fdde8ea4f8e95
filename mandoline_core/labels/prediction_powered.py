"""Prediction-powered estimates: a few labels, combined with scores that the source predicts for all rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from mandoline_core.arrays import Floats, Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import (
    FEWEST,
    Outcome,
    OutcomeDesign,
    influence_interval,
    usable_rows,
    why_not_new_classes,
    why_not_probabilities,
)
from mandoline_core.metrics import Metric
from mandoline_core.weighting import Problem, expected_potentials

_LEAST = 1e-9  # a smaller lambda is rounding
_ROUNDS = 2  # the slope of a metric is taken at the means, which move a little with lambda


class LabelledRows(NamedTuple):
    """Hold what is known of the labelled target rows.

    Parameters
    ----------
    statistics : array of float, shape (n_labelled, n_statistics)
    predicted : array of float, shape (n_labelled, n_statistics)
        The statistics as predicted without looking at the labels.
    shares : array of float, shape (n_labelled,)
        How much each row counts; sums to 1.
    average : array of float, shape (n_statistics,)
        Mean of the predicted statistics over all target rows.
    indicators : bool
        Whether statistics are 0 or 1, and at most one of them is 1 in a row.
    whole : array of float, shape (n_labelled,), optional
        How much each row would count if all target rows had labels, by design weight. By default, 1 / n_target.
    """

    statistics: Floats
    predicted: Floats
    shares: Floats
    average: Floats
    n_target: int
    indicators: bool
    whole: Floats | None = None

    @property
    def shares_of_all(self) -> Floats:
        """How much of the variance each row would account for if all target rows had labels."""
        return self.shares / self.n_target if self.whole is None else self.shares * self.whole


class LabelEstimate(NamedTuple):
    """Hold an estimate from labels.

    Parameters
    ----------
    weight : float
        How much the rows without a label count: lambda, between 0 (not at all) and 1.
    worth : float
        The number of labels drawn at random that would give as much information alone.
    prediction_interval : pair of floats
        Of the metric on exactly these target rows; `interval` is about the population that they come from.
    """

    value: float
    interval: Interval
    weight: float
    worth: float
    prediction_interval: Interval


def from_labels(metric: Metric, labelled: LabelledRows, *, confidence: float) -> LabelEstimate:
    """Estimate a metric from the labelled rows alone.

    A share of evenly weighted rows gets the exact binomial interval, which is valid however few rows there are.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> right = np.array([[1.0]] * 16 + [[0.0]] * 4)
    >>> labelled = LabelledRows(right, 0 * right, np.full(20, 0.05), np.zeros(1), 1000, True)
    >>> found = from_labels(get_metric("accuracy"), labelled, confidence=0.95)
    >>> found.value, [round(end, 3) for end in found.interval], round(found.worth, 6)
    (0.8, [0.563, 0.943], 20.0)
    """
    means = labelled.shares @ labelled.statistics
    value = metric.combine(means)
    variance = _variance(labelled, metric.slope(means), 0.0)
    worth = _worth(metric, labelled, value, variance, confidence)
    interval = _interval(metric, labelled, value, variance, worth, confidence)
    rows = _of_these_rows(metric, labelled, value, variance, worth, confidence)
    return LabelEstimate(value, interval, 0.0, worth, rows)


def from_all(metric: Metric, labelled: LabelledRows, *, confidence: float) -> LabelEstimate:
    """Estimate a metric from the labels and from what is predicted of all rows (PPI++).

    The means are lambda * (mean prediction over all rows) + mean over labelled rows of (truth - lambda * prediction):
    right on average whatever the predictions are, as long as they did not see the labels. Lambda makes the
    variance smallest. Rows without a label then make the labels worth more of their kind, and the interval is the
    one of that number of labels.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> right = np.array([[1.0]] * 16 + [[0.0]] * 4)
    >>> labelled = LabelledRows(right, 0.1 + 0.8 * right, np.full(20, 0.05), np.array([0.58]), 1000, True)
    >>> found = from_all(get_metric("accuracy"), labelled, confidence=0.95)
    >>> round(found.value, 3), found.weight
    (0.64, 1.0)
    """
    alone = from_labels(metric, labelled, confidence=confidence)
    means, weight = labelled.shares @ labelled.statistics, 0.0
    gradient = metric.slope(means)
    for _ in range(_ROUNDS):
        weight = best_weight(labelled, gradient)
        means = weight * labelled.average + labelled.shares @ (labelled.statistics - weight * labelled.predicted)
        if labelled.indicators:
            means = np.clip(means, 0.0, 1.0)
        gradient = metric.slope(means)
    if weight == 0.0:
        return alone
    plain, variance = (_variance(labelled, gradient, lam) for lam in (0.0, weight))
    low, high = _bounds(metric, labelled) or (-np.inf, np.inf)
    value = float(min(max(metric.combine(means), low), high))
    worth = alone.worth * plain / max(variance, 1e-300)
    interval = _interval(metric, labelled, value, variance, worth, confidence)
    rows = _of_these_rows(metric, labelled, value, variance, worth, confidence)
    return LabelEstimate(value, interval, weight, worth, rows)


def best_weight(labelled: LabelledRows, gradient: Floats) -> float:
    """Find the lambda between 0 and 1 that makes the estimated variance smallest.

    Parameters
    ----------
    gradient : array of float, shape (n_statistics,)
        Of the metric by its means.
    """
    truth, guess = _centred(labelled, labelled.statistics @ gradient), _centred(labelled, labelled.predicted @ gradient)
    # What labelled rows add to the variance, less what labels on all rows would leave of it.
    each = labelled.shares**2 - labelled.shares_of_all
    squares = float(each @ guess**2)
    if squares <= 1e-12 * max(float(labelled.shares @ truth**2), 1e-12) / len(truth):
        return 0.0
    weight = float(each @ (truth * guess)) / squares
    return min(weight, 1.0) if weight > _LEAST else 0.0


def _centred(labelled: LabelledRows, values: Floats) -> Floats:
    return values - labelled.shares @ values


def _variance(labelled: LabelledRows, gradient: Floats, weight: float) -> float:
    """Estimate the variance: of labels on all target rows, and what is added by having some only."""
    truth = _centred(labelled, labelled.statistics @ gradient)
    left = truth - weight * _centred(labelled, labelled.predicted @ gradient)
    # Labels on all rows would still leave the sampling error of the target; having some only adds the rest.
    n = len(truth)
    added = max(float((labelled.shares**2 - labelled.shares_of_all) @ left**2), 0.0)
    if weight > 0:  # lambda was chosen to make this small
        added *= (n - 1) / max(n - 2, 1)
    return added + float(labelled.shares_of_all @ truth**2)


def _of_these_rows(
    metric: Metric, labelled: LabelledRows, value: float, variance: float, worth: float, confidence: float
) -> Interval:
    """Leave out what labels on all target rows would leave of the variance: the sampling error of the target."""
    means = labelled.shares @ labelled.statistics
    truth = _centred(labelled, labelled.statistics @ metric.slope(means))
    left = variance - float(labelled.shares_of_all @ truth**2)
    if len(truth) == labelled.n_target:
        return value, value
    if left <= 0 or variance <= 0:  # scores that never varied say nothing of how much they do
        return _interval(metric, labelled, value, variance, worth, confidence)
    return _interval(metric, labelled, value, left, worth * variance / left, confidence)


def _allowance(metric: Metric, labelled: LabelledRows, confidence: float) -> float:
    """Return by how much a standard error guessed from few rows must grow: Student's quantile over the normal.

    Scores above 0 whose spread is like their mean have long tails, which few rows seldom show. Degrees of freedom are
    those that match the variance of a variance, at the kurtosis of a gamma law with that spread.
    """
    if metric.is_mean and labelled.indicators:  # the mean determines the variance, which is not guessed then
        return 1.0
    n, tail = len(labelled.shares), 0.5 + confidence / 2
    means = labelled.shares @ labelled.statistics
    scores = labelled.statistics @ metric.slope(means)
    freedom = float(n - 1)
    bounds = _bounds(metric, labelled)
    if bounds is not None and not labelled.indicators:
        mean = float(labelled.shares @ scores) - bounds[0]
        relative = float(labelled.shares @ (scores - labelled.shares @ scores) ** 2) / max(mean**2, 1e-300)
        freedom = 2 / (6 * min(relative, 1.0) / n + 2 / (n - 1))
    return float(stdtrit(freedom, tail) / ndtri(tail)) * float(np.sqrt(n / (n - 1)))


def _bounds(metric: Metric, labelled: LabelledRows) -> Interval | None:
    """Return the metric's bounds; of a mean without any, those that its scores keep to."""
    if metric.bounds is not None or not metric.is_mean:
        return metric.bounds
    if labelled.indicators:
        return 0.0, 1.0
    return (0.0, np.inf) if min(labelled.statistics.min(), labelled.predicted.min()) >= 0 else None


def _worth(metric: Metric, labelled: LabelledRows, value: float, variance: float, confidence: float) -> float:
    """Return how many evenly weighted labels would be as informative."""
    rows, bounds = 1 / float(labelled.shares @ labelled.shares), _bounds(metric, labelled)
    if bounds is None or not np.isfinite(bounds[1]):
        return rows
    low, high = bounds
    unit = (value - low) / (high - low)
    if variance <= 0 or not 1e-9 < unit < 1 - 1e-9:
        return rows
    return unit * (1 - unit) * (high - low) ** 2 / (variance * _allowance(metric, labelled, confidence) ** 2)


def _interval(
    metric: Metric, labelled: LabelledRows, value: float, variance: float, worth: float, confidence: float
) -> Interval:
    bounds = _bounds(metric, labelled)
    bounded = bounds is not None and bool(np.isfinite(bounds[1]))
    # With finite bounds: the exact binomial interval for that number of labels. Elsewhere Student's, or its logarithm.
    spread = 0.0 if bounded else float(np.sqrt(variance)) * _allowance(metric, labelled, confidence)
    return influence_interval(value, spread, confidence=confidence, bounds=bounds, effective_rows=worth)


def predict_scores(problem: Problem, outcome: Outcome) -> tuple[Floats, Floats]:
    """Regress the source's statistics on slices, and on confidence; apply the lines to the target.

    No label of the target has a part in it.

    Parameters
    ----------
    outcome : Outcome
        Whose weights make the source look like the target.

    Returns
    -------
    by_slices, best : array of float, shape (n_target, n_statistics)
        From the slices alone; and from confidence and predicted class, too, where they are known, else the first again.
    """
    members = problem.members
    potentials = expected_potentials(problem.patterns.codes, problem.corrections().source, problem.edges)
    before, after = potentials[members.source], potentials[members.target]
    weights, statistics = outcome.weights(members), members.statistics
    by_slices = regress(before, statistics, weights, after)
    if why_not_probabilities(problem) or why_not_new_classes(problem):
        return by_slices, by_slices
    try:
        usable = usable_rows(problem)
    except MandolineError:
        return by_slices, by_slices
    source, target = usable.source, usable.target
    if len(source) < FEWEST or not weights[source.rows].any():
        return by_slices, by_slices
    design = OutcomeDesign.of(source, len(usable.classes))
    best = by_slices.copy()
    best[target.rows] = regress(
        np.hstack([before[source.rows], design.columns(source)]),
        statistics[source.rows],
        weights[source.rows],
        np.hstack([after[target.rows], design.columns(target)]),
    )
    return by_slices, best


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
