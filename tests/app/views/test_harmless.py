"""Columns declared harmless, on the pages: beside the finding, with a reason, undone and taken back."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.app.pages import current, labels, open_app, press, run, said
from tests.core.projects import small_frames, write_project

HOSTILE = "<b>year</b> *x*"
PAGE = "views/result/result.py"


def years(folder: Path, column: str = "year", harmless: object = None) -> Path:
    """Write a project whose samples are from different years, and otherwise sound."""
    source, target, _ = small_frames()
    changes = {} if harmless is None else {"trust": {"harmless": harmless}}
    return write_project(
        folder, changes, source=source.assign(**{column: 2015}), target=target.assign(**{column: 2018})
    )


def declare(app: AppTest, reason: str) -> AppTest:
    """Type a reason into the first box and press its button."""
    box = next(box for box in app.text_input if box.label.startswith("Why is"))
    box.set_value(reason)
    next(button for button in app.button if button.label == "Mark as irrelevant").click()
    return run(app)


def test_a_column_is_declared_harmless_beside_what_it_is_found_guilty_of(tmp_path: Path) -> None:
    """The finding goes, the declaration is listed, and undo brings the finding back."""
    app = open_app(years(tmp_path), PAGE)
    assert "'year' names the sample (2015 in labelled data, 2018 in new data)" in said(app)
    assert "Mark year as irrelevant" in [one.proto.popover.label for one in app.get("popover")]
    declare(app, "the questions stayed the same")
    assert current(app).trust.harmless == {"year": "the questions stayed the same"}
    assert "'year' names the sample" not in said(app)
    assert "**year** is marked as irrelevant: the questions stayed the same" in said(app)
    press(app, "Undo")
    assert current(app).trust.harmless == {}
    assert "'year' names the sample" in said(app)


def test_where_no_slice_can_help_the_two_things_that_can_are_offered_first(tmp_path: Path) -> None:
    """A value without a labelled row: mark the column, or label; the label button leads to its tab."""
    source, target, _ = small_frames()
    target["region"] = ["south" if row % 10 else "north" for row in range(len(target))]
    app = open_app(write_project(tmp_path, {}, source=source.assign(region="north"), target=target), PAGE)
    assert "no slice can help. Mark region as irrelevant with a reason, or label 60 new rows." in said(app)
    assert "Mark region as irrelevant" in [one.proto.popover.label for one in app.get("popover")]
    assert not [label for label in labels(app) if label.startswith("Add: region")]
    next(button for button in app.button if button.label == "Label 60 new rows").click()
    assert "The plan does not use them." in said(run(app))


def test_a_declaration_is_taken_back(tmp_path: Path) -> None:
    """From the list."""
    app = open_app(years(tmp_path, harmless={"year": "so"}), PAGE)
    assert "**year** is marked as irrelevant: so" in said(app)
    press(app, "Check year again")
    assert current(app).trust.harmless == {}
    assert "'year' names the sample" in said(app)


def test_no_reason_is_no_declaration(tmp_path: Path) -> None:
    """It says so beside the button, and nothing is saved."""
    app = declare(open_app(years(tmp_path), PAGE), "  ")
    assert "Marking 'year' as irrelevant needs a reason." in said(app)
    assert current(app).trust.harmless == {}


def test_a_column_that_is_gone_can_be_taken_back(tmp_path: Path) -> None:
    """Without an estimate, too: there is a way on."""
    app = open_app(years(tmp_path, harmless=["yaer"]), PAGE)
    assert "harmless in [trust] names an unknown column 'yaer'" in said(app)
    press(app, "Check yaer again")
    assert current(app).trust.harmless == {}
    assert "names column" not in said(app)


def test_hostile_names_and_reasons_are_written_as_they_are(tmp_path: Path) -> None:
    """Neither HTML nor Markdown comes through, in labels and in sentences."""
    app = open_app(years(tmp_path, HOSTILE), PAGE)
    written = [str(element.value) for kind in (app.markdown, app.caption) for element in kind]
    written += [box.label for box in app.text_input]
    assert any("year" in text for text in written)
    assert not any(re.search(r"(?<!\\)(<b>| \*x\*)", text) for text in written)
    declare(app, "<i>because</i> **so**")
    written = [str(element.value) for element in app.markdown] + [button.label for button in app.button]
    assert any("again" in text for text in labels(app))
    assert not any(re.search(r"(?<!\\)(<i>|<b>|\*so| \*x\*)", text) for text in written)
