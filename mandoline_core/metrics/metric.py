"""Metrics: what is measured on each row, and how it makes the number."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.errors import DataError, ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.metrics import auroc as ranking
from mandoline_core.metrics import confusion
from mandoline_core.metrics.answers import ClassCodes
from mandoline_core.samples import find_classes

MOST_CLASSES = 60  # a table of all pairs of classes is kept for every pattern of slices
_SMALLEST_CHANCE = 1e-15  # a probability of 0 for what then happens costs this much, not infinity


_SPOKEN = {
    "f1": "F1 score",
    "balanced_accuracy": "balanced accuracy",
    "mcc": "Matthews correlation",
    "log_loss": "log loss",
    "brier": "Brier score",
    "auroc": "AUROC",
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
}


def _first(means: Floats) -> float:
    return float(means[0])


@dataclass(frozen=True)
class Metric:
    """Describe a metric: statistics of each row, and a smooth function of their means.

    Accuracy is the mean of one statistic. F1 has three (right, wrongly given, missed) and combines their means.
    A ranking metric, such as AUROC, depends on all rows together: it is a function of the rows' weights instead.

    Parameters
    ----------
    needs : {"predictions", "probabilities", "numbers", "column"}
        What a row's statistics are computed from.
    bounds : pair of floats, optional
        Least and largest possible value; the largest may be infinite.
    unit : {"percent", "number"}
        How values are shown.
    better : {"higher", "lower", "near 0"}
    statistics : callable, optional
        Classes of truth and prediction, shape (n_rows,), and probabilities, shape (n_rows, n_classes), to the
        rows' statistics, shape (n_rows, n_statistics). None where no classes are involved.
    combine : callable
        Means of the statistics, shape (n_statistics,), to the metric's value.
    slope : callable
        Means of the statistics to the derivatives of the value, shape (n_statistics,).
    rank : callable, optional
        For a ranking metric: statistics and weights to the value and each row's slope.
    """

    name: str
    title: str
    needs: str
    bounds: Interval | None
    unit: str = "percent"
    better: str = "higher"
    statistics: Callable[[ClassCodes, ClassCodes, Floats], Floats] | None = None
    combine: Callable[[Floats], float] = _first
    slope: Callable[[Floats], Floats] = np.ones_like
    rank: Callable[[Floats, Floats], tuple[float, Floats]] | None = None

    @property
    def share(self) -> bool:
        """Whether values are shown as percentages."""
        return self.unit == "percent"

    @property
    def spoken(self) -> str:
        """The name as it is said."""
        return _SPOKEN.get(self.name, self.name)

    @property
    def ranked(self) -> bool:
        """Whether the metric depends on how rows rank among each other, and not on means alone."""
        return self.rank is not None

    @property
    def is_mean(self) -> bool:
        """Whether the metric is the mean of one statistic, so that parts of a sample average to the whole."""
        return self.rank is None and self.combine is _first


class Evaluation(NamedTuple):
    """Hold a metric's value on weighted rows, the means behind it, and how the value moves with each row's weight.

    Parameters
    ----------
    means : array of float, shape (n_statistics,)
    slopes : array of float, shape (n_rows,)
        Change of the value when a row gains weight at the expense of all; weighted, they average 0.
    """

    value: float
    means: Floats
    slopes: Floats


def evaluate(metric: Metric, statistics: Floats, weights: Floats) -> Evaluation:
    """Evaluate a metric on weighted rows.

    Parameters
    ----------
    statistics : array of float, shape (n_rows, n_statistics)
    weights : array of float, shape (n_rows,)
        Sum to 1.

    Examples
    --------
    >>> found = evaluate(METRICS["accuracy"], np.array([[1.0], [0.0]]), np.array([0.75, 0.25]))
    >>> found.value, found.slopes.tolist()
    (0.75, [0.25, -0.75])
    """
    means = weights @ statistics
    if metric.rank is not None:
        value, slopes = metric.rank(statistics, weights)
        return Evaluation(value, means, slopes)
    gradient = metric.slope(means)
    return Evaluation(metric.combine(means), means, statistics @ gradient - float(means @ gradient))


def _right(truth: ClassCodes, predicted: ClassCodes, _: Floats) -> Floats:
    return (truth == predicted).astype(float)[:, None]


def _wrong(truth: ClassCodes, predicted: ClassCodes, _: Floats) -> Floats:
    return (truth != predicted).astype(float)[:, None]


def _log_loss(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
    chance = probabilities[np.arange(len(truth)), truth]
    return -np.log(np.maximum(chance, _SMALLEST_CHANCE))[:, None]


def _brier(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
    happened = np.zeros_like(probabilities)
    happened[np.arange(len(truth)), truth] = 1.0
    total = ((probabilities - happened) ** 2).sum(axis=1, keepdims=True)
    # With two classes both terms are the same; one of them is the usual Brier score.
    return total / 2 if probabilities.shape[1] == 2 else total


def _root(means: Floats) -> float:
    return math.sqrt(max(float(means[0]), 0.0))


def _root_slope(means: Floats) -> Floats:
    return np.array([0.5 / max(_root(means), 1e-150)])


UNIT, ABOVE = (0.0, 1.0), (0.0, math.inf)

METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "share of predictions that are right", "predictions", UNIT, statistics=_right),
        Metric("error", "share of predictions that are wrong", "predictions", UNIT, better="lower", statistics=_wrong),
        Metric("precision", "how often the model is right when it names a class", "predictions", UNIT),
        Metric("recall", "how much of a class the model finds", "predictions", UNIT),
        Metric("f1", "precision and recall in one number (their harmonic mean)", "predictions", UNIT),
        Metric("balanced_accuracy", "share of right predictions, every class counting the same", "predictions", UNIT),
        Metric(
            "mcc", "agreement of predictions and labels (Matthews correlation)", "predictions", (-1.0, 1.0), "number"
        ),
        Metric(
            "log_loss", "surprise at the labels (log loss, nats)", "probabilities", ABOVE, "number", "lower", _log_loss
        ),
        Metric("brier", "squared error of the probabilities", "probabilities", UNIT, "number", "lower", _brier),
        Metric("auroc", "how well probabilities rank a class first (AUROC)", "probabilities", UNIT),
        Metric("mae", "mean absolute error, in the label's units", "numbers", ABOVE, "number", "lower"),
        Metric(
            "rmse",
            "root of the mean squared error, in the label's units",
            "numbers",
            ABOVE,
            "number",
            "lower",
            combine=_root,
            slope=_root_slope,
        ),
        Metric("bias", "mean of prediction minus label, in the label's units", "numbers", None, "number", "near 0"),
        Metric("mean", "mean of a column", "column", None, "number"),
    )
}

ABOUT_CLASSES = ("precision", "recall", "f1", "auroc")  # of one class, or averaged over all


def get_metric(name: str) -> Metric:
    """Look a metric up by name.

    >>> get_metric("accuracy").bounds
    (0.0, 1.0)
    """
    if name not in METRICS:
        raise ProjectError(
            f"Metric {name!r} is not known. Metrics: {listed(METRICS, most=20)}.{did_you_mean(name, METRICS)}"
        )
    return METRICS[name]


def metric_of_classes(metric: Metric, classes: tuple[str, ...], positive: object = None) -> Metric:
    """Fit a metric to the classes at hand.

    Parameters
    ----------
    classes : tuple of str
        Labels, predictions and probabilities are codes into it.
    positive : str, int, float or bool, optional
        The class the metric is about; the average over all classes when left out.

    Examples
    --------
    >>> f1 = metric_of_classes(get_metric("f1"), ("no", "yes"), "yes")
    >>> rows = f1.statistics(np.array([1, 1, 0]), np.array([1, 0, 0]), np.zeros((3, 0)))
    >>> round(f1.combine(rows.mean(axis=0)), 3)
    0.667
    """
    one = _positive(metric, classes, positive)
    if metric.name == "brier":
        return metric if len(classes) == 2 else replace(metric, bounds=(0.0, 2.0))
    if metric.name == "auroc":
        return _auroc(metric, classes, one)
    if metric.name not in confusion.OF_ALL:
        return metric
    if one is not None:
        of_one, name = confusion.OF_ONE[metric.name], classes[one]
        return replace(
            metric,
            title=f"{metric.title}: {name}",
            statistics=lambda truth, predicted, _: confusion.one_class_rows(truth, predicted, one),
            combine=lambda means: of_one(means, name)[0],
            slope=lambda means: of_one(means, name)[1],
        )
    if len(classes) > MOST_CLASSES:
        raise ProjectError(
            f"Metric {metric.name!r} over {len(classes)} classes would need a table of all their pairs. "
            f"Set positive in [metric] to one class, or merge classes to at most {MOST_CLASSES}."
        )
    n, of_all = len(classes), confusion.OF_ALL[metric.name]
    return replace(
        metric,
        statistics=lambda truth, predicted, _: confusion.table_rows(truth, predicted, n),
        combine=lambda means: of_all(means.reshape(n, n))[0],
        slope=lambda means: of_all(means.reshape(n, n))[1].ravel(),
    )


def _auroc(metric: Metric, classes: tuple[str, ...], one: int | None) -> Metric:
    if len(classes) < 2:
        raise DataError(
            f"Metric 'auroc' needs two classes, and labels and predictions have only {listed(classes)}. "
            "Choose another metric."
        )
    # Of two classes, ranking one first is ranking the other last: one of them says it all.
    columns = [one] if one is not None else [1] if len(classes) == 2 else list(range(len(classes)))

    def rows(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
        return np.column_stack([truth[:, None] == np.array(columns), probabilities[:, columns]]).astype(float)

    def rank(statistics: Floats, weights: Floats) -> tuple[float, Floats]:
        n = len(columns)
        return ranking.mean_auroc(statistics[:, :n] > 0.5, statistics[:, n:], weights, [classes[i] for i in columns])

    return replace(metric, statistics=rows, rank=rank)


def _positive(metric: Metric, classes: tuple[str, ...], positive: object) -> int | None:
    if positive is None or metric.name not in ABOUT_CLASSES:
        return None
    found = find_classes(positive, classes)
    if not found:
        raise ProjectError(
            f"positive in [metric] is {positive!r}, which is neither a label nor a prediction. "
            f"Classes: {listed(classes)}.{did_you_mean(str(positive), classes)}"
        )
    return found[0]
