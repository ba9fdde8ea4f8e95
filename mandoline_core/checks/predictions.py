"""The check of the predictions: whether predicted classes and confidence still differ after weighting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mandoline_core.checks.check import NO_WEIGHTS, CheckRule, NotRun, too_few_rows, weights_rows
from mandoline_core.checks.drift import MOST_OVERSURE, Drift, confidence_moved, worst_class
from mandoline_core.checks.evidence import ModelReport
from mandoline_core.estimators import get_estimator
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_percent

FAR_OVERSURE = 0.1  # a gap between confidence and accuracy beyond which an estimate by confidence is no estimate


def drift_findings(drift: Drift) -> Iterator[Finding]:
    """Warn when predicted classes or confidence differ after weighting, by more than sampling error and two points."""
    yield from drift.findings
    worst, sure = worst_class(drift), drift.confidence
    if worst is not None:
        yield Finding(
            "answers",
            "predicted_classes_shift",
            "warning",
            f"After weighting, class {worst.name!r} is predicted for {show_percent(worst.weighted)} of labelled rows "
            f"and {show_percent(worst.target)} of new rows.",
            "Add a slice that explains it, for example of kind 'prediction', or compare with estimator \"bbse\".",
            f"Either rows changed in a way that no slice covers, or class frequencies changed (z = {worst.z:.1f}).",
            numbers={"name": worst.name, "weighted": worst.weighted, "target": worst.target, "z": worst.z},
        )
    if sure is not None and confidence_moved(sure):
        yield Finding(
            "answers",
            "confidence_shift",
            "warning",
            f"After weighting, mean confidence is {show_percent(sure.weighted)} on labelled rows and "
            f"{show_percent(sure.target)} on new rows.",
            "Add a slice of kind 'entropy' or 'confidence', or inspect the new rows with the lowest confidence.",
            f"The model finds the new rows {'easier' if sure.gap > 0 else 'harder'}, and no slice covers it "
            f"(z = {sure.z:.1f}).",
            numbers={"weighted": sure.weighted, "target": sure.target, "z": sure.z},
        )


def confidence_findings(report: ModelReport, drift: Drift) -> Iterator[Finding]:
    """Report confidence that labelled rows contradict, to a method that uses it as correct."""
    if not get_estimator(report.estimator).trusts_confidence or not drift.calibration:
        return
    rows = drift.calibration[0]  # all of them
    low, high = rows.interval
    if low <= 0 <= high or abs(rows.gap) <= MOST_OVERSURE:
        return
    yield Finding(
        "answers",
        "confidence_contradicted",
        "serious" if abs(rows.gap) > FAR_OVERSURE else "warning",
        f"On labelled data the model's mean confidence is {show_percent(rows.confidence)}, but its accuracy is "
        f"{show_percent(rows.accuracy)}.",
        "Use a method that learns from labels, such as Mandoline, or calibrate the probabilities.",
        "This method uses confidence as correct, so it is likely to be as far off on new data.",
        numbers={"confidence": rows.confidence, "accuracy": rows.accuracy, "n": rows.n},
    )


class PredictionsCheck(CheckRule):
    """Ask whether the model's predictions match; reading them adds probabilities that contradict them."""

    name = "answers"
    question = "Do the predictions match after weighting?"
    labels_outweigh = "failure"

    def look(self, report: ModelReport) -> Iterable[Finding | NotRun] | None:
        """Compare predictions and confidence after weighting; None for numbers, which have no classes."""
        drift = report.evidence.drift
        numeric = report.problem.metric.needs in ("numbers", "column", "own")
        return None if numeric and not drift.predicted and drift.unread is None else self._compare(report, drift)

    def _compare(self, report: ModelReport, drift: Drift) -> Iterator[Finding | NotRun]:
        yield from confidence_findings(report, drift)
        if not weights_rows(report):
            yield from drift_findings(replace(drift, predicted=(), confidence=None))
            yield NO_WEIGHTS
            return
        yield from drift_findings(drift)
        if drift.unread is not None:
            yield NotRun(drift.unread)
        elif not drift.predicted:
            yield NotRun("There are no predicted classes to compare.")
        elif few := too_few_rows(report, drift.threshold):
            yield few
