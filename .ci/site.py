"""What the site adds to the guide: its table of contents, a start page, and the Python API from docstrings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import mandoline_core  # noqa: E402
from mandoline_core.guide import SECTIONS, topics  # noqa: E402

API = {
    f"api-{package.replace('.', '-')}.md": (package, names.split()) for package, names in mandoline_core.PUBLIC.items()
}


def on_config(config: Any) -> Any:
    """Order the pages as the guide does."""
    config.nav = [{"Mandoline": "index.md"}]
    for section in SECTIONS:
        pages = [{topic.title: f"{topic.name}.md"} for topic in topics() if topic.section == section]
        config.nav.append({section: pages})
    config.nav.append({"Python API": [{package: path} for path, (package, _) in API.items()]})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the start page and the pages of the Python API."""
    from mkdocs.structure.files import File

    pages = {"index.md": start_page()} | {path: api_page(*found) for path, found in API.items()}
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def start_page() -> str:
    """List the topics by section."""
    lines = ["# Mandoline", "", mandoline_core.__doc__ or ""]
    for section in SECTIONS:
        lines += ["", f"## {section}", ""]
        lines += [
            f"- [{topic.title}]({topic.name}.md): {topic.summary}" for topic in topics() if topic.section == section
        ]
    return "\n".join(lines)


def api_page(package: str, names: list[str]) -> str:
    """Name what mkdocstrings writes about."""
    return "\n\n".join([f"# {package}", *(f"::: mandoline_core.{name}" for name in sorted(names))])
