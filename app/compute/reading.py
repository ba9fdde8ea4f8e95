"""Reading files, each once, and giving their columns roles; what is read is known by path, time, size and name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from app.project import Workspace, read_upload
from mandoline_core import Model, Sample, read_table


@dataclass(frozen=True)
class _FileState:
    """Tell one state of a file from another without reading it; a missing file has no time."""

    path: str
    modified: int
    size: int
    name: str


def samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples with the project's roles."""
    project = workspace.project
    source, target = plain_samples(workspace)
    return (
        _with_roles(source, project.label, project.models),
        _with_roles(target, project.label if project.label in target.columns else None, project.models),
    )


def plain_samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples without roles: what can be read whatever the roles say."""
    project = workspace.project
    return (
        table_at(project.source_path, workspace.names["source"]),
        table_at(project.target_path, workspace.names["target"]),
    )


def table_at(path: Path, name: str) -> Sample:
    """Read a table that is in use, without roles."""
    try:
        status = path.stat()
    except OSError:
        return _frame(_FileState(str(path), 0, 0, name))
    return _frame(_FileState(str(path), status.st_mtime_ns, status.st_size, name))


@st.cache_resource(max_entries=16, show_spinner="Reading the file ...")
def _frame(file: _FileState) -> Sample:
    return Sample(read_table(file.path), name=file.name)


def _with_roles(sample: Sample, label: str | None, models: tuple[Model, ...]) -> Sample:
    return _sample_with_roles(f"{sample.fingerprint} {sample.name!r} {label!r} {models!r}", sample, label, models)


@st.cache_resource(max_entries=32, show_spinner=False)
def _sample_with_roles(key: str, _sample: Sample, _label: str | None, _models: tuple[Model, ...]) -> Sample:
    return Sample(_sample.frame, label=_label, models=_models, name=_sample.name)


@st.cache_resource(max_entries=8, show_spinner="Reading the file ...")
def uploaded(upload: str, name: str, _content: bytes) -> Sample:
    """Read a table that was uploaded but is not in use yet; `upload` tells one upload from another."""
    return read_upload(name, _content)


def model_of(workspace: Workspace) -> Model | None:
    """Return the model on show."""
    return next((model for model in workspace.project.models if model.name == workspace.model), None)
