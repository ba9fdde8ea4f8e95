"""Confusion counts: precision, recall and their like, with the slopes that intervals need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import DataError, ProjectError
from mandoline_core.metrics.answers import ClassCodes
from mandoline_core.metrics.metric import UNIT, Metric

MOST_CLASSES = 60  # a table of all pairs of classes is kept for every pattern of slices
Found = tuple[float, Floats]


def one_class_rows(truth: ClassCodes, predicted: ClassCodes, one: int) -> Floats:
    """Tell hits, false alarms and misses of one class, shape (n_rows, 3).

    Examples
    --------
    >>> one_class_rows(np.array([1, 1, 0]), np.array([1, 0, 1]), 1).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    is_it, said = truth == one, predicted == one
    return np.column_stack([is_it & said, ~is_it & said, is_it & ~said]).astype(float)


def table_rows(truth: ClassCodes, predicted: ClassCodes, n_classes: int) -> Floats:
    """Put a 1 into the cell of each row's truth and prediction, shape (n_rows, n_classes ** 2).

    Examples
    --------
    >>> table_rows(np.array([1, 0]), np.array([1, 1]), 2).tolist()
    [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]
    """
    rows = np.zeros((len(truth), n_classes**2))
    rows[np.arange(len(truth)), truth * n_classes + predicted] = 1.0
    return rows


def _precision_of_one(means: Floats, name: str) -> Found:
    hits, alarms, _ = means
    return _ratio(hits, hits + alarms, [1, 0, 0], [1, 1, 0], f"The model never predicts class {name!r}", "precision")


def _recall_of_one(means: Floats, name: str) -> Found:
    hits, _, misses = means
    return _ratio(hits, hits + misses, [1, 0, 0], [1, 0, 1], f"No label is {name!r}", "recall")


def _f1_of_one(means: Floats, name: str) -> Found:
    hits, alarms, misses = means
    what = f"Class {name!r} is neither a label nor a prediction"
    return _ratio(2 * hits, 2 * hits + alarms + misses, [2, 0, 0], [2, 1, 1], what, "F1")


def _ratio(part: float, whole: float, by_part: list[float], by_whole: list[float], what: str, name: str) -> Found:
    if whole <= 0:
        raise DataError(f"{what} in rows that count, so its {name} is not defined. Choose another class or metric.")
    value = float(part / whole)
    return value, (np.array(by_part, dtype=float) - value * np.array(by_whole, dtype=float)) / whole


def _average(parts: Floats, wholes: Floats, present: np.ndarray) -> tuple[float, Floats, Floats]:
    """Average ratios over the classes present; a ratio with nothing below the line counts as 0.

    Returns the value and its slopes by part and by whole.
    """
    n = max(int(present.sum()), 1)
    safe = np.where(wholes > 0, wholes, 1.0)
    ratios = np.where((wholes > 0) & present, parts / safe, 0.0)
    by_part = np.where((wholes > 0) & present, 1 / safe, 0.0) / n
    return float(ratios.sum() / n), by_part, -ratios * by_part


def _macro(precision: float, recall: float) -> Callable[[Floats], Found]:
    """Build the average over classes of a ratio of hits: how much predictions and labels weigh below the line."""

    def of_all(table: Floats) -> Found:
        hits, labels, said = np.diag(table), table.sum(axis=1), table.sum(axis=0)
        wholes = precision * said + recall * labels
        value, by_part, by_whole = _average(hits, wholes, (labels > 0) | (said > 0))
        slope = precision * by_whole[None, :] + recall * by_whole[:, None] + np.diag(by_part)
        return value, slope

    return of_all


def _balanced_accuracy(table: Floats) -> Found:
    """Average the recall over the classes that have labels."""
    hits, labels = np.diag(table), table.sum(axis=1)
    value, by_part, by_whole = _average(hits, labels, labels > 0)
    return value, np.broadcast_to(by_whole[:, None], table.shape) + np.diag(by_part)


