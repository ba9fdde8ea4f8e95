"""Files: found by name or by pattern, recognised when they change; and Parquet, read whole or written in batches."""

from __future__ import annotations

import glob
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mandoline_core.data.cache import TemporaryFolder, memory_budget
from mandoline_core.data.frames import check_names, to_pandas
from mandoline_core.data.progress import take_step
from mandoline_core.errors import DataError, did_you_mean
from mandoline_core.formatting import folder_name

PARQUET = (".parquet", ".pq")
_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_WILD = "*?["
# Parquet is usually so many times smaller on disk than in memory.
_PARQUET_FACTOR = 4
_NAMELESS_INDEX = re.compile(r"__index_level_\d+__")
_OFFSET = re.compile(r"[+-]\d{2}:?\d{2}")
_LAST_SECOND = 62_135_596_800  # as many since 1970 backwards are the year 1; forwards a little less is 9999


@dataclass(frozen=True)
class Files:
    """Hold the files of one table, in order, as they were when it was opened.

    Parameters
    ----------
    name : str
        What to call them together.
    paths : tuple of Path
    states : tuple of pairs of int
        The size of each, and when it was last changed.
    folder : TemporaryFolder, optional
        Their temporary folder, removed with them.
    original : Files, optional
        The files that they were converted from, which decide their identity.
    read_as : str
        The types that their columns were declared to have, as part of their identity.
    """

    name: str
    paths: tuple[Path, ...]
    states: tuple[tuple[int, int], ...]
    folder: TemporaryFolder | None = field(default=None, compare=False, repr=False)
    original: Files | None = None
    read_as: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        paths: tuple[Path, ...],
        folder: TemporaryFolder | None = None,
        original: Files | None = None,
    ) -> Files:
        """Look at the files as they are now."""
        return cls(name, paths, tuple(_state(path, name) for path in paths), folder, original)

    @property
    def are_parquet(self) -> bool:
        """Whether they are Parquet, and not text."""
        return self.paths[0].suffix.lower() in PARQUET

    @property
    def n_bytes(self) -> int:
        """Their size together."""
        return sum(size for size, _ in self.states)

    @cached_property
    def n_rows(self) -> int:
        """The number of rows that Parquet files say they have; 0 of text, and of what cannot be read."""
        try:
            return sum(pq.read_metadata(path).num_rows for path in self.paths) if self.are_parquet else 0
        except (pa.ArrowException, OSError, UnicodeDecodeError):  # said when they are read
            return 0

    @cached_property
    def identity(self) -> str:
        """A hash of names, sizes and times of change, and of what Parquet says about its columns at its end."""
        if self.original is not None:
            return self.original.identity
        digest = hashlib.blake2b(self.read_as.encode("utf-8", "surrogatepass"), digest_size=16)
        for path, state in zip(self.paths, self.states, strict=True):
            digest.update(repr((str(path.resolve()), *state)).encode())
            with path.open("rb") as file:
                file.seek(max(0, state[0] - (1 << 16)))
                digest.update(file.read())
        return digest.hexdigest()

    def check_unchanged(self) -> None:
        """Refuse files that changed."""
        for path, state in zip(self.paths, self.states, strict=True):
            if _state(path, self.name) != state:
                raise DataError(f"{path.name} changed while it was being read, so its counts are wrong. Run again.")


def fits_in_memory(files: Files, limit: int | None = None) -> bool:
    """Tell whether files are small enough to be read into memory.

    Parameters
    ----------
    limit : int, optional
        The limit in bytes. By default, a share of this machine's memory.
    """
    n_bytes = files.n_bytes * (_PARQUET_FACTOR if files.are_parquet else 1)
    return n_bytes <= (memory_budget() if limit is None else limit)


def is_pattern(path: Path) -> bool:
    """Tell whether a path is a pattern for several files.

    >>> is_pattern(Path("weekly/*.parquet")), is_pattern(Path("weekly/a.parquet"))
    (True, False)
    """
    return any(sign in str(path) for sign in _WILD) and not path.exists()


