"""Average confidence: the model's own word for how often it is right."""

from __future__ import annotations

import numpy as np

from mandoline_core.estimators.confident import UsableRows
from mandoline_core.estimators.of_accuracy import Accuracy, OfAccuracy


class AverageConfidence(OfAccuracy):
    """Average, over the target, the probability of the class that is predicted (Hendrycks and Gimpel, 2017)."""

    name = "average_confidence"
    title = "Average confidence"
    does = "The mean of how sure the model is of its answers on the new data."
    assumes = "The model's probabilities are right on the new data."

    def accuracy(self, known: UsableRows) -> Accuracy:
        """Average the confidence on the target."""
        confidence = known.target.confidence
        value = float(confidence.mean())
        return Accuracy(value, np.zeros(len(known.source)), (confidence - value) / len(confidence))
