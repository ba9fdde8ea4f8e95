"""Projects on disk: their files, and zips that hold one with its data.

A zip is packed the same way every time, and unpacked without trusting what it says.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import stat
import struct
import tomllib
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from mandoline_core.data import Cache, TemporaryFolder
from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import folder_name, listed
from mandoline_core.project.file import dump_project, parse_project
from mandoline_core.project.project import Project

MAX_FILES = 50
_UNPACKED: Cache[tuple[Path, TemporaryFolder]] = Cache(10_000_000_000, size=lambda unpacked: unpacked[1].n_bytes)
MAX_BYTES = 4 * 2**30  # unpacked
_LONGEST_NAME = 255
PROJECT_FILE = "project.toml"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first day that a zip can name: no time of packing makes two zips differ
_CHUNK = 1 << 20
_LONGEST = 200  # bytes of a file's name: systems allow 255, and a role may come in front
# What the library raises on damaged zips: some of it is meant for the sentence, some happens to it.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, ValueError, IndexError, OverflowError),
)


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
        return _load_file(path)
    _check_file(path)
    status = path.stat()

    def unpack() -> tuple[Path, TemporaryFolder]:
        folder = TemporaryFolder()
        return unpack_project(path, folder.path), folder

    file, folder = _UNPACKED((path.resolve(), status.st_mtime_ns, status.st_size), unpack)
    return load_unpacked(file, folder.path, name=path.name)


def _load_file(path: Path) -> Project:
    """Read a project from its TOML file."""
    _check_file(path)
    try:
        # Some editors put a mark before the first character, which TOML does not know: utf-8-sig passes over it.
        mapping = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        if b"\0" in error.object:
            raise ProjectError(f"{path.name} is not a text file. Expected a project file in TOML.") from None
        line = error.object[: error.start].count(b"\n") + 1
        problem = f"is not UTF-8, which TOML requires: see line {line}. Save it as UTF-8."
        raise ProjectError(f"{path.name} {problem}") from None
    except tomllib.TOMLDecodeError as error:
        reason, where = re.fullmatch(r"(.*?)(?: \(at (.*)\))?", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        hint = "Correct it there." if path.suffix == ".toml" else "Expected a project file in TOML."
        raise ProjectError(f"{path.name} is not valid TOML at {where or 'its start'}: {reason}. {hint}") from None
    except OSError as error:
        raise ProjectError(f"{path.name} cannot be read: {error.strerror}. Check its permissions.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, lists in one another
        what = (
            "has lists or tables that are nested too deeply"
            if isinstance(error, RecursionError)
            else "has a number with too many digits"
        )
        raise ProjectError(f"{path.name} {what}. Simplify it.") from None
    if "name" not in mapping:
        mapping["name"] = path.stem
    return replace(parse_project(mapping, path.parent, file=path.name), path=path)


def _check_file(path: Path) -> None:
    """Refuse what is not there, or no file."""
    folder = path.parent
    if len(path.name) > _LONGEST_NAME:
        raise ProjectError(
            f"{path.name[:40]!r}... is too long for a file name. The limit is {_LONGEST_NAME} characters."
        )
    if path.is_dir():
        names = sorted(item.name for item in path.glob("*.toml"))
        raise ProjectError(f"{path} is a folder. Expected a project file. Those in it: {listed(names) or 'none'}.")
    if not path.is_file():
        where = folder_name(folder) if folder.is_dir() else f"{folder}, which does not exist"
        near = [item.name for item in folder.glob("*.toml")]
        raise ProjectError(f"Project file {path.name!r} is not in {where}.{did_you_mean(path.name, near)}")


def save_project(project: Project, path: str | Path) -> Project:
    """Write a project file; paths are made relative to its folder.

    Returns
    -------
    Project
        The project as it reads from that file.
    """
    path = Path(path)
    new_base = path.parent.resolve()
    moved: dict[str, Any] = {"base": path.parent, "path": path}
    if project.base.resolve() != new_base:
        for key in ("source_path", "target_path", "target_labels"):
            old = getattr(project, key)
            if old is not None and not old.is_absolute():
                moved[key] = Path(os.path.relpath(project.base.resolve() / old, new_base))
        folder = project.methods.transformer
        if folder is not None and not Path(folder).is_absolute():
            moved_folder = Path(os.path.relpath(project.base.resolve() / folder, new_base)).as_posix()
            moved["methods"] = replace(project.methods, transformer=moved_folder)
    project = replace(project, **moved)
    text = dump_project(project)
    # Written beside and then moved: a crash never leaves half a project.
    draft = path.with_name(f"{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(path)
    return project


def load_unpacked(file: Path, folder: Path, *, name: str) -> Project:
    """Read the project file of an unpacked zip. It can only use files from the zip.

    Parameters
    ----------
    name : str
        The zip's name.
    """
    project = _load_file(file)
    project = without_engines(project)
    for path in data_files(project).values():
        if not (project.base / path).resolve().is_relative_to(folder.resolve()):
            raise ProjectError(
                f"The project in {name} uses {path}, which is not in the zip. Save the project with its data."
            )
    return replace(project, path=None)


def without_engines(project: Project) -> Project:
    """Drop the engine settings of a project, so that its data is read as plain files.

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


