"""Signs of drift: predicted classes and confidence before and after weighting, and calibration in the source."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimating import ModelReport
from mandoline_core.metrics import MOST_CLASSES, read_answers
from mandoline_core.patterns import add_up
from mandoline_core.trust.unmodelled.gaps import Tally, Weighing, compare, count_by, rows_by, weigh, weigh_rows
from mandoline_core.weighting import Rows

Z_95 = 1.959964
T = TypeVar("T")


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


@dataclass(frozen=True, eq=False)
class RowCells:
    """The cell of every scored source row and target row, how much the rows of each count, and what was added up."""

    source: Index
    target: Index
    weighing: Weighing
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict)

    def once(self, what: str, compute: Callable[[], T]) -> T:
        """Add rows up once for a set of slices: what they add up to does not depend on how much they count."""
        key = ("drift", what, len(self.weighing.source), len(self.weighing.target))
        if key not in self.kept:
            self.kept[key] = compute()
        found: T = self.kept[key]
        return found

    def tally(self, source: Floats, target: Floats) -> Tally:
        """Add up one value a row; NaN is missing."""
        sides = ((source, self.source, self.weighing.source), (target, self.target, self.weighing.target))
        rows, sums, squares = [], [], []
        for values, cell, like in sides:
            known = np.isfinite(values)
            filled = np.where(known, values, 0.0)
            rows.append(rows_by(cell, known, len(like)))
            sums.append(add_up(cell, filled, len(like))[:, None])
            squares.append(add_up(cell, filled**2, len(like))[:, None])
        return Tally(*rows, *sums, *squares)


def cells_of(report: ModelReport) -> RowCells:
    """Find the cell of every row, and how much its rows count."""
    members, problem = report.problem.members, report.problem
    if report.outcome.scored_weights is not None:
        return RowCells(np.arange(len(members.source)), members.target, weigh_rows(report))
    n_groups = len(problem.groups)
    cell = members.source
    if n_groups > 1:
        cell = members.groups.astype(np.intp) * len(problem.patterns) + cell
    counted = report.prepared.counted
    whole = n_groups == 1 and problem.patterns.names == counted.count.patterns.names
    return RowCells(cell, members.target, weigh(report, n_groups), counted.kept if whole else {})


def predicted_shares(rows: Rows, cells: RowCells) -> tuple[ClassShare, ...]:
    """Compare how often each class is predicted; nothing without predictions of a few classes."""
    try:
        tally, classes, whole = cells.once("predicted", lambda: _tally_predictions(rows, cells))
    except MandolineError:  # nothing to compare; estimating has said or will say what is wrong
        return ()
    gaps = compare(cells.weighing, tally, project=whole) if 1 < len(classes) <= MOST_CLASSES else None
    if gaps is None:
        return ()
    return tuple(
        ClassShare(name, *(float(side[i]) for side in (gaps.source, gaps.weighted, gaps.target, gaps.z)))
        for i, name in enumerate(classes)
        if gaps.source[i] + gaps.target[i] > 0
    )


def _tally_predictions(rows: Rows, cells: RowCells) -> tuple[Tally, tuple[str, ...], bool]:
    """Count predictions by cell and class; also say whether every row has one."""
    here, there, classes = _read_predictions(rows)
    n_source, n_target = len(cells.weighing.source), len(cells.weighing.target)
    tally = Tally(
        rows_by(cells.source, here >= 0, n_source),
        rows_by(cells.target, there >= 0, n_target),
        count_by(cells.source, here, n_source, len(classes)),
        count_by(cells.target, there, n_target, len(classes)),
    )
    return tally, classes, bool((here >= 0).all() and (there >= 0).all())


def _read_predictions(rows: Rows) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    if rows.source.label is not None:
        source, target = rows.answers
        return source.predicted, target.predicted, target.classes
    assert rows.model is not None  # noqa: S101 - checked at the door
    column, merge = str(rows.model.prediction), rows.metric.merge
    source = read_answers(rows.source, label=None, prediction=column, merge=merge)
    target = read_answers(rows.target, label=None, prediction=column, merge=merge, known=source.classes)
    return source.predicted[rows.scored], target.predicted, target.classes


def confidence_signs(
    rows: Rows, cells: RowCells, report: ModelReport
) -> tuple[ConfidenceShift | None, tuple[SliceCalibration, ...]]:
    """Compare the mean confidence, and confidence with accuracy by slice; nothing without probabilities.

    Probabilities that cannot be used are an error.
    """
    if rows.model is None or not rows.model.probabilities or rows.source.label is None:
        return None, ()
    tally, whole, sums = cells.once("confidence", lambda: _tally_confidence(rows, cells, report))
    gaps = compare(cells.weighing, tally, project=whole)
    calibration = _calibration(report, sums)
    if gaps is None:
        return None, calibration
    means = (float(side[0]) for side in (gaps.source, gaps.weighted, gaps.target, gaps.z))
    return ConfidenceShift(*means), calibration


def _tally_confidence(rows: Rows, cells: RowCells, report: ModelReport) -> tuple[Tally, bool, Floats]:
    """Add confidence up by cell, say whether every row has one, and add up what calibration needs by pattern."""
    evidence = rows.evidence
    sides = (
        (evidence.source, evidence.source_probabilities),
        (evidence.target, evidence.target_probabilities),
    )
    sure = []
    for answers, chances in sides:
        # What is -1 reads the last class, and is then missing.
        given = chances[np.arange(len(chances)), answers.predicted]
        sure.append(np.where(answers.predicted >= 0, given, np.nan))
    whole = all(bool(np.isfinite(side).all()) for side in sure)
    right = (evidence.source.predicted == evidence.source.truth).astype(float)
    right[(evidence.source.truth < 0) | ~np.isfinite(sure[0])] = np.nan
    known = np.isfinite(right)
    gap = np.where(known, sure[0] - right, 0.0)
    columns = (known, np.where(known, sure[0], 0.0), np.where(known, right, 0.0), gap, gap**2)
    index, n = report.problem.members.source, len(report.problem.patterns)
    sums = np.array([add_up(index, np.asarray(values, dtype=float), n) for values in columns])
    return cells.tally(*sure), whole, sums


def _calibration(report: ModelReport, sums: Floats) -> tuple[SliceCalibration, ...]:
    """Compare confidence with accuracy in every slice, from sums by pattern, shape (5, n_patterns)."""
    table = report.problem.patterns
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
