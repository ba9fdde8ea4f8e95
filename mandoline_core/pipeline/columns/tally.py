"""What rows add up to by cell: any quantities, and one column, in both samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from mandoline_core.arrays import Floats, Index
from mandoline_core.domain_classifier import ColumnKind, EncodedColumn
from mandoline_core.patterns import add_up

SumTable: TypeAlias = Floats | csr_matrix
_SMALL = 1_000_000  # numbers of a table


@dataclass(frozen=True, eq=False)
class Tally:
    """Add up m quantities over the rows of each cell, for both samples.

    Parameters
    ----------
    source_rows, target_rows : array of float, shape (n_cells,) and (n_patterns,)
        Rows that have a value.
    source, target : array or csr_matrix of float, shape (n_cells, m) and (n_patterns, m)
        Sums.
    source_squares, target_squares : array or csr_matrix of float, optional
        Sums of squares of those quantities that are not 0 or 1; left out where all are, as those are their own squares.
    shares : array of bool, shape (m,), optional
        Which quantities are 0 or 1, where some are and others are not.
    """

    source_rows: Floats
    target_rows: Floats
    source: SumTable
    target: SumTable
    source_squares: SumTable | None = None
    target_squares: SumTable | None = None
    shares: NDArray[np.bool_] | None = field(default=None, kw_only=True)

    @property
    def sparse(self) -> bool:
        """Whether its sums are kept as what is not zero."""
        return issparse(self.source) or issparse(self.target)

    def add_squares(self, side: Literal["source", "target"], weights: Floats, sums: Floats) -> Floats:
        """Add the squares up over cells with weights, shape (..., m).

        Parameters
        ----------
        weights : array of float, shape (..., n_cells)
        sums : array of float, shape (..., m)
            The quantities themselves, added up with the same weights.
        """
        squares = self.source_squares if side == "source" else self.target_squares
        if squares is None:
            return sums
        found = np.array(sums)
        found[..., ~self.are_shares()] = (squares.T @ weights.T).T
        return found

    def are_shares(self) -> NDArray[np.bool_]:
        """Tell which quantities are 0 or 1, shape (m,)."""
        return np.full(self.source.shape[1], self.source_squares is None) if self.shares is None else self.shares


def stack(tallies: Sequence[Tally]) -> Tally:
    """Put tallies of the same rows side by side.

    >>> one, two = np.ones(1), np.full((1, 1), 2.0)
    >>> stack([Tally(one, one, two, two), Tally(one, one, two, two, 2 * two, 2 * two)]).are_shares().tolist()
    [True, False]
    """
    if len(tallies) == 1:
        return tallies[0]
    first = tallies[0]
    return Tally(
        first.source_rows,
        first.target_rows,
        np.hstack([tally.source for tally in tallies]),
        np.hstack([tally.target for tally in tallies]),
        _side_by_side([tally.source_squares for tally in tallies]),
        _side_by_side([tally.target_squares for tally in tallies]),
        shares=np.concatenate([tally.are_shares() for tally in tallies]),
    )


def _side_by_side(tables: Sequence[SumTable | None]) -> Floats | None:
    known = [table for table in tables if table is not None]
    return np.hstack(known) if known else None


@dataclass(frozen=True, eq=False)
class ColumnTally:
    """Hold one column, added up by cell.

    Parameters
    ----------
    kind : {"number", "date", "category", "flag", "text"}
    items : tuple of str
        Levels, or words; of numbers none.
    cuts : array of float, shape (n_cuts,)
        Of numbers: values that the shares above are counted at.
    counts : Tally
        Rows with each level, rows with each word, or rows above each cut.
    missing : Tally
        Rows without a value: one quantity.
    values : Tally, optional
        Of numbers: the values themselves, less `centre` and over `unit`.
    tests : int
        How many quantities were looked at to choose these.
    """

    column: str
    kind: ColumnKind
    items: tuple[str, ...]
    cuts: Floats
    counts: Tally
    missing: Tally
    values: Tally | None = None
    centre: float = 0.0
    unit: float = 1.0
    tests: int = 1

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing anywhere."""
        return bool(self.missing.source.sum() + self.missing.target.sum() > 0)


