"""Signs of drift: predicted classes and confidence before and after weighting, and calibration in the source."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.checks.unmodelled.gaps import compare, weigh, weigh_rows
from mandoline_core.checks.unmodelled.ground import Weighing
from mandoline_core.metrics import MOST_CLASSES
from mandoline_core.patterns import Patterns
from mandoline_core.pipeline import AnswerTally, Estimate, tally_answers

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


def weighed_answers(report: Estimate) -> tuple[AnswerTally, Weighing] | None:
    """Return a model's answers by cell, and how much the rows of each count; None without predicted classes."""
    counted, problem = report.fit.cells, report.problem
    if counted.said is None:
        return None
    if report.fit.in_table and counted.answers is not None:
        return counted.answers, weigh(report)
    members, n_patterns, n_groups = problem.members, len(problem.patterns), len(problem.groups)
    if report.outcome.scored_weights is not None:
        n_rows = len(members.source)
        return tally_answers(counted.said, members, n_patterns, (np.arange(n_rows), n_rows)), weigh_rows(report)
    weighing = weigh(report, n_groups)
    if problem.patterns is counted.count.patterns and n_groups == 1 and counted.answers is not None:
        return counted.answers, weighing
    cells = members.groups.astype(np.intp) * n_patterns + members.source
    return tally_answers(counted.said, members, n_patterns, (cells, n_groups * n_patterns)), weighing


def predicted_shares(classes: tuple[str, ...], tally: AnswerTally, weighing: Weighing) -> tuple[ClassShare, ...]:
    """Compare how often each class is predicted; nothing without predictions of a few classes."""
    few = 1 < len(classes) <= MOST_CLASSES
    gaps = compare(weighing, tally.predicted, project=tally.all_predicted) if few else None
    if gaps is None:
        return ()
    return tuple(
        ClassShare(name, *(float(side[i]) for side in (gaps.source, gaps.weighted, gaps.target, gaps.z)))
        for i, name in enumerate(classes)
        if gaps.source[i] + gaps.target[i] > 0
    )


def confidence_shift(tally: AnswerTally, weighing: Weighing) -> ConfidenceShift | None:
    """Compare the mean confidence; nothing without probabilities."""
    if tally.confidence is None:
        return None
    gaps = compare(weighing, tally.confidence, project=tally.all_confident)
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
