"""Every method on every model, in the background, each answer kept by what it depends on; slow ones when asked to."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import streamlit as st

from app.compute import keys
from app.compute.background import Run, Task, runs
from app.compute.estimates import prepared
from app.compute.reading import samples
from app.compute.shelf import Shelf
from app.project import Workspace
from mandoline_core import MandolineError
from mandoline_core.comparison import Comparison, Entry, ModelComparison, gather, run_estimator, summarise
from mandoline_core.domain_classifier import one_thread
from mandoline_core.estimators import ESTIMATORS, get_estimator
from mandoline_core.pipeline import Fit
from mandoline_core.report.words import title_of
from mandoline_core.weighting import telling

Pace = Literal["quick", "slow"]
MOST_BYTES = 400_000_000
A_MOMENT = 0.4  # seconds: whoever answers within them is on the page when it is first drawn
PATIENCE = 15.0  # seconds


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
    """Gather what methods have said of the model on show so far; with the truth once it was revealed."""
    problem, found = _problem(workspace), {}
    for name, key in keys.methods(workspace, ESTIMATORS).items():
        entry = _kept().get(key)
        if entry is not None:
            found[name] = entry
    gathered = gather(problem, workspace.project.estimator, found)
    # A target that brings its labels along has a truth before anyone asked for it.
    return gathered if workspace.revealed else replace(gathered, truth=None)


def compare_models(workspace: Workspace) -> Comparison:
    """Gather what methods have said of every model so far; a model that cannot be scored is left out."""
    found = {}
    for model in workspace.project.models:
        try:
            found[model.name] = compare_model(replace(workspace, model=model.name))
        except MandolineError:
            continue
    return summarise(workspace.project.name, found, workspace.project.estimator.confidence)


def not_run(workspace: Workspace, pace: Pace) -> list[str]:
    """List the quick or the slow methods that have not run on the model on show as things stand."""
    return list(_not_run(workspace, pace))


def _not_run(workspace: Workspace, pace: Pace) -> dict[str, keys.Key]:
    names = [name for name in ESTIMATORS if is_slow(name) == (pace == "slow")]
    return {name: key for name, key in keys.methods(workspace, names).items() if _kept().get(key) is None}


def n_coming(workspace: Workspace) -> int:
    """Count the answers of quick methods that are still to come, over all models."""
    return len(_missing(workspace, "quick"))


def expected_seconds(workspace: Workspace) -> float:
    """Guess how long the slow methods that have not run will take; models share most of the work."""
    methods = workspace.project.methods
    n_rows = sum(min(sample.n_rows, methods.max_rows) for sample in samples(workspace))
    names = {one.name for one in _missing(workspace, "slow")}
    return sum(get_estimator(name).expected_seconds(methods, n_rows) for name in names)


def find_run(workspace: Workspace, pace: Pace) -> Run | None:
    """Find the run that belongs to a project; one whose answers nobody needs any more is stopped."""
    run = runs().get((pace, workspace.id))
    if run is not None and run.running:
        run.look()
        if not _is_needed(run, workspace, pace):
            run.stop()
    return run


def ask_quick(workspace: Workspace) -> None:
    """Have the quick methods run that have not, unless somebody stopped them; wait for those that answer at once."""
    _problem(workspace)  # refuses what cannot be compared
    run = find_run(workspace, "quick")
    at_work = run is not None and (run.running or run.stopped) and _is_needed(run, workspace, "quick")
    if n_coming(workspace) and not at_work:
        start(workspace, "quick").wait(A_MOMENT)


def start(workspace: Workspace, pace: Pace) -> Run:
    """Run methods that have not run, in the background: those that take least first, the model on show first."""
    tasks = [_task(replace(workspace, model=one.model), one) for one in _missing(workspace, pace)]
    run = Run(tasks, patience=PATIENCE if pace == "quick" else None)
    runs().put((pace, workspace.id), run)
    return run


def _task(workspace: Workspace, one: _Missing) -> Task:
    name, key, kept, title = one.name, one.key, _kept(), title_of(one.name)

    def work(run: Run) -> None:
        # Linear algebra on every core would leave none for the page, and threads that wait for each other are slower.
        with one_thread():
            kept.put(key, _answer(workspace, name, run))

    return Task(key, f"{title}, {workspace.model}" if workspace.model else title, work)


def _answer(workspace: Workspace, name: str, run: Run) -> Entry:
    try:
        problem = _problem(workspace)
    except MandolineError as error:
        return Entry(name, available=False, reason=error.sentence)
    with telling(run.note):
        return run_estimator(problem, name, workspace.project.estimator, run.step)


def _is_needed(run: Run, workspace: Workspace, pace: Pace) -> bool:
    """Tell whether a run would still bring an answer that is missing."""
    needed = {one.key for one in _missing(workspace, pace)}
    return any(task.key in needed for task in run.tasks[run.done :])


class _Missing(NamedTuple):
    """Hold an answer that is not there: of which method, about which model, and its place on the shelf."""

    model: str
    name: str
    key: keys.Key


def _missing(workspace: Workspace, pace: Pace) -> list[_Missing]:
    """List the answers that are not there, in the order in which they are to come: what takes least first."""
    models = dict.fromkeys([workspace.model, *(model.name for model in workspace.project.models)])
    found = [
        _Missing(model, name, key)
        for model in models
        for name, key in _not_run(replace(workspace, model=model), pace).items()
    ]
    if pace == "slow":  # models share most of the work of a slow method
        found.sort(key=lambda one: list(ESTIMATORS).index(one.name))
    return sorted(found, key=lambda one: get_estimator(one.name).seconds)


def _problem(workspace: Workspace) -> Fit:
    """State the problem; methods on columns need no slices."""
    return prepared(workspace, need_slices=any(rule.enabled for rule in workspace.project.slices))
