"""What a finding says stands in one place, and what shows it changes with it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import mandoline_core as md
from mandoline_core.checks.columns import STILL_OFF
from mandoline_core.findings import FindingKind
from tests.app.pages import open_app, said
from tests.core.projects import REVIEWS, ROOT


def kinds() -> Iterator[FindingKind]:
    """Go through what any module declares."""
    for module in walk_packages(md.__path__, "mandoline_core."):
        if not module.name.endswith("__main__"):
            yield from (value for value in vars(import_module(module.name)).values() if isinstance(value, FindingKind))


def written() -> Iterator[str]:
    """Go through the texts in the source, docstrings left out."""
    for path in (*ROOT.glob("mandoline_core/**/*.py"), *ROOT.glob("app/**/*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield node.value


def test_no_sentence_of_a_finding_is_written_twice() -> None:
    sentences = {text for kind in kinds() for text in (kind.headline, kind.detail, kind.remedy)}
    assert len(sentences) > 100
    texts = list(written())
    places = Counter({text: sum(text in other for other in texts) for text in sentences if len(text.split()) > 3})
    assert [text for text, n in places.items() if n > 1] == []


def test_other_words_are_said_by_every_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, JSON, the report's page, and the app in its own vocabulary."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setitem(vars(STILL_OFF), "headline", "Of all things in the {target}, weighting leaves the {what}")
    report = md.estimate(md.load_project(REVIEWS))
    assert "Of all things in the target, weighting leaves the share" in " ".join(str(report).split())
    assert [f for f in report.as_dict()["findings"] if f["headline"].startswith("Of all things in the target")]
    others = "Of all things in the new data, weighting leaves the share"
    assert others in report.to_html()
    assert others in said(open_app(page="views/trust/trust.py"))
