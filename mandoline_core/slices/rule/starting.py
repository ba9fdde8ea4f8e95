"""Starting: what a new rule can stand on, and values for it to start from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from mandoline_core.samples import Sample
from mandoline_core.slices.rule.needs import ANYTHING, NUMBERS, TEXT, fitting_columns


@dataclass(frozen=True)
class Ground:
    """Hold what a new rule can stand on, the most promising first.

    Parameters
    ----------
    free, text, short_text, numbers : sequence of str
        Columns of both samples without a role: all; those of text, the wordiest first and the shortest first; those
        of numbers.
    slices : sequence of str
        Slices to combine.
    """

    source: Sample
    free: Sequence[str]
    text: Sequence[str]
    short_text: Sequence[str]
    numbers: Sequence[str]
    slices: Sequence[str] = ()


def survey(source: Sample, target: Sample, identifiers: Collection[str] = (), slices: Collection[str] = ()) -> Ground:
    """Look at what two samples offer to new rules; identifiers come after all other columns.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"id": [1, 2], "n": [5, 6], "y": [0, 1]}), label="y")
    >>> survey(sample, sample, ["id"]).numbers
    ['n', 'id']
    """

    def free(need: str) -> list[str]:
        found = [column for column in fitting_columns(source, target, need) if column not in source.roles]
        return sorted(found, key=lambda column: column in identifiers)

    def length(column: str) -> float:
        return float(source.series(column).head(200).str.len_chars().mean() or 0.0)

    text = free(TEXT)
    lengths = {column: length(column) for column in text}
    return Ground(
        source,
        free(ANYTHING),
        sorted(text, key=lambda column: (column in identifiers, -lengths[column])),
        sorted(text, key=lambda column: (column in identifiers, lengths[column])),
        free(NUMBERS),
        tuple(slices),
    )


def middle(values: nw.Series[Any]) -> float:
    """Return the median of the values that are there; 0 without any.

    Examples
    --------
    >>> middle(nw.new_series("n", [1.0, None, 3.0], backend="polars"))
    2.0
    """
    return float(values.drop_nulls().median() or 0.0)
