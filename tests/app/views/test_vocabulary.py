"""The app's vocabulary: labelled data and new data on every page, whatever the library calls them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.views.trust.frame import QUESTIONS
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import LIBRARY, Sentence, say
from mandoline_core.report.words import PLAIN
from tests.app.pages import open_app, run

ROOT = Path(__file__).parents[3]
NAMES = ("projects", "data", "slices", "corrections", "estimate", "compare", "trust", "track", "report", "history")
PAGES = [f"views/{name}/{name}.py" for name in NAMES]
LIBRARY_WORDS = re.compile(r"\b(source|target)('s|s)?\b(?!\.csv)", re.IGNORECASE)
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
def test_no_page_speaks_of_source_and_target(folder: Path, sample: str, page: str) -> None:
    app = open_app(ROOT / "sample_data" / sample / "project.toml", page)
    if page.endswith("trust.py"):  # its answers are there once they are open
        for name in QUESTIONS:
            app.session_state[f"open:{name}"] = True
        run(app)
    found = [text for text in texts(app) if LIBRARY_WORDS.search(text.replace("\\", ""))]
    assert found == []
    assert sum(len(text) for text in texts(app)) > 500  # the page was read


def test_both_vocabularies_have_a_word_for_everything():
    assert PLAIN.keys() == LIBRARY.keys()
    assert not any(LIBRARY_WORDS.search(word) for word in PLAIN.values())


def test_people_s_own_words_are_never_taken_for_a_template():
    """Braces, and names that are words of a vocabulary, stay as they are, in either face."""
    said = Sentence("Slice {name!r} of the {source}: {why}.", name="{source} the source", why=Sentence("a {target}"))
    assert said == "Slice '{source} the source' of the source: a target."
    assert say(said, PLAIN) == "Slice '{source} the source' of the labelled data: a new data."
    error = MandolineError("{target} is what somebody typed")
    assert say(error, PLAIN) == str(error) == "{target} is what somebody typed"


def test_nobody_rewrites_a_sentence():
    """Regular expressions are for what people typed or uploaded: no file with sentences of ours matches them."""
    for path in [ROOT / "mandoline_core" / "trust", ROOT / "mandoline_core" / "report", ROOT / "app" / "views"]:
        for file in path.rglob("*.py"):
            imported = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Import)]
            assert not any(name.name == "re" for node in imported for name in node.names), file
