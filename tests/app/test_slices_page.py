"""The Slices page: controls that fit the data."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

import mandoline_core as md
from tests.app.pages import current, open_app, press, run, said
from tests.core.projects import LONG, NEGATION, REVIEWS, write_project

pytestmark = pytest.mark.usefixtures("folder")


def test_a_threshold_slider_spans_the_column_and_no_more() -> None:
    """A column that stays away from zero has a slider that does, too."""
    app = open_app(page="views/slices.py")
    press(app, "Threshold")
    rule = current(app).slices[-1]
    assert isinstance(rule, md.Threshold)
    values = [md.read_table(REVIEWS.parent / f"{side}.csv")[rule.column] for side in ("source", "target")]
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert (slider.min, slider.max) == (min(map(min, values)), max(map(max, values)))
    assert slider.min > 0


def named(app: AppTest) -> TextInput:
    """Find the field with the name of the slice that is being edited."""
    (field,) = [one for one in app.text_input if one.label == "Name"]
    return field


def test_a_slice_is_renamed_in_its_field_with_all_that_names_it(folder: Path) -> None:
    """Edges and combinations follow, the slice stays open, and undo brings the old name back."""
    both = {"name": "both", "kind": "all", "of": ["negation", "long"]}
    changes = {"slices": [NEGATION, LONG, both], "edges": [["negation", "long"]]}
    app = open_app(write_project(folder, changes), "views/slices.py")
    before = current(app)
    assert named(app).value == "negation"
    named(app).set_value(" says no ")
    run(app)
    project = current(app)
    assert [rule.name for rule in project.slices] == ["says no", "long", "both"]
    assert project.edges == (("says no", "long"),)
    assert project.slices[-1] == md.All("both", of=("says no", "long"))
    assert named(app).value == "says no"
    press(app, "Undo")
    assert current(app) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("short", "Two slices would be called 'short'. Choose another name."),
        ("entropy_2", "Two slices would be called 'entropy_2'. Choose another name."),
        (" ", "A slice's name must be a text that is not empty."),
    ],
)
def test_a_name_that_cannot_be_is_refused_beside_its_field(name: str, message: str) -> None:
    """What was typed stays until it is mended; the project stays as it was."""
    app = open_app(page="views/slices.py")
    before = current(app)
    named(app).set_value(name)
    run(app)
    assert message in said(app)
    assert named(app).value == name
    assert current(app) == before
    named(app).set_value("denial")
    run(app)
    assert message not in said(app)
    assert current(app).slices[0].name == "denial"


def test_an_order_of_ones_own_follows_a_new_name() -> None:
    """A renamed slice keeps its place in the order that a person gave the curve."""
    app = open_app()
    app.segmented_control(key="order_how").set_value("my own")
    run(app).multiselect(key="order").set_value(["slang", "negation"])
    run(app).switch_page("views/slices.py")
    named(run(app)).set_value("denial")
    run(app).switch_page("views/estimate.py")
    assert run(app).multiselect(key="order").value == ["slang", "denial"]
