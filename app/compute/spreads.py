"""The spread in the background: how far other plausible slices move the estimate, which quoted intervals allow for.

It takes seconds, so an edit does not wait for it: pages that quote the number start it, and until it is known intervals
are for sampling error alone and say so.
"""

from __future__ import annotations

from app.compute import keys
from app.compute.jobs import Job, JobKind, Task
from app.project import Workspace
from mandoline_core import Report, Spread
from mandoline_core.estimators import get_estimator
from mandoline_core.report import find_spreads

_SPREADS = JobKind[dict[str, Spread]]("spread")


def is_wanted(workspace: Workspace) -> bool:
    """Tell whether the project's intervals allow for the choice of slices."""
    settings = workspace.project.estimator
    has_slices = any(rule.enabled for rule in workspace.project.slices)
    return settings.spread and has_slices and get_estimator(settings.name).uses_slices


def spreads(workspace: Workspace) -> dict[str, Spread] | None:
    """Return the spread of every model, if it is known for the current project."""
    return _SPREADS.result(_key(workspace)) if is_wanted(workspace) else None


def spread(workspace: Workspace) -> Spread | None:
    """Return the spread of the model on show, if it is known."""
    return (spreads(workspace) or {}).get(workspace.model or "")


def spread_job(workspace: Workspace) -> Job | None:
    """Find the job that looks for it, or ran into an error."""
    return _SPREADS.find(workspace, {_key(workspace)})


def start(workspace: Workspace, whole: Report) -> Job:
    """Look for it in the background, as `mandoline estimate` does."""
    task = Task(_key(workspace), "Trying other plausible slices", lambda job: find_spreads(whole, job.note))
    return _SPREADS.start(workspace, [task])


def _key(workspace: Workspace) -> keys.Key:
    return keys.every_model(workspace)
