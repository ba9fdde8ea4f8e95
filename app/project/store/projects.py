"""Projects and their states: made, listed, shared, changed, named, stepped through, shown and deleted."""

from __future__ import annotations

import math
import secrets
import sqlite3
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

from app.project.store.database import Database
from app.project.store.folder import Folder, NoRoomError, StoreError, steady_time
from app.project.store.revisions import (
    DAMAGED,
    GONE,
    SELECT,
    SELECT_HEADS,
    SELECT_PROJECTS,
    Document,
    Revision,
    SavedProject,
    claim,
    dumped,
    head_number,
    insert,
    is_intact,
    revision_of,
    update,
)
from app.project.store.uploads import Uploads

MAX_REVISIONS = 500  # of one project; the oldest go first, but not those with a name
DRAG = 2.0  # seconds between two states of one edit
_AT_A_TIME = 10  # states that are deleted at a time where the disk is full
_DELETE_SOME = (
    "DELETE FROM revision WHERE (project, number) IN (SELECT r.project, r.number FROM revision r JOIN project p"
    " ON p.id = r.project AND p.head != r.number WHERE p.id = ? LIMIT ?)"
)
_LOOKS_EVERY = 60 * 60.0  # seconds, for projects to drop
KEEP_UNLISTED = 24 * 60 * 60.0  # seconds that a project is kept which nobody has changed


