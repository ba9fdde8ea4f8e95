"""The tables of saved projects, and the way to them from those that earlier versions made."""

from __future__ import annotations

import sqlite3

from mandoline_core import MandolineError

VERSION = 3


class NewerError(MandolineError):
    """Report projects of a later version."""


_TABLES = """
CREATE TABLE project (
    id TEXT PRIMARY KEY,
    head INTEGER NOT NULL,
    touched REAL NOT NULL,
    created REAL NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    listed INTEGER NOT NULL DEFAULT 1,
    view TEXT UNIQUE,
    edit TEXT UNIQUE,
    owner TEXT
);
CREATE TABLE revision (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    document TEXT NOT NULL,
    parent INTEGER,
    made REAL NOT NULL DEFAULT 0,
    summaries TEXT NOT NULL DEFAULT '{}',
    snapshot TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (project, number)
);
CREATE TABLE file (hash TEXT PRIMARY KEY, suffix TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE uses (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (project, hash)
);
"""

# The first version knew no times and no names, and history was a line. All its projects are listed: someone may keep
# a link to any of them.
_FROM_FIRST = """
ALTER TABLE project ADD COLUMN created REAL NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE project ADD COLUMN view TEXT;
CREATE UNIQUE INDEX project_view ON project (view);
UPDATE project SET created = touched;
ALTER TABLE revision ADD COLUMN parent INTEGER;
ALTER TABLE revision ADD COLUMN made REAL NOT NULL DEFAULT 0;
ALTER TABLE revision ADD COLUMN summaries TEXT NOT NULL DEFAULT '{}';
ALTER TABLE revision ADD COLUMN snapshot TEXT NOT NULL DEFAULT '';
UPDATE revision SET parent = number - 1 WHERE number > 0;
"""

# The second knew nobody: its projects belong to who has their link.
_FROM_SECOND = """
ALTER TABLE project ADD COLUMN edit TEXT;
CREATE UNIQUE INDEX project_edit ON project (edit);
ALTER TABLE project ADD COLUMN owner TEXT;
"""


def prepare(database: sqlite3.Connection) -> None:
    """Make the tables, or bring those that are there to the present form; within the caller's transaction."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    if version > VERSION:
        raise NewerError(
            f"The saved projects were written by a newer Mandoline (form {version}, and this one knows {VERSION}). "
            "Nothing was touched. Update Mandoline, or name another folder with --data-dir."
        )
    is_there = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'project'").fetchone() is not None
    steps = _TABLES if not is_there else _FROM_SECOND if version == 2 else _FROM_FIRST + _FROM_SECOND
    for statement in steps.split(";"):
        database.execute(statement)  # one by one: a script would end the transaction
    database.execute(f"PRAGMA user_version = {VERSION}")
