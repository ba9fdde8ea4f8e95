"""Metrics that are the mean of one statistic per row: of classes, probabilities, numbers or a column."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.metrics.class_labels import ClassCodes
from mandoline_core.metrics.metric import ABOVE, UNIT, Metric
from mandoline_core.project import MetricSettings

_LEAST_PROBABILITY = 1e-15  # a probability of 0 for what then happens costs this much, not infinity

ACCURACY = Metric(
    "accuracy",
    "share of correct predictions",
    "predictions",
    UNIT,
    statistics=lambda truth, predicted, _: (truth == predicted).astype(float)[:, None],
    sentence=("this model is probably right", "it was", " of the time"),
)
ERROR = Metric(
    "error",
    "share of incorrect predictions",
    "predictions",
    UNIT,
    better="lower",
    statistics=lambda truth, predicted, _: (truth != predicted).astype(float)[:, None],
    sentence=("this model is probably wrong", "it was", " of the time"),
)


def _brier(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
    happened = np.zeros_like(probabilities)
    happened[np.arange(len(truth)), truth] = 1.0
    total = ((probabilities - happened) ** 2).sum(axis=1, keepdims=True)
    # With two classes both terms are the same; one of them is the usual Brier score.
    return total / 2 if probabilities.shape[1] == 2 else total


_LOSS = Metric("", "", "probabilities", ABOVE, unit="number", better="lower")
LOG_LOSS = replace(
    _LOSS,
    name="log_loss",
    title="mean negative log-likelihood of the labels, in nats",
    statistics=lambda truth, _, probabilities: (
        -np.log(np.maximum(probabilities[np.arange(len(truth)), truth], _LEAST_PROBABILITY))[:, None]
    ),
    called="log loss",
)
BRIER = replace(
    _LOSS,
    name="brier",
    title="mean squared error of the probabilities",
    bounds=UNIT,
    statistics=_brier,
    called="Brier score",
    of_classes=lambda metric, classes, _: metric if len(classes) == 2 else replace(metric, bounds=(0.0, 2.0)),
)


def top_k_rows(truth: ClassCodes, probabilities: Floats, k: int) -> Floats:
    """Tell whether each row's class is among the k most probable, shape (n_rows, 1).

    Classes that tie for the last places share them: the row counts as often as random tie-breaking would put it there.

    Examples
    --------
    >>> top_k_rows(np.array([0, 1, 2]), np.array([[0.5, 0.4, 0.1], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3]]), 2).ravel()
    array([1. , 1. , 0.5])
    """
    own = probabilities[np.arange(len(truth)), truth][:, None]
    above, tied = (probabilities > own).sum(axis=1), (probabilities == own).sum(axis=1)
    return np.asarray(np.clip((k - above) / tied, 0.0, 1.0))[:, None]


def _top_k(metric: Metric, settings: MetricSettings) -> Metric:
    return replace(
        metric,
        title=f"share of labels among the {settings.k} most probable classes",
        called=f"top-{settings.k} accuracy",
        statistics=lambda truth, _, probabilities: top_k_rows(truth, probabilities, settings.k),
    )


TOP_K_ACCURACY = Metric(
    "top_k_accuracy",
    "share of labels among the k most probable classes",
    "probabilities",
    UNIT,
    called="top-k accuracy",
    reads=("k",),
    of_settings=_top_k,
)


def _root(means: Floats) -> float:
    return math.sqrt(max(float(means[0]), 0.0))


_NUMBERS = replace(_LOSS, needs="numbers")
MAE = replace(
    _NUMBERS,
    name="mae",
    title="mean absolute error, in the label's units",
    called="mean absolute error",
    of_numbers=np.abs,
)
MAPE = replace(
    MAE,
    name="mape",
    title="mean absolute error as a share of the label",
    called="mean absolute percentage error",
    unit="percent",
    relative=True,
)


def _pinball(metric: Metric, settings: MetricSettings) -> Metric:
    under, over = float(settings.quantile), 1 - float(settings.quantile)
    return replace(
        metric,
        called=f"pinball loss at {settings.quantile:g}",
        of_numbers=lambda gap: np.maximum(-under * gap, over * gap),
    )


PINBALL = replace(
    _NUMBERS,
    name="pinball",
    title="mean pinball loss of a predicted quantile, in the label's units",
    called="pinball loss",
    reads=("quantile",),
    of_settings=_pinball,
)
RMSE = replace(
    _NUMBERS,
    name="rmse",
    title="root mean squared error, in the label's units",
    combine=_root,
    slope=lambda means: np.array([0.5 / max(_root(means), 1e-150)]),
    called="root mean squared error",
    of_numbers=np.square,
)
BIAS = replace(
    _NUMBERS,
    name="bias",
    title="mean of prediction minus label, in the label's units",
    bounds=None,
    better="near 0",
    of_numbers=np.positive,
)
MEAN = Metric("mean", "mean of a column", "column", None, unit="number")
