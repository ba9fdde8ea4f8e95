"""Average thresholded confidence: the share of target rows that are surer than a threshold learned on the source."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from mandoline_core.arrays import Floats
from mandoline_core.estimators.confident import AnsweredRows, UsableRows
from mandoline_core.estimators.of_accuracy import Accuracy, OfAccuracy
from mandoline_core.formatting import Sentence

_DIGITS = 12  # scores that differ by rounding alone are ties
_STEP = 2.0  # standard errors, to either side, over which the threshold's effect is measured


@dataclass(frozen=True)
class Threshold:
    """Hold a threshold on a score: rows above count, and of the rows tied with it a fraction."""

    at: float
    fraction: float

    def counts(self, scores: Floats) -> Floats:
        """Return how much each row counts.

        Examples
        --------
        >>> Threshold(0.8, 0.25).counts(np.array([0.9, 0.8, 0.7])).tolist()
        [1.0, 0.25, 0.0]
        """
        return np.where(scores == self.at, self.fraction, (scores > self.at).astype(float))


def find_threshold(scores: Floats, rows: float) -> Threshold:
    """Find the threshold above which lie so many rows, the tied ones counting in part.

    Examples
    --------
    >>> find_threshold(np.array([0.9, 0.8, 0.8, 0.6]), 2)
    Threshold(at=0.8, fraction=0.5)
    """
    if rows <= 0:
        return Threshold(math.inf, 0.0)
    place = min(max(math.ceil(rows - 1e-9), 1), len(scores)) - 1
    at = -float(np.partition(-scores, place)[place])
    return Threshold(at, min((rows - int((scores > at).sum())) / int((scores == at).sum()), 1.0))


class ThresholdedConfidence(OfAccuracy):
    """Count the target rows above the threshold that as many source rows are above as are right (Garg et al., 2022)."""

    name = "atc"
    title = "Average thresholded confidence (ATC)"
    does = "The share of new rows on which the model is surer than a threshold that fits the labelled data."
    assumes = Sentence(
        "A threshold on confidence with as many {source_rows} above it as are right has so on the new data, too."
    )

    def scores(self, rows: AnsweredRows) -> Floats:
        """Say how sure the model is of each row: by the probability of what it predicts."""
        return rows.confidence

    def accuracy(self, known: UsableRows) -> Accuracy:
        """Learn the threshold on the source, and count the target rows above it.

        A source row moves the estimate through the threshold: where one more row is right than is above it, the
        threshold falls until one more is above, and takes in so many target rows as lie there for one of the
        source. That rate is measured over the stretch that luck may move the threshold along (Woodruff, 1952).
        """
        source, target = (np.round(self.scores(rows), _DIGITS) for rows in (known.source, known.target))
        n, right = len(source), known.source.right
        threshold = find_threshold(source, right.sum())
        counts = threshold.counts(target)
        value = float(counts.mean())
        surplus = right - threshold.counts(source)
        step = _STEP * math.sqrt(float(surplus @ surplus))
        low, high = max(right.sum() - step, 0.0), min(right.sum() + step, float(n))
        less, more = (find_threshold(source, rows).counts(target).mean() for rows in (low, high))
        rate = float(more - less) * n / (high - low) if high > low else 0.0
        return Accuracy(value, rate * surplus / n, (counts - value) / len(target))


class ThresholdedEntropy(ThresholdedConfidence):
    """Do the same with the negative entropy of the class probabilities in the place of the confidence."""

    name = "atc_entropy"
    title = "Average thresholded confidence by entropy (ATC-NE)"
    does = "As thresholded confidence, but by how little the probabilities are spread over the classes."
    assumes = Sentence(
        "A threshold on entropy with as many {source_rows} below it as are right has so on the new data, too."
    )

    def scores(self, rows: AnsweredRows) -> Floats:
        """Say how sure the model is of each row: by how little its probabilities are spread over classes."""
        return -np.asarray(entr(rows.probabilities).sum(axis=1))
