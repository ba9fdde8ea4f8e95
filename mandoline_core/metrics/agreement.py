"""Quadratic weighted kappa: the agreement of ordered classes with labels, beyond what their frequencies explain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.data import class_name
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed
from mandoline_core.metrics.class_labels import ClassCodes
from mandoline_core.metrics.metric import Metric


def kappa(means: Floats) -> tuple[float, Floats]:
    """Compute the kappa, and its slopes, from the means of y, p, y squared, p squared and y times p.

    With squared distances as weights, what disagrees is the mean of (y - p) squared, and what would by the shares of
    labels and predictions alone is that of pairs drawn at random: one minus their ratio is the kappa.

    Examples
    --------
    >>> y, p = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0])
    >>> round(kappa(np.array([y.mean(), p.mean(), (y * y).mean(), (p * p).mean(), (y * p).mean()]))[0], 4)
    0.6667
    """
    y, p, yy, pp, yp = means
    at_random = float(yy + pp - 2 * y * p)
    if at_random <= 1e-12 * max(float(yy + pp), 1e-300):
        raise DataError(
            "All labels and predictions are the same class, so the kappa is undefined. Choose another metric."
        )
    value = float(2 * (yp - y * p)) / at_random
    slopes = np.array([-2 * p + 2 * value * p, -2 * y + 2 * value * y, -value, -value, 2.0]) / at_random
    return value, slopes


def _of_classes(metric: Metric, classes: tuple[str, ...], _: int | None) -> Metric:
    """Read the classes as numbers: their distances are the weights, whichever classes a sample happens to have."""
    try:
        values = np.array([float(class_name(name)) for name in classes])
    except ValueError:
        raise DataError(
            f"Metric {metric.name!r} needs classes with an order: numbers such as 1, 2, 3. Got {listed(classes, 5)}. "
            "Write the classes as numbers, or choose another metric."
        ) from None
    # Only differences count, so the middle may be 0: then squares lose no digits.
    values = values - (values.min() + values.max()) / 2

    def rows(truth: ClassCodes, predicted: ClassCodes, _: Floats) -> Floats:
        y, p = values[truth], values[predicted]
        return np.column_stack([y, p, y * y, p * p, y * p])

    return replace(metric, statistics=rows, combine=lambda means: kappa(means)[0], slope=lambda means: kappa(means)[1])


QUADRATIC_KAPPA = Metric(
    "quadratic_kappa",
    "quadratic weighted kappa of ordered classes",
    "predictions",
    (-1.0, 1.0),
    unit="number",
    called="quadratic weighted kappa",
    of_classes=_of_classes,
)
