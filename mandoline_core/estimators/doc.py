"""Difference of confidences: the source's accuracy, moved by as much as the confidence moves."""

from __future__ import annotations

from mandoline_core.estimators.confident import UsableRows
from mandoline_core.estimators.of_accuracy import Accuracy, OfAccuracy
from mandoline_core.findings import Finding


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
        findings = () if value == moved else (_outside(moved, value),)
        return Accuracy(value, source, target, findings)


def _outside(moved: float, value: float) -> Finding:
    return Finding(
        "estimate_outside_bounds",
        "warning",
        f"Moved by the difference of confidences, the accuracy would be {moved:.1%}, which cannot be; {value:.0%} is "
        "given instead.",
        "Use a method that calibrates the probabilities, such as cbpe.",
    )
