"""Log loss and Brier score: how right the class probabilities are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.metrics.answers import ClassCodes
from mandoline_core.metrics.metric import ABOVE, UNIT, Metric

_SMALLEST_CHANCE = 1e-15  # a probability of 0 for what then happens costs this much, not infinity


def _log_loss(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
    chance = probabilities[np.arange(len(truth)), truth]
    return -np.log(np.maximum(chance, _SMALLEST_CHANCE))[:, None]


def _brier(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
    happened = np.zeros_like(probabilities)
    happened[np.arange(len(truth)), truth] = 1.0
    total = ((probabilities - happened) ** 2).sum(axis=1, keepdims=True)
    # With two classes both terms are the same; one of them is the usual Brier score.
    return total / 2 if probabilities.shape[1] == 2 else total


def _brier_of_classes(metric: Metric, classes: tuple[str, ...], _: int | None) -> Metric:
    return metric if len(classes) == 2 else replace(metric, bounds=(0.0, 2.0))


LOG_LOSS = Metric(
    "log_loss",
    "surprise at the labels (log loss, nats)",
    "probabilities",
    ABOVE,
    unit="number",
    better="lower",
    statistics=_log_loss,
    called="log loss",
)
BRIER = Metric(
    "brier",
    "squared error of the probabilities",
    "probabilities",
    UNIT,
    unit="number",
    better="lower",
    statistics=_brier,
    called="Brier score",
    of_classes=_brier_of_classes,
)
