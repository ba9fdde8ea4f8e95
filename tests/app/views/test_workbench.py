"""Slices and Corrections: every edit shows at once, equals the library, and can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.app.pages import current, labels, numbers, open_app, press, run, said
from tests.core.projects import write_project

SLICES, CORRECTIONS = "views/slices/slices.py", "views/corrections/corrections.py"
ESTIMATE = "Estimated accuracy on the new data"


def pick(elements: object, label: str) -> object:
    """Find the widget with a label."""
    (found,) = [element for element in elements if element.label == label]  # type: ignore[attr-defined]
    return found


def shown_equals_library(app: AppTest) -> None:
    """Check that the number on the page is the library's for the saved project."""
    report = md.estimate(current(app)).first
    assert numbers(app)[ESTIMATE] == show_value(report.estimate, share=True)
    low, high = (show_value(end, share=True).rstrip("%") for end in report.interval)
    assert f"({low} to {high})" in said(app)


@pytest.mark.parametrize("page", [SLICES, CORRECTIONS])
def test_a_page_opens_with_the_estimate(page: str) -> None:
    shown_equals_library(open_app(page=page))


@pytest.mark.parametrize("page", [SLICES, CORRECTIONS])
def test_a_project_without_slices_leads_on(page: str, folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": []}), page)
    assert "no slices" in said(app)


def test_a_word_added_moves_the_estimate() -> None:
    """A keyword slice is added, given a word, and counted in both samples."""
    app = open_app(page=SLICES)
    press(app, "Keyword")
    assert current(app).slices[-1].name == "keyword"
    pick(app.multiselect, "Words").set_value(["terrible"])
    run(app)
    assert current(app).slices[-1] == md.Keyword("keyword", column="text", words=("terrible",))
    assert "rows are inside" in said(app)
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
    press(app, "Threshold")
    pick(app.slider, "Above").set_value(20.0)
    run(app)
    assert current(app).slices[-1].above == 20.0
    shown_equals_library(app)


def test_an_expression_shows_where_it_is_wrong() -> None:
    app = open_app(page=SLICES)
    press(app, "Expression")
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
    for page in (SLICES, CORRECTIONS):
        app = open_app(write_project(folder, {"slices": slices}), page)
        assert all("<img" not in str(e.value).replace("\\<img", "") for e in (*app.markdown, *app.caption, *app.error))


def test_a_correction_slider_moves_the_estimate() -> None:
    app = open_app(page=CORRECTIONS)
    pick(app.slider, "Truly in, when the slice says in (labelled data)").set_value(0.8)
    run(app)
    assert current(app).slices[0].noise == md.Noise(md.Correction(inside=0.8))
    shown_equals_library(app)
    press(app, "Reset")
    assert current(app).slices[0].noise is None


def test_target_corrections_are_derived_the_same_or_their_own() -> None:
    app = open_app(page=CORRECTIONS)
    own = "Truly in, when the slice says in (new data)"
    pick(app.slider, "Truly in, when the slice says in (labelled data)").set_value(0.8)
    run(app)
    assert pick(app.slider, own).disabled
    assert "Derived from the labelled data's error rates. Choose 'Set separately' to move these." in said(app)
    pick(app.radio, "Corrections in the new data").set_value("same")
    run(app)
    assert current(app).slices[0].noise.same
    assert pick(app.slider, own).disabled
    assert "Copied from the labelled data's sliders. Choose 'Set separately' to move these." in said(app)
    shown_equals_library(app)
    pick(app.radio, "Corrections in the new data").set_value("own")
    run(app)
    assert "to move these" not in said(app)
    pick(app.slider, own).set_value(0.6)
    run(app)
    assert current(app).slices[0].noise.target.inside == 0.6
    shown_equals_library(app)


def test_an_uninformative_correction_is_refused_and_nothing_is_lost() -> None:
    app = open_app(page=CORRECTIONS)
    before = current(app)
    pick(app.slider, "Truly in, when the slice says in (labelled data)").set_value(0.0)
    run(app)
    assert current(app) == before


def test_corrections_are_measured_against_the_gold_column() -> None:
    """The digits sample measures its slice; the matrix shows what the source says."""
    path = Path(md.__file__).parent.parent / "sample_data" / "digits" / "project.toml"
    app = open_app(path, CORRECTIONS)
    assert "Measured on 8,000 labelled rows. Press 'Reset' to set these yourself." in said(app)
    assert "Measure it" in labels(app)
    inside = pick(app.slider, "Truly in, when the slice says in (labelled data)")
    assert inside.disabled
    assert inside.value == pytest.approx(75 / 105, abs=0.01)


def test_pairs_are_chosen_by_hand_or_by_tests() -> None:
    app = open_app(page=CORRECTIONS)
    pick(app.multiselect, "Pairs in use").set_value(["negation and short"])
    run(app)
    assert current(app).edges == (("negation", "short"),)
    shown_equals_library(app)
    pick(app.toggle, "Let tests choose the pairs").set_value(True)
    run(app)
    assert current(app).edges == "auto"
    shown_equals_library(app)


def test_the_denoised_estimator_is_a_switch() -> None:
    app = open_app(page=CORRECTIONS)
    pick(app.radio, "Estimator").set_value("denoised")
    run(app)
    assert current(app).estimator.name == "denoised"
    shown_equals_library(app)
