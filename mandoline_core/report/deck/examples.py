"""Two rows that show what changed: one labelled, one new, with the columns that the slices read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from mandoline_core.arrays import CodeArray
from mandoline_core.data import Sample
from mandoline_core.formatting import show_rounded
from mandoline_core.pipeline import SliceRow, evaluate_slices
from mandoline_core.slices import Slice

MOST_COLUMNS, MOST_SLICES = 4, 5
SHORT = 40  # characters
Coder = Callable[[Sample, Sequence[Slice]], CodeArray]


class Example(NamedTuple):
    """Hold one row: what each column is called and holds."""

    side: str
    cells: tuple[tuple[str, str], ...]

    @property
    def is_text(self) -> bool:
        """Whether the row is told by one long text."""
        return len(self.cells) == 1 and len(self.cells[0][1]) > SHORT


def find_examples(
    source: Sample,
    target: Sample,
    slices: Sequence[Slice],
    rows: Sequence[SliceRow],
    code: Coder = evaluate_slices,
) -> tuple[Example, ...]:
    """Choose the labelled row and the new row that differ most on the slices that shift most.

    Parameters
    ----------
    slices : sequence of Slice
        Resolved.
    rows : sequence of SliceRow
        Their lines of the slice table.
    code : callable
        Evaluates slices on a sample.

    Returns
    -------
    tuple of Example
        The labelled row and the new one; none where no slice reads a column of the data itself.
    """
    shifts = {row.name: row.shift for row in rows if abs(row.shift) >= 0.001}
    telling = [rule for rule in slices if rule.name in shifts and _columns(rule, source, target)]
    telling = sorted(telling, key=lambda rule: -abs(shifts[rule.name]))[:MOST_SLICES]
    columns = list(dict.fromkeys(column for rule in telling for column in _columns(rule, source, target)))
    if not columns or not source.n_rows or not target.n_rows:
        return ()
    # Weighted by the shift, so that a slice that hardly moved decides only between rows that are alike otherwise.
    weights = np.array([shifts[rule.name] for rule in telling])
    typical = [code(sample, telling).astype(float) @ weights for sample in (source, target)]
    places = int(np.argmin(typical[0])), int(np.argmax(typical[1]))
    drawn = list(zip(("source", "target"), (source, target), places, strict=True))
    if all(len(_show(_cell(sample, columns[0], place))) <= SHORT for _, sample, place in drawn):
        columns = list(dict.fromkeys([*columns, *_own_columns(source, target)]))  # one short value tells nobody much
    return tuple(
        Example(side, tuple((column, _show(_cell(sample, column, place))) for column in columns[:MOST_COLUMNS]))
        for side, sample, place in drawn
    )


def _columns(rule: Slice, source: Sample, target: Sample) -> list[str]:
    """List the columns of the data that a rule reads: what a model says of a row shows nobody what changed."""
    own = _own_columns(source, target)
    return [column for column in rule.reads if column in own]


def _own_columns(source: Sample, target: Sample) -> list[str]:
    """List the columns that both samples have, but for labels and what models say."""
    roles = {column for sample in (source, target) for column in (sample.label, sample.group, *_answers(sample))}
    return [column for column in source.columns if column in target.columns and column not in roles]


def _answers(sample: Sample) -> list[str]:
    return [column for model in sample.models for column in model.columns]


def _cell(sample: Sample, column: str, place: int) -> Any:
    return sample.frame[column][place]


def _show(value: Any) -> str:
    """Write a cell as people read it."""
    if value is None or value != value:  # a number that is none
        return "(empty)"
    return show_rounded(value) if isinstance(value, (float, date)) else str(value)
