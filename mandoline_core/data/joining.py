"""Labels that people bring for new rows: which column holds them, and which row each of them belongs to."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Collection, Iterator
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mandoline_core.arrays import Floats
from mandoline_core.data.classes import class_name
from mandoline_core.data.matching import rows_by_key
from mandoline_core.data.sample import Sample
from mandoline_core.errors import DataError, MandolineError
from mandoline_core.formatting import listed, one_line

# What a plan of rows to label calls the row numbers, which count from 1, and how many new rows each row represents.
ROW, WEIGHT = "row", "weight"
PLAN_COLUMNS = (ROW, "in_slices", WEIGHT, "reason")
CHECKSUM = "prediction_checksum"
_MOST_COMPARED = 10_000  # lines: a wrong join shows in far fewer
_LONGEST = 40  # letters of a value in a message
_LONGEST_CELL = 30_000  # letters: spreadsheets cut longer ones
_DAY = re.compile(r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}")  # spreadsheets write dates their own way


class Match(NamedTuple):
    """Hold labels next to the new rows they belong to.

    Parameters
    ----------
    labels : list
        One a new row; None where there is no label.
    by : str
        The column that says which row a label belongs to; empty where they come in the order of the new rows.
    n_strange : int
        Lines of the file that belong to no new row.
    weights : array of float, shape (n_target,), or None
        How many new rows each planned row represents, where the file is a plan's sheet.
    """

    labels: list[object]
    by: str
    n_strange: int
    weights: Floats | None = None

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
    known = {*target.columns, *PLAN_COLUMNS, CHECKSUM}
    return tuple(column for column in table.columns if column not in known) or table.columns


def match_labels(
    table: Sample,
    target: Sample,
    column: str,
    classes: Collection[str] = (),
    key: str | None = None,
    *,
    strict: bool = False,
) -> Match:
    """Put the labels of a file next to the new rows: by a column that names rows in both, by row number, or in order.

    Columns of both must have the same contents in every row that a label goes to, unless you name the key.

    Parameters
    ----------
    column : str
        That holds the labels.
    classes : collection of str
        The classes that labels are expected to be of; none where labels are no classes.
    key : str, optional
        The column that names rows in both. Without it, any column does that has no value twice in either.
    strict : bool
        Refuse lines that belong to no new row, instead of counting them.

    Examples
    --------
    >>> target = Sample(pd.DataFrame({"id": ["a", "b", "c"]}), name="new.csv")
    >>> match_labels(Sample(pd.DataFrame({"id": ["c", "a", "z"], "y": [1, 0, 1]})), target, "y")[:3]
    ([0, None, 1], 'id', 1)
    """
    values = [None if pd.isna(value) else value for value in table.series(column).to_list()]
    if all(value is None for value in values):
        raise DataError(f"Column {column!r} of {table.name} is empty. Fill in the labels you have.")
    if classes and not {class_name(value) for value in values if value is not None} & set(map(class_name, classes)):
        raise DataError(
            f"Column {column!r} of {table.name} contains none of the classes {listed(classes, most=5)}. Choose the "
            "column of true classes."
        )
    by, places, weights = _places(table, target, column, key, strict=strict)
    if key is None or weights is not None:  # a key that somebody named is taken at its word
        _check_contents(table, target, places, {column, by, *(PLAN_COLUMNS if weights is not None else ())})
    found: list[object] = [None] * target.n_rows
    for place, value in zip(places, values, strict=True):
        if place is not None:
            found[place] = value
    return Match(found, by, sum(place is None for place in places), weights)


def is_plan(table: Sample, target: Sample) -> bool:
    """Tell a plan's sheet from other files of labels."""
    columns = set(table.columns)
    return set(PLAN_COLUMNS) <= columns or ({ROW, WEIGHT} <= columns and not {ROW, WEIGHT} & set(target.columns))


