"""What a visitor sends: written to disk and measured once, however often its page is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app.project import incoming
from app.project.links import store
from app.project.store import StoreError
from mandoline_core import MandolineError
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
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"{base_name(file.name)} could not be unpacked: {error.strerror or error}.") from None

    return _once("unpacked", file, work)


def _receive(file: UploadedFile) -> Path:
    path = store().receive(file, file.name)
    try:
        if path.suffix.lower() not in (".toml", ".zip"):
            incoming.check_size(path, base_name(file.name))
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
