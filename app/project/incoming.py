"""Uploads on their way in: measured piece by piece on disk, before anything reads them whole."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from app.project.store import default_folder
from mandoline_core import DataError
from mandoline_core.data import PARQUET

MOST_BYTES = 2 * 2**30  # unpacked
MOST_ROWS = 20_000_000
MOST_COLUMNS = 5_000
MOST_LINE = 8 * 2**20  # bytes: whatever looks at a text looks at all of it
IN_MEMORY = 128 * 2**20  # unpacked bytes beyond which an upload stays on disk: it takes several times that in memory
_CHUNK = 1 << 20
_BATCH = 4096  # rows
_DELIMITERS = (b",", b";", b"\t", b"|")


def check_size(path: Path, name: str) -> None:
    """Refuse a table that would unpack to more than there is room for; what it says of its own size counts for nothing.

    Parameters
    ----------
    name : str
        What to call it.
    """
    if path.suffix.lower() in PARQUET:
        _check_parquet(path, name)
    else:
        _check_text(path, name)


@lru_cache(maxsize=4096)
def engine_for(path: Path) -> str | None:
    """Choose what goes over an upload's rows: a large one stays on disk, where Polars is installed to read it."""
    if not path.is_relative_to(default_folder()) or find_spec("polars") is None or not path.is_file():
        return None
    return "polars" if _says(path) > IN_MEMORY else None


def _says(path: Path) -> int:
    """Say how large a file is unpacked: a gzip file says so at its end, which was checked when it came."""
    if path.suffix.lower() in PARQUET:
        try:
            found = pq.read_metadata(path)
        except (pa.ArrowException, OSError):
            return 0
        return sum(found.row_group(number).total_byte_size for number in range(found.num_row_groups))
    return _gzip_says(path) if path.suffix.lower() == ".gz" else path.stat().st_size


def _gzip_says(path: Path) -> int:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4))
        return int.from_bytes(file.read(4), "little")


def _check_text(path: Path, name: str) -> None:
    size = rows = line = 0
    first = b""
    for chunk in _unpacked(path, name):
        size += len(chunk)
        line = len(chunk) - chunk.rfind(b"\n") - 1 + (0 if b"\n" in chunk else line)
        if line > MOST_LINE:
            _refuse(name, f"has a line of more than {MOST_LINE / 2**20:g} MB")
        rows += chunk.count(b"\n")
        if b"\n" not in first:
            first += chunk
        if size > MOST_BYTES:
            _refuse(name, f"unpacks to more than {MOST_BYTES / 2**30:g} GB")
        if rows > MOST_ROWS:
            _refuse(name, f"has more than {MOST_ROWS:,} lines")
        header = first.split(b"\n", 1)[0]
        if max(map(header.count, _DELIMITERS)) >= MOST_COLUMNS:
            _refuse(name, f"has more than {MOST_COLUMNS:,} columns")
        if b"\n" in first:
            first = b"\n"  # it was looked at
    if path.suffix.lower() == ".gz" and size > IN_MEMORY and _gzip_says(path) != size:
        raise DataError(f"{name} was packed in several parts. Pack it again in one, or save it without .gz.")


def _unpacked(path: Path, name: str) -> Iterator[bytes]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                yield bytes(chunk)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(f"{name} is not a whole gzip file. Compress it again, or save it without .gz.") from None


def _check_parquet(path: Path, name: str) -> None:
    try:
        with pq.ParquetFile(path) as file:
            if file.metadata.num_columns > MOST_COLUMNS:
                _refuse(name, f"has more than {MOST_COLUMNS:,} columns")
            if file.metadata.num_rows > MOST_ROWS:
                _refuse(name, f"has more than {MOST_ROWS:,} rows")
            size = 0
            for batch in file.iter_batches(_BATCH):
                size += batch.nbytes
                if size > MOST_BYTES:
                    _refuse(name, f"unpacks to more than {MOST_BYTES / 2**30:g} GB")
    except (pa.ArrowException, OSError):
        return  # whoever reads it says what is wrong


def _refuse(name: str, why: str) -> NoReturn:
    raise DataError(
        f"{name} {why}. An upload may unpack to at most {MOST_BYTES / 2**30:g} GB, {MOST_ROWS:,} rows and "
        f"{MOST_COLUMNS:,} columns. Larger data are read where they lie: mandoline app --allow-dir."
    )
