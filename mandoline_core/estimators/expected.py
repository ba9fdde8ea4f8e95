"""The metric to expect on rows whose classes are not known, only their chances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.metrics import ClassCodes, Metric, evaluate


class ExpectedMetric(NamedTuple):
    """Hold a metric's value on rows that count by their chances, and how it moves with them.

    Parameters
    ----------
    means : array of float, shape (n_statistics,)
    slopes : array of float, shape (n_rows, n_classes)
        Derivative by each chance, times the number of rows; up to a constant a row, which no change of chances
        that sum to 1 can feel.
    """

    value: float
    means: Floats
    slopes: Floats

    def by_row(self, chances: Floats) -> Floats:
        """Return how far each row moves the value, shape (n_rows,); they add up to 0."""
        return np.einsum("ij,ij->i", chances, self.slopes) / len(chances)


def expected_metric(metric: Metric, predicted: ClassCodes, probabilities: Floats, chances: Floats) -> ExpectedMetric:
    """Evaluate a metric on every row in every class it may be of, each counting by its chance.

    Parameters
    ----------
    metric : Metric
        Of classes, fitted to as many as there are columns.
    predicted : array of int, shape (n_rows,)
    probabilities : array of float, shape (n_rows, n_classes)
        The model's own, which the metric may be about.
    chances : array of float, shape (n_rows, n_classes)
        Rows sum to 1.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> chances = np.array([[0.9, 0.1], [0.3, 0.7]])
    >>> found = expected_metric(get_metric("accuracy"), np.array([0, 1]), chances, chances)
    >>> round(found.value, 3)
    0.8
    """
    if metric.statistics is None:
        raise TypeError(f"Metric {metric.name!r} says nothing about classes; an estimator must check that first.")
    n, n_classes = chances.shape
    if metric.needs == "predictions":  # rows with one prediction and one truth are all alike
        cells = np.column_stack([np.bincount(predicted, chances[:, c], n_classes) for c in range(n_classes)]) / n
        said, truth = (grid.ravel().astype(np.int32) for grid in np.indices((n_classes, n_classes)))
        statistics = metric.statistics(truth, said, np.zeros((len(truth), 0)))
        found = evaluate(metric, statistics, cells.ravel())
        return ExpectedMetric(found.value, found.means, found.slopes.reshape(n_classes, n_classes)[predicted])
    truth = np.tile(np.arange(n_classes, dtype=np.int32), n)
    statistics = metric.statistics(truth, np.repeat(predicted, n_classes), np.repeat(probabilities, n_classes, axis=0))
    found = evaluate(metric, statistics, chances.ravel() / n)
    return ExpectedMetric(found.value, found.means, found.slopes.reshape(n, n_classes))
