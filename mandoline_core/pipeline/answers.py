"""A model's answers: what it says of every row, read once, and added up by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.findings import Finding
from mandoline_core.metrics import read_answers
from mandoline_core.patterns import Membership, add_up
from mandoline_core.pipeline.columns import RowCells, SumTable, Tally, written_out
from mandoline_core.weighting import Rows


@dataclass(frozen=True, eq=False)
class RowAnswers:
    """Hold what a model says of every scored source row and of every target row.

    Parameters
    ----------
    predicted : pair of arrays of int
        The class; -1 where there is none.
    confidence : pair of arrays of float, or None
        The probability of the predicted class, NaN where missing; None where no probabilities can be used.
    right : array of float, shape (n_scored,)
        1 where confidence is known and the prediction right, 0 where it is wrong, else NaN.
    findings : tuple of Finding
        About probabilities that do not go with the predictions.
    unread : str or None
        Why probabilities that are there cannot be used.
    """

    classes: tuple[str, ...]
    predicted: tuple[np.ndarray, np.ndarray]
    confidence: tuple[Floats, Floats] | None = None
    right: Floats | None = None
    findings: tuple[Finding, ...] = ()
    unread: str | None = None


class AnswerTally(NamedTuple):
    """Hold a model's answers by cell.

    Parameters
    ----------
    predicted, confidence : Tally
        Predictions of each class; the confidence.
    calibration : array of float, shape (5, n_patterns)
        Of source rows with a label and a confidence, by pattern: their number, and the sums of confidence, right
        predictions, the gap between the two, and its square.
    cells : RowCells or None
        The cells; None for the patterns.
    """

    predicted: Tally
    confidence: Tally | None = None
    calibration: Floats | None = None
    cells: RowCells | None = None


def read_row_answers(rows: Rows) -> RowAnswers | None:
    """Read predictions and, where there are probabilities, how sure they are; None without predictions."""
    if rows.model is None or rows.model.prediction is None:
        return None
    has_chances = bool(rows.model.probabilities) and rows.source.label is not None
    try:
        here, there, classes = _read_predictions(rows)
    except MandolineError as error:  # nothing to compare; estimating has said or will say what is wrong
        nothing = np.full(int(rows.scored.sum()), -1), np.full(rows.target.n_rows, -1)
        return RowAnswers((), nothing, unread=str(error) if has_chances else None)
    if not has_chances:
        return RowAnswers(classes, (here, there))
    try:
        evidence = rows.evidence
    except MandolineError as error:
        return RowAnswers(classes, (here, there), unread=str(error))
    sure, then = (
        # What is -1 reads the last class, and is then missing.
        np.where(predicted >= 0, chances[np.arange(len(chances)), predicted], np.nan)
        for predicted, chances in ((here, evidence.source_probabilities), (there, evidence.target_probabilities))
    )
    right = (here == evidence.source.truth).astype(float)
    right[(evidence.source.truth < 0) | ~np.isfinite(sure)] = np.nan
    return RowAnswers(classes, (here, there), (sure, then), right, evidence.findings)


def _read_predictions(rows: Rows) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    if rows.source.label is not None:
        source, target = rows.answers
        return source.predicted, target.predicted, target.classes
    assert rows.model is not None  # noqa: S101 - checked at the door
    column, merge = str(rows.model.prediction), rows.metric.merge
    source = read_answers(rows.source, label=None, prediction=column, merge=merge)
    target = read_answers(rows.target, label=None, prediction=column, merge=merge, known=source.classes)
    return source.predicted[rows.scored], target.predicted, target.classes


def tally_answers(said: RowAnswers, members: Membership, n_patterns: int, cells: RowCells | None = None) -> AnswerTally:
    """Add a model's answers up by cell.

    Parameters
    ----------
    cells : RowCells, optional
        Of all scored source rows and target rows; the patterns when left out.
    """
    sides = [(members.source, n_patterns), (members.target, n_patterns)]
    if cells is not None:
        sides = [(cells.source, len(cells.first_source)), (cells.target, len(cells.first_target))]

    def tally(known: list[NDArray[np.bool_]], sums: list[SumTable], squares: Index | None = None) -> Tally:
        rows = [add_up(cell, some.astype(float), n) for (cell, n), some in zip(sides, known, strict=True)]
        return Tally(rows[0], rows[1], sums[0], sums[1], squares, complete=all(bool(some.all()) for some in known))

    predicted = tally(
        [codes >= 0 for codes in said.predicted],
        [count_by(cell, codes, n, len(said.classes)) for (cell, n), codes in zip(sides, said.predicted, strict=True)],
    )
    if said.confidence is None or said.right is None:
        return AnswerTally(predicted, cells=cells)
    filled = [np.nan_to_num(side) for side in said.confidence]
    confidence = tally(
        [np.isfinite(side) for side in said.confidence],
        [
            np.column_stack([add_up(cell, side, n), add_up(cell, side**2, n)])
            for (cell, n), side in zip(sides, filled, strict=True)
        ],
        np.array([1, 1]),
    )
    known = np.isfinite(said.right)
    right = np.nan_to_num(said.right)
    gap = np.where(known, filled[0] - right, 0.0)
    columns = (known.astype(float), np.where(known, filled[0], 0.0), right, gap, gap**2)
    calibration = np.array([add_up(members.source, values, n_patterns) for values in columns])
    return AnswerTally(predicted, confidence, calibration, cells)


def count_by(cells: Index, items: Index, n_cells: int, n_items: int) -> SumTable:
    """Count rows by cell and item; items below 0 are not counted.

    >>> count_by(np.array([0, 0, 1]), np.array([1, 1, -1]), 2, 2).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    known = items >= 0
    if n_cells * n_items <= len(items):  # a place for each pair takes less room than each row's own
        counts = np.bincount(cells[known] * n_items + items[known], minlength=n_cells * n_items)
        return counts.reshape(n_cells, n_items).astype(float)
    marked = (np.ones(int(known.sum())), (cells[known], items[known]))
    return written_out(csr_matrix(marked, shape=(n_cells, n_items)))