def _mcc(table: Floats) -> Found:
    """Correlate labels and predictions (Gorodkin's form for any number of classes).

    With shares M, labels t and predictions s: (trace - t . s) / sqrt((1 - t . t)(1 - s . s)), for a total of 1.
    A sample with a single class of labels or of predictions has 0, as is usual.
    """
    total = float(table.sum())
    labels, said = table.sum(axis=1), table.sum(axis=0)
    covariance = total * float(np.trace(table)) - float(labels @ said)
    spread_labels, spread_said = total**2 - float(labels @ labels), total**2 - float(said @ said)
    if spread_labels <= 1e-300 or spread_said <= 1e-300:
        return 0.0, np.zeros_like(table)
    root = np.sqrt(spread_labels * spread_said)
    value = covariance / root
    n = len(table)
    by_covariance = total * np.eye(n) + np.trace(table) - said[:, None] - labels[None, :]
    by_labels = 2 * total - 2 * labels[:, None] * np.ones((1, n))
    by_said = 2 * total - 2 * said[None, :] * np.ones((n, 1))
    slope = by_covariance / root - value / 2 * (by_labels / spread_labels + by_said / spread_said)
    return float(value), slope


# From one class's shares of hits, false alarms and misses, shape (3,), and its name.
OF_ONE: dict[str, Callable[[Floats, str], Found]] = {
    "precision": _precision_of_one,
    "recall": _recall_of_one,
    "f1": _f1_of_one,
}

# From the shares by truth (rows) and prediction (columns), shape (n_classes, n_classes).
OF_ALL: dict[str, Callable[[Floats], Found]] = {
    "precision": _macro(1.0, 0.0),
    "recall": _macro(0.0, 1.0),
    "f1": _macro(0.5, 0.5),
    "balanced_accuracy": _balanced_accuracy,
    "mcc": _mcc,
}


def _of_classes(metric: Metric, classes: tuple[str, ...], one: int | None) -> Metric:
    """Fit a metric to the classes at hand: to one of them, or to the table of all."""
    if one is not None:
        of_one, name = OF_ONE[metric.name], classes[one]
        return replace(
            metric,
            title=f"{metric.title}: {name}",
            statistics=lambda truth, predicted, _: one_class_rows(truth, predicted, one),
            combine=lambda means: of_one(means, name)[0],
            slope=lambda means: of_one(means, name)[1],
        )
    n, of_all = len(classes), OF_ALL[metric.name]
    if n > MOST_CLASSES:
        raise ProjectError(
            f"Metric {metric.name!r} over {n} classes would need a table of all their pairs. "
            f"Set positive in [metric] to one class, or merge classes to at most {MOST_CLASSES}."
        )
    return replace(
        metric,
        statistics=lambda truth, predicted, _: table_rows(truth, predicted, n),
        combine=lambda means: of_all(means.reshape(n, n))[0],
        slope=lambda means: of_all(means.reshape(n, n))[1].ravel(),
    )


_COMMON = Metric("", "", "predictions", UNIT, of_classes=_of_classes, needs_table=True)
_ABOUT_ONE = replace(_COMMON, about_one=True)
PRECISION = replace(_ABOUT_ONE, name="precision", title="how often the model is right when it names a class")
RECALL = replace(_ABOUT_ONE, name="recall", title="how much of a class the model finds")
F1 = replace(_ABOUT_ONE, name="f1", title="precision and recall in one number (their harmonic mean)", called="F1 score")
BALANCED_ACCURACY = replace(
    _COMMON,
    name="balanced_accuracy",
    title="share of right predictions, every class counting the same",
    called="balanced accuracy",
)
MCC = replace(
    _COMMON,
    name="mcc",
    title="agreement of predictions and labels (Matthews correlation)",
    called="Matthews correlation",
    bounds=(-1.0, 1.0),
    unit="number",
)