class Store:
    """Keep projects in a folder.

    States form a tree: a change made after undo leaves what was undone where it is, next to the line that undo walks.
    """

    def __init__(self, folder: Path) -> None:
        place = Folder(folder)
        self.folder, self.files, self.incoming = place.path, place.files, place.incoming
        self._database = Database(place)
        self._connection, self._transaction = self._database.connection, self._database.transaction
        self._uploads = Uploads(place, self._database)
        self.sharing = Sharing(self._database)
        self._reserve, self._release = place.reserve, place.release
        self._dropped = -math.inf
        self._drop_now_and_then()
        self._uploads.tidy()
        self._reserve()

    @property
    def set_aside(self) -> Path | None:
        """Where a damaged database was put, under its new name."""
        return self._database.set_aside

    def create(self, document: Document, *, owner: str | None = None, listed: bool = True, label: str = "start") -> str:
        """Save a new project and return its id, which cannot be guessed.

        Parameters
        ----------
        owner : str, optional
            Who has made it, where people sign in.
        listed : bool
            Show it among the projects from the start, not only once it was changed.
        """
        self._drop_now_and_then()
        project, now = secrets.token_urlsafe(16), time.time()
        with self._transaction() as database:
            database.execute(
                "INSERT INTO project (id, head, touched, created, listed, owner) VALUES (?, 0, ?, ?, ?, ?)",
                (project, now, now, listed, owner),
            )
            insert(database, project, 0, label, document, parent=None)
        return project

    def exists(self, project: str) -> bool:
        """Tell whether a project is known."""
        return self.sharing.access(project) is not None

    def entries(self, owner: str | None = None) -> list[SavedProject]:
        """List the projects that are to be shown, of one person or of all, the last changed first."""
        wanted = " WHERE p.listed AND (:owner IS NULL OR p.owner = :owner) ORDER BY p.touched DESC"
        with self._connection() as database:
            rows = database.execute(SELECT_PROJECTS + wanted, {"owner": owner}).fetchall()
        return [SavedProject(row[-1], revision_of(row), touched, bool(away)) for touched, away, *row in rows]

    def head(self, project: str) -> Revision:
        """Return the current state of a project."""
        with self._connection() as database:
            row = database.execute(SELECT_HEADS + " WHERE p.id = ?", (project,)).fetchone()
        if row is None:
            raise StoreError(GONE)
        return revision_of(row)

    def revision(self, project: str, number: int) -> Revision | None:
        """Return one state of a project, unless it is too old to be here."""
        with self._connection() as database:
            row = database.execute(SELECT + " WHERE r.project = ? AND r.number = ?", (project, number)).fetchone()
        return None if row is None else revision_of(row)

    def before(self, project: str) -> Revision | None:
        """Return the state before the last edit: the one that undo goes back to."""
        with self._connection() as database:
            parent, _ = _last_edit(database, project)
        return None if parent is None else self.revision(project, parent)

    def history(self, project: str, most: int = -1) -> list[Revision]:
        """List the states of a project, the oldest first: all, or only the newest."""
        with self._connection() as database:
            newest = SELECT + " WHERE r.project = ? ORDER BY r.number DESC LIMIT ?"
            rows = database.execute(newest, (project, most)).fetchall()
        return [revision_of(row) for row in reversed(rows)]

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
            head = head_number(database, project)
            if after not in (None, head):
                return None
            (last,) = database.execute("SELECT MAX(number) FROM revision WHERE project = ?", (project,)).fetchone()
            insert(database, project, last + 1, label, document, parent=head)
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
            row = database.execute(SELECT_HEADS + " WHERE p.id = ?", (project,)).fetchone()
            if row is None:
                raise StoreError(GONE)
            if not is_intact(row):
                raise StoreError(DAMAGED)
            head = revision_of(row)
            update(database, project, head.number, document=dumped({**head.document, **more}))
            claim(database, project, more)

    def summarise(self, project: str, number: int, model: str, summary: Document) -> None:
        """Write next to a state what was estimated in it for a model."""
        with self._transaction() as database:
            row = database.execute(SELECT + " WHERE r.project = ? AND r.number = ?", (project, number)).fetchone()
            if row is not None:
                summaries = dumped({**revision_of(row).summaries, model: summary})
                update(database, project, number, summaries=summaries)

    def prolong(self, project: str, first: int, last: int) -> None:
        """Date states of one edit that goes on, from the first to the last, as made now: undo takes them together."""
        with self._transaction() as database:
            database.execute(
                "UPDATE revision SET made = ? WHERE project = ? AND number BETWEEN ? AND ?",
                (time.time(), project, first, last),
            )

    def name(self, project: str, number: int, snapshot: str) -> None:
        """Give a state a name, under which it is kept; no name takes it away again."""
        with self._transaction() as database:
            update(database, project, number, snapshot=snapshot)
            database.execute("UPDATE project SET listed = 1 WHERE id = ?", (project,))

    def step(self, project: str, by: int) -> str | None:
        """Go one edit back (-1) or forward (1); return the label of the edit, or None at the end."""
        with self._transaction() as database:
            to, label = (_next_edit if by > 0 else _last_edit)(database, project)
            if to is None:
                return None
            database.execute("UPDATE project SET head = ? WHERE id = ?", (to, project))
            return label

    def show(self, project: str) -> None:
        """Put a project on the list."""
        with self._transaction() as database:
            database.execute("UPDATE project SET listed = 1 WHERE id = ?", (project,))

    def archive(self, project: str, *, archived: bool) -> None:
        """Put a project away, or take it out again."""
        with self._transaction() as database:
            database.execute("UPDATE project SET archived = ? WHERE id = ?", (archived, project))

    def receive(self, content: BinaryIO, name: str) -> Path:
        """Write what comes to disk, piece by piece, under its name; return where it is until somebody uses it."""
        return self._uploads.receive(content, name)

    def add_file(self, project: str, content: bytes | Path, suffix: str) -> Path:
        """Keep a file, once for all who upload the same bytes, and return where it is.

        Parameters
        ----------
        content : bytes or Path
            What is in it, or its path: a file that was received is moved, any other is copied.
        """
        return self._uploads.add(project, content, suffix)

    def track_memory(self, project: str) -> Path:
        """Return the file that keeps what was estimated on the batches of new data that a project tracks."""
        folder = self.folder / "tracks"
        with suppress(OSError):  # what cannot be kept is estimated again
            folder.mkdir(mode=0o700, exist_ok=True)
        return folder / f"{project}.json"

    def delete(self, *projects: str) -> None:
        """Delete projects, their history, and the files that no other project uses, also from a disk that is full."""
        try:
            self._delete(projects)
        except NoRoomError:
            if not self._release():
                raise
            self._shorten(projects)
            self._delete(projects)
        self._reserve()

    def _shorten(self, projects: Sequence[str]) -> None:
        """Delete the history of projects a few states at a time: in one go, the journal takes more room than is left.

        The current state goes last, with its project: until then it can be opened.
        """
        self._database.shorten_journal()
        for project in projects:
            deleted = 1
            while deleted:
                with self._transaction() as database:
                    deleted = database.execute(_DELETE_SOME, (project, _AT_A_TIME)).rowcount
                self._database.shorten_journal()

    def _delete(self, projects: Sequence[str]) -> None:
        with self._transaction() as database:
            database.executemany("DELETE FROM project WHERE id = ?", [(project,) for project in projects])
        self._uploads.drop_unused()
        for project in projects:
            with suppress(OSError):
                self.track_memory(project).unlink()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._database.close()

    def _drop_now_and_then(self) -> None:
        """Drop what nobody changed, at the start and as visitors come; what cannot be dropped is tried again."""
        if time.monotonic() - self._dropped > _LOOKS_EVERY:
            self._dropped = time.monotonic()
            with suppress(StoreError):
                self._drop_untouched()

    def _drop_untouched(self) -> None:
        """Drop what was made for visitors who only looked."""
        with self._connection() as database:
            old = database.execute(
                "SELECT id FROM project WHERE NOT listed AND touched < ?", (steady_time() - KEEP_UNLISTED,)
            ).fetchall()
        if old:
            self.delete(*(project for (project,) in old))


