"""A visitor compares methods: each as soon as it answers, slow ones on request, and a stop that is a stop."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.browser.conftest import Arrive
from tests.browser.inspection import Looker
from tests.browser.server import Server
from tests.browser.test_hostile_text import link_to, some_payloads
from tests.browser.visitor import POLLING, Visitor
from tests.core.projects import REVIEWS, write_project

METHODS = "The estimate of every method, with its interval"
SLOW = ["cbiw_features", "ulsif_features", "kmm_features"]
RUN = re.compile(r"Run the methods on columns \(.*\)")
AGREE = re.compile(r"Methods with the same assumption (agree within|disagree by)")
RUNNING = re.compile(r": .*\d+ s$")  # the line of a job: its name, how far it is, and for how long


@pytest.fixture(scope="module")
def report() -> md.Report:
    return md.estimate(md.load_project(REVIEWS))


@pytest.fixture
def comparer(arrive: Arrive, server: Server) -> Visitor:
    """Open the page on the reviews sample, and wait until the quick methods have answered."""
    host = arrive(server.link_to(REVIEWS, "compare"))
    host.figure(METHODS)
    expect(host.main.get_by_text(AGREE)).to_be_visible()
    host.settle()
    return host


def run_slow_methods(host: Visitor) -> None:
    """Run the methods on columns to their end: each joins the figure."""
    host.page.get_by_role("button", name=RUN).click()
    host.page.wait_for_function(
        """([alt, names]) => {
            const plot = document.querySelector(`[role=figure][aria-label="${alt}"] .js-plotly-plot`);
            return names.every(name => plot?.data?.some(trace => trace.name === name));
        }""",
        arg=[METHODS, SLOW],
        polling=POLLING,
    )
    expect(host.main.get_by_text(RUNNING)).to_have_count(0)
    host.settle()


def test_the_page_says_at_once_how_far_methods_agree(comparer: Visitor, report: md.Report) -> None:
    """Words first; then the project's own method with the number of the Result page, for the model in the sidebar."""
    expect(comparer.main.get_by_text(AGREE)).to_be_visible()
    comparer.expect_trace(METHODS, "mandoline", {"x": [report.estimate]})
    comparer.expect_trace(METHODS, "source", {"x": [report.source]})
    comparer.expect_trace(METHODS, "labelled data", {"x": [report.source, report.source]})
    comparer.choose("Model", "nb")
    comparer.expect_trace(METHODS, "mandoline", {"x": [report.models["nb"].estimate]})
    measured = show_value(report.models["nb"].source, share=True)
    expect(comparer.main.get_by_text(f"labelled data: {measured}")).to_be_visible()


def test_answers_appear_before_the_last_has_come_and_stop_stops(arrive: Arrive, server: Server, folder: Path) -> None:
    """One quick method is made to take minutes: the others do not wait for it, nor does a person."""
    path = write_project(folder, {"methods": {"redraws": 10_000}})
    host = arrive(server.link_to(path, "compare"))
    heading = host.main.get_by_role("tabpanel").get_by_role("heading", level=4)
    running = r"\d+ methods are done\. Running: Kernel mean matching on slices \(KMM\)\."
    expect(heading).to_have_text(re.compile(running))
    host.expect_trace(METHODS, "mandoline", {"x": [md.estimate(md.load_project(path)).estimate]})
    host.main.get_by_role("button", name="Cancel", exact=True).click()
    expect(host.main.get_by_text("Cancelled. Finished steps are kept.")).to_be_visible()
    expect(host.button("Resume")).to_be_visible()
    host.turn("Models")
    expect(host.main.get_by_text("Ranking waits for")).to_be_visible()


@pytest.mark.long
def test_slow_methods_run_on_request_and_appear(arrive: Arrive, server: Server, folder: Path) -> None:
    """Each joins the figure; the button goes when there is nothing left to run."""
    host = arrive(server.link_to(write_project(folder, {"methods": {"redraws": 10}}), "compare"))
    assert "cbiw_features" not in {trace["name"] for trace in host.figure(METHODS)}
    run_slow_methods(host)
    expect(host.page.get_by_role("button", name=RUN)).to_have_count(0)
    expect(host.main.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)


def test_stop_stops_at_once(comparer: Visitor) -> None:
    """On the sample the slowest methods take minutes; a person need not wait for them."""
    comparer.page.get_by_role("button", name=RUN).click()
    expect(comparer.main.get_by_text(RUNNING)).to_be_visible()
    comparer.main.get_by_role("button", name="Cancel", exact=True).click()
    expect(comparer.main.get_by_text("Cancelled. Finished steps are kept.")).to_be_visible()
    expect(comparer.page.get_by_role("button", name=RUN)).to_be_visible()
    expect(comparer.main.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)


def test_a_method_is_taken_for_the_estimate(comparer: Visitor) -> None:
    """The headline shows the number of the method that was picked; undo brings the other back."""
    # Scrolling pushes the open list away: have it behind us.
    comparer.page.get_by_role("combobox", name="Method", exact=True).scroll_into_view_if_needed()
    comparer.choose("Method", "Post-stratification on slices (Simple)")
    comparer.button("Use this method").click()
    expect(comparer.main.get_by_text("In use.")).to_be_visible()
    comparer.settle()
    simple = next(trace for trace in comparer.figure(METHODS) if trace["name"] == "simple")["x"][0]
    expect(comparer.main.get_by_role("heading", level=4).first).to_contain_text(show_value(simple, share=True))


@pytest.mark.long
def test_hostile_names_are_shown_as_they_are_written(arrive: Arrive, server: Server, folder: Path) -> None:
    """Columns, models and what passes by while methods run: nothing becomes markup, and each name can be read."""
    payloads = some_payloads()
    host = arrive(link_to(server, folder, payloads, "compare"))
    run_slow_methods(host)
    looker = Looker(host, payloads)
    looker.unfold()
    looker.look("Compare")
    seen = host.page.locator("body").inner_text()
    assert any(one.word in seen for one in payloads)
    assert looker.wrong == {}
