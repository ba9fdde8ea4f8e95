"""Suggestions in the background: slices worth trying for the current project, with progress and a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from app.compute import keys
from app.compute.counting import known_or_drawn
from app.compute.data import samples
from app.compute.jobs import Job, JobKind, Task
from app.project import Workspace, edits, remedies
from mandoline_core import MandolineError, Project, Slice, Spread, Suggestion, Suggestions, suggest
from mandoline_core import spread as spread_of

MOST_SHOWN = 8


_SUGGESTIONS = JobKind[Suggestions | dict[str, Spread]]("suggest")


def suggestions(workspace: Workspace) -> Suggestions | None:
    """Return what is worth trying, if it has been found for the current project."""
    found = _SUGGESTIONS.result(("suggestions", *_key(workspace)))
    return found if isinstance(found, Suggestions) else None


def spread(workspace: Workspace) -> Spread | None:
    """Return how sensitive the model on show is to the choice of slices, if that has been tried."""
    found = _SUGGESTIONS.result(("spread", *_key(workspace)))
    return found.get(workspace.model) if isinstance(found, dict) else None


def suggestion_job(workspace: Workspace) -> Job | None:
    """Find the job that looks for suggestions or tries other choices of slices, or was stopped doing so."""
    key = _key(workspace)
    return _SUGGESTIONS.find(workspace, {("suggestions", *key), ("spread", *key)})


def start_suggestions(workspace: Workspace, *, spread: bool = False) -> Job:
    """Look for slices worth trying, in the background.

    Parameters
    ----------
    spread : bool
        Then also try other choices of slices, to see how sensitive the estimate is to them.
    """
    project, key, both = workspace.project, _key(workspace), samples(workspace.on_draw)
    rules, never = project.slices, refused(workspace)
    asked: dict[str, Any] = {
        "estimator": project.estimator,
        "edges": project.edges,
        "metric": project.metric,
        "methods": project.methods,
        "harmless": project.trust.harmless,
    }

    def suggest_slices(job: Job) -> Suggestions:
        return suggest(*both, rules, most=MOST_SHOWN, never=never, progress=job.note, **asked)

    def try_others(job: Job) -> dict[str, Spread]:
        return spread_of(*both, rules, suggestions=suggestions(workspace), progress=job.note, **asked)

    tasks = [
        Task(("suggestions", *key), "Looking for slices worth trying", suggest_slices),
        Task(("spread", *key), "Trying other choices of slices", try_others),
    ]
    first = 0 if suggestions(workspace) is None else 1
    return _SUGGESTIONS.start(workspace, tasks[first : 2 if spread else 1])


def accepting(one: Suggestion) -> Callable[[Project], Project]:
    """Make the edit that accepts a suggestion."""
    if isinstance(one.rule, Slice):
        return partial(edits.add_slice, rule=replace(one.rule, note=str(one.reason)))
    return partial(remedies.add_edge, pair=one.rule)


def is_accepted(workspace: Workspace, one: Suggestion) -> bool:
    """Tell whether the project has what is suggested."""
    project = workspace.project
    if isinstance(one.rule, Slice):
        return one.rule.key in [rule.key for rule in project.slices]
    return not isinstance(project.edges, str) and set(one.rule) in [set(pair) for pair in project.edges]


def refused(workspace: Workspace) -> tuple[str, ...]:
    """List the suggestions that are never to be shown again, by name."""
    return tuple(map(str, workspace.revision.document.get("never", ())))


def previewed(workspace: Workspace, one: Suggestion) -> Workspace:
    """Look at the project as if a suggestion were accepted; nothing is saved."""
    try:
        project = accepting(one)(workspace.project)
    except MandolineError:
        return workspace
    return known_or_drawn(replace(workspace, project=project))


def _key(workspace: Workspace) -> keys.Key:
    return (*keys.every_model(workspace.on_draw), *refused(workspace))
