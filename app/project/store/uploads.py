"""Uploaded files: received piece by piece, kept once for all who upload the same bytes."""

from __future__ import annotations

import hashlib
import io
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from app.project.store.database import Database
from app.project.store.errors import StoreError
from app.project.store.folder import Folder
from mandoline_core.project import base_name

MAX_BYTES = 20 * 2**30  # of uploaded files, in one data directory
KEEP_UNUSED = 24 * 60 * 60.0  # seconds that a file is kept which came and was not used
_PIECE = 1 << 20  # bytes


class Uploads:
    """Keep the files that projects use."""

    def __init__(self, folder: Folder, database: Database) -> None:
        self._folder, self._database = folder, database
        self._drop_abandoned()

    def receive(self, content: BinaryIO, name: str) -> Path:
        """Write what comes to disk, piece by piece, under its name; return where it is until somebody uses it."""
        self._drop_abandoned()
        folder = self._folder.incoming / secrets.token_hex(8)
        path = folder / base_name(name)
        try:
            folder.mkdir()
            path.touch(mode=0o600)
            with path.open("wb") as file:
                shutil.copyfileobj(content, file, _PIECE)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"The file could not be written: {error.strerror}. Nothing was kept.") from None
        return path

    def add(self, project: str, content: bytes | Path, suffix: str) -> Path:
        """Keep a file, once for all who upload the same bytes, and return where it is.

        Parameters
        ----------
        content : bytes or Path
            What is in it, or where it lies: a file that was received is moved, any other is copied.
        """
        if isinstance(content, bytes):
            content = self.receive(io.BytesIO(content), f"file{suffix}")
        elif not content.is_relative_to(self._folder.incoming):
            with content.open("rb") as file:
                content = self.receive(file, content.name)
        try:
            return self._add(project, content, suffix)
        finally:
            content.unlink(missing_ok=True)
            with suppress(OSError):  # others that came with it may still be there
                content.parent.rmdir()

    def _add(self, project: str, received: Path, suffix: str) -> Path:
        with received.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        path, size = self._folder.files / f"{digest}{suffix}", received.stat().st_size
        with self._database.transaction() as database:
            known = database.execute("SELECT 1 FROM file WHERE hash = ?", (path.name,)).fetchone()
            if known is None:
                total = database.execute("SELECT COALESCE(SUM(bytes), 0) FROM file").fetchone()[0]
                if total + size > MAX_BYTES:
                    raise StoreError(
                        f"There is no room for this file: {MAX_BYTES / 2**30:.0f} GB are kept already. "
                        "Delete a project you no longer need."
                    )
                received.replace(path)  # whole or not at all, also when the server is killed
                database.execute("INSERT INTO file VALUES (?, ?, ?)", (path.name, suffix, size))
            database.execute("INSERT OR IGNORE INTO uses VALUES (?, ?)", (project, path.name))
        return path

    def drop(self, *names: str) -> None:
        """Delete files that no project uses any more."""
        for name in names:
            (self._folder.files / name).unlink(missing_ok=True)

    def _drop_abandoned(self) -> None:
        """Drop what was uploaded and never used."""
        for path in self._folder.incoming.iterdir():
            with suppress(OSError):  # someone else may have dropped it
                if time.time() - path.stat().st_mtime > KEEP_UNUSED:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
