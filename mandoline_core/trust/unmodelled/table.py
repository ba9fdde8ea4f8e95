"""Columns by pattern: every column that may differ between the samples, added up once, so that rows are not needed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from mandoline_core.arrays import Index
from mandoline_core.estimators import default_columns
from mandoline_core.patterns import Membership
from mandoline_core.trust.unmodelled.encoding import EncodedColumn, encode_column
from mandoline_core.trust.unmodelled.tally import Cells, ColumnTally, tally_column
from mandoline_core.weighting import Rows

MOST_ROWS = 20_000  # a sample
GOLD, MEASURED = "the true answers of a slice", "what the metric measures"


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Hold all columns by cell; nothing in it depends on weights.

    Parameters
    ----------
    n_groups : int
        Cells are the patterns, once for each group of source rows; 0 when every source row is a cell.
    source_rows, target_rows : array of int
        The scored source rows and the target rows that were read.
    n_source, n_target : int
        How many there are.
    left_out : mapping of str to str
        Columns that are not compared, and why.
    """

    columns: tuple[ColumnTally, ...]
    n_groups: int
    source_rows: Index
    target_rows: Index
    n_source: int
    n_target: int
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """Say on how many rows the comparison rests, where that is not all of them; else nothing."""
        sides = (
            (len(self.source_rows), self.n_source, "source"),
            (len(self.target_rows), self.n_target, "target"),
        )
        parts = [f"{read:,} of {n:,} {side} rows" for read, n, side in sides if read < n]
        return f"Columns are compared on {' and '.join(parts)}, drawn at random." if parts else ""

    @property
    def n_tests(self) -> int:
        """Count the comparisons among which one may stand out by luck."""
        return sum(column.tests for column in self.columns)


def column_table(
    rows: Rows,
    members: Membership,
    n_patterns: int,
    skip: Collection[str] = (),
    most_rows: int = MOST_ROWS,
    seed: int = 0,
    *,
    by_row: bool = False,
) -> ColumnTable:
    """Read every column once and add it up by pattern.

    Labels, models' answers, the metric's own column, identifiers, dates and constants are left out. A column that a
    slice reads is not: what its slice leaves of it is worth knowing.

    Parameters
    ----------
    members : Membership
        The pattern of every scored source row and of every target row.
    skip : collection of str
        Columns with the true answers of slices, which are left out, too.
    most_rows : int
        Of a sample with more rows, so many are drawn.
    seed : int
        Of the draw.
    by_row : bool
        Give every source row a cell of its own, for methods that weight rows of one pattern differently.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.project import MetricSettings
    >>> source = Sample(pd.DataFrame({"place": list("aab"), "age": [30, 40, 60], "y": 1}), label="y")
    >>> target = Sample(pd.DataFrame({"place": list("ab"), "age": [50, 60]}))
    >>> rows = Rows(source, target, None, MetricSettings(), np.ones(3, dtype=bool))
    >>> members = Membership(np.array([0, 0, 1]), np.array([0, 1]), np.zeros(3, dtype=np.int8), np.ones((3, 1)))
    >>> table = column_table(rows, members, 2)
    >>> [(column.column, column.kind) for column in table.columns]
    [('place', 'category'), ('age', 'number')]
    >>> table.columns[0].items, table.columns[0].counts.source.toarray().tolist()
    (('a', 'b'), [[2.0, 0.0], [0.0, 1.0]])
    """
    rng = np.random.default_rng(seed)
    here, there = (_draw(len(index), most_rows, rng) for index in (members.source, members.target))
    n_groups = 0 if by_row else int(members.groups.max(initial=0)) + 1
    cells = Cells.of(
        np.arange(len(here)) if by_row else members.groups[here].astype(np.intp) * n_patterns + members.source[here],
        members.target[there],
        len(here) if by_row else n_groups * n_patterns,
        n_patterns,
    )
    encoded, left_out = _encoded(rows, (np.flatnonzero(rows.scored)[here], there), (most_rows, seed))
    skipped = dict.fromkeys(skip, GOLD)
    if rows.metric.column is not None:
        skipped[rows.metric.column] = MEASURED
    left_out = left_out | {column: why for column, why in skipped.items() if column in encoded}
    found = [tally_column(column, made, cells) for column, made in encoded.items() if column not in skipped]
    return ColumnTable(tuple(found), n_groups, here, there, len(members.source), len(members.target), left_out)


def _encoded(
    rows: Rows, read: tuple[Index, Index], drawn: tuple[int, int]
) -> tuple[dict[str, EncodedColumn], dict[str, str]]:
    """Encode the columns of two samples once: other slices, or another model, only add them up anew."""
    kept, key = rows.source.kept, ("encoded columns", *drawn, rows.scored.tobytes())
    if key not in kept or kept[key][0] is not rows.target:
        columns, left_out = default_columns(rows.source, rows.target)
        made = {column: encode_column(column, (rows.source, rows.target), read) for column in columns}
        encoded = {column: one for column, one in made.items() if isinstance(one, EncodedColumn)}
        left_out |= {column: why for column, why in made.items() if isinstance(why, str)}
        kept[key] = rows.target, encoded, left_out
    _, found, reasons = kept[key]
    return found, reasons


def _draw(n: int, most: int, rng: np.random.Generator) -> Index:
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
