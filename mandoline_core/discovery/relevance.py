"""Relevance: what a slice would do to the estimate, to first order, and how far that stands out from sampling error.

If a slice x joined, the weights would move so that its share matches, and the estimate by about

    (share of x in the target - share after weighting) * (how far the score differs inside x, after weighting),

where x and the score are taken beyond what the modelled slices already say of them (linearly). The standard error
follows from those of both factors (the delta method), and z is the product over it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Floats
from mandoline_core.checks import LEAST_LEFT, CellWeights, compare_means
from mandoline_core.pipeline import SumTable, Tally

_NOTHING_LEFT = 0.05  # of a slice's variance beyond the modelled slices: then they say it already


@dataclass(frozen=True, eq=False)
class ScoreTally:
    """Hold candidates and scores, added up over the rows of each cell.

    Parameters
    ----------
    tally : Tally
        The candidates; behind them their squares, where they are not 0 or 1.
    products, squares : csr_matrix or array of float, shape (n_cells, m)
        Sums over source rows of score times candidate, and of its square times candidate.
    sums, sums_of_squares : array of float, shape (n_cells,)
        Sums over source rows of the score and of its square.
    """

    tally: Tally
    products: SumTable
    squares: SumTable
    sums: Floats
    sums_of_squares: Floats


@dataclass(frozen=True, eq=False)
class Relevance:
    """Hold both factors, their product and how far it stands out, for m candidates.

    Parameters
    ----------
    source, target : array of float, shape (m,)
        Shares of rows inside.
    gap : array of float, shape (m,)
        Share in the target minus share after weighting.
    gap_z : array of float, shape (m,)
        The gap over its standard error.
    difference : array of float, shape (m,)
        How far the score differs inside, after weighting, beyond what the modelled slices say.
    z : array of float, shape (m,)
        The product over its standard error; 0 where the modelled slices already say what the candidate says.
    own : array of float, shape (m,)
        The share of its variance that the modelled slices do not explain.
    """

    source: Floats
    target: Floats
    gap: Floats
    gap_z: Floats
    difference: Floats
    z: Floats
    own: Floats

    @property
    def effect(self) -> Floats:
        """What adding the slice would do to the estimate, to first order."""
        return self.gap * self.difference


def relevance(weights: CellWeights, scored: ScoreTally) -> Relevance | None:
    """Compute the relevance of many candidates at once; None where a sample has no row that counts.

    Examples
    --------
    Inside, which is twice as frequent in the target, every second row is right; outside all are.

    >>> rows, none = np.array([100.0]), np.empty((1, 0))
    >>> tally = Tally(rows, rows, np.array([[20.0]]), np.array([[40.0]]))
    >>> scores = ScoreTally(tally, np.array([[10.0]]), np.array([[10.0]]), np.array([90.0]), np.array([90.0]))
    >>> found = relevance(CellWeights(np.array([0.01]), np.ones(1), none, none), scores)
    >>> found.gap.round(3).tolist(), found.difference.round(3).tolist(), found.effect.round(3).tolist()
    ([0.2], [-0.5], [-0.1])
    """
    gaps = compare_means(weights, scored.tally)
    if gaps is None:
        return None
    rows, tally, m = scored.tally.source_rows, scored.tally, scored.products.shape[1]
    gaps = gaps.take(slice(m))
    weight = weights.source / float(rows @ weights.source)
    matched = np.column_stack([np.ones(len(rows)), weights.source_matched])
    inverse = np.asarray(np.linalg.pinv((matched.T * (rows * weight)) @ matched, rcond=1e-10, hermitian=True), float)
    line = inverse @ (matched.T @ (weight * scored.sums))  # the score by the modelled slices
    crossed = _times(matched.T * weight, tally.source)  # the first row is over all rows, as the first matched is 1
    second = crossed[0, :m] if tally.squares is None else crossed[0, tally.squares[:m]]
    crossed = crossed[:, :m]
    lines = inverse @ crossed  # each candidate by the modelled slices
    variance = second - (lines * crossed).sum(axis=0)
    whole = second - gaps.weighted**2
    own = np.divide(variance, whole, out=np.zeros_like(whole), where=whole > 1e-12)
    usable = own > _NOTHING_LEFT
    covariance = _times(weight, scored.products) - line @ crossed
    difference = np.divide(covariance, variance, out=np.zeros_like(variance), where=usable)
    spread = np.sqrt(np.maximum(_spread(matched, inverse, lines, matched @ line, weight, scored), 0.0))
    error = np.divide(spread, variance, out=np.zeros_like(variance), where=usable)
    gap = gaps.target - gaps.weighted
    tested = np.abs(gaps.z) > 1e-9
    gap_error = np.divide(np.abs(gap), np.abs(gaps.z), out=np.zeros_like(gap), where=tested)
    total = np.sqrt((difference * gap_error) ** 2 + (gap * error) ** 2)
    known = usable & tested & (total > 0)
    z = np.divide(gap * difference, total, out=np.zeros_like(gap), where=known)
    return Relevance(gaps.source, gaps.target, gap, gaps.z, difference, z, own)


def _spread(
    matched: Floats, inverse: Floats, lines: Floats, fitted: Floats, weight: Floats, scored: ScoreTally
) -> Floats:
    """Add up, over source rows, (weight * residual of the score * residual of the candidate)**2.

    Candidates between 0 and 1 count as their own square, which overstates the error a little where a slice abstains.
    """
    leverage = weight * np.einsum("ci,ij,cj->c", matched, inverse, matched)
    factor = (weight / np.maximum(1 - leverage, LEAST_LEFT)) ** 2
    rows, inside = scored.tally.source_rows, scored.tally.source[:, : scored.products.shape[1]]
    # The squared residual of the score, added up over all rows of a cell, and over those inside each candidate.
    outer = scored.sums_of_squares - 2 * fitted * scored.sums + fitted**2 * rows
    crossed = (
        _times(matched.T * factor, scored.squares)
        - 2 * _times(matched.T * (factor * fitted), scored.products)
        + _times(matched.T * (factor * fitted**2), inside)
    )  # the first row is over all rows, as the first of the matched is 1
    gram = (matched.T * (factor * outer)) @ matched
    return np.asarray(crossed[0] - 2 * (lines * crossed).sum(axis=0) + np.einsum("im,ij,jm->m", lines, gram, lines))


def _times(left: Floats, right: SumTable) -> Floats:
    """Multiply an array by a table, sparse or not."""
    return np.asarray((right.T @ left.T).T)


def score_table(cells: csr_matrix, scores: Floats, source: csr_matrix) -> tuple[csr_matrix, csr_matrix]:
    """Add up score times candidate, and its square times candidate, by cell.

    >>> cells, inside = csr_matrix(np.ones((1, 2))), csr_matrix(np.array([[1.0], [0.0]]))
    >>> [side.toarray().tolist() for side in score_table(cells, np.array([3.0, 5.0]), inside)]
    [[[3.0]], [[9.0]]]
    """
    weighted = cells.multiply(scores[None, :]).tocsr()
    twice = cells.multiply(scores[None, :] ** 2).tocsr()
    return csr_matrix(weighted @ source), csr_matrix(twice @ source)
