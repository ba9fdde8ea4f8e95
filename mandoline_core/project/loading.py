"""Loading a project from its file, or from a zip that holds it with its data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mandoline_core.data import Cache, TemporaryFolder
from mandoline_core.errors import ProjectError
from mandoline_core.project.archive import data_files, unpack_project
from mandoline_core.project.file import check_file, load_file
from mandoline_core.project.project import Project

_UNPACKED: Cache[tuple[Path, TemporaryFolder]] = Cache(10_000_000_000, size=lambda unpacked: unpacked[1].n_bytes)


def load_project(path: str | Path) -> Project:
    """Read a project file, or a zip that holds one with its data.

    A zip is unpacked into a folder that is there until the program ends, or until zips of 10 GB came after it.

    Parameters
    ----------
    path : str or Path
        A TOML file, or a zip.

    Raises
    ------
    ProjectError
        If something in it is wrong, with what and where.

    Examples
    --------
    >>> load_project("no_such_folder/reviews.toml")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: Project file 'reviews.toml' is not in no_such_folder, which does not exist.
    """
    path = Path(path)
    if path.suffix.lower() != ".zip":
        return load_file(path)
    check_file(path)
    status = path.stat()

    def unpack() -> tuple[Path, TemporaryFolder]:
        folder = TemporaryFolder()
        return unpack_project(path, folder.path), folder

    file, folder = _UNPACKED((path.resolve(), status.st_mtime_ns, status.st_size), unpack)
    return load_unpacked(file, folder.path, name=path.name)


def load_unpacked(file: Path, folder: Path, *, name: str) -> Project:
    """Read the project file of a zip that was unpacked into a folder; it may name no file but those that came with it.

    Parameters
    ----------
    name : str
        What the zip is called.
    """
    project = load_file(file)
    project = without_engines(project)
    for path in data_files(project).values():
        if not (project.base / path).resolve().is_relative_to(folder.resolve()):
            raise ProjectError(f"The project in {name} names {path}, which is not in the zip. Pack its data with it.")
    return replace(project, path=None)


def without_engines(project: Project) -> Project:
    """Read data like any file: where the sender's engine runs is no place to go to from here.

    >>> from mandoline_core.data import Model
    >>> model = Model("m", "p")
    >>> project = Project(
    ...     name="a", source_path="a.pq", target_path="b.pq", source_engine="duckdb", label="y", models=[model]
    ... )
    >>> without_engines(project).source_engine is None
    True
    """
    project = replace(project, source_engine=None, source_table=None, source_master=None)
    return replace(project, target_engine=None, target_table=None, target_master=None)
