"""The database of saved projects: connections, transactions, coming to the present form, and setting damage aside."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from app.project.store import schema
from app.project.store.folder import Folder, StoreError, in_words, is_damage, sync_folder

_PARTS = ("", "-wal", "-shm", "-journal")  # the files of one database, by how their names end
_WAIT = 30.0  # seconds for others to finish writing


class Database:
    """Open the database of a folder.

    Each call has a connection to itself: Streamlit runs every visitor's script in a thread of its own. Connections are
    kept for the next call, because opening and closing one takes longer than what it is used for.
    """

    def __init__(self, folder: Folder) -> None:
        self._idle: deque[sqlite3.Connection] = deque()
        self._first: sqlite3.Connection | None = None
        self._path = folder.database
        self._state: tuple[int, int] | None = None  # which file it is, once it is open
        self.set_aside: Path | None = None  # a damaged database, under its new name
        try:
            if self._is_damaged():
                self._put_aside()
            self._prepare()
            # Open as long as the server runs. A change that could not be brought to the disk is not saved; but were the
            # last connection closed then, the next one would find it in the journal and take it for saved.
            self._first = self._open()
            self._state = _identity(self._path)
        except sqlite3.Error as error:  # locked, read-only, no room
            raise folder.unusable(str(error)) from None
        except OSError as error:
            raise folder.unusable(error.strerror or str(error)) from None

    def _is_damaged(self) -> bool:
        """Look through what is there without writing: what is damaged stays as it is, to the byte."""
        if not self._path.exists() or self._path.stat().st_size == 0:
            # Changes that belong to a database which is not there: SQLite would throw them away.
            changes = self._part("-wal")
            return changes.exists() and changes.stat().st_size > 0
        try:
            with closing(
                sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", timeout=_WAIT, uri=True)
            ) as database:
                (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
                schema.check(database)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return is_damage(error)  # anything else is said by who wants to write
        return bool(found != "ok")

    def _prepare(self) -> None:
        with self._writing() as database:
            form = schema.form_of(database)
            if 0 < form < schema.VERSION:
                self._copy(self._part(f".form-{form}"))
            schema.prepare(database)
        for end in _PARTS:
            with suppress(FileNotFoundError):
                self._part(end).chmod(0o600)

    def _copy(self, to: Path) -> None:
        """Copy the database as it was saved last, whole or not at all, before it is changed from the ground up."""
        begun = to.with_name(f"{to.name}.part")
        try:
            begun.unlink(missing_ok=True)
            begun.touch(mode=0o600)
            # By a connection of its own: one that has begun to write would wait for itself.
            with closing(sqlite3.connect(self._path)) as saved, closing(sqlite3.connect(begun)) as copy:
                saved.backup(copy)
            with begun.open("r+b") as file:
                os.fsync(file.fileno())
            begun.replace(to)
        except BaseException:
            begun.unlink(missing_ok=True)
            raise
        sync_folder(to.parent)

    def _put_aside(self) -> None:
        """Give a damaged database another name, so that nothing in it is lost, and start with an empty one."""
        mark = time.strftime("damaged-%Y%m%d-%H%M%S")
        others = len(list(self._path.parent.glob(f"{self._path.name}.{mark}*")))
        aside = f".{mark}-{others + 1}" if others else f".{mark}"
        for end in _PARTS:
            with suppress(FileNotFoundError):
                self._part(end).rename(self._part(aside + end))
        self.set_aside = self._part(aside)

    def _part(self, end: str) -> Path:
        return self._path.with_name(self._path.name + end)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Give a connection to read with."""
        with in_words(), self._lent() as database:
            yield database

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection to write with: all that is written is kept, or nothing."""
        with in_words(), self._writing() as database:
            yield database

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        self._check_there()
        try:
            database = self._idle.pop()
        except IndexError:
            database = self._open()
        try:
            yield database
        except BaseException:
            database.close()
            raise
        self._idle.append(database)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lent() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                with suppress(sqlite3.Error):  # some errors end the transaction, and closing the connection ends any
                    database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
            self._check_there()

    def _check_there(self) -> None:
        """Notice a file that was deleted or replaced: what is written to it would be lost with the server."""
        if self._state is not None and _identity(self._path) != self._state:
            raise StoreError(
                "The file of saved projects was deleted or replaced while the app was running. Nothing was saved. "
                "Restore it, and restart the app."
            )

    def shorten_journal(self) -> None:
        """Bring changes to their place, so that the journal gives its room back; what cannot be done now can wait."""
        with suppress(sqlite3.Error, StoreError), self._lent() as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            # What was saved is still there when the power fails: with NORMAL, which some builds of SQLite take for this
            # journal, the last changes may not be. It costs waiting: on a virtual disk 4 ms a save, 60 times as long.
            database.execute("PRAGMA synchronous = FULL")
            database.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Close the connections that are kept open."""
        while self._idle:
            self._idle.pop().close()
        if self._first is not None:
            self._first.close()

    def __del__(self) -> None:
        self.close()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
