"""Suggestions in the background: slices worth trying for the project as it stands, with progress and a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from app.compute import keys
from app.compute.background import Run, Task, runs
from app.compute.counting import known_or_drawn
from app.compute.reading import samples
from app.compute.shelf import Shelf
from app.compute.sizes import A_FEW, n_bytes
from app.project import Workspace, edits, remedies
from mandoline_core import MandolineError, Project, Slice, Spread, Suggestion, Suggestions, suggest
from mandoline_core import spread as spread_of

MOST_SHOWN = 8


@st.cache_resource(show_spinner=False)
def _kept() -> Shelf[Suggestions]:
    return Shelf(A_FEW, size=n_bytes)


@st.cache_resource(show_spinner=False)
def _spreads() -> Shelf[dict[str, Spread]]:
    return Shelf(A_FEW, size=n_bytes)


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


def start_suggesting(workspace: Workspace, *, spread: bool = False) -> Run:
    """Look for slices worth trying, in the background.

    Parameters
    ----------
    spread : bool
        Then also try other choices of slices, to see how much hangs on them.
    """
    key = _key(workspace)
    tasks = (
        [] if suggestions(workspace) is not None else [Task(key, "Looking for slices worth trying", _find(workspace))]
    )
    if spread:
        tasks.append(Task(key, "Trying other choices of slices", _spread(workspace)))
    run = Run(tasks)
    runs().put(("suggest", workspace.id), run)
    return run


def _find(workspace: Workspace) -> Callable[[Run], None]:
    key, shelf, both, asked = _key(workspace), _kept(), samples(workspace.on_draw), _asked(workspace.project)
    rules, never = workspace.project.slices, refused(workspace)

    def work(run: Run) -> None:
        shelf.put(key, suggest(*both, rules, most=MOST_SHOWN, never=never, progress=run.note, **asked))

    return work


def _spread(workspace: Workspace) -> Callable[[Run], None]:
    key, shelf, both, asked = _key(workspace), _kept(), samples(workspace.on_draw), _asked(workspace.project)
    rules, spreads = workspace.project.slices, _spreads()

    def work(run: Run) -> None:
        spreads.put(key, spread_of(*both, rules, suggestions=shelf.get(key), progress=run.note, **asked))

    return work


def _asked(project: Project) -> dict[str, Any]:
    return {
        "estimator": project.estimator,
        "edges": project.edges,
        "metric": project.metric,
        "methods": project.methods,
        "harmless": project.trust.harmless,
    }


def spread(workspace: Workspace) -> Spread | None:
    """Return how much hangs on the choice of slices for the model on show, if that has been tried."""
    found = _spreads().get(_key(workspace))
    return None if found is None else found.get(workspace.model)


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
    return known_or_drawn(replace(workspace, project=project))


def _key(workspace: Workspace) -> keys.Key:
    return (*keys.every_model(workspace.on_draw), *refused(workspace))
