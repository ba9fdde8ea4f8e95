"""The test of an estimate by labels: whether they agree, and how large a hidden change would have shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from mandoline_core.arrays import Floats, Interval
from mandoline_core.estimators import Outcome, normal_reach, root_of_squares
from mandoline_core.formatting import counted, show_difference
from mandoline_core.metrics import Metric
from mandoline_core.weighting import Problem

FEWEST_LABELS = 5
LEVEL = 0.95  # of the test: 5% of estimates that are right are contradicted
POWER = 0.8
LIMIT = 0.1  # of a score between 0 and 1: labels that would show so large a change confirm an estimate
LIMIT_IN_DEVIATIONS = 0.25  # of other scores, in their standard deviations: as much as 0.1 is of an accuracy of 80%
REACH = normal_reach(LEVEL) + float(ndtri(POWER))  # standard errors of the change that shows with this power
_CHANGE = {"higher": "drop", "lower": "rise"}


@dataclass(frozen=True)
class SliceTest:
    """Hold how far the labels are from what the slices predict.

    Parameters
    ----------
    difference : float
        The metric by the labels minus the estimate without them.
    interval : pair of floats
        Of the difference, with 95% confidence.
    detectable : float
        A hidden change of this size shows with a probability of 80%, at a level of 5%.
    limit : float
        The labels confirm an estimate if a change of this size would show.
    needed : int or None
        How many labels would show it; None if no number would, because the estimate itself is too uncertain.
    state : {"confirmed", "contradicted", "undecided"}
        Undecided: the labels agree, but a change of `limit` could have gone unnoticed.
    """

    difference: float
    interval: Interval
    z: float
    p_value: float
    detectable: float
    limit: float
    needed: int | None
    state: Literal["confirmed", "contradicted", "undecided"]
    words: str


def compare_with_slices(
    problem: Problem,
    outcome: Outcome,
    expected: Floats,
    statistics: Floats,
    labelled: NDArray[np.bool_],
    shares: Floats,
) -> SliceTest | None:
    """Compare labels with what slices predict, on the rows that the estimate covers.

    Difference = mean over labelled rows of (truth - expected) + mean of expected - estimate, in the metric's slope.
    Its variance has three parts: the labels drawn, the rest of the target, and the source behind the estimate.

    Parameters
    ----------
    outcome : Outcome
        The estimate without labels.
    expected : array of float, shape (n_target, n_statistics)
        By slices alone.
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
    shares : array of float, shape (n_labelled,)
        How much each labelled row counts; sums to 1.

    Returns
    -------
    SliceTest or None
        None if the estimate covers too few labelled rows.
    """
    kept, rows = outcome.kept[problem.members.target], problem.members.target_rows
    inside = (kept * rows)[labelled] > 0
    if inside.sum() < FEWEST_LABELS:
        return None
    spoken = kept * rows / (kept @ rows)
    share = (shares * kept[labelled])[inside]
    share /= share.sum()
    gradient = problem.metric.slope(outcome.means)
    known, whole = expected[labelled][inside], expected @ gradient
    left = (statistics[inside] - known) @ gradient
    average = float(spoken @ whole)
    difference = float(share @ left + average - outcome.means @ gradient)
    source, target, *more = outcome.influence.pieces(problem.members)
    # Target rows count twice, in what is expected of them and in the weights: their parts are added before squaring.
    rest = spoken * (whole - average) - target
    others = root_of_squares(problem.members.together((source, rest, *more))) ** 2
    drawn = _sampling_error_of_labels(problem, known, left, share, gradient)
    if problem.patterns.products is not None:
        # Few labels seldom show a long tail, so the source has a say in how much scores vary about expectations.
        weights, scores = outcome.weights(problem.members), problem.members.statistics @ gradient
        varies = float(weights @ (scores - weights @ scores) ** 2) - float(spoken @ (whole - average) ** 2)
        drawn = max(drawn, varies * float(share @ share))
    return _judge(problem, outcome, int(inside.sum()), difference, (drawn, float(share @ share), others))


def _judge(
    problem: Problem, outcome: Outcome, n: int, difference: float, variances: tuple[float, float, float]
) -> SliceTest:
    """Test a difference whose variance is that of drawing labels, and that of everything else: see `change_shown`."""
    drawn, _, others = variances
    error = math.sqrt(drawn + others)
    z = difference / error if error > 0 else 0.0
    half = normal_reach(LEVEL) * error
    limit, detectable, needed = change_shown(problem, outcome, n, variances)
    agrees = abs(z) <= normal_reach(LEVEL)
    state: Literal["confirmed", "contradicted", "undecided"] = (
        "contradicted" if not agrees else "confirmed" if detectable <= limit else "undecided"
    )
    words = _words(problem.metric, state, n, difference, z, detectable, limit, needed)
    interval = (difference - half, difference + half)
    return SliceTest(difference, interval, z, float(2 * ndtr(-abs(z))), detectable, limit, needed, state, words)


def change_shown(
    problem: Problem, outcome: Outcome, n: int, variances: tuple[float, float, float]
) -> tuple[float, float, int | None]:
    """Say how large a change n labels would show, and how many labels would show one of the confirming limit.

    A model that is nearly always right varies little, and more once it is right less often: d points below a share m
    the variance of a row is (m - d) (1 - m + d). Power without that is promised too high.

    Parameters
    ----------
    variances : tuple of float
        Of drawing the labels, if nothing changed; what a variance of 1 a row would add to it; of everything else.

    Returns
    -------
    limit, detectable : float
    needed : int or None
    """
    drawn, a_row, others = variances
    limit, bounds, metric = confirming_limit(problem, outcome), problem.metric.bounds, problem.metric
    more = 0.0  # variance of a row that a change adds, by its size; less its square
    if bounds is not None and np.isfinite(bounds).all():
        low, high = bounds
        more = max((2 * outcome.value - low - high) * (1 if metric.better == "higher" else -1), 0.0)
    detectable = 0.0
    for reach in (normal_reach(LEVEL), float(ndtri(POWER))):  # what is contradicted, and what is so often enough
        # The larger d with (d - detectable)^2 = reach^2 (drawn + others + a_row (more d - d^2)).
        part = reach**2 * a_row if more else 0.0
        middle, quadratic = detectable + part * more / 2, 1 + part
        left = detectable**2 - reach**2 * (drawn + others)
        detectable = (middle + math.sqrt(max(middle**2 - quadratic * left, 0.0))) / quadratic
    detectable = max(detectable, REACH * math.sqrt(drawn + others))
    at_limit = drawn + a_row * max(limit * more - limit**2, 0.0)
    return limit, detectable, labels_needed(n, at_limit, others, limit)


def confirming_limit(problem: Problem, outcome: Outcome) -> float:
    """Say how large a hidden change may be at most that labels which confirm an estimate would miss."""
    bounds = problem.metric.bounds
    if bounds is not None and np.isfinite(bounds).all():
        return LIMIT
    weights, scores = outcome.weights(problem.members), problem.members.statistics @ problem.metric.slope(outcome.means)
    return LIMIT_IN_DEVIATIONS * float(np.sqrt(weights @ (scores - weights @ scores) ** 2))


def labels_needed(n: int, drawn: float, others: float, limit: float) -> int | None:
    """Count the labels that would show a change of a size; None where the rest of the error alone is too large.

    >>> labels_needed(60, drawn=0.16 / 60, others=0.0001, limit=0.1), labels_needed(60, 0.1, 0.01, 0.1)
    (137, None)
    """
    room = (limit / REACH) ** 2 - others
    return math.ceil(n * drawn / room) if room > 0 else None


def _sampling_error_of_labels(
    problem: Problem, expected: Floats, left: Floats, share: Floats, gradient: Floats
) -> float:
    """Return the variance that comes from drawing the labels."""
    if problem.patterns.products is None:
        # If slices explain the shift, expectations also say how much indicators vary: no guessing from few labels.
        # An expectation of exactly 0 or 1 is that of a finite source.
        least = 0.5 / problem.patterns.n_source
        probability = np.clip(expected, least, 1 - least)
        each = np.maximum(probability @ gradient**2 - (probability @ gradient) ** 2, 0.0)
        return float(share**2 @ each)
    return float(share**2 @ (left - share @ left) ** 2) * len(left) / (len(left) - 1)


def power_words(metric: Metric, n: int, detectable: float, *, would: str = "would show") -> str:
    """Say what labels are able to show; no full stop. Plans and tests speak in these terms.

    >>> from mandoline_core.metrics import get_metric
    >>> power_words(get_metric("accuracy"), 60, 0.08)
    '60 labels would show a hidden drop of 8.0 points or more in 8 of 10 cases'
    """
    change = _CHANGE.get(metric.better, "change")
    size = show_difference(detectable, share=metric.share)
    return f"{counted(n, 'label')} {would} a hidden {change} of {size} or more in {10 * POWER:.0f} of 10 cases"


def _words(
    metric: Metric,
    state: str,
    n: int,
    difference: float,
    z: float,
    detectable: float,
    limit: float,
    needed: int | None,
) -> str:
    labels, change = counted(n, "label"), _CHANGE.get(metric.better, "change")
    agree = "agrees" if n == 1 else "agree"
    if state == "contradicted":
        way = "lower" if difference < 0 else "higher"
        gap = show_difference(abs(difference), share=metric.share)
        return f"{labels} contradict the estimate: the score is {gap} {way} than the slices explain (z = {z:.1f})."
    size = show_difference(detectable, share=metric.share)
    if state == "confirmed":
        return (
            f"{labels} {agree}; a hidden {change} of {size} or more would have shown in {10 * POWER:.0f} of 10 cases."
        )
    few = f"{labels} {agree}, but a hidden {change} below {size} could go unnoticed."
    if needed is None:
        return f"{few} No number of labels can confirm the estimate: its own margin of error is too wide."
    return f"{few} To confirm the estimate (show {show_difference(limit, share=metric.share)}), have {needed:,} labels."
