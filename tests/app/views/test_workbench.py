"""The workbench: every edit shows at once, equals the library, and can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import mandoline_core as md
from mandoline_core.formatting import show_interval
from tests.app.pages import add, choose, current, open_app, press, run, said
from tests.core.projects import write_project

SLICES = "views/slices/slices.py"
VIEWS = ("Rule", "Rows", "Reliability", "Links")


def pick(elements: object, label: str) -> object:
    """Find the widget with a label."""
    (found,) = [element for element in elements if element.label == label]  # type: ignore[attr-defined]
    return found


def shown_equals_library(app: AppTest) -> None:
    """Check that the number on the page is the library's for the saved project, or without what the page leaves out."""
    text = said(app)
    report = md.estimate(current(app), spread="interval for sampling error alone" not in text).first
    assert show_interval(report.estimate, report.interval, share=True) in text


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_the_estimate_beside_it(view: str) -> None:
    shown_equals_library(open_app(page=SLICES, view=view))


def test_a_project_without_slices_leads_on(folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": []}), SLICES)
    assert "no slices" in said(app)


def test_a_word_added_moves_the_estimate() -> None:
    """A keyword slice is added, given a word, and counted in both samples."""
    app = open_app(page=SLICES)
    add(app, "keyword")
    assert current(app).slices[-1].name == "keyword"
    pick(app.multiselect, "Words").set_value(["terrible"])
    run(app)
    assert current(app).slices[-1] == md.Keyword("keyword", column="text", words=("terrible",))
    assert "**Matches " in said(choose(app, "keyword", "Rows"))
    shown_equals_library(app)


def test_no_words_is_an_error_beside_the_box_and_loses_nothing() -> None:
    app = open_app(page=SLICES)
    before = current(app)
    pick(app.multiselect, "Words").set_value([])
    run(app)
    assert "words is empty" in said(app)
    assert current(app) == before


def test_a_threshold_follows_its_slider() -> None:
    app = open_app(page=SLICES)
    add(app, "threshold")
    pick(app.slider, "Above").set_value(20.0)
    run(app)
    assert current(app).slices[-1].above == 20.0
    shown_equals_library(app)


def test_an_expression_shows_where_it_is_wrong() -> None:
    app = open_app(page=SLICES)
    add(app, "expression")
    pick(app.text_area, "Expression").set_value("wrds(text) < 5")
    run(app)
    assert "Did you mean 'words'?" in said(app)
    assert any("^" in code.value for code in app.code)


def test_delete_and_undo() -> None:
    app = open_app(page=SLICES)
    before = current(app)
    press(app, "Delete")
    assert [rule.name for rule in current(app).slices] == ["short", "slang", "entropy"]
    shown_equals_library(app)
    press(app, "Undo")
    assert current(app) == before
    press(app, "Redo")
    assert "negation" not in [rule.name for rule in current(app).slices]


def test_hostile_names_are_shown_as_text(folder: Path) -> None:
    """What looks like markup in a slice's name is escaped wherever Markdown is read."""
    name = "<img src=x onerror=alert(1)> [x](javascript:alert(1))"
    slices = [{"name": name, "kind": "keyword", "column": "text", "words": ["not"]}]
    for view in VIEWS:
        app = open_app(write_project(folder, {"slices": slices}), SLICES, view)
        assert all("<img" not in str(e.value).replace("\\<img", "") for e in (*app.markdown, *app.caption, *app.error))
