"""A model's answers: what it says of every row, read once, and added up by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.findings import Finding
from mandoline_core.metrics import read_answers
from mandoline_core.patterns import Membership, add_up
from mandoline_core.pipeline.columns.tally import Tally, count_by, rows_by, written_out
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
    all_predicted, all_confident : bool
        Whether every row has one.
    calibration : array of float, shape (5, n_patterns)
        Of source rows with a label and a confidence, by pattern: their number, and the sums of confidence, right
        predictions, the gap between the two, and its square.
    """

    predicted: Tally
    all_predicted: bool
    confidence: Tally | None = None
    all_confident: bool = False
    calibration: Floats | None = None


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


def tally_answers(
    said: RowAnswers, members: Membership, n_patterns: int, cells: tuple[Index, int] | None = None
) -> AnswerTally:
    """Add a model's answers up by cell.

    Parameters
    ----------
    cells : pair of array of int, shape (n_scored,), and int, optional
        The cell of each scored source row, and how many there are; the patterns when left out.
    """
    index, n_cells = (members.source, n_patterns) if cells is None else cells
    sides = ((index, n_cells), (members.target, n_patterns))
    predicted = Tally(
        *(rows_by(cell, codes >= 0, n) for (cell, n), codes in zip(sides, said.predicted, strict=True)),
        *(
            written_out(count_by(cell, codes, n, len(said.classes)))
            for (cell, n), codes in zip(sides, said.predicted, strict=True)
        ),
    )
    all_predicted = all(bool((codes >= 0).all()) for codes in said.predicted)
    if said.confidence is None or said.right is None:
        return AnswerTally(predicted, all_predicted)
    filled = [np.nan_to_num(side) for side in said.confidence]
    confidence = Tally(
        *(rows_by(cell, np.isfinite(side), n) for (cell, n), side in zip(sides, said.confidence, strict=True)),
        *(add_up(cell, side, n)[:, None] for (cell, n), side in zip(sides, filled, strict=True)),
        *(add_up(cell, side**2, n)[:, None] for (cell, n), side in zip(sides, filled, strict=True)),
    )
    known = np.isfinite(said.right)
    right = np.nan_to_num(said.right)
    gap = np.where(known, filled[0] - right, 0.0)
    columns = (known.astype(float), np.where(known, filled[0], 0.0), right, gap, gap**2)
    return AnswerTally(
        predicted,
        all_predicted,
        confidence,
        all(bool(np.isfinite(side).all()) for side in said.confidence),
        np.array([add_up(members.source, values, n_patterns) for values in columns]),
    )
