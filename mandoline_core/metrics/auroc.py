"""AUROC: the area under the ROC curve on weighted rows, with the slope of every row's weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed
from mandoline_core.metrics.class_labels import ClassCodes
from mandoline_core.metrics.metric import UNIT, Metric


def auroc(positive: Bools, scores: Floats, weights: Floats, name: str) -> tuple[float, Floats]:
    """Compute the probability that a row of the class scores above one of the others, a tie counting half.

    Parameters
    ----------
    positive : array of bool, shape (n_rows,)
    scores, weights : array of float, shape (n_rows,)
    name : str
        The class, for messages.

    Returns
    -------
    slopes : array of float, shape (n_rows,)
        Derivative of the value by each weight; weighted, they add up to 0.

    Examples
    --------
    >>> auroc(np.array([True, False, False]), np.array([0.8, 0.3, 0.9]), np.ones(3) / 3, "yes")[0]
    0.5
    """
    above, below = np.where(positive, weights, 0.0), np.where(positive, 0.0, weights)
    total_above, total_below = float(above.sum()), float(below.sum())
    if total_above <= 0 or total_below <= 0:
        which = "No row" if total_above <= 0 else "Every row"
        raise DataError(
            f"{which} with a weight has the label {name!r}, so AUROC is undefined. Choose another class or metric."
        )
    _, score_of = np.unique(scores, return_inverse=True)
    beaten = _mass_below(score_of, below)  # by a row with this score, ties half
    beating = total_above - _mass_below(score_of, above)
    value = float(above @ beaten) / (total_above * total_below)
    # Both totals are ratios of weights, too: by the quotient rule the value itself is taken off every row's share.
    slopes = np.where(
        positive, (beaten / total_below - value) / total_above, (beating / total_above - value) / total_below
    )
    return value, slopes


def _mass_below(score_of: Index, mass: Floats) -> Floats:
    """Add up the mass of lower scores and half that of equal ones, for every row."""
    by_score = np.bincount(score_of, mass)
    return np.asarray((np.cumsum(by_score) - by_score / 2)[score_of])


def mean_auroc(positive: Bools, scores: Floats, weights: Floats, names: Sequence[str]) -> tuple[float, Floats]:
    """Average the area over classes, each against the rest.

    Parameters
    ----------
    positive : array of bool, shape (n_rows, n_classes)
    scores : array of float, shape (n_rows, n_classes)
    weights : array of float, shape (n_rows,)
    """
    areas = [auroc(positive[:, i], scores[:, i], weights, name) for i, name in enumerate(names)]
    return float(np.mean([value for value, _ in areas])), np.mean([slopes for _, slopes in areas], axis=0)


def smaller_class(statistics: Floats, weights: Floats, rows: Floats | None = None) -> float:
    """Count the effective rows of the smaller class, which limits the precision of AUROC.

    Of a rows of the class and b others, as many pairs as the smaller number m share no row and are independent. So a
    true area A ranks all rows perfectly with a probability of at most A**m, whatever the scores: at 0 or 1 the exact
    interval for m rows misses the truth no more often than it says. A narrower one would, for where a rare row beats
    all others or none the probability is A**m. Elsewhere the variance is at most A(1 - A) / m, by the same reasoning
    (Birnbaum and Klose, 1957). Of several classes the smallest counts: one of their areas is at most the mean.

    Parameters
    ----------
    statistics : array of float, shape (n_rows, 2 * n_classes)
        Whether a row is of each class (1 or 0), then its scores.
    weights : array of float, shape (n_rows,)
    rows : array of float, shape (n_rows,), optional
        Rows that share each weight equally; one when left out.

    Examples
    --------
    >>> of_class, scores = np.repeat([1.0, 0.0], [5, 95]), np.zeros(100)
    >>> smaller_class(np.column_stack([of_class, scores]), np.ones(100))
    5.0
    """
    of_class = statistics[:, : statistics.shape[1] // 2] > 0.5
    totals = np.array([weights @ of_class, weights @ ~of_class])
    squared = weights**2 if rows is None else weights**2 / rows
    squares = np.array([squared @ of_class, squared @ ~of_class])
    return float((totals**2 / np.where(squares > 0, squares, np.inf)).min())


def _auroc(metric: Metric, classes: tuple[str, ...], one: int | None) -> Metric:
    if len(classes) < 2:
        raise DataError(f"Metric 'auroc' needs at least two classes. Got {listed(classes)}. Choose another metric.")
    # Of two classes, ranking one first is ranking the other last: one of them says it all.
    columns = [one] if one is not None else [1] if len(classes) == 2 else list(range(len(classes)))

    def rows(truth: ClassCodes, _: ClassCodes, probabilities: Floats) -> Floats:
        return np.column_stack([truth[:, None] == np.array(columns), probabilities[:, columns]]).astype(float)

    def rank(statistics: Floats, weights: Floats) -> tuple[float, Floats]:
        n = len(columns)
        return mean_auroc(statistics[:, :n] > 0.5, statistics[:, n:], weights, [classes[i] for i in columns])

    return replace(metric, statistics=rows, rank=rank)


AUROC = Metric(
    "auroc",
    "area under the ROC curve",
    "probabilities",
    UNIT,
    called="AUROC",
    of_classes=_auroc,
    about_one=True,
)
