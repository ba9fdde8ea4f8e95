"""Labels that people bring for new rows: which column holds them, and which row each of them belongs to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import NamedTuple

import pandas as pd

from mandoline_core import DataError, Sample
from mandoline_core.data import class_name
from mandoline_core.formatting import listed

ROW = "row"  # what a plan of rows to label calls their numbers, which count from 1
PLANNED = (ROW, "in_slices", "weight", "reason")  # the columns of such a plan


class Match(NamedTuple):
    """Hold labels beside the new rows they belong to.

    Parameters
    ----------
    labels : list
        One a new row; None where there is no label.
    by : str
        The column that says which row a label belongs to; empty where they come in the order of the new rows.
    n_strange : int
        Lines of the file that belong to no new row.
    """

    labels: list[object]
    by: str
    n_strange: int

    @property
    def n_labelled(self) -> int:
        """How many new rows have a label."""
        return sum(value is not None for value in self.labels)


def label_columns(table: Sample, target: Sample, label: str) -> tuple[str, ...]:
    """List the columns that may hold the labels: the one called like them, or all that are new.

    >>> target = Sample(pd.DataFrame({"id": [1, 2], "text": ["a", "b"]}))
    >>> label_columns(Sample(pd.DataFrame({"id": [2, 1], "truth": ["x", "y"]})), target, "label")
    ('truth',)
    """
    if label in table.columns:
        return (label,)
    new = tuple(column for column in table.columns if column not in target.columns and column not in PLANNED)
    return new or table.columns


def match_labels(table: Sample, target: Sample, column: str, classes: Collection[str] = ()) -> Match:
    """Put the labels of a file beside the new rows: by a column that names rows in both, by row number, or in order.

    Parameters
    ----------
    column : str
        That holds the labels.
    classes : collection of str
        The classes that labels are expected to be of; none where labels are no classes.

    Examples
    --------
    >>> target = Sample(pd.DataFrame({"id": ["a", "b", "c"]}), name="new.csv")
    >>> match_labels(Sample(pd.DataFrame({"id": ["c", "a", "z"], "y": [1, 0, 1]})), target, "y")
    Match(labels=[0, None, 1], by='id', n_strange=1)
    """
    values = [None if pd.isna(value) else value for value in table.series(column).to_list()]
    if all(value is None for value in values):
        raise DataError(f"Column {column!r} of {table.name} is empty. Fill in the labels that you know.")
    if classes and not {class_name(value) for value in values if value is not None} & set(map(class_name, classes)):
        raise DataError(
            f"Column {column!r} of {table.name} holds none of the classes {listed(classes, most=5)}. Choose the column "
            "of true classes."
        )
    by, places = _places(table, target, column)
    found: list[object] = [None] * target.n_rows
    for place, value in zip(places, values, strict=True):
        if place is not None:
            found[place] = value
    return Match(found, by, sum(place is None for place in places))


def merge(known: Sequence[object], new: Sequence[object]) -> list[object]:
    """Add labels to those that are known; where a row has both, the new one counts.

    >>> merge(["a", None, "c"], [None, "b", "d"])
    ['a', 'b', 'd']
    """
    return [old if value is None else value for old, value in zip(known, new, strict=True)]


def write_labels(values: Sequence[object], label: str) -> bytes:
    r"""Write labels as a table that goes with the new rows, one line a row.

    >>> write_labels(["bad", None, "good"], "y")
    b'y\r\nbad\r\n""\r\ngood\r\n'
    """
    # A plain newline as the end of a line would leave a carriage return in a label without quotes.
    return pd.Series(list(values), dtype=object).to_frame(label).to_csv(index=False, lineterminator="\r\n").encode()


def name_in_order(name: str) -> str:
    """Name a file of labels that were put into the order of the new rows.

    >>> name_in_order("labels.csv.gz")
    'labels in order.csv'
    """
    return f"{PurePath(name).name.split('.')[0]} in order.csv"


def _places(table: Sample, target: Sample, column: str) -> tuple[str, list[int | None]]:
    """Find the new row that each line of a file belongs to."""
    shared = [name for name in table.columns if name in target.columns and name != column]
    for name in shared:
        ours, theirs = (_keys(sample, name) for sample in (target, table))
        if len(set(ours)) == len(ours) and len(set(theirs)) == len(theirs) and set(ours) & set(theirs):
            rows = {key: place for place, key in enumerate(ours)}
            return name, [rows.get(key) for key in theirs]
    if ROW in table.columns and ROW not in target.columns and column != ROW:
        return ROW, _numbered(table, target.n_rows)
    if table.n_rows != target.n_rows:
        raise DataError(
            f"{table.name} has {table.n_rows:,} rows, and {target.name} has {target.n_rows:,}. Bring one row for each "
            "new row, in their order, or with a column that names each row once in both files."
        )
    for name in shared:
        pairs = zip(_keys(target, name), _keys(table, name), strict=True)
        different = next((line for line, (ours, theirs) in enumerate(pairs, start=1) if ours != theirs), None)
        if different is not None:
            raise DataError(
                f"Row {different:,} of {table.name} has another {name!r} than that of {target.name}, so the rows are "
                "not in the same order. Add a column that names each row once to both files."
            )
    return "", list(range(target.n_rows))


def _keys(sample: Sample, name: str) -> list[str | None]:
    return [None if pd.isna(value) else class_name(value) for value in sample.series(name).to_list()]


def _numbered(table: Sample, n_rows: int) -> list[int | None]:
    rows = pd.to_numeric(table.series(ROW).to_pandas(), errors="coerce")
    if rows.isna().any() or not rows.between(1, n_rows).all() or rows.duplicated().any() or (rows % 1 != 0).any():
        raise DataError(
            f"Column {ROW!r} of {table.name} must hold different numbers from 1 to {n_rows:,}, those of the new rows. "
            "Use a plan as it was downloaded."
        )
    return [int(row) - 1 for row in rows]
