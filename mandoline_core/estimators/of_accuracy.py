"""What estimators of the accuracy alone share: when they apply, and how the error follows."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome, complete_outcome
from mandoline_core.estimators.confident import OnProbabilities, UsableRows, read_known, why_not_classes
from mandoline_core.findings import Finding
from mandoline_core.weighting import Problem


class Accuracy(NamedTuple):
    """Hold an estimate of the accuracy, how far each usable row moves it, and what to say about it."""

    value: float
    source: Floats
    target: Floats
    findings: tuple[Finding, ...] = ()


class OfAccuracy(OnProbabilities):
    """Run a method that estimates the accuracy and nothing else; a subclass says how in `accuracy`."""

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        why = why_not_classes(problem)
        if why is None and problem.metric.name not in ("accuracy", "error"):
            why = (
                f"This method estimates how often predictions are right, and metric {problem.metric.name!r} asks for "
                "more. Choose metric 'accuracy' or 'error', or a method such as cbpe."
            )
        return why or super().reason(problem)

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
