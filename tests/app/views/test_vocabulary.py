"""The words on every page: labelled data and new data, never the names that code has for them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.views.result.checks import QUESTIONS
from mandoline_core.report.words import TOOLTIPS
from tests.app.pages import open_app, run

ROOT = Path(__file__).parents[3]
NAMES = ("projects", "data", "slices", "result", "track", "share")
PAGES = [f"views/{name}/{name}.py" for name in NAMES]
CODE_WORDS = re.compile(r"\b(source|target)('s|s)?\b(?!\.csv)", re.IGNORECASE)
NAMED = ("label", "help", "placeholder", "body", "value", "caption", "options")  # fields that people read
FIGURE = ("text", "hovertext", "ticktext", "title")  # nobody sees what a trace is called


def texts(app: AppTest) -> Iterator[str]:
    """Go through everything a page says: elements, options, tooltips, tables and figures."""
    for element in app.main:
        yield from _of(element)
    for element in app.sidebar:
        yield from _of(element)


def _of(element: object) -> Iterator[str]:
    if hasattr(element, "children"):
        label = getattr(element, "label", "")
        yield from [label] if isinstance(label, str) else []
        for child in element.children.values():
            yield from _of(child)
        return
    if getattr(element, "type", "") == "plotly_chart":
        yield from _drawn(json.loads(element.proto.spec))  # type: ignore[attr-defined]
        return
    if getattr(element, "type", "") in ("arrow_data_frame", "arrow_table"):
        table = element.value  # type: ignore[attr-defined]
        yield from map(str, table.columns)
        return
    for field in NAMED:
        found = getattr(getattr(element, "proto", None), field, "")
        yield from [found] if isinstance(found, str) else map(str, found) if field == "options" else []


def _drawn(part: object, key: str = "") -> Iterator[str]:
    if isinstance(part, dict):
        for name, value in part.items():
            yield from _drawn(value, name)
    elif isinstance(part, list):
        for value in part:
            yield from _drawn(value, key)
    elif isinstance(part, str) and key in FIGURE:
        yield part


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("sample", ["reviews", "digits"])
def test_no_page_says_source_or_target(folder: Path, sample: str, page: str) -> None:
    app = open_app(ROOT / "sample_data" / sample / "project.toml", page)
    if page.endswith("result.py"):  # its answers are there once they are open
        for name in QUESTIONS:
            app.session_state[f"open:{name}"] = True
        run(app)
    found = [text for text in texts(app) if CODE_WORDS.search(text.replace("\\", ""))]
    assert set(found) <= {TOOLTIPS[name] for name in ("labelled data", "new data")}  # which name both once
    assert sum(len(text) for text in texts(app)) > 500  # the page was read


def test_nobody_rewrites_a_sentence():
    """Regular expressions are for what people typed or uploaded: no file with sentences of ours matches them."""
    for path in [ROOT / "mandoline_core" / "checks", ROOT / "mandoline_core" / "report", ROOT / "app" / "views"]:
        assert path.is_dir()
        for file in path.rglob("*.py"):
            imported = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Import)]
            assert not any(name.name == "re" for node in imported for name in node.names), file
