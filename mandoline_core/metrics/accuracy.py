"""Accuracy and error: whether the prediction is the label."""

from __future__ import annotations

from mandoline_core.arrays import Floats
from mandoline_core.metrics.answers import ClassCodes
from mandoline_core.metrics.metric import UNIT, Metric


def _right(truth: ClassCodes, predicted: ClassCodes, _: Floats) -> Floats:
    return (truth == predicted).astype(float)[:, None]


def _wrong(truth: ClassCodes, predicted: ClassCodes, _: Floats) -> Floats:
    return (truth != predicted).astype(float)[:, None]


ACCURACY = Metric("accuracy", "share of predictions that are right", "predictions", UNIT, statistics=_right)
ERROR = Metric("error", "share of predictions that are wrong", "predictions", UNIT, better="lower", statistics=_wrong)
