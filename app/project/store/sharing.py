"""Whose a project is, and the links that lead others to it: to look, or to edit."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal

from app.project.store.database import Database
from app.project.store.revisions import head_number

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


@dataclass(frozen=True)
class Access:
    """Hold whose a project is, None where nobody had to sign in, and what its links hold, where it is shared."""

    owner: str | None
    view: str | None
    edit: str | None


class Sharing:
    """Share projects, and stop sharing them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def access(self, project: str) -> Access | None:
        """Tell whose a project is and how it is shared; None where there is no such project."""
        with self._database.connection() as database:
            row = database.execute("SELECT owner, view, edit FROM project WHERE id = ?", (project,)).fetchone()
        return None if row is None else Access(*row)

    def share(self, project: str, kind: Share) -> str:
        """Return what a link holds that leads to a project; it cannot be guessed, and stays until it is ended."""
        found = self.access(project)  # every page asks, and need not wait for those who write
        if found is not None and (known := found.view if kind == "view" else found.edit):
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
