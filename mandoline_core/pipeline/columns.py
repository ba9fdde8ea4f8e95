"""Columns: a draw of the rows of both samples goes in; what each column adds up to, by cells of rows, comes out.

Rows of one cell have one weight. So once columns are added up by cell, whatever the weights become, every mean is a
product of two small tables: comparing all columns takes a millisecond or two, and four to eight times that by row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import block_diag, csr_matrix, hstack, issparse

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import SAMPLE_CACHE
from mandoline_core.domain_classifier import (
    A_DATE,
    BEYOND,
    EncodedColumn,
    NamingColumn,
    default_columns,
    encode_column,
    find_naming,
    find_naming_date,
)
from mandoline_core.errors import MandolineError
from mandoline_core.patterns import Membership, add_up
from mandoline_core.weighting import Rows

MOST_ROWS = 20_000  # a sample: a shift of a thirtieth of a standard deviation shows
GOLD, MEASURED, HARMLESS = "gold labels of a slice", "measured by the metric", "marked as irrelevant"
NAMES_SAMPLE = "names the sample: labelled and new data have hardly a value in common"
SumTable: TypeAlias = Floats | csr_matrix
SumTables = tuple[SumTable, SumTable]  # of both samples
Quantity = Literal["values", "counts", "missing"]
# Numbers of a table that are written out, zeros and all: every estimate multiplies by it, and below this size a sparse
# product costs more than its zeros.
_SMALL = 1_000_000
_BINS = "\0bins"  # no column is called so


@dataclass(frozen=True, eq=False)
class DrawnColumns:
    """Hold every column of some rows, drawn at random from both samples; nothing in it depends on slices.

    Parameters
    ----------
    encoded : mapping of str to EncodedColumn
    source_rows, target_rows : array of int
        The scored source rows and the target rows that were read.
    n_source, n_target : int
        How many there are in memory.
    left_out : mapping of str to str
        Columns that are not compared, and why.
    all_source, all_target : int, optional
        How many there are, where some stay in a table.
    naming : tuple of NamingColumn
        The columns, dates too, that name the sample.
    """

    encoded: Mapping[str, EncodedColumn]
    source_rows: Index
    target_rows: Index
    n_source: int
    n_target: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    all_source: int | None = None
    all_target: int | None = None
    naming: tuple[NamingColumn, ...] = ()

    @property
    def note(self) -> str:
        """The rows that were compared, if not all; else empty."""
        n_source, n_target = self.all_source or self.n_source, self.all_target or self.n_target
        sides = (
            (len(self.source_rows), n_source, "labelled rows"),
            (len(self.target_rows), n_target, "new rows"),
        )
        parts = " and ".join(f"{read:,} of {n:,} {rows}" for read, n, rows in sides if read < n)
        return parts and f"Columns are compared on a random sample of {parts}."

    @property
    def n_beyond(self) -> int:
        """The number of columns beyond the limit, which were not read."""
        return sum(why == BEYOND for why in self.left_out.values())

    def without(self, columns: Collection[str], why: str) -> DrawnColumns:
        """Leave out more columns."""
        gone = {column: why for column in columns if column in self.encoded}
        if not gone:
            return self
        kept = {name: column for name, column in self.encoded.items() if name not in gone}
        naming = tuple(one for one in self.naming if one.column not in gone)
        return replace(self, encoded=kept, left_out={**self.left_out, **gone}, naming=naming)

    def compared(self, harmless: Collection[str]) -> DrawnColumns:
        """Leave out what checks do not compare: columns marked as irrelevant, and those that name the sample."""
        return self.without(harmless, HARMLESS).without([one.column for one in self.naming], NAMES_SAMPLE)


@dataclass(frozen=True, eq=False)
class Tally:
    """Add up m quantities over the rows of each cell, for both samples.

    Parameters
    ----------
    source_rows, target_rows : array of float, shape (n_source_cells,) and (n_target_cells,)
        Rows that have a value.
    source, target : array or csr_matrix of float, shape (n_source_cells, m) and (n_target_cells, m)
        Sums.
    squares : array of int, shape (m,), optional
        Which of the quantities is the square of each. What is 0 or 1 is its own square, and so are all when left out.
    complete : bool
        Whether every row has a value.
    above : csr_matrix, optional
        The quantities are the sums times this: rows above each cut, from the rows in each bin. Bins have few rows of a
        cell, cuts many; where cells are many, writing these out takes longer than all the comparing.
    """

    source_rows: Floats
    target_rows: Floats
    source: SumTable
    target: SumTable
    squares: Index | None = None
    complete: bool = True
    above: csr_matrix | None = None


class RowCells(NamedTuple):
    """Hold which rows are in which cell: rows of one cell have one weight.

    Parameters
    ----------
    source, target : array of int, shape (n_rows,)
        The cell of each row.
    first_source, first_target : array of int, shape (n_cells,)
        One row of each cell; what is known of it is known of them all.
    """

    source: Index
    target: Index
    first_source: Index
    first_target: Index


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Hold all columns by cell; nothing in it depends on weights.

    Parameters
    ----------
    drawn : DrawnColumns
        The columns that are compared.
    tallies : tuple of Tally
        One of all that every row has; a column with missing values has one of its own, and so has one of many words.
    parts : mapping of str to mapping of {"values", "counts", "missing"} to pair of int and slice
        Of each column: its values, less the centre and over the unit; its rows above each cut, with each level or each
        word; and its rows without a value. The tally, and the quantities there.
    n_patterns : int
        How many patterns the slices make.
    """

    drawn: DrawnColumns
    tallies: tuple[Tally, ...]
    parts: Mapping[str, Mapping[Quantity, tuple[int, slice]]]
    cells: RowCells
    n_patterns: int

    @property
    def n_tests(self) -> int:
        """Count the comparisons among which one may be significant by sampling error alone."""
        return sum(column.tests for column in self.drawn.encoded.values())

    def compared(self, harmless: Collection[str]) -> ColumnTable:
        """Leave out what checks do not compare."""
        return replace(self, drawn=self.drawn.compared(harmless))