def find_files(path: Path) -> tuple[Path, ...]:
    """List the files of a path: itself, or those that match its pattern, sorted by name."""
    if not is_pattern(path):
        return (path,)
    # Path.glob takes no pattern with folders above it that is absolute, as most are here.
    names = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
    paths = tuple(Path(name) for name in names if Path(name).is_file())
    if not paths:
        folder = path.parent
        near = [item.name for item in folder.iterdir()] if folder.is_dir() else []
        raise DataError(f"No file matches {path.name!r} in {folder_name(folder)}.{did_you_mean(path.name, near)}")
    if len({match.suffix.lower() in PARQUET for match in paths}) > 1:
        raise DataError(
            f"{path.name!r} matches both Parquet and text files. Use a pattern that matches only one of them."
        )
    return paths


def check_path(path: Path) -> None:
    """Refuse a path that is not a readable data file."""
    if path.is_dir():
        raise DataError(f"{path} is a folder. Expected a CSV or Parquet file. Choose one in it.")
    if not path.is_file():
        near = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
        where = folder_name(path.parent) if path.parent.is_dir() else f"{path.parent}, a folder that does not exist"
        raise DataError(f"File {path.name!r} is not in {where}.{did_you_mean(path.name, near)}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    if kind not in _DELIMITED + PARQUET or (kind in PARQUET and suffixes[-1] == ".gz"):
        wanted = "CSV (.csv, .tsv, .txt, also .gz) or Parquet (.parquet, .pq)"
        raise DataError(f"{path.name} has an unknown file type. Expected {wanted}. Save it as one of these.")
    if path.stat().st_size == 0:
        raise empty_file(path)


def empty_file(path: Path) -> DataError:
    """Build the message for a file that holds nothing."""
    return DataError(f"{path.name} is empty. Expected a header line and at least one row.")


def _state(path: Path, name: str) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        raise DataError(f"{path.name}, part of {name}, is missing or cannot be read. Restore it.") from None
    return status.st_size, status.st_mtime_ns


def read_schema(path: Path) -> pa.Schema:
    """Read what a Parquet file says of its columns, or say why it cannot be read."""
    try:
        return pq.read_schema(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise unreadable(path.name, error) from None


def time_zones(path: Path) -> dict[str, str]:
    """List the columns of a Parquet file that hold times with a zone, each with its zone."""
    times = (column for column in read_schema(path) if pa.types.is_timestamp(column.type))
    return {column.name: column.type.tz for column in times if column.type.tz is not None}


def is_offset(zone: str) -> bool:
    """Tell a fixed offset from the name of a zone.

    >>> is_offset("+05:30"), is_offset("Asia/Kolkata")
    (True, False)
    """
    return _OFFSET.fullmatch(zone) is not None


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
            raise DataError(f"{path.name} has a column without a name. Give it a name.")
        if first is None:
            first, first_path = schema, path
            continue
        for column in [*first.names, *schema.names]:
            if column not in first.names or column not in schema.names:
                having, lacking = (first_path, path) if column in first.names else (path, first_path)
                raise DataError(
                    f"Column {column!r} is in {having.name} but not in {lacking.name}, both part of "
                    f"{files.name}. Give all files the same columns."
                )
            expected, actual = first.field(column).type, schema.field(column).type
            if expected != actual:
                raise DataError(
                    f"Column {column!r} holds {expected} in {first_path.name} but {actual} in {path.name}, both "
                    f"part of {files.name}. Write both with the same type."
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
    """Write tables of one schema to one file; an unfinished file is removed.

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
            f"{path} could not be written: {error.strerror or error}. Choose another folder, or free some disk space."
        ) from None
    finally:
        draft.unlink(missing_ok=True)


def _check_times(table: pa.Table, name: str) -> None:
    """Refuse times in a zone that nobody knows, or in years that no calendar here has."""
    for column in table.schema:
        if not pa.types.is_timestamp(column.type):
            continue
        if column.type.tz is not None and not _is_time_zone(column.type.tz):
            raise DataError(
                f"Column {column.name!r} of {name} has an unknown time zone {column.type.tz!r}. Convert it to UTC."
            )
        span = pc.min_max(table[column.name].cast(pa.int64())).as_py()
        second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
        if span["min"] is not None and max(abs(span["min"]), abs(span["max"])) > _LAST_SECOND * second:
            raise DataError(f"Column {column.name!r} of {name} has times outside the years 1 to 9999. Correct them.")


def _is_time_zone(name: str) -> bool:
    if is_offset(name):
        return True
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
    return True
