"""Ground: what comparing any quantities of the same rows has in common, worked out once for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import issparse

from mandoline_core.arrays import Floats, Index
from mandoline_core.pipeline import SumTable, Tally

LEAST_LEFT = 0.1  # of a row, after its own pull on the fit


@dataclass(frozen=True, eq=False)
class Weighing:
    """Hold how much one row counts, in every cell of source rows and in every pattern of target rows.

    A cell is a pattern within a group of source rows: rows of one cell have one weight.

    Parameters
    ----------
    source : array of float, shape (n_cells,)
        The weight of one row.
    target : array of float, shape (n_patterns,)
        Of patterns that the estimate speaks of 1, of those it speaks of in part their share, else 0.
    source_matched, target_matched : array of float, shape (n_cells, d) and (n_patterns, d)
        The slices and edges that the weights match; d may be 0.
    """

    source: Floats
    target: Floats
    source_matched: Floats
    target_matched: Floats

    def take(self, source: Index, target: Index) -> Weighing:
        """Keep some cells and some patterns."""
        return Weighing(
            self.source[source], self.target[target], self.source_matched[source], self.target_matched[target]
        )


@dataclass(frozen=True, eq=False)
class Gaps:
    """Hold m means in the source, the reweighted source and the target, with how far they are apart.

    Parameters
    ----------
    source, weighted, target : array of float, shape (m,)
    deviations : array of float, shape (3, m)
        Standard deviations in the three.
    before, after : array of float, shape (m,)
        Target minus source, and minus reweighted source, over the pooled standard deviation of source and target.
    z : array of float, shape (m,)
        What remains over its standard error.
    """

    source: Floats
    weighted: Floats
    target: Floats
    deviations: Floats
    before: Floats
    after: Floats
    z: Floats

    def take(self, some: slice) -> Gaps:
        """Keep some of the means."""
        kept = (self.source, self.weighted, self.target, self.deviations, self.before, self.after, self.z)
        return Gaps(*(values[..., some] for values in kept))


@dataclass(frozen=True, eq=False)
class Ground:
    """Hold what comparing any quantities of the same rows has in common: weights, and the slices taken out of them.

    Parameters
    ----------
    source_rows : array of float, shape (n_cells,)
        Rows with a value.
    weight : array of float, shape (n_cells,)
        Of one row; they sum to 1 over rows.
    n_target : float
    shares : array of float, shape (n_patterns,)
        Of one target row.
    here, there : array of float, shape (n_cells, 1 + d) and (n_patterns, 1 + d)
        A one, and the matched slices.
    inverse : array of float, shape (1 + d, 1 + d)
        Pseudo-inverse of their weighted second moments.
    factor : array of float, shape (n_cells,)
        How much the square of what is left of a row counts.
    """

    source_rows: Floats
    target_rows: Floats
    weight: Floats
    n_target: float
    shares: Floats
    here: Floats
    there: Floats
    inverse: Floats
    factor: Floats

    def compare(self, tally: Tally) -> Gaps:
        """Compare the means of any quantities of these rows."""
        plain = np.full(len(self.weight), 1 / self.source_rows.sum())
        weighted, there = _cross(self.here, self.weight, tally.source), _cross(self.there, self.shares, tally.target)
        means = np.vstack([_times(plain, tally.source), weighted[0], there[0]])  # the first of the matched is 1
        squares = np.vstack(
            [
                tally.add_squares("source", np.stack([plain, self.weight]), means[:2]),
                tally.add_squares("target", self.shares, means[2]),
            ]
        )
        # The squares of a constant cancel up to the last digits only.
        variances = np.where(squares - means**2 > 1e-12 * np.abs(squares), squares - means**2, 0.0)
        pooled = np.sqrt((variances[0] + variances[2]) / 2)
        scale = np.where(pooled > 1e-9 * np.abs(means).max(axis=0), pooled, np.inf)
        remaining, error = self._remaining(tally, weighted, there, squares[2])
        floor = 1 / min(1 / float(self.source_rows @ self.weight**2), self.n_target)
        # Where every row agrees the rows show no luck at all: then one row of the smaller sample is taken for it.
        units = np.where(tally.are_shares(), 1.0, np.where(pooled > 0, pooled, 0.0))
        error = np.maximum(error, floor * units)
        z = np.divide(remaining, error, out=np.zeros_like(remaining), where=error > 0)
        return Gaps(
            source=means[0],
            weighted=means[1],
            target=means[2],
            deviations=np.sqrt(variances),
            before=(means[2] - means[0]) / scale,
            after=(means[2] - means[1]) / scale,
            z=z,
        )

    def _remaining(self, tally: Tally, weighted: Floats, there: Floats, squares: Floats) -> tuple[Floats, Floats]:
        """Return what remains of each gap beyond the matched slices, and its standard error.

        Parameters
        ----------
        weighted, there : array of float, shape (1 + d, m)
            The quantities times the matched slices, averaged over the reweighted source and over the target.
        squares : array of float, shape (m,)
            Averaged over the target.
        """
        beta = self.inverse @ weighted
        here_gram, there_gram = self._grams
        remaining = there[0] - there_gram[0] @ beta
        left = _cross(self.here, self.factor, tally.source)
        at_source = _residual_squares(tally.add_squares("source", self.factor, left[0]), left, here_gram, beta)
        at_target = np.maximum(_residual_squares(squares, there, there_gram, beta) - remaining**2, 0.0)
        # A few heavy rows may agree by luck; without a shift they would vary as the target's rows do.
        at_source = np.maximum(at_source, at_target * float(self.source_rows @ self.weight**2))
        return remaining, np.sqrt(at_source + at_target / self.n_target)

    @cached_property
    def _grams(self) -> tuple[Floats, Floats]:
        """Second moments of the matched slices, with the factors of the source rows and the shares of the target's."""
        here = (self.here.T * (self.factor * self.source_rows)) @ self.here
        return here, (self.there.T * (self.shares * self.target_rows)) @ self.there


