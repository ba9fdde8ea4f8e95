"""Edits that the data can follow: evaluated before they are saved, and what one would do, before it is offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.compute.corrections import correction_rows
from app.compute.counting import in_tables, known_or_drawn, resolved
from app.compute.data import samples
from app.compute.estimates import table, trial
from app.project import Workspace, edits, state, visit
from mandoline_core import MandolineError, Project, Slice, SliceRow
from mandoline_core.pipeline import Estimate, check_countable, is_share


def change(label: str, edit: Callable[[Project], Project]) -> None:
    """Change the project, unless its rules could no longer be evaluated; then nothing is saved, and the error says why.

    What could not be evaluated before, such as a project that was opened broken, may be fixed piece by piece.
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


LEAST_ROWS = 30  # effective: an estimate on fewer is not worth offering, unless it rests on few already
MOST_ASIDE = 0.5  # of the new rows


@dataclass(frozen=True)
class EditEffect:
    """Hold what an edit would do.

    Parameters
    ----------
    before : float or None
        The estimate now; None if absent.
    after : float
        The estimate it would give.
    source, target : int or None
        Rows of both samples inside the slice that it adds, if it adds any.
    on_draw : bool
        Whether it was tried on a draw of the rows, and the estimate is of all.
    """

    before: float | None
    after: float
    share: bool
    source: int | None = None
    target: int | None = None
    on_draw: bool = False


def edit_effect(workspace: Workspace, edit: Callable[[Project], Project]) -> EditEffect | None:
    """Make an edit without saving it, and estimate; None if there is nothing to offer.

    That is where it changes nothing or ends without an estimate, where a slice that it adds has no labelled or no new
    row, and where few effective rows or less than half of the new rows would be left that were more before.
    """
    try:
        project = edit(workspace.project)
        if project == workspace.project:
            return None
        # Nothing is counted for what is only tried: where rows stay in a table, a draw of them has to do.
        then = known_or_drawn(replace(workspace, project=project))
        found = _converged(then)
    except MandolineError:
        return None
    try:
        now = _converged(replace(workspace, drawn=then.drawn))
    except MandolineError:
        now = None
    if found.effective_sample_size < min(LEAST_ROWS, now.effective_sample_size if now else LEAST_ROWS):
        return None
    if found.set_aside > max(MOST_ASIDE, now.set_aside if now else 0.0):
        return None
    known = {rule.name for rule in workspace.project.slices}
    added = [rows for name, rows in _rows_inside(found).items() if name not in known]
    source, target = (min((rows[side] for rows in added), default=None) for side in (0, 1))
    if source == 0 or target == 0:
        return None
    before = now.estimate if now else None
    on_draw = then.drawn and not workspace.drawn
    return EditEffect(before, found.estimate, is_share(found), source, target, on_draw)


def dry_run(workspace: Workspace, rule: Slice) -> tuple[SliceRow | None, EditEffect | None]:
    """Try a rule that is not in the project: how it would look in the list, and what it would do.

    A family has no row; without an effect it is of no use.
    """
    project = edits.add_slice(workspace.project, rule)
    then = known_or_drawn(replace(workspace, project=project))
    row = table(then).get(project.slices[-1].name)
    return row, edit_effect(workspace, lambda _: project)


def _converged(workspace: Workspace) -> Estimate:
    found = trial(workspace)
    if not found.converged:
        raise MandolineError("The weights could not be fitted.")
    return found


def _rows_inside(found: Estimate) -> dict[str, tuple[int, int]]:
    """Count the rows of both samples inside every rule; of a family, inside the member with most."""
    table, origins = found.problem.patterns, found.cells.origins
    inside = table.codes == 1
    rows: dict[str, tuple[int, int]] = {}
    for name, source, target in zip(table.names, table.source @ inside, table.target @ inside, strict=True):
        known = rows.get(origins.get(name, name), (0, 0))
        rows[origins.get(name, name)] = max(known[0], round(source)), max(known[1], round(target))
    return rows
