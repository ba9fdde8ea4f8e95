"""Conversion of text files beyond memory: written once as Parquet, with columns typed as those of a small file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mandoline_core.data.cache import Cache, TemporaryFolder
from mandoline_core.data.dates import TIME
from mandoline_core.data.delimited import MISSING, read_chunks
from mandoline_core.data.files import Files, check_alike
from mandoline_core.data.progress import take_step
from mandoline_core.errors import DataError

_CHUNK = 200_000  # rows
# What columns may hold, from the narrowest on; two that differ need the wider, or text. Words such as NA are missing
# values, or text, as the rest of the column says.
_KINDS = ("missing", "words", "boolean", "whole", "number", "date", "time", "text")
_TYPES = {
    "words": pa.large_string(),
    "boolean": pa.bool_(),
    "whole": pa.int64(),
    "number": pa.float64(),
    "date": pa.date32(),
    "time": TIME,
    "text": pa.large_string(),
}
_WIDER = (("whole", "number"), ("date", "time"))
# Bytes on disk. A table holds on to the files that it reads, so what has no room here goes when no table uses it.
_CONVERTED: Cache[Files] = Cache(10_000_000_000, size=lambda files: files.n_bytes)


def as_parquet(files: Files) -> Files:
    """Return Parquet files that are alike: the files themselves, or what text files were converted to.

    Text is converted once while it is unchanged, into a folder that is removed with its last table.
    """

    def convert() -> Files:
        folder = TemporaryFolder()
        return Files.of(files.name, (_write(files, folder.path / "rows.parquet"),), folder, files)

    converted = files if files.are_parquet else _CONVERTED(files.identity, convert)
    check_alike(converted)
    return converted


class _TooNarrow(Exception):  # noqa: N818 - caught a few lines below where it is raised
    """Say that a column holds more than was thought."""


def _write(files: Files, path: Path) -> Path:
    """Write with the types that the first rows show; where later rows need wider ones, start again with those."""
    kinds: dict[str, str] = dict.fromkeys(files.codes, "text")
    while True:
        try:
            _write_once(files, path, kinds)
        except _TooNarrow:
            continue
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError(f"{files.name} could not be unpacked to disk: {reason}. Free some disk space.") from None
        return path


def _write_once(files: Files, path: Path, kinds: dict[str, str]) -> None:
    writer: pq.ParquetWriter | None = None
    try:
        for chunk in _chunks(files, kinds):
            take_step()
            before = dict(kinds)
            for column in chunk.columns:
                kinds[column] = _widest(kinds.get(column, "missing"), _kind(chunk[column]))
            if writer is not None and kinds != before:
                raise _TooNarrow
            if writer is None:
                writer = pq.ParquetWriter(path, _schema(chunk, kinds))
            writer.write_table(_arrow(chunk, kinds))
    finally:
        if writer is not None:
            writer.close()


def _chunks(files: Files, kinds: dict[str, str]) -> Iterator[pd.DataFrame]:
    as_text = [column for column, kind in kinds.items() if kind == "text" and column not in files.codes]
    columns: list[str] | None = None
    for path in files.paths:
        for chunk in read_chunks(path, _CHUNK, as_text, files.codes):
            if columns is None:
                columns = list(chunk.columns)
            elif list(chunk.columns) != columns:
                odd = next(iter({*columns} ^ {*chunk.columns}), chunk.columns[0])
                raise DataError(
                    f"Column {odd!r} differs between {files.paths[0].name} and {path.name}, both part of "
                    f"{files.name}. Give all files the same columns, in the same order."
                )
            yield chunk


def _kind(column: pd.Series) -> str:
    if not column.notna().any():
        return "missing"
    if pd.api.types.is_bool_dtype(column.dtype):
        return "boolean"
    if pd.api.types.is_integer_dtype(column.dtype):
        return "whole" if column.dtype != "uint64" else "number"
    if isinstance(column.dtype, pd.ArrowDtype):
        return "date"
    if pd.api.types.is_datetime64_dtype(column.dtype):
        return "time"
    if pd.api.types.is_float_dtype(column.dtype):
        return "number"
    return "words" if all(part.isin(MISSING).all() for part in (column.dropna().head(), column.dropna())) else "text"


def _widest(first: str, second: str) -> str:
    """Find the kind that holds both.

    >>> _widest("whole", "number"), _widest("boolean", "whole"), _widest("missing", "boolean")
    ('number', 'text', 'boolean')
    """
    low, high = sorted((first, second), key=_KINDS.index)
    if low in ("missing", "words", high) or (low, high) in _WIDER:
        return high
    return "text"


def _schema(chunk: pd.DataFrame, kinds: dict[str, str]) -> pa.Schema:
    return pa.schema([(column, _TYPES.get(kinds[column], pa.float64())) for column in chunk.columns])


def _arrow(chunk: pd.DataFrame, kinds: dict[str, str]) -> pa.Table:
    schema = _schema(chunk, kinds)
    columns = [
        pa.nulls(len(chunk), field.type)
        if (kind := _kind(chunk[field.name])) == "missing" or (kind == "words" and field.type != _TYPES["text"])
        else pa.array(chunk[field.name], field.type, from_pandas=True)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)
