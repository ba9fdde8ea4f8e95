"""`mandoline sample` copies a project that runs; `mandoline help` shows the guide."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from mandoline_core import guide
from mandoline_core.cli.help import in_terminal
from tests.core.projects import REVIEWS, SAMPLE_DATA, run, run_json

Captured = pytest.CaptureFixture[str]


def test_a_sample_is_copied_and_gives_its_estimate(tmp_path: Path, capsys: Captured) -> None:
    """With all its files, and the command to run next."""
    folder = tmp_path / "demo"
    code, out, err = run(capsys, "sample", "reviews", folder)
    assert (code, err) == (0, "")
    assert f"mandoline estimate {folder / 'project.toml'}" in out
    copied, original = (
        sorted(path.relative_to(place).as_posix() for path in place.rglob("*")) for place in (folder, REVIEWS.parent)
    )
    assert copied == original
    assert run_json(capsys, "estimate", folder / "project.toml") == run_json(capsys, "estimate", REVIEWS)


def test_a_sample_goes_to_a_folder_of_its_name(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "sample", "digits")[0] == 0
    assert (tmp_path / "digits" / "source.csv").is_file()


def test_an_existing_folder_is_never_overwritten(tmp_path: Path, capsys: Captured) -> None:
    code, out, err = run(capsys, "sample", "reviews", tmp_path)
    assert (code, out) == (2, "")
    assert err == f"mandoline: {tmp_path} already exists. Choose another folder: mandoline sample reviews DIR\n"
    assert not list(tmp_path.iterdir())


def test_samples_are_listed_and_a_wrong_name_is_corrected(capsys: Captured) -> None:
    """Each with a line on its data."""
    code, out, _ = run(capsys, "sample")
    assert code == 0
    for project in SAMPLE_DATA.glob("*/project.toml"):
        (line,) = [line for line in out.splitlines() if line.startswith(f"{project.parent.name} ")]
        assert len(line) > 40
    code, out, err = run(capsys, "sample", "reveiws", "x")
    assert (code, out) == (2, "")
    assert err == "mandoline: Unknown sample 'reveiws'. Samples: digits, reviews. Did you mean 'reviews'?\n"


def test_topics_are_listed_by_section(capsys: Captured) -> None:
    code, out, _ = run(capsys, "help")
    assert code == 0
    lines = out.splitlines()
    for topic in guide.topics():
        (line,) = [line for line in lines if line.split()[:1] == [topic.name]]
        assert line.endswith(topic.title)
        assert topic.section in lines[: lines.index(line)]


@pytest.mark.parametrize("topic", [topic.name for topic in guide.topics()])
def test_every_topic_is_readable_in_a_terminal(topic: str, capsys: Captured) -> None:
    """Its words are there, wrapped, without Markdown's links and pictures; code keeps its lines."""
    code, out, err = run(capsys, "help", topic)
    assert (code, err) == (0, "")
    title = guide.read(topic).splitlines()[0].removeprefix("# ")
    assert out.startswith(f"{title}\n{'=' * len(title)}\n")
    prose = [line for line in out.splitlines() if not line.startswith("    ")]
    assert all(len(line) <= 100 for line in prose), max(prose, key=len)
    assert not [line for line in prose if "](" in line or line.startswith(("#", "|"))]
    assert not re.findall(r"\*\*\w[^*`]*\*\*", "\n".join(prose))


def test_a_topic_of_the_reference_is_found_by_its_short_name(capsys: Captured) -> None:
    assert run(capsys, "help", "metrics") == run(capsys, "help", "reference-metrics")


def test_links_to_other_pages_become_related_topics(capsys: Captured) -> None:
    """A terminal has no links: the names of the pages are listed at the end, each once."""
    _, out, _ = run(capsys, "help", "reference-methods")
    (line,) = [line for line in out.splitlines() if line.startswith("Read on with mandoline help TOPIC: ")]
    assert "reference-project-file" in line
    assert len(set(line.split(", "))) == len(line.split(", "))


def test_an_unknown_topic_is_corrected(capsys: Captured) -> None:
    code, out, err = run(capsys, "help", "reference-metrix")
    assert (code, out) == (2, "")
    assert err.endswith("Did you mean 'reference-metrics'?\n")


def test_a_pager_is_used_in_a_terminal_only(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("pydoc.pager", shown.append)
    _, out, _ = run(capsys, "help", "reference-metrics")
    assert not shown
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert run(capsys, "help", "reference-metrics") == (0, "", "")
    assert shown == [out.removesuffix("\n")]


def test_code_lists_and_wide_tables_are_laid_out() -> None:
    long = "word " * 30
    text = in_terminal(
        f"## A list\n- one **bold** `f(**a, **b)`\n  more\n- {long}\n\n```python\nx = 1  # **not bold**\n```\n"
        f"| a | b |\n|---|---|\n| `1` | {long}|\n\n![a picture](x.png)\n"
    )
    lines = text.splitlines()
    assert lines[:3] == ["A list", "------", "- one bold `f(**a, **b)` more"]
    assert "    x = 1  # **not bold**" in lines
    assert max(map(len, lines)) <= 100
    assert lines[-2].startswith("`1`  word word")
    assert lines[-1].startswith("     word")
    assert "picture" not in text
