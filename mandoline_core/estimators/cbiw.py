"""Classifier-based importance weighting: weight by the odds that a row is from the target."""

from __future__ import annotations

import numpy as np

from mandoline_core.data import kind_of
from mandoline_core.density.logistic import LogisticFit, fit_logistic
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.estimators.row_weights import (
    evaluate_rows,
    features_key,
    reason_without_features,
    remembered,
    row_influence,
    row_outcome,
    scored_key,
    seen_rows,
    stacked,
)
from mandoline_core.intervals import Influence, SourcePart, TargetPart
from mandoline_core.patterns import Floats

_FARTHEST = 500.0  # log odds beyond which a ratio no longer fits into a float


class CbiwSlices(OnPatterns):
    """Weight patterns by the odds of a logistic regression on the slices' codes."""

    name = "cbiw_slices"
    title = "Classifier on slices"
    assumes = "A logistic regression on the slices tells how likely a row is to be new, and slices are never wrong."

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        table = problem.patterns
        fitted, ratios = _fit(problem)
        means = ratios @ table.sums / table.n_source
        gradient = problem.metric.slope(means)
        centre = float(gradient @ means)
        by_pattern = ratios * (table.sums @ gradient - table.source * centre) / table.n_source
        through = np.concatenate([[by_pattern.sum()], by_pattern @ table.codes])
        of_source, of_target = fitted.influence(through)
        constant = _centred(of_source * table.n_source, table.source) - ratios * centre
        return Outcome(
            value=problem.metric.combine(means),
            means=means,
            influence=Influence(
                (SourcePart(table, ratios[:, None] * gradient, constant),),
                TargetPart(table.target, _centred(of_target * table.n_target, table.target)),
            ),
            row_weights=np.tile(np.where(table.source > 0, ratios, 0.0) / table.n_source, (len(problem.groups), 1)),
            kept=np.ones(len(table), dtype=bool),
            unused=np.zeros(len(table), dtype=bool),
            converged=fitted.converged,
        )

    def means(self, problem: Problem) -> Floats:
        """Average the statistics with the classifier's weights."""
        return _fit(problem)[1] @ problem.patterns.sums / problem.patterns.n_source


def _fit(problem: Problem) -> tuple[LogisticFit, Floats]:
    """Fit the classifier to the patterns; return it with ratios that average 1 over the source."""
    table = problem.patterns
    fitted = fit_logistic(table.codes.astype(float), table.source, table.target)
    ratios = _odds(fitted.log_odds())
    return fitted, ratios * table.n_source / float(table.source @ ratios)


def _odds(log_odds: Floats) -> Floats:
    """Turn log odds into odds, up to a common factor, without overflow."""
    return np.exp(np.maximum(log_odds - log_odds.max(), -_FARTHEST))


def _centred(values: Floats, counts: Floats) -> Floats:
    return values - float(counts @ values) / float(counts.sum())


class CbiwFeatures:
    """Weight rows by the odds of a logistic regression on the columns."""

    name = "cbiw_features"
    title = "Classifier on columns"
    assumes = "A logistic regression on the columns tells how likely a row is to be new, and both samples overlap."
    needs: tuple[str, ...] = ("features",)
    later = False

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return reason_without_features(problem)

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        seen = seen_rows(problem)
        n_source, n_target = seen.source.shape[0], seen.target.shape[0]
        is_target = np.repeat([0.0, 1.0], [n_source, n_target])
        key = ("cbiw", features_key(problem), scored_key(problem))
        fitted = remembered(problem, key, lambda: fit_logistic(stacked(seen), 1 - is_target, is_target))
        found, weights = evaluate_rows(problem, seen.source_rows, _odds(fitted.log_odds()[:n_source]))
        moved = weights * found.slopes
        of_source, of_target = fitted.influence(np.concatenate([[moved.sum()], seen.source.T @ moved]))
        spread = row_influence(
            problem, (seen.source_rows, seen.target_rows), moved + of_source[:n_source], of_target[n_source:]
        )
        if not fitted.converged:
            raise MandolineError(
                "The classifier on the columns did not settle. Leave out columns that are far from any others in size."
            )
        return row_outcome(problem, found, seen.source_rows, weights, spread, seen.findings)


class CbiwScores:
    """Weight rows by the odds in a column: the output of a classifier that was trained elsewhere."""

    name = "cbiw_scores"
    title = "Classifier trained elsewhere"
    assumes = "The column's probabilities are right; its interval takes them as given."
    needs: tuple[str, ...] = ("scores",)
    later = False

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        try:
            _scores(problem)
        except MandolineError as error:
            return str(error)
        return None

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        chance = _scores(problem)
        rows = np.arange(len(chance))
        found, weights = evaluate_rows(problem, rows, chance / (1 - chance))
        spread = row_influence(problem, (rows, rows[:0]), weights * found.slopes)
        return row_outcome(problem, found, rows, weights, spread, ())


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