def data_files(project: Project) -> dict[str, Path]:
    """List the files that a project names, by role: "source", "target" and, if there is one, "labels".

    >>> from mandoline_core.data import Model
    >>> project = Project(name="a", source_path="a.csv", target_path="b.csv", label="y", models=[Model("m", "p")])
    >>> list(data_files(project))
    ['source', 'target']
    """
    paths = {"source": project.source_path, "target": project.target_path, "labels": project.target_labels}
    return {role: path for role, path in paths.items() if path is not None}


def place_files(project: Project, paths: Mapping[str, Path]) -> Project:
    """Replace a project's files, by role.

    >>> from mandoline_core.data import Model
    >>> project = Project(name="a", source_path="a.csv", target_path="b.csv", label="y", models=[Model("m", "p")])
    >>> place_files(project, {"source": Path("c.csv")}).source_path.name
    'c.csv'
    """
    return replace(
        project,
        source_path=paths.get("source", project.source_path),
        target_path=paths.get("target", project.target_path),
        target_labels=paths.get("labels", project.target_labels),
    )


def name_files(project: Project, names: Mapping[str, str] | None = None) -> Project:
    """Rename a project's files to sit next to its project file, each with a unique name.

    Parameters
    ----------
    names : mapping of str to str, optional
        New names by role. By default, the names in the project.
    """
    given = {role: base_name((names or {}).get(role, path.name)) for role, path in data_files(project).items()}
    count = Counter([PROJECT_FILE, *given.values()])
    own = {role: name if count[name] == 1 else f"{role}_{name}" for role, name in given.items()}
    return place_files(project, {role: Path(name) for role, name in own.items()})


def public_text(project: Project, names: Mapping[str, str] | None = None) -> str:
    """Write a project as anyone may read it: its files by their names, without the addresses of servers.

    >>> from mandoline_core.data import Model
    >>> project = Project(
    ...     name="a", source_path="/data/a.csv", target_path="b.csv", source_master="spark://host:7077", label="y",
    ...     models=[Model("m", "p")],
    ... )
    >>> "host" in public_text(project), 'path = "a.csv"' in public_text(project)
    (False, True)
    """
    return dump_project(name_files(replace(project, source_master=None, target_master=None), names))


