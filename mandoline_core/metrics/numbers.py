"""Errors of predictions that are numbers, and the mean of a column."""

from __future__ import annotations

import math

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.metrics.metric import ABOVE, Metric


def _itself(gap: Floats) -> Floats:
    return gap


def _root(means: Floats) -> float:
    return math.sqrt(max(float(means[0]), 0.0))


def _root_slope(means: Floats) -> Floats:
    return np.array([0.5 / max(_root(means), 1e-150)])


MAE = Metric(
    "mae",
    "mean absolute error, in the label's units",
    "numbers",
    ABOVE,
    unit="number",
    better="lower",
    called="mean absolute error",
    of_numbers=np.abs,
)
RMSE = Metric(
    "rmse",
    "root of the mean squared error, in the label's units",
    "numbers",
    ABOVE,
    unit="number",
    better="lower",
    combine=_root,
    slope=_root_slope,
    called="root mean squared error",
    of_numbers=np.square,
)
BIAS = Metric(
    "bias",
    "mean of prediction minus label, in the label's units",
    "numbers",
    None,
    unit="number",
    better="near 0",
    of_numbers=_itself,
)
MEAN = Metric("mean", "mean of a column", "column", None, unit="number")
