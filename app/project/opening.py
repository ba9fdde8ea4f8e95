"""Opening what people bring: uploaded tables, uploaded project files, and a new project on two tables."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from mandoline_core import (
    DataError,
    Entropy,
    Model,
    Prediction,
    Project,
    ProjectError,
    Sample,
    load_project,
    read_table,
)
from mandoline_core.formatting import listed


def read_upload(name: str, content: bytes) -> Sample:
    r"""Read an uploaded table; messages call it by the name it came with.

    >>> read_upload("a.csv", b"x,y\n1,2\n").columns
    ('x', 'y')
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / base_name(name)
        path.write_bytes(content)
        return Sample(read_table(path), name=base_name(name))


def read_project_upload(name: str, content: bytes) -> Project:
    """Read an uploaded project file; the data files it names come separately."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / base_name(name)
        path.write_bytes(content)
        return replace(load_project(path), base=Path(), path=None)


def wanted_files(project: Project) -> dict[str, str]:
    """List the files that a project names, by role: "source", "target" and, if there is one, "labels"."""
    paths = {"source": project.source_path, "target": project.target_path, "labels": project.target_labels}
    return {role: base_name(str(path)) for role, path in paths.items() if path is not None}


def paths_in_use(project: Project, names: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, Path]:
    """Find the wanted files among those of the project in use, by the names they came with."""
    paths = {"source": project.source_path, "target": project.target_path, "labels": project.target_labels}
    here = {names[role]: path for role, path in paths.items() if path is not None and role in names}
    return {role: here[name] for role, name in wanted.items() if name in here}


def fits(project: Project, role: str, table: Sample) -> bool:
    """Tell whether a table has every column that a project reads there: many files are called source.csv."""
    read = {column for model in project.models for column in model.columns}
    for rule in project.slices:
        read.update(rule.reads)
    if role == "source":
        read.update(column for column in (project.label, project.metric.column) if column is not None)
    return read <= set(table.columns)


def check_complete(wanted: Mapping[str, str], come: Collection[str], others: Collection[str] = ()) -> None:
    """Refuse a project whose tables are not all there; without its labels the truth just stays unknown.

    Parameters
    ----------
    wanted : mapping of str to str
        The names of files by role.
    come : collection of str
        Roles whose files are there.
    others : collection of str
        Roles for which the project in use has a file of that name, but with other columns.
    """
    missing = {role: name for role, name in wanted.items() if role not in come and role != "labels"}
    if missing:
        it = "it" if len(missing) == 1 else "them"
        alike = listed(name for role, name in missing.items() if role in others)
        why = f" What the project in use calls {alike} has other columns." if alike else ""
        raise ProjectError(f"The project also needs {listed(missing.values())}. Add {it} to the files above.{why}")


def place_files(project: Project, paths: Mapping[str, Path]) -> Project:
    """Put files that came in the place of those a project names."""
    return replace(
        project,
        source_path=paths["source"],
        target_path=paths["target"],
        target_labels=paths.get("labels") if project.target_labels is not None else None,
    )


def check_chosen(label: str | None, models: Sequence[Model]) -> None:
    """Refuse to start without a label or without predictions."""
    if label is None:
        raise DataError("No label is chosen. Choose the column of true classes in the labelled data.")
    if not models:
        raise DataError("No predictions are chosen. Choose the column with the model's answers.")


def check_roles(project: Project, source: Sample, target: Sample) -> None:
    """Refuse roles that the columns of the two tables cannot play."""
    labelled = Sample(source.frame, label=project.label, models=project.models, name=source.name)
    Sample(target.frame, models=project.models, name=target.name)
    if project.metric.column is not None:
        labelled.series(project.metric.column)


def start_project(name: str, source: Path, target: Path, label: str | None, models: tuple[Model, ...]) -> Project:
    """Make a project on two tables, with one family of slices to start from: no first estimate is empty."""
    has_probabilities = all(len(model.probabilities) > 1 for model in models)
    first = Entropy("entropy", buckets=6) if has_probabilities else Prediction("predicted")
    return Project(name=name, source_path=source, target_path=target, label=label, models=models, slices=(first,))


def base_name(name: str) -> str:
    r"""Return the last part of a path of any system, which is safe to write to a folder of ours.

    >>> base_name("C:\\data\\a.csv"), base_name("../a.csv")
    ('a.csv', 'a.csv')
    """
    return PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name or "file"