def read_plan(table: Sample, n_target: int) -> Floats:
    """Read a plan's file: how many target rows each planned row represents.

    Parameters
    ----------
    table : Sample
        With the columns row, which counts from 1, and weight, empty outside the plan; others are not looked at.

    Returns
    -------
    array of float, shape (n_target,)
        NaN for rows not planned; the `plan` of `use_labels`.

    Examples
    --------
    >>> import pandas as pd
    >>> read_plan(Sample(pd.DataFrame({"row": [3], "weight": [2.5]})), 4).tolist()
    [nan, nan, 2.5, nan]
    """
    try:
        rows, weight = (np.asarray(table.series(name).to_numpy(), dtype=float) for name in (ROW, WEIGHT))
    except (TypeError, ValueError) as error:
        if isinstance(error, MandolineError):
            raise
        raise DataError(f"Columns 'row' and 'weight' of {table.name} must contain numbers.") from None
    # Rows without a weight were labelled outside the plan.
    right = ((weight > 0) & np.isfinite(weight)) | np.isnan(weight)
    wrong = ~((rows >= 1) & (rows <= n_target) & (rows == np.floor(rows)) & right)
    if wrong.any() or len(np.unique(rows)) < len(rows):
        at = f" (line {int(wrong.argmax()) + 2})" if wrong.any() else ""
        raise DataError(
            f"{table.name} is not a plan for this new data{at}. Column row must contain different numbers from 1 to "
            f"{n_target:,}, and column weight numbers above 0. Use the plan's file unchanged."
        )
    weights = np.full(n_target, np.nan)
    weights[rows.astype(np.intp) - 1] = weight
    return weights


def _places(
    table: Sample, target: Sample, column: str, key: str | None, *, strict: bool
) -> tuple[str, list[int | None], Floats | None]:
    """Find the new row that each line of a file belongs to, by what, and the weights of a plan."""
    if is_plan(table, target):  # which also carries what is in its rows
        weights = read_plan(table, target.n_rows)
        places = _numbered(table, target.n_rows)
        _check_predictions(table, target, places)
        return ROW, places, weights
    keyed = rows_by_key if strict else _keyed
    if key is not None:
        return key, list(keyed(table, target, key)), None
    shared = [name for name in table.columns if name in target.columns and name != column]
    for name in shared:
        if _names_rows(table, name) and _names_rows(target, name):
            found = _keyed(table, target, name)
            if any(place is not None for place in found):
                return name, list(keyed(table, target, name)), None
    if ROW in table.columns and ROW not in target.columns and column != ROW:
        return ROW, _numbered(table, target.n_rows), None
    if table.n_rows != target.n_rows:
        raise DataError(
            f"{table.name} has {table.n_rows:,} rows, but {target.name} has {target.n_rows:,}. Give one row for each "
            "new row in the same order, an ID column in both files, or a plan's file."
        )
    return "", list(range(target.n_rows)), None


def key_column(table: Sample, target: Sample, column: str) -> str | None:
    """Find a column of both that names rows, other than that of the labels; or None.

    >>> target = Sample(pd.DataFrame({"kind": [1, 1], "id": ["a", "b"]}))
    >>> key_column(Sample(pd.DataFrame({"kind": [1], "id": ["z"], "y": [0]})), target, "y")
    'id'
    """
    shared = (name for name in table.columns if name in target.columns and name != column)
    return next((name for name in shared if _names_rows(table, name) and _names_rows(target, name)), None)


def _names_rows(sample: Sample, name: str) -> bool:
    if sample.series(name).n_unique() < sample.n_rows:  # quick, and true of most columns
        return False
    keys = _keys(sample, name)
    return len(set(keys)) == len(keys)


def _keyed(table: Sample, target: Sample, key: str) -> list[int | None]:
    """Find the new row that each line of a file names; None where there is no such row."""
    for sample in (table, target):
        if not _names_rows(sample, key):
            raise DataError(f"Column {key!r} of {sample.name} has a value twice. A key needs one row for each value.")
    rows = {value: place for place, value in enumerate(_keys(target, key)) if value is not None}
    return [None if value is None else rows.get(value) for value in _keys(table, key)]


def _keys(sample: Sample, name: str) -> list[str | None]:
    return [None if pd.isna(value) else class_name(value) for value in sample.series(name).to_list()]