class ScoredColumns(NamedTuple):
    """Hold the products of all columns with the score, by cell of source rows.

    Parameters
    ----------
    table : ColumnTable
        As of the columns alone, with every source row times its score, less the mean score of all.
    totals, squares : arrays of float, shape (n_source_cells,)
        Sums of these scores, and of their squares.
    """

    table: ColumnTable
    totals: Floats
    squares: Floats


def draw_columns(rows: Rows, most_rows: int = MOST_ROWS, seed: int = 0) -> DrawnColumns:
    """Read every column of a random sample of rows; once for all models and slices.

    Labels, predictions, the metric's own column, identifiers, dates and constants are left out. A column that a
    slice reads is not: what its slice leaves of it is worth knowing.

    Parameters
    ----------
    seed : int
        Of the draw.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.project import MetricSettings
    >>> source = Sample(pd.DataFrame({"place": list("aab"), "age": [30, 40, 60], "y": 1}), label="y")
    >>> target = Sample(pd.DataFrame({"place": list("ab"), "age": [50, 60]}))
    >>> drawn = draw_columns(Rows(source, target, None, MetricSettings(), np.ones(3, dtype=bool)))
    >>> [(name, column.kind) for name, column in drawn.encoded.items()], drawn.left_out
    ([('place', 'category'), ('age', 'number')], {'y': 'the label'})
    """
    samples, scored = (rows.source, rows.target), np.flatnonzero(rows.scored)

    def read() -> DrawnColumns:
        rng = np.random.default_rng(seed)
        source, target = (draw_rows(n, most_rows, rng) for n in (len(scored), rows.target.n_rows))
        columns, left_out = default_columns(*samples)
        made = {column: encode_column(column, samples, (scored[source], target)) for column in columns}
        encoded = {name: column for name, column in made.items() if isinstance(column, EncodedColumn)}
        left_out |= {column: why for column, why in made.items() if isinstance(why, str)}
        all_source, all_target = (None if one.n_all == one.n_rows else one.n_all for one in samples)
        dates = [column for column, why in left_out.items() if why == A_DATE]
        found = [
            *(find_naming(name, column) for name, column in encoded.items()),
            *(find_naming_date(column, samples, (scored[source], target)) for column in dates),
        ]
        n_source, n_target, naming = len(scored), rows.target.n_rows, tuple(one for one in found if one is not None)
        return DrawnColumns(encoded, source, target, n_source, n_target, left_out, all_source, all_target, naming)

    key = ("drawn columns", most_rows, seed, np.packbits(rows.scored).tobytes())
    drawn: DrawnColumns = SAMPLE_CACHE.of(samples, key, read)
    return drawn if rows.metric.column is None else drawn.without([rows.metric.column], MEASURED)


