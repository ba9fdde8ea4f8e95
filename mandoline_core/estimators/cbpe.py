"""CBPE and PAPE: probabilities calibrated on the source give the expected metric on the target."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.calibration import fit_calibration
from mandoline_core.estimators.expectation import Expectation, UsableRows
from mandoline_core.estimators.probabilities import (
    OnProbabilities,
    PredictedRows,
    why_not_new_classes,
    why_not_one_class,
    why_not_probabilities,
)
from mandoline_core.findings import Finding
from mandoline_core.metrics import ClassCodes, Evaluation, Metric, evaluate
from mandoline_core.weighting import Problem


def expected_metric(
    metric: Metric,
    predicted: ClassCodes,
    probabilities: Floats,
    calibrated: Floats,
    shares: Floats | None = None,
) -> Evaluation:
    """Compute the expected metric, each row in each class weighted by its probability.

    Parameters
    ----------
    metric : Metric
        Of classes, fitted to as many as there are columns.
    predicted : array of int, shape (n_rows,)
    probabilities : array of float, shape (n_rows, n_classes)
        The model's own, which the metric may be about.
    calibrated : array of float, shape (n_rows, n_classes)
        Rows sum to 1.
    shares : array of float, shape (n_rows,), optional
        How much each row counts. By default, all the same.

    Returns
    -------
    Evaluation
        Its slopes, of shape (n_rows, n_classes), are derivatives by each probability, over the row's share; up to a
        constant a row, which no change of probabilities that sum to 1 can feel.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> calibrated = np.array([[0.9, 0.1], [0.3, 0.7]])
    >>> round(expected_metric(get_metric("accuracy"), np.array([0, 1]), calibrated, calibrated).value, 3)
    0.8
    """
    if metric.statistics is None:
        raise TypeError(f"Metric {metric.name!r} is not for classes; an estimator must check that first.")
    n, n_classes = calibrated.shape
    weights: Floats = calibrated / n if shares is None else calibrated * shares[:, None]
    if metric.needs == "predictions":  # rows with one prediction and one truth are all alike
        columns = [np.bincount(predicted, weights[:, c], n_classes) for c in range(n_classes)]
        cells = np.column_stack(columns).astype(float)
        predictions, truth = (grid.ravel().astype(np.int32) for grid in np.indices((n_classes, n_classes)))
        statistics = metric.statistics(truth, predictions, np.zeros((len(truth), 0)))
        expected = evaluate(metric, statistics, cells.ravel())
        return expected._replace(slopes=expected.slopes.reshape(n_classes, n_classes)[predicted])
    truth = np.tile(np.arange(n_classes, dtype=np.int32), n)
    statistics = metric.statistics(truth, np.repeat(predicted, n_classes), np.repeat(probabilities, n_classes, axis=0))
    expected = evaluate(metric, statistics, weights.ravel())
    return expected._replace(slopes=expected.slopes.reshape(n, n_classes))


class Cbpe(OnProbabilities):
    """Calibrate probabilities on the source, and compute the expected metric on the target."""

    name = "cbpe"
    title = "Confidence-based performance estimation (CBPE)"
    does = "Calibrates probabilities on labelled data, then computes the expected metric on new data."
    assumes = "The calibration learned on labelled data holds on new data."
    interval_note = (
        "Covers sampling error only. On natural shifts its 95% intervals contained the truth in 27% of cases."
    )
    design_weights = True

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        return (
            why_not_probabilities(problem)
            or why_not_one_class(problem)
            or why_not_new_classes(problem)
            or super().reason(problem)
        )

    def expect(self, problem: Problem, rows: UsableRows[PredictedRows], weights: Floats) -> Expectation:
        """Calibrate on weighted source rows and compute the metric to expect on the target.

        Its derivatives take the blocks of the calibration to stay as they are.
        """
        target = rows.target
        calibration = fit_calibration(rows.source.probabilities, rows.source.truth, weights)
        applied = calibrated, _, totals = calibration.apply(target.probabilities)
        shares = target.shares
        expected = expected_metric(problem.metric, target.predicted, target.probabilities, calibrated, shares)
        by_weight, pooled = calibration.influence(target.probabilities, applied, expected.slopes, shares)
        n_not, n = int((totals <= 0).sum()), len(target)
        not_calibrated = Finding(
            "fit",
            "rows_not_calibrated",
            "warning" if n_not > 0.01 * n else "info",
            f"{n_not:,} of {n:,} new rows could not be calibrated; their probabilities are used as they are.",
            "Label rows of rare classes, or merge classes.",
            numbers={"rows": n_not, "n": n},
        )
        return Expectation(
            value=expected.value,
            means=expected.means,
            by_weight=by_weight,
            by_target=np.einsum("ij,ij->i", calibrated, expected.slopes) * shares,
            pooled=pooled,
            findings=(not_calibrated,) if n_not else (),
        )


class Pape(Cbpe):
    """Calibrate probabilities on the weighted source, and compute the expected metric on the target."""

    name = "pape"
    title = "Probabilistic adaptive performance estimation (PAPE)"
    does = "Runs CBPE with a calibration on labelled rows weighted by slices."
    assumes = "Covariate shift captured by the slices, and a calibration that holds after weighting."
    needs = ("slices", "probabilities")
    premise = "slices"
    interval_note = "Covers sampling error only, not a wrong assumption."
    weights_rows = True
