"""Data on the server, in folders that its administrator allows: found, checked and listed."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path

from mandoline_core import DataError
from mandoline_core.data import ENGINES, PARQUET, is_pattern
from mandoline_core.formatting import listed

VARIABLE = "MANDOLINE_ALLOW_DIRS"
MOST_FILES = 10_000  # that a pattern may match
_MOST_OFFERED, _MOST_FOLDERS, _DEEPEST = 200, 500, 3
_TABLES = (*PARQUET, ".csv", ".tsv", ".csv.gz", ".tsv.gz")


def folders() -> tuple[Path, ...]:
    """List the folders that the server was started with; those that are not there are left out."""
    given = os.environ.get(VARIABLE, "").split(os.pathsep)
    found = (Path(one).expanduser() for one in given if one)
    return tuple(dict.fromkeys(one.resolve() for one in found if one.is_dir()))


def find(text: str) -> Path:
    """Find the file or the pattern of files that a visitor names, under an allowed folder, relative to it or in full.

    Links are resolved: every file that it matches must be under an allowed folder, too.

    Raises
    ------
    DataError
        In one sentence, which is the same whether or not there is something elsewhere.
    """
    text = text.strip()
    if not text or "\0" in text:
        raise DataError("No file is named. Name a file, or a pattern such as weekly/*.parquet.")
    if ".." in Path(text).parts or "**" in text:
        raise DataError(f"A path may not contain '..' or '**'. Got {text}. Start from an allowed folder.")
    roots = folders()
    if not roots:
        raise DataError("This server allows no folders. Upload the files.")
    for root in roots:
        path = root / text  # a text that starts at the root stands for itself
        if path.is_relative_to(root) and _files(path):
            check(path)
            return path
    raise DataError(f"{text} is not in an allowed folder. Choose a file from the list.")


def check(path: Path) -> None:
    """Refuse a file, or a pattern, that is or leads outside of the allowed folders; now, whatever it was before."""
    roots, found = folders(), _files(path)
    if len(found) > MOST_FILES:
        raise DataError(f"{path.name} matches {len(found):,} files. The maximum is {MOST_FILES:,}.")
    if not any(path.is_relative_to(root) for root in roots) or ".." in path.parts:
        raise DataError(f"{path.name} is no longer in an allowed folder. Ask the server's administrator.")
    for file in found:
        if not any(file.resolve().is_relative_to(root) for root in roots):
            raise DataError(f"{file.name} is a link to a place outside the allowed folders.")


def name_of(path: Path) -> str:
    """Call a file as it is called from its allowed folder on."""
    root = next((root for root in folders() if path.is_relative_to(root)), path.parent)
    return path.relative_to(root).as_posix()


def offered() -> list[str]:
    """List tables to choose from; files of one kind in one folder also as a pattern."""
    found: list[str] = []
    for root in folders():
        for folder, files in _walk(root):
            names = sorted(name for name in files if name.lower().endswith(_TABLES))
            kinds = [kind for kind in _TABLES if sum(name.lower().endswith(kind) for name in names) > 1]
            inside = folder.relative_to(root)
            found += [(inside / f"*{kind}").as_posix() for kind in kinds]
            found += [(inside / name).as_posix() for name in names]
            if len(found) >= _MOST_OFFERED:
                return list(dict.fromkeys(found))[:_MOST_OFFERED]
    return list(dict.fromkeys(found))


def engines() -> dict[str, str]:
    """List what can go over the rows of files here, with what to call it."""
    return {name: engine.title for name, engine in ENGINES.items() if engine.is_installed and not engine.knows_tables}


def where() -> str:
    """Say which folders are allowed."""
    return listed(str(folder) for folder in folders())


def _files(path: Path) -> list[Path]:
    """List the files that a path matches; nothing outside of the allowed folders is looked at."""
    if not any(path.is_relative_to(root) for root in folders()):
        return []
    if not is_pattern(path):
        return [path] if path.is_file() else []
    return [Path(name) for name in glob.iglob(str(path)) if Path(name).is_file()][: MOST_FILES + 1]  # noqa: PTH207


def _walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """Go through folders, not following links, not deep and not for long."""
    for number, (folder, inside, files) in enumerate(os.walk(root)):
        if number >= _MOST_FOLDERS:
            return
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        if len(Path(folder).relative_to(root).parts) >= _DEEPEST:
            inside.clear()
        yield Path(folder), files
