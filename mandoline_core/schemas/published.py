"""The schemas as files: generated from the code, and read without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import listed

PROJECT = "project"
_FILES = Path(__file__).parent / "files"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_names() -> list[str]:
    """List the published schemas: that of the project file first, then those of the commands' JSON."""
    return sorted((path.stem for path in _FILES.glob("*.json")), key=lambda name: (name != PROJECT, name))


def read_schema(name: str) -> str:
    """Read a published schema.

    >>> read_schema("projet")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: Unknown schema 'projet'. Schemas: project, ablation, backtest, check,
    compare, estimate, labels, plan, reproduce, slices, suggest, track. Did you mean 'project'?
    """
    names = schema_names()
    if name not in names:
        hint = did_you_mean(name, names)
        raise MandolineError(f"Unknown schema {name!r}. Schemas: {listed(names, most=30)}.{hint}")
    return (_FILES / f"{name}.json").read_text(encoding="utf-8")


def make_schema(name: str) -> dict[str, Any]:
    """Make a schema from the code."""
    # Imported only to write: reading a schema needs no library.
    from mandoline_core.schemas.outputs import OUTPUTS
    from mandoline_core.schemas.project_file import project_schema
    from mandoline_core.schemas.shapes import schema_of

    if name == PROJECT:
        title, schema = "Mandoline project file", project_schema()
    else:
        title, schema = f"Output of `mandoline {name} --json`", schema_of(OUTPUTS[name]())
    return {"$schema": _DIALECT, "title": title, **schema}


def write_schemas() -> None:
    """Write every schema to its file."""
    from mandoline_core.schemas.outputs import OUTPUTS

    _FILES.mkdir(exist_ok=True)
    for name in (PROJECT, *OUTPUTS):
        text = json.dumps(make_schema(name), indent=1, ensure_ascii=False) + "\n"
        (_FILES / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
