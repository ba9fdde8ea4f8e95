"""Classifier-based importance weighting: weight by the odds that a row is from the target."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, what_stops
from mandoline_core.estimators.density.logistic import LogisticFit, fit_logistic
from mandoline_core.estimators.on_features import FeatureRows, OnFeatures
from mandoline_core.estimators.on_patterns import OnRatios, PatternRatios, average_one
from mandoline_core.estimators.row_weights import evaluate_rows, row_influence, row_outcome
from mandoline_core.samples import kind_of
from mandoline_core.weighting import Problem

_FARTHEST = 500.0  # log odds beyond which a ratio no longer fits into a float


class CbiwSlices(OnRatios):
    """Weight patterns by the odds of a logistic regression on the slices' codes."""

    name = "cbiw_slices"
    title = "Classifier on slices"
    assumes = "A logistic regression on the slices tells how likely a row is to be new, and slices are never wrong."

    def fit(self, problem: Problem) -> PatternRatios:
        """Fit the classifier to the patterns."""
        table = problem.patterns
        fitted = fit_logistic(table.codes.astype(float), table.source, table.target)
        ratios = average_one(_odds(fitted.log_odds()), table)

        def through_fit(slopes: Floats) -> tuple[Floats, Floats]:
            by_pattern = ratios * slopes / table.n_source
            of_source, of_target = fitted.influence(np.concatenate([[by_pattern.sum()], by_pattern @ table.codes]))
            return (
                _centred(of_source * table.n_source, table.source),
                _centred(of_target * table.n_target, table.target),
            )

        return PatternRatios(ratios, through_fit, fitted.converged)


def _odds(log_odds: Floats) -> Floats:
    """Turn log odds into odds, up to a common factor, without overflow."""
    return np.exp(np.maximum(log_odds - log_odds.max(), -_FARTHEST))


def _centred(values: Floats, counts: Floats) -> Floats:
    return values - float(counts @ values) / float(counts.sum())


class CbiwFeatures(OnFeatures[LogisticFit]):
    """Weight rows by the odds of a logistic regression on the columns."""

    name = "cbiw_features"
    title = "Classifier on columns"
    assumes = "A logistic regression on the columns tells how likely a row is to be new, and both samples overlap."

    def fit(self, problem: Problem, seen: FeatureRows) -> LogisticFit:
        """Fit the classifier to the rows of both samples."""
        is_target = np.repeat([0.0, 1.0], [seen.source.shape[0], seen.target.shape[0]])
        return fit_logistic(seen.stacked(), 1 - is_target, is_target, step=problem.step)

    def evaluate(self, problem: Problem, seen: FeatureRows, fitted: LogisticFit) -> Outcome:
        """Evaluate the metric with the classifier's odds, with influence through the classifier."""
        n_source = seen.source.shape[0]
        found, weights = evaluate_rows(problem, seen.source_rows, _odds(fitted.log_odds()[:n_source]))
        moved = weights * found.slopes
        of_source, of_target = fitted.influence(np.concatenate([[moved.sum()], seen.source.T @ moved]))
        spread = row_influence(
            problem, (seen.source_rows, moved + of_source[:n_source]), (seen.target_rows, of_target[n_source:])
        )
        if not fitted.converged:
            raise MandolineError(
                "The classifier on the columns did not settle. Leave out columns that are far from any others in size."
            )
        return row_outcome(problem, found, seen.source_rows, weights, spread, seen.findings)


class CbiwScores(Estimator):
    """Weight rows by the odds in a column: the output of a classifier that was trained elsewhere."""

    name = "cbiw_scores"
    title = "Classifier trained elsewhere"
    assumes = "The column's probabilities are right; its interval takes them as given."
    needs = ("scores",)

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return what_stops(lambda: _scores(problem))

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        chance = _scores(problem)
        rows = np.arange(len(chance))
        found, weights = evaluate_rows(problem, rows, chance / (1 - chance))
        spread = row_influence(problem, (rows, weights * found.slopes))
        return row_outcome(problem, found, rows, weights, spread)


def _scores(problem: Problem) -> Floats:
    """Read the chance that each scored source row is from the target."""
    column = problem.methods.scores
    if column is None:
        raise MandolineError(
            "No column says how likely a row is to be new. Set scores in [methods] to a column of probabilities."
        )
    if problem.rows is None:
        raise MandolineError("Only slice codes are known here, and this method needs a column of probabilities.")
    series = problem.rows.source.series(column)
    where = f"Column {column!r} of {problem.rows.source.name}"
    if not series.dtype.is_numeric():
        raise DataError(
            f"{where} holds {kind_of(series.dtype)}. Expected probabilities of being new, from 0 to below 1."
        )
    values = np.asarray(series.to_numpy(), dtype=float)[problem.rows.scored]
    bad = np.flatnonzero(~((values >= 0) & (values < 1)))
    if len(bad):
        row = int(np.flatnonzero(problem.rows.scored)[bad[0]]) + 1
        raise DataError(
            f"{where} has {values[bad[0]]:g} in row {row}. Expected a probability of being new, from 0 to below 1, "
            "in every row: a row that is certain to be new would count for ever."
        )
    if not values.any():
        raise DataError(f"{where} is 0 in every row, so no row would count. Expected probabilities of being new.")
    return values