def draw_rows(n: int, most: int, rng: np.random.Generator) -> Index:
    """Draw rows without replacement, in order; all of them where there are no more than asked for.

    >>> draw_rows(3, 5, np.random.default_rng(0)).tolist(), len(draw_rows(9, 5, np.random.default_rng(0)))
    ([0, 1, 2], 5)
    """
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def row_cells(members: Membership, source_rows: Index, target_rows: Index, *, by_row: bool = False) -> RowCells:
    """Put rows into cells: those of one pattern, in each group of source rows.

    Parameters
    ----------
    source_rows, target_rows : array of int
        Some of the scored source rows and of the target rows.
    by_row : bool
        Give every source row a cell of its own, for methods that weight rows of one pattern differently.
    """
    target, of_target = np.unique(members.target[target_rows], return_index=True, return_inverse=True)[1:]
    if by_row:
        return RowCells(np.arange(len(source_rows)), of_target, source_rows, target_rows[target])
    n_groups = int(members.groups.max(initial=0)) + 1
    cells = members.source[source_rows].astype(np.intp) * n_groups + members.groups[source_rows]
    source, of_source = np.unique(cells, return_index=True, return_inverse=True)[1:]
    return RowCells(of_source, of_target, source_rows[source], target_rows[target])


def column_table(
    drawn: DrawnColumns, members: Membership, n_patterns: int, *, by_row: bool = False, times: Floats | None = None
) -> ColumnTable:
    """Add every column up by cell.

    Parameters
    ----------
    members : Membership
        The pattern of every scored source row and of every target row.
    by_row : bool
        As in `row_cells`.
    times : array of float, shape (n_scored,), optional
        What to multiply each source row by, such as its score; its sums are then of products.
    """
    if (drawn.n_source, drawn.n_target) != (len(members.source), len(members.target)):
        raise MandolineError("The columns belong to other rows. Read them again.")
    cells = row_cells(members, drawn.source_rows, drawn.target_rows, by_row=by_row)
    own = members.source_rows[drawn.source_rows]
    marks = (
        cell_marks(cells.source, len(cells.first_source), own if times is None else own * times[drawn.source_rows]),
        cell_marks(cells.target, len(cells.first_target), members.target_rows[drawn.target_rows]),
    )
    every = marks[0] @ np.ones(marks[0].shape[1]), marks[1] @ np.ones(marks[1].shape[1])
    rows, stacks = {"": every, _BINS: every}, {"": list[tuple[str, Quantity, SumTables]]()}
    n_bins = sum(len(column.cuts) + 1 for column in drawn.encoded.values() if column.values is not None)
    large = max(mark.shape[0] for mark in marks) * n_bins > _SMALL
    for name, column in drawn.encoded.items():
        complete = bool(column.known[0].all() and column.known[1].all())
        known = every
        if not complete:
            known = marks[0] @ column.known[0].astype(float), marks[1] @ column.known[1].astype(float)
        rows[name] = known
        in_bins = large and complete and column.values is not None
        for quantity, sums in _sums(column, marks, in_bins=in_bins):
            stack = name if not complete or issparse(sums[0]) or issparse(sums[1]) else ""
            stack = _BINS if in_bins and quantity == "counts" else stack
            stacks.setdefault(stack, []).append((name, quantity, sums))
        if not complete:
            missing = (every[0] - known[0])[:, None], (every[1] - known[1])[:, None]
            stacks[""].append((name, "missing", missing))
    tallies: list[Tally] = []
    parts: dict[str, dict[Quantity, tuple[int, slice]]] = {name: {} for name in drawn.encoded}
    for stack, pieces in stacks.items():
        widths = [sums[0].shape[1] - (stack == _BINS) for *_, sums in pieces]  # a cut fewer than bins
        starts = np.cumsum([0, *widths]).tolist()
        squares = np.arange(starts[-1])
        for (name, quantity, _), start, end in zip(pieces, starts, starts[1:], strict=False):
            parts[name][quantity] = len(tallies), slice(start, end)
            if quantity == "values":  # each with its square behind it
                squares[start], parts[name][quantity] = start + 1, (len(tallies), slice(start, start + 1))
        sides = [[sums[number] for *_, sums in pieces] for number in (0, 1)]
        if stack == _BINS:
            above = csr_matrix(block_diag([np.tri(width + 1, width, -1) for width in widths]))
            source, target = (csr_matrix(hstack(side)) for side in sides)
            tallies.append(Tally(*every, source, target, squares, above=above))
        elif pieces:
            source, target = (side[0] if len(side) == 1 else np.hstack(side) for side in sides)
            tallies.append(Tally(*rows[stack], source, target, squares, complete=rows[stack] is every))
    return ColumnTable(drawn, tuple(tallies), parts, cells, n_patterns)


