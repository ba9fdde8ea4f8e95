"""Published files: under one of several names, as lines of JSON or tables, and with models' predictions."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mandoline_core.data import read_table
from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

LINE = "line"  # which row of the published file this is, counted from 0; rows without a label are left out
_LONGEST = 1 << 24  # characters of a field; some reviews are longer than csv expects


def first_of(folder: Path, names: Sequence[str], what: str) -> Path:
    """Find a file or a folder under one of its published names.

    Parameters
    ----------
    what : str
        What it holds, for the message.
    """
    for name in names:
        if (folder / name).exists():
            return folder / name
    raise DataError(f"{folder} does not contain {what}. Expected {' or '.join(names)}.")


def json_lines(path: Path, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Read one JSON object per line, and check its keys."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                raise DataError(f"Line {number} of {path.name} is not JSON. Expected one object per line.") from None
            if not isinstance(entry, dict):
                raise DataError(f"Line {number} of {path.name} is not an object. Expected keys {listed(keys)}.")
            missing = [key for key in keys if key not in entry]
            if missing:
                raise DataError(f"Line {number} of {path.name} has no {missing[0]!r}. Expected keys {listed(keys)}.")
            yield entry


def rows_of(path: Path, n_columns: int, *, encoding: str = "utf-8") -> Iterator[list[str]]:
    """Read a CSV without a header, whose rows all have n_columns columns."""
    csv.field_size_limit(_LONGEST)
    with path.open(encoding=encoding, errors="replace", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if len(row) != n_columns:
                raise DataError(f"Row {number} of {path.name} has {len(row)} columns. Expected {n_columns}, no header.")
            yield row


def tabbed(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    """Read a tab-separated file without quotes, and check its columns."""
    try:
        table = pd.read_csv(
            path, sep="\t", dtype=str, quoting=csv.QUOTE_NONE, keep_default_na=False, encoding_errors="replace"
        )
    except (pd.errors.ParserError, pd.errors.EmptyDataError):
        raise DataError(
            f"{path.name} is not a table. Expected columns {listed(columns)} in a header, separated by tabs."
        ) from None
    return with_columns(table, columns, path)


def with_columns(table: pd.DataFrame, columns: Sequence[str], path: Path) -> pd.DataFrame:
    """Check that a table has some columns."""
    for column in columns:
        if column not in table.columns:
            raise DataError.missing_column(column, path.name, table.columns)
    return table


def check_values(values: pd.Series, what: str, expected: Sequence[str], path: Path) -> None:
    """Refuse a column, in lower case, with values other than the published ones.

    >>> check_values(pd.Series(["train", "dev"]), "split", ("train", "test"), Path("a.csv"))
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: a.csv has an unknown split 'dev'. Expected train or test.
    """
    strange = sorted(set(values.dropna()) - {value.lower() for value in expected})
    if strange:
        *first, last = expected
        raise DataError(f"{path.name} has an unknown {what} {strange[0]!r}. Expected {', '.join(first)} or {last}.")


def thinned(frame: pd.DataFrame, most: int) -> pd.DataFrame:
    """Keep every n-th row, so that at most `most` are left."""
    return frame.iloc[:: -(-len(frame) // most)]


def filled(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Refuse a file without a usable row."""
    if frame.empty:
        raise DataError(f"{path.name} has no row with a label. Expected the published file.")
    return frame


def beside_predictions(frame: pd.DataFrame, path: Path) -> pd.DataFrame | None:
    """Join predictions from a file to the rows of another; None if there is no such file.

    Its columns are pred_<model> and prob_<model>_<class>, as in a project's data; it has one row for each row of the
    published file, in the same order, also for rows without a label.

    Parameters
    ----------
    frame : pandas.DataFrame
        With a column `line`.
    path : Path
        The published file, or folder.
    """
    beside = path.with_name(f"{path.stem}.predictions.csv")  # data.predictions.csv for data.jsonl
    if not beside.is_file():
        return None
    predictions = read_table(beside)
    if not any(column.startswith("pred_") for column in predictions.columns):
        raise DataError(f"{beside.name} has no column pred_<model>. Expected pred_<model> and prob_<model>_<class>.")
    if frame[LINE].max() >= len(predictions):
        raise DataError(
            f"{beside.name} has {len(predictions):,} rows, and {path.name} has at least {frame[LINE].max() + 1:,}. "
            "Expected one row of predictions for each row, in the same order."
        )
    columns = [column for column in predictions.columns if column.startswith(("pred_", "prob_"))]
    chosen = predictions.loc[frame[LINE], columns].reset_index(drop=True)
    return pd.concat([frame.reset_index(drop=True), chosen], axis=1)
