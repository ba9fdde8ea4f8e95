"""How the number moved: what was estimated at each state of a project, stored with the state once it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.compute.counting import is_known
from app.compute.estimates import report, shown_model
from app.project import Revision, Workspace, state
from app.project.store import DRAG
from mandoline_core import MandolineError, ModelReport
from mandoline_core.arrays import Interval
from mandoline_core.pipeline import is_share

MOST = 50  # states whose estimate is worked out where it is not known yet


@dataclass(frozen=True)
class Summary:
    """Hold what an estimate comes to, with its sampling error; no estimate where the weights could not be fitted."""

    estimate: float | None
    interval: tuple[float, float]
    level: str
    metric: str
    share: bool
    n_source: int
    n_target: int


@dataclass(frozen=True)
class Moment:
    """Hold one state of a project, what was estimated in it, and how far that is from the state it was made from."""

    revision: Revision
    summary: Summary | None
    moved: float | None


def summary_of(found: ModelReport) -> Summary:
    """Sum a report up."""
    return Summary(
        estimate=found.estimate if found.converged else None,
        interval=found.sampling_interval or found.interval,  # of all states alike, whether or not others were tried
        level="" if found.verdict is None else found.verdict.level,
        metric=found.metric,
        share=is_share(found),
        n_source=found.n_source,
        n_target=found.n_target,
    )


def read_summary(revision: Revision, model: str) -> Summary | None:
    """Read what is stored with a state; what was damaged on the disk is computed again."""
    found: Mapping[str, Any] | None = revision.summaries.get(model)
    if found is None:
        return None
    try:
        return Summary(**{**found, "interval": tuple(found["interval"])})
    except (KeyError, TypeError):
        return None


def note_summary(workspace: Workspace) -> None:
    """Store the current estimate with the state, unless it is there already or cannot be computed."""
    if workspace.model not in workspace.revision.summaries and not workspace.drawn:
        _worked_out(workspace)


def last_estimate(workspace: Workspace) -> tuple[float, Interval, bool] | None:
    """Find the last estimate on all rows on the way to a state, with its interval, and whether it is a share."""
    known = {revision.number: revision for revision in state.store().history(workspace.id)}
    here: int | None = workspace.revision.number
    while here in known:
        found = read_summary(known[here], workspace.model)
        if found is not None and found.estimate is not None:
            return found.estimate, found.interval, found.share
        here = known[here].parent
    return None


def moments(workspace: Workspace) -> tuple[Moment, ...]:
    """List the states of a project, the newest first; what is not known of the newest ones is worked out."""
    revisions = state.store().history(workspace.id)
    found = {revision.number: summary for revision, summary in _summaries(workspace, revisions[::-1])}
    return tuple(Moment(revision, found[revision.number], _moved(found, revision)) for revision in reversed(revisions))


def newest(workspace: Workspace, most: int) -> tuple[Moment, ...]:
    """List the newest edits of a project, the oldest first, with what is known of each: the last of its states."""
    found: dict[int, Summary | None] = {}
    edits: dict[int, Revision] = {}
    for revision in state.store().history(workspace.id, most):
        found[revision.number] = read_summary(revision, workspace.model)
        before = None if revision.parent is None else edits.get(revision.parent)
        if before is not None and before.label == revision.label and revision.made - before.made <= DRAG:
            if not before.snapshot and before.number != workspace.revision.number:
                del edits[before.number]
            revision = replace(revision, parent=before.parent)  # noqa: PLW2901  where the edit began
        edits[revision.number] = revision
    return tuple(Moment(one, found[one.number], _moved(found, one)) for one in edits.values())


def way_to(moments: Sequence[Moment], number: int) -> list[Moment]:
    """List the states that led to one, the oldest first: those that undo would walk through."""
    known = {moment.revision.number: moment for moment in moments}
    found: list[Moment] = []
    here: int | None = number
    while here in known:
        found.append(known[here])
        here = known[here].revision.parent
    return found[::-1]


def _summaries(workspace: Workspace, newest_first: list[Revision]) -> Iterator[tuple[Revision, Summary | None]]:
    left = MOST
    for revision in newest_first:
        summary = read_summary(revision, workspace.model)
        if summary is None and left:
            left -= 1
            summary = _at(workspace, revision)
        yield revision, summary


def _at(workspace: Workspace, revision: Revision) -> Summary | None:
    """Work out what is estimated at a state, for the model on show, if it knows it."""
    try:
        then = state.workspace_at(revision)
    except MandolineError:
        return None
    if workspace.model not in ("", *(model.name for model in then.project.models)) or not is_known(then):
        return None
    return _worked_out(shown_model(then, workspace.model))


def _worked_out(workspace: Workspace) -> Summary | None:
    try:
        found = summary_of(report(shown_model(workspace, workspace.model)))
    except MandolineError:
        return None
    with suppress(MandolineError):  # it is worked out again where it could not be kept
        state.store().summarise(workspace.id, workspace.revision.number, workspace.model, asdict(found))
    return found


def _moved(found: Mapping[int, Summary | None], revision: Revision) -> float | None:
    now = found[revision.number]
    before = None if revision.parent is None else found.get(revision.parent)
    if now is None or before is None or now.metric != before.metric or None in (now.estimate, before.estimate):
        return None
    return float(now.estimate or 0.0) - float(before.estimate or 0.0)
