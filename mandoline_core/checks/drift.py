"""Drift: signs that classes or their meaning changed, and what unlabelled data cannot show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks.means import compare_means, counted_by_pattern, sampling_threshold, weigh
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_percent
from mandoline_core.metrics import MOST_CLASSES
from mandoline_core.patterns import Patterns
from mandoline_core.pipeline import Estimate, MeanShift, row_cells, tally_predictions

Z_95 = 1.959964
NOTABLE = 0.02  # two points: less hardly moves an estimate
MOST_OVERSURE = 0.05  # a gap between confidence and accuracy that is worth a sentence
NO_LABELS = (
    "A change in the meaning of labels cannot be detected without labels of new rows.",
    "Weighting assumes that rows with the same slices have the same score. Predictions can only cast doubt on that.",
)


@dataclass(frozen=True)
class SliceCalibration:
    """Compare confidence with accuracy inside a slice, in the source.

    Parameters
    ----------
    slice : str or None
        None for all rows.
    n : int
        Source rows with a label, a prediction and probabilities.
    confidence, accuracy : float
        Mean probability of the predicted class; share of right predictions.
    gap : float
        Confidence minus accuracy: above 0, the model is overconfident.
    interval : pair of floats
        Of the gap, at 95%.
    """

    slice: str | None
    n: int
    confidence: float
    accuracy: float
    gap: float
    interval: Interval


@dataclass(frozen=True)
class Drift:
    """Hold what predictions and confidence show about a change of classes.

    Parameters
    ----------
    predicted : tuple of MeanShift
        The share of the rows that each class is predicted for; empty without predicted classes.
    confidence : MeanShift or None
        The mean probability of the predicted class; None without probabilities.
    calibration : tuple of SliceCalibration
        All source rows first, then slice by slice; empty without probabilities.
    words : tuple of str
        What follows from it, and what does not.
    findings : tuple of Finding
        About probabilities that contradict the predictions.
    unread : str or None
        Why probabilities could not be compared.
    """

    predicted: tuple[MeanShift, ...]
    confidence: MeanShift | None
    calibration: tuple[SliceCalibration, ...]
    words: tuple[str, ...]
    findings: tuple[Finding, ...] = ()
    unread: str | None = None

    @property
    def threshold(self) -> float:
        """The |z| beyond which a predicted class differs beyond sampling error."""
        return sampling_threshold(len(self.predicted))


def drift(report: Estimate) -> Drift:
    """Look for signs that classes changed: in predictions, confidence, and accuracy in the source.

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
    cells = report.cells
    predictions = cells.predictions
    if predictions is None:
        return Drift((), None, (), ("There are no predicted classes to compare.", *NO_LABELS))
    tally, table = cells.prediction_tally if counted_by_pattern(report) else None, report.problem.patterns
    by_row = None
    if tally is None:
        members, scored = report.fit.row_members, report.outcome.scored_weights is not None
        rows = np.arange(len(members.source)), np.arange(len(members.target))
        by_row = row_cells(members, *rows, by_row=scored)
        tally = tally_predictions(predictions, members, len(table), by_row)
    predicted, confidence, sums = tally
    weights, few = weigh(report, by_row), 1 < len(predictions.classes) <= MOST_CLASSES
    shares = compare_means(weights, predicted) if few else None
    sure = None if confidence is None else compare_means(weights, confidence)
    calibration = slice_calibration(table, sums)
    signs = Drift(
        predicted=()
        if shares is None
        else tuple(
            MeanShift(name, **shares.at(i))
            for i, name in enumerate(predictions.classes)
            if shares.source[i] + shares.target[i] > 0
        ),
        confidence=None if sure is None else MeanShift("confidence", **sure.at(0)),
        calibration=calibration,
        words=(),
        findings=predictions.findings if calibration else (),
        unread=predictions.unread,
    )
    return replace(signs, words=(*_say(signs), *NO_LABELS))


def slice_calibration(table: Patterns, sums: Floats | None) -> tuple[SliceCalibration, ...]:
    """Compare confidence with accuracy in every slice, from the sums that `tally_predictions` makes."""
    if sums is None:
        return ()
    lines = []
    for name, inside in (
        (None, np.ones(len(table), dtype=bool)),
        *((name, table.codes[:, i] == 1) for i, name in enumerate(table.names)),
    ):
        n, confident, correct, total, squares, rows, squared_weights = sums[:, inside].sum(axis=1)
        if rows < 2:
            continue
        mean = total / n
        each = squared_weights / n**2 * rows / (rows - 1)  # 1 / (rows - 1) where all weigh the same
        half = Z_95 * math.sqrt(max(squares / n - mean**2, 0.0) * each)
        interval = float(mean - half), float(mean + half)
        lines.append(
            SliceCalibration(name, round(rows), float(confident / n), float(correct / n), float(mean), interval)
        )
    return tuple(lines)


def worst_class(drift: Drift) -> MeanShift | None:
    """Return the class whose share differs most, beyond sampling error and two points."""
    moved = [share for share in drift.predicted if abs(share.z) > drift.threshold and abs(share.gap) > NOTABLE]
    return max(moved, key=lambda share: (round(abs(share.gap), 12), share.gap), default=None)


def confidence_moved(sure: MeanShift) -> bool:
    """Tell whether confidence differs by more than sampling error and two points."""
    return abs(sure.gap) > NOTABLE and abs(sure.z) > sampling_threshold(1)


def _say(drift: Drift) -> Iterator[str]:
    """Say what predictions and confidence show."""
    worst, sure = worst_class(drift), drift.confidence
    if worst is not None:
        yield (
            f"Class {worst.name!r} is predicted for {show_percent(worst.weighted)} of weighted labelled rows and "
            f"{show_percent(worst.target)} of new rows. Predictions alone cannot show whether the class became more or "
            "less frequent, or the rows changed."
        )
    elif drift.predicted:
        yield "Each class is predicted about as often for weighted labelled rows as for new rows."
    if sure is not None and confidence_moved(sure):
        yield (
            f"The model is {'more' if sure.gap > 0 else 'less'} confident on new rows ({show_percent(sure.target)}) "
            f"than on weighted labelled rows ({show_percent(sure.weighted)}). Only labels show whether it should be."
        )
    elif sure is not None:
        yield "The model is about as confident on new rows as on weighted labelled rows."
    off = [
        line
        for line in drift.calibration
        if line.slice is not None and abs(line.gap) > MOST_OVERSURE and line.interval[0] * line.interval[1] > 0
    ]
    if off:
        line = max(off, key=lambda line: abs(line.gap))
        yield (
            f"The model is {'over' if line.gap > 0 else 'under'}confident in slice {line.slice!r}: confidence "
            f"{show_percent(line.confidence)}, accuracy {show_percent(line.accuracy)}. Methods that use its confidence "
            "inherit that."
        )
