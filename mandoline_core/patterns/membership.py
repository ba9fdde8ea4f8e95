"""Membership: the cells behind a pattern table, the rows of each, and how these were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats, Index
from mandoline_core.patterns.design import SampleDesign, add_up


def _ratio(squares: Floats, rows: Floats) -> Floats:
    return np.divide(squares, rows, out=np.ones(len(rows)), where=rows > 0)


class Membership(NamedTuple):
    """Hold the cells behind a pattern table: rows alike in pattern, group and statistics, with how many they are.

    A row of a frame in memory is a cell of one row, so that whatever works on cells works on rows.

    Parameters
    ----------
    source, target : array of int, shape (n_scored,) and (n_target,)
        The pattern of each cell.
    groups : array of int8, shape (n_scored,)
        The group of source rows each belongs to, when the source is split.
    statistics : array of float, shape (n_scored, n_statistics)
        What the metric is made of.
    source_rows, target_rows : array of float, shape (n_scored,) and (n_target,)
        Rows of each cell.
    design : pair of SampleDesign
        How the rows of each sample were sampled.
    """

    source: Index
    target: Index
    groups: NDArray[np.int8]
    statistics: Floats
    source_rows: Floats
    target_rows: Floats
    design: tuple[SampleDesign, SampleDesign] = (SampleDesign(), SampleDesign())

    @property
    def is_simple(self) -> bool:
        """Whether every row was drawn on its own, and counts once."""
        return all(side.is_simple for side in self.design)

    @property
    def has_weights(self) -> bool:
        """Whether rows of a sample count differently, by design weights."""
        return any(side.squares is not None for side in self.design)

    def counts(self) -> tuple[Floats, Floats]:
        """Return how many rows the cells of each sample have, whatever they weigh."""
        source, target = self.design
        return source.count_rows(self.source_rows), target.count_rows(self.target_rows)

    def spreads(self, n_patterns: int) -> tuple[Floats, Floats]:
        """Return how many times as large design weights make the variance of each pattern's rows: 1 where alike.

        Returns
        -------
        source, target : array of float, shape (n_patterns,)
        """
        sides = zip(self.design, (self.source, self.target), (self.source_rows, self.target_rows), strict=True)
        source, target = (
            np.ones(n_patterns)
            if side.squares is None
            else _ratio(add_up(index, side.squares, n_patterns), add_up(index, rows, n_patterns))
            for side, index, rows in sides
        )
        return source, target

    def scales(self) -> tuple[Floats, Floats]:
        """Return what one row's influence is multiplied by, for the squares of cells to add up to the variance."""
        rows = self.source_rows, self.target_rows
        source, target = (np.sqrt(side.squares_of(n)) for side, n in zip(self.design, rows, strict=True))
        return source, target

    def together(self, pieces: Sequence[Floats]) -> tuple[Floats, ...]:
        """Add pieces of sampling error of cells up by cluster; others stay as they are.

        Pieces that do not go by row, as of redraws, are returned unchanged.
        """
        if self.is_simple or len(pieces) < 2:
            return tuple(pieces)
        sides = zip(self.design, pieces[:2], (self.source_rows, self.target_rows), strict=True)
        return *(side.add_up(piece, rows) for side, piece, rows in sides), *pieces[2:]
