"""Cells for numbers: rows of a pattern whose statistics are all different, as a few that add up to the same."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats, Index


def matching_cells(rows: Floats, sums: Floats, products: Floats) -> tuple[Index, Floats, Floats]:
    """Make cells with the same rows, sums and products as many rows have.

    An estimate of means and its interval depend on nothing else, so they are what the rows themselves would give.
    Around the mean of each group stand two cells for each direction in which its statistics vary, as far apart as
    these vary.

    Parameters
    ----------
    rows : array of float, shape (n_groups,)
    sums : array of float, shape (n_groups, n_statistics)
    products : array of float, shape (n_groups, n_statistics, n_statistics)
        Sums of the statistics' outer products.

    Returns
    -------
    group : array of int, shape (n_cells,)
        The group that each cell is of.
    statistics : array of float, shape (n_cells, n_statistics)
    counts : array of float, shape (n_cells,)
        Rows of each cell; not always whole.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 6.0])
    >>> _, cells, counts = matching_cells(
    ...     np.array([3.0]), np.array([[values.sum()]]), np.array([[[values @ values]]])
    ... )
    >>> len(cells), float(counts @ cells[:, 0]), round(float(counts @ cells[:, 0] ** 2), 9)
    (2, 9.0, 41.0)
    """
    n_groups, n_statistics = sums.shape
    means = sums / rows[:, None]
    spread = products / rows[:, None, None] - means[:, :, None] * means[:, None, :]
    values, vectors = np.linalg.eigh(spread)
    reach = vectors * np.sqrt(n_statistics * np.maximum(values, 0.0))[:, None, :]
    sides = np.concatenate([reach, -reach], axis=2).transpose(0, 2, 1)  # (n_groups, 2 * n_statistics, n_statistics)
    statistics = (means[:, None, :] + sides).reshape(-1, n_statistics)
    n_cells = 2 * n_statistics
    return np.repeat(np.arange(n_groups), n_cells), statistics, np.repeat(rows / n_cells, n_cells)
