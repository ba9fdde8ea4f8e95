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
        That they lie in, where it is to go with them.
    original : Files, optional
        That they were converted from: who they are does not depend on where their copy lies.
    """

    name: str
    paths: tuple[Path, ...]
    states: tuple[tuple[int, int], ...]
    folder: TemporaryFolder | None = field(default=None, compare=False, repr=False)
    original: Files | None = None

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
    def identity(self) -> str:
        """A hash of names, sizes and times of change, and of what Parquet says about its columns at its end."""
        if self.original is not None:
            return self.original.identity
        digest = hashlib.blake2b(digest_size=16)
        for path, state in zip(self.paths, self.states, strict=True):
            digest.update(repr((str(path.resolve()), *state)).encode())
            with path.open("rb") as file:
                file.seek(max(0, state[0] - (1 << 16)))
                digest.update(file.read())
        return digest.hexdigest()

    def check_unchanged(self) -> None:
        """Refuse files that are not what they were."""
        for path, state in zip(self.paths, self.states, strict=True):
            if _state(path, self.name) != state:
                raise DataError(
                    f"{path.name} changed while it was being read, so the counts are of no use. Run it again."
                )


def fits_in_memory(files: Files, limit: int | None = None) -> bool:
    """Tell whether files are small enough to be read whole: the one rule of what fits in memory.

    Parameters
    ----------
    limit : int, optional
        Bytes; a share of this machine's memory when left out. A server with many visitors has less for each.
    """
    n_bytes = files.n_bytes * (_PARQUET_FACTOR if files.are_parquet else 1)
    return n_bytes <= (memory_budget() if limit is None else limit)


def is_pattern(path: Path) -> bool:
    """Tell whether a path stands for several files.

    >>> is_pattern(Path("weekly/*.parquet")), is_pattern(Path("weekly/a.parquet"))
    (True, False)
    """
    return any(sign in str(path) for sign in _WILD) and not path.exists()


def find_files(path: Path) -> tuple[Path, ...]:
    """List the files that a path names: itself, or those that match its pattern, in the order of their names."""
    if not is_pattern(path):
        return (path,)
    # Path.glob takes no pattern with folders above it that is absolute, as most are here.
    names = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207
    paths = tuple(Path(name) for name in names if Path(name).is_file())
    if not paths:
        folder = path.parent
        near = [item.name for item in folder.iterdir()] if folder.is_dir() else []
        raise DataError(f"No file matches {path.name!r} in {folder}.{did_you_mean(path.name, near)}")
    if len({match.suffix.lower() in PARQUET for match in paths}) > 1:
        raise DataError(f"{path.name!r} matches both Parquet and text files. Write a pattern that matches one kind.")
    return paths


def check_path(path: Path) -> None:
    """Refuse what is no file that can be read here."""
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file. Name the CSV or Parquet file in it.")
    if not path.is_file():
        near = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
        where = f"{path.parent}" if path.parent.is_dir() else f"{path.parent}, a folder that does not exist"
        raise DataError(f"File {path.name!r} is not in {where}.{did_you_mean(path.name, near)}")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else "".join(suffixes[-1:])
    if kind not in _DELIMITED + PARQUET or (kind in PARQUET and suffixes[-1] == ".gz"):
        wanted = "CSV (.csv, .tsv, .txt, also .gz) or Parquet (.parquet, .pq)"
        raise DataError(
            f"{path.name} is not a table that can be read here. Expected {wanted}. Save it as one of these."
        )
    if path.stat().st_size == 0:
        raise empty_file(path)


def empty_file(path: Path) -> DataError:
    """Build the message for a file that holds nothing."""
    return DataError(f"{path.name} is empty. Expected a header line and at least one row.")


def _state(path: Path, name: str) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        raise DataError(f"{path.name}, which belongs to {name}, is gone or cannot be read. Put it back.") from None
    return status.st_size, status.st_mtime_ns


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
        if column.type.tz is not None and not _is_time_zone(column.type.tz):
            raise DataError(
                f"Column {column.name!r} of {name} is in time zone {column.type.tz!r}, which is none. Write it in UTC."
            )
        span = pc.min_max(table[column.name].cast(pa.int64())).as_py()
        second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
        if span["min"] is not None and max(abs(span["min"]), abs(span["max"])) > _LAST_SECOND * second:
            raise DataError(f"Column {column.name!r} of {name} holds times outside of the years 1 to 9999. Mend them.")


def _is_time_zone(name: str) -> bool:
    if _OFFSET.fullmatch(name):
        return True
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return False
    return True
