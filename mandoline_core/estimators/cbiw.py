"""Classifier-based importance weighting: weight by the odds that a row is from the target."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import kind_of, take_step
from mandoline_core.domain_classifier import fit_logistic
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators.base import (
    Estimator,
    Outcome,
    evaluate_rows,
    row_influence,
    row_outcome,
    what_stops,
    why_not_whole,
)
from mandoline_core.estimators.features import Features, OnFeatures
from mandoline_core.estimators.kernels import Points, stack
from mandoline_core.estimators.on_patterns import OnPatterns, PointRatios
from mandoline_core.findings import Finding
from mandoline_core.weighting import Problem

_FARTHEST = 500.0  # log odds beyond which a ratio no longer fits into a float


class CbiwSlices(OnPatterns):
    """Weight patterns by the odds of a logistic regression on the slices."""

    name = "cbiw_slices"
    title = "Domain classifier on slices (CBIW)"
    does = "Weights labelled rows by the odds of a domain classifier on the slices (logistic regression)."
    assumes = "Covariate shift that a logistic regression on the slices fits, and slices without errors."

    def fit(self, problem: Problem) -> PointRatios:
        """Fit the classifier to the patterns."""
        table = problem.patterns
        return _fit(table.codes.astype(float), table.source, table.target)


def _fit(
    points: Points, zeros: Floats, ones: Floats, source: slice = slice(None), target: slice = slice(None)
) -> PointRatios:
    """Fit the classifier to points, some of which are the source's and some the target's, and turn odds into ratios.

    Parameters
    ----------
    zeros, ones : array of float, shape (n_points,)
        Source rows and target rows at each point.
    source, target : slice
        Where the points of each sample are.
    """
    fitted = fit_logistic(points, zeros, ones, step=take_step)
    # The odds that a row is new are the ratio of densities times that of the samples' sizes, which cancels in weights.
    log_odds = fitted.log_odds()[source]
    odds = np.exp(np.maximum(log_odds - log_odds.max(), -_FARTHEST))  # up to a common factor, without overflow
    n_source, n_target = float(zeros.sum()), float(ones.sum())
    ratios = odds * n_source / float(zeros[source] @ odds)

    def through_fit(slopes: Floats) -> tuple[Floats, Floats]:
        by_point = ratios * slopes / n_source
        gradient = np.concatenate([[by_point.sum()], points[source].T @ by_point])
        of_source, of_target = fitted.influence(gradient)
        return (
            _centred(of_source[source] * n_source, zeros[source]),
            _centred(of_target[target] * n_target, ones[target]),
        )

    return PointRatios(ratios, through_fit, fitted.converged)


def _centred(values: Floats, counts: Floats) -> Floats:
    return values - float(counts @ values) / float(counts.sum())


class CbiwFeatures(OnFeatures):
    """Weight rows by the odds of a logistic regression on the columns."""

    name = "cbiw_features"
    title = "Domain classifier on columns (CBIW)"
    does = "Weights labelled rows by the odds of a domain classifier on the columns (logistic regression)."
    seconds = 5.0
    assumes = "Covariate shift that a logistic regression on the columns fits, and overlap."

    def fit(self, problem: Problem, seen: Features) -> PointRatios:  # noqa: ARG002 - it has no settings
        """Fit the classifier to the rows of both samples."""
        n_source = seen.source.shape[0]
        is_target = np.repeat([0.0, 1.0], [n_source, seen.target.shape[0]])
        points = stack(seen.source, seen.target)
        fitted = _fit(points, 1 - is_target, is_target, slice(n_source), slice(n_source, None))
        if not fitted.converged:
            raise MandolineError("The domain classifier did not converge. Leave out columns with extreme values.")
        return fitted


class CbiwScores(Estimator):
    """Weight rows by the odds in a column: the output of your own domain classifier."""

    name = "cbiw_scores"
    title = "Your own domain classifier (CBIW)"
    does = "Weights labelled rows by the odds of your own domain classifier, read from a column."
    assumes = "The column has calibrated probabilities that a row is new. The interval takes them as fixed."
    needs = ("scores",)

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        return why_not_whole(problem) or what_stops(lambda: _scores(problem))

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error."""
        probabilities = _scores(problem)
        return weight_by_odds(problem, np.arange(len(probabilities)), probabilities)


def weight_by_odds(problem: Problem, rows: Index, probabilities: Floats, findings: tuple[Finding, ...] = ()) -> Outcome:
    """Weight rows by given odds of being from the target.

    Parameters
    ----------
    rows : array of int, shape (n_rows,)
        Places among the scored source rows; the others count for nothing.
    probabilities : array of float, shape (n_rows,)
        Probabilities of being from the target, from 0 to below 1.
    """
    evaluation, weights = evaluate_rows(problem, rows, probabilities / (1 - probabilities))
    spread = row_influence(problem, (rows, weights * evaluation.slopes))
    return row_outcome(problem, evaluation, rows, weights, spread, findings)


def _scores(problem: Problem) -> Floats:
    """Read the probability that each scored source row is from the target."""
    column = problem.methods.scores
    if column is None:
        raise MandolineError("No column with a domain classifier's probabilities. Set scores in [methods].")
    if problem.rows is None:
        raise MandolineError("This method needs a column of probabilities. Only slice codes are given.")
    series = problem.rows.source.series(column)
    where = f"Column {column!r} of {problem.rows.source.name}"
    if not series.dtype.is_numeric():
        raise DataError(
            f"{where} contains {kind_of(series.dtype)}. Expected probabilities of being new, from 0 to below 1."
        )
    values = np.asarray(series.to_numpy(), dtype=float)[problem.rows.scored]
    bad = np.flatnonzero(~((values >= 0) & (values < 1)))
    if len(bad):
        row = int(np.flatnonzero(problem.rows.scored)[bad[0]]) + 1
        raise DataError(
            f"{where} has {values[bad[0]]:g} in row {row}. Expected probabilities of being new, from 0 to below 1: "
            "a probability of 1 gives an infinite weight."
        )
    if not values.any():
        raise DataError(f"{where} is 0 in every row, so every weight is 0. Expected probabilities of being new.")
    return values
