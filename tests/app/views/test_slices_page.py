"""The Slices page: controls that fit the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

import mandoline_core as md
from mandoline_core.slices import KINDS
from tests.app import pages
from tests.app.pages import add, current, open_app, press, run, said, type_line
from tests.core.projects import DIGITS, LONG, NEGATION, REVIEWS, WEB, small_frames, write_project

pytestmark = pytest.mark.usefixtures("folder")


def test_a_threshold_slider_spans_the_column_in_round_steps() -> None:
    """A column that stays away from zero has a slider that does, too; whole numbers have whole steps."""
    app = open_app(page="views/slices/slices.py")
    add(app, "threshold")
    rule = current(app).slices[-1]
    assert isinstance(rule, md.Threshold)
    values = [md.read_table(REVIEWS.parent / f"{side}.csv")[rule.column] for side in ("source", "target")]
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert (slider.min, slider.max, slider.step) == (min(map(min, values)), max(map(max, values)), 1.0)
    assert slider.min > 0


def kinds(app: AppTest) -> list[str]:
    """List what the menu of kinds says."""
    return app.menu_button(key="add_kind").options


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
        (" ", "A slice's name must be a non-empty text."),
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
    app.session_state["kept:result_tab"] = "Ablation"
    run(app).segmented_control(key="order_how").set_value("my own")
    run(app).multiselect(key="order").set_value(["slang", "negation"])
    run(app).switch_page("views/slices/slices.py")
    run(app).button(key="open:negation").click()
    named(run(app)).set_value("denial")
    run(app).switch_page("views/result/result.py")
    app.session_state["kept:result_tab"] = "Ablation"
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
    assert rule == md.Threshold("long", column="share", above=0.5)
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert slider.value == pytest.approx(rule.above)
    assert (slider.min, slider.max, slider.step) == (0.0, 0.99, 0.002)
    assert "Matches 196 labelled rows and 147 new rows" in said(pages.choose(app, "long", "Rows"))


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
    assert current(app).slices[0] == md.Threshold("both", column="share", above=0.5, below=0.5)
    span = {"name": "span", "kind": "range", "column": "n_words", "low": 5, "high": 20}
    app = choose(columns(folder, span), "share")
    rule = current(app).slices[0]
    assert (rule.low, rule.high) == (0.24, 0.74)
    (slider,) = [one for one in app.slider if one.label == "Range"]
    assert slider.value == pytest.approx((rule.low, rule.high))
    length = {"name": "brief", "kind": "length", "column": "plan", "below": 2}
    app = choose(columns(folder, length), "text")
    assert current(app).slices[0].below == source["text"].str.split().str.len().median() == 3


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
    add(app, "threshold")
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
    add(app, "category")
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
    offered = [kind for kind, rule in KINDS.items() if any(rule.title in one for one in kinds(app))]
    assert set(offered) >= set(KINDS) - {"overlap", "flag"}  # the sample has no column for them
    for kind in offered:
        add(app, kind)


def test_every_kind_that_fits_numbers_is_offered_on_the_digits() -> None:
    """Data without a text still have thresholds, ranges, categories, flags and all that models say."""
    app = open_app(DIGITS, "views/slices/slices.py")
    missing = {rule.title for rule in KINDS.values() if not any(f"**{rule.title}**" in one for one in kinds(app))}
    assert missing == {KINDS[kind].title for kind in ("keyword", "regex", "length", "overlap")}
    add(app, "category")
    assert current(app).slices[-1].kind == "category"


def test_a_kind_that_cannot_be_started_yet_says_what_to_do_first(folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": []}), "views/slices/slices.py")
    add(app, "all")
    assert said(app).count("A combination needs other slices. Add them first.") == 1
    type_line(app, "good")
    assert "A combination needs" not in said(app)
    assert current(app).slices == (md.Keyword("good", column="text", words=("good",)),)


def test_a_combination_waits_until_its_slices_are_chosen(folder: Path) -> None:
    """It is of slices that nobody has chosen, so it is off at first."""
    app = open_app(write_project(folder), "views/slices/slices.py")
    add(app, "all")
    assert current(app).slices[-1].kind == "all"
    assert not current(app).slices[-1].enabled


def test_a_line_that_cannot_be_read_stays_with_its_reason(folder: Path) -> None:
    """One error, below the line; nothing is added, and the next line takes it away."""
    app = open_app(write_project(folder), "views/slices/slices.py")
    before = current(app)
    type_line(app, "n_words >= ten")
    assert len(app.error) == 1
    assert "unknown column 'ten'" in said(app)
    assert [code.value for code in app.main.code] == ["n_words >= ten\n           ^"]
    assert app.text_input(key="add_line").value == "n_words >= ten"
    assert current(app) == before
    type_line(app, "n_words >= 10")
    assert not app.error
    assert app.text_input(key="add_line").value == ""
    assert current(app).slices[-1] == md.Threshold("n_words at least 10", column="n_words", at_least=10)
    assert named(app).value == "n_words at least 10"


def test_a_number_is_typed_beside_its_slider(folder: Path) -> None:
    """It is saved as it is written; beyond the column the slider makes room for it."""
    app = columns(folder, {**LONG, "above": 10.25})
    (box,) = [one for one in app.number_input if one.label == "Above, as a number"]
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert box.value == slider.value == 10.25
    assert current(app).slices[0].above == 10.25
    box.set_value(75.0)
    run(app)
    assert repr(current(app).slices[0].above) == "75"
    (slider,) = [one for one in app.slider if one.label == "Above"]
    assert (slider.value, slider.max, slider.step) == (75.0, 75.0, 1.0)
    (way,) = [one for one in app.radio if one.label == "Matches when"]
    way.set_value("at_most")
    run(app)
    assert current(app).slices[0] == md.Threshold("long", column="n_words", at_most=75)


def test_the_ends_of_a_range_are_typed_or_refused(folder: Path) -> None:
    """An end beyond the other is refused below the control; what was typed stays there, and nothing is saved."""
    app = columns(folder, {"name": "span", "kind": "range", "column": "share", "low": 0.25, "high": 0.5})
    ends = {one.label: one for one in app.number_input}
    ends["To"].set_value(0.1 + 0.2)
    run(app)
    assert current(app).slices[0].high == 0.3
    before = current(app)
    {one.label: one for one in app.number_input}["From"].set_value(0.7)
    run(app)
    assert current(app) == before
    assert said(app).count("Slice 'span': low = 0.7 is above high = 0.3. Swap them.") == 1
    assert "Not applied: the estimate uses the last valid value." in said(app)
    assert {one.label: one.value for one in app.number_input}["From"] == 0.7
    {one.label: one for one in app.number_input}["From"].set_value(0.2)
    run(app)
    assert "Swap them" not in said(app)
    assert (current(app).slices[0].low, current(app).slices[0].high) == (0.2, 0.3)


def test_words_are_counted_one_by_one(folder: Path) -> None:
    """Typed or pasted, a list is taken apart; every word has its own counts, and one that matches nothing says so."""
    source, target, _ = small_frames()
    app = open_app(write_project(folder, {"slices": [NEGATION]}), "views/slices/slices.py")
    (words,) = [one for one in app.multiselect if one.label == "Words"]
    words.set_value(["not", 'good, "at all"; xyzzy'])
    run(app)
    assert current(app).slices[0].words == ("not", "good", "at all", "xyzzy")
    for word in ("not", "good", "at all"):
        counts = [frame["text"].str.contains(word).sum() for frame in (source, target)]
        assert f"**{word}** {counts[0]:,} labelled, {counts[1]:,} new" in said(app)
    assert "**xyzzy** matches nothing" in said(app)
    (pasted,) = [one for one in app.text_area if one.label.startswith("Words, one per line")]
    pasted.set_value("never\nno way")
    run(app)
    assert current(app).slices[0].words[-2:] == ("never", "no way")
    assert [one.value for one in app.text_area if one.label.startswith("Words, one per line")] == [""]


def test_words_that_are_nowhere_are_said_to_match_nothing(folder: Path) -> None:
    """All of them: a slice may be written before its rows are there."""
    app = type_line(open_app(write_project(folder), "views/slices/slices.py"), "xyzzy, plugh")
    assert [error.value for error in app.error] == []
    assert "**xyzzy** matches nothing" in said(app)
    assert "**plugh** matches nothing" in said(app)


def test_why_a_slice_is_there_is_kept_with_it(folder: Path) -> None:
    """No number follows it, and undo takes it back."""
    app = open_app(write_project(folder), "views/slices/slices.py")
    before = current(app)
    (why,) = [one for one in app.text_input if one.label == "Slice note"]
    why.set_value("Negations confuse *it*.")
    run(app)
    assert current(app).slices[0].note == "Negations confuse *it*."
    press(app, "Undo")
    assert current(app) == before


def test_the_rows_of_a_slice_are_shown_a_page_at_a_time_and_mistakes_alone(folder: Path) -> None:
    """With label, prediction and whether the model is right; of both samples."""
    path = write_project(folder, {"slices": [LONG]})
    frame = small_frames()[0]
    app = pages.choose(open_app(path, "views/slices/slices.py"), "long", "Rows")
    inside = frame[frame["n_words"] > LONG["above"]]
    wrong = inside[inside["label"] != inside["pred_lr"]]
    assert f"Rows 1 to 10 of {len(inside):,}" in said(app)

    def table() -> Any:
        return next(one.value for one in app.dataframe if "model is" in one.value.columns)

    assert table()["n_words"].tolist() == inside["n_words"].tolist()[:10]
    assert table().columns[:3].tolist() == ["model is", "label", "pred_lr"]
    assert table()["model is"].tolist() == [
        "right" if good else "wrong" for good in inside.index[:10].map(inside["label"] == inside["pred_lr"])
    ]
    press(app, "Next")
    assert table()["n_words"].tolist() == inside["n_words"].tolist()[10:20]
    next(one for one in app.toggle if one.label == "Only mistakes").set_value(True)
    run(app)
    assert f"Rows 1 to 10 of {len(wrong):,}" in said(app)
    assert set(table()["model is"]) == {"wrong"}
    app.segmented_control(key="rows_side").set_value("new")
    run(app)
    assert all("model is" not in one.value.columns for one in app.dataframe)
    assert "Only mistakes" not in [one.label for one in app.toggle]


def test_the_word_that_matched_is_marked_in_the_rows_of_a_keyword_slice() -> None:
    """Next to each text is what the model says of it, and whether that is right."""
    app = pages.choose(open_app(page="views/slices/slices.py"), "negation", "Rows")
    lines = [one.value for one in app.markdown if ":orange-background[**" in one.value]
    assert len(lines) == 10
    assert all(":gray[label " in line and ", predicted " in line for line in lines)
    assert all(line.startswith((":green[", ":red[")) for line in lines)