def score_columns(
    drawn: DrawnColumns, members: Membership, n_patterns: int, scores: Floats, *, by_row: bool = False
) -> ScoredColumns:
    """Add the products of every column with the score up by cell: slopes of the score follow, whatever the weights.

    Parameters
    ----------
    scores : array of float, shape (n_scored,)
    """
    rows = members.source_rows
    scores = scores - rows @ scores / rows.sum()
    table = column_table(drawn, members, n_patterns, by_row=by_row, times=scores)
    cells, own, counts = table.cells, scores[drawn.source_rows], rows[drawn.source_rows]
    totals, squares = (add_up(cells.source, counts * own**power, len(cells.first_source)) for power in (1, 2))
    return ScoredColumns(table, totals, squares)


def _sums(
    column: EncodedColumn, marks: tuple[csr_matrix, csr_matrix], *, in_bins: bool
) -> Iterator[tuple[Quantity, SumTables]]:
    """Add a column up by cell: values with their squares; and how many rows are above each cut, or have each item.

    Parameters
    ----------
    in_bins : bool
        Count numbers by bin, and not above each cut.
    """
    counts = tuple(csr_matrix(mark @ side) for mark, side in zip(marks, column.indicators, strict=True))
    if column.values is not None:
        source, target = (
            np.column_stack([mark @ side, mark @ side**2]) for mark, side in zip(marks, column.values, strict=True)
        )
        yield "values", (source, target)
        if in_bins:
            yield "counts", counts
            return
        above = np.tri(len(column.cuts) + 1, len(column.cuts), -1)  # rows in all bins beyond a cut
        counts = tuple(np.asarray(side @ above) for side in counts)
    if counts[0].shape[1]:
        yield "counts", (written_out(counts[0]), written_out(counts[1]))


def cell_marks(cells: Index, n_cells: int, times: Floats | None = None) -> csr_matrix:
    """Mark the rows of each cell, by 1, their design weights or other numbers: multiplying by it adds rows up.

    >>> (cell_marks(np.array([0, 0, 1]), 2) @ np.array([1.0, 2.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    n = len(cells)
    values = np.ones(n) if times is None else times
    return csr_matrix((values, cells, np.arange(n + 1)), shape=(n, n_cells)).T.tocsr()


def written_out(table: SumTable) -> SumTable:
    """Write a small table out, zeros and all; a large one stays as it is."""
    small = np.prod(table.shape) <= _SMALL
    return csr_matrix(table).toarray() if small and issparse(table) else table
