"""States of projects, as others see them and as rows of the database."""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import dataclass, field
from typing import Any

from app.project.store.folder import StoreError
from app.project.store.schema import checksum

GONE = "This project is not here: it was deleted, or the link is wrong. Start a new one."
DAMAGED = "The saved project was damaged on the disk and cannot be read. Nothing was changed. Undo, or start a new one."
_COLUMNS = (
    "r.number, r.label, r.document,"
    " EXISTS (SELECT 1 FROM revision b WHERE b.project = r.project AND b.number = r.parent),"
    " EXISTS (SELECT 1 FROM revision a WHERE a.project = r.project AND a.parent = r.number),"
    " r.parent, r.made, r.summaries, r.snapshot, r.checksum, r.summaries_checksum, r.project"
)
_REVISIONS = " FROM revision r"
_HEADS = f"{_REVISIONS} JOIN project p ON p.id = r.project AND p.head = r.number"
SELECT = f"SELECT {_COLUMNS}{_REVISIONS}"
SELECT_HEADS = f"SELECT {_COLUMNS}{_HEADS}"
SELECT_PROJECTS = f"SELECT CAST(p.touched AS REAL), p.archived, {_COLUMNS}{_HEADS}"

Document = dict[str, Any]


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
        Its name, or nothing.
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
class SavedProject:
    """Hold one line of the list of projects: its current state, when it was changed, and whether it is put away."""

    id: str
    head: Revision
    touched: float
    archived: bool


def dumped(document: Document) -> str:
    """Write a document as it is kept."""
    return json.dumps(document, ensure_ascii=False)


def insert(
    database: sqlite3.Connection, project: str, number: int, label: str, document: Document, *, parent: int | None
) -> None:
    """Add a state."""
    database.execute(
        "INSERT INTO revision (project, number, label, document, parent, made) VALUES (?, ?, ?, ?, ?, ?)",
        (project, number, label, dumped(document), parent, time.time()),
    )
    _seal(database, project, number)
    claim(database, project, document)


def claim(database: sqlite3.Connection, project: str, document: Document) -> None:
    """Keep the uploaded files that a state names for as long as the project is there."""
    database.execute(
        "INSERT OR IGNORE INTO uses SELECT ?, hash FROM file WHERE instr(?, hash) > 0", (project, dumped(document))
    )


def update(database: sqlite3.Connection, project: str, number: int, **values: str) -> bool:
    """Change a state that is as it was saved, and tell whether there was one; damage is not made to look whole."""
    row = database.execute(f"{SELECT} WHERE r.project = ? AND r.number = ?", (project, number)).fetchone()
    if row is None:
        return False
    if not is_intact(row):
        raise StoreError(DAMAGED)
    stated = ", ".join(f"{column} = ?" for column in values)
    database.execute(
        f"UPDATE revision SET {stated} WHERE project = ? AND number = ?",  # noqa: S608  names of ours
        (*values.values(), project, number),
    )
    _seal(database, project, number)
    return True


def _seal(database: sqlite3.Connection, project: str, number: int) -> None:
    row = database.execute(f"{SELECT} WHERE r.project = ? AND r.number = ?", (project, number)).fetchone()
    database.execute(
        "UPDATE revision SET checksum = ?, summaries_checksum = ? WHERE project = ? AND number = ?",
        (*_checksums(row), project, number),
    )


def _checksums(row: tuple[Any, ...]) -> tuple[str, str]:
    number, label, document, _, _, _, _, summaries, snapshot, _, _, project = row
    return checksum(project, number, label, document, snapshot), checksum(project, number, summaries)


def is_intact(row: tuple[Any, ...]) -> bool:
    """Tell whether a state is as it was saved; a row of `SELECT`."""
    return _checksums(row)[0] == row[-3]


def read_json(text: Any) -> Document | None:
    """Read a document as it is kept; None where it was damaged on the disk."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def revision_of(row: tuple[Any, ...]) -> Revision:
    """Make a revision of a row of `SELECT`.

    What was damaged on the disk in a way that the database does not notice is left out, so that the other states of
    the project can still be gone to; who wants to read a project from nothing says what is wrong.
    """
    number, label, document, before, after, parent, made, summaries, snapshot, _, kept, _ = row
    whole, summarised = is_intact(row), _checksums(row)[1] == kept
    return Revision(
        number,
        str(label) if whole else "damaged",
        (read_json(document) or {}) if whole else {},
        bool(before),
        bool(after),
        parent if isinstance(parent, int) and parent < number else None,
        made if isinstance(made, float) else 0.0,
        (read_json(summaries) or {}) if summarised else {},
        str(snapshot) if whole else "",
    )


def head_number(database: sqlite3.Connection, project: str) -> int:
    """Return the number of a project's current state."""
    row = database.execute("SELECT head FROM project WHERE id = ?", (project,)).fetchone()
    if row is None:
        raise StoreError(GONE)
    if not isinstance(row[0], int):
        raise StoreError(DAMAGED)
    return row[0]
