"""Cache keys: for each kind of thing computed, which parts of the project and of the view it depends on.

A key names data by their fingerprints, never by rows or paths, so that visitors with the same data share an answer and
visitors with other data never do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import streamlit as st

from app.compute import data
from app.project import Workspace
from mandoline_core import MandolineError, Sample, Slice
from mandoline_core.data import Cache
from mandoline_core.estimators import get_estimator
from mandoline_core.project import public_text

Key = tuple[str, ...]
MOST_BYTES = 600_000_000  # of answers; a machine of a few gigabytes has room for them
_Subject = TypeVar("_Subject")
_Result = TypeVar("_Result")
_More = ParamSpec("_More")


_Function = Callable[Concatenate[_Subject, _More], _Result]


def kept(
    *, by: Callable[[_Subject], Key], spinner: str = ""
) -> Callable[[_Function[_Subject, _More, _Result]], _Function[_Subject, _More, _Result]]:
    """Keep what a function returns, by the key of its first argument and by its other arguments as they print.

    Errors are not kept. All functions share one cache with a limit in bytes: the least recently used entry goes first.

    Parameters
    ----------
    by : callable
        One of this module's functions.
    spinner : str
        What to say meanwhile, if it takes long.
    """

    def decorate(function: _Function[_Subject, _More, _Result]) -> _Function[_Subject, _More, _Result]:
        signature = inspect.signature(function)
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def look_up(subject: _Subject, /, *args: _More.args, **named: _More.kwargs) -> _Result:
            arguments = signature.bind(subject, *args, **named)
            arguments.apply_defaults()
            _, *more = arguments.arguments.items()
            key = (name, repr((by(subject), more)))
            cache = answers_kept()
            found: tuple[_Result] | None = cache.get(key)
            if found is None:
                with st.spinner(spinner) if spinner else nullcontext():  # what is kept is never None
                    found = cache(key, lambda: (function(*arguments.args, **arguments.kwargs),))
            return found[0]

        return look_up

    return decorate


@st.cache_resource(show_spinner=False)
def answers_kept() -> Cache[Any]:
    """Return what all functions of all visitors share."""
    return Cache(MOST_BYTES)


def recall(key: tuple[Hashable, ...], make: Callable[[], _Result], /) -> _Result:
    """Keep what a step of the pipeline makes, for all visitors: the hook that its callers have."""
    return answers_kept()(named(key), make)


def named(key: tuple[Hashable, ...]) -> Key:
    """Name what a step of the pipeline depends on, as its key holds it: a sample by its cells, the rest as it prints.

    What a slice says of rows does not depend on what the sample or its columns are called in the project.
    """
    if key[0] == "codes":
        return tuple(part.fingerprint if isinstance(part, Sample) else repr(part) for part in key)
    names: list[str] = []
    for part in key:
        names += (
            [*rows(part), repr((part.label, part.group, part.weight)), repr(part.models)]
            if isinstance(part, Sample)
            else [repr(part)]
        )
    return tuple(names)


def rows(sample: Sample) -> Key:
    """Name a sample by its cells."""
    return (sample.fingerprint, sample.name)


def codes(found: tuple[Sample, Slice]) -> Key:
    """Name a slice's codes on a sample: what the slice is called, and how far to trust it, is irrelevant."""
    sample, rule = found
    return sample.fingerprint, repr(rule.key)


def word(found: tuple[Sample, Slice, Slice]) -> Key:
    """Name the number of rows that have a word: which rule it is part of is irrelevant."""
    return codes(found[:2])


def tables(workspace: Workspace) -> Key:
    """Name both tables, whatever the roles of their columns."""
    source, target = data.plain_samples(workspace)
    return (*rows(source), *rows(target))


def samples(workspace: Workspace) -> Key:
    """Name both samples with the roles of their columns."""
    source, target = data.samples(workspace)
    roles = source.label, source.group, target.group, source.weight, target.weight
    return (*rows(source), *rows(target), repr(roles), repr(source.models))


def answers(workspace: Workspace) -> Key:
    """Name both samples and the model on show."""
    return (*samples(workspace), repr(data.model_of(workspace)))


def source_score(workspace: Workspace) -> Key:
    """Name what a score on the labelled data depends on: no slices, no new rows."""
    project = workspace.project
    source, _ = data.samples(workspace)
    model = repr(data.model_of(workspace))
    roles = repr((project.label, project.source_group, project.source_weight)), repr(project.models)
    return (*rows(source), *roles, model, repr(project.metric), repr(project.estimator.confidence))


