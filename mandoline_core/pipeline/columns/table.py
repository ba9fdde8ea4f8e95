"""Columns by pattern: every column that may differ between the samples, read off a draw of rows and added up."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.data import SAMPLE_CACHE
from mandoline_core.domain_classifier import BEYOND, EncodedColumn, default_columns, encode_column
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import Sentence
from mandoline_core.patterns import Membership
from mandoline_core.pipeline.columns.stacks import Stack, stack_columns
from mandoline_core.pipeline.columns.tally import CellRows, ColumnTally, tally_column
from mandoline_core.weighting import Rows

MOST_ROWS = 20_000  # a sample
GOLD, MEASURED, HARMLESS = "the true answers of a slice", "what the metric measures", "declared harmless"


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
    """

    encoded: Mapping[str, EncodedColumn]
    source_rows: Index
    target_rows: Index
    n_source: int
    n_target: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    all_source: int | None = None
    all_target: int | None = None

    @property
    def note(self) -> str:
        """Say on how many rows the comparison rests, where that is not all of them; else nothing."""
        n_source, n_target = self.all_source or self.n_source, self.all_target or self.n_target
        sides = (
            (len(self.source_rows), n_source, "{here:,} of {n_source:,} {source_rows}"),
            (len(self.target_rows), n_target, "{there:,} of {n_target:,} {target_rows}"),
        )
        parts = " and ".join(template for read, n, template in sides if read < n)
        return parts and Sentence(
            f"Columns are compared on {parts}, drawn at random.",
            here=len(self.source_rows),
            n_source=n_source,
            there=len(self.target_rows),
            n_target=n_target,
        )

    @property
    def n_beyond(self) -> int:
        """How many columns were not looked at because there are so many."""
        return sum(why == BEYOND for why in self.left_out.values())

    def without(self, columns: Collection[str], why: str) -> DrawnColumns:
        """Leave out more columns."""
        gone = {column: why for column in columns if column in self.encoded}
        kept = {column: one for column, one in self.encoded.items() if column not in gone}
        return replace(self, encoded=kept, left_out={**self.left_out, **gone}) if gone else self


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Hold all columns by cell; nothing in it depends on weights.

    Parameters
    ----------
    n_groups : int
        Cells are the patterns, once for each group of source rows; 0 when every source row is a cell.
    source_cells, target_cells : array of int
        The cells, and the patterns of target rows, that have rows: the columns are added up for these only.
    n_cells : pair of int
        How many cells and patterns there are.
    """

    drawn: DrawnColumns
    columns: tuple[ColumnTally, ...]
    n_groups: int
    source_cells: Index
    target_cells: Index
    n_cells: tuple[int, int]

    @property
    def n_tests(self) -> int:
        """Count the comparisons among which one may stand out by luck."""
        return sum(column.tests for column in self.columns)

    @cached_property
    def stacks(self) -> tuple[Stack, ...]:
        """All that is compared, put together as far as the same rows have a value; whatever the weights."""
        return stack_columns(self.columns)

    def without(self, columns: Collection[str], why: str) -> ColumnTable:
        """Leave out more columns."""
        kept = tuple(column for column in self.columns if column.column not in columns)
        return replace(self, drawn=self.drawn.without(columns, why), columns=kept)


def draw_columns(rows: Rows, most_rows: int = MOST_ROWS, seed: int = 0) -> DrawnColumns:
    """Read every column of at most so many rows of a sample, drawn uniformly; once for all models and slices.

    Labels, models' answers, the metric's own column, identifiers, dates and constants are left out. A column that a
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
        here, there = (_draw(n, most_rows, rng) for n in (len(scored), rows.target.n_rows))
        columns, left_out = default_columns(*samples)
        made = {column: encode_column(column, samples, (scored[here], there)) for column in columns}
        encoded = {column: one for column, one in made.items() if isinstance(one, EncodedColumn)}
        left_out |= {column: why for column, why in made.items() if isinstance(why, str)}
        whole = [None if sample.n_all == sample.n_rows else sample.n_all for sample in samples]
        return DrawnColumns(encoded, here, there, len(scored), rows.target.n_rows, left_out, *whole)

    key = ("drawn columns", most_rows, seed, np.packbits(rows.scored).tobytes())
    found = SAMPLE_CACHE.of(samples, key, read)
    return found if rows.metric.column is None else found.without([rows.metric.column], MEASURED)


def column_table(drawn: DrawnColumns, members: Membership, n_patterns: int, *, by_row: bool = False) -> ColumnTable:
    """Add every column up by pattern, in each group of source rows.

    Parameters
    ----------
    members : Membership
        The pattern of every scored source row and of every target row.
    by_row : bool
        Give every source row a cell of its own, for methods that weight rows of one pattern differently.
    """
    here, there = drawn.source_rows, drawn.target_rows
    if (drawn.n_source, drawn.n_target) != (len(members.source), len(members.target)):
        raise MandolineError("The columns were read off other rows. Read them again.")
    n_groups = 0 if by_row else int(members.groups.max(initial=0)) + 1
    of_source = np.arange(len(here))
    if not by_row:
        of_source = members.groups[here].astype(np.intp) * n_patterns + members.source[here]
    source_cells, source = np.unique(of_source, return_inverse=True)
    target_cells, target = np.unique(members.target[there], return_inverse=True)
    cells = CellRows.of(source, target, len(source_cells), len(target_cells))
    columns = tuple(tally_column(name, one, cells) for name, one in drawn.encoded.items())
    n_cells = len(here) if by_row else n_groups * n_patterns, n_patterns
    return ColumnTable(drawn, columns, n_groups, source_cells, target_cells, n_cells)


def _draw(n: int, most: int, rng: np.random.Generator) -> Index:
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
