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
from mandoline_core import MandolineError, Project, Slice, Suggestion, Suggestions, suggest

MOST_SHOWN = 8


_SUGGESTIONS = JobKind[Suggestions]("suggest")


def suggestions(workspace: Workspace) -> Suggestions | None:
    """Return what is worth trying, if it has been found: what matters most to the model on show comes first."""
    found = _SUGGESTIONS.result(_key(workspace))
    if found is None:
        return None
    model = workspace.model
    ranked = sorted(found.suggestions, key=lambda one: -abs(one.trials[model].z if model in one.trials else 0.0))
    return replace(found, suggestions=tuple(ranked))


def suggestion_job(workspace: Workspace) -> Job | None:
    """Find the job that looks for suggestions, or was stopped doing so."""
    return _SUGGESTIONS.find(workspace, {_key(workspace)})


def start_suggestions(workspace: Workspace) -> Job:
    """Look for slices worth trying, in the background."""
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

    return _SUGGESTIONS.start(workspace, [Task(key, "Looking for slices worth trying", suggest_slices)])


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
