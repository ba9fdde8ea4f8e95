"""A visitor asks how far to believe the number: the loudest doubt is open, every other answer one click away."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

import mandoline_core as md
from app.views.result.checks import QUESTIONS
from mandoline_core.checks.sensitivity import sensitivity_bounds
from mandoline_core.checks.trimming import caps, trim
from mandoline_core.formatting import show_interval, show_times, show_value
from tests.browser.conftest import Arrive
from tests.browser.inspection import Looker
from tests.browser.server import Server
from tests.browser.test_hostile_text import link_to, some_payloads
from tests.browser.visitor import Visitor
from tests.core.projects import DIGITS, LONG, REVIEWS, small_frames, write_project

CAP = "Maximum weight"
GAMMA = "Strength of the hidden change"
HIDDEN = "Where the truth could be, by the strength of a hidden change"
TRIMMING = "The estimate with its interval against the maximum weight"
ERRORS = "Error of every method where the truth is known"
RUN = "Run backtest"
# The size of the type of everything that shows a text.
SIZES = """(main, text) => [...main.querySelectorAll("*")]
    .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.includes(text)))
    .map(one => parseFloat(getComputedStyle(one).fontSize))"""


@pytest.fixture(scope="module")
def report() -> md.ModelReport:
    return md.estimate(md.load_project(REVIEWS)).first


@pytest.fixture
def doubter(arrive: Arrive, server: Server) -> Visitor:
    """Open the page on the reviews sample."""
    return arrive(server.link_to(REVIEWS, "trust"))


def ask(host: Visitor, question: str) -> Visitor:
    """Open the answer to a question, or close it."""
    host.main.get_by_text(QUESTIONS[question], exact=True).click()
    host.settle()
    return host


def test_the_verdict_is_said_wherever_a_person_looks(visitor: Visitor, report: md.ModelReport) -> None:
    """Once at the top of the result, and with every check below it."""
    assert report.verdict is not None
    first = report.verdict.message.partition(":")[0]
    expect(visitor.main.get_by_text(first, exact=False).first).to_be_visible()
    for check in report.verdict.checks:
        expect(visitor.main.get_by_role("button", name=check.question)).to_be_visible()


def test_the_loudest_doubt_is_open_and_the_rest_is_one_click_away(arrive: Arrive, server: Server) -> None:
    """A check's line opens its evidence; with everything closed the number and three findings take two screens."""
    evidence = "How often each class is predicted: labelled, reweighted and new rows"
    host = arrive(server.link_to(DIGITS, "trust"))
    expect(host.page.get_by_role("figure", name=evidence)).to_be_visible()
    ask(host, "meaning")
    expect(host.page.get_by_role("figure")).to_have_count(1)  # the estimate's
    host.page.set_viewport_size({"width": 1280, "height": 900})
    host.settle()
    assert host.page.get_by_test_id("stMain").evaluate("main => main.scrollHeight") <= 2 * 900
    host.main.get_by_role("button", name="Are there enough effective rows?").click()
    expect(host.page.get_by_role("figure", name=TRIMMING)).to_be_visible()
    expect(host.page.get_by_role("figure", name=evidence)).to_have_count(0)


def test_a_number_that_is_not_to_be_trusted_is_nowhere_large(arrive: Arrive, server: Server, folder: Path) -> None:
    """What stands in the way is the heading; whatever shows the number is no larger than plain text."""
    path = write_project(folder, {"slices": [LONG]})
    found = md.estimate(md.load_project(path)).first
    host = arrive(server.link_to(path))
    host.go("Result")
    heading = host.main.get_by_role("heading", level=4)
    expect(heading).to_contain_text("Do not quote yet: 1 check failed. 'text = ")
    sizes = host.main.evaluate(SIZES, f"{found.estimate:.1%}")
    assert sizes
    assert max(sizes) <= 16


