"""The files behind a table: found by name or by pattern, alike in their columns, and known again."""

from __future__ import annotations

import glob
import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from mandoline_core.data.cache import TemporaryFolder
from mandoline_core.data.doors import check_names
from mandoline_core.errors import DataError, did_you_mean

PARQUET = (".parquet", ".pq")
_WILD = "*?["


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
    """

    name: str
    paths: tuple[Path, ...]
    states: tuple[tuple[int, int], ...]
    folder: TemporaryFolder | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, name: str, paths: tuple[Path, ...], folder: TemporaryFolder | None = None) -> Files:
        """Look at the files as they are now."""
        return cls(name, paths, tuple(_state(path, name) for path in paths), folder)

    @property
    def n_bytes(self) -> int:
        """Their size together."""
        return sum(size for size, _ in self.states)

    @cached_property
    def identity(self) -> str:
        """A hash of names, sizes and times of change, and of what Parquet says about its columns at its end."""
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

    def check_alike(self) -> None:
        """Refuse Parquet files whose columns differ, with the file and the column."""
        first: pa.Schema | None = None
        for path in self.paths:
            schema = read_schema(path)
            check_names(sorted(schema.names), path.name)
            if not all(name.split("\0")[0] for name in schema.names):  # DuckDB ends a name there
                raise DataError(f"{path.name} has a column without a name, which not every engine reads. Give it one.")
            if first is None:
                first, first_path = schema, path
                continue
            for column in first.names:
                if column not in schema.names:
                    raise DataError(
                        f"Column {column!r} is in {first_path.name} and not in {path.name}, and both belong to "
                        f"{self.name}. Give all files the same columns."
                    )
                here, there = first.field(column).type, schema.field(column).type
                if here != there:
                    raise DataError(
                        f"Column {column!r} holds {here} in {first_path.name} and {there} in {path.name}, and both "
                        f"belong to {self.name}. Write them with one type."
                    )
            extra = [column for column in schema.names if column not in first.names]
            if extra:
                raise DataError(
                    f"Column {extra[0]!r} is in {path.name} and not in {first_path.name}, and both belong to "
                    f"{self.name}. Give all files the same columns."
                )


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
    found = tuple(Path(name) for name in names if Path(name).is_file())
    if not found:
        folder = path.parent
        near = [item.name for item in folder.iterdir()] if folder.is_dir() else []
        raise DataError(f"No file matches {path.name!r} in {folder}.{did_you_mean(path.name, near)}")
    kinds = {"Parquet" if one.suffix.lower() in PARQUET else "text" for one in found}
    if len(kinds) > 1:
        raise DataError(f"{path.name!r} matches both Parquet and text files. Write a pattern that matches one kind.")
    return found


def _state(path: Path, name: str) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        raise DataError(f"{path.name}, which belongs to {name}, is gone or cannot be read. Put it back.") from None
    return status.st_size, status.st_mtime_ns
