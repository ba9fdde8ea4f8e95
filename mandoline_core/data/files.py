"""Files: found by name or by pattern, refused where they are no tables, and recognised when they change."""

from __future__ import annotations

import glob
import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mandoline_core.data.cache import TemporaryFolder, memory_budget
from mandoline_core.errors import DataError, did_you_mean

PARQUET = (".parquet", ".pq")
_DELIMITED = (".csv", ".tsv", ".tab", ".txt")
_WILD = "*?["
# Parquet is usually so many times smaller on disk than in memory.
_PARQUET_FACTOR = 4


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
