"""Saving an edit when others may be saving theirs: it is made on what is there now, or refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable

from app.project.differences import lost
from app.project.documents import project_of
from app.project.store import Revision, Store, StoreError
from mandoline_core import Project, dump_project

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
        Given the state before and the project after; raises what speaks against the change.
    """
    for _ in range(_TRIES):
        before = store.head(project)
        now = project_of(before.document)
        changed = edit(now)
        text = dump_project(changed)
        if text == before.document["toml"]:
            return before.number
        if seen not in (None, before.number):
            _check_others(store.revision(project, seen), now, changed)
        check(before, changed)
        saved = store.save(project, {**before.document, "toml": text}, label, after=before.number)
        if saved is not None:
            return saved
    raise StoreError("Others keep changing this project. Nothing was changed; try again.")


def _check_others(seen: Revision | None, now: Project, changed: Project) -> None:
    if seen is None:  # too old to be here
        return
    if what := lost(project_of(seen.document), now, changed):
        raise ConflictError(
            f"Someone else changed {what} in the meantime. Your change was not made. "
            "Look at it as it is now, and change it again if you still want to."
        )
