"""CBPE and PAPE: probabilities calibrated on the source, and the metric to expect from them on the target."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.calibration import fit_calibration
from mandoline_core.estimators.probabilities import (
    Expectation,
    OnProbabilities,
    UsableRows,
    why_not_new_classes,
    why_not_one_class,
    why_not_probabilities,
)
from mandoline_core.findings import FindingKind
from mandoline_core.metrics import ClassCodes, Evaluation, Metric, evaluate
from mandoline_core.weighting import Problem

NOT_CALIBRATED = FindingKind(
    "fit",
    "rows_not_calibrated",
    "{rows:,} of {n:,} {target_rows} have probabilities with which no labelled row was of any class; they are taken as "
    "they are",
    "Label rows of the rarer classes, or merge classes.",
)


def expected_metric(metric: Metric, predicted: ClassCodes, probabilities: Floats, calibrated: Floats) -> Evaluation:
    """Evaluate a metric on every row in every class it may be of, each counting by its probability.

    Parameters
    ----------
    metric : Metric
        Of classes, fitted to as many as there are columns.
    predicted : array of int, shape (n_rows,)
    probabilities : array of float, shape (n_rows, n_classes)
        The model's own, which the metric may be about.
    calibrated : array of float, shape (n_rows, n_classes)
        Rows sum to 1.

    Returns
    -------
    Evaluation
        Its slopes, of shape (n_rows, n_classes), are derivatives by each probability, times the number of rows; up to a
        constant a row, which no change of probabilities that sum to 1 can feel.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> calibrated = np.array([[0.9, 0.1], [0.3, 0.7]])
    >>> round(expected_metric(get_metric("accuracy"), np.array([0, 1]), calibrated, calibrated).value, 3)
    0.8
    """
    if metric.statistics is None:
        raise TypeError(f"Metric {metric.name!r} says nothing about classes; an estimator must check that first.")
    n, n_classes = calibrated.shape
    if metric.needs == "predictions":  # rows with one prediction and one truth are all alike
        cells = np.column_stack([np.bincount(predicted, calibrated[:, c], n_classes) for c in range(n_classes)]) / n
        predictions, truth = (grid.ravel().astype(np.int32) for grid in np.indices((n_classes, n_classes)))
        statistics = metric.statistics(truth, predictions, np.zeros((len(truth), 0)))
        expected = evaluate(metric, statistics, cells.ravel())
        return expected._replace(slopes=expected.slopes.reshape(n_classes, n_classes)[predicted])
    truth = np.tile(np.arange(n_classes, dtype=np.int32), n)
    statistics = metric.statistics(truth, np.repeat(predicted, n_classes), np.repeat(probabilities, n_classes, axis=0))
    expected = evaluate(metric, statistics, calibrated.ravel() / n)
    return expected._replace(slopes=expected.slopes.reshape(n, n_classes))


class Cbpe(OnProbabilities):
    """Calibrate the probabilities on the source, and take them for those of the labels on the target."""

    name = "cbpe"
    title = "Calibrated probabilities (CBPE)"
    does = "Probabilities are made right on the labelled data, and then say how often answers on new rows are right."
    assumes = "Rows with the same probabilities are right as often on the new data as on labelled data."

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return (
            why_not_probabilities(problem)
            or why_not_one_class(problem)
            or why_not_new_classes(problem)
            or super().reason(problem)
        )

    def expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:
        """Calibrate on weighted source rows and compute the metric to expect on the target.

        Its derivatives take the blocks of the calibration to stay as they are.
        """
        target = rows.target
        calibration = fit_calibration(rows.source.probabilities, rows.source.truth, weights)
        applied = calibrated, _, totals = calibration.apply(target.probabilities)
        expected = expected_metric(problem.metric, target.predicted, target.probabilities, calibrated)
        by_weight, pooled = calibration.influence(target.probabilities, applied, expected.slopes)
        n_not, n = int((totals <= 0).sum()), len(target)
        not_calibrated = NOT_CALIBRATED.found("warning" if n_not > 0.01 * n else "info", rows=n_not, n=n)
        return Expectation(
            value=expected.value,
            means=expected.means,
            by_weight=by_weight,
            by_target=np.einsum("ij,ij->i", calibrated, expected.slopes) / n,
            pooled=pooled,
            findings=(not_calibrated,) if n_not else (),
        )


class Pape(Cbpe):
    """Calibrate the probabilities on the source weighted by slices, and take them for the target's."""

    name = "pape"
    title = "Probabilities calibrated by slices (PAPE)"
    does = "As calibrated probabilities, but made right for the slices as frequent as they are in the new data."
    assumes = (
        "Rows with the same probabilities in the same slice pattern are right as often on the new data as on "
        "labelled data."
    )
    needs = ("slices", "probabilities")
    weights_rows = True
