"""Saved projects: every change is a revision in one SQLite file; uploaded files are kept once, by content."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mandoline_core import MandolineError

MAX_BYTES = 20 * 2**30  # of uploaded files, in one data directory
MAX_REVISIONS = 500  # of one project; the oldest go first

_SCHEMA = """
CREATE TABLE IF NOT EXISTS project (id TEXT PRIMARY KEY, head INTEGER NOT NULL, touched REAL NOT NULL);
CREATE TABLE IF NOT EXISTS revision (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE TABLE IF NOT EXISTS file (hash TEXT PRIMARY KEY, suffix TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS uses (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (project, hash)
);
"""

Document = dict[str, Any]


class StoreError(MandolineError):
    """Report something that could not be saved or found."""


@dataclass(frozen=True)
class Revision:
    """Hold one state of a project, and whether there are states before and after it."""

    number: int
    label: str
    document: Document
    can_undo: bool
    can_redo: bool


class Store:
    """Keep projects in a folder.

    Each call has a connection to itself: Streamlit runs every visitor's script in a thread of its own. Connections are
    kept for the next call, because opening and closing one takes longer than what it is used for.
    """

    def __init__(self, folder: Path) -> None:
        self._idle: deque[sqlite3.Connection] = deque()
        self.folder = folder
        self.files = folder / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        with self._transaction() as database:
            database.executescript(_SCHEMA)

    def create(self, document: Document) -> str:
        """Save a new project and return its id, which cannot be guessed."""
        project = secrets.token_urlsafe(16)
        with self._transaction() as database:
            database.execute("INSERT INTO project VALUES (?, 0, ?)", (project, time.time()))
            database.execute("INSERT INTO revision VALUES (?, 0, 'start', ?)", (project, _dumped(document)))
        return project

    def exists(self, project: str) -> bool:
        """Tell whether a project is known."""
        with self._connection() as database:
            return database.execute("SELECT 1 FROM project WHERE id = ?", (project,)).fetchone() is not None

    def head(self, project: str) -> Revision:
        """Return the current state of a project."""
        with self._connection() as database:
            row = database.execute(
                "SELECT number, label, document,"
                " EXISTS (SELECT 1 FROM revision b WHERE b.project = r.project AND b.number < r.number),"
                " EXISTS (SELECT 1 FROM revision a WHERE a.project = r.project AND a.number > r.number)"
                " FROM revision r JOIN project p ON p.id = r.project AND p.head = r.number WHERE p.id = ?",
                (project,),
            ).fetchone()
        if row is None:
            raise StoreError("This project is not here: it was deleted, or the link is wrong. Start a new one.")
        return Revision(row[0], row[1], json.loads(row[2]), bool(row[3]), bool(row[4]))

    def save(self, project: str, document: Document, label: str) -> None:
        """Add a state after the current one; states that were undone are dropped."""
        with self._transaction() as database:
            head = _head_number(database, project)
            database.execute("DELETE FROM revision WHERE project = ? AND number > ?", (project, head))
            database.execute("INSERT INTO revision VALUES (?, ?, ?, ?)", (project, head + 1, label, _dumped(document)))
            database.execute("UPDATE project SET head = ?, touched = ? WHERE id = ?", (head + 1, time.time(), project))
            database.execute(
                "DELETE FROM revision WHERE project = ? AND number <= ?", (project, head + 1 - MAX_REVISIONS)
            )

    def amend(self, project: str, document: Document) -> None:
        """Replace the current state, for what is not worth a step of undo, such as a slider on its way."""
        with self._transaction() as database:
            head = _head_number(database, project)
            database.execute(
                "UPDATE revision SET document = ? WHERE project = ? AND number = ?", (_dumped(document), project, head)
            )

    def step(self, project: str, by: int) -> str | None:
        """Go one state back (-1) or forward (1); return the label of the change, or None at the end."""
        with self._transaction() as database:
            head = _head_number(database, project)
            row = database.execute(
                "SELECT label FROM revision WHERE project = ? AND number = ?", (project, head + by)
            ).fetchone()
            if row is None:
                return None
            undone = database.execute(
                "SELECT label FROM revision WHERE project = ? AND number = ?", (project, max(head, head + by))
            ).fetchone()
            database.execute("UPDATE project SET head = ? WHERE id = ?", (head + by, project))
            return str(undone[0])

    def add_file(self, project: str, content: bytes, suffix: str) -> Path:
        """Keep a file, once for all who upload the same bytes, and return where it is."""
        digest = hashlib.sha256(content).hexdigest()
        path = self.files / f"{digest}{suffix}"
        with self._transaction() as database:
            known = database.execute("SELECT 1 FROM file WHERE hash = ?", (path.name,)).fetchone()
            if known is None:
                total = database.execute("SELECT COALESCE(SUM(bytes), 0) FROM file").fetchone()[0]
                if total + len(content) > MAX_BYTES:
                    raise StoreError(
                        f"There is no room for this file: {MAX_BYTES / 2**30:.0f} GB are kept already. "
                        "Delete a project you no longer need."
                    )
                temporary = path.with_suffix(f".{secrets.token_hex(4)}.part")
                temporary.write_bytes(content)
                temporary.replace(path)  # whole or not at all, also when the server is killed
                database.execute("INSERT INTO file VALUES (?, ?, ?)", (path.name, suffix, len(content)))
            database.execute("INSERT OR IGNORE INTO uses VALUES (?, ?)", (project, path.name))
        return path

    def delete(self, project: str) -> None:
        """Delete a project, its history, and the files that no other project uses."""
        with self._transaction() as database:
            database.execute("DELETE FROM project WHERE id = ?", (project,))
            orphans = database.execute("SELECT hash FROM file WHERE hash NOT IN (SELECT hash FROM uses)").fetchall()
            database.execute("DELETE FROM file WHERE hash NOT IN (SELECT hash FROM uses)")
        for (name,) in orphans:
            (self.files / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connections that are kept open."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        self.close()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
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

    def _open(self) -> sqlite3.Connection:
        path = self.folder / "projects.sqlite"
        database = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA foreign_keys = ON")
        return database

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._connection() as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise
            if database.in_transaction:
                database.execute("COMMIT")


def default_folder() -> Path:
    """Return where a person's projects are kept unless told otherwise."""
    given = os.environ.get("MANDOLINE_DATA_DIR")
    if given:
        return Path(given).expanduser().resolve()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "mandoline"


def _dumped(document: Document) -> str:
    return json.dumps(document, ensure_ascii=False)


def _head_number(database: sqlite3.Connection, project: str) -> int:
    row = database.execute("SELECT head FROM project WHERE id = ?", (project,)).fetchone()
    if row is None:
        raise StoreError("This project is not here: it was deleted, or the link is wrong. Start a new one.")
    return int(row[0])
