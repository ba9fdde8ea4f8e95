"""Drift: signs that classes or their meaning changed, and what unlabelled data cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mandoline_core.checks.drift_signs import (
    ClassShare,
    ConfidenceShift,
    SliceCalibration,
    confidence_shift,
    predicted_shares,
    slice_calibration,
    weighed_answers,
)
from mandoline_core.checks.means import sampling_threshold
from mandoline_core.findings import Finding
from mandoline_core.formatting import Sentence
from mandoline_core.pipeline import Estimate

NOTABLE = 0.02  # two points: less would hardly move an estimate that anyone acts on
MOST_OVERSURE = 0.05  # a gap between confidence and accuracy that is worth a sentence
NO_LABELS = (
    "If the meaning of labels changed, nothing here can show it: that would take labels of new rows.",
    (
        "Weighting assumes that rows alike to the slices are right equally often in both samples; predictions and "
        "confidence on the new rows can raise a doubt about that, and cannot settle it."
    ),
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


def drift(report: Estimate) -> Drift:
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
    said, weighed = report.fit.cells.said, weighed_answers(report)
    if said is None or weighed is None:
        return Drift((), None, (), ("There are no predicted classes to compare.", *NO_LABELS))
    tally, weighing = weighed
    calibration = slice_calibration(report.problem.patterns, tally.calibration)
    found = Drift(
        predicted=predicted_shares(said.classes, tally, weighing),
        confidence=confidence_shift(tally, weighing),
        calibration=calibration,
        words=(),
        findings=said.findings if calibration else (),
        unread=said.unread,
    )
    return replace(found, words=(*_say(found), *NO_LABELS))


def worst_class(found: Drift) -> ClassShare | None:
    """Return the class whose share is left furthest off, beyond luck and two points."""
    moved = [share for share in found.predicted if abs(share.z) > found.threshold and abs(share.gap) > NOTABLE]
    return max(moved, key=lambda share: (round(abs(share.gap), 12), share.gap), default=None)


def confidence_moved(sure: ConfidenceShift) -> bool:
    """Tell whether confidence is left off beyond luck and two points."""
    return abs(sure.gap) > NOTABLE and abs(sure.z) > sampling_threshold(1)


def _say(found: Drift) -> Iterator[str]:
    """Say in words what predictions and confidence show."""
    worst, sure = worst_class(found), found.confidence
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
    if sure is not None and confidence_moved(sure):
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
