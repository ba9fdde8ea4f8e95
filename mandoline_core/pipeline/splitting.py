"""Splitting the source at random into two halves, row by row or within cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.patterns import Count

_MOST_DRAWN = 10**9 - 1  # rows that NumPy's hypergeometric draw can choose among


def split_cells(count: Count, statistics: Floats, rng: np.random.Generator) -> tuple[Count, Floats, NDArray[np.int8]]:
    """Put half of the source rows into a group of their own; the rows of a cell may be divided among both.

    Returns
    -------
    count : Count
        Where cells have several rows, each is there twice: with its rows in the first group, and in the second.
    statistics : array of float, shape (n_cells, n_statistics)
    halves : array of int8, shape (n_cells,)

    Examples
    --------
    >>> from mandoline_core.patterns import count_patterns
    >>> codes, scores = np.array([[1], [-1]], dtype=np.int8), np.array([[1.0], [0.0]])
    >>> count = count_patterns(codes, codes, scores, source_rows=np.array([6.0, 4.0]))
    >>> split, _, halves = split_cells(count, scores, np.random.default_rng(0))
    >>> [float(split.source_rows[halves == half].sum()) for half in (0, 1)]
    [5.0, 5.0]
    """
    rows = count.source_rows
    n = len(rows)
    if (rows == 1).all():
        halves = np.zeros(n, dtype=np.int8)
        halves[rng.permutation(n)[n // 2 :]] = 1
        return count, statistics, halves
    first = _draw_half(rows, rng)
    twice = count._replace(
        source_index=np.tile(count.source_index, 2), source_rows=np.concatenate([first, rows - first])
    )
    return twice, np.tile(statistics, (2, 1)), np.repeat(np.array([0, 1], dtype=np.int8), n)


def _draw_half(rows: Floats, rng: np.random.Generator) -> Floats:
    """Draw half of all rows without replacement, and count them by cell."""
    whole = np.floor(rows).astype(np.int64)
    if whole.sum() > _MOST_DRAWN or (whole != rows).any():
        # Cells that only match the moments of rows have no whole rows to draw; of very many, halves are as good.
        return rows / 2
    return rng.multivariate_hypergeometric(whole, int(whole.sum()) // 2, method="marginals").astype(float)
