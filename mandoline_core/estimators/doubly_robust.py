"""Doubly robust: Mandoline's weights on what an outcome model leaves, so that either may be wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.probabilities import Expectation, OnProbabilities, PredictedRows, UsableRows
from mandoline_core.findings import FindingKind
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import ClassCodes, Metric
from mandoline_core.weighting import Problem

N_FOLDS = 5
FEW = 50  # source rows; classes predicted less often share one line
FEWEST = 10
_RANK_TOLERANCE = 1e-9
OUTSIDE_BOUNDS = FindingKind(
    "fit",
    "estimate_outside_bounds",
    "The outcome model's lines lead to {value:.4g}, which {metric} cannot be; {inside:g} is given",
    "Use estimator mandoline, or label more rows like the {target}'s.",
)


@dataclass(frozen=True, eq=False)
class OutcomeDesign:
    """Say what the outcome model looks at: the confidence, bent twice, with a line of its own for each class.

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
    metric: Metric, statistics: Floats, source: Floats, target: Floats, weights: Floats, folds: Index
) -> Expectation:
    """Add what weighting finds of the outcome model's mistakes to its mean over the target.

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

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> right, ones = np.array([[1.0], [0.0], [1.0], [1.0]]), np.ones((4, 1))
    >>> weights, folds = np.array([0.4, 0.1, 0.3, 0.2]), np.array([0, 0, 1, 1])
    >>> combine(get_metric("accuracy"), right, ones, ones, weights, folds).means.round(3).tolist()
    [0.9]
    """
    share, n_folds, n = weights / weights.sum(), int(folds.max()) + 1, len(weights)
    target_mean = target.mean(axis=0)
    in_fold = [np.flatnonzero(folds == f) for f in range(n_folds)]
    parts = [source[rows] for rows in in_fold]
    lines = _cross_fit(parts, [statistics[rows] for rows in in_fold])
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
        moved = (source @ (inverse @ gap)) * (outcome - source @ (own @ gradient)) / (n - len(rows))
        moved[rows] = 0.0  # the fold's own rows had no say in its model
        by_model += moved
    return Expectation(
        value=metric.combine(means),
        means=means,
        by_weight=(residual - share @ residual) / weights.sum(),
        by_source=by_model,
        by_target=(target @ (slope @ gradient) - float(target_mean @ slope @ gradient)) / len(target),
    )


def _cross_fit(parts: list[Floats], statistics: list[Floats]) -> list[tuple[Floats, Floats]]:
    """Fit each fold's line on the rows of the others; directions in which those do not vary are left out.

    Returns
    -------
    list of pairs
        Slopes, shape (n_columns, n_statistics), and the pseudo-inverse of the mean square, (n_columns, n_columns).
    """
    squares = np.array([part.T @ part for part in parts])
    products = np.array([part.T @ some for part, some in zip(parts, statistics, strict=True)])
    n = sum(len(part) for part in parts)
    lines = []
    for part, square, product in zip(parts, squares, products, strict=True):
        others = n - len(part)
        # All rows less the fold's own: one pass over the rows serves every fold.
        values, vectors = np.linalg.eigh((squares.sum(axis=0) - square) / others)
        keep = values > _RANK_TOLERANCE * max(float(values[-1]), 1e-300)
        inverse = (vectors[:, keep] / values[keep]) @ vectors[:, keep].T
        lines.append((inverse @ ((products.sum(axis=0) - product) / others), inverse))
    return lines


class DoublyRobust(OnProbabilities):
    """Predict each row's score from its confidence and class; weight by slices what the prediction misses."""

    name = "doubly_robust"
    title = "Doubly robust (weights and outcome model)"
    does = "A model of the score predicts new rows; weighted labelled rows say how far it is off."
    assumes = (
        "Either slices capture what changed, or confidence and predicted class tell how often the model is right, "
        "on the new data as on labelled data."
    )
    needs = ("slices", "probabilities")
    weights_rows = True

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        why = super().reason(problem)
        if why is None and problem.metric.ranked:
            why = (
                f"This method estimates means, and {problem.metric.name} is not made of means. "
                "Choose a method such as mandoline or cbpe."
            )
        return why

    def expect(self, problem: Problem, rows: UsableRows, weights: Floats) -> Expectation:
        """Fit the outcome model, and weight what it misses."""
        if len(rows.source) < FEWEST:
            raise MandolineError(
                Sentence(
                    "The outcome model needs at least {least} {source_rows} with class probabilities. There are {n}. "
                    "Label more rows.",
                    least=FEWEST,
                    n=len(rows.source),
                )
            )
        metric, statistics = problem.metric, problem.members.statistics[rows.source.rows]
        design = OutcomeDesign.of(rows.source, len(rows.classes))
        before, after = design.columns(rows.source), design.columns(rows.target)
        folds = np.random.default_rng(problem.seed).permutation(len(rows.source)) % N_FOLDS
        expected = combine(metric, statistics, before, after, weights, folds)
        low, high = metric.bounds or (-np.inf, np.inf)
        inside = float(min(max(expected.value, low), high))
        if inside == expected.value:
            return expected
        outside = OUTSIDE_BOUNDS.found("warning", value=expected.value, metric=metric.name, inside=inside)
        return expected._replace(value=inside, findings=(outside,))
