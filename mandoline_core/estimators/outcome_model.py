"""Outcome models: the score of a row, regressed on what is known of labelled and new rows."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy.sparse import issparse
from scipy.sparse.linalg import svds

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.domain_classifier import default_columns
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import rows_of, what_stops
from mandoline_core.estimators.expectation import ChosenRows, Expectation, OnExpectation, UsableRows
from mandoline_core.estimators.features import Features, remembered, see_rows
from mandoline_core.estimators.kernels import stack
from mandoline_core.estimators.probabilities import PredictedRows
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_value
from mandoline_core.metrics import ClassCodes, Metric
from mandoline_core.weighting import Problem

N_FOLDS = 5
FEW = 50  # source rows; classes predicted less often share one line
FEWEST = 10
MOST_CROSSED = 25  # columns, of which all products are taken
MOST_DIRECTIONS = 50  # of all terms, in the regression
ROWS_A_DIRECTION = 20
KNOTS = (1 / 3, 2 / 3)
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class DescribedRows(ChosenRows):
    """Hold what an outcome model looks at in the chosen rows.

    Parameters
    ----------
    columns : array of float, shape (n_rows, n_columns)
    """

    columns: Floats


@dataclass(frozen=True, eq=False)
class OutcomeDesign:
    """Hold the design of the outcome model: a linear spline of confidence with two knots, by predicted class.

    Parameters
    ----------
    group : array of int, shape (n_classes,)
        The line of each predicted class.
    knots : array of float, shape (2,)
        Where lines may bend.
    """

    group: Index
    knots: Floats

    @classmethod
    def of(cls, rows: PredictedRows, n_classes: int) -> OutcomeDesign:
        """Choose lines and knots for the source."""
        return cls(_groups(rows.predicted, n_classes), np.quantile(rows.confidence, [1 / 3, 2 / 3]))

    def columns(self, rows: PredictedRows) -> Floats:
        """Compute the columns of the regression, shape (n_rows, 4 * n_lines)."""
        confidence = rows.confidence
        bent = np.maximum(confidence[:, None] - self.knots, 0.0)
        out = np.zeros((len(rows), int(self.group.max()) + 1, 2 + len(self.knots)))
        out[np.arange(len(rows)), self.group[rows.predicted]] = np.column_stack([np.ones(len(rows)), confidence, bent])
        return out.reshape(len(rows), -1)


def _groups(predicted: ClassCodes, n_classes: int) -> Index:
    """Give each class a line; the rarest share one, that of the next rarest too while it has too few rows."""
    counts = np.bincount(predicted, minlength=n_classes)
    order = np.argsort(counts, kind="stable")
    few = int((counts < FEW).sum())
    enough = int(np.searchsorted(np.cumsum(counts[order]), FEW)) + 1
    shared = min(max(few, enough), n_classes) if few else 1
    group = np.zeros(n_classes, dtype=np.intp)
    group[order[shared:]] = np.arange(1, n_classes - shared + 1)
    return group


def combine(
    metric: Metric,
    statistics: Floats,
    source: Floats,
    target: Floats,
    weights: Floats,
    folds: Index,
    *,
    counts: Floats | None = None,
    target_shares: Floats | None = None,
) -> Expectation:
    """Add the weighted residuals of the outcome model to its mean over the target.

    Parameters
    ----------
    metric : Metric
        Made of means.
    statistics : array of float, shape (n_source, n_statistics)
    source, target : array of float, shape (n_source, n_columns) and (n_target, n_columns)
        What the outcome model looks at.
    weights : array of float, shape (n_source,)
        Taken as shares of their total.
    folds : array of int, shape (n_source,)
        A row's statistics are predicted by least squares on the rows of other folds, the target's by the average
        over folds.
    counts : array of float, shape (n_source,), optional
        How much each row counts in that, by design weight. By default, 1.
    target_shares : array of float, shape (n_target,), optional
        How much each row counts in the target's mean. By default, all the same.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> right, ones = np.array([[1.0], [0.0], [1.0], [1.0]]), np.ones((4, 1))
    >>> weights, folds = np.array([0.4, 0.1, 0.3, 0.2]), np.array([0, 0, 1, 1])
    >>> combine(get_metric("accuracy"), right, ones, ones, weights, folds).means.round(3).tolist()
    [0.9]
    """
    share, n_folds, n = weights / weights.sum(), int(folds.max()) + 1, len(weights)
    counts = np.ones(n) if counts is None else counts
    target_shares = np.full(len(target), 1 / len(target)) if target_shares is None else target_shares
    target_mean = target_shares @ target
    in_fold = [np.flatnonzero(folds == f) for f in range(n_folds)]
    parts = [source[rows] for rows in in_fold]
    lines = _cross_fit(parts, [statistics[rows] for rows in in_fold], [counts[rows] for rows in in_fold])
    left = np.empty_like(statistics)
    for rows, part, (own, _) in zip(in_fold, parts, lines, strict=True):
        left[rows] = statistics[rows] - part @ own
    slope = np.mean([own for own, _ in lines], axis=0)
    means = target_mean @ slope + share @ left
    gradient = metric.slope(means)
    residual, outcome = left @ gradient, statistics @ gradient
    by_model = np.zeros(n)
    for rows, part, (own, inverse) in zip(in_fold, parts, lines, strict=True):
        gap = target_mean / n_folds - share[rows] @ part
        others = counts.sum() - counts[rows].sum()
        moved = (source @ (inverse @ gap)) * (outcome - source @ (own @ gradient)) * (counts / others)
        moved[rows] = 0.0  # the fold's own rows had no say in its model
        by_model += moved
    return Expectation(
        value=metric.combine(means),
        means=means,
        by_weight=(residual - share @ residual) / weights.sum(),
        by_source=by_model,
        by_target=(target @ (slope @ gradient) - float(target_mean @ slope @ gradient)) * target_shares,
    )


def _cross_fit(parts: list[Floats], statistics: list[Floats], counts: list[Floats]) -> list[tuple[Floats, Floats]]:
    """Fit each fold's line on the rows of the others; directions in which those do not vary are left out.

    Returns
    -------
    list of pairs
        Slopes, shape (n_columns, n_statistics), and the pseudo-inverse of the mean square, (n_columns, n_columns).
    """
    turned = [part.T * rows for part, rows in zip(parts, counts, strict=True)]
    squares = np.array([left @ part for left, part in zip(turned, parts, strict=True)])
    products = np.array([left @ some for left, some in zip(turned, statistics, strict=True)])
    n = sum(rows.sum() for rows in counts)
    lines = []
    for rows, square, product in zip(counts, squares, products, strict=True):
        others = n - rows.sum()
        # All rows less the fold's own: one pass over the rows serves every fold.
        values, vectors = np.linalg.eigh((squares.sum(axis=0) - square) / others)
        keep = values > _RANK_TOLERANCE * max(float(values[-1]), 1e-300)
        inverse = (vectors[:, keep] / values[keep]) @ vectors[:, keep].T
        lines.append((inverse @ ((products.sum(axis=0) - product) / others), inverse))
    return lines


def split_rows(n: int, seed: int, clusters: Index | None = None) -> Index:
    """Put rows into folds of the same size, at random; those of one cluster into the same.

    >>> np.bincount(split_rows(10, 0)).tolist()
    [2, 2, 2, 2, 2]
    """
    if clusters is not None:
        present, place = np.unique(clusters, return_inverse=True)
        return split_rows(len(present), seed)[place]
    return np.random.default_rng(seed).permutation(n) % N_FOLDS


def describe_by_columns(problem: Problem, kept: Bools | None = None) -> UsableRows[DescribedRows]:
    """Describe rows by their columns and the prediction, with bends and products of these.

    Parameters
    ----------
    kept : array of bool, shape (n_patterns,), optional
        False for patterns whose target rows are left out.
    """
    seen, members = _see(problem), problem.members
    which = blake2b(seen.source_rows.tobytes()).digest()  # one set of scored rows is told from another
    before, after = remembered(problem, ("design", seen.columns, problem.seed, which), lambda: _design(seen))
    source, target = (np.zeros(len(side), dtype=bool) for side in (members.source, members.target))
    counted = np.ones(len(after), dtype=bool) if kept is None else kept[members.target[seen.target_rows]]
    source[seen.source_rows] = target[seen.target_rows[counted]] = True
    new = DescribedRows(target, after[counted], counted=_weights_of(problem, target, members.target_rows))
    old = DescribedRows(source, before, counted=_weights_of(problem, source, members.source_rows))
    return UsableRows(old, new, findings=seen.findings)


def _weights_of(problem: Problem, rows: Bools, weights: Floats) -> Floats | None:
    return weights[rows] if problem.members.has_weights else None


def _see(problem: Problem) -> Features:
    """Build the features of the columns and, where both samples have one, the prediction."""
    rows = rows_of(problem)
    chosen = problem.methods.features or default_columns(rows.source, rows.target)[0]
    predicted = None if rows.model is None else rows.model.prediction
    also = (predicted,) if predicted in rows.target.columns else ()
    # A column that is to be averaged would predict itself.
    return see_rows(problem, tuple(column for column in (*chosen, *also) if column and column != rows.metric.column))


def _design(seen: Features) -> tuple[Floats, Floats]:
    """Return a constant and the main directions of columns, their bends and their products, for both samples.

    A loss often grows with a column from some point on, and more so in one category than in another. Least squares on
    such terms has an influence function; trees, which need no terms, have none, and on our tests were no better.
    """
    n, points = seen.source.shape[0], stack(seen.source, seen.target)
    most = min(MOST_DIRECTIONS, max(n // ROWS_A_DIRECTION, 1))
    if points.shape[1] > MOST_CROSSED:  # text, or very many columns
        left, sizes, _ = svds(points, k=min(MOST_CROSSED, min(points.shape) - 1), v0=np.ones(min(points.shape)))
        points = left * sizes
    points = np.asarray(points.todense()) if issparse(points) else points
    bends = [np.maximum(points - np.quantile(points, share, axis=0), 0.0) for share in KNOTS]
    first, second = np.triu_indices(points.shape[1])
    terms = np.hstack([points, *bends, points[:, first] * points[:, second]])
    terms -= terms.mean(axis=0)
    spread = terms.std(axis=0)
    terms = terms[:, spread > _RANK_TOLERANCE] / spread[spread > _RANK_TOLERANCE]
    if terms.shape[1] > most:
        values, vectors = np.linalg.eigh(terms.T @ terms / len(terms))
        values = np.maximum(values[-most:], _RANK_TOLERANCE)  # few rows span fewer directions
        terms = terms @ (vectors[:, -most:] / np.sqrt(values))
    columns = np.column_stack([np.ones(len(terms)), terms])
    return columns[:n], columns[n:]


class OnOutcomes(OnExpectation[DescribedRows]):
    """Run a method that predicts scores with an outcome model; a subclass says what the model looks at."""

    design_weights = True

    def expect(self, problem: Problem, rows: UsableRows[DescribedRows], weights: Floats) -> Expectation:
        """Fit the outcome model, and weight its residuals."""
        n, metric = len(rows.source), problem.metric
        if n < FEWEST:
            raise MandolineError(
                f"The outcome model needs at least {FEWEST} labelled rows with all it looks at. Got {n}. "
                "Label more rows."
            )
        statistics, clusters = problem.members.statistics[rows.source.rows], problem.members.design[0].clusters
        folds = split_rows(n, problem.seed, None if clusters is None else clusters[rows.source.rows])
        counted = {"counts": rows.source.counts, "target_shares": rows.target.shares}
        expected = combine(metric, statistics, rows.source.columns, rows.target.columns, weights, folds, **counted)
        low, high = metric.bounds or (-np.inf, np.inf)
        inside = float(min(max(expected.value, low), high))
        if inside == expected.value:
            return expected
        raw, shown = (show_value(value, share=metric.share) for value in (expected.value, inside))
        outside = Finding(
            "fit",
            "estimate_outside_bounds",
            "warning",
            f"The estimate of the outcome model was out of range ({raw}) and is shown as {shown}.",
            "Use method mandoline, or label more rows like the new ones.",
            numbers={"value": expected.value, "metric": metric.name, "shown": inside},
        )
        return expected._replace(value=inside, findings=(outside,))


def of_losses(metric: Metric) -> bool:
    """Tell whether a metric is computed from one number a row, not from classes.

    >>> from mandoline_core.metrics import get_metric
    >>> of_losses(get_metric("rmse")), of_losses(get_metric("accuracy"))
    (True, False)
    """
    return metric.needs in ("numbers", "column", "own")


def why_not_losses(problem: Problem) -> str | None:
    """Return why an outcome model on columns does not apply, or None."""
    if problem.rows is None or problem.membership is None:
        return "This method needs rows. Only slice codes are given."
    if problem.metric.ranked or not of_losses(problem.metric):
        return (
            f"This method is for numbers. Metric {problem.metric.name!r} is not a mean of them. "
            "Choose a method such as mandoline."
        )
    return what_stops(lambda: _see(problem))
