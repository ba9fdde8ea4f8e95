"""Estimators of the accuracy by how sure the model is: mean confidence, its difference, and thresholds on it."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import entr

from mandoline_core.arrays import Floats
from mandoline_core.estimators.probabilities import Expectation, OnProbabilities, PredictedRows, UsableRows
from mandoline_core.findings import FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.weighting import Problem

OUTSIDE_BOUNDS = FindingKind(
    "fit",
    "estimate_outside_bounds",
    "Moved by the difference of confidences, the accuracy would be {moved:.1%}, which cannot be; {value:.0%} is given "
    "instead",
    "Use a method that calibrates the probabilities, such as cbpe.",
)
_DIGITS = 12  # scores that differ by rounding alone are ties
_STEP = 2.0  # standard errors, to either side, over which the threshold's effect is measured


class AverageConfidence(OnProbabilities):
    """Average, over the target, the probability of the class that is predicted (Hendrycks and Gimpel, 2017)."""

    name = "average_confidence"
    title = "Average confidence"
    does = "The mean of how sure the model is of its answers on the new data."
    assumes = "The model's probabilities are right on the new data."
    of_accuracy = True

    def expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:  # noqa: ARG002
        """Average the confidence on the target."""
        confidence = rows.target.confidence
        value = float(confidence.mean())
        return Expectation(value, np.array([value]), (confidence - value) / len(confidence))


class DifferenceOfConfidences(OnProbabilities):
    """Add to the source's accuracy what the target's mean confidence gains on the source's (Guillory et al., 2021)."""

    name = "doc"
    title = "Difference of confidences (DoC)"
    does = "The score on your labelled data, moved by as much as the model's mean confidence moved."
    assumes = "Accuracy moves by exactly as much as the model's mean confidence does."
    of_accuracy = True

    def expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:  # noqa: ARG002
        """Move the source's accuracy by the difference of mean confidences; keep it between 0 and 1."""
        before, after = rows.source.confidence, rows.target.confidence
        surplus = rows.source.right - before  # accuracy beyond what the model claims
        moved = float(surplus.mean() + after.mean())
        value = min(max(moved, 0.0), 1.0)
        outside = () if value == moved else (OUTSIDE_BOUNDS.found("warning", moved=moved, value=value),)
        return Expectation(
            value,
            np.array([value]),
            by_target=(after - after.mean()) / len(after),
            by_source=(surplus - surplus.mean()) / len(surplus),
            findings=outside,
        )


def find_threshold(scores: Floats, rows: float) -> tuple[float, float]:
    """Find the threshold above which lie so many rows, and the fraction by which rows tied with it count.

    Examples
    --------
    >>> find_threshold(np.array([0.9, 0.8, 0.8, 0.6]), 2)
    (0.8, 0.5)
    """
    if rows <= 0:
        return math.inf, 0.0
    position = min(max(math.ceil(rows - 1e-9), 1), len(scores)) - 1
    threshold = -float(np.partition(-scores, position)[position])
    return threshold, min((rows - int((scores > threshold).sum())) / int((scores == threshold).sum()), 1.0)


def count_above(scores: Floats, threshold: float, fraction: float) -> Floats:
    """Return how much each row counts: 1 above the threshold, the fraction where it is tied with it.

    Examples
    --------
    >>> count_above(np.array([0.9, 0.8, 0.7]), 0.8, 0.25).tolist()
    [1.0, 0.25, 0.0]
    """
    return np.where(scores == threshold, fraction, (scores > threshold).astype(float))


class ThresholdedConfidence(OnProbabilities):
    """Count the target rows above the threshold that as many source rows are above as are right (Garg et al., 2022)."""

    name = "atc"
    title = "Average thresholded confidence (ATC)"
    does = "The share of new rows on which the model is surer than a threshold that fits the labelled data."
    assumes = Sentence(
        "A threshold on confidence with as many {source_rows} above it as are right has so on the new data, too."
    )
    of_accuracy = True

    def scores(self, rows: PredictedRows) -> Floats:
        """Say how sure the model is of each row: by the probability of what it predicts."""
        return rows.confidence

    def expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:  # noqa: ARG002
        """Learn the threshold on the source, and count the target rows above it.

        A source row moves the estimate through the threshold: where one more row is right than is above it, the
        threshold falls until one more is above, and takes in so many target rows as lie there for one of the
        source. That rate is measured over the stretch that sampling error may move the threshold along (Woodruff,
        1952): a density of scores at one point would need a bandwidth.
        """
        source, target = (np.round(self.scores(side), _DIGITS) for side in (rows.source, rows.target))
        n, right = len(source), rows.source.right
        threshold = find_threshold(source, right.sum())
        counts = count_above(target, *threshold)
        value = float(counts.mean())
        surplus = right - count_above(source, *threshold)
        step = _STEP * math.sqrt(float(surplus @ surplus))
        low, high = max(right.sum() - step, 0.0), min(right.sum() + step, float(n))
        less, more = (count_above(target, *find_threshold(source, above)).mean() for above in (low, high))
        rate = float(more - less) * n / (high - low) if high > low else 0.0
        return Expectation(value, np.array([value]), (counts - value) / len(target), by_source=rate * surplus / n)


class ThresholdedEntropy(ThresholdedConfidence):
    """Do the same with the negative entropy of the class probabilities in the place of the confidence."""

    name = "atc_entropy"
    title = "Average thresholded confidence by entropy (ATC-NE)"
    does = "As thresholded confidence, but by how little the probabilities are spread over the classes."
    assumes = Sentence(
        "A threshold on entropy with as many {source_rows} below it as are right has so on the new data, too."
    )

    def scores(self, rows: PredictedRows) -> Floats:
        """Say how sure the model is of each row: by how little its probabilities are spread over classes."""
        return -np.asarray(entr(rows.probabilities).sum(axis=1))
