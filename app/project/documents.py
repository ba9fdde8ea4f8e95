"""The saved form of a project, and saving an edit while others save theirs: on what is there now, or not at all."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from app.project.differences import lost
from app.project.store import DAMAGED, Document, Revision, Store, StoreError
from mandoline_core import MandolineError, Project, dump_project, parse_project
from mandoline_core.project import data_files, name_files, place_files

_LONGEST = 300_000  # characters of a project that is kept parsed: most have a few thousand


def document_of(project: Project, names: dict[str, str] | None = None) -> Document:
    """Make the saved form of a project: paths absolute, files by the names people know."""
    base = project.base.resolve()
    paths = data_files(project)
    placed = replace(project, base=base, methods=project.placed_methods)
    absolute = place_files(placed, {role: base / path for role, path in paths.items()})
    known = {role: path.name for role, path in paths.items()}
    return {"toml": dump_project(absolute), "names": {**known, **(names or {})}, "revealed": False}


def project_of(document: Document) -> Project:
    """Read a project from its saved form, which may have been damaged on the disk."""
    text, names = document.get("toml"), document.get("names")
    if not isinstance(text, str) or not isinstance(names, dict) or not {"source", "target"} <= set(names):
        raise StoreError(DAMAGED)
    try:
        return _parse(text) if len(text) <= _LONGEST else _parse.__wrapped__(text)
    except tomllib.TOMLDecodeError:
        raise StoreError(DAMAGED) from None
    except MandolineError as error:
        raise StoreError(f"The saved project cannot be read: {error}") from error


@lru_cache(maxsize=128)
def _parse(text: str) -> Project:
    """Parse a project; a page asks for the same one several times."""
    return parse_project(tomllib.loads(text), Path("/"))


def project_text(project: Project, names: dict[str, str]) -> str:
    """Write the project file as it goes next to its data files, which have the names they came with."""
    return dump_project(name_files(project, names))


Edit = Callable[[Project], Project]
Check = Callable[[Revision, Project], None]
_TRIES = 50  # to save a change while others save theirs


class ConflictError(StoreError):
    """Report an edit that would undo what someone else has done in the meantime."""


def save_edit(
    store: Store, project: str, label: str, edit: Edit, *, seen: int | None = None, check: Check = lambda *_: None
) -> int:
    """Make an edit on the newest state of a project and save it; return the number of the state it led to.

    Parameters
    ----------
    edit : callable
        Made again on what someone else has saved in the meantime, so that no change is lost.
    seen : int, optional
        The state that the person looked at. What others changed since stays as they left it, or the edit is refused.
    check : callable
        Given the state before and the project after; raises why the change is impossible.
    """

    def changed_document(before: Revision) -> Document:
        now = project_of(before.document)
        changed = edit(now)
        text = dump_project(changed)
        if text != before.document["toml"]:
            if seen not in (None, before.number):
                _check_others(store.revision(project, seen), now, changed)
            check(before, changed)
        return {**before.document, "toml": text}

    return save_document(store, project, label, changed_document)


def save_document(store: Store, project: str, label: str, edit: Callable[[Revision], Document]) -> int:
    """Save what an edit makes of the newest state of a project; return the number of the state it led to.

    Parameters
    ----------
    edit : callable
        Made again on what someone else has saved in the meantime. Where it changes nothing, nothing is saved.
    """
    for _ in range(_TRIES):
        before = store.head(project)
        document = edit(before)
        if document == before.document:
            return before.number
        saved = store.save(project, document, label, after=before.number)
        if saved is not None:
            return saved
    raise StoreError("Others are editing this project. Your edit was not saved. Try again.")


def _check_others(seen: Revision | None, now: Project, changed: Project) -> None:
    if seen is None:  # too old to be here
        return
    if what := lost(project_of(seen.document), now, changed):
        raise ConflictError(
            f"Someone else has just changed this: {what}. Your edit was not saved. Check the current value and try "
            "again."
        )
