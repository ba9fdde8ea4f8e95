"""What a person takes away from the command line and from Python: no text in it takes effect where it is opened."""

from __future__ import annotations

import json
import re
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.project import base_name
from tests.core.projects import run
from tests.hostile import formulas, write_hostile_project
from tests.payloads import HOST, PAYLOADS, Payload

AT_ONCE = 50
# The commands take seconds on each part; what they write is alike.
FIRST, *OTHERS = range(0, len(PAYLOADS), AT_ONCE)
PARTS = [FIRST, *(pytest.param(start, marks=pytest.mark.long) for start in OTHERS)]
MADE = {"img", "iframe", "object", "video", "marquee", "math", "base", "form", "link", "input", "textarea"}
ASKING = {"src", "href", "action", "data", "poster", "style", "content", "srcset", "xlink:href"}
STEERING = re.compile("[\0-\t\v-\x1f\x7f-\x9f\u202a-\u202e]")  # what a terminal takes for a command
ODD = ("..", ".", "/", "", "a" * 300, "\u00e9" * 200, "\0", "../..", "a/..", "C:")


class Elements(HTMLParser):
    """List what is in a page that only a payload could have put there."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note elements that a report has no use for, and attributes that run or ask."""
        asks = any(name in ASKING and HOST in (value or "") for name, value in attrs)
        if tag in MADE or asks or any(name.startswith("on") for name, _ in attrs):
            self.wrong.append(f"<{tag} {attrs}>"[:300])


def elements(page: str) -> list[str]:
    """List what a browser would make of payloads."""
    found = Elements()
    found.feed(page)
    return found.wrong


@pytest.fixture(scope="module", params=PARTS)
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sequence[Payload]]:
    """Write a project with some of the payloads."""
    payloads = PAYLOADS[request.param : request.param + AT_ONCE]
    return write_hostile_project(tmp_path_factory.mktemp("hostile"), payloads, in_use=5), payloads


@pytest.mark.slow
def test_what_commands_print_and_write_is_harmless(
    hostile: tuple[Path, Sequence[Payload]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No control character reaches the terminal, no formula a spreadsheet, no element a browser."""
    project, payloads = hostile
    target = project.parent / "target.csv"
    commands = {
        "estimate": ("--weights", tmp_path / "weights.csv", "--html", tmp_path / "report.html", "--reveal"),
        "slices": (),
        "plan": (),
        "check": ("--min", "0.99", "--markdown", tmp_path / "check.md", "--junit", tmp_path / "check.xml"),
        "track": (
            *("--targets", target, "--csv", tmp_path / "t.csv", "--html", tmp_path / "t.html"),
            *("--memory", tmp_path / "m.json"),
        ),
    }
    for command, options in commands.items():
        code, out, err = run(capsys, command, project, *options)
        assert code == (1 if command == "check" else 0), err
        assert not STEERING.search(out + err), command
        if command == "plan":
            assert formulas(out) == []
    for name in ("weights.csv", "t.csv"):
        assert formulas((tmp_path / name).read_text(encoding="utf-8")) == [], name
    for name in ("report.html", "t.html"):
        assert elements((tmp_path / name).read_text(encoding="utf-8")) == [], name
    assert ET.parse(tmp_path / "check.xml").getroot().tag == "testsuites"  # noqa: S314  written just now
    assert_harmless_markdown((tmp_path / "check.md").read_text(encoding="utf-8"), payloads)
    code, out, _ = run(capsys, "estimate", project, "--json")
    assert set(json.loads(out)["models"]) == {model.name for model in md.load_project(project).models}


def assert_harmless_markdown(text: str, payloads: Sequence[Payload]) -> None:
    """Every letter with a meaning is escaped, outside of what the summary is made of itself."""
    for one in payloads:
        for found in re.finditer(one.word, text):
            around = text[max(0, found.start() - 2) : found.end() + 2]
            assert not re.search(rf"(?<!\\)[*_`<>\[\]$]{one.word}", around), around


@pytest.mark.slow
def test_project_files_and_zips_hold_what_was_written_and_nothing_else(
    hostile: tuple[Path, Sequence[Payload]], tmp_path: Path
) -> None:
    """No name adds a key to the project file, or names a place outside of a zip."""
    path, payloads = hostile
    project = md.load_project(path)
    text = path.read_text(encoding="utf-8")
    assert set(tomllib.loads(text)["source"]) == {"path"}
    assert [rule.name for rule in project.slices] == [one.text for one in payloads]
    for one in payloads[::7]:
        packed = tmp_path / "packed.zip"
        packed.write_bytes(md.pack_project(project, {"source": f"{one.text}.parquet", "target": f"{one.text}.csv"}))
        again = md.load_project(packed)
        assert again.slices == project.slices
        assert again.source_path.name.endswith(".parquet")


@pytest.mark.parametrize("name", [*(one.text for one in PAYLOADS), *ODD])
def test_a_file_can_be_written_under_any_name_that_it_came_with(name: str, tmp_path: Path) -> None:
    """It lands in the folder, and nowhere else."""
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / base_name(f"{name}.csv")).write_text("x")
    (folder / base_name(name)).write_text("x")
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != folder] == []
    assert len(list(folder.iterdir())) in (1, 2)
