"""Labels that the target has for some of its rows: their scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.data import Sample
from mandoline_core.errors import MandolineError
from mandoline_core.metrics import Metric, score_rows
from mandoline_core.weighting import Rows


class TargetLabels(NamedTuple):
    """Hold the scores of the target rows that have a label.

    Parameters
    ----------
    statistics : array of float, shape (n_labelled, n_statistics)
    labelled : array of bool, shape (n_target,)
        Rows with a label and a prediction.
    """

    statistics: Floats
    labelled: NDArray[np.bool_]


def score_labels(rows: Rows, metric: Metric, n_statistics: int, target: Sample, column: str) -> TargetLabels:
    """Score the target rows that have a label.

    Parameters
    ----------
    target : Sample
        The rows' own, or the same rows with other labels.
    column : str
        That holds the labels.
    """
    labelled = ~np.asarray(target.series(column).is_null().to_numpy(), dtype=bool)
    if not labelled.any():
        raise MandolineError(f"Column {column!r} of {target.name} has no values. Fill in the labels that are known.")
    if rows.metric.column is not None:  # any gap in it is refused, so labelled rows are scored by themselves
        some = Sample(target.frame.filter(labelled.tolist()), models=target.models, name=target.name)
        return TargetLabels(score_rows(rows.metric, some, label=None, model=rows.model).statistics, labelled)
    classes: tuple[str, ...] = ()
    if metric.needs != "numbers" and rows.model is not None and rows.model.prediction is not None:
        classes = rows.read_source().classes
    scores = score_rows(rows.metric, target, label=column, model=rows.model, known=classes)
    if scores.statistics.shape[1] != n_statistics:
        new = [name for name in scores.classes if name not in classes]
        raise MandolineError(
            f"{target.name} has class {new[0]!r}, which {rows.source.name} never shows, and metric "
            f"{rows.metric.name!r} is about all classes. Set positive in [metric] to one class, or merge classes."
        )
    return TargetLabels(scores.statistics[scores.known], scores.known)


def read_arriving_labels(rows: Rows, metric: Metric, n_statistics: int) -> TargetLabels | None:
    """Score labels that are being filled in; None for a column that holds the whole truth, for revealing only."""
    label = rows.source.label
    if label is None or label not in rows.target.columns or not rows.target.series(label).is_null().any():
        return None
    try:
        return score_labels(rows, metric, n_statistics, rows.target, rows.metric.column or label)
    except MandolineError:  # of no use to this metric: `labels` says why
        return None
