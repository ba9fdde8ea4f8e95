"""The slice test: whether labels of the target agree with what slices lead one to expect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mandoline_core.arrays import Floats, Interval
from mandoline_core.estimators import Outcome, normal_reach
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import Metric
from mandoline_core.weighting import Problem

FEWEST = 5
DISAGREE = "The labels say {size} {way} than the slices explain"
DISAGREE_BY = " (z = {z:.1f}): something else changed too."


@dataclass(frozen=True)
class SliceTest:
    """Hold how far the labels are from what the slices lead one to expect.

    Parameters
    ----------
    difference : float
        The metric by the labels minus the estimate without them.
    interval : pair of floats
        Of the difference.
    """

    difference: float
    interval: Interval
    z: float
    p_value: float
    words: Sentence


def compare_with_slices(
    problem: Problem,
    outcome: Outcome,
    expected: Floats,
    statistics: Floats,
    labelled: NDArray[np.bool_],
    shares: Floats,
    *,
    confidence: float,
) -> SliceTest | None:
    """Compare labels with what slices lead one to expect, on the rows that the estimate speaks of.

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
        None where too few labelled rows are among those the estimate speaks of.
    """
    kept = outcome.kept[problem.members.target]
    inside = kept[labelled] > 0
    if inside.sum() < FEWEST:
        return None
    spoken = kept / kept.sum()
    share = (shares * kept[labelled])[inside]
    share /= share.sum()
    gradient = problem.metric.slope(outcome.means)
    here, whole = expected[labelled][inside], expected @ gradient
    left = (statistics[inside] - here) @ gradient
    average = float(spoken @ whole)
    difference = float(share @ left + average - outcome.means @ gradient)
    source, target, *more = outcome.influence.pieces(problem.members)
    rest = spoken * (whole - average) - target
    others = sum(float(piece @ piece) for piece in (source, rest, *more))
    drawn = _sampling_error_of_labels(problem, here, left, share, gradient)
    if problem.patterns.products is not None:
        # Few labels seldom show a long tail, so the source has a say in how much scores vary about expectations.
        weights, scores = outcome.weights(problem.members), problem.members.statistics @ gradient
        varies = float(weights @ (scores - weights @ scores) ** 2) - float(spoken @ (whole - average) ** 2)
        drawn = max(drawn, varies * float(share @ share))
    error = float(np.sqrt(drawn + others))
    z = difference / error if error > 0 else 0.0
    half = normal_reach(confidence) * error
    interval = (difference - half, difference + half)
    words = _words(problem.metric, difference, interval, z)
    return SliceTest(difference, interval, z, float(2 * ndtr(-abs(z))), words)


def _sampling_error_of_labels(
    problem: Problem, expected: Floats, left: Floats, share: Floats, gradient: Floats
) -> float:
    """Return the variance that comes from drawing the labels."""
    if problem.patterns.products is None:
        # If slices explain the shift, expectations also say how much indicators vary: no guessing from few labels.
        # An expectation of exactly 0 or 1 is that of a finite source.
        least = 0.5 / problem.patterns.n_source
        chance = np.clip(expected, least, 1 - least)
        each = np.maximum(chance @ gradient**2 - (chance @ gradient) ** 2, 0.0)
        return float(share**2 @ each)
    return float(share**2 @ (left - share @ left) ** 2) * len(left) / (len(left) - 1)


def _words(metric: Metric, difference: float, interval: Interval, z: float) -> Sentence:
    if interval[0] <= 0 <= interval[1]:
        most = max(abs(end) for end in interval)
        said = "The labels agree with the estimate: what the slices leave out is at most about {most}."
        return Sentence(said, most=_size(metric, most))
    way = "less" if difference < 0 else "more"
    return Sentence(DISAGREE + DISAGREE_BY, size=_size(metric, abs(difference)), way=way, z=z)


def _size(metric: Metric, value: float) -> str:
    return f"{100 * value:.2g} points" if metric.share else f"{value:.2g}"
