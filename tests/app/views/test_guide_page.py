"""The Guide page: every topic by its section, a search, links and images, with or without a project."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.project import state
from mandoline_core import guide
from tests.app.pages import MAIN, labels, open_app, press, run, said
from tests.core.projects import REVIEWS

PAGE = "views/guide/guide.py"


def open_guide(topic: str = "") -> AppTest:
    """Open the page as a link to a topic does, without a project."""
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    if topic:
        app.query_params["topic"] = topic
    return run(app.switch_page(PAGE))


def search(app: AppTest, text: str) -> list[str]:
    """Type a search; return the titles that are left."""
    app.text_input(key="guide_search").set_value(text)
    titles = {topic.title for topic in guide.topics()}
    return [label.strip("*") for label in labels(run(app)) if label.strip("*") in titles]


def test_every_topic_is_listed_under_its_section_and_the_first_is_open() -> None:
    app = open_guide()
    topics = guide.topics()
    assert set(labels(app)) >= {topic.title for topic in topics[1:]} | {f"**{topics[0].title}**"}
    assert [caption.value for caption in app.caption if caption.value in guide.SECTIONS] == list(guide.SECTIONS)
    assert topics[0].summary in said(app)


def test_an_address_and_a_click_open_a_topic() -> None:
    first, second = guide.topics()[3], guide.topics()[5]
    app = open_guide(first.name)
    assert first.summary in said(app)
    press(app, second.title)
    assert second.summary in said(app)
    assert app.query_params["topic"] == second.name


def test_an_unknown_topic_is_said_and_the_list_stays() -> None:
    app = open_guide("verdickt")
    assert "The guide has no topic 'verdickt'." in said(app)
    assert "Did you mean 'verdict'?" in said(app)
    press(app, next(topic.title for topic in guide.topics() if topic.name == "verdict"))
    assert not app.error


def test_the_search_looks_at_titles_and_text() -> None:
    app = open_guide()
    for words in ("effective", "gold audit", "GOLD"):
        expected = [
            topic.title
            for topic in guide.topics()
            if all(word in guide.read(topic.name).lower() for word in words.lower().split())
        ]
        assert 0 < len(expected) < len(guide.topics())
        assert search(app, words) == expected
    assert search(app, "<b>thunder*") == []
    assert 'Nothing matches "<b>thunder*"' in said(app).replace("\\", "")


def test_links_lead_to_topics_and_images_are_shown() -> None:
    """No link leads to a file, no image is left in the text, and every image is there."""
    shown = 0
    for topic in guide.topics():
        app = open_guide(topic.name)
        text = "\n".join(one.value for one in app.markdown)
        assert "![" not in text
        for other in guide.topics():
            assert f"]({other.name}.md" not in text
        found = guide.read(topic.name).count("\n![")
        assert len(app.get("image")) == found
        shown += found
    assert shown


def test_no_project_is_made_for_who_only_reads() -> None:
    before = len(state.store().entries())
    app = open_guide("verdict")
    assert len(state.store().entries()) == before
    assert "Undo" not in labels(app)
    assert "Undo" in labels(open_app(REVIEWS, PAGE))


def test_every_tooltip_leads_to_a_topic_that_is_there() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(MAIN.parent / "views").rglob("*.py")]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [ast.literal_eval(call.args[1]) for call in calls if ast.unparse(call.func).split(".")[-1] == "more"
             and len(call.args) == 2 and isinstance(call.args[1], ast.Constant)]  # fmt: skip
    assert len(named) >= 4
    assert set(named) <= {topic.name for topic in guide.topics()}