@dataclass(frozen=True, eq=False)
class CellRows:
    """Hold which rows are in which cell, as 0/1 tables.

    Parameters
    ----------
    source, target : csr_matrix, shape (n_cells, n_rows)
    """

    source: csr_matrix
    target: csr_matrix

    @classmethod
    def of(cls, source: Index, target: Index, n_source: int, n_target: int) -> CellRows:
        """Mark the rows of each cell, from the cell of each row."""
        return cls(marks(source, n_source), marks(target, n_target))


def tally_column(column: str, encoded: EncodedColumn, cells: CellRows) -> ColumnTally:
    """Add up one column by cell.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from mandoline_core.domain_classifier import encode_column
    >>> from mandoline_core.data import Sample
    >>> samples = Sample(pa.table({"age": [30, 40, 60]})), Sample(pa.table({"age": [50, None]}))
    >>> encoded = encode_column("age", samples, (np.arange(3), np.arange(2)))
    >>> found = tally_column("age", encoded, CellRows.of(np.array([0, 0, 1]), np.array([0, 1]), 2, 2))
    >>> found.kind, found.counts.source_rows.tolist(), found.missing.target.ravel().tolist()
    ('number', [2.0, 1.0], [0.0, 1.0])
    """
    sides = (cells.source, cells.target)
    rows, everything, counts, sums, squares = [], [], [], [], []
    for number, cell in enumerate(sides):
        rows.append(cell @ encoded.known[number].astype(float))
        everything.append(cell @ np.ones(cell.shape[1]))
        found = csr_matrix(cell @ encoded.indicators[number])
        counts.append(written_out(found) if encoded.values is None else _above(found))
        if encoded.values is not None:
            sums.append((cell @ encoded.values[number])[:, None])
            squares.append((cell @ encoded.values[number] ** 2)[:, None])
    return ColumnTally(
        column=column,
        kind=encoded.kind,
        items=encoded.items,
        cuts=encoded.cuts,
        counts=Tally(*rows, *counts),
        missing=Tally(*everything, *((every - some)[:, None] for every, some in zip(everything, rows, strict=True))),
        values=None if encoded.values is None else Tally(*rows, *sums, *squares),
        centre=encoded.centre,
        unit=encoded.unit,
        tests=encoded.tests,
    )


def written_out(table: csr_matrix) -> SumTable:
    """Write a small table out: every estimate multiplies by it, and a sparse one costs more than its zeros."""
    return table.toarray() if np.prod(table.shape) <= _SMALL else table


def _above(bins: csr_matrix) -> Floats:
    """Count the rows above each cut, from those in each bin."""
    n = bins.shape[1]
    return np.asarray(bins @ np.tri(n, n - 1, -1))


def count_by(cells: np.ndarray, items: np.ndarray, n_cells: int, n_items: int) -> csr_matrix:
    """Count rows by cell and item; items below 0 are not counted.

    >>> count_by(np.array([0, 0, 1]), np.array([1, 1, -1]), 2, 2).toarray().tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    known = items >= 0
    if n_cells * n_items <= len(items):  # a place for each pair takes less room than each row's own
        counts = np.bincount(cells[known] * n_items + items[known], minlength=n_cells * n_items)
        return csr_matrix(counts.reshape(n_cells, n_items).astype(float))
    found = (np.ones(int(known.sum())), (cells[known], items[known]))
    return csr_matrix(found, shape=(n_cells, n_items))


def marks(cells: np.ndarray, n_cells: int) -> csr_matrix:
    """Mark the rows of each cell: multiplying by it adds rows up.

    >>> (marks(np.array([0, 0, 1]), 2) @ np.array([1.0, 2.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    n = len(cells)
    return csr_matrix((np.ones(n), cells, np.arange(n + 1)), shape=(n, n_cells)).T.tocsr()


def rows_by(cells: np.ndarray, known: np.ndarray, n_cells: int) -> Floats:
    """Count the rows of each cell that have a value.

    >>> rows_by(np.array([0, 0, 1]), np.array([True, False, True]), 2).tolist()
    [1.0, 1.0]
    """
    return add_up(cells, known.astype(float), n_cells)
