"""Reliability and links: presets, sliders, copies, gold labels, pairs; edits merge, and numbers are the library's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mandoline_core as md
from mandoline_core.project import EDGE_CHOICES
from tests.app.pages import choose, current, labels, open_app, press, project_id, run, said
from tests.app.views.test_workbench import pick, shown_equals_library
from tests.core.projects import REVIEWS, ROOT

SLICES, RELIABILITY, LINKS = "views/slices/slices.py", "Reliability", "Links"
SAYS_IN, SAYS_OUT = "When the rule says yes, how often is it right?", "When the rule says no, how often is it wrong?"
WAYS = "Choose pairs"
GOLD = "Column of gold labels"


def listed_pairs(app: AppTest) -> dict[str, bool]:
    """Show all pairs, and return their switches by their words."""
    app.session_state["kept:pairs_shown"] = 100
    run(app)
    return {toggle.label.replace("\\", ""): toggle.value for toggle in app.toggle if " and " in toggle.label}


def switch_pair(app: AppTest, words: str, *, on: bool) -> None:
    """Join two slices, or part them."""
    listed_pairs(app)
    (found,) = [toggle for toggle in app.toggle if toggle.label.replace("\\", "") == words]
    found.set_value(on)
    run(app)


def write_audited(folder: Path, **columns: object) -> Path:
    """Write a project whose labelled data, and only they, have a column of true answers for some of the rows."""
    rng = np.random.default_rng(5)
    for side, n, rate in (("source", 900, 0.3), ("target", 400, 0.6)):
        truly = rng.random(n) < rate
        says = np.where(rng.random(n) < 0.85, truly, ~truly)
        label = rng.choice(["a", "b"], n)
        wrong = rng.random(n) < np.where(truly, 0.4, 0.1)
        frame = pd.DataFrame(
            {
                "dark": says.astype(int),
                "size": rng.normal(size=n).round(3),
                "guess": np.where(wrong, np.where(label == "a", "b", "a"), label),
            }
        )
        if side == "source":
            audited = pd.Series(np.where(truly, "yes", "no"), dtype=object).where(rng.random(n) < 0.5)
            frame = frame.assign(label=label, truly=audited, **columns)
        frame.to_csv(folder / f"{side}.csv", index=False)
    project = md.Project(
        name="audited",
        source_path=Path("source.csv"),
        target_path=Path("target.csv"),
        label="label",
        models=(md.Model("m", "guess"),),
        slices=(md.Flag("dark", column="dark"), md.Threshold("large", column="size", above=0.5)),
        base=folder,
    )
    md.save_project(project, folder / "project.toml")
    return folder / "project.toml"


def test_a_slider_and_its_box_move_the_estimate() -> None:
    """In percents; either follows the other, and Reset takes the slice at its word again."""
    app = open_app(page=SLICES, view=RELIABILITY)
    slider = f"{SAYS_IN} (labelled data)"
    pick(app.slider, slider).set_value(80.0)
    run(app)
    assert current(app).slices[0].noise == md.Noise(md.Correction(inside=0.8))
    assert pick(app.number_input, f"{slider}, in percent").value == 80.0
    assert "5.6% → 4.5% of labelled data" in said(app)
    shown_equals_library(app)
    pick(app.number_input, f"{slider}, in percent").set_value(87.5)
    run(app)
    assert current(app).slices[0].noise == md.Noise(md.Correction(inside=0.875))
    assert pick(app.slider, slider).value == 87.5
    press(app, "Reset")
    assert current(app).slices[0].noise is None


def test_presets_say_how_sure_one_is_slice_by_slice() -> None:
    """The numbers are those of the tooltip; Custom starts from the numbers in use."""
    app = open_app(page=SLICES, view=RELIABILITY)
    help_ = pick(app.segmented_control, "Reliability of negation").help
    assert "**Mostly right**: 90.0% of its yes, 5.0% of its no" in help_
    assert "**Rough**: 75.0% of its yes, 15.0% of its no" in help_
    choose(app, "short")
    pick(app.segmented_control, "Reliability of short").set_value("mostly right")
    run(app)
    choose(app, "slang")
    pick(app.segmented_control, "Reliability of slang").set_value("rough")
    run(app)
    found = {rule.name: rule.noise for rule in current(app).slices}
    assert found["short"] == md.Noise(md.Correction(0.9, 0.05))
    assert found["slang"] == md.Noise(md.Correction(0.75, 0.15))
    shown_equals_library(app)
    pick(app.segmented_control, "Reliability of slang").set_value("custom")
    run(app)
    inside, outside = (pick(app.slider, f"{says} (labelled data)") for says in (SAYS_IN, SAYS_OUT))
    assert (inside.value, outside.value) == (75.0, 15.0)
    outside.set_value(10.0)
    run(app)
    assert current(app).slices[2].noise == md.Noise(md.Correction(0.75, 0.1))
    press(app, "Undo")
    press(app, "Undo")
    assert current(app).slices[2].noise is None
    assert pick(app.segmented_control, "Reliability of slang").value == "exact"


def test_corrections_of_the_new_data_are_derived_the_same_or_separate() -> None:
    app = open_app(page=SLICES, view=RELIABILITY)
    own, ways = f"{SAYS_IN} (new data)", "In the new data"
    pick(app.segmented_control, ways).set_value("separate")
    run(app)
    assert pick(app.slider, own).value == 100.0
    pick(app.segmented_control, ways).set_value("derived")
    run(app)
    assert current(app).slices[0].noise is None
    pick(app.slider, f"{SAYS_IN} (labelled data)").set_value(80.0)
    run(app)
    assert "% → 4.5% of labelled data" in said(app)
    pick(app.segmented_control, ways).set_value("same")
    run(app)
    assert current(app).slices[0].noise.same
    assert own not in [slider.label for slider in app.slider]
    shown_equals_library(app)
    pick(app.segmented_control, ways).set_value("separate")
    run(app)
    pick(app.slider, own).set_value(60.0)
    run(app)
    assert current(app).slices[0].noise.target.inside == 0.6
    shown_equals_library(app)


def test_an_uninformative_correction_is_refused_beside_its_slider_and_nothing_is_lost() -> None:
    app = open_app(page=SLICES, view=RELIABILITY)
    before = current(app)
    pick(app.slider, f"{SAYS_IN} (labelled data)").set_value(0.0)
    run(app)
    assert current(app) == before
    assert [error.value.replace("\\", "").partition(" mean")[0] for error in app.error] == [
        "Corrections inside = outside = 0"
    ]
    assert pick(app.slider, f"{SAYS_IN} (labelled data)").value == 100.0
    assert not run(app).error


def test_corrections_are_copied_to_chosen_slices_in_one_step() -> None:
    app = open_app(page=SLICES, view=RELIABILITY)
    pick(app.segmented_control, "Reliability of negation").set_value("mostly right")
    run(app)
    before = current(app)
    pick(app.multiselect, "Slices").set_value(["slang", "entropy"])
    run(app)
    press(app, "Copy")
    found = {rule.name: rule.noise for rule in current(app).slices}
    sure = md.Noise(md.Correction(0.9, 0.05))
    assert found == {"negation": sure, "short": None, "slang": sure, "entropy": sure}
    shown_equals_library(app)
    press(app, "Undo")
    assert current(app) == before


def test_a_switched_off_slice_has_no_controls(folder: Path) -> None:
    path = write_audited(folder)
    path.write_text(path.read_text().replace('name = "large"', 'name = "large"\nenabled = false'))
    app = open_app(path, SLICES, RELIABILITY)
    choose(app, "large")
    assert "This slice is off." in said(app)
    assert not [control.label for control in app.segmented_control if control.label.startswith("Reliability")]


def test_a_column_of_true_answers_is_chosen_and_measured_on(folder: Path) -> None:
    """It is in the labelled data only; taking it away takes what was measured with it."""
    strange = pd.Series(["yes"] * 899 + ["perhaps"])
    late = pd.Series([1] * 2 + [None] * 898)
    app = open_app(write_audited(folder, strange=strange, late=late, three=np.arange(900) % 3 + 5), SLICES, RELIABILITY)
    gold = pick(app.selectbox, GOLD)
    assert gold.options == ["truly", "late"]
    assert "Measure" not in labels(app)
    gold.set_value("truly")
    run(app)
    assert current(app).slices[0].gold == "truly"
    press(app, "Measure")
    assert current(app).slices[0].noise == md.Noise(measured=True)
    assert pick(app.segmented_control, "Reliability of dark").value == "measured"
    source = pd.read_csv(folder / "source.csv")
    known = source[source["truly"].notna()]
    assert f"Measured on {len(known):,} labelled rows." in said(app)
    inside = pick(app.slider, f"{SAYS_IN} (labelled data)")
    assert inside.disabled
    assert inside.value == pytest.approx(100 * (known[known["dark"] == 1]["truly"] == "yes").mean(), abs=0.01)
    shown_equals_library(app)
    pick(app.segmented_control, "Reliability of dark").set_value("custom")
    run(app)
    assert current(app).slices[0].noise.source.inside == round(inside.value / 100, 2)
    press(app, "Undo")
    pick(app.selectbox, GOLD).set_value(None)
    run(app)
    assert (current(app).slices[0].gold, current(app).slices[0].noise) == (None, None)
    press(app, "Undo")
    assert current(app).slices[0].noise == md.Noise(measured=True)


def test_a_column_that_cannot_be_measured_on_is_refused_beside_the_control(folder: Path) -> None:
    """Two true answers, both yes, say nothing; a column whose last value is no answer is none."""
    late = pd.Series([1] * 2 + [None] * 898)
    app = open_app(write_audited(folder, late=late), SLICES, RELIABILITY)
    pick(app.selectbox, GOLD).set_value("late")
    run(app)
    before = current(app)
    press(app, "Measure")
    assert current(app) == before
    assert len(app.error) == 1
    assert "cannot be measured: no labelled row with a gold label is" in said(app)


def test_a_project_that_comes_with_a_wrong_column_can_be_mended(folder: Path) -> None:
    """The cards are there without their numbers, and with the control that is to blame."""
    path = write_audited(folder)
    path.write_text(path.read_text().replace('name = "dark"', 'name = "dark"\ngold = "size"'))
    app = open_app(path, SLICES, RELIABILITY)
    assert "Expected true/false, yes/no" in said(app)
    pick(app.selectbox, GOLD).set_value("truly")
    run(app)
    assert not app.error
    shown_equals_library(app)


def test_the_digits_sample_shows_what_was_measured() -> None:
    app = open_app(ROOT / "sample_data" / "digits" / "project.toml", SLICES, RELIABILITY)
    assert "Measured on 8,000 labelled rows. Choose Custom to edit." in said(app)
    assert pick(app.slider, f"{SAYS_IN} (labelled data)").value == pytest.approx(100 * 75 / 105, abs=0.01)


def test_pairs_are_joined_one_by_one_and_two_editors_lose_none(folder: Path) -> None:
    """Each switch edits the pairs as they are by now, also those that someone else has joined."""
    path = folder / "project.toml"
    md.save_project(replace(md.load_project(REVIEWS), edges=()), path)
    one = open_app(path, SLICES, LINKS)
    assert not any(listed_pairs(one).values())
    other = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
    other.switch_page(SLICES)
    other.session_state["kept:chosen_view"] = LINKS
    other.query_params["project"] = project_id(one)
    run(other)
    switch_pair(one, "slang and entropy_6", on=True)
    switch_pair(other, "negation and slang", on=True)
    assert set(current(one).edges) == {("slang", "entropy_6"), ("negation", "slang")}
    shown_equals_library(other)
    switch_pair(one, "slang and entropy_6", on=False)
    assert current(other).edges == (("negation", "slang"),)


def test_impossible_pairs_are_not_offered_and_what_is_offered_was_tried(folder: Path) -> None:
    """Two buckets never meet; a slice and its opposite, and a combination and its part, settle each other."""
    project = md.load_project(REVIEWS)
    slices = (*project.slices, md.Not("long", of=("short",)), md.Any("chatty", of=("short", "slang")))
    path = folder / "project.toml"
    md.save_project(replace(project, slices=slices), path)
    app = open_app(path, SLICES, LINKS)
    offered = set(listed_pairs(app))
    assert "negation and slang" in offered
    assert "slang and long" in offered
    assert not {f"entropy_{i} and entropy_{j}" for i in range(1, 7) for j in range(1, 7)} & offered
    assert not {"short and long", "short and chatty", "slang and chatty"} & offered


def test_a_pair_whose_slice_is_gone_can_be_taken_away(folder: Path) -> None:
    """Fewer buckets leave a pair behind that gives no estimate; its switch is there all the same."""
    project = replace(md.load_project(REVIEWS), edges=(("slang", "entropy_9"),))
    path = folder / "project.toml"
    md.save_project(project, path)
    app = open_app(path, SLICES, LINKS)
    switch = pick(app.toggle, "slang and entropy_9")
    switch.set_value(False)
    run(app)
    assert current(app).edges == ()
    shown_equals_library(app)


@pytest.mark.parametrize("way", EDGE_CHOICES)
def test_pairs_are_chosen_and_stay_when_taken_back_by_hand(way: str) -> None:
    app = open_app(page=SLICES, view=LINKS)
    pick(app.segmented_control, WAYS).set_value(way)
    run(app)
    assert current(app).edges == way
    shown_equals_library(app)
    chosen = md.estimate(current(app)).first.edges
    assert sum(listed_pairs(app).values()) == len(chosen)
    assert all(toggle.disabled for toggle in app.toggle if " and " in toggle.label)
    pick(app.segmented_control, WAYS).set_value("hand")
    run(app)
    assert current(app).edges == chosen


def test_each_pair_says_who_would_choose_it_and_how_many_ties_is_a_number() -> None:
    app = open_app(page=SLICES, view=LINKS)
    pick(app.segmented_control, WAYS).set_value("inverse-covariance")
    run(app)
    pick(app.number_input, "Number of pairs").set_value(2)
    run(app)
    assert current(app).edges == "inverse-covariance:2"
    assert sum(listed_pairs(app).values()) == 2
    shown_equals_library(app)
    assert said(app).count("Chosen by strongest ties") + said(app).count("and by strongest ties") >= 2


def test_the_denoised_estimator_is_a_switch() -> None:
    app = open_app(page=SLICES, view=RELIABILITY)
    pick(app.segmented_control, "Estimator for noisy slices").set_value("denoised")
    run(app)
    assert current(app).estimator.name == "denoised"
    shown_equals_library(app)
