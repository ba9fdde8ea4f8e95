"""Every method on every model, each answer kept by what it depends on; slow methods run only when asked to."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import streamlit as st
from threadpoolctl import threadpool_limits

from app.compute import keys
from app.compute.background import Run, Task, runs
from app.compute.estimates import prepared
from app.compute.reading import samples
from app.compute.shelf import Shelf
from app.project import Workspace
from app.vocabulary import title_of
from mandoline_core import MandolineError
from mandoline_core.comparing import Comparison, Entry, ModelComparison, gather, run_estimator, summarise
from mandoline_core.estimating import ModelProblem
from mandoline_core.estimators import ESTIMATORS, get_estimator

MOST_BYTES = 400_000_000


@st.cache_resource(show_spinner=False)
def _kept() -> Shelf[Entry]:
    return Shelf(MOST_BYTES, size=lambda entry: 2000 + sum(piece.nbytes for piece in entry.pieces))


def is_slow(name: str) -> bool:
    """Tell whether a method looks at all columns of all rows, and so runs only when asked to.

    >>> is_slow("mandoline")
    False
    """
    return "features" in get_estimator(name).needs


def compare_model(workspace: Workspace) -> ModelComparison:
    """Ask every method about the model on show; slow ones once they have run, the truth once it was revealed."""
    problem, settings = _problem(workspace), workspace.project.estimator
    entries = {}
    for name in ESTIMATORS:
        key = keys.method(workspace, name)
        entry = _kept().get(key)
        if entry is None and not is_slow(name):
            entry = run_estimator(problem, name, settings)
            _kept().put(key, entry)
        if entry is not None:
            entries[name] = entry
    found = gather(problem, settings, entries)
    # A target that brings its labels along has a truth before anyone asked for it.
    return found if workspace.revealed else replace(found, truth=None)


def compare_models(workspace: Workspace) -> Comparison:
    """Ask every method about every model; a model that cannot be scored is left out."""
    found = {}
    for model in workspace.project.models:
        try:
            found[model.name] = compare_model(replace(workspace, model=model.name))
        except MandolineError:
            continue
    return summarise(workspace.project.name, found, workspace.project.estimator.confidence)


def not_run(workspace: Workspace) -> list[str]:
    """List the slow methods that have not run on the model on show as things stand."""
    return [name for name in ESTIMATORS if is_slow(name) and _kept().get(keys.method(workspace, name)) is None]


def expected_seconds(workspace: Workspace) -> float:
    """Guess how long the slow methods that have not run will take; models share most of the work."""
    most = workspace.project.methods.max_rows
    rows = sum(min(sample.n_rows, most) for sample in samples(workspace))
    return sum(get_estimator(name).seconds for name in _waiting(workspace)) * (rows / 20_000) ** 2


def slow_run(workspace: Workspace) -> Run | None:
    """Find the run of slow methods that belongs to a project; one whose answers nobody needs any more is stopped."""
    run = runs().get(("slow", workspace.id))
    if run is not None and run.running:
        needed = {
            keys.method(replace(workspace, model=model), name)
            for model, names in _missing(workspace).items()
            for name in names
        }
        if not any(task.key in needed for task in run.tasks[run.done :]):
            run.stop()
    return run


def start_slow(workspace: Workspace) -> Run:
    """Run the slow methods that have not run, in the background: quick ones first, the model on show first."""
    missing, tasks = _missing(workspace), []
    for name in _waiting(workspace):
        for model in (model for model, names in missing.items() if name in names):
            with suppress(MandolineError):
                tasks.append(_task(replace(workspace, model=model), name))
    run = Run(tasks)
    runs().put(("slow", workspace.id), run)
    return run


def _task(workspace: Workspace, name: str) -> Task:
    problem, settings, title = _problem(workspace), workspace.project.estimator, title_of(name)
    key, kept = keys.method(workspace, name), _kept()

    def work(run: Run) -> None:
        # Linear algebra on every core would leave none for the page, and threads that wait for each other are slower.
        with threadpool_limits(limits=1):
            kept.put(key, run_estimator(problem, name, settings, run.step))

    return Task(key, f"{title}, {workspace.model}" if workspace.model else title, work)


def _missing(workspace: Workspace) -> dict[str, list[str]]:
    """List the slow methods that have not run, by model, the one on show first."""
    names = list(dict.fromkeys([workspace.model, *(model.name for model in workspace.project.models)]))
    return {name: not_run(replace(workspace, model=name)) for name in names}


def _waiting(workspace: Workspace) -> list[str]:
    """List the slow methods that have not run on every model, those that take least first."""
    names = dict.fromkeys(name for names in _missing(workspace).values() for name in names)
    return sorted(names, key=lambda name: get_estimator(name).seconds)


def _problem(workspace: Workspace) -> ModelProblem:
    """State the problem; methods on columns need no slices."""
    return prepared(workspace, need_slices=any(rule.enabled for rule in workspace.project.slices))
