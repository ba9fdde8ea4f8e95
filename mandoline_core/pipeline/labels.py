"""Labels that the target turns out to have: of some rows, to be combined with the estimate; of all, its truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Sample
from mandoline_core.errors import MandolineError
from mandoline_core.findings import Finding
from mandoline_core.metrics import Metric, evaluate, score_rows
from mandoline_core.weighting import Rows

if TYPE_CHECKING:
    from mandoline_core.pipeline.cells import Cells


def score_labels(rows: Rows, metric: Metric, n_statistics: int, target: Sample, column: str) -> tuple[Floats, Bools]:
    """Score the target rows that have a label.

    Parameters
    ----------
    target : Sample
        The rows' own, or the same rows with other labels.
    column : str
        That holds the labels.

    Returns
    -------
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
        Rows with a label and a prediction.
    """
    labelled = ~np.asarray(target.series(column).is_null().to_numpy(), dtype=bool)
    if not labelled.any():
        raise MandolineError(f"Column {column!r} of {target.name} is empty. Add the labels you have.")
    if rows.metric.column is not None:  # any gap in it is refused, so labelled rows are scored alone
        some = Sample(target.frame.filter(labelled.tolist()), models=target.models, name=target.name)
        return score_rows(rows.metric, some, label=None, model=rows.model).statistics, labelled
    classes: tuple[str, ...] = ()
    if metric.needs not in ("numbers", "own") and rows.model is not None and rows.model.prediction is not None:
        classes = rows.read_source().classes
    scores = score_rows(rows.metric, target, label=column, model=rows.model, known=classes)
    if scores.statistics.shape[1] != n_statistics:
        new = [name for name in scores.classes if name not in classes]
        raise MandolineError(
            f"Class {new[0]!r} of {target.name} does not occur in {rows.source.name}. Metric {rows.metric.name!r} "
            "needs the same classes in both. Set positive in [metric] to one class, or merge classes."
        )
    return scores.statistics[scores.known], scores.known


def score_truth(cells: Cells, labelled: Sample) -> tuple[float | None, tuple[Finding, ...]]:
    """Score the target's own labels; None where it has none, with why where the metric is not defined on them.

    Parameters
    ----------
    labelled : Sample
        The target's rows, with their labels where these are known.
    """
    try:
        return _score(cells, labelled), ()
    except MandolineError as error:
        text = "The labels of the new data give no true score to compare with."
        return None, (Finding("labels", "truth_not_defined", "info", text, detail=str(error)),)


def _score(cells: Cells, labelled: Sample) -> float | None:
    rows = cells.rows
    if rows is None:  # only codes are known
        return None
    needed = rows.metric.column if rows.metric.column is not None else rows.source.label
    if needed is None or needed not in labelled.columns or labelled.series(needed).is_null().any():
        return None
    if cells.tables is None:
        scores = score_rows(rows.metric, labelled, label=needed, model=rows.model, known=cells.classes)
        counts = cells.count.target_rows
    else:
        scores, counts = cells.tables[1].score(rows.metric, rows.model, cells.classes), cells.tables[1].rows
    if not scores.known.all():  # a truth with gaps would be the truth of another population
        return None
    return evaluate(scores.metric, scores.statistics, counts / counts.sum()).value
