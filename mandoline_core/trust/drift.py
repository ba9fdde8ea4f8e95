"""The check of the answers: signs that classes or their meaning changed, and what unlabelled data cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mandoline_core.errors import MandolineError
from mandoline_core.estimating import ModelReport
from mandoline_core.findings import Finding, FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.trust.check import NO_WEIGHTS, CheckRule, NotRun, weights_rows
from mandoline_core.trust.drift_signs import (
    ClassShare,
    ConfidenceShift,
    SliceCalibration,
    cells_of,
    confidence_signs,
    predicted_shares,
)
from mandoline_core.trust.unmodelled.gaps import sampling_threshold

NOTABLE = 0.02  # two points: less would hardly move an estimate that anyone acts on
MOST_OVERSURE = 0.05  # a gap between confidence and accuracy that is worth a sentence
NO_LABELS = (
    "If the meaning of labels changed, nothing here can show it: that would take labels of new rows.",
    (
        "Weighting assumes that rows alike to the slices are right equally often in both samples; predictions and "
        "confidence on the new rows can raise a doubt about that, and cannot settle it."
    ),
)

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


@dataclass(frozen=True)
class Drift:
    """Hold what predictions and confidence say about a change of classes.

    Parameters
    ----------
    predicted : tuple of ClassShare
        Empty without predicted classes.
    calibration : tuple of SliceCalibration
        All source rows first, then slice by slice; empty without probabilities.
    words : tuple of str
        What follows, and what does not.
    findings : tuple of Finding
        About probabilities that do not go with the predictions.
    unread : str or None
        Why probabilities that are there could not be compared.
    """

    predicted: tuple[ClassShare, ...]
    confidence: ConfidenceShift | None
    calibration: tuple[SliceCalibration, ...]
    words: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    unread: str | None = None

    @property
    def threshold(self) -> float:
        """The |z| beyond which one of the predicted classes stands out from luck."""
        return sampling_threshold(len(self.predicted))


def drift(report: ModelReport) -> Drift:
    """Look for signs that classes changed: in what is predicted, how surely, and how rightly in the source.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Category, Sample, estimate
    >>> frame = pd.DataFrame({"place": list("aaab"), "y": [1, 0, 1, 0], "p": [1, 1, 1, 0]})
    >>> target = pd.DataFrame({"place": list("ab"), "p": [1, 0]})
    >>> report = estimate(
    ...     Sample(frame, label="y", prediction="p"),
    ...     Sample(target, prediction="p"),
    ...     [Category("b", column="place", values=("b",))],
    ... ).first
    >>> [(c.name, c.source, round(c.weighted, 3), c.target) for c in drift(report).predicted]
    [('0', 0.25, 0.5, 0.5), ('1', 0.75, 0.5, 0.5)]
    """
    rows = report.problem.rows
    if rows is None or rows.model is None or rows.model.prediction is None or report.problem.metric.needs == "numbers":
        return Drift((), None, (), ("There are no predicted classes to compare.", *NO_LABELS))
    cells = cells_of(report)
    predicted = predicted_shares(rows, cells)
    try:
        confidence, calibration = confidence_signs(rows, cells, report)
    except MandolineError as error:
        found = Drift(predicted, None, (), (), unread=error.sentence)
    else:
        findings = rows.evidence.findings if calibration else ()
        found = Drift(predicted, confidence, calibration, (), findings)
    return replace(found, words=(*_say(found), *NO_LABELS))


def drift_findings(found: Drift) -> Iterator[Finding]:
    """Warn when predicted classes or confidence still differ after weighting, by more than luck and two points."""
    yield from found.findings
    worst, sure = _worst_class(found), found.confidence
    if worst is not None:
        yield CLASSES_SHIFT.found("warning", name=worst.name, weighted=worst.weighted, there=worst.target, z=worst.z)
    if sure is not None and _confidence_moved(sure):
        easier = "easier" if sure.gap > 0 else "harder"
        yield CONFIDENCE_SHIFT.found("warning", weighted=sure.weighted, there=sure.target, z=sure.z, easier=easier)


class AnswersCheck(CheckRule):
    """Ask whether the model's answers match, in class and confidence; reading them adds what does not go together."""

    name = "answers"
    question = "Do the model's answers match?"

    def look(self, report: ModelReport) -> Iterator[Finding | NotRun]:
        """Compare answers and confidence after weighting."""
        found = drift(report)
        if not weights_rows(report):
            yield from drift_findings(replace(found, predicted=(), confidence=None))
            yield NO_WEIGHTS
            return
        yield from drift_findings(found)
        if found.unread is not None:
            yield NotRun(found.unread)
        elif not found.predicted:
            yield NotRun("There are no predicted classes to compare between the samples.")


def _worst_class(found: Drift) -> ClassShare | None:
    moved = [share for share in found.predicted if abs(share.z) > found.threshold and abs(share.gap) > NOTABLE]
    return max(moved, key=lambda share: (round(abs(share.gap), 12), share.gap), default=None)


def _confidence_moved(sure: ConfidenceShift) -> bool:
    return abs(sure.gap) > NOTABLE and abs(sure.z) > sampling_threshold(1)


def _say(found: Drift) -> Iterator[str]:
    """Say in words what predictions and confidence show."""
    worst, sure = _worst_class(found), found.confidence
    if worst is not None:
        yield Sentence(
            "Class {name!r} is predicted for {weighted:.1%} of the reweighted {source} and {there:.1%} of the "
            "{target}. Predictions alone cannot tell a change in how frequent the class is from a change in the rows.",
            name=worst.name,
            weighted=worst.weighted,
            there=worst.target,
        )
    elif found.predicted:
        yield Sentence("Each class is predicted about as often in the reweighted {source} as in the {target}.")
    if sure is not None and _confidence_moved(sure):
        yield Sentence(
            "The model is {surer} of its answers on the {target} ({there:.1%}) than on the reweighted {source} "
            "({weighted:.1%}). Whether it is right to be cannot be seen.",
            surer="surer" if sure.gap > 0 else "less sure",
            there=sure.target,
            weighted=sure.weighted,
        )
    elif sure is not None:
        yield Sentence("The model is about as sure of its answers on the {target} as on the reweighted {source}.")
    off = [
        line
        for line in found.calibration
        if line.slice is not None and abs(line.gap) > MOST_OVERSURE and line.interval[0] * line.interval[1] > 0
    ]
    if off:
        line = max(off, key=lambda line: abs(line.gap))
        yield Sentence(
            "In the {source}, inside slice {name!r}, the model is {how} of itself: confidence {confidence:.1%}, "
            "accuracy {accuracy:.1%}. Methods that trust its confidence inherit that.",
            name=line.slice,
            how="too sure" if line.gap > 0 else "not sure enough",
            confidence=line.confidence,
            accuracy=line.accuracy,
        )