def pack_project(project: Project, names: Mapping[str, str] | None = None) -> bytes:
    """Write a project with its data files as one zip; the same project gives the same bytes.

    Parameters
    ----------
    names : mapping of str to str, optional
        New names of the data files by role: "source", "target", "labels".

    Examples
    --------
    >>> from mandoline_core.data import Model
    >>> project = Project(name="a", source_path="a.csv", target_path="b.csv", label="y", models=[Model("m", "p")])
    >>> pack_project(project)
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: a.csv cannot be packed: No such file or directory.
    """
    named = name_files(project, names)
    packed_names = data_files(named)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(_entry(PROJECT_FILE), dump_project(named).encode())
        for role, path in data_files(project).items():
            try:
                content = (project.base / path).read_bytes()
            except OSError as error:
                raise ProjectError(f"{packed_names[role].name} cannot be packed: {error.strerror}.") from None
            archive.writestr(_entry(packed_names[role].name), content)
    return packed.getvalue()


def unpack_project(packed: str | Path | io.BytesIO, folder: Path, *, name: str = "") -> Path:
    """Unpack a project into an empty folder, and return where its project file is.

    The zip is not trusted: it may come from anyone.

    Parameters
    ----------
    name : str
        The zip's name in messages.

    Raises
    ------
    ProjectError
        If it is damaged, too large, contains paths outside the folder, or is not a project.
    """
    name = name or (Path(packed).name if isinstance(packed, (str, Path)) else "The zip")
    with _readable(name), zipfile.ZipFile(packed) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        _check_entries(entries, name)
        _unpack(archive, entries, folder, name)
    files = sorted(folder.rglob("*.toml"))
    if len(files) != 1:
        names = listed(path.name for path in files) or "none"
        raise ProjectError(f"{name} must contain one project file (.toml). It contains {names}.")
    return files[0]


def base_name(name: str) -> str:
    r"""Return the last part of a path of any system, which is safe to write to a folder of ours.

    >>> base_name("C:\\data\\a.csv"), base_name("../a.csv"), base_name("..")
    ('a.csv', 'a.csv', 'file')
    """
    last = PureWindowsPath(PurePosixPath(name.replace("\0", "")).name).name
    if len(last.encode(errors="replace")) > _LONGEST:  # with its ending, which says what is in it
        last = last[: _LONGEST // 8] + last[-_LONGEST // 8 :]
    return "file" if last in ("", "..") else last


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ProjectError(
            f"{name} cannot be unpacked: {reason}. Free some disk space, or save the project again."
        ) from None
    except _DAMAGE as error:
        if isinstance(error, ProjectError):
            raise
        why = "it needs a password" if "encrypted" in str(error) else "it is damaged or not a zip file"
        raise ProjectError(f"{name} cannot be unpacked: {why}. Save the project again.") from None


def _check_entries(entries: list[zipfile.ZipInfo], name: str) -> None:
    if len(entries) > MAX_FILES:
        raise ProjectError(f"{name} contains {len(entries):,} files. The limit is {MAX_FILES}.")
    taken: set[str] = set()
    for entry in entries:
        path = PurePosixPath(entry.filename)
        windows = PureWindowsPath(entry.filename)
        if path.is_absolute() or windows.drive or windows.root or ".." in windows.parts or "\\" in entry.filename:
            raise ProjectError(f"{name} contains a path outside its folder: {entry.filename!r}. It was not unpacked.")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise ProjectError(f"{name} contains a link, {entry.filename!r}. It was not unpacked.")
        if str(path).casefold() in taken:
            raise ProjectError(f"{name} contains {entry.filename!r} twice. It was not unpacked.")
        taken.add(str(path).casefold())


def _unpack(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], folder: Path, name: str) -> None:
    """Write files while there is room; what a zip says of its sizes is not to be relied on."""
    left = MAX_BYTES
    for entry in entries:
        path = folder / PurePosixPath(entry.filename)
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as packed, path.open("wb") as file:
            while chunk := packed.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    most = f"{MAX_BYTES / 2**30:g} GB" if MAX_BYTES >= 2**30 else f"{MAX_BYTES:,} bytes"
                    raise ProjectError(f"{name} unpacks to more than {most}, the limit. Save it with less data.")
                file.write(chunk)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    entry.create_system = 3  # else it would be that of the machine
    return entry
