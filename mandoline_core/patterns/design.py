"""The sampling design of a sample: which rows were drawn together, and how much each counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Bools, Floats, Index


class SampleDesign(NamedTuple):
    """Say how the rows behind the cells of one sample were drawn; simple random sampling when nothing is said.

    Parameters
    ----------
    clusters : array of int, shape (n_cells,), optional
        The cluster of each cell: its rows were drawn together and may be alike. Numbers are those of the whole sample.
    squares : array of float, shape (n_cells,), optional
        The sum of squared design weights of each cell's rows, whose sum is the cell's rows. Design weights average 1
        over the rows that count: those with a score and a weight above 0.
    counts : array of float, shape (n_cells,), optional
        How many rows each cell has, where these have design weights; when left out, each cell is one row.

    Examples
    --------
    >>> SampleDesign().is_simple, SampleDesign(np.array([0, 0, 1])).is_simple
    (True, False)
    """

    clusters: Index | None = None
    squares: Floats | None = None
    counts: Floats | None = None

    @property
    def is_simple(self) -> bool:
        """Whether every row was drawn on its own, and counts once."""
        return self.clusters is None and self.squares is None

    def squares_of(self, rows: Floats) -> Floats:
        """Return the sum of the rows' squared weights in each cell."""
        return rows if self.squares is None else self.squares

    def count_rows(self, rows: Floats) -> Floats:
        """Return how many rows each cell has, whatever they weigh.

        >>> SampleDesign(squares=np.array([0.25, 2.25, 0.0])).count_rows(np.array([0.5, 1.5, 0.0])).tolist()
        [1.0, 1.0, 0.0]
        """
        if self.squares is None:
            return rows
        return (rows > 0).astype(float) if self.counts is None else self.counts

    def alike(self, rows: Floats) -> Floats:
        """Return how many rows of equal weight have each cell's sum of weights and sum of squares."""
        if self.squares is None:
            return rows
        return np.divide(rows**2, self.squares, out=np.zeros(len(rows)), where=self.squares > 0)

    def take(self, cells: Index | Bools) -> SampleDesign:
        """Keep some cells, by place or by mark."""
        clusters, *weights = self
        squares, counts = (None if values is None else values[cells] for values in weights)
        return SampleDesign(None if clusters is None else clusters[cells], squares, counts)

    def add_up(self, pieces: Floats, rows: Floats) -> Floats:
        """Add pieces of sampling error up by cluster: the rows of one move together.

        Squared, they add up to the cluster-robust variance, with G / (G - 1) for G clusters.

        Examples
        --------
        >>> SampleDesign(np.array([0, 0, 1])).add_up(np.array([1.0, 2.0, -3.0]), np.ones(3)).round(3).tolist()
        [4.243, -4.243]
        """
        if self.clusters is None:
            return pieces
        # A piece holds the root of the sum of squares of its rows; together, they move by their sum.
        root = np.sqrt(self.squares_of(rows))
        whole = np.divide(pieces * rows, root, out=np.zeros(len(pieces)), where=root > 0)
        n = int(np.count_nonzero(np.bincount(self.clusters, rows)))
        return add_up(self.clusters, whole, int(self.clusters.max()) + 1) * np.sqrt(n / max(n - 1, 1))

    def redraw(self, rows: Floats, n: int, rng: np.random.Generator) -> Floats:
        """Draw with replacement as many clusters as there are, or rows where these are on their own, n times.

        Returns
        -------
        array of float, shape (n, n_cells)
            The rows of each cell.

        Examples
        --------
        >>> design, rng = SampleDesign(np.array([0, 0, 1])), np.random.default_rng(0)
        >>> design.redraw(np.array([1.0, 2.0, 3.0]), 2, rng).tolist()
        [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
        """
        if self.clusters is None:
            # A cell holds as many rows of equal weight as have its sum and its sum of squares.
            alike = self.alike(rows)
            weight = np.divide(self.squares_of(rows), rows, out=np.zeros(len(rows)), where=rows > 0)
            return np.asarray(rng.multinomial(round(alike.sum()), alike / alike.sum(), size=n) * weight)
        present, place = np.unique(self.clusters, return_inverse=True)
        times = rng.multinomial(len(present), np.full(len(present), 1 / len(present)), size=n)
        return np.asarray(times[:, place] * rows)

    def effective(self, weights: Floats, rows: Floats) -> float:
        """Count the clusters, or rows on their own, that would be as informative if all weighed the same.

        Parameters
        ----------
        weights : array of float, shape (n_cells,)
            Of each cell with all its rows.
        rows : array of float, shape (n_cells,)
            Of each cell.

        Examples
        --------
        >>> round(SampleDesign().effective(np.array([0.5, 0.5]), np.array([2.0, 4.0])), 3)
        5.333
        """
        if self.clusters is None:
            alike = self.alike(rows)
            each = np.divide(weights**2, alike, out=np.zeros(len(rows)), where=alike > 0)
            return float(weights.sum() ** 2 / each.sum())
        by_cluster = np.bincount(self.clusters, weights)
        return float(by_cluster.sum() ** 2 / (by_cluster @ by_cluster))


def average_one(weights: Floats, counts: Floats | None = None, squares: Floats | None = None) -> tuple[Floats, Floats]:
    """Scale design weights so that they average 1 over the rows that count, those with a weight above 0.

    Parameters
    ----------
    weights : array of float, shape (n_cells,)
        The sum of each cell's weights.
    counts, squares : array of float, shape (n_cells,), optional
        Rows of each cell, and the sum of their squared weights; when left out, each cell is one row.

    Returns
    -------
    rows, squares : array of float, shape (n_cells,)

    Examples
    --------
    >>> average_one(np.array([2.0, 6.0, 0.0]))[0].tolist()
    [0.5, 1.5, 0.0]
    """
    n = float(np.count_nonzero(weights) if counts is None else counts.sum())
    scale = n / float(weights.sum())
    rows = weights * scale
    return rows, rows**2 if squares is None else squares * scale**2


def add_up(index: Index, values: Floats, n: int) -> Floats:
    """Add values up by index, into n sums."""
    return np.asarray(np.bincount(index, values, n), dtype=float)


def one_each(n: int) -> Floats:
    """Give each of n cells one row, at no cost in memory.

    >>> one_each(3).tolist()
    [1.0, 1.0, 1.0]
    """
    return np.broadcast_to(np.ones(1), n)