def test_a_hidden_change_moves_the_bounds_live(doubter: Visitor, report: md.ModelReport) -> None:
    """The keyboard moves the slider; words and figure follow with the library's numbers."""
    ask(doubter, "hidden")
    gamma = round(doubter.nudge(GAMMA, "ArrowRight", 5), 2)
    low, high = sensitivity_bounds(report, gamma)
    said = f"A hidden change of up to {show_times(gamma)} puts the true value between {show_value(low, share=True)} and"
    expect(doubter.main.get_by_text(said)).to_be_visible()
    doubter.expect_trace(HIDDEN, "chosen", {"x": [gamma, gamma], "y": [low, high]})


def test_a_cap_shows_before_and_after_live(doubter: Visitor, report: md.ModelReport) -> None:
    """One step to the left caps the weights; the number without a cap stays on the page."""
    doubter.turn("Weights")
    doubter.nudge(CAP, "ArrowLeft", 2)
    cap = caps(report)[-3]
    found = trim(report, cap)
    said = doubter.main.get_by_role("paragraph").filter(has_text=f"Cap at {show_times(cap)}:")
    expect(said).to_contain_text(show_interval(report.estimate, trim(report, float("inf")).interval, share=True))
    expect(said).to_contain_text(show_interval(found.estimate, found.interval, share=True))
    doubter.expect_trace(TRIMMING, "estimate", {"y": [trim(report, one).estimate for one in caps(report)]})


def test_a_backtest_can_be_stopped(doubter: Visitor) -> None:
    """It says how far it is, and stops when told to."""
    ask(doubter, "backtest").button(RUN).click()
    expect(doubter.main.get_by_text(re.compile(r": .*\d s$"))).to_be_visible()
    doubter.main.get_by_role("button", name="Cancel", exact=True).click()
    expect(doubter.main.get_by_text("Cancelled.", exact=True)).to_be_visible()
    expect(doubter.button(RUN)).to_be_visible()


@pytest.mark.long
def test_a_backtest_runs_to_its_end_and_says_what_it_proves(arrive: Arrive, server: Server, folder: Path) -> None:
    """Errors by method appear by themselves, with what they do not prove."""
    host = arrive(server.link_to(write_project(folder), "trust"))
    ask(host, "backtest").button(RUN).click()
    expect(host.main.get_by_text("It cannot show shifts that the labelled data do not contain")).to_be_visible()
    assert {"slices", "held-out slice"} <= {trace["name"] for trace in host.figure(ERRORS)}


def test_rows_to_label_are_taken_away_and_brought_back(arrive: Arrive, server: Server, folder: Path) -> None:
    """The plan is a CSV; with its label column filled in it comes back, and the labels stand beside the estimate."""
    host = arrive(server.link_to(write_project(folder, {"target": {"path": "target.csv"}}), "trust"))
    host.turn("Label a few")
    with host.page.expect_download() as found:
        host.button("Download 60 rows to label").click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    plan, (_, _, truth) = pd.read_csv(path), small_frames()
    contents = ["text", "n_words", "channel", "prediction_checksum", "label"]
    assert list(plan.columns) == ["row", "in_slices", "weight", "reason", *contents]
    assert len(plan) == 60
    plan["label"] = truth["label"].to_numpy()[plan["row"] - 1]
    plan.to_csv(path, index=False)
    host.main.get_by_text("Upload labels").click()
    host.upload("Plan with labels (CSV)", path)
    expect(host.main.get_by_text("60 of 300 new rows have a label.")).to_be_visible()
    expect(host.main.get_by_text("60 labels of new rows alone give")).to_be_visible()
    host.settle()
    host.button("Undo").click()
    expect(host.main.get_by_text("No new row has a label yet.")).to_be_visible()


@pytest.mark.long
def test_hostile_names_are_shown_as_they_are_written(arrive: Arrive, server: Server, folder: Path) -> None:
    """Names of columns, slices and classes pass through every section as text."""
    payloads = some_payloads()
    host = arrive(link_to(server, folder, payloads, "trust"))
    for question in QUESTIONS:
        if not host.main.get_by_test_id("stExpander").filter(has_text=QUESTIONS[question]).locator("[open]").count():
            ask(host, question)
    looker = Looker(host, payloads)
    looker.unfold()
    looker.look("Trust")
    seen = host.page.locator("body").inner_text()
    assert any(one.word in seen for one in payloads)
    assert looker.wrong == {}
