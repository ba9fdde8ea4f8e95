"""Saved projects: every change is a revision in one SQLite file; uploaded files are kept once, by content."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import shutil
import sqlite3
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from app.project import schema
from mandoline_core import MandolineError
from mandoline_core.project import base_name

MAX_BYTES = 20 * 2**30  # of uploaded files, in one data directory
MAX_REVISIONS = 500  # of one project; the oldest go first, but not those with a name
_PIECE = 1 << 20  # bytes
KEEP_UNLISTED = 24 * 60 * 60.0  # seconds that a project is kept which nobody has changed

_DATABASE = "projects.sqlite"
_GONE = "This project is not here: it was deleted, or the link is wrong. Start a new one."
_SELECT = (
    "SELECT r.number, r.label, r.document,"
    " EXISTS (SELECT 1 FROM revision b WHERE b.project = r.project AND b.number = r.parent),"
    " EXISTS (SELECT 1 FROM revision a WHERE a.project = r.project AND a.parent = r.number),"
    " r.parent, r.made, r.summaries, r.snapshot, r.project FROM revision r"
)
_HEADS = _SELECT + " JOIN project p ON p.id = r.project AND p.head = r.number"

Document = dict[str, Any]


class StoreError(MandolineError):
    """Report something that could not be saved or found."""


@dataclass(frozen=True)
class Revision:
    """Hold one state of a project, and whether there are states before and after it.

    Parameters
    ----------
    label : str
        What was done to come here.
    parent : int, optional
        The state that this one was made from.
    made : float
        When, in seconds since 1970.
    summaries : dict
        What was estimated in this state, by model.
    snapshot : str
        The name that a person gave it, or nothing.
    """

    number: int
    label: str
    document: Document
    can_undo: bool
    can_redo: bool
    parent: int | None = None
    made: float = 0.0
    summaries: Document = field(default_factory=dict)
    snapshot: str = ""


@dataclass(frozen=True)
class Entry:
    """Hold one line of the list of projects: its current state, when it was changed, and whether it is put away."""

    id: str
    head: Revision
    touched: float
    archived: bool


class Store:
    """Keep projects in a folder.

    Each call has a connection to itself: Streamlit runs every visitor's script in a thread of its own. Connections are
    kept for the next call, because opening and closing one takes longer than what it is used for.

    States form a tree: a change made after undo leaves what was undone where it is, beside the line that undo walks.
    """

    def __init__(self, folder: Path) -> None:
        self._idle: deque[sqlite3.Connection] = deque()
        self.folder = folder
        self.files = folder / "files"
        self.incoming = folder / "incoming"
        self.set_aside: Path | None = None  # a damaged database, under its new name
        self._open_folder()
        try:
            self._prepare()
        except sqlite3.OperationalError as error:  # locked, read-only, no room
            raise self._unusable(str(error)) from None
        except sqlite3.DatabaseError:
            self._put_aside()
            self._prepare()
        self._drop_untouched()
        self._drop_abandoned()

    def _open_folder(self) -> None:
        """Make the folder, for its owner alone, or say why it cannot be used."""
        try:
            for place in (self.files, self.incoming):
                place.mkdir(parents=True, exist_ok=True)
            for place in (self.folder, self.files, self.incoming):
                place.chmod(0o700)
        except (FileExistsError, NotADirectoryError):
            raise self._unusable("there is a file where the folder should be") from None
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from None

    def _prepare(self) -> None:
        with self._transaction() as database:
            schema.prepare(database)
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(found)
        for path in self.folder.glob(f"{_DATABASE}*"):
            path.chmod(0o600)

    def _put_aside(self) -> None:
        """Give a damaged database another name, so that nothing in it is lost, and start with an empty one."""
        self.close()
        mark = time.strftime("damaged-%Y%m%d-%H%M%S")
        for path in sorted(self.folder.glob(f"{_DATABASE}*")):
            if "damaged-" not in path.name:
                path.rename(path.with_name(path.name.replace(_DATABASE, f"{_DATABASE}.{mark}", 1)))
        self.set_aside = self.folder / f"{_DATABASE}.{mark}"

    def _unusable(self, why: str) -> StoreError:
        return StoreError(
            f"Projects cannot be kept in {self.folder.name!r}: {why}. Mend that, or name another place with --data-dir."
        )

    def create(self, document: Document, *, listed: bool = True, label: str = "start") -> str:
        """Save a new project and return its id, which cannot be guessed.

        Parameters
        ----------
        listed : bool
            Show it among the projects from the start, not only once it was changed.
        """
        project, now = secrets.token_urlsafe(16), time.time()
        with self._transaction() as database:
            database.execute(
                "INSERT INTO project (id, head, touched, created, listed) VALUES (?, 0, ?, ?, ?)",
                (project, now, now, listed),
            )
            _insert(database, project, 0, label, document, parent=None)
        return project

    def exists(self, project: str) -> bool:
        """Tell whether a project is known."""
        with self._connection() as database:
            return database.execute("SELECT 1 FROM project WHERE id = ?", (project,)).fetchone() is not None

    def entries(self) -> list[Entry]:
        """List the projects that are to be shown, the last changed first."""
        with self._connection() as database:
            heads = {row[-1]: _revision(row) for row in database.execute(_HEADS + " WHERE p.listed")}
            rows = database.execute(
                "SELECT id, touched, archived FROM project WHERE listed ORDER BY touched DESC"
            ).fetchall()
        return [Entry(project, heads[project], touched, bool(away)) for project, touched, away in rows]

    def head(self, project: str) -> Revision:
        """Return the current state of a project."""
        with self._connection() as database:
            row = database.execute(_HEADS + " WHERE p.id = ?", (project,)).fetchone()
        if row is None:
            raise StoreError(_GONE)
        return _revision(row)

    def revision(self, project: str, number: int) -> Revision | None:
        """Return one state of a project, unless it is too old to be here."""
        with self._connection() as database:
            row = database.execute(_SELECT + " WHERE r.project = ? AND r.number = ?", (project, number)).fetchone()
        return None if row is None else _revision(row)

    def before(self, project: str) -> Revision | None:
        """Return the state before the last edit, of which steps under one label, as a slider makes them, are part."""
        with self._connection() as database:
            row = database.execute(
                "WITH RECURSIVE line (number, label, parent, last) AS ("
                " SELECT r.number, r.label, r.parent, r.label"
                " FROM project p JOIN revision r ON r.project = p.id AND r.number = p.head WHERE p.id = :id"
                " UNION ALL SELECT r.number, r.label, r.parent, line.last"
                " FROM line JOIN revision r ON r.project = :id AND r.number = line.parent)"
                " SELECT number FROM line WHERE label != last LIMIT 1",
                {"id": project},
            ).fetchone()
        return None if row is None else self.revision(project, row[0])

    def history(self, project: str) -> list[Revision]:
        """List all states of a project, the oldest first."""
        with self._connection() as database:
            rows = database.execute(_SELECT + " WHERE r.project = ? ORDER BY r.number", (project,)).fetchall()
        return [_revision(row) for row in rows]

    def save(self, project: str, document: Document, label: str, *, after: int | None = None) -> int | None:
        """Add a state after the current one.

        Parameters
        ----------
        after : int, optional
            The state that this one was made from.

        Returns
        -------
        int or None
            The number of the new state; None, and nothing is saved, where someone else has saved one in the meantime.
        """
        with self._transaction() as database:
            head = _head_number(database, project)
            if after not in (None, head):
                return None
            (last,) = database.execute("SELECT MAX(number) FROM revision WHERE project = ?", (project,)).fetchone()
            _insert(database, project, last + 1, label, document, parent=head)
            database.execute(
                "UPDATE project SET head = ?, touched = ?, listed = 1 WHERE id = ?", (last + 1, time.time(), project)
            )
            database.execute(
                "DELETE FROM revision WHERE project = ? AND number <= ? AND snapshot = ''",
                (project, last + 1 - MAX_REVISIONS),
            )
        return int(last + 1)

    def amend(self, project: str, more: Document) -> None:
        """Put more into the current state, for what is not worth a step of undo, such as which model is on show."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT number, document FROM revision r JOIN project p ON p.id = r.project AND head = number"
                " WHERE p.id = ?",
                (project,),
            ).fetchone()
            if row is None:
                raise StoreError(_GONE)
            database.execute(
                "UPDATE revision SET document = ? WHERE project = ? AND number = ?",
                (_dumped({**json.loads(row[1]), **more}), project, row[0]),
            )
            _claim(database, project, more)

    def summarise(self, project: str, number: int, model: str, summary: Document) -> None:
        """Write beside a state what was estimated in it for a model."""
        with self._transaction() as database:
            row = database.execute(
                "SELECT summaries FROM revision WHERE project = ? AND number = ?", (project, number)
            ).fetchone()
            if row is not None:
                database.execute(
                    "UPDATE revision SET summaries = ? WHERE project = ? AND number = ?",
                    (_dumped({**json.loads(row[0]), model: summary}), project, number),
                )

    def name(self, project: str, number: int, snapshot: str) -> None:
        """Give a state a name, under which it is kept; no name takes it away again."""
        with self._transaction() as database:
            database.execute(
                "UPDATE revision SET snapshot = ? WHERE project = ? AND number = ?", (snapshot, project, number)
            )
            database.execute("UPDATE project SET listed = 1 WHERE id = ?", (project,))

    def step(self, project: str, by: int) -> str | None:
        """Go one state back (-1) or forward (1); return the label of the change, or None at the end."""
        with self._transaction() as database:
            head = _head_number(database, project)
            (parent, label) = database.execute(
                "SELECT parent, label FROM revision WHERE project = ? AND number = ?", (project, head)
            ).fetchone()
            to = "SELECT number, label FROM revision WHERE project = ? AND number = ?"
            if by > 0:
                to = "SELECT number, label FROM revision WHERE project = ? AND parent = ? ORDER BY number DESC"
            row = database.execute(to, (project, head if by > 0 else parent)).fetchone()
            if row is None:
                return None
            database.execute("UPDATE project SET head = ? WHERE id = ?", (row[0], project))
            return str(label if by < 0 else row[1])

    def show(self, project: str) -> None:
        """Put a project on the list."""
        with self._transaction() as database:
            database.execute("UPDATE project SET listed = 1 WHERE id = ?", (project,))

    def archive(self, project: str, *, archived: bool) -> None:
        """Put a project away, or take it out again."""
        with self._transaction() as database:
            database.execute("UPDATE project SET archived = ? WHERE id = ?", (archived, project))

    def view_token(self, project: str) -> str:
        """Return what a link holds that shows a project but cannot change it; it cannot be guessed either."""
        with self._transaction() as database:
            _head_number(database, project)
            database.execute(
                "UPDATE project SET view = ? WHERE id = ? AND view IS NULL", (secrets.token_urlsafe(16), project)
            )
            return str(database.execute("SELECT view FROM project WHERE id = ?", (project,)).fetchone()[0])

    def viewed(self, token: str) -> str | None:
        """Find the project that a view-only link shows."""
        with self._connection() as database:
            row = database.execute("SELECT id FROM project WHERE view = ?", (token,)).fetchone()
        return None if row is None else str(row[0])

    def receive(self, content: BinaryIO, name: str) -> Path:
        """Write what comes to disk, piece by piece, under its name; return where it is until somebody uses it."""
        self._drop_abandoned()
        folder = self.incoming / secrets.token_hex(8)
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

    def add_file(self, project: str, content: bytes | Path, suffix: str) -> Path:
        """Keep a file, once for all who upload the same bytes, and return where it is.

        Parameters
        ----------
        content : bytes or Path
            What is in it, or where it lies: a file that was received is moved, any other is copied.
        """
        if isinstance(content, bytes):
            content = self.receive(io.BytesIO(content), f"file{suffix}")
        elif not content.is_relative_to(self.incoming):
            with content.open("rb") as file:
                content = self.receive(file, content.name)
        try:
            return self._add_file(project, content, suffix)
        finally:
            content.unlink(missing_ok=True)
            with suppress(OSError):  # others that came with it may still be there
                content.parent.rmdir()

    def _add_file(self, project: str, received: Path, suffix: str) -> Path:
        with received.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        path, size = self.files / f"{digest}{suffix}", received.stat().st_size
        with self._transaction() as database:
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

    def track_memory(self, project: str) -> Path:
        """Return the file that keeps what was estimated on the batches of new data that a project tracks."""
        folder = self.folder / "tracks"
        with suppress(OSError):  # what cannot be kept is estimated again
            folder.mkdir(mode=0o700, exist_ok=True)
        return folder / f"{project}.json"

    def delete(self, *projects: str) -> None:
        """Delete projects, their history, and the files that no other project uses."""
        with self._transaction() as database:
            database.executemany("DELETE FROM project WHERE id = ?", [(project,) for project in projects])
            orphans = database.execute("SELECT hash FROM file WHERE hash NOT IN (SELECT hash FROM uses)").fetchall()
            database.execute("DELETE FROM file WHERE hash NOT IN (SELECT hash FROM uses)")
        for (name,) in orphans:
            (self.files / name).unlink(missing_ok=True)
        for project in projects:
            (self.folder / "tracks" / f"{project}.json").unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connections that are kept open."""
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        self.close()

    def _drop_untouched(self) -> None:
        """Drop what was made for visitors who only looked."""
        with self._connection() as database:
            old = database.execute(
                "SELECT id FROM project WHERE NOT listed AND touched < ?", (time.time() - KEEP_UNLISTED,)
            ).fetchall()
        if old:
            self.delete(*(project for (project,) in old))

    def _drop_abandoned(self) -> None:
        """Drop what was uploaded and never used."""
        for path in self.incoming.iterdir():
            with suppress(OSError):  # someone else may have dropped it
                if time.time() - path.stat().st_mtime > KEEP_UNLISTED:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

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
        path = self.folder / _DATABASE
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


def _insert(
    database: sqlite3.Connection, project: str, number: int, label: str, document: Document, *, parent: int | None
) -> None:
    database.execute(
        "INSERT INTO revision (project, number, label, document, parent, made) VALUES (?, ?, ?, ?, ?, ?)",
        (project, number, label, _dumped(document), parent, time.time()),
    )
    _claim(database, project, document)


def _claim(database: sqlite3.Connection, project: str, document: Document) -> None:
    """Keep the uploaded files that a state names for as long as the project is there."""
    database.execute(
        "INSERT OR IGNORE INTO uses SELECT ?, hash FROM file WHERE instr(?, hash) > 0", (project, _dumped(document))
    )


def _revision(row: tuple[Any, ...]) -> Revision:
    """Make a revision of a row of `_SELECT`."""
    number, label, document, before, after, parent, made, summaries, snapshot, _ = row
    return Revision(
        number, label, json.loads(document), bool(before), bool(after), parent, made, json.loads(summaries), snapshot
    )


def _head_number(database: sqlite3.Connection, project: str) -> int:
    row = database.execute("SELECT head FROM project WHERE id = ?", (project,)).fetchone()
    if row is None:
        raise StoreError(_GONE)
    return int(row[0])
