"""What a finding says is written in one place, and every face shows it as it is."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

import mandoline_core as md
from tests.app.pages import open_app, said
from tests.core.projects import REVIEWS, ROOT


def texts(tree: ast.AST) -> Iterator[str]:
    """Go through the texts in a tree, docstrings left out; an f-string with a mark for what is filled in."""
    nodes = list(ast.walk(tree))
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    skipped = inner | {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


def test_no_sentence_of_a_finding_is_written_twice() -> None:
    paths = (*ROOT.glob("mandoline_core/**/*.py"), *ROOT.glob("app/**/*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Finding"]
    sentences = {text for call in made for text in texts(call) if len(text.split()) > 4}
    assert len(sentences) > 80
    places = Counter(text for tree in trees for text in texts(tree))
    assert [text for text in sentences if places[text] > 1] == []


def test_every_face_says_a_finding_in_the_same_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text, JSON, the report's page, and the app."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path))
    report = md.estimate(md.load_project(REVIEWS))
    loudest = next(finding for finding in report.findings if finding.severity != "info")
    assert loudest.message in " ".join(str(report).split())
    assert loudest.text in [finding["headline"] for finding in report.as_dict()["findings"]]
    assert loudest.message in unescape(report.to_html())
    assert loudest.message in said(open_app(page="views/result/result.py")).replace("\\", "")
