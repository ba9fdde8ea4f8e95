"""The guide: every page is listed once, starts with a title and a summary, and the reference follows the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from mandoline_core import guide
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import ESTIMATORS
from mandoline_core.reference import PAGES

FOLDER = Path(guide.__file__).parent


def test_every_page_is_listed_with_title_and_summary() -> None:
    listed = guide.topics()
    assert {topic.name for topic in listed} == {path.stem for path in FOLDER.glob("*.md")}
    for topic in listed:
        title, empty, summary = guide.read(topic.name).splitlines()[:3]
        assert (title, empty, summary) == (f"# {topic.title}", "", topic.summary)
        assert not topic.summary.startswith(("#", "|", "-", "`", "!"))


def test_an_unknown_topic_names_the_nearest() -> None:
    with pytest.raises(MandolineError, match="Did you mean 'reference-metrics'"):
        guide.read("reference-metric")


@pytest.mark.parametrize("name", PAGES)
def test_the_reference_is_current(name: str) -> None:
    """`make schemas` writes it."""
    assert guide.read(name) == PAGES[name]()


def test_the_command_line_is_written_as_people_read_it() -> None:
    """Not as the parser wants it; and no option is broken at its hyphens."""
    page = PAGES["reference-command-line"]()
    assert "%%" not in page
    assert "-\n" not in page.replace("---", "")


def test_a_new_method_is_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """No prose to touch: a method in the registry is on its page, with what it says of itself."""

    class New(type(ESTIMATORS["simple"])):  # type: ignore[misc]
        title, does, assumes = "New method", "It does something new.", "Nothing is assumed."

    monkeypatch.setitem(ESTIMATORS, "new", New())
    page = PAGES["reference-methods"]()
    for text in ("## New method", "It does something new.", "- Assumes: Nothing is assumed.", '`name = "new"`'):
        assert text in page
