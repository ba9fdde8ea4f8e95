"""What a visitor sends: written to disk once, and measured there piece by piece before anything reads it whole."""

from __future__ import annotations

import gzip
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.project.links import store
from app.project.store import StoreError, default_folder
from mandoline_core import DataError, MandolineError
from mandoline_core.data import PARQUET
from mandoline_core.project import base_name

MOST_UPLOADS = 50  # of a visit that are remembered: many more than a page shows
T = TypeVar("T")


def receive(file: UploadedFile, *, keep: bool = True) -> Path:
    """Write an upload to disk, once, and refuse one that unpacks to too much.

    Parameters
    ----------
    keep : bool
        Whether its uploader goes on showing it. If not, the framework lets go of its bytes.
    """
    path = _once("received", file, lambda: _receive(file))
    # The framework keeps every upload in memory as long as its visit lasts; what is on disk need not be there twice.
    context = get_script_run_ctx()
    if not keep and context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    return path


def unpack(file: UploadedFile, read: Callable[[str, Path, Path], T]) -> T:
    """Read an uploaded zip into a folder of its own, once."""

    def work() -> T:
        path = receive(file)
        folder = path.with_name("unpacked")
        try:
            folder.mkdir(exist_ok=True)
            return read(file.name, path, folder)
        except MandolineError:
            shutil.rmtree(path.parent, ignore_errors=True)  # small as it came, it may be large by now
            raise
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"{base_name(file.name)} could not be unpacked: {error.strerror or error}.") from None

    return _once("unpacked", file, work)


def _receive(file: UploadedFile) -> Path:
    path = store().receive(file, file.name)
    try:
        if path.suffix.lower() not in (".toml", ".zip"):
            check_size(path, base_name(file.name))
    except MandolineError:
        path.unlink()
        raise
    return path


def _once(what: str, file: UploadedFile, make: Callable[[], T]) -> T:
    """Do something with an upload once, however often a page is drawn; what is wrong with it stays wrong.

    What is wrong with the disk does not.
    """
    known: dict[str, T | MandolineError] = st.session_state.setdefault(what, {})
    if file.file_id not in known:
        for old in [*known][: -MOST_UPLOADS + 1]:
            del known[old]
        try:
            known[file.file_id] = make()
        except StoreError:
            raise
        except MandolineError as error:
            known[file.file_id] = error
    found = known[file.file_id]
    if isinstance(found, MandolineError):
        raise found
    return found


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
    """Say how large a file is unpacked: a gzip file says so at its end, which was checked when it came.

    A Parquet file is read until it is known to be large: what it says of itself counts a repeated text once.
    """
    if path.suffix.lower() in PARQUET:
        size = 0
        with suppress(pa.ArrowException, OSError), pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_BATCH):
                size += batch.nbytes
                if size > IN_MEMORY:
                    break
        return size
    return _gzip_says(path) if path.suffix.lower() == ".gz" else path.stat().st_size


def _gzip_says(path: Path) -> int:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4))
        return int.from_bytes(file.read(4), "little")


def _check_text(path: Path, name: str) -> None:
    size = rows = line = 0
    first = b""
    for chunk in _unpacked_chunks(path, name):
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
        raise DataError(f"{name} is a gzip file of several parts. Compress it in one part, or save it without .gz.")


def _unpacked_chunks(path: Path, name: str) -> Iterator[bytes]:
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                yield bytes(chunk)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(f"{name} is a damaged gzip file. Compress it again, or save it without .gz.") from None


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
        f"{name} {why}. The limits are {MOST_BYTES / 2**30:g} GB unpacked, {MOST_ROWS:,} rows and {MOST_COLUMNS:,} "
        "columns. Read larger data in place: mandoline app --allow-dir."
    )
