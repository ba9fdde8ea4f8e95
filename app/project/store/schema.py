"""The tables of saved projects, form by form: the way from an empty file, or an earlier form, to the present one."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

from mandoline_core import MandolineError

# How each form is made from the one before it. What is here is in people's files and stays as it is; the next form is
# one more entry. Statements end in a semicolon, and have none inside.
_FORMS = (
    """
CREATE TABLE project (id TEXT PRIMARY KEY, head INTEGER NOT NULL, touched REAL NOT NULL);
CREATE TABLE revision (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    label TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE TABLE file (hash TEXT PRIMARY KEY, suffix TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE uses (
    project TEXT NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    PRIMARY KEY (project, hash)
);
""",
    # The first form knew no times and no names, and history was a line. All its projects are listed: someone may keep
    # a link to any of them.
    """
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
""",
    # The second form knew nobody: its projects belong to who has their link.
    """
ALTER TABLE project ADD COLUMN owner TEXT;
ALTER TABLE project ADD COLUMN edit TEXT;
CREATE UNIQUE INDEX project_edit ON project (edit);
""",
    # The third form took whatever text it found for what was saved.
    """
ALTER TABLE revision ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
ALTER TABLE revision ADD COLUMN summaries_checksum TEXT NOT NULL DEFAULT '';
UPDATE revision SET checksum = mandoline_checksum(project, number, label, document, snapshot),
    summaries_checksum = mandoline_checksum(project, number, summaries);
""",
)
VERSION = len(_FORMS)


class NewerError(MandolineError):
    """Report projects of a later version."""


def form_of(database: sqlite3.Connection) -> int:
    """Tell which form a database has: 0 where there is nothing in it, and the first one did not say."""
    (form,) = database.execute("PRAGMA user_version").fetchone()
    if form == 0:
        return int(database.execute("SELECT 1 FROM sqlite_master").fetchone() is not None)
    return int(form)


def check(database: sqlite3.Connection) -> None:
    """Refuse a form that is newer than this version, and tables that are not those of their form."""
    form = form_of(database)
    if form > VERSION:
        raise NewerError(
            f"A newer Mandoline wrote the saved projects (format {form}; this version reads {VERSION}). Nothing was "
            "changed. Update Mandoline, or choose another folder with --data-dir."
        )
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        _make(empty, 0, form)
        missing = _columns(empty) - _columns(database)
    if form < 0 or missing:
        raise sqlite3.DatabaseError(f"form {form} without {sorted(missing)}")


def prepare(database: sqlite3.Connection) -> None:
    """Make the tables, or bring those that are there to the present form; within the caller's transaction."""
    _make(database, form_of(database), VERSION)


def checksum(*parts: object) -> str:
    """Sum up what is saved, so that a change that nobody made is noticed.

    >>> checksum("a", 1) == checksum("a", 1), checksum("a", 1) == checksum("a1")
    (True, False)
    """
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _make(database: sqlite3.Connection, form: int, wanted: int) -> None:
    database.create_function("mandoline_checksum", -1, checksum, deterministic=True)
    for statements in _FORMS[form:wanted]:
        for statement in statements.split(";"):
            database.execute(statement)  # one by one: a script would end the transaction
    if form < wanted:
        database.execute(f"PRAGMA user_version = {wanted}")


def _columns(database: sqlite3.Connection) -> set[tuple[str, str]]:
    """List the tables of a database with their columns."""
    found = database.execute(
        "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
    )
    return set(found.fetchall())
