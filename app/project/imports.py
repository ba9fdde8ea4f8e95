"""Opening what people bring: uploaded tables, uploaded project files, and a new project on two tables."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.project import server_files
from app.project.uploads import check_size
from mandoline_core import (
    DataError,
    Model,
    Project,
    ProjectError,
    Sample,
    load_project,
    read_table,
)
from mandoline_core.formatting import listed
from mandoline_core.project import base_name, data_files, load_unpacked, place_files, unpack_project, without_engines

Files = dict[str, tuple[str, Path]]  # by role: what a file is called, and where it is


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
    """Read an uploaded project file; the data files it names come separately, and its engines stay where they are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / base_name(name)
        path.write_bytes(content)
        return _without_folder(replace(without_engines(load_project(path)), base=Path(), path=None))


def read_zip_upload(name: str, packed: Path, folder: Path) -> tuple[Project, Files]:
    """Unpack an uploaded zip of a project with its data into a folder; return the project and its files, by role."""
    name = base_name(name)
    project = load_unpacked(unpack_project(packed, folder, name=name), folder, name=name)
    files = {}
    for role, path in data_files(project).items():
        where = project.base / path
        if not where.is_file():
            raise ProjectError(f"{name} does not contain {path}, which its project file names.")
        check_size(where, path.name)
        files[role] = (path.name, where)
    return _without_folder(replace(project, base=Path())), files


def _without_folder(project: Project) -> Project:
    """Leave out the folder of a transformer: what anyone may upload must not look around on this machine."""
    return replace(project, methods=replace(project.methods, transformer=None))


def wanted_files(project: Project) -> dict[str, str]:
    """List the names of the files that a project names, by role."""
    return {role: base_name(str(path)) for role, path in data_files(project).items()}


def paths_in_use(project: Project, names: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, Path]:
    """Find the wanted files among those of the project in use, by the names they came with."""
    tables = {"source": project.source_table, "target": project.target_table}
    in_use = {names[role]: path for role, path in data_files(project).items() if role in names and not tables.get(role)}
    return {role: in_use[name] for role, name in wanted.items() if name in in_use}


def paths_on_server(project: Project, come: Collection[str]) -> dict[str, Path]:
    """Find the files that did not come with a project among those that the server allows, by the paths it names."""
    found = {}
    for role, path in data_files(project).items():
        if role in ("source", "target") and role not in come:
            with suppress(DataError):
                found[role] = server_files.find(path.as_posix())
    return found


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
        why = f" The open project's {alike} has other columns." if alike else ""
        raise ProjectError(f"The project also needs {listed(missing.values())}. Add {it} to the files above.{why}")


def use_here(project: Project, paths: Mapping[str, Path], come: Collection[str]) -> Project:
    """Let a project use files that are here already; labels that are neither here nor come with it are left out."""
    known = project if {*paths, *come} >= {"labels"} else replace(project, target_labels=None)
    return place_files(known, paths)


def check_chosen(label: str | None, models: Sequence[Model]) -> None:
    """Refuse to start without a label or without predictions."""
    if label is None:
        raise DataError("No label is chosen. Choose the column of true classes in the labelled data.")
    if not models:
        raise DataError("No predictions are chosen. Choose a column with a model's predictions.")


def check_roles(project: Project, source: Sample, target: Sample) -> None:
    """Refuse roles that the columns of the two tables cannot play."""
    labelled = Sample(
        source.frame,
        label=project.label,
        models=project.models,
        name=source.name,
        table=source.table,
        group=project.source_group,
        weight=project.source_weight,
        types=project.source_types,
    )
    new = Sample(
        target.frame,
        models=project.models,
        name=target.name,
        table=target.table,
        group=project.target_group,
        weight=project.target_weight,
        types=project.target_types,
    )
    for sample in (labelled, new):
        _ = sample.clusters  # refuses a group that is the same in all rows
    if project.metric.column is not None:
        labelled.series(project.metric.column)
