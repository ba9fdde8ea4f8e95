"""Signs of drift: predicted classes and confidence before and after weighting, and calibration in the source."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks.balance import counted_by_pattern
from mandoline_core.checks.means import CellWeights, compare_means, weigh
from mandoline_core.metrics import MOST_CLASSES
from mandoline_core.patterns import Patterns
from mandoline_core.pipeline import AnswerTally, Estimate, row_cells, tally_answers

Z_95 = 1.959964


@dataclass(frozen=True)
class ClassShare:
    """Hold how often a class is predicted: in the source, the reweighted source and the target.

    Parameters
    ----------
    source, weighted, target : float
        Shares of the rows with a prediction.
    z : float
        What remains after weighting, over its standard error.
    """

    name: str
    source: float
    weighted: float
    target: float
    z: float

    @property
    def gap(self) -> float:
        """What remains after weighting."""
        return self.target - self.weighted


@dataclass(frozen=True)
class ConfidenceShift:
    """Hold the mean probability of the predicted class in the source, the reweighted source and the target."""

    source: float
    weighted: float
    target: float
    z: float

    @property
    def gap(self) -> float:
        """What remains after weighting."""
        return self.target - self.weighted


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
        Confidence minus accuracy: above 0, the model is too sure of itself.
    interval : pair of floats
        Of the gap, at 95%.
    """

    slice: str | None
    n: int
    confidence: float
    accuracy: float
    gap: float
    interval: Interval


def weighed_answers(report: Estimate) -> tuple[AnswerTally, CellWeights] | None:
    """Return a model's answers by cell, and how much the rows of each count; None without predicted classes."""
    counted = report.fit.cells
    if counted.said is None:
        return None
    tally = counted.answers if counted_by_pattern(report) else None
    if tally is None:
        members, by_row = report.fit.row_members, report.outcome.scored_weights is not None
        rows = np.arange(len(members.source)), np.arange(len(members.target))
        cells = row_cells(members, *rows, by_row=by_row)
        tally = tally_answers(counted.said, members, len(report.problem.patterns), cells)
    return tally, weigh(report, tally.cells)


def predicted_shares(classes: tuple[str, ...], tally: AnswerTally, weights: CellWeights) -> tuple[ClassShare, ...]:
    """Compare how often each class is predicted; nothing without predictions of a few classes."""
    few = 1 < len(classes) <= MOST_CLASSES
    gaps = compare_means(weights, tally.predicted) if few else None
    if gaps is None:
        return ()
    return tuple(
        ClassShare(name, *(float(side[i]) for side in (gaps.source, gaps.weighted, gaps.target, gaps.z)))
        for i, name in enumerate(classes)
        if gaps.source[i] + gaps.target[i] > 0
    )


def confidence_shift(tally: AnswerTally, weights: CellWeights) -> ConfidenceShift | None:
    """Compare the mean confidence; nothing without probabilities."""
    if tally.confidence is None:
        return None
    gaps = compare_means(weights, tally.confidence)
    if gaps is None:
        return None
    return ConfidenceShift(*(float(side[0]) for side in (gaps.source, gaps.weighted, gaps.target, gaps.z)))


def slice_calibration(table: Patterns, sums: Floats | None) -> tuple[SliceCalibration, ...]:
    """Compare confidence with accuracy in every slice, from `AnswerTally.calibration`."""
    if sums is None:
        return ()
    found = []
    for name, inside in (
        (None, np.ones(len(table), dtype=bool)),
        *((name, table.codes[:, i] == 1) for i, name in enumerate(table.names)),
    ):
        n, confident, correct, total, squares = sums[:, inside].sum(axis=1)
        if n < 2:
            continue
        mean = total / n
        half = Z_95 * math.sqrt(max(squares / n - mean**2, 0.0) / (n - 1))
        interval = float(mean - half), float(mean + half)
        found.append(SliceCalibration(name, round(n), float(confident / n), float(correct / n), float(mean), interval))
    return tuple(found)