def _residual_squares(squares: Floats, cross: Floats, gram: Floats, beta: Floats) -> Floats:
    """Add up factor * (x - matched . beta)**2 over rows, from x**2, x * matched and matched**2 added up likewise."""
    return np.asarray(squares - 2 * (beta * cross).sum(axis=0) + (beta * (gram @ beta)).sum(axis=0))


def lay_ground(weighing: Weighing, source_rows: Floats, target_rows: Floats, *, project: bool) -> Ground | None:
    """Prepare to compare quantities of some rows, as `compare` does; None where a sample has none that count."""
    total, n_target = float(source_rows @ weighing.source), float(target_rows @ weighing.target)
    if total <= 0 or n_target <= 0:
        return None
    weight = weighing.source / total
    d = weighing.source_matched.shape[1] if project else 0
    here = np.column_stack([np.ones(len(source_rows)), weighing.source_matched[:, :d]])
    there = here  # of one group of source rows, the cells are the patterns
    if weighing.source_matched is not weighing.target_matched:
        there = np.column_stack([np.ones(len(target_rows)), weighing.target_matched[:, :d]])
    second = (here.T * (source_rows * weight)) @ here
    inverse = np.asarray(np.linalg.pinv(second, rcond=1e-10, hermitian=True), dtype=float)
    # A row that counts for much pulls the fit to itself and so hides how far off it is; its leverage says how much.
    leverage = weight * ((here @ inverse) * here).sum(axis=1)
    factor = (weight / np.maximum(1 - leverage, LEAST_LEFT)) ** 2
    shares = weighing.target / n_target
    return Ground(source_rows, target_rows, weight, n_target, shares, here, there, inverse, factor)


def _cross(matched: Floats, factor: Floats, sums: SumTable) -> Floats:
    """Multiply matched slices by sums, each cell times a factor, which goes to the narrower of the two."""
    if issparse(sums) or sums.shape[1] >= matched.shape[1]:
        return _times(matched.T * factor, sums)
    return np.asarray(matched.T @ (factor[:, None] * sums))


def _times(left: Floats, right: SumTable) -> Floats:
    """Multiply an array by a table, sparse or not."""
    return np.asarray((right.T @ left.T).T)
