"""Confusion counts: precision, recall and their like, with the slopes that intervals need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import DataError, ProjectError
from mandoline_core.metrics.class_labels import ClassCodes
from mandoline_core.metrics.metric import UNIT, Metric
from mandoline_core.project import MetricSettings

MOST_CLASSES = 60  # a table of all pairs of classes is kept for every pattern of slices
Found = tuple[float, Floats]


def one_class_rows(truth: ClassCodes, predicted: ClassCodes, one: int) -> Floats:
    """Tell hits, false alarms and misses of one class, shape (n_rows, 3).

    Examples
    --------
    >>> one_class_rows(np.array([1, 1, 0]), np.array([1, 0, 1]), 1).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    labelled, predicted_so = truth == one, predicted == one
    return np.column_stack([labelled & predicted_so, ~labelled & predicted_so, labelled & ~predicted_so]).astype(float)


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


class Ratio(NamedTuple):
    """Hold a ratio's denominator, as weights of a class's predictions and labels, and what is missing if it is 0."""

    predictions: float
    labels: float
    before: str
    after: str
    called: str


def f_beta(beta: float) -> Ratio:
    """Weight recall beta times as much as precision.

    >>> f_beta(1)[:2]
    (0.5, 0.5)
    """
    share = 1 / (1 + beta**2)
    return Ratio(share, 1 - share, "Class", " is neither a label nor a prediction", f"F{beta:g}")


RATIOS = {
    "precision": Ratio(1.0, 0.0, "The model never predicts class", "", "precision"),
    "recall": Ratio(0.0, 1.0, "No label is", "", "recall"),
    "f1": f_beta(1),
}


def ratio_of_one(ratio: Ratio, means: Floats, name: str) -> Found:
    """Compute a ratio of one class, and its slopes, from the shares of its hits, false alarms and misses.

    Examples
    --------
    >>> ratio_of_one(f_beta(1), np.array([0.5, 0.25, 0.25]), "yes")[0]
    0.6666666666666666
    """
    predictions, labels, before, after, called = ratio
    below = np.array([predictions + labels, predictions, labels])
    whole = float(means @ below)
    if whole <= 0:
        raise DataError(f"{before} {name!r}{after}, so its {called} is undefined. Choose another class or metric.")
    value = float(means[0] / whole)
    # The quotient rule, with the value in the place of the ratio.
    return value, (np.array([1.0, 0.0, 0.0]) - value * below) / whole


def mean_ratio(predictions: float, labels: float, *, labelled: bool = False) -> Callable[[Floats], Found]:
    """Build the average of a ratio of hits over the classes there are, or over those with labels."""

    def of_all(table: Floats) -> Found:
        hits, of_labels, of_predictions = np.diag(table), table.sum(axis=1), table.sum(axis=0)
        wholes = predictions * of_predictions + labels * of_labels
        counts = of_labels > 0 if labelled else (of_labels > 0) | (of_predictions > 0)
        n = max(int(counts.sum()), 1)
        defined = (wholes > 0) & counts  # a ratio with nothing below the line counts as 0
        by_hit = np.where(defined, 1 / np.where(defined, wholes, 1.0), 0.0) / n
        ratios = hits * by_hit * n
        by_whole = -ratios * by_hit
        # A cell counts below the line for the class that labels it and for the class that it is predicted to be.
        slope = predictions * by_whole[None, :] + labels * by_whole[:, None] + np.diag(by_hit)
        return float(ratios.sum() / n), slope

    return of_all


def _mcc(table: Floats) -> Found:
    """Correlate labels and predictions (Gorodkin's form for any number of classes).

    With shares M, labels t and predictions s: (trace - t . s) / sqrt((1 - t . t)(1 - s . s)), for a total of 1.
    A sample with a single class of labels or of predictions has 0, as is usual.
    """
    total = float(table.sum())
    labels, predictions = table.sum(axis=1), table.sum(axis=0)
    covariance = total * float(np.trace(table)) - float(labels @ predictions)
    spread_labels, spread_predictions = total**2 - float(labels @ labels), total**2 - float(predictions @ predictions)
    if spread_labels <= 1e-300 or spread_predictions <= 1e-300:
        return 0.0, np.zeros_like(table)
    root = np.sqrt(spread_labels * spread_predictions)
    value = covariance / root
    n = len(table)
    by_covariance = total * np.eye(n) + np.trace(table) - predictions[:, None] - labels[None, :]
    by_labels = 2 * total - 2 * labels[:, None] * np.ones((1, n))
    by_predictions = 2 * total - 2 * predictions[None, :] * np.ones((n, 1))
    slope = by_covariance / root - value / 2 * (by_labels / spread_labels + by_predictions / spread_predictions)
    return float(value), slope


# From the shares by truth (rows) and prediction (columns), shape (n_classes, n_classes).
OF_ALL: dict[str, Callable[[Floats], Found]] = {
    **{name: mean_ratio(ratio.predictions, ratio.labels) for name, ratio in RATIOS.items()},
    "balanced_accuracy": mean_ratio(0.0, 1.0, labelled=True),
    "mcc": _mcc,
}


def _of_classes(metric: Metric, classes: tuple[str, ...], one: int | None, ratio: Ratio | None = None) -> Metric:
    """Fit a metric to the classes at hand: to one of them, or to the table of all."""
    ratio = ratio or RATIOS.get(metric.name)
    if one is not None and ratio is not None:
        name = classes[one]
        return replace(
            metric,
            title=f"{metric.title}: {name}",
            statistics=lambda truth, predicted, _: one_class_rows(truth, predicted, one),
            combine=lambda means: ratio_of_one(ratio, means, name)[0],
            slope=lambda means: ratio_of_one(ratio, means, name)[1],
        )
    n = len(classes)
    of_all = OF_ALL[metric.name] if ratio is None else mean_ratio(ratio.predictions, ratio.labels)
    if n > MOST_CLASSES:
        raise ProjectError(
            f"Metric {metric.name!r} supports at most {MOST_CLASSES} classes. Got {n}. "
            "Set positive in [metric] to one class, or merge classes."
        )
    return replace(
        metric,
        statistics=lambda truth, predicted, _: table_rows(truth, predicted, n),
        combine=lambda means: of_all(means.reshape(n, n))[0],
        slope=lambda means: of_all(means.reshape(n, n))[1].ravel(),
    )


_COMMON = Metric("", "", "predictions", UNIT, of_classes=_of_classes, needs_table=True)
_ABOUT_ONE = replace(_COMMON, about_one=True)
PRECISION = replace(_ABOUT_ONE, name="precision", title="share of predictions of a class that are correct")
RECALL = replace(_ABOUT_ONE, name="recall", title="share of a class that the model predicts")
F1 = replace(_ABOUT_ONE, name="f1", title="harmonic mean of precision and recall", called="F1 score")


def _f_beta(metric: Metric, settings: MetricSettings) -> Metric:
    ratio = f_beta(float(settings.beta))
    return replace(metric, called=f"{ratio.called} score", of_classes=partial(_of_classes, ratio=ratio))


F_BETA = replace(
    _ABOUT_ONE,
    name="f_beta",
    title="harmonic mean of precision and recall, with recall weighted by beta",
    called="F-beta score",
    reads=("beta",),
    of_settings=_f_beta,
)
BALANCED_ACCURACY = replace(
    _COMMON,
    name="balanced_accuracy",
    title="mean recall over classes",
    called="balanced accuracy",
)
MCC = replace(
    _COMMON,
    name="mcc",
    title="Matthews correlation of predictions and labels",
    called="Matthews correlation",
    bounds=(-1.0, 1.0),
    unit="number",
)
