"""Estimators of the accuracy alone: what they share, and those that go by the mean confidence."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome, complete_outcome
from mandoline_core.estimators.confident import OnProbabilities, UsableRows, read_known, why_not_classes
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.weighting import Problem

OUTSIDE_BOUNDS = FindingKind(
    "fit",
    "estimate_outside_bounds",
    "Moved by the difference of confidences, the accuracy would be {moved:.1%}, which cannot be; {value:.0%} is given "
    "instead",
    "Use a method that calibrates the probabilities, such as cbpe.",
)


class Accuracy(NamedTuple):
    """Hold an estimate of the accuracy, how far each usable row moves it, and what to say about it."""

    value: float
    source: Floats
    target: Floats
    findings: tuple[Finding, ...] = ()


def why_not_accuracy(problem: Problem) -> str | None:
    """Say why a method that estimates the accuracy and nothing else does not apply to a problem; None if it may."""
    why = why_not_classes(problem)
    if why is None and problem.metric.name not in ("accuracy", "error"):
        why = (
            f"This method estimates how often predictions are right, and metric {problem.metric.name!r} asks for "
            "more. Choose metric 'accuracy' or 'error', or a method such as cbpe."
        )
    return why


class OfAccuracy(OnProbabilities):
    """Run a method that estimates the accuracy and nothing else; a subclass says how in `accuracy`."""

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return why_not_accuracy(problem) or super().reason(problem)

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the accuracy, and turn it round where the error is asked for."""
        known = read_known(problem)
        found = self.accuracy(known)
        sign = -1.0 if problem.metric.name == "error" else 1.0
        value = 1 - found.value if sign < 0 else found.value
        spread = known.influence(sign * found.source, sign * found.target)
        findings = (*known.findings, *found.findings)
        return complete_outcome(problem, value, np.array([value]), spread, findings=findings)

    @abstractmethod
    def accuracy(self, known: UsableRows) -> Accuracy:
        """Estimate the accuracy on the target."""


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


class DifferenceOfConfidences(OfAccuracy):
    """Add to the source's accuracy what the target's mean confidence gains on the source's (Guillory et al., 2021)."""

    name = "doc"
    title = "Difference of confidences (DoC)"
    does = "The score on your labelled data, moved by as much as the model's mean confidence moved."
    assumes = "Accuracy moves by exactly as much as the model's mean confidence does."

    def accuracy(self, known: UsableRows) -> Accuracy:
        """Move the source's accuracy by the difference of mean confidences; keep it between 0 and 1."""
        before, after = known.source.confidence, known.target.confidence
        surplus = known.source.right - before  # accuracy beyond what the model claims
        moved = float(surplus.mean() + after.mean())
        source = (surplus - surplus.mean()) / len(surplus)
        target = (after - after.mean()) / len(after)
        value = min(max(moved, 0.0), 1.0)
        if value == moved:
            return Accuracy(value, source, target)
        outside = OUTSIDE_BOUNDS.found("warning", moved=moved, value=value)
        return Accuracy(value, source, target, (outside,))