Share = Literal["view", "edit"]
_FIND = {
    "view": "SELECT id FROM project WHERE view = ?",
    "edit": "SELECT id FROM project WHERE edit = ?",
}
_KEEP = {
    "view": "UPDATE project SET view = coalesce(view, ?) WHERE id = ? RETURNING view",
    "edit": "UPDATE project SET edit = coalesce(edit, ?) WHERE id = ? RETURNING edit",
}
_END = {
    "view": "UPDATE project SET view = NULL WHERE id = ?",
    "edit": "UPDATE project SET edit = NULL WHERE id = ?",
}


class Sharing:
    """Share projects, and stop sharing them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def access(self, project: str) -> dict[str, str | None] | None:
        """Tell whose a project is, and what its links hold where it is shared; None where there is no such project.

        "owner" is None where nobody had to sign in, "view" and "edit" where there is no such link.
        """
        with self._database.connection() as database:
            row = database.execute("SELECT owner, view, edit FROM project WHERE id = ?", (project,)).fetchone()
        return None if row is None else dict(zip(("owner", "view", "edit"), row, strict=True))

    def share(self, project: str, kind: Share) -> str:
        """Return what a link holds that leads to a project; it cannot be guessed, and stays until it is ended."""
        found = self.access(project)  # every page asks, and need not wait for those who write
        if found is not None and (known := found[kind]):
            return known
        with self._database.transaction() as database:
            head_number(database, project)
            (token,) = database.execute(_KEEP[kind], (secrets.token_urlsafe(16), project)).fetchone()
        return str(token)

    def end(self, project: str, kind: Share) -> None:
        """Let a link lead nowhere from now on."""
        with self._database.transaction() as database:
            database.execute(_END[kind], (project,))

    def leads_to(self, kind: Share, token: str) -> str | None:
        """Find the project that a link leads to."""
        with self._database.connection() as database:
            row = database.execute(_FIND[kind], (token,)).fetchone()
        return None if row is None else str(row[0])


def _last_edit(database: sqlite3.Connection, project: str) -> tuple[int | None, str]:
    """Find the state before the last edit, if there is one, and the edit's label.

    States under one label that follow each other at once are one edit: a slider makes them while it is dragged.
    """
    here = "SELECT parent, label, made FROM revision WHERE project = ? AND number = ?"
    parent, label, made = database.execute(here, (project, head_number(database, project))).fetchone()
    while parent is not None and (row := database.execute(here, (project, parent)).fetchone()):
        if row[1] != label or made - row[2] > DRAG:
            return parent, str(label)
        parent, _, made = row
    return None, str(label)


def _next_edit(database: sqlite3.Connection, project: str) -> tuple[int | None, str]:
    """Find the last state of the edit that comes next, the newest of several, and its label."""
    after = "SELECT number, label, made FROM revision WHERE project = ? AND parent = ? ORDER BY number DESC"
    row = database.execute(after, (project, head_number(database, project))).fetchone()
    if row is None:
        return None, ""
    number, label, made = row
    while (row := database.execute(after, (project, number)).fetchone()) and row[1] == label and row[2] - made <= DRAG:
        number, _, made = row
    return number, str(label)
