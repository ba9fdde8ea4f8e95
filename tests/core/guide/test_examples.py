"""The guides: every example runs or is checked, every link leads somewhere, every command is one that there is."""

from __future__ import annotations

import re
import sys
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import mandoline_core as md
from mandoline_core.checks import CHECKS
from mandoline_core.cli.main import COMMANDS, make_parser
from tests.core.documents import GUIDE, README, ROOT, blocks, check, commands, documents, examples
from tests.core.projects import DIGITS, REVIEWS

GUIDES = documents()
NAMES = [path.name for path in GUIDES]
# Blocks in other languages, by guide; each says why nothing reads them here.
NOT_RUN = {
    (
        "ci-gate.md",
        "yaml",
    ): "a workflow runs on a code host; its commands are read below, the sample's in test_examples",
    ("team-server.md", "toml"): "settings of a provider: the secrets in it are left to the reader",
}
RUN = {"console", "python", "text", "sh", "toml"}
TARGETS = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.slow
@pytest.mark.parametrize("guide", [path for path in GUIDES[1:] if examples(path)], ids=lambda path: path.stem)
def test_the_examples_show_what_they_print(guide: Path, tmp_path: Path) -> None:
    check(guide, Path(sys.executable), tmp_path)


@pytest.mark.parametrize("document", GUIDES, ids=NAMES)
def test_every_block_is_run_or_read(document: Path) -> None:
    """A block in a language that no test knows is named above, with the reason."""
    assert {(document.name, language) for language, _ in blocks(document) if language not in RUN} <= set(NOT_RUN)


@pytest.mark.parametrize("document", GUIDES, ids=NAMES)
def test_project_files_are_valid(document: Path) -> None:
    """A piece of one takes the place of the same piece in a sample."""
    for language, text in blocks(document):
        if language == "toml" and (document.name, language) not in NOT_RUN:
            sample = DIGITS if "sharpness" in text else REVIEWS
            md.parse_project(_placed(tomllib.loads(text), sample), sample.parent, file=document.name)


def _placed(piece: dict[str, Any], sample: Path) -> dict[str, Any]:
    """Put a piece of a project file into a sample: a table of a slice belongs to the sample's first."""
    whole = tomllib.loads(sample.read_text(encoding="utf-8"))
    if "version" in piece:
        return piece
    slices = piece.get("slices", [])
    if isinstance(slices, dict):
        first = deepcopy(whole["slices"][0])
        piece = {**piece, "slices": [{**first, **slices}, *whole["slices"][1:]]}
    return {**whole, **piece}


@pytest.mark.parametrize("document", GUIDES, ids=NAMES)
def test_commands_can_be_given(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options and commands are known, targets of make and extras exist."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "DIR").mkdir()  # an option looks whether its folder is there
    for program, *words in commands(document):
        if program == "mandoline" and len(words) > 1:
            make_parser().parse_args(words)
        elif program == "mandoline":
            assert words[0] in COMMANDS
        if program == "make":
            assert set(words) <= set(TARGETS)
        if program == "pip":
            extras = re.findall(r"mandoline-estimator(?:\[([\w,]+)\])?$", words[1])
            assert extras
            assert set(extras[0].split(",")) - {""} <= set(EXTRAS)


@pytest.mark.parametrize("document", GUIDES, ids=NAMES)
def test_links_lead_somewhere(document: Path) -> None:
    """To files that are there, and to headings in them."""
    for link in re.findall(r"\]\(([^)]+)\)", document.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        place, _, heading = link.partition("#")
        path = (document.parent / place) if place else document
        assert path.is_file(), link
        if heading:
            assert heading in _headings(path), link


def _headings(path: Path) -> set[str]:
    """List the anchors of a page's headings, as code hosts and the site make them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {_anchor(title) for title in titles}


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def test_every_check_and_every_page_of_the_app_is_explained() -> None:
    """A check by its question, a page by its name in the menu."""
    assert {_anchor(rule.question) for rule in CHECKS} <= _headings(GUIDE / "verdict.md")
    pages = re.findall(r'"(\w+)": ":material', (ROOT / "app" / "main.py").read_text(encoding="utf-8"), re.MULTILINE)
    assert pages
    assert set(pages) <= set(re.findall(r"^\| (\w+) \|", (GUIDE / "app.md").read_text(encoding="utf-8"), re.MULTILINE))


def test_every_picture_is_shown_and_small() -> None:
    shown = {
        (document.parent / link).resolve()
        for document in GUIDES
        for link in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", document.read_text(encoding="utf-8"))
    }
    kept = {*(GUIDE / "images").glob("*"), *(README.parent / ".github").glob("*.png")}
    assert shown == kept
    assert max(path.stat().st_size for path in kept) <= 150_000
