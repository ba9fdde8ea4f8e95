"""Reading samples and their columns, each once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st

from app.project import RoleGuess, Workspace, guess_roles, read_upload
from app.words import tables
from mandoline_core import Model, Sample, read_table
from mandoline_core.samples import class_codes, class_name, profile_column


@dataclass(frozen=True)
class FileKey:
    """Tell one state of a file from another without reading it."""

    path: str
    modified: int
    size: int
    name: str


def file_key(path: Path, name: str) -> FileKey:
    """Make the key of a file, or of one that is missing."""
    try:
        status = path.stat()
    except OSError:
        return FileKey(str(path), 0, 0, name)
    return FileKey(str(path), status.st_mtime_ns, status.st_size, name)


def samples(workspace: Workspace) -> tuple[Sample, Sample]:
    """Read both samples with the project's roles."""
    project = workspace.project
    source = _frame(file_key(project.source_path, workspace.names["source"]))
    target = _frame(file_key(project.target_path, workspace.names["target"]))
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
    return _frame(file_key(path, name))


@st.cache_resource(max_entries=8, show_spinner="Reading the file ...")
def _frame(key: FileKey) -> Sample:
    """Read one file; a frame is read once, whatever the roles."""
    return Sample(read_table(key.path), name=key.name)


def _with_roles(sample: Sample, label: str | None, models: tuple[Model, ...]) -> Sample:
    return _sample_with_roles(f"{sample.fingerprint} {sample.name!r} {label!r} {models!r}", sample, label, models)


@st.cache_resource(max_entries=32, show_spinner=False)
def _sample_with_roles(key: str, _sample: Sample, _label: str | None, _models: tuple[Model, ...]) -> Sample:
    return Sample(_sample.frame, label=_label, models=_models, name=_sample.name)


def model_of(workspace: Workspace, name: str | None = None) -> Model | None:
    """Return the model on show, or another by name."""
    wanted = name or workspace.model
    return next((model for model in workspace.project.models if model.name == wanted), None)


def column_values(workspace: Workspace, column: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return a numeric column of both samples (at most 20,000 rows each) with its least and largest value."""
    source, target = samples(workspace)
    return _column_values(source.fingerprint, target.fingerprint, column, source, target)


@st.cache_resource(max_entries=64, show_spinner=False)
def _column_values(
    source_print: str, target_print: str, column: str, _source: Sample, _target: Sample
) -> tuple[np.ndarray, np.ndarray, float, float]:
    values = [sample.series(column).drop_nulls().to_numpy().astype(float) for sample in (_source, _target)]
    everything = np.concatenate(values)
    # Evenly spaced rows of the sorted column keep its shape, and its ends, whatever its length.
    thin = [np.sort(v)[np.unique(np.linspace(0, len(v) - 1, 20_000).astype(int))] if len(v) else v for v in values]
    low, high = (everything.min(), everything.max()) if len(everything) else (0.0, 0.0)
    return thin[0], thin[1], float(low), float(high)


def value_counts(workspace: Workspace, column: str, most: int = 200) -> dict[str | int | float, tuple[int, int]]:
    """Count a column's values in both samples, the source's most frequent first."""
    source, target = samples(workspace)
    return _value_counts(source.fingerprint, target.fingerprint, column, most, source, target)


@st.cache_resource(max_entries=64, show_spinner=False)
def _value_counts(
    source_print: str, target_print: str, column: str, most: int, _source: Sample, _target: Sample
) -> dict[str | int | float, tuple[int, int]]:
    counts = [sample.series(column).drop_nulls().to_pandas().value_counts() for sample in (_source, _target)]
    values = counts[0].add(counts[1], fill_value=0).sort_values(ascending=False, kind="stable").index[:most]
    plain = [value.item() if hasattr(value, "item") else value for value in values]
    return {value: (int(counts[0].get(value, 0)), int(counts[1].get(value, 0))) for value in plain}


def predicted_classes(workspace: Workspace) -> list[str]:
    """List the classes that the model on show predicts in either sample."""
    model = model_of(workspace)
    if model is None or model.prediction is None:
        return []
    return [str(value) for value in value_counts(workspace, model.prediction)]


def identifiers(workspace: Workspace) -> dict[str, str]:
    """List the columns that only tell one row from another, each with how that shows."""
    source, target = samples(workspace)
    return _identifiers(source, target, repr((source.label, source.models)))


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={Sample: lambda sample: sample.fingerprint})
def _identifiers(source: Sample, target: Sample, roles: str) -> dict[str, str]:
    shared = (column for column in source.columns if column in target.columns and column not in source.roles)
    profiles = (profile_column(column, source, target) for column in shared)
    return {found.name: found.drawback for found in profiles if found.kind == "identifier"}


@st.cache_resource(max_entries=8, show_spinner="Reading the file ...")
def uploaded(upload: str, name: str, _content: bytes) -> Sample:
    """Read a table that was uploaded but is not in use yet; `upload` tells one upload from another."""
    return read_upload(name, _content)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={Sample: lambda sample: sample.fingerprint})
def guessed_roles(source: Sample, target_columns: tuple[str, ...]) -> RoleGuess:
    """Guess the roles of the columns of two tables."""
    return guess_roles(source, target_columns)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={Sample: lambda sample: sample.fingerprint})
def _column_table(source: Sample, target: Sample, roles: str) -> pd.DataFrame:
    return tables.column_table(source, target)


def column_table(workspace: Workspace) -> pd.DataFrame:
    """Describe every column of both samples."""
    source, target = samples(workspace)
    return _column_table(source, target, repr((source.label, source.models)))


def class_shares(workspace: Workspace) -> tables.ClassShares | None:
    """Count the classes among the labels and among the answers of the model on show."""
    source, target = samples(workspace)
    model = model_of(workspace)
    return _class_shares(
        (source.fingerprint, target.fingerprint, repr(source.label), repr(model)), source, target, model
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _class_shares(
    key: tuple[str, ...], _source: Sample, _target: Sample, _model: Model | None
) -> tables.ClassShares | None:
    return tables.class_shares(_source, _target, _model)


def classes(workspace: Workspace, model: Model, most: int = 40) -> list[str]:
    """List the classes of a model: those it has probabilities for, and those among labels and predictions."""
    source, target = plain_samples(workspace)
    label = workspace.project.label
    columns = [(source, label), (source, model.prediction), (target, model.prediction)]
    key = (source.fingerprint, target.fingerprint, repr(label), repr(model.prediction))
    known = {class_name(class_) for class_ in model.probabilities}
    found = _classes(key, [(sample, column) for sample, column in columns if column in sample.columns])
    return [*model.probabilities, *(class_ for class_ in found if class_name(class_) not in known)][:most]


def source_classes(workspace: Workspace) -> tuple[str, ...]:
    """List the classes among the labels and all models' answers in the labelled data."""
    source, _ = plain_samples(workspace)
    names = [workspace.project.label, *(model.prediction for model in workspace.project.models)]
    columns = [(source, name) for name in names if name in source.columns]
    return _classes((source.fingerprint, repr(names)), columns)


@st.cache_resource(max_entries=32, show_spinner=False)
def _classes(key: tuple[str, ...], _columns: list[tuple[Sample, str]]) -> tuple[str, ...]:
    return class_codes(*(sample.series(column) for sample, column in _columns))[1] if _columns else ()
