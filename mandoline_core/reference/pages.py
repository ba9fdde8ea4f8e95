"""Every page of the reference, and where it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mandoline_core import guide
from mandoline_core.reference.interfaces import command_line_page, json_page, project_file_page, python_page
from mandoline_core.reference.registries import checks_page, methods_page, metrics_page, slice_kinds_page

PAGES: dict[str, Callable[[], str]] = {
    "reference-project-file": project_file_page,
    "reference-command-line": command_line_page,
    "reference-metrics": metrics_page,
    "reference-methods": methods_page,
    "reference-slice-kinds": slice_kinds_page,
    "reference-checks": checks_page,
    "reference-json": json_page,
    "reference-python": python_page,
}


def write_reference() -> None:
    """Write every page to its file in the guide."""
    for name, page in PAGES.items():
        (Path(guide.__file__).parent / f"{name}.md").write_text(page(), encoding="utf-8", newline="\n")
