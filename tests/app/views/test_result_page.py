"""The Result page: the number and what stands behind it, findings with buttons, no dead ends."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.compute.jobs import jobs
from app.project import edits, remedies
from mandoline_core import Any, dump_project, estimate, load_project
from mandoline_core.checks import ModelReport, second_opinion_on
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_ends, show_interval
from mandoline_core.report.charts import SAMPLING
from tests.app import pages
from tests.app.pages import MAIN, current, labels, look_at, numbers, open_app, press, project_id, run, said
from tests.core.checks.test_second_opinion import write_hidden
from tests.core.projects import DIGITS, LONG, NEGATION, REVIEWS, WEB, small_frames, write_project

EFFECTS, ABLATION, WEIGHTS, BALANCE, MODELS = "Effects", "Ablation", "Weights", "Balance", "Models"


def test_only_what_is_looked_at_is_drawn(folder: Path) -> None:
    """The strip and the waterfall come first; what lies behind the other tabs waits until someone turns to it."""
    app = look_at(open_app(), EFFECTS)
    at_first = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart")]
    look_at(app, ABLATION)
    later = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in app.get("plotly_chart")]
    assert len(at_first) == 2
    assert len(later) == 3
    assert set(at_first) & set(later) == {at_first[0]}


def test_the_first_page_is_the_estimate_of_the_reviews_sample(folder: Path) -> None:
    app = open_app()
    report = estimate(load_project(REVIEWS)).first
    assert app.title[0].value == "Result"
    assert f"#### On the new data this model is probably right **{report.estimate:.1%}** of the time" in said(app)
    assert f"On your labelled data it was {report.source:.1%}." in said(app)


def test_a_number_that_is_not_to_be_trusted_is_nowhere_large(folder: Path) -> None:
    """What stands in the way is the heading, the way on follows, and the number is in small print alone."""
    path = write_project(folder, {"slices": [LONG]})
    report = estimate(load_project(path)).first
    assert report.verdict is not None
    assert report.verdict.level == "red"
    app = open_app(path)
    number = show_interval(report.estimate, report.interval, share=True)
    (heading,) = [text.value.replace("\\", "") for text in app.main.markdown if text.value.startswith("####")]
    assert heading.endswith(f"] {report.verdict.message}")
    assert [number in text.value.replace("\\", "") for text in app.caption].count(True) == 1
    shown = [*app.main.markdown, *app.title, *app.subheader, *app.error, *app.warning, *app.metric]
    assert not any(f"{report.estimate:.1%}" in str(text.value).replace("\\", "") for text in shown)
    assert report.findings[0].remedy in said(app)


def test_the_models_own_confidence_is_asked_for_a_second_opinion(folder: Path) -> None:
    """In small print where slices explain the change; in a box where they do not, and the number stays."""
    opinion = second_opinion_on(estimate(load_project(REVIEWS)).first)
    assert opinion is not None
    assert opinion.message in [text.value.replace("\\", "") for text in open_app().caption]
    path = write_hidden(folder)
    report = estimate(load_project(path)).first
    opinion = second_opinion_on(report)
    assert opinion is not None
    app = open_app(path)
    (box,) = [one.value.replace("\\", "") for one in app.info if "covers them all" in one.value]
    assert box == opinion.message
    assert box.startswith("Second opinion: Doubly robust gives ")
    assert show_interval(report.estimate, report.interval, share=True) in said(app)


def test_the_weights_say_how_many_rows_the_number_rests_on(folder: Path) -> None:
    assert "effective rows out of 6,000" in said(look_at(open_app(), WEIGHTS))


def test_the_tour_stays_away_once_closed(folder: Path) -> None:
    app = open_app()
    assert "1 of 6: Read the number" in said(app)
    press(app, "Close the tour")
    assert "Read the number" not in said(app)
    again = AppTest.from_file(str(MAIN), default_timeout=60)
    again.query_params["project"] = project_id(app)
    assert "Read the number" not in said(run(again))


def test_the_truth_shows_only_after_it_was_asked_for(folder: Path) -> None:
    app = open_app()
    assert numbers(app)["New data, true value"] == "?"
    assert "The true value is" not in said(app)
    press(app, "Reveal truth")
    truth = estimate(load_project(REVIEWS), reveal=True).truth
    assert numbers(app)["New data, true value"] == f"{truth:.1%}"
    assert "The true value is" in said(app)
    press(app, "Hide truth")
    assert numbers(app)["New data, true value"] == "?"


def test_without_labels_there_is_no_truth_to_reveal(folder: Path) -> None:
    path = write_project(folder, {"target": {"path": "target.csv"}})
    app = open_app(path)
    assert numbers(app)["New data, true value"] == "not known"
    assert "Reveal truth" not in labels(app)


def test_what_each_slice_did_is_said_in_words(folder: Path) -> None:
    text = said(look_at(open_app(), EFFECTS))
    assert "Slices move the score by -9.0 points (-11.0 to -7.0), from 88.4% to 79.4%: short -3.0, entropy -2.9" in text


def test_effective_rows_are_whole_and_written_with_separators(folder: Path) -> None:
    (table,) = [frame for frame in look_at(open_app(), MODELS).dataframe if "effective rows" in frame.value.columns]
    shown = table.value.set_index("model")["effective rows"]
    exact = {name: report.effective_sample_size for name, report in estimate(load_project(REVIEWS)).models.items()}
    assert shown.to_dict() == {name: round(rows) for name, rows in exact.items()}
    assert json.loads(table.proto.columns)["effective rows"]["type_config"]["format"] == "localized"


@pytest.mark.parametrize("order", ["largest shift first", "largest effect first", "my own"])
def test_slices_can_be_reordered(folder: Path, order: str) -> None:
    app = look_at(open_app(), ABLATION)
    app.segmented_control(key="order_how").set_value(order)
    run(app)
    assert app.segmented_control(key="order_how").value == order


def test_an_order_of_ones_own_survives_a_change_of_page(folder: Path) -> None:
    app = look_at(open_app(), ABLATION)
    app.segmented_control(key="order_how").set_value("my own")
    run(app).multiselect(key="order").set_value(["slang", "short", "negation"])
    run(app)
    app.switch_page("views/data/data.py")
    run(app).switch_page("views/result/result.py")
    assert look_at(app, ABLATION).multiselect(key="order").value == ["slang", "short", "negation"]


def test_no_slices_in_the_order_is_said_and_not_an_error(folder: Path) -> None:
    app = look_at(open_app(), ABLATION)
    app.segmented_control(key="order_how").set_value("my own")
    run(app).multiselect(key="order").set_value([])
    assert "Choose at least one slice" in said(run(app))


def test_log_counts_can_be_switched_on(folder: Path) -> None:
    app = look_at(open_app(), WEIGHTS)
    app.toggle(key="log_counts").set_value(True)
    assert run(app).toggle(key="log_counts").value


def test_a_project_without_slices_leads_on(folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": None}))
    assert "There are no slices" in said(app)
    assert not app.metric


def test_a_broken_slice_is_one_sentence_and_no_crash(folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": [{**LONG, "column": "n_wrods"}]}))
    assert "Did you mean 'n_words'?" in said(app)


def test_names_cannot_smuggle_markup_in(folder: Path) -> None:
    path = write_project(folder, {"name": "<b>$x$", "slices": [{**NEGATION, "name": "*l* [a](b)"}, LONG]})
    app = look_at(open_app(path), EFFECTS)
    texts = [element.value for element in (*app.markdown, *app.caption)]
    assert any(r"\*l\* \[a\](b)" in text for text in texts)


def test_a_tiny_slice_can_be_switched_off_and_undo_brings_it_back(folder: Path) -> None:
    tiny = {"name": "tiny", "kind": "range", "column": "n_words", "low": 33, "high": 33.5}
    app = open_app(write_project(folder, {"slices": [NEGATION, LONG, tiny]}))
    assert "Slice 'tiny' contains" in said(app)
    press(app, pages.offered(app, "Turn off tiny, "))
    assert not edits.find_slice(current(app), "tiny").enabled
    assert "Slice 'tiny' contains" not in said(app)
    press(app, "Undo")
    assert edits.find_slice(current(app), "tiny").enabled


def test_the_digits_sample_offers_the_other_estimator(folder: Path) -> None:
    app = open_app(DIGITS)
    offer = pages.offered(app, "Use the paper's weights, ")
    press(app, offer)
    assert current(app).estimator.name == "mandoline"
    promised = offer.rpartition(" ")[2]
    assert promised in said(app)
    assert pages.offered(app, "Use the denoised estimator, ")


def test_a_refusal_offers_to_set_rows_aside(folder: Path) -> None:
    changes = {
        "slices": [NEGATION, {"name": "never", "kind": "threshold", "column": "n_words", "above": 38}],
        "estimator": {"overlap": "strict"},
    }
    path = write_project(folder, changes)
    source = (folder / "source.csv").read_text().splitlines()
    (folder / "source.csv").write_text("\n".join(line for line in source if ",39," not in line) + "\n")
    app = open_app(path)
    assert app.error
    press(app, pages.offered(app, "Leave out new rows that match no labelled row, estimate "))
    assert current(app).estimator.overlap == "trim"
    assert "matches no labelled row and is left out" in said(app)


def test_edges_of_slices_that_are_off_rest(folder: Path) -> None:
    """An edge of a slice that is off is kept for later and does not stand in the way."""
    changes = {"slices": [{**NEGATION, "enabled": False}, LONG, WEB], "edges": [["negation", "long"]]}
    app = open_app(write_project(folder, changes))
    assert "Raw result:" in said(app)
    assert current(app).edges == (("negation", "long"),)


def test_tables_can_be_taken_away(folder: Path) -> None:
    app = open_app()
    assert len(app.get("download_button")) >= 4


PROJECT = load_project(REVIEWS)


@cache
def reviews_report() -> ModelReport:
    """Estimate the reviews sample, once."""
    return estimate(PROJECT).first


def offered(code: str, *slices: str, **changes: object) -> tuple[remedies.Remedy, ...]:
    """Return what is offered for a finding on the reviews sample."""
    finding = Finding("slices", code, "warning", "It is so.", slices=slices)
    return remedies.remedies(finding, reviews_report(), replace(PROJECT, **changes), {"slang": "short"})


def test_dropping_a_member_of_a_family_switches_the_family_off() -> None:
    (remedy,) = offered("constant_slice", "entropy_6")
    assert remedy.label == "Turn off entropy"
    assert not edits.find_slice(remedy.edit(PROJECT), "entropy").enabled


def test_a_tiny_slice_can_be_merged_with_the_one_most_like_it() -> None:
    drop, merge = offered("tiny_slice", "slang")
    assert (drop.label, merge.label) == ("Turn off slang", "Merge slang with short")
    merged = merge.edit(PROJECT)
    assert merged.slices[-1] == Any("slang or short", of=("slang", "short"))
    assert [rule.name for rule in merged.slices if rule.enabled] == ["negation", "entropy", "slang or short"]
    assert estimate(merged).estimate == pytest.approx(reviews_report().estimate, abs=0.1)


@pytest.mark.parametrize(
    ("code", "label", "field", "value"),
    [
        ("not_converged", "Add a ridge of 0.01", "ridge", 0.01),
        ("bootstrap_failures", "Use the influence-function interval", "interval", "influence"),
        ("noisy_slices", "Use the denoised estimator", "name", "denoised"),
    ],
)
def test_settings_that_remedy_a_finding(code: str, label: str, field: str, value: object) -> None:
    (remedy,) = offered(code)
    assert remedy.label == label
    assert getattr(remedy.edit(PROJECT).estimator, field) == value


def test_a_pair_that_stands_out_can_be_let_move_together() -> None:
    (remedy,) = offered("unmodelled_pair", "short", "slang", edges=())
    assert remedy.edit(PROJECT).edges == (("short", "slang"),)
    assert dump_project(remedy.edit(PROJECT))
    assert offered("unmodelled_pair", "short", "slang", edges="auto") == ()


def test_few_effective_rows_offer_the_slice_that_shifts_most_and_a_ridge() -> None:
    drop, ridge = offered("few_effective_rows")
    assert (drop.label, ridge.label) == ("Turn off short", "Add a ridge of 0.01")


def test_what_the_app_cannot_do_has_no_button() -> None:
    assert offered("few_target_rows") == ()


def test_an_identifier_is_not_among_the_columns_compared(folder: Path) -> None:
    """Numbered rows are as far off as the numbers are apart, and would hide everything else in the figure."""
    source, target, _ = small_frames()
    path = write_project(
        folder,
        source=source.assign(ticket_id=range(len(source))),
        target=target.assign(ticket_id=range(10**6, 10**6 + len(target))),
    )
    app = look_at(open_app(path), BALANCE)
    (figure,) = [chart.proto.spec for chart in app.get("plotly_chart") if "channel = " in chart.proto.spec]
    assert "ticket_id" not in figure
    assert "Not compared: ticket_id (an identifier: nearly every value is unique)." in said(app)


def test_what_a_finding_says_of_a_column_is_in_the_chart_below_it(folder: Path) -> None:
    """Findings and the chart are made of the same lines: the word that stands out is on top, slices are greyed."""
    worst, *_ = estimate(load_project(REVIEWS)).first.evidence.columns or ()
    assert worst.stands_out
    charts = look_at(open_app(), BALANCE).get("plotly_chart")
    (figure,) = [chart.proto.spec for chart in charts if "standardised shift" in chart.proto.spec]
    first, *others = json.loads(figure)["data"][1]["hovertext"]
    assert worst.name == "text contains dollars"
    assert first.startswith("<b>text: dollars</b>")
    assert any(line.endswith("weighting makes it match") for line in others)


def test_the_quoted_interval_allows_for_other_plausible_slices(folder: Path) -> None:
    """The search starts in the background; then the number, the band and the sentence are those of the library."""
    path, before = write_project(folder, {"slices": [LONG], "edges": None}), set(jobs().values())
    app = open_app(path)
    for started in set(jobs().values()) - before:
        started.wait(60)
    whole = estimate(load_project(path))
    model, found = whole.first, whole.spreads["lr"]
    assert found.moved > 0
    text = said(run(app)).replace("\\", "")
    assert (found.finding.message if found.finding else found.sentence) in text
    assert show_ends(model.interval, share=True) in text
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    (band,) = [trace for figure in figures for trace in figure["data"] if trace.get("name") == SAMPLING]
    assert band["x"] == pytest.approx(list(model.sampling_interval))
