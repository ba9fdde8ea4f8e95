"""The check of the predictions: whether predicted classes and confidence still differ after weighting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mandoline_core.checks.check import NO_WEIGHTS, CheckRule, NotRun, too_few_rows, weights_rows
from mandoline_core.checks.drift import Drift, confidence_moved, worst_class
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.findings import Finding, FindingKind

CLASSES_SHIFT = FindingKind(
    "answers",
    "predicted_classes_shift",
    "After weighting, class {name!r} is still predicted for {weighted:.1%} of the {source} and {there:.1%} of the "
    "{target}",
    "Add a slice that explains it, such as one of kind 'prediction'; compare with estimator \"bbse\", which is made "
    "for classes whose frequency changed.",
    " (z = {z:.1f}). Either rows changed in a way that no slice stands for, or the classes themselves became more or "
    "less frequent.",
)
CONFIDENCE_SHIFT = FindingKind(
    "answers",
    "confidence_shift",
    "After weighting, the model's mean confidence is {weighted:.1%} on the {source} and {there:.1%} on the {target}",
    "Add a slice of kind 'entropy' or 'confidence', or look at the new rows it is least sure of.",
    " (z = {z:.1f}): it finds the new rows {easier} in a way that no slice stands for.",
)


def drift_findings(drift: Drift) -> Iterator[Finding]:
    """Warn when predicted classes or confidence differ after weighting, by more than sampling error and two points."""
    yield from drift.findings
    worst, sure = worst_class(drift), drift.confidence
    if worst is not None:
        yield CLASSES_SHIFT.found("warning", name=worst.name, weighted=worst.weighted, there=worst.target, z=worst.z)
    if sure is not None and confidence_moved(sure):
        easier = "easier" if sure.gap > 0 else "harder"
        yield CONFIDENCE_SHIFT.found("warning", weighted=sure.weighted, there=sure.target, z=sure.z, easier=easier)


class PredictionsCheck(CheckRule):
    """Ask whether the model's predictions match; reading them adds probabilities that do not go with them."""

    name = "answers"
    question = "Do the model's answers match?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun]:
        """Compare predictions and confidence after weighting."""
        drift = report.evidence.drift
        if not weights_rows(report):
            yield from drift_findings(replace(drift, predicted=(), confidence=None))
            yield NO_WEIGHTS
            return
        yield from drift_findings(drift)
        if drift.unread is not None:
            yield NotRun(drift.unread)
        elif not drift.predicted:
            yield NotRun("There are no predicted classes to compare between the samples.")
        elif few := too_few_rows(report, drift.threshold):
            yield few
