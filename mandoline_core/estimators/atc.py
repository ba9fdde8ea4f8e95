"""Average thresholded confidence: the share of target rows that are surer than a threshold learned on the source."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import entr

from mandoline_core.arrays import Floats, Index
from mandoline_core.estimators.confident import AnsweredRows, UsableRows
from mandoline_core.estimators.of_accuracy import Accuracy, OfAccuracy

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


@dataclass(frozen=True, eq=False)
class Levels:
    """Hold the distinct scores of a sample, highest first, and how many rows reach each.

    Parameters
    ----------
    scores : array of float, shape (n_levels,)
    reached : array of int, shape (n_levels,)
    """

    scores: Floats
    reached: Index

    @classmethod
    def of(cls, scores: Floats) -> Levels:
        """Count the rows at each level."""
        levels, counts = np.unique(-scores, return_counts=True)
        return cls(-levels, np.cumsum(counts))

    def threshold(self, rows: float) -> Threshold:
        """Find the threshold above which lie so many rows, the tied ones counting in part.

        Examples
        --------
        >>> Levels.of(np.array([0.9, 0.8, 0.8, 0.6])).threshold(2)
        Threshold(at=0.8, fraction=0.5)
        """
        if rows <= 0:
            return Threshold(math.inf, 0.0)
        place = min(int(np.searchsorted(self.reached, rows - 1e-9)), len(self.reached) - 1)
        before = int(self.reached[place - 1]) if place else 0
        return Threshold(float(self.scores[place]), min((rows - before) / float(self.reached[place] - before), 1.0))


class ThresholdedConfidence(OfAccuracy):
    """Count the target rows above the threshold that as many source rows are above as are right (Garg et al., 2022)."""

    name = "atc"
    title = "Average thresholded confidence (ATC)"
    does = "The share of new rows on which the model is surer than a threshold that fits the labelled data."
    assumes = "A threshold on confidence with as many source rows above it as are right has so on the new data, too."

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
        levels, right = Levels.of(source), known.source.right
        n = len(source)
        threshold = levels.threshold(right.sum())
        counts = threshold.counts(target)
        value = float(counts.mean())
        surplus = right - threshold.counts(source)
        step = _STEP * math.sqrt(float(surplus @ surplus))
        low, high = max(right.sum() - step, 0.0), min(right.sum() + step, float(n))
        gained = levels.threshold(high).counts(target).mean() - levels.threshold(low).counts(target).mean()
        rate = float(gained) * n / (high - low) if high > low else 0.0
        return Accuracy(value, rate * surplus / n, (counts - value) / len(target))


class ThresholdedEntropy(ThresholdedConfidence):
    """Do the same with the negative entropy of the class probabilities in the place of the confidence."""

    name = "atc_entropy"
    title = "Average thresholded confidence by entropy (ATC-NE)"
    does = "As thresholded confidence, but by how little the probabilities are spread over the classes."
    assumes = "A threshold on entropy with as many source rows below it as are right has so on the new data, too."

    def scores(self, rows: AnsweredRows) -> Floats:
        """Say how sure the model is of each row: by how little its probabilities are spread over classes."""
        return -np.asarray(entr(rows.probabilities).sum(axis=1))