def counted(workspace: Workspace) -> Key:
    """Name what cells of rows depend on in addition to the slices: the samples, all models, and the metric."""
    return (*samples(workspace), repr(workspace.project.metric))


def rules(workspace: Workspace) -> Key:
    """Name what slices are made of, for all models."""
    plain = [replace(rule, noise=None, audit=None, note="") for rule in workspace.project.slices]
    return (*samples(workspace), repr(plain))


def count(workspace: Workspace) -> Key:
    """Name what counted rows depend on: corrections, audits, edges and settings are irrelevant."""
    rules = [replace(rule, noise=None, audit=None, note="") for rule in workspace.project.slices]
    return (*answers(workspace), repr(workspace.project.metric), repr(rules))


def every_slice(workspace: Workspace) -> Key:
    """Name what a description of all slices depends on, also of those switched off, without corrections."""
    project = workspace.project
    rules = [replace(rule, noise=None, audit=None, enabled=True) for rule in project.slices]
    return (*answers(workspace), repr(project.metric), repr(rules), repr(project.estimator.confidence))


def corrections(workspace: Workspace) -> Key:
    """Name what corrections in use depend on, also those of slices switched off."""
    rules = [replace(rule, enabled=True) for rule in workspace.project.slices]
    confidence = repr(workspace.project.estimator.confidence)
    return (*answers(workspace), repr(workspace.project.metric), repr(rules), confidence)


def solution(workspace: Workspace) -> Key:
    """Name what an estimate depends on: the truth is irrelevant."""
    return (*_stated(workspace), repr(workspace.project.estimator))


def every_model(workspace: Workspace) -> Key:
    """Name what the estimates of all models depend on together."""
    project = workspace.project
    parts = (project.metric, project.slices, project.edges, project.methods, project.estimator, project.trust)
    return (*samples(workspace), *map(repr, parts))


def tracked(workspace: Workspace) -> Key:
    """Name what estimates on other new data depend on: all but the project's own new data."""
    project, (source, _) = workspace.project, data.samples(workspace.on_all_rows)
    design = project.source_group, project.target_group, project.source_weight, project.target_weight
    parts = (design, project.label, project.models, project.metric, project.slices, project.edges, project.methods)
    return (*rows(source), *map(repr, (*parts, project.estimator, project.trust)))


def report(workspace: Workspace) -> Key:
    """Name what an estimate with the truth depends on."""
    return (*solution(workspace), "revealed" if workspace.revealed else "hidden", *_labels(workspace))


def written(workspace: Workspace) -> Key:
    """Name what the written report depends on: all that the project file says, too, which is part of it."""
    return (*report(workspace), public_text(workspace.project, workspace.names))


def some_labels(workspace: Workspace) -> Key:
    """Name what an estimate with the labels of some new rows depends on, whether the truth is shown or not."""
    return (*solution(workspace), *_labels(workspace))


def labels(workspace: Workspace) -> Key:
    """Name the labels of the new rows, whatever the slices and whether the truth is shown or not."""
    return (*samples(workspace), repr(workspace.project.metric), *_labels(workspace))


def methods(workspace: Workspace, names: Iterable[str]) -> dict[str, Key]:
    """Name what the answers of methods depend on; one on columns alone outlives any edit of the slices."""
    project, asked = workspace.project, answers(workspace)
    slices: Key = (repr(project.slices), repr(project.edges), repr(project.trust))
    found = {}
    for name in names:
        settings, tuning, way = replace(project.estimator, name=name), project.methods, get_estimator(name)
        alone = way.slow and not way.uses_slices
        tuning = replace(tuning, scores=None) if alone else tuning
        found[name] = (*asked, repr(project.metric), *(() if alone else slices), repr(settings), repr(tuning))
    return found


def _stated(workspace: Workspace) -> Key:
    project = workspace.project
    parts: tuple[Any, ...] = (project.metric, project.slices, project.edges, project.methods, project.trust)
    return (*answers(workspace), *map(repr, parts))


def _labels(workspace: Workspace) -> Key:
    """Name the file of the new rows' labels by what is in it: the rest of the labels may come to the same place."""
    path = workspace.project.target_labels
    if path is None:
        return ("no labels", str(workspace.project.target_key))
    try:
        return (data.table_at(path, path.name).fingerprint, str(workspace.project.target_key))
    except MandolineError as error:
        return (str(error),)
