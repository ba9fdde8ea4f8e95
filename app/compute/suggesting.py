"""Suggestions in the background: slices worth trying for the project as it stands, with progress and a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from app.compute import keys
from app.compute.background import Run, Task, runs
from app.compute.reading import samples
from app.compute.shelf import Shelf
from app.project import Workspace, edits, remedies
from mandoline_core import MandolineError, Project, Slice, Suggestion, Suggestions, suggest

MOST_KEPT = 24
MOST_SHOWN = 8


@st.cache_resource(show_spinner=False)
def _kept() -> Shelf[Suggestions]:
    return Shelf(MOST_KEPT)


def suggestions(workspace: Workspace) -> Suggestions | None:
    """Return what is worth trying, if it has been found for the project as it stands."""
    return _kept().get(_key(workspace))


def suggest_run(workspace: Workspace) -> Run | None:
    """Find the run that looks for suggestions; one for another state of the project is stopped."""
    found = runs().get(("suggest", workspace.id))
    if found is not None and found.tasks[0].key != _key(workspace):
        found.stop()
        return None
    return found


def start_suggesting(workspace: Workspace) -> Run:
    """Look for slices worth trying, in the background."""
    key, shelf, project, (source, target) = _key(workspace), _kept(), workspace.project, samples(workspace)
    never = refused(workspace)

    def work(run: Run) -> None:
        found = suggest(
            source,
            target,
            project.slices,
            most=MOST_SHOWN,
            never=never,
            estimator=project.estimator,
            edges=project.edges,
            metric=project.metric,
            methods=project.methods,
            harmless=project.trust.harmless,
            progress=run.note,
        )
        shelf.put(key, found)

    run = Run([Task(key, "Looking for slices worth trying", work)])
    runs().put(("suggest", workspace.id), run)
    return run


def accepting(one: Suggestion) -> Callable[[Project], Project]:
    """Make the edit that accepts a suggestion."""
    if isinstance(one.rule, Slice):
        return partial(edits.add_slice, rule=replace(one.rule, note=str(one.reason)))
    return partial(remedies.add_edge, pair=one.rule)


def refused(workspace: Workspace) -> tuple[str, ...]:
    """List the suggestions that a person does not want to see again, by name."""
    return tuple(map(str, workspace.revision.document.get("never", ())))


def previewed(workspace: Workspace, one: Suggestion) -> Workspace:
    """Look at the project as if a suggestion were accepted; nothing is saved."""
    try:
        project = accepting(one)(workspace.project)
    except MandolineError:
        return workspace
    return replace(workspace, project=project)


def _key(workspace: Workspace) -> keys.Key:
    return (*keys.every_model(workspace), *refused(workspace))
