"""Every method on every model, each answer kept by what it depends on; slow methods run only when asked to."""

from __future__ import annotations

import importlib
import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from functools import partial

import streamlit as st
from threadpoolctl import threadpool_limits

from app.compute.background import Run, Task
from app.compute.estimates import prepared
from app.compute.frames import model_of, samples
from app.project import Workspace
from app.vocabulary import title_of
from mandoline_core import EstimatorSettings, MandolineError
from mandoline_core.comparing import Comparison, Entry, ModelComparison, gather, run_estimator, summarise
from mandoline_core.estimating import ModelProblem
from mandoline_core.estimators import ESTIMATORS, default_columns, get_estimator

MOST_BYTES = 400_000_000


class _Kept:
    """Keep answers by key; the one not asked for longest goes first when there is no room left."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Entry | None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: Hashable, entry: Entry) -> None:
        with self._lock:
            self._entries[key] = entry
            while len(self._entries) > 1 and sum(map(_size, self._entries.values())) > MOST_BYTES:
                self._entries.popitem(last=False)


def _size(entry: Entry) -> int:
    return 2000 + sum(piece.nbytes for piece in entry.pieces)


@st.cache_resource(show_spinner=False)
def _kept() -> _Kept:
    return _Kept()


@st.cache_resource(show_spinner=False)
def _runs() -> dict[str, Run]:
    return {}


def is_slow(name: str) -> bool:
    """Tell whether a method looks at all columns of all rows, and so runs only when asked to.

    >>> is_slow("mandoline")
    False
    """
    return "features" in get_estimator(name).needs


def compare_model(workspace: Workspace, model: str | None = None) -> ModelComparison:
    """Ask every method about a model; slow ones are there once they have run, the truth once it was revealed."""
    problem, settings = _problem(workspace, model), workspace.project.estimator
    entries = {}
    for name in ESTIMATORS:
        key = _key(workspace, model, name)
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
            found[model.name] = compare_model(workspace, model.name)
        except MandolineError:
            continue
    return summarise(workspace.project.name, found, workspace.project.estimator.confidence)


def feature_columns(workspace: Workspace) -> tuple[tuple[str, ...], dict[str, str]]:
    """Choose the columns that methods on columns look at unless told otherwise; say why others are left out."""
    source, target = samples(workspace)
    key = (source.fingerprint, target.fingerprint, repr(source.models), repr(source.label), source.name, target.name)
    return _feature_columns(key, workspace)


@st.cache_resource(max_entries=32, show_spinner=False)
def _feature_columns(key: tuple[str, ...], _workspace: Workspace) -> tuple[tuple[str, ...], dict[str, str]]:
    return default_columns(*samples(_workspace))


def not_run(workspace: Workspace, model: str | None = None) -> list[str]:
    """List the slow methods that have not run on a model as things stand."""
    return [name for name in ESTIMATORS if is_slow(name) and _kept().get(_key(workspace, model, name)) is None]


def expected_seconds(workspace: Workspace) -> float:
    """Guess how long the slow methods that have not run will take; models share most of the work."""
    most = workspace.project.methods.max_rows
    rows = sum(min(sample.n_rows, most) for sample in samples(workspace))
    return sum(get_estimator(name).seconds for name in _waiting(workspace)) * (rows / 20_000) ** 2


def slow_run(workspace: Workspace) -> Run | None:
    """Find the run of slow methods that belongs to a project; one whose answers nobody needs any more is stopped."""
    run = _runs().get(workspace.id)
    if run is not None and run.running:
        needed = {_key(workspace, model, name) for model, names in _missing(workspace).items() for name in names}
        if not any(task.key in needed for task in run.tasks[run.done :]):
            run.stop()
    return run


def start_slow(workspace: Workspace) -> Run:
    """Run the slow methods that have not run, in the background: quick ones first, the model on show first."""
    # A stop in the middle of an import would leave half a library behind: it is loaded before anything can be stopped.
    importlib.import_module("sklearn.feature_extraction.text")
    missing, tasks = _missing(workspace), []
    for name in _waiting(workspace):
        for model in (model for model, names in missing.items() if name in names):
            try:
                problem = _problem(workspace, model)
            except MandolineError:
                continue
            title = f"{title_of(name)}, {model}" if model else title_of(name)
            key = _key(workspace, model, name)
            tasks.append(Task(key, title, partial(_answer, _kept(), key, problem, name, workspace.project.estimator)))
    _runs()[workspace.id] = Run(tasks)
    return _runs()[workspace.id]


def _answer(kept: _Kept, key: Hashable, problem: ModelProblem, name: str, settings: EstimatorSettings) -> None:
    # Linear algebra on every core would leave none for the page, and threads that wait for each other are slower.
    with threadpool_limits(limits=1):
        kept.put(key, run_estimator(problem, name, settings))


def _missing(workspace: Workspace) -> dict[str, list[str]]:
    """List the slow methods that have not run, by model, the one on show first."""
    names = list(dict.fromkeys([workspace.model, *(model.name for model in workspace.project.models)]))
    return {name: not_run(workspace, name) for name in names}


def _waiting(workspace: Workspace) -> list[str]:
    """List the slow methods that have not run on every model, those that take least first."""
    names = dict.fromkeys(name for names in _missing(workspace).values() for name in names)
    return sorted(names, key=lambda name: get_estimator(name).seconds)


def _problem(workspace: Workspace, model: str | None) -> ModelProblem:
    """State the problem; which estimator the project uses does not matter here."""
    project = workspace.project
    neutral = replace(workspace, project=replace(project, estimator=replace(project.estimator, name="source")))
    return prepared(neutral, model, need_slices=any(rule.enabled for rule in project.slices))


def _key(workspace: Workspace, model: str | None, name: str) -> Hashable:
    """Name what a method's answer depends on; a slow one that looks at no slices outlives any edit of them."""
    source, target = samples(workspace)
    project, methods, slices = workspace.project, workspace.project.methods, repr(workspace.project.slices)
    edges = repr(project.edges)
    if is_slow(name) and "slices" not in get_estimator(name).needs:
        slices, edges, methods = "", "", replace(methods, scores=None)
    return (
        source.fingerprint,
        target.fingerprint,
        slices,
        edges,
        repr(replace(project.estimator, name=name)),
        repr(methods),
        repr(project.metric),
        repr(project.label),
        repr(model_of(workspace, model)),
    )
