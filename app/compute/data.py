"""The data, each table read once, and the roles of columns; what is read is known by path, time, size and name.

What fits into memory is read on the spot; data that stay in a table are opened in the background.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import narwhals as nw
import streamlit as st

from app.compute.jobs import ask_for
from app.project import IN_MEMORY, Workspace, engine_for, server_files
from mandoline_core import MandolineError, Model, Sample, read_table
from mandoline_core.data import (
    ENGINES,
    Cache,
    ColumnType,
    Files,
    choose_engine,
    complete_models,
    find_files,
    is_pattern,
    memory_budget,
    open_data,
)
from mandoline_core.labels import SomeLabels, some_labels

SHARE_OF_MEMORY = 0.3  # for rows
_LOOKED_FOR = 2.0  # seconds that the files of a pattern are not looked for again


_States = tuple[tuple[str, int, int], ...]  # of files: path, time of change, size


@dataclass(frozen=True)
class Data:
    """Tell one state of data from another without reading them; missing files have no time.

    Parameters
    ----------
    states : tuple of tuples
        Of each file its path, when it was changed, and its size.
    guarded : bool
        Whether a visitor named the path, so that it must be under an allowed folder whenever it is opened.
    types : tuple of pairs of str
        Columns of text that are read as something else, each with what.
    """

    path: str
    name: str
    engine: str | None = None
    table: str | None = None
    master: str | None = None
    guarded: bool = False
    states: _States = ()
    types: tuple[tuple[str, ColumnType], ...] = ()


def _sample_bytes(*samples: Sample) -> int:
    return sum(500 + int(sample.frame.estimated_size()) for sample in samples)


_opened: Cache[Sample] = Cache(memory_budget(SHARE_OF_MEMORY), size=_sample_bytes)
_known: Cache[tuple[Sample, Sample]] = Cache(memory_budget(SHARE_OF_MEMORY), size=lambda pair: _sample_bytes(*pair))
_patterns: Cache[tuple[float, _States]] = Cache(50_000_000)


def samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples with the project's roles; of those in tables only the draw, if that is used."""
    project = workspace.project
    both = _data(workspace, "source"), _data(workspace, "target")
    designs = [(getattr(project, f"{side}_group"), getattr(project, f"{side}_weight")) for side in ("source", "target")]
    key = (*both, *designs, project.label, repr(project.models), workspace.drawn)
    found = _known.get(key)  # every key of every answer asks for them
    if found is None:
        if workspace.drawn:
            here, there = samples(workspace.on_all_rows)
            found = here.drawn, there.drawn
        else:
            source, target = map(_open, both)
            label = project.label if project.label in target.columns else None
            labelled = _with_roles(source, project.label, project.models, *designs[0])
            found = complete_models(labelled, _with_roles(target, label, project.models, *designs[1]))
        _known.put(key, found)
    return found


