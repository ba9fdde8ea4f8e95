"""Uploaded files: received piece by piece, kept once for all who upload the same bytes."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from app.project.store.database import Database
from app.project.store.folder import Folder, StoreError, steady_time, sync_folder
from app.project.store.revisions import head_number
from mandoline_core.project import base_name

MAX_BYTES = 20 * 2**30  # of uploaded files, in one data directory
KEEP_UNUSED = 24 * 60 * 60.0  # seconds that a file is kept which came and was not used
_PIECE = 1 << 20  # bytes


class Uploads:
    """Keep the files that projects use."""

    def __init__(self, folder: Folder, database: Database) -> None:
        self._folder, self._database = folder, database

    def tidy(self) -> None:
        """Drop what an earlier server has left behind; what cannot be dropped now is tried again at the next start."""
        with suppress(OSError):
            self._drop_abandoned()
        with suppress(StoreError):
            self.drop_unused()

    def receive(self, content: BinaryIO, name: str) -> Path:
        """Write what comes to disk, piece by piece, under its name; return where it is until somebody uses it."""
        folder = self._folder.incoming / secrets.token_hex(8)
        path = folder / base_name(name)
        try:
            self._drop_abandoned()
            folder.mkdir()
            path.touch(mode=0o600)
            with path.open("wb") as file:
                shutil.copyfileobj(content, file, _PIECE)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise _unwritten(error) from None
        return path

    def add(self, project: str, content: bytes | Path, suffix: str) -> Path:
        """Keep a file, once for all who upload the same bytes, and return where it is.

        Parameters
        ----------
        content : bytes or Path
            What is in it, or its path: a file that was received is moved, any other is copied.
        """
        try:
            if isinstance(content, bytes):
                content = self.receive(io.BytesIO(content), f"file{suffix}")
            elif not content.is_relative_to(self._folder.incoming):
                with content.open("rb") as file:
                    content = self.receive(file, content.name)
            digest, size = _written_down(content)
            path = self._folder.files / f"{digest}{suffix}"
            self._announce(project, path.name, suffix, size)
            try:
                self._keep(project, content, path, suffix, size)
            except BaseException:
                with suppress(StoreError):  # what is left now is dropped at the next start
                    self.drop_unused()
                raise
        except OSError as error:
            raise _unwritten(error) from None
        finally:
            if isinstance(content, Path) and content.is_relative_to(self._folder.incoming):
                with suppress(OSError):  # others that came with it may still be there
                    content.unlink(missing_ok=True)
                    content.parent.rmdir()
        return path

    def _announce(self, project: str, name: str, suffix: str, size: int) -> None:
        """Note a file before it comes to its place: one that nobody came to use is found by its note, and dropped."""
        with self._database.transaction() as database:
            head_number(database, project)  # or say that it is gone
            if database.execute("SELECT 1 FROM file WHERE hash = ?", (name,)).fetchone() is not None:
                return
            (total,) = database.execute("SELECT COALESCE(SUM(bytes), 0) FROM file").fetchone()
            if total + size > MAX_BYTES:
                raise StoreError(
                    f"No room for this file: uploads are limited to {MAX_BYTES / 2**30:.0f} GB in total. "
                    "Delete a project."
                )
            database.execute("INSERT INTO file VALUES (?, ?, ?)", (name, suffix, size))

    def _keep(self, project: str, received: Path, path: Path, suffix: str, size: int) -> None:
        """Move a file to its place, and note who uses it. Meanwhile nobody else writes or drops any."""
        with self._database.transaction() as database:
            head_number(database, project)
            if not path.exists() or path.stat().st_size != size:
                received.replace(path)  # whole or not at all, also when the server is killed
                sync_folder(path.parent)
            database.execute("INSERT OR IGNORE INTO file VALUES (?, ?, ?)", (path.name, suffix, size))
            database.execute("INSERT OR IGNORE INTO uses VALUES (?, ?)", (project, path.name))

    def drop_unused(self) -> None:
        """Delete the files that no project uses; one that a state names stays, whatever the notes say."""
        with self._database.transaction() as database:
            unused = database.execute(
                "SELECT hash FROM file WHERE hash NOT IN (SELECT hash FROM uses)"
                " AND NOT EXISTS (SELECT 1 FROM revision WHERE instr(document, hash) > 0)"
            ).fetchall()
            for (name,) in unused:
                try:
                    (self._folder.files / name).unlink(missing_ok=True)
                except OSError as error:
                    raise StoreError(
                        f"Could not delete an unused upload: {error.strerror}. The app retries at its next start."
                    ) from None
                database.execute("DELETE FROM file WHERE hash = ?", (name,))

    def _drop_abandoned(self) -> None:
        """Drop what was uploaded and never used."""
        for path in self._folder.incoming.iterdir():
            with suppress(OSError):  # someone else may have dropped it
                if steady_time() - path.stat().st_mtime > KEEP_UNUSED:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def _written_down(path: Path) -> tuple[str, int]:
    """Write a file down for good, should the power fail, and return what tells it from others, and its size."""
    with path.open("r+b") as file:
        os.fsync(file.fileno())
        return hashlib.file_digest(file, "sha256").hexdigest(), os.fstat(file.fileno()).st_size


def _unwritten(error: OSError) -> StoreError:
    return StoreError(f"The file could not be written: {error.strerror or error}. Nothing was saved.")
