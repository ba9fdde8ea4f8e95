"""Edits that the data can follow: a change is evaluated before it is saved, so that no page loses its numbers."""

from __future__ import annotations

from collections.abc import Callable

from app.compute.corrections import correction_rows
from app.compute.counting import in_tables, resolved
from app.compute.reading import samples
from app.project import Workspace, state, visit
from mandoline_core import MandolineError, Project
from mandoline_core.pipeline import check_countable


def change(label: str, edit: Callable[[Project], Project]) -> None:
    """Change the project, unless its rules could no longer be evaluated; then nothing is saved, and the error says why.

    What could not be evaluated before, such as a project that came broken, may be mended piece by piece.
    """
    state.change(label, edit, _check)


def attempt(label: str, edit: Callable[[Project], Project], done: str = "") -> bool:
    """Change the project and say so; say why where the change is refused, and return whether it was made."""
    try:
        change(label, edit)
    except MandolineError as error:
        visit.refuse(error)
        return False
    if done:
        visit.tell(done)
    return True


def _check(before: Workspace, after: Workspace) -> None:
    problem = _problem(after)
    if problem is not None and _problem(before) is None:
        raise problem


def _problem(workspace: Workspace) -> MandolineError | None:
    """Find out why the rules of a project, or corrections to be measured, cannot be evaluated; what works is kept."""
    try:
        if in_tables(workspace):
            check_countable(*samples(workspace), resolved(workspace))
        correction_rows(workspace.on_draw)  # of tables, for which no edit waits
    except MandolineError as error:
        return error
    return None
