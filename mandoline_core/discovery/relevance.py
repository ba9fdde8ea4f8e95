"""Relevance: what a slice would do to the estimate, to first order, and whether that is beyond sampling error.

If a slice x joined, the weights would move so that its share matches, and the estimate by about

    (share of x in the target - share after weighting) * (how far the score differs inside x, after weighting),

where x and the score are taken beyond what the modelled slices already say of them (linearly). The standard error
follows from those of both factors (the delta method), and z is the product over it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, hstack

from mandoline_core.arrays import Floats
from mandoline_core.checks import CellWeights, compare_means, cross_products, regress_on_slices
from mandoline_core.pipeline import Tally

_NOTHING_LEFT = 0.05  # of a slice's variance beyond the modelled slices: then they say it already, and z would be noise


@dataclass(frozen=True, eq=False)
class Relevance:
    """Hold both factors, their product and its significance, for m candidates.

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
    """

    source: Floats
    target: Floats
    gap: Floats
    gap_z: Floats
    difference: Floats
    z: Floats


def relevance(
    weights: CellWeights, cells: tuple[csr_matrix, csr_matrix], scores: Floats, inside: tuple[csr_matrix, csr_matrix]
) -> Relevance | None:
    """Compute the relevance of many candidates at once; None where a sample has no row that counts.

    Rows of one cell have one weight, so that all of it is sums over cells.

    Parameters
    ----------
    cells : pair of csr_matrix, shape (n_cells, n_rows)
        1 at the cell of each row, of the source and of the target; its design weight if it has one.
    scores : array of float, shape (n_source,)
    inside : pair of csr_matrix, shape (n_rows, m)
        How far each row is inside each candidate, from 0 to 1.

    Examples
    --------
    Inside, which is twice as frequent in the target, every second row is right; outside all are.

    >>> cells, none = csr_matrix(np.ones((1, 100))), np.empty((1, 0))
    >>> source, target = (csr_matrix(np.arange(100)[:, None] < n, dtype=float) for n in (20, 40))
    >>> scores, weights = (np.arange(100) >= 10).astype(float), CellWeights(np.array([0.01]), np.ones(1), none, none)
    >>> found = relevance(weights, (cells, cells), scores, (source, target))
    >>> found.gap.round(3).tolist(), found.difference.round(3).tolist()
    ([0.2], [-0.5])
    """
    m, counts = inside[0].shape[1], [side @ np.ones(side.shape[1]) for side in cells]
    sums, squares = [side @ of_side for side, of_side in zip(cells, inside, strict=True)], None
    if any((side.data != 1).any() for side in inside):  # else squares are the values themselves
        powers = [side @ of_side.power(2) for side, of_side in zip(cells, inside, strict=True)]
        sums = [hstack(pair) for pair in zip(sums, powers, strict=True)]
        squares = np.tile(np.arange(m, 2 * m), 2)
    tally = Tally(counts[0], counts[1], csr_matrix(sums[0]), csr_matrix(sums[1]), squares)
    gaps = compare_means(weights, tally)
    if gaps is None:
        return None
    # Score times candidate, and the score's square times candidate, added up over the source rows of each cell.
    products, square_products = (
        csr_matrix(cells[0].multiply(each[None, :]) @ inside[0]) for each in (scores, scores**2)
    )
    score_sums, score_squares = cells[0] @ scores, cells[0] @ scores**2
    rows, gaps = tally.source_rows, gaps.take(slice(m))
    weight, matched, inverse, factor = regress_on_slices(weights, rows)
    factor = factor * weights.source_spread
    line = inverse @ (matched.T @ (weight * score_sums))  # the score by the modelled slices
    crossed = cross_products(matched, weight, tally.source)  # the first row is over all rows, as the first matched is 1
    second = crossed[0, :m] if tally.squares is None else crossed[0, tally.squares[:m]]
    crossed = crossed[:, :m]
    lines = inverse @ crossed  # each candidate by the modelled slices
    variance = second - (lines * crossed).sum(axis=0)
    whole = second - gaps.weighted**2
    own = np.divide(variance, whole, out=np.zeros_like(whole), where=whole > 1e-12)
    usable = own > _NOTHING_LEFT
    covariance = np.asarray(products.T @ weight) - line @ crossed
    difference = np.divide(covariance, variance, out=np.zeros_like(variance), where=usable)
    # Over source rows, (weight * residual of the score * residual of the candidate)**2 is added up; rows that steer
    # the fit themselves have residuals that are too small, so that each is divided by what its leverage leaves of it.
    # A candidate between 0 and 1 counts as its own square, which overstates the error a little where a slice abstains.
    fitted = matched @ line
    residuals = score_squares - 2 * fitted * score_sums + fitted**2 * rows
    mixed = (
        cross_products(matched, factor, square_products)
        - 2 * cross_products(matched, factor * fitted, products)
        + cross_products(matched, factor * fitted**2, tally.source[:, :m])
    )
    gram = (matched.T * (factor * residuals)) @ matched
    squared = mixed[0] - 2 * (lines * mixed).sum(axis=0) + np.einsum("im,ij,jm->m", lines, gram, lines)
    spread = np.sqrt(np.maximum(squared, 0.0))
    error = np.divide(spread, variance, out=np.zeros_like(variance), where=usable)
    gap = gaps.target - gaps.weighted
    tested = np.abs(gaps.z) > 1e-9
    gap_error = np.divide(np.abs(gap), np.abs(gaps.z), out=np.zeros_like(gap), where=tested)
    total = np.sqrt((difference * gap_error) ** 2 + (gap * error) ** 2)
    known = usable & tested & (total > 0)
    z = np.divide(gap * difference, total, out=np.zeros_like(gap), where=known)
    return Relevance(gaps.source, gaps.target, gap, gaps.z, difference, z)
