"""The checks on the Result page: every check in a line, its evidence one click away; what does not apply says why."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app import compute
from app.compute.jobs import Job, jobs, results
from app.project import state
from app.project.label_files import write_labels
from app.views.result import checks as trusting
from app.words import trust as trust_words
from mandoline_core import (
    Check,
    MandolineError,
    Sample,
    Verdict,
    estimate,
    estimate_from_codes,
    load_project,
    read_table,
)
from mandoline_core.checks import CHECKS, Evidence, theorem_bound
from mandoline_core.checks.sensitivity import SliceStrength, crossing, sensitivity_bounds
from mandoline_core.checks.trimming import trim
from mandoline_core.data import match_labels
from mandoline_core.formatting import show_interval, show_times, show_value
from mandoline_core.report.words import evidence
from tests.app.pages import current, labels, look_at, offered, open_app, press, project_id, run, said
from tests.core.projects import DIGITS, LONG, NEGATION, run_json, small_frame, small_frames, write_project

PAGE = "views/result/result.py"
CAP, LABELS = "Maximum weight", "Label a few"
GAMMA = "Strength of the hidden change"
NOISY = {**NEGATION, "noise": {"source": {"inside": 0.9, "outside": 0.05}}}


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Forget what earlier tests found, and end what they started."""
    results.clear()
    jobs.clear()
    yield
    for left in jobs().values():
        left.stop()
        left.wait(30)


def open_page(path: Path | None = None, *names: str) -> AppTest:
    """Open the page and the answers to some questions, or to all."""
    app = open_app(path, PAGE)
    for name in names or trusting.QUESTIONS:
        app.session_state[f"open:{name}"] = True
    return run(app)


def open_tab(path: Path | None, tab: str) -> AppTest:
    """Open the page on a tab."""
    return open_app(path, PAGE, tab=tab)


def judge(monkeypatch: pytest.MonkeyPatch, verdict: Verdict) -> None:
    """Put a verdict in the place of the one that the checks come to."""
    made = compute.report
    monkeypatch.setattr(compute, "report", lambda workspace: replace(made(workspace), verdict=verdict))


def answered(app: AppTest) -> list[str]:
    """List the questions in their order, those that are open."""
    return [one.label for one in app.expander if one.proto.expanded and one.label in trusting.QUESTIONS.values()]


def slider(app: AppTest, label: str):
    return next(one for one in [*app.slider, *app.select_slider] if one.label == label)


def test_every_question_is_asked_on_the_sample_and_none_fails(folder: Path) -> None:
    """On the reviews sample every section has an answer."""
    app = open_page()
    assert sorted(answered(app)) == sorted(trusting.QUESTIONS.values())
    assert "No answer here" not in said(app)
    assert not app.error


def test_what_speaks_loudest_is_open_and_everything_else_one_click_away(folder: Path) -> None:
    """A check's line opens its evidence, right below the checks, also again after it was closed."""
    app = open_app(DIGITS, PAGE)
    assert answered(app) == [trusting.QUESTIONS["meaning"]]
    for key in ("open:unlike:1", "open:unlike:2"):
        press(
            app,
            next(label for label in labels(app) if label.endswith("Does every new row have labelled rows like it?")),
        )
        assert answered(app) == [trusting.QUESTIONS["unlike"], trusting.QUESTIONS["meaning"]]
        app.session_state[key] = False
        assert answered(run(app)) == [trusting.QUESTIONS["meaning"]]


def test_a_check_on_rows_leads_to_the_tab_of_weights(folder: Path) -> None:
    app = press(open_app(page=PAGE), ":green[:material/check: **passed**] &nbsp; Are there enough effective rows?")
    assert app.session_state["result_tab"] == "Weights"
    assert "effective rows out of 6,000" in said(app)


def test_every_check_leads_to_a_question_or_a_tab(folder: Path) -> None:
    tabs = {tab.label for tab in open_app(write_project(folder), PAGE).tabs}
    assert set(trusting.EVIDENCE) == {rule.name for rule in CHECKS}
    assert set(trusting.EVIDENCE.values()) < {*trusting.QUESTIONS, *tabs}
    assert set(trusting.ANSWERS) == set(trusting.QUESTIONS)
    assert list(trusting.QUESTIONS)[-1] == "theory"


