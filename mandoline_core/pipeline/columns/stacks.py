"""Stacks: what columns add up to, side by side, so that all that the same rows have is compared at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mandoline_core.pipeline.columns.tally import ColumnTally, Tally, stack

Quantity = Literal["values", "counts", "missing"]


class Place(NamedTuple):
    """Say which columns of a stack are one column's values, counts or missing values."""

    column: int
    quantity: Quantity
    where: slice


@dataclass(frozen=True, eq=False)
class Stack:
    """Hold tallies side by side.

    Parameters
    ----------
    everywhere : bool
        Whether every row has a value, so that the slices match among these rows, too.
    """

    tally: Tally
    everywhere: bool
    places: tuple[Place, ...]


def stack_columns(columns: Sequence[ColumnTally]) -> tuple[Stack, ...]:
    """Put everything that columns are compared by into as few stacks as possible.

    One is of all that every row has; a column with missing values makes one of its own, and so does one whose table is
    kept as what is not zero.
    """
    whole: list[tuple[int, Quantity, Tally]] = []
    found = []
    for number, column in enumerate(columns):
        own: list[tuple[int, Quantity, Tally]] = [] if column.values is None else [(number, "values", column.values)]
        if len(column.items) or len(column.cuts):
            own.append((number, "counts", column.counts))
        apart = own if column.has_missing else [one for one in own if one[2].sparse]
        whole += [one for one in own if one not in apart]
        if column.has_missing:
            whole.append((number, "missing", column.missing))
        if any(tally.sparse for _, _, tally in apart):
            found += [_stack([one], not column.has_missing) for one in apart]
        elif apart:
            found.append(_stack(apart, not column.has_missing))
    return (*([_stack(whole, everywhere=True)] if whole else []), *found)


def _stack(parts: Sequence[tuple[int, Quantity, Tally]], everywhere: bool) -> Stack:
    ends = np.cumsum([tally.source.shape[1] for _, _, tally in parts]).tolist()
    places = tuple(
        Place(number, quantity, slice(end - tally.source.shape[1], end))
        for (number, quantity, tally), end in zip(parts, ends, strict=True)
    )
    return Stack(stack([tally for _, _, tally in parts]), everywhere, places)
