"""The Slices page: controls that fit the data."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

import mandoline_core as md
from mandoline_core.slices import KINDS
from tests.app.pages import current, open_app, press, run, said
from tests.core.projects import LONG, NEGATION, REVIEWS, WEB, small_frames, write_project

pytestmark = pytest.mark.usefixtures("folder")


def test_a_threshold_slider_spans_the_column_and_no_more() -> None:
    """A column that stays away from zero has a slider that does, too."""
    app = open_app(page="views/slices/slices.py")
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
    app = open_app(write_project(folder, changes), "views/slices/slices.py")
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
    app = open_app(page="views/slices/slices.py")
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
    run(app).switch_page("views/slices/slices.py")
    named(run(app)).set_value("denial")
    run(app).switch_page("views/estimate/estimate.py")
    assert run(app).multiselect(key="order").value == ["slang", "denial"]


def columns(folder: Path, *rules: dict[str, object]) -> AppTest:
    """Open slices on data with columns of other scales and other values."""
    frames = [
        frame.assign(
            ticket_id=range(1000 * side, 1000 * side + len(frame)),
            share=[(row % 100) / 100 for row in range(len(frame))],
            plan=["free" if row % 3 else "pro" for row in range(len(frame))],
        )
        for side, frame in enumerate(small_frames()[:2])
    ]
    path = write_project(folder, {"slices": list(rules)}, source=frames[0], target=frames[1])
    return open_app(path, "views/slices/slices.py")


def choose(app: AppTest, column: str) -> AppTest:
    """Choose another column for the slice that is being edited."""
    (field,) = [one for one in app.selectbox if one.label == "Column"]
    field.set_value(column)
    return run(app)


def test_a_threshold_on_another_column_has_a_cut_of_that_column(folder: Path) -> None:
    """The slider stands where the rule cuts, and the rule cuts where the new column has values."""
    app = choose(columns(folder, LONG), "share")
    rule = current(app).slices[0]
    assert rule == md.Threshold("long", column="share", above=0.495)
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert slider.value == pytest.approx(rule.above)
    assert (slider.min, slider.max) == (0.0, 0.99)
    assert "200 labelled rows and 150 new rows are inside" in said(app)


def test_a_cut_that_two_columns_share_stays_on_the_slider(folder: Path) -> None:
    """The slider of another column is another one, also where the cut happens to be the same."""
    rule = {"name": "cut", "kind": "threshold", "column": "ticket_id", "above": 0.495}
    app = choose(columns(folder, rule), "share")
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert slider.value == pytest.approx(current(app).slices[0].above)


def test_a_slider_keeps_its_place_when_its_span_shrinks(folder: Path) -> None:
    """A cut outside the data widens the slider; moved inside, it stays where it was put."""
    app = columns(folder, {**LONG, "above": 500})
    (slider,) = [one for one in app.slider if one.label == "Above"]
    slider.set_value(20.0)
    run(app)
    (slider,) = [one for one in run(app).slider if one.label == "Above"]
    assert slider.value == current(app).slices[0].above == 20.0


def test_both_cuts_a_range_and_a_length_follow_a_new_column(folder: Path) -> None:
    """Every bound is taken from the new column, on the side it was."""
    source = small_frames()[0]
    both = {"name": "both", "kind": "threshold", "column": "n_words", "above": 20, "below": 5}
    app = choose(columns(folder, both), "share")
    assert current(app).slices[0] == md.Threshold("both", column="share", above=0.495, below=0.495)
    span = {"name": "span", "kind": "range", "column": "n_words", "low": 5, "high": 20}
    app = choose(columns(folder, span), "share")
    rule = current(app).slices[0]
    assert (rule.low, rule.high) == (0.25, 0.74)
    (slider,) = [one for one in app.slider if one.label == "From and to"]
    assert slider.value == pytest.approx((rule.low, rule.high))
    length = {"name": "brief", "kind": "length", "column": "plan", "below": 2}
    app = choose(columns(folder, length), "text")
    assert current(app).slices[0].below == source["text"].str.split().str.len().median()


def test_a_category_of_another_column_takes_a_value_of_that_column(folder: Path) -> None:
    """Values of the old column go; undo brings them back."""
    app = choose(columns(folder, WEB), "plan")
    assert current(app).slices[0] == md.Category("web", column="plan", values=("pro",))
    (values,) = [one for one in app.multiselect if one.label == "Values"]
    assert values.value == ["pro"]
    press(app, "Undo")
    assert current(app).slices[0] == md.Category("web", column="channel", values=("web",))


def test_what_a_value_is_shown_as_never_becomes_a_value(folder: Path) -> None:
    """A family and back, on another column: the project holds values of the data and nothing else."""
    app = choose(columns(folder, WEB), "plan")
    for on in (True, False):
        (family,) = [one for one in app.toggle if one.label == "One slice for each value"]
        family.set_value(on)
        run(app)
        values = current(app).slices[0].values
        assert values is None if on else values == ("free",)
    (values,) = [one for one in app.multiselect if one.label == "Values"]
    values.set_value(["pro", "web (201 labelled rows)"])  # what a browser sends of a column that was left
    run(app)
    assert current(app).slices[0].values == ("pro",)


def test_a_category_on_every_value_stays_so_on_another_column(folder: Path) -> None:
    app = choose(columns(folder, {"name": "all", "kind": "category", "column": "channel"}), "plan")
    assert current(app).slices[0] == md.Category("all", column="plan")


def test_a_new_threshold_is_not_on_an_identifier(folder: Path) -> None:
    """A number that only counts the rows says nothing about them."""
    rows = [
        frame[["text", "pred_lr", "pred_nb"]].assign(ticket_id=range(len(frame)), n=5) for frame in small_frames()[:2]
    ]
    source = rows[0].assign(label=small_frames()[0]["label"])
    app = open_app(
        write_project(folder, {"slices": [NEGATION]}, source=source, target=rows[1]), "views/slices/slices.py"
    )
    press(app, "Threshold")
    assert current(app).slices[-1].column == "n"


def test_a_category_of_numbers_is_added_and_edited(folder: Path) -> None:
    """Where all data are numbers, values are plain numbers from the first press on, as the project file has them."""
    source, target, _ = small_frames()
    frames = [
        frame[[]].assign(n=[row % 4 for row in range(len(frame))], pred_lr=(frame["pred_lr"] == "bad").astype(int))
        for frame in (source, target)
    ]
    models = [{"name": "lr", "prediction": "pred_lr"}]
    changes = {"slices": [], "models": models, "target": {"path": "target.csv"}}
    labelled = frames[0].assign(label=(source["label"] == "bad").astype(int))
    app = open_app(write_project(folder, changes, source=labelled, target=frames[1]), "views/slices/slices.py")
    press(app, "Category")
    assert current(app).slices == (md.Category("category", column="n", values=(0,)),)
    (values,) = [one for one in app.multiselect if one.label == "Values"]
    values.set_value(["1", "3"])
    run(app)
    assert current(app).slices[0] == md.Category("category", column="n", values=(1, 3))
    for on in (True, False):
        (family,) = [one for one in app.toggle if one.label == "One slice for each value"]
        family.set_value(on)
        run(app)
    assert current(app).slices[0] == md.Category("category", column="n", values=(0,))


def test_the_form_of_every_kind_is_drawn(folder: Path) -> None:
    """Whatever a kind says of its form, the app knows how to draw it."""
    app = open_app(page="views/slices/slices.py")
    more = [button.key for button in app.button if str(button.key).startswith(("add:", "more:"))]
    assert {key.split(":")[1] for key in more} >= set(KINDS) - {"overlap"}
    for key in more:
        app.button(key=key).click()
        run(app)
