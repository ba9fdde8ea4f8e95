"""Labels next to the rows they belong to: by a column that names rows in two tables, or in the order of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import pandas as pd

from mandoline_core.data.classes import class_name
from mandoline_core.data.sample import Sample
from mandoline_core.errors import DataError
from mandoline_core.formatting import counted, listed, with_formula

_MOST = 3  # values that a message names


def rows_by_key(table: Sample, target: Sample, key: str) -> list[int]:
    """Find the row of a sample that each line of a table belongs to.

    Parameters
    ----------
    key : str
        The column of both that names rows. Lines without a value, duplicates and unknown values are refused.

    Returns
    -------
    list of int
        For each line of the table, the row's number from 0.

    Examples
    --------
    >>> new = Sample(pd.DataFrame({"id": ["a", "b", "c"]}), name="new.csv")
    >>> rows_by_key(Sample(pd.DataFrame({"id": ["c", "a"]}), name="answers.csv"), new, "id")
    [2, 0]
    >>> rows_by_key(Sample(pd.DataFrame({"id": ["c", "z"]}), name="answers.csv"), new, "id")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: Column 'id' of answers.csv has 1 value that is not in new.csv: 'z'. Remove such
    rows, or check that both files are about the same rows.
    """
    columns = [sample.series(key) for sample in (target, table)]
    # Texts are compared as they are: '007' is not '7'. Numbers and texts meet as 7, 7.0 and '7' do.
    name = str if all(column.dtype == nw.String for column in columns) else class_name
    ours, theirs = ([None if pd.isna(value) else name(value) for value in column.to_list()] for column in columns)
    places: dict[str, int] = {}
    for place, value in enumerate(ours):
        if value is not None and places.setdefault(value, place) != place:
            raise _repeated(key, value, target, "A key needs a different value in each row.")
    seen: set[str] = set()
    for line, value in enumerate(theirs, start=2):
        if value is None:
            raise DataError(f"Line {line:,} of {table.name} has no value in column {key!r}. Fill it in, or remove it.")
        if value in seen:
            raise _repeated(key, value, table, "Keep one row for each.")
        seen.add(value)
    # A plan's file has a quote before what a spreadsheet would take for a formula.
    found = [places.get(value, places.get(with_formula(value))) for value in theirs if value is not None]
    unknown = [value for value, place in zip(theirs, found, strict=True) if place is None]
    if unknown:
        values = f"{counted(len(unknown), 'value')} that {'is' if len(unknown) == 1 else 'are'} not in {target.name}"
        raise DataError(
            f"Column {key!r} of {table.name} has {values}: {listed(map(repr, unknown), most=_MOST)}. Remove such rows, "
            "or check that both files are about the same rows."
        )
    return [place for place in found if place is not None]


def _repeated(key: str, value: str, sample: Sample, remedy: str) -> DataError:
    return DataError(f"Column {key!r} of {sample.name} has {value!r} more than once. {remedy}")


def with_labels(target: Sample, label: str | None, labels: Iterable[Any]) -> Sample:
    """Put labels next to the new rows, in their order; None if absent.

    >>> with_labels(Sample(pd.DataFrame({"x": [1, 2]})), "y", [None, "a"]).series("y").is_null().to_list()
    [True, False]
    """
    values, name = list(labels), label or "label"
    if len(values) != target.n_rows:
        raise DataError(
            f"There are {len(values):,} labels and {target.n_rows:,} new rows. Give one for each row, and None for an "
            "unknown label."
        )
    column = nw.new_series(name, values, backend=target.frame.implementation)
    return target.with_rows(target.frame.with_columns(column), label=name)
