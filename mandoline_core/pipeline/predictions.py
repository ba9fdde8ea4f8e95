"""Predictions: what a model says of every row, read once, and added up by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.findings import Finding
from mandoline_core.metrics import read_class_labels
from mandoline_core.patterns import Membership, add_up
from mandoline_core.pipeline.columns import RowCells, SumTable, Tally, written_out
from mandoline_core.weighting import Rows


@dataclass(frozen=True, eq=False)
class RowPredictions:
    """Hold what a model says of every scored source row and of every target row.

    Parameters
    ----------
    predicted : pair of arrays of int
        The class; -1 if absent.
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


def read_row_predictions(rows: Rows) -> RowPredictions | None:
    """Read predictions and, where there are probabilities, how sure they are; None without predictions."""
    if rows.model is None or rows.model.prediction is None:
        return None
    has_probabilities = bool(rows.model.probabilities) and rows.source.label is not None
    try:
        predicted, classes = _read_classes(rows, rows.model.prediction)
    except MandolineError as error:  # nothing to compare; estimating has said or will say what is wrong
        none = np.full(int(rows.scored.sum()), -1), np.full(rows.target.n_rows, -1)
        return RowPredictions((), none, unread=str(error) if has_probabilities else None)
    if not has_probabilities:
        return RowPredictions(classes, predicted)
    try:
        evidence = rows.evidence
    except MandolineError as error:
        return RowPredictions(classes, predicted, unread=str(error))
    source, target = (
        # What is -1 reads the last class, and is then missing.
        np.where(side >= 0, probabilities[np.arange(len(probabilities)), side], np.nan)
        for side, probabilities in zip(
            predicted, (evidence.source_probabilities, evidence.target_probabilities), strict=True
        )
    )
    right = (predicted[0] == evidence.source.truth).astype(float)
    right[(evidence.source.truth < 0) | ~np.isfinite(source)] = np.nan
    return RowPredictions(classes, predicted, (source, target), right, evidence.findings)


def _read_classes(rows: Rows, column: str) -> tuple[tuple[np.ndarray, np.ndarray], tuple[str, ...]]:
    if rows.source.label is not None:
        source, target = rows.answers
        return (source.predicted, target.predicted), target.classes
    merge = rows.metric.merge
    source = read_class_labels(rows.source, label=None, prediction=column, merge=merge)
    target = read_class_labels(rows.target, label=None, prediction=column, merge=merge, known=source.classes)
    return (source.predicted[rows.scored], target.predicted), target.classes


def tally_predictions(
    predictions: RowPredictions, members: Membership, n_patterns: int, cells: RowCells | None = None
) -> tuple[Tally, Tally | None, Floats | None]:
    """Add a model's predictions up by cell.

    Parameters
    ----------
    cells : RowCells, optional
        Of all scored source rows and target rows; the patterns when left out.

    Returns
    -------
    predicted, confidence : Tally
        Predictions of each class; the confidence, None without probabilities.
    calibration : array of float, shape (7, n_patterns), or None
        Of source rows with a label and a confidence, by pattern: how much they count, and the sums of confidence, right
        predictions, the gap between the two, and its square; their number, and the sum of squared design weights.
    """
    rows = members.source_rows, members.target_rows
    index = (members.source, members.target) if cells is None else (cells.source, cells.target)
    sizes = (n_patterns, n_patterns) if cells is None else (len(cells.first_source), len(cells.first_target))

    def tally(known: list[Bools], sums: list[SumTable], squares: Index | None = None) -> Tally:
        source, target = (add_up(index[i], known[i] * rows[i], sizes[i]) for i in (0, 1))
        return Tally(source, target, sums[0], sums[1], squares, complete=all(bool(side.all()) for side in known))

    n_classes, codes = len(predictions.classes), predictions.predicted
    predicted = tally(
        [side >= 0 for side in codes], [count_by(index[i], codes[i], sizes[i], n_classes, rows[i]) for i in (0, 1)]
    )
    if predictions.confidence is None or predictions.right is None:
        return predicted, None, None
    sure = [np.nan_to_num(side) for side in predictions.confidence]
    sums: list[SumTable] = [
        np.column_stack([add_up(index[i], power * rows[i], sizes[i]) for power in (sure[i], sure[i] ** 2)])
        for i in (0, 1)
    ]
    confidence = tally([np.isfinite(side) for side in predictions.confidence], sums, np.array([1, 1]))
    known, right = np.isfinite(predictions.right), np.nan_to_num(predictions.right)
    gap = np.where(known, sure[0] - right, 0.0)
    columns = (known.astype(float), np.where(known, sure[0], 0.0), right, gap, gap**2)
    counted = [values * rows[0] for values in columns]
    counted += [known * members.counts()[0], known * members.design[0].squares_of(rows[0])]
    calibration = np.array([add_up(members.source, values, n_patterns) for values in counted])
    return predicted, confidence, calibration


def count_by(cells: Index, items: Index, n_cells: int, n_items: int, rows: Floats | None = None) -> SumTable:
    """Count rows by cell and item, by their design weights if they have any; items below 0 are not counted.

    >>> count_by(np.array([0, 0, 1]), np.array([1, 1, -1]), 2, 2).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    known = items >= 0
    each = np.ones(int(known.sum())) if rows is None else rows[known]
    if n_cells * n_items <= len(items):  # a place for each pair takes less room than each row's own
        counts = np.bincount(cells[known] * n_items + items[known], each, minlength=n_cells * n_items)
        return counts.reshape(n_cells, n_items)
    marked = (each, (cells[known], items[known]))
    return written_out(csr_matrix(marked, shape=(n_cells, n_items)))
