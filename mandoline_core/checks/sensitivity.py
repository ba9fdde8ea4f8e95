"""Sensitivity: how far shift that no slice shows could move the estimate, and how strong it would have to be."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks.trimming import mean_influence, weights_of
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator, influence_interval
from mandoline_core.pipeline import Estimate, steps
from mandoline_core.results import Tabular, ends

TYPICAL = 0.9  # nine rows in ten change by less


@dataclass(frozen=True)
class SensitivityPoint:
    """Hold the range of the estimate under hidden shift of a given strength.

    Parameters
    ----------
    gamma : float
        Hidden shift multiplies the weight of a row by at most this, and divides it by at most this.
    low, high : float
        The sharp bounds on the estimate, before sampling error.
    interval : pair of floats
        The bounds with sampling error on both sides.
    """

    gamma: float
    low: float
    high: float
    interval: Interval


class Sensitivity(Tabular, tuple[SensitivityPoint, ...]):
    """Hold where the estimate may be, by the strength of a hidden change."""

    def as_dict(self) -> list[dict[str, Any]]:
        """Return the points as plain data."""
        return [asdict(point) for point in self]

    def records(self) -> list[dict[str, Any]]:
        """List the strengths, with the bounds before and with sampling error."""
        return [
            {"gamma": point.gamma, "lowest": point.low, "highest": point.high, **ends(point.interval)} for point in self
        ]


@dataclass(frozen=True)
class SliceStrength:
    """Hold how strong a hidden shift a slice would have been if it were not modelled.

    Parameters
    ----------
    name : str
        The rule; the slices of a family count as one.
    largest : float or None
        The largest factor by which leaving it out changes the weight of a row. Infinite where rows lose all
        their weight because of the slice, or get it back.
    typical : float or None
        The factor that is exceeded for a tenth of the weight.
    reason : str or None
        Why there are no numbers.
    """

    name: str
    largest: float | None
    typical: float | None
    reason: str | None = None


def sensitivity_bounds(report: Estimate, gamma: float) -> Interval:
    """Bound the estimate when the true weights differ from the fitted ones by a hidden factor u in [1/gamma, gamma].

    Weights are scaled to sum to 1 again. The bounds are sharp: some such u reaches them. u need not keep the modelled
    slices in balance, so hidden shift that leaves the slices alone may do less. Like the estimate, the bounds cover
    the target rows that are not left out.

    Parameters
    ----------
    report : ModelReport
        Of a metric that is a mean.
    gamma : float
        1 or above; 1 is no hidden shift.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1]] * 50, [1.0, 0.0, 1.0, 1.0] * 25, [[1], [-1]]).first
    >>> round(report.estimate, 3), [round(bound, 3) for bound in sensitivity_bounds(report, 2)]
    (0.75, [0.429, 0.923])
    """
    return _bounds(_by_score(report), gamma)[0]


def sensitivity_curve(report: Estimate, gammas: Iterable[float], confidence: float = 0.95) -> Sensitivity:
    """Bound the estimate under hidden shift of each strength, with sampling error.

    A bound is a ratio of two weighted means, with u fixed at its worst: 1/gamma on one side of a score and gamma on
    the other. Because it is the worst, a small change of u has no effect, so the influence of every row at fixed u,
    through fitted weights as well, is the bound's (the envelope theorem). Each end gets the tail it would have in a
    two-sided interval: the whole range between the bounds is covered with at least the confidence asked for,
    in large samples.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1]] * 50, [1.0, 0.0, 1.0, 1.0] * 25, [[1], [-1]] * 50).first
    >>> for point in sensitivity_curve(report, [1, 2]):
    ...     print(point.gamma, round(point.low, 3), round(point.high, 3), [round(end, 3) for end in point.interval])
    1.0 0.75 0.75 [0.656, 0.825]
    2.0 0.429 0.923 [0.323, 0.95]
    """
    by_score, scores = _by_score(report), report.problem.members.statistics[:, 0]
    points = []
    for gamma in gammas:
        bounds, cuts = _bounds(by_score, gamma)
        (low, _), (_, high) = (
            _with_error(report, np.where(scores > cut, up, 1 / up), bound, confidence)
            for bound, cut, up in zip(bounds, cuts, (1 / gamma, gamma), strict=True)
        )
        points.append(SensitivityPoint(float(gamma), *bounds, (low, high)))
    return Sensitivity(points)


def crossing(report: Estimate, threshold: float) -> float | None:
    """Find the strength of hidden shift at which a threshold comes within the bounds.

    The bound reaches the threshold where rows on its far side, times gamma, outweigh those on the near side, over
    gamma: gamma squared is the ratio of the distances of the rows on either side.

    Returns
    -------
    float or None
        1 or above; None when no shift, however strong, takes the estimate there.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1]] * 50, [1.0, 0.0, 1.0, 1.0] * 25, [[1], [-1]]).first
    >>> round(crossing(report, 0.6), 3), crossing(report, -0.1)
    (1.414, None)
    """
    values, weights = _by_score(report)
    above = float(weights @ np.maximum(values - threshold, 0.0))
    below = float(weights @ np.maximum(threshold - values, 0.0))
    near, far = max(above, below), min(above, below)
    if near == far:
        return 1.0
    return math.sqrt(near / far) if far > 0 else None


def slice_strengths(report: Estimate) -> tuple[SliceStrength, ...]:
    """Measure every modelled rule as if it were the hidden shift: refit without it, and compare the rows' weights.

    So the effect of a missing slice can be compared with known slices.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> codes = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> target = [[1, 1]] * 3 + [[1, -1]] * 3 + [[-1, 1], [-1, -1]]
    >>> report = estimate_from_codes(codes * 25, [1.0] * 100, target, names=["shifts", "stays"]).first
    >>> [(found.name, round(found.largest, 3)) for found in slice_strengths(report)]
    [('shifts', 2.0), ('stays', 1.0)]
    """
    estimator = report.estimator
    if not get_estimator(estimator).uses_slices or report.outcome.scored_weights is not None:
        raise MandolineError(
            f"Estimator {estimator!r} does not weight slices, so none can be removed from its weights. "
            'Use a method on slices, such as "mandoline".'
        )
    groups = steps(report.fit)
    return tuple(_strength(report, name, groups) for name in groups)


def _strength(report: Estimate, name: str, groups: dict[str, list[int]]) -> SliceStrength:
    problem = report.problem
    left = sorted(i for other, slices in groups.items() if other != name for i in slices)
    try:
        method = get_estimator(report.estimator if left else "source")
        outcome = method.estimate(problem.select(left) if left else problem)
    except MandolineError as error:
        return SliceStrength(name, None, None, f"The weights cannot be fitted without it. {error}")
    if not outcome.converged:
        return SliceStrength(name, None, None, "The weights could not be fitted without it.")
    index = problem.patterns.select(left)[1] if left else np.arange(len(problem.patterns))
    counts = np.array([group.source for group in problem.groups])
    full = np.where(counts > 0, report.outcome.row_weights, 0.0)
    counts = np.where(full.any(axis=1, keepdims=True), counts, 0.0)  # the others only serve to fit: no weight to change
    # Every pattern has the weight of the one it has become, scaled to sum to 1 over the rows evaluated.
    without = np.where(counts > 0, outcome.row_weights[:, index], 0.0)
    without /= (counts * without).sum()
    seen = (counts > 0) & ((full > 0) | (without > 0))
    share, low, high = (counts * full)[seen], np.minimum(full, without)[seen], np.maximum(full, without)[seen]
    factors = np.divide(high, low, out=np.full(len(low), np.inf), where=low > 0)
    order = np.argsort(factors)
    reached = np.cumsum(share[order]) >= TYPICAL * share.sum() * (1 - 1e-12)
    return SliceStrength(name, float(factors.max()), float(factors[order][np.argmax(reached)]))


def _by_score(report: Estimate) -> tuple[Floats, Floats]:
    """Add up the weight of each distinct score, ascending: all that the bounds depend on."""
    metric = report.problem.metric
    if not metric.is_mean:
        raise MandolineError(
            f"Bounds under hidden change need a metric that is a mean over rows, such as accuracy. Got {metric.name!r}."
        )
    weights = weights_of(report)
    scores = report.problem.members.statistics[:, 0]
    if ((scores == 0) | (scores == 1)).all():  # no need to sort
        right = float(weights @ scores)
        values, totals = np.array([0.0, 1.0]), np.array([float(weights.sum()) - right, right])
    else:
        values, index = np.unique(scores, return_inverse=True)
        totals = np.bincount(index, weights, len(values))
    return values[totals > 0], totals[totals > 0]


def _bounds(scores: tuple[Floats, Floats], gamma: float) -> tuple[Interval, tuple[float, float]]:
    """Find both bounds, and the scores above which u changes.

    A ratio of linear functions is extreme at a corner of the box, and raising u helps exactly where the score is above
    the bound itself: so the best corner is among those that cut the sorted scores in two.
    """
    if not 1 <= gamma < math.inf:
        raise MandolineError(f"gamma must be a number, 1 or more (1 is no hidden change). Got {gamma!r}.")
    values, weights = scores
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    total = np.concatenate([[0.0], np.cumsum(weights * values)])
    bounds, cuts = [], []
    for up, extreme in ((1 / gamma, np.argmin), (gamma, np.argmax)):  # up is the factor of the scores above the cut
        means = (total / up + (total[-1] - total) * up) / (mass / up + (mass[-1] - mass) * up)
        best = int(extreme(means))
        bounds.append(float(means[best]))
        cuts.append(float(values[best - 1]) if best else -math.inf)
    return (bounds[0], bounds[1]), (cuts[0], cuts[1])


def _with_error(report: Estimate, factors: Floats, bound: float, confidence: float) -> Interval:
    """Put an interval around a bound whose factors are fixed."""
    members = report.problem.members
    scores, weights = members.statistics[:, 0], report.outcome.weights(members) * factors
    # How far sampling error moves the weighted mean of the rows' excess over a bound is how far it moves the bound.
    excess = factors * (scores - bound) / weights.sum()
    right, wrong = scores == 1, scores == 0
    if right.any() and wrong.any() and (right | wrong).all():
        # The excess is linear in the score, and so the report's own error, scaled, will do.
        slope = float(excess[np.argmax(right)] - excess[np.argmax(wrong)])
        error = abs(slope) * report.outcome.influence.standard_error()
    else:
        error = mean_influence(report, excess).standard_error()
    effective = members.design[0]._replace(clusters=None).effective(weights, members.source_rows)
    limits = report.problem.metric.bounds
    return influence_interval(bound, error, confidence=confidence, bounds=limits, effective_rows=effective)
