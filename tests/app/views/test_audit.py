"""Evidence for corrections in the app: audits row by row, a second rule, published numbers; the library's numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import mandoline_core as md
from tests.app.pages import choose, current, labels, offered, open_app, press, run, said
from tests.app.views.test_reliability import RELIABILITY, SLICES, write_audited
from tests.app.views.test_workbench import pick, shown_equals_library


def answers(app: AppTest, name: str) -> md.SliceAudit | None:
    """Return what is saved of an audit."""
    return next(rule.audit for rule in current(app).slices if rule.name == name)


def test_rows_are_answered_taken_back_and_used(folder: Path) -> None:
    """Each answer is saved at once; the matrix and the estimate come when both sides of the slice have some."""
    app = open_app(write_audited(folder), SLICES, RELIABILITY)
    press(app, "Audit rows")
    assert "In slice" in labels(app)
    for number in range(16):
        press(app, "Skip" if number == 7 else "In slice" if number % 4 in (0, 2) else "Not in slice")
    audit = answers(app, "dark")
    assert audit is not None
    assert (len(audit.source), len(audit.target)) == (8, 7)
    assert audit.columns == ("dark", "size")
    press(app, "Undo last")
    audit = answers(app, "dark")
    assert audit is not None
    assert (len(audit.source), len(audit.target)) == (8, 6)
    assert "With these answers the estimate is" in said(app)
    press(app, "Use audit")
    (rule, _) = current(app).slices
    assert rule.noise == md.Noise(measured=True, target_measured=True)
    assert "In slice" not in labels(app)
    assert "Measured on 8 labelled rows." in said(app)
    assert offered(app, "Audit rows") == "Audit rows (14 done)"
    shown_equals_library(app)


def test_answers_survive_edits_of_slices_and_a_new_visit(folder: Path) -> None:
    app = open_app(write_audited(folder), SLICES, RELIABILITY)
    press(app, "Audit rows")
    for _ in range(6):
        press(app, "In slice")
    kept = answers(app, "dark")
    choose(app, "large")
    pick(app.segmented_control, "Reliability of large").set_value("rough")
    run(app)
    assert answers(app, "dark") == kept
    again = AppTest.from_file(str(Path(app._script_path)), default_timeout=60)
    again.switch_page(SLICES)
    again.session_state["kept:chosen_view"] = RELIABILITY
    again.query_params["project"] = app.query_params["project"]
    run(again)
    assert offered(again, "Audit rows") == "Audit rows (6 done)"
    press(again, offered(again, "Audit rows"))
    press(again, "Not in slice")
    assert len(answers(again, "dark").source.asked) + len(answers(again, "dark").target.asked) == 7


def test_precision_and_recall_from_elsewhere_become_corrections(folder: Path) -> None:
    """Or are refused in a sentence where the slice fires too often for them."""
    app = open_app(write_audited(folder), SLICES, RELIABILITY)
    pick(app.number_input, "Precision, in percent").set_value(80.0)
    pick(app.number_input, "Recall, in percent").set_value(5.0)
    run(app)
    assert "are impossible for a" in said(app)
    assert "Use these numbers" not in labels(app)
    pick(app.number_input, "Recall, in percent").set_value(75.0)
    run(app)
    press(app, "Use these numbers")
    (rule, _) = current(app).slices
    inside = md.estimate(current(app)).first.cells.count.patterns.rates("source")[0]
    rate = inside[2] / (inside[0] + inside[2])
    expected = md.published_correction(0.8, 0.75, rate)
    assert rule.noise.source.inside == 0.8
    assert rule.noise.source.outside == pytest.approx(expected.outside, abs=1e-4)
    shown_equals_library(app)


def test_a_second_rule_is_taken_for_the_truth(folder: Path) -> None:
    app = open_app(write_audited(folder), SLICES, RELIABILITY)
    pick(app.selectbox, "A more reliable rule for the same property").set_value("large")
    run(app)
    assert "On 900 labelled rows, large matches" in said(app)
    press(app, "Use this rule")
    (rule, _) = current(app).slices
    assert rule.noise.source is not None
    assert rule.noise.target is not None
    shown_equals_library(app)


def test_what_denoised_assumes_is_tested_beside_the_choice(folder: Path) -> None:
    path = write_audited(folder)
    app = open_app(path, SLICES, RELIABILITY)
    assert "What Denoised assumes" not in said(app)
    path.write_text(path.read_text().replace('name = "dark"', 'name = "dark"\ngold = "truly"'))
    app = open_app(path, SLICES, RELIABILITY)
    assert "Test of the assumption behind Denoised. dark: holds on" in said(app)
