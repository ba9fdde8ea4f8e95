"""Metrics that are the mean of one statistic of a row: of classes, of probabilities, of numbers, of a column."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.metrics.class_labels import ClassCodes
from mandoline_core.metrics.metric import ABOVE, UNIT, Metric

_LEAST_PROBABILITY = 1e-15  # a probability of 0 for what then happens costs this much, not infinity

ACCURACY = Metric(
    "accuracy",
    "share of predictions that are right",
    "predictions",
    UNIT,
    statistics=lambda truth, predicted, _: (truth == predicted).astype(float)[:, None],
    sentence=("this model is probably right", "it was", " of the time"),
)
ERROR = Metric(
    "error",
    "share of predictions that are wrong",
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
    title="surprise at the labels (log loss, nats)",
    statistics=lambda truth, _, probabilities: (
        -np.log(np.maximum(probabilities[np.arange(len(truth)), truth], _LEAST_PROBABILITY))[:, None]
    ),
    called="log loss",
)
BRIER = replace(
    _LOSS,
    name="brier",
    title="squared error of the probabilities",
    bounds=UNIT,
    statistics=_brier,
    called="Brier score",
    of_classes=lambda metric, classes, _: metric if len(classes) == 2 else replace(metric, bounds=(0.0, 2.0)),
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
RMSE = replace(
    _NUMBERS,
    name="rmse",
    title="root of the mean squared error, in the label's units",
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
