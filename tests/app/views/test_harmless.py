"""Columns declared harmless, on the pages: beside the finding, with a reason, undone and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.pages import current, labels, open_app, press, run, said
from tests.core.projects import small_frames, write_project

HOSTILE = "<b>year</b> *x*"
PAGES = {"estimate": "views/estimate/estimate.py", "trust": "views/trust/trust.py"}


def years(folder: Path, column: str = "year", harmless: object = None) -> Path:
    """Write a project whose samples are from different years, and otherwise sound."""
    source, target, _ = small_frames()
    changes = {} if harmless is None else {"trust": {"harmless": harmless}}
    return write_project(
        folder, changes, source=source.assign(**{column: 2015}), target=target.assign(**{column: 2018})
    )


def declare(app: AppTest, reason: str) -> AppTest:
    """Type a reason into the first box and press its button."""
    box = next(box for box in app.text_input if box.label.startswith("Why a change of"))
    box.set_value(reason)
    next(button for button in app.button if button.label == "Declare harmless").click()
    return run(app)


@pytest.mark.parametrize("page", list(PAGES))
def test_a_column_is_declared_harmless_beside_what_it_is_found_guilty_of(tmp_path: Path, page: str) -> None:
    """The verdict leaves red, the declaration is listed, and undo brings the finding back."""
    app = open_app(years(tmp_path), PAGES[page])
    assert "can still be told from rows of the new data (AUC 1.00), mostly by 'year'" in said(app)
    assert "year: this does not matter, because ..." in [one.proto.popover.label for one in app.get("popover")]
    declare(app, "the questions stayed the same")
    assert current(app).trust.harmless == {"year": "the questions stayed the same"}
    assert "told from rows" not in said(app)
    assert "Declared harmless: **year** does not matter, because the questions stayed the same" in said(app)
    press(app, "Undo")
    assert current(app).trust.harmless == {}
    assert "mostly by 'year'" in said(app)


@pytest.mark.parametrize("page", list(PAGES))
def test_a_declaration_is_taken_back(tmp_path: Path, page: str) -> None:
    """From the list, on both pages."""
    app = open_app(years(tmp_path, harmless={"year": "so"}), PAGES[page])
    assert "Declared harmless: **year** does not matter, because so" in said(app)
    press(app, "Take back: year")
    assert current(app).trust.harmless == {}
    assert "mostly by 'year'" in said(app)


def test_no_reason_is_no_declaration(tmp_path: Path) -> None:
    """It says so beside the button, and nothing is saved."""
    app = declare(open_app(years(tmp_path), PAGES["estimate"]), "  ")
    assert "No reason is given." in said(app)
    assert current(app).trust.harmless == {}


def test_a_column_that_is_gone_can_be_taken_back(tmp_path: Path) -> None:
    """Without an estimate, too: there is a way on."""
    app = open_app(years(tmp_path, harmless=["yaer"]), PAGES["trust"])
    assert "harmless in [trust] names column 'yaer'" in said(app)
    press(app, "Take back: yaer")
    assert current(app).trust.harmless == {}
    assert "names column" not in said(app)


def test_hostile_names_and_reasons_are_written_as_they_are(tmp_path: Path) -> None:
    """Neither HTML nor Markdown comes through, in labels and in sentences."""
    app = open_app(years(tmp_path, HOSTILE), PAGES["trust"])
    written = [str(element.value) for kind in (app.markdown, app.caption) for element in kind]
    written += [box.label for box in app.text_input]
    assert any("year" in text for text in written)
    assert not any("<b>" in text or " *x*" in text for text in written)
    declare(app, "<i>because</i> **so**")
    written = [str(element.value) for element in app.markdown] + [button.label for button in app.button]
    assert any("Take back" in text for text in labels(app))
    assert not any("<i>" in text or "<b>" in text or "**so**" in text or " *x*" in text for text in written)
