"""Confidence-based estimators of accuracy: mean confidence, difference of confidences, thresholds."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import entr

from mandoline_core.arrays import Floats
from mandoline_core.estimators.expectation import Expectation, UsableRows
from mandoline_core.estimators.probabilities import OnProbabilities, PredictedRows
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_percent
from mandoline_core.weighting import Problem

_DIGITS = 12  # scores that differ by rounding alone are ties
_STEP = 2.0  # standard errors, to either side, over which the threshold's effect is measured


class AverageConfidence(OnProbabilities):
    """Average the probability of the predicted class over the target (Hendrycks and Gimpel, 2017)."""

    name = "average_confidence"
    trusts_confidence = True
    title = "Average confidence (AC)"
    does = "Averages the model's confidence on the new data."
    assumes = "The model is calibrated on the new data."
    of_accuracy = design_weights = True

    def expect(self, problem: Problem, rows: UsableRows[PredictedRows], weights: Floats) -> Expectation:  # noqa: ARG002
        """Average the confidence on the target."""
        confidence = rows.target.confidence
        value = rows.target.mean(confidence)
        return Expectation(value, np.array([value]), (confidence - value) * rows.target.shares)


class DifferenceOfConfidences(OnProbabilities):
    """Add the change in mean confidence to the source accuracy (Guillory et al., 2021)."""

    name = "doc"
    title = "Difference of confidences (DoC)"
    does = "Adds the change in mean confidence to the accuracy on labelled data."
    assumes = "Accuracy changes by as much as mean confidence."
    of_accuracy = design_weights = True

    def expect(self, problem: Problem, rows: UsableRows[PredictedRows], weights: Floats) -> Expectation:  # noqa: ARG002
        """Move the source's accuracy by the difference of mean confidences; keep it between 0 and 1."""
        before, after = rows.source.confidence, rows.target.confidence
        surplus = rows.source.right - before  # accuracy beyond what the model claims
        moved = rows.source.mean(surplus) + rows.target.mean(after)
        value = min(max(moved, 0.0), 1.0)
        outside = Finding(
            "fit",
            "estimate_outside_bounds",
            "warning",
            f"The estimate was out of range ({moved:.1%}) and is shown as {show_percent(value)}.",
            "Use a method that calibrates the probabilities, such as cbpe.",
            numbers={"moved": moved, "value": value},
        )
        return Expectation(
            value,
            np.array([value]),
            by_target=(after - rows.target.mean(after)) * rows.target.shares,
            by_source=(surplus - rows.source.mean(surplus)) * rows.source.shares,
            findings=() if value == moved else (outside,),
        )


def find_threshold(scores: Floats, rows: float, counts: Floats | None = None) -> tuple[float, float]:
    """Find the threshold with a given number of rows above it, and the fraction by which tied rows count.

    Parameters
    ----------
    counts : array of float, shape (n_rows,), optional
        How much each row counts. By default, 1.

    Examples
    --------
    >>> find_threshold(np.array([0.9, 0.8, 0.8, 0.6]), 2)
    (0.8, 0.5)
    >>> find_threshold(np.array([0.9, 0.8, 0.6]), 2, np.array([1.0, 2.0, 1.0]))
    (0.8, 0.5)
    """
    if rows <= 0:
        return math.inf, 0.0
    counts = np.ones(len(scores)) if counts is None else counts
    order = np.argsort(-scores, kind="stable")
    position = min(int(np.searchsorted(np.cumsum(counts[order]), rows - 1e-9)), len(scores) - 1)
    threshold = float(scores[order[position]])
    above, tied = (float(counts[some].sum()) for some in (scores > threshold, scores == threshold))
    return threshold, min((rows - above) / tied, 1.0)


def count_above(scores: Floats, threshold: float, fraction: float) -> Floats:
    """Return the count of each row: 1 above the threshold, the fraction if tied with it.

    Examples
    --------
    >>> count_above(np.array([0.9, 0.8, 0.7]), 0.8, 0.25).tolist()
    [1.0, 0.25, 0.0]
    """
    return np.where(scores == threshold, fraction, (scores > threshold).astype(float))


class ThresholdedConfidence(OnProbabilities):
    """Count target rows above a confidence threshold that reproduces the source accuracy (Garg et al., 2022)."""

    name = "atc"
    title = "Average thresholded confidence (ATC)"
    does = "Counts the new rows whose confidence is above a threshold learned on labelled data."
    assumes = "The threshold at which the share above equals accuracy is the same on labelled and new data."
    of_accuracy = design_weights = True

    def scores(self, rows: PredictedRows) -> Floats:
        """Return the confidence of each row: the probability of the predicted class."""
        return rows.confidence

    def expect(self, problem: Problem, rows: UsableRows[PredictedRows], weights: Floats) -> Expectation:  # noqa: ARG002
        """Learn the threshold on the source, and count the target rows above it.

        A source row moves the estimate through the threshold: where one more row is right than is above it, the
        threshold falls until one more is above, and takes in the target rows that are there for one of the
        source. That rate is measured over the stretch that sampling error may move the threshold along (Woodruff,
        1952): a density of scores at one point would need a bandwidth.
        """
        source, target = (np.round(self.scores(side), _DIGITS) for side in (rows.source, rows.target))
        weights, right = rows.source.counts, rows.source.right
        n, n_right = float(weights.sum()), float(weights @ right)
        threshold = find_threshold(source, n_right, weights)
        counts = count_above(target, *threshold)
        value = rows.target.mean(counts)
        surplus = (right - count_above(source, *threshold)) * weights
        step = _STEP * math.sqrt(float(surplus @ surplus))
        low, high = max(n_right - step, 0.0), min(n_right + step, n)
        less, more = (
            rows.target.mean(count_above(target, *find_threshold(source, above, weights))) for above in (low, high)
        )
        rate = (more - less) * n / (high - low) if high > low else 0.0
        return Expectation(
            value, np.array([value]), (counts - value) * rows.target.shares, by_source=rate * surplus / n
        )


class ThresholdedEntropy(ThresholdedConfidence):
    """Count as ATC does, with negative entropy in place of confidence."""

    name = "atc_entropy"
    title = "Average thresholded entropy (ATC-NE)"
    does = "Counts the new rows whose predictive entropy is below a threshold learned on labelled data."
    assumes = "The threshold at which the share below equals accuracy is the same on labelled and new data."

    def scores(self, rows: PredictedRows) -> Floats:
        """Return the negative entropy of each row."""
        return -np.asarray(entr(rows.probabilities).sum(axis=1))