def plain_samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples without roles: what can be read whatever the roles say."""
    return _open(_data(workspace, "source")), _open(_data(workspace, "target"))


def untyped_columns(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    """List the columns of each side that are text in its file, whatever the project reads them as."""
    found = {}
    for side in ("source", "target"):
        sample = _open(replace(_data(workspace, side), types=()))
        found[side] = tuple(column for column, dtype in sample.schema.items() if dtype == nw.String)
    return found


def revealed(workspace: Workspace) -> Sample:
    """Add the labels that the new rows have as a column; their file keeps its name."""
    project, (_, target) = workspace.project, samples(workspace)
    path = project.target_labels
    return project.reveal(target, None if path is None else table_at(path, workspace.names.get("labels", path.name)))


def new_labels(workspace: Workspace) -> SomeLabels | None:
    """Find labels of some new rows, with the plan they came by; None without any."""
    project, (_, target) = workspace.project, samples(workspace)
    path = project.target_labels
    try:
        labels = None if path is None else table_at(path, workspace.names.get("labels", path.name))
    except MandolineError as error:
        return SomeLabels(target, None, str(error))
    return some_labels(project, target, project.metric.column or project.label, labels)


def table_at(path: Path, name: str, engine: str | None = None, *, guarded: bool = False) -> Sample:
    """Read a table without roles.

    Parameters
    ----------
    guarded : bool
        Whether a visitor named the path.
    """
    states = _states(path)
    return _open(Data(str(path), name, _engine(path, engine, states, guarded), guarded=guarded, states=states))


def forget(path: Path) -> None:
    """Let go of what was read from a file that is no longer there."""
    for key in _opened.keys():  # noqa: SIM118  no mapping
        if isinstance(key, Data) and key.path == str(path):
            _opened.pop(key)


def _data(workspace: Workspace, side: str) -> Data:
    project = workspace.project
    path: Path = getattr(project, f"{side}_path")
    engine, table, master = (getattr(project, f"{side}_{what}") for what in ("engine", "table", "master"))
    by_name = table is not None and ENGINES[engine or "auto"].knows_tables  # there is no file to look at
    states = () if by_name else _states(path)
    guarded = side in workspace.server
    chosen = _engine(path, engine, states, guarded)
    types = tuple(sorted(getattr(project, f"{side}_types").items()))
    return Data(str(path), workspace.names[side], chosen, table, master, guarded, states, types)


def _engine(path: Path, engine: str | None, states: _States, guarded: bool) -> str | None:
    """Choose what goes over rows where a visitor leaves it open: many visitors share the memory of a server."""
    if engine not in (None, "auto"):
        return engine
    if not guarded:
        return engine_for(path) or engine
    if not states:  # said when they are read
        return None
    chosen = choose_engine(_files(path.name, states), IN_MEMORY)
    return None if chosen.in_memory or not chosen.is_installed else chosen.name


def engine_at(path: Path, *, guarded: bool) -> str | None:
    """Choose what goes over the rows of a file; none where they are read into memory.

    Parameters
    ----------
    guarded : bool
        Whether a visitor named the path.
    """
    return _engine(path, None, _states(path), guarded)


def _states(path: Path) -> _States:
    if not is_pattern(path):
        return (state_of(path),)
    found = _patterns.get(path)
    if found is None or time.monotonic() - found[0] > _LOOKED_FOR:
        try:
            files = find_files(path)
        except MandolineError:  # said when they are read
            files = ()
        found = time.monotonic(), tuple(map(state_of, files))
        _patterns.put(path, found)
    return found[1]


def state_of(path: Path) -> tuple[str, int, int]:
    """Tell one state of a file from another without reading it."""
    try:
        status = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), status.st_mtime_ns, status.st_size)


def _open(data: Data) -> Sample:
    found = _opened.get(data)
    if found is None:
        if data.guarded:
            server_files.check(Path(data.path))
        # A page waits for what is read into memory, and for nothing else.
        if data.table is not None or data.engine not in (None, "auto", "pandas") or not _is_small(data):
            key, title = ("open", data.path, data.table, data.engine, data.types), f"Opening {data.name}"
            ask_for(key, data, title, lambda: _opened.put(data, _read(data)), lambda: _opened.get(data) is not None)
            found = _opened.get(data)
        else:
            with st.spinner("Reading the file ..."):
                found = _opened(data, lambda: _read(data))
    return found or _read(data)


def _read(data: Data) -> Sample:
    path = Path(data.path)
    if data.engine in (None, "auto", "pandas") and data.table is None and not is_pattern(path) and _is_small(data):
        return Sample(read_table(path), name=data.name, types=dict(data.types))
    rows = open_data(path, engine=data.engine or "auto", table=data.table, master=data.master)
    return Sample(rows, name=data.name, types=dict(data.types))


def _is_small(data: Data) -> bool:
    """Tell whether data are read into memory unless told otherwise; what is missing is said when it is read."""
    return not data.states or choose_engine(_files(data.name, data.states)).in_memory


def _files(name: str, states: _States) -> Files:
    sizes = tuple((size, modified) for _, modified, size in states)
    return Files(name, tuple(Path(path) for path, _, _ in states), sizes)


def _with_roles(
    sample: Sample, label: str | None, models: tuple[Model, ...], group: str | None, weight: str | None
) -> Sample:
    return sample.with_rows(sample.frame, label=label, models=models, table=sample.table, group=group, weight=weight)


def model_of(workspace: Workspace) -> Model | None:
    """Return the model on show, with the columns that follow from its probabilities."""
    return next((model for model in samples(workspace)[0].models if model.name == workspace.model), None)