def _numbered(table: Sample, n_rows: int) -> list[int | None]:
    rows = pd.to_numeric(table.series(ROW).to_pandas(), errors="coerce")
    if rows.isna().any() or not rows.between(1, n_rows).all() or rows.duplicated().any() or (rows % 1 != 0).any():
        raise DataError(
            f"Column {ROW!r} of {table.name} must contain unique row numbers from 1 to {n_rows:,}. Use the plan as "
            "downloaded."
        )
    return [int(row) - 1 for row in rows]


def prediction_checksums(target: Sample, column: str, rows: Collection[int]) -> list[str]:
    """Sum up what a model predicts of some rows: enough to notice other predictions, and no hint to who labels.

    >>> prediction_checksums(Sample(pd.DataFrame({"pred": ["yes", "yes"]})), "pred", [0, 1])
    ['ccc4cbc04', 'cf12c95b4']
    """
    values = target.series(column).to_list()
    return [f"c{zlib.crc32(f'{row}|{class_name(values[row])}'.encode()):08x}" for row in rows]


def _check_predictions(table: Sample, target: Sample, places: list[int | None]) -> None:
    """Refuse a plan that was made for other predictions: of other new rows, most likely."""
    if CHECKSUM not in table.columns or CHECKSUM in target.columns:
        return
    stated = zip(places, table.series(CHECKSUM).to_list(), strict=True)
    known = [(place, value) for place, value in stated if place is not None and isinstance(value, str)]
    models = [model.prediction for model in target.models if model.prediction in target.columns]
    rows = [place for place, _ in known]
    if not known or not models:
        return
    if not any(prediction_checksums(target, str(name), rows) == [value for _, value in known] for name in models):
        raise DataError(
            f"{table.name} was made for other predictions than those of {target.name}, so its labels may belong to "
            f"other rows. Use the new data it was made for; if only the model changed, remove its column {CHECKSUM}."
        )


def _check_contents(table: Sample, target: Sample, places: list[int | None], skipped: Collection[str]) -> None:
    """Refuse a file whose other columns contradict the rows that its labels would go to."""
    lines = [line for line, place in enumerate(places) if place is not None]
    lines = lines[:: max(1, len(lines) // _MOST_COMPARED)]
    rows = [place for line in lines if (place := places[line]) is not None]
    for name in table.columns:
        if name in skipped or name not in target.columns:
            continue
        theirs, ours = table.series(name)[lines].to_list(), target.series(name)[rows].to_list()
        for line, row, their, our in _contradictions(lines, rows, theirs, ours):
            raise DataError(
                f"Line {line + 2:,} of {table.name} has {_shown(their)} in column {name!r}, but row {row + 1:,} of "
                f"{target.name} has {_shown(our)}: the labels would go to the wrong rows. Check that both files are "
                "about the same rows, in the same order or with an ID column."
            )


def _contradictions(
    lines: list[int], rows: list[int], theirs: list[Any], ours: list[Any]
) -> Iterator[tuple[int, int, Any, Any]]:
    for line, row, their, our in zip(lines, rows, theirs, ours, strict=True):
        if their is not our and not _same(their, our):
            yield line, row, their, our


def _same(their: Any, our: Any) -> bool:
    """Compare two values as written by two programs; gaps and dates are never a contradiction.

    >>> _same("3,50", 3.5), _same(7, "007"), _same("'@a  b", "@A b"), _same("a", "b"), _same("1.2.2024", "2024-02-01")
    (True, True, True, False, True)
    """
    if type(their) is type(our) and their == our:
        return True
    try:
        if pd.isna(their) or pd.isna(our):
            return True
    except ValueError:  # of lists
        return str(their) == str(our)
    if any(isinstance(value, date) or _DAY.match(str(value)) for value in (their, our)):
        return True
    numbers = [_number(value) for value in (their, our)]
    if None not in numbers:
        return math.isclose(*numbers, rel_tol=1e-5, abs_tol=1e-9)  # type: ignore[arg-type]  # none is None
    plain = [" ".join(class_name(value).split()).casefold().lstrip("'") for value in (their, our)]
    return plain[0] == plain[1] or max(map(len, plain)) > _LONGEST_CELL


def _number(value: Any) -> float | None:
    try:
        return float(class_name(value).replace(",", "."))
    except ValueError:
        return None


def _shown(value: Any) -> str:
    text = one_line(str(value))
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...")
