"""The database of saved projects: connections, transactions, and setting a damaged one aside."""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.project.store import schema
from app.project.store.folder import Folder


class Database:
    """Open the database of a folder.

    Each call has a connection to itself: Streamlit runs every visitor's script in a thread of its own. Connections are
    kept for the next call, because opening and closing one takes longer than what it is used for.
    """

    def __init__(self, folder: Folder) -> None:
        self._idle: deque[sqlite3.Connection] = deque()
        self._path = folder.database
        self.set_aside: Path | None = None  # a damaged database, under its new name
        try:
            self._prepare()
        except sqlite3.OperationalError as error:  # locked, read-only, no room
            raise folder.unusable(str(error)) from None
        except sqlite3.DatabaseError:
            self._put_aside()
            self._prepare()

    def _prepare(self) -> None:
        with self.transaction() as database:
            schema.prepare(database)
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(found)
        for path in self._path.parent.glob(f"{self._path.name}*"):
            path.chmod(0o600)

    def _put_aside(self) -> None:
        """Give a damaged database another name, so that nothing in it is lost, and start with an empty one."""
        self.close()
        name, mark = self._path.name, time.strftime("damaged-%Y%m%d-%H%M%S")
        for path in sorted(self._path.parent.glob(f"{name}*")):
            if "damaged-" not in path.name:
                path.rename(path.with_name(path.name.replace(name, f"{name}.{mark}", 1)))
        self.set_aside = self._path.with_name(f"{name}.{mark}")

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Give a connection to read with."""
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
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection to write with: all that is written is kept, or nothing."""
        with self.connection() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
            if database.in_transaction:
                database.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=30, isolation_level=None, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA foreign_keys = ON")
        return database

    def close(self) -> None:
        """Close the connections that are kept open."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        self.close()
