"""The saved form of a project: its TOML with absolute paths, what its files were called, and how it is looked at."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from app.project.store import DAMAGED, Document, StoreError
from mandoline_core import MandolineError, Project, dump_project, parse_project
from mandoline_core.project import data_files, name_files, place_files

_LONGEST = 300_000  # letters of a project that is kept parsed: most have a few thousand


def document_of(project: Project, names: dict[str, str] | None = None) -> Document:
    """Make the saved form of a project: paths absolute, files by the names people know."""
    base = project.base.resolve()
    paths = data_files(project)
    placed = replace(project, base=base, methods=project.placed_methods)
    absolute = place_files(placed, {role: base / path for role, path in paths.items()})
    known = {role: path.name for role, path in paths.items()}
    return {"toml": dump_project(absolute), "names": {**known, **(names or {})}, "revealed": False}


def project_of(document: Document) -> Project:
    """Read a project from its saved form, which may have been damaged on the disk."""
    text, names = document.get("toml"), document.get("names")
    if not isinstance(text, str) or not isinstance(names, dict) or not {"source", "target"} <= set(names):
        raise StoreError(DAMAGED)
    try:
        return _parse(text) if len(text) <= _LONGEST else _parse.__wrapped__(text)
    except tomllib.TOMLDecodeError:
        raise StoreError(DAMAGED) from None
    except MandolineError as error:
        raise StoreError(f"The saved project cannot be read: {error}") from error


@lru_cache(maxsize=128)
def _parse(text: str) -> Project:
    """Parse a project; a page asks for the same one several times."""
    return parse_project(tomllib.loads(text), Path("/"))


def project_text(project: Project, names: dict[str, str]) -> str:
    """Write the project file as it goes beside its data files, which have the names they came with."""
    return dump_project(name_files(project, names))
