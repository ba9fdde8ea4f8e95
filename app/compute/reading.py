"""Reading files, each once, and giving their columns roles; what is read is known by path, time, size and name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from app.compute.shelf import Shelf
from app.project import Workspace, read_upload
from mandoline_core import Model, Sample, read_table


@dataclass(frozen=True)
class _FileState:
    """Tell one state of a file from another without reading it; a missing file has no time."""

    path: str
    modified: int
    size: int
    name: str


_known: Shelf[tuple[Sample, Sample]] = Shelf(32)


def samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples with the project's roles."""
    project, names = workspace.project, workspace.names
    files = _state(project.source_path, names["source"]), _state(project.target_path, names["target"])
    key = (*files, project.label, repr(project.models))
    found = _known.get(key)  # every key of every answer asks for them
    if found is None:
        source, target = map(_frame, files)
        found = (
            _with_roles(source, project.label, project.models),
            _with_roles(target, project.label if project.label in target.columns else None, project.models),
        )
        _known.put(key, found)
    return found


def plain_samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples without roles: what can be read whatever the roles say."""
    project = workspace.project
    return (
        table_at(project.source_path, workspace.names["source"]),
        table_at(project.target_path, workspace.names["target"]),
    )


def revealed(workspace: Workspace) -> Sample:
    """Put the labels that the new rows have beside them; their file is called as it came."""
    project, (_, target) = workspace.project, samples(workspace)
    path = project.target_labels
    return project.reveal(target, None if path is None else table_at(path, workspace.names.get("labels", path.name)))


def table_at(path: Path, name: str) -> Sample:
    """Read a table that is in use, without roles."""
    return _frame(_state(path, name))


def _state(path: Path, name: str) -> _FileState:
    try:
        status = path.stat()
    except OSError:
        return _FileState(str(path), 0, 0, name)
    return _FileState(str(path), status.st_mtime_ns, status.st_size, name)


@st.cache_resource(max_entries=16, show_spinner="Reading the file ...")
def _frame(file: _FileState) -> Sample:
    return Sample(read_table(file.path), name=file.name)


def _with_roles(sample: Sample, label: str | None, models: tuple[Model, ...]) -> Sample:
    return Sample(sample.frame, label=label, models=models, name=sample.name)


@st.cache_resource(max_entries=8, show_spinner="Reading the file ...")
def uploaded(upload: str, name: str, _content: bytes) -> Sample:
    """Read a table that was uploaded but is not in use yet; `upload` tells one upload from another."""
    return read_upload(name, _content)


def model_of(workspace: Workspace) -> Model | None:
    """Return the model on show."""
    return next((model for model in workspace.project.models if model.name == workspace.model), None)