def test_a_guarantee_that_is_too_wide_is_said_in_words_alone(folder: Path) -> None:
    """No bound of hundreds of points; where it says something, its number is there."""
    app = open_page(DIGITS, "theory")
    assert "The bound is too wide to be useful here" in said(app)
    assert not [one for one in app.slider if "Assumed" in one.label]
    codes = [[1], [-1]] * 4000
    report = estimate_from_codes(codes, [1.0, 0.0] * 4000, codes).first
    assert "within 4.7 points of the true value" in evidence.promise(theorem_bound(report), report, 0.05)
    assert not trust_words.is_of_use(theorem_bound(report, unknown=1.0), report)


def test_the_verdict_comes_first_with_every_check_in_words(folder: Path) -> None:
    """Each check has its state, those that did not pass come first."""
    path = write_project(folder)
    verdict = estimate(load_project(path)).first.verdict
    assert verdict is not None
    shown = [label for label in labels(open_app(path, PAGE)) if "&nbsp;" in label]
    in_order = [*verdict.loudest_first, *(check for check in verdict.checks if check.state == "passed")]
    assert [label.partition("**")[2] for label in shown] == [
        f"{trust_words.STATES[check.state].word}**] &nbsp; {check.question}" for check in in_order
    ]


@pytest.mark.parametrize("level", ["green", "amber", "red"])
def test_the_page_says_the_verdict_once(folder: Path, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """An icon and words at the top; red is in the heading."""
    check = Check("fit", "Fitted?", "not run", "no")
    judge(monkeypatch, Verdict(level, "so *is* it.", (check,), "it is **so**.", "It is *not*."))
    app = open_app(write_project(folder), "views/result/result.py")
    light = trust_words.LIGHTS[level]
    badge = f":{light.colour}-badge[{light.icon} {light.word}]"
    assert [str(one.value) for one in app.markdown].count(badge) == (level != "red")
    text = said(app)
    assert ("if it is **so**." in text, "Do not quote yet: so *is* it." in text, "so *is* it." in text) == (
        level == "amber",
        level == "red",
        level != "amber",
    )


def test_a_failed_check_shows_what_was_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """State words and the finding, escaped; no check needs colour to be read."""
    states = {"fit": "passed", "rows": "doubtful", "pairs": "failed", "labels": "not run"}
    checks = tuple(Check(name, f"Is it {state_}?", state_, f"<b>{state_}</b>") for name, state_ in states.items())
    judge(monkeypatch, Verdict("red", "no.", checks))
    app = open_app(write_project(folder), PAGE)
    shown, text = "\n".join(labels(app)), said(app)
    for state_, word in (("doubtful", "in doubt"), ("failed", "failed"), ("not run", "not run")):
        assert f"**{word}**] &nbsp; Is it {state_}?" in shown
        assert f"<b>{state_}</b>" in text
    assert "<b>passed</b>" not in text
    assert answered(app) == []


def test_the_cap_shows_the_estimate_before_and_after(folder: Path) -> None:
    """Moving the slider trims; the number without a cap stays beside it, and the project is not touched."""
    path = write_project(folder)
    app = open_tab(path, "Weights")
    before = current(app)
    report = estimate(load_project(path)).first
    slider(app, CAP).set_value(1.0)
    text = said(run(app))
    found = trim(report, 1.0)
    assert f"Cap at 1x: {show_interval(report.estimate, trim(report, math.inf).interval, share=True)}" in text
    assert f"becomes {show_interval(found.estimate, found.interval, share=True)}" in text
    assert current(app) == before


def test_a_hidden_change_has_the_librarys_bounds(folder: Path) -> None:
    """The slider's words and the crossing are those of the library."""
    path = write_project(folder)
    app = open_page(path)
    report = estimate(load_project(path)).first
    slider(app, GAMMA).set_value(2.0)
    low, high = (show_value(end, share=True) for end in sensitivity_bounds(report, 2.0))
    assert f"between {low} and {high}" in said(run(app))
    threshold = next(one for one in app.number_input if "Decision threshold" in one.label)
    threshold.set_value(50.0)
    gamma = crossing(report, 0.5)
    assert gamma is not None
    assert f"To bring it below 50.0%, a hidden change must change weights by {show_times(gamma)}." in said(run(app))


def test_a_column_becomes_a_slice_with_one_click_and_undo_takes_it_back(folder: Path) -> None:
    """The suggestion is added to the project; undo removes it."""
    app = open_tab(None, "Balance")
    offer = offered(app, "Add: ")
    names = [rule.name for rule in current(app).slices]
    press(app, offer)
    assert [rule.name for rule in current(app).slices] == [*names, offer.removeprefix("Add: ").partition(",")[0]]
    assert offer not in labels(app)
    press(app, "Undo")
    assert [rule.name for rule in current(app).slices] == names


def test_slices_at_their_word_need_no_corrections(folder: Path) -> None:
    assert "All slices are exact" in said(open_page(write_project(folder)))


def test_noisy_slices_say_how_sure_one_must_be(folder: Path) -> None:
    """Only noisy slices are listed, each with what one point does."""
    text = said(open_page(write_project(folder, {"slices": [NOISY, LONG]}), "corrections"))
    assert "- **negation**: 1 point less reliable when the rule says no:" in text
    assert "- **long**:" not in text


def test_with_enough_rows_theory_lets_the_error_of_corrections_be_assumed(folder: Path) -> None:
    source = small_frame(6000, share_negated=0.2, share_long=0.3, seed=1)
    app = open_page(write_project(folder, {"slices": [NOISY, LONG]}, source=source), "theory")
    assert "of the true value, with probability 95%" in said(app)
    assumed = slider(app, "Assumed error of the corrections (%)")
    assert not assumed.disabled
    assumed.set_value(20.0)
    assert "The bound is too wide to be useful here." in said(run(app))


def test_where_the_estimate_is_no_weighted_mean_the_papers_weights_stand_in(folder: Path) -> None:
    """The digits sample uses the denoised estimator; capping and hidden changes speak of the paper's weights."""
    app = open_page(DIGITS)
    text = said(app)
    assert text.count("It uses Mandoline's weights on the same slices") == 2
    assert said(look_at(app, "Weights")).count("It uses Mandoline's weights on the same slices") == 1
    assert "No answer here" not in text


def test_a_ranking_metric_says_what_does_not_apply(folder: Path) -> None:
    """Sections that need means say why they have no answer; the others still answer."""
    app = open_page()
    state.store().save(
        project_id(app),
        {
            **state.store().head(project_id(app)).document,
            "toml": state.store()
            .head(project_id(app))
            .document["toml"]
            .replace('name = "accuracy"', 'name = "auroc"\npositive = "positive"'),
        },
        "rank",
    )
    text = said(run(app))
    assert sorted(answered(app)) == sorted(trusting.QUESTIONS.values())
    assert text.count("**Not available.**") >= 2
    weights = said(look_at(app, "Weights"))
    assert "**Not available.**" in weights
    assert "depends on all rows together" in weights
    assert "The model is overconfident in slice" in text


def test_without_slices_the_page_leads_on(folder: Path) -> None:
    """One sentence, and links to where it can be changed."""
    app = open_app(write_project(folder, {"slices": None}), PAGE)
    assert "There are no slices" in said(app)
    assert answered(app) == []


def test_one_failing_section_leaves_the_others_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A domain error stays in its own section, as text."""

    def fail(*_: object) -> None:
        raise MandolineError("It is **off**.")

    monkeypatch.setattr(Evidence, "pairs", property(fail))
    app = open_tab(write_project(folder), "Balance")
    assert "**Not available.** It is **off**." in said(app)
    look_at(app, "Checks")
    for name in trusting.QUESTIONS:
        app.session_state[f"open:{name}"] = True
    run(app)
    assert sorted(answered(app)) == sorted(trusting.QUESTIONS.values())


def test_the_backtest_runs_in_the_background_and_says_what_it_proves(folder: Path) -> None:
    """A button starts it; afterwards errors, coverage and limits are on the page."""
    app = open_page(write_project(folder))
    press(app, "Run backtest")
    run_of(app).wait(120)
    text = said(run(app))
    assert "Mandoline was off by" in text
    assert "It cannot show shifts that the labelled data do not contain" in text
    table = next(frame.value for frame in app.dataframe if "average error" in frame.value.columns)
    assert "Score on labelled data" in set(table["method"])


def test_the_number_of_shifts_stays_when_the_backtest_is_done(folder: Path) -> None:
    """What was asked for is what is shown: its choice is off the page while the backtest runs."""
    app = open_page(write_project(folder))
    app.segmented_control(key="draws").set_value(10)
    press(run(app), "Run backtest")
    run_of(app).wait(120)
    run(app)
    assert app.segmented_control(key="draws").value == 10
    assert "Run backtest" not in labels(app)
    assert "was off by" in said(app)


def test_the_number_of_shifts_can_be_changed_again_and_again(folder: Path) -> None:
    app = open_page(write_project(folder))
    for draws in (10, 100, 30, 10):
        app.segmented_control(key="draws").set_value(draws)
        assert run(app).segmented_control(key="draws").value == draws


def test_a_backtest_is_stopped_and_can_be_started_again(folder: Path) -> None:
    app = open_page()
    press(app, "Run backtest")
    assert "Backtest of lr" in "\n".join(str(one.text) for one in app.get("progress"))
    app.button(key="stop_backtest").click()
    found = run_of(run(app))
    assert found.stopped
    found.wait(30)
    text = said(run(app))
    assert "Cancelled." in text
    assert "Run backtest" in labels(app)


def test_an_edit_stops_a_backtest_that_nobody_needs(folder: Path) -> None:
    app = open_page()
    press(app, "Run backtest")
    press(app, offered(app, "Add: "))
    assert run_of(app).stopped


def run_of(app: AppTest) -> Job:
    """Return the backtest that belongs to the page's project."""
    found = jobs().get(("backtest", project_id(app)))
    assert found is not None
    return found


def gaps(folder: Path, n: int) -> Path:
    """Write a project whose labels file has labels for the first n new rows only."""
    path = write_project(folder)
    _, _, known = small_frames()
    known.loc[n:, "label"] = None
    known.to_csv(folder / "target_labels.csv", index=False)
    return path


def test_a_few_labels_stand_beside_the_estimate(folder: Path) -> None:
    """Labels only, the estimate and both together; the test in words."""
    text = said(open_tab(gaps(folder, 60), LABELS))
    assert "**60** of 300 new rows have a label." in text
    assert "60 labels of new rows alone give" in text
    assert "60 labels agree" in text or "than the slices explain" in text


def test_labels_that_a_plan_chose_give_the_command_lines_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan's weights travel in the file of labels: page, JSON and command line have the combined estimate."""
    path = write_project(folder, {"target": {"path": "target.csv"}})
    made = estimate(load_project(path))
    sheet, (_, _, known) = made.plan(60).to_frame(), small_frames()
    sheet["label"] = known["label"].to_numpy()[sheet["row"] - 1]
    expected = made.with_labels(sheet)
    sheet.drop(columns="probability").to_csv(folder / "plan.csv", index=False)
    table = Sample(read_table(folder / "plan.csv"))
    found = match_labels(table, made.asked.target, "label")
    written = write_labels(found.labels, "label", found.weights)
    path = write_project(folder)
    (folder / "target_labels.csv").write_bytes(written)
    app = open_app(path)
    shown = state._workspace(project_id(app), state.store().head(project_id(app)))
    given = json.loads(compute.estimate_json(shown))
    assert given["estimate"] == expected.estimate == run_json(capsys, "estimate", path)["estimate"]
    assert given["labelled"] == run_json(capsys, "estimate", path)["labelled"]
    assert f"{100 * expected.estimate:.1f}%" in said(app)


def test_too_few_labels_say_how_many_are_needed(folder: Path) -> None:
    text = said(open_tab(gaps(folder, 3), LABELS))
    assert "better 20 or more" in text
    assert "Rows to label" in "".join(one.label for one in open_tab(gaps(folder, 3), LABELS).number_input)


def test_full_labels_stay_aside(folder: Path) -> None:
    """Labels of all rows are the truth; the plan does not look at them."""
    text = said(open_tab(write_project(folder), LABELS))
    assert "All new rows have labels. The plan does not use them." in text
    assert "60 labels would show a hidden drop of" in text


def test_labels_brought_back_with_the_plan_are_used(folder: Path) -> None:
    """The downloaded plan, filled in, becomes the project's labels; what is wrong is said of that file."""
    app = open_tab(write_project(folder, {"target": {"path": "target.csv"}}), LABELS)
    assert "No new row has a label yet." in said(app)
    _, _, truth = small_frames()
    table = pd.read_csv(io.StringIO(compute.label_plan(workspace_of(app), 40).to_csv()))
    (uploader,) = app.get("file_uploader")
    uploader.set_value(("plan.csv", table.to_csv(index=False).encode(), "text/csv"))
    assert "Column 'label' of plan.csv is empty. Fill in the labels you have." in said(run(app))
    table["label"] = truth["label"].to_numpy()[table["row"] - 1]
    (uploader,) = app.get("file_uploader")
    uploader.set_value(("my plan.csv", table.to_csv(index=False).encode(), "text/csv"))
    assert "**40** of 300 new rows have a label." in said(run(app))
    path = current(app).target_labels
    assert path is not None
    brought = pd.read_csv(path)
    known = brought["label"]
    assert (known.dropna() == truth["label"][known.notna()]).all()
    assert brought["weight"].notna().equals(known.notna())


def test_labels_by_key_are_used_and_a_sheet_takes_their_place(folder: Path) -> None:
    """A project whose labels have a key is shown with them; what is brought back is in the order of rows."""
    _, target, truth = small_frames()
    keyed = target.assign(id=range(1000, 1300))
    keyed[["id"]].assign(label=truth["label"])[::-5].to_csv(folder / "answers.csv", index=False)
    named = {"path": "target.csv", "labels": "answers.csv", "key": "id"}
    app = open_tab(write_project(folder, {"target": named}, target=keyed), LABELS)
    assert "**60** of 300 new rows have a label." in said(app)
    table = pd.read_csv(io.StringIO(compute.label_plan(workspace_of(app), 40).to_csv()))
    assert list(table)[4] == "id"
    table["label"] = truth["label"].to_numpy()[table["row"] - 1]
    (uploader,) = app.get("file_uploader")
    uploader.set_value(("plan.csv", table.to_csv(index=False).encode(), "text/csv"))
    assert "**100** of 300 new rows have a label." in said(run(app))
    assert current(app).target_key is None
    known = pd.read_csv(current(app).target_labels)["label"]
    assert (known.dropna() == truth["label"][known.notna()]).all()


def workspace_of(app: AppTest) -> state.Workspace:
    """Return the workspace of an app that is open."""
    revision = state.store().head(project_id(app))
    project = current(app)
    return state.Workspace(
        project_id(app), project, revision.document["names"], project.models[0].name, revealed=False, revision=revision
    )


def test_a_missing_slice_is_measured_by_those_one_knows(folder: Path) -> None:
    """Weaker slices are named; the weakest that could be enough, too."""
    report = estimate(load_project(write_project(folder))).first
    strengths = [SliceStrength("a_b", 1.1, 1.1), SliceStrength("c", 3.0, 2.0), SliceStrength("d", math.inf, 2.0)]
    text = evidence.crossing(report, 0.1, 2.0, strengths)
    assert "more than leaving out a_b would." in text
    assert "One as strong as c (3x) is enough." in text
    assert evidence.crossing(report, 0.1, None, strengths).startswith("No hidden change")
    many = [SliceStrength(name, 1 + i / 10, 1.0) for i, name in enumerate("abcdef")]
    assert "more than leaving out f, e, d would." in evidence.crossing(report, 0.1, 2.0, many)
    idle = [SliceStrength("a", 1.0, 1.0)]
    assert "more than" not in evidence.crossing(report, 0.1, 2.0, idle)
    assert "the 8 strongest of 12 slices" in trust_words.strengths_caption(many * 2)
    assert "each slice" in trust_words.strengths_caption(many)


def test_what_checks_found_is_said_in_the_apps_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labelled and new data, as everywhere in the app; people's own names stay as they are."""
    words = "Slice 'the *source*' is off: 3 labelled rows, 5.0% of the new data."
    check = Check("fit", "Is it?", "failed", words)
    judge(monkeypatch, Verdict("red", words, (check,), doubts=words))
    text = said(open_app(write_project(folder), PAGE))
    assert text.count(words) == 2


def test_a_method_that_weights_nothing_is_not_said_to_weight(folder: Path) -> None:
    """Slices stay off and are drawn as such, rows all count once, and no slice is said to have an effect."""
    path = write_project(folder, {"estimator": {"name": "source"}})
    app = open_tab(path, "Weights")
    assert "The weights take few values, and none is extreme." in said(app)
    text = said(look_at(app, "Balance"))
    assert "Not every slice matches the new data" in text
    assert "Slices match the new data by construction" not in text
    text = said(look_at(app, "Effects"))
    assert "Attribution is not available for method 'source'. Choose 'mandoline' or 'denoised'." in text


def test_the_rows_to_label_are_listed_with_their_names_escaped(folder: Path) -> None:
    app = open_page(write_project(folder, {"slices": [{**NEGATION, "name": "a *b*"}, LONG]}))
    table = trust_words.plan_table(compute.label_plan(workspace_of(app), 40), most=3)
    assert list(table.columns) == ["in slices", "to label", "new rows", "labelled rows"]
    assert len(table) == 3
    assert not table["in slices"].str.contains(r"(?<!\\)\*").any()
    assert table["in slices"].str.contains("a ", regex=False).any()
