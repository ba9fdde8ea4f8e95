"""Parquet: read whole or by its schema alone, written batch by batch, with one sentence for a damaged file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mandoline_core.data.files import Files
from mandoline_core.data.frames import check_names, to_pandas
from mandoline_core.data.progress import take_step
from mandoline_core.errors import DataError

_NAMELESS_INDEX = re.compile(r"__index_level_\d+__")
_OFFSET = re.compile(r"[+-]\d{2}:?\d{2}")
_LAST_SECOND = 62_135_596_800  # as many since 1970 backwards are the year 1; forwards a little less is 9999


def read_schema(path: Path) -> pa.Schema:
    """Read what a Parquet file says of its columns, or say why it cannot be read."""
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unreadable(path.name, error) from None


def unreadable(name: str, error: Exception) -> DataError:
    """Build the message for Parquet that cannot be read."""
    reason = str(error).split("\n")[0].rstrip(".")
    return DataError(f"{name} cannot be read as Parquet: {reason}. Write it again, or save it as CSV.")


def check_alike(files: Files) -> None:
    """Refuse Parquet files whose columns differ, with the file and the column."""
    first: pa.Schema | None = None
    for path in files.paths:
        schema = read_schema(path)
        check_names(sorted(schema.names), path.name)
        if not all(name.split("\0")[0] for name in schema.names):  # DuckDB ends a name there
            raise DataError(f"{path.name} has a column without a name, which not every engine reads. Give it one.")
        if first is None:
            first, first_path = schema, path
            continue
        for column in [*first.names, *schema.names]:
            if column not in first.names or column not in schema.names:
                having, lacking = (first_path, path) if column in first.names else (path, first_path)
                raise DataError(
                    f"Column {column!r} is in {having.name} and not in {lacking.name}, and both belong to "
                    f"{files.name}. Give all files the same columns."
                )
            expected, actual = first.field(column).type, schema.field(column).type
            if expected != actual:
                raise DataError(
                    f"Column {column!r} holds {expected} in {first_path.name} and {actual} in {path.name}, and both "
                    f"belong to {files.name}. Write them with one type."
                )


def read_parquet(path: Path) -> pd.DataFrame:
    """Read a whole file, checked to the last byte."""
    check_names(sorted(read_schema(path).names), path.name)
    try:
        table = pq.read_table(path)
        table.validate(full=True)  # a damaged file may hold what is no text
        _check_times(table, path.name)
        # What pandas noted about its own types and index is not asked: an index is an ordinary column to everyone else.
        frame = to_pandas(table.replace_schema_metadata(None))
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, TypeError) as error:
        raise unreadable(path.name, error) from None
    return frame.drop(columns=[name for name in frame.columns if _NAMELESS_INDEX.fullmatch(name)])


def write_batches(path: Path, batches: Iterable[pa.Table]) -> None:
    """Write tables of one schema one after the other; a file that cannot be finished is not left behind.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "weights.parquet"
    >>> write_batches(path, [pa.table({"a": [1]}), pa.table({"a": [2]})])
    >>> pq.read_table(path)["a"].to_pylist(), [other.name for other in path.parent.iterdir()]
    ([1, 2], ['weights.parquet'])
    """
    draft = path.with_name(f".{path.name}.part")
    writer: pq.ParquetWriter | None = None
    try:
        try:
            for batch in batches:
                take_step()
                if writer is None:
                    writer = pq.ParquetWriter(draft, batch.schema)
                writer.write_table(batch)
        finally:
            if writer is not None:
                writer.close()
        if writer is not None:
            draft.replace(path)
    except OSError as error:
        raise DataError(
            f"{path} could not be written: {error.strerror or error}. Choose another place, or make room."
        ) from None
    finally:
        draft.unlink(missing_ok=True)


def _check_times(table: pa.Table, name: str) -> None:
    """Refuse times in a zone that nobody knows, or in years that no calendar here has."""
    for column in table.schema:
        if not pa.types.is_timestamp(column.type):
            continue
        if column.type.tz is not None and not _is_zone(column.type.tz):
            raise DataError(
                f"Column {column.name!r} of {name} is in time zone {column.type.tz!r}, which is none. Write it in UTC."
            )
        span = pc.min_max(table[column.name].cast(pa.int64())).as_py()
        second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
        if span["min"] is not None and max(abs(span["min"]), abs(span["max"])) > _LAST_SECOND * second:
            raise DataError(f"Column {column.name!r} of {name} holds times outside of the years 1 to 9999. Mend them.")


def _is_zone(name: str) -> bool:
    if _OFFSET.fullmatch(name):
        return True
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
    return True
