"""The gallery in a real browser: kept numbers at once, another experiment by a click, a run of one's own, a project."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mandoline_core.paper import EXPERIMENTS
from tests.browser.visitor import Visitor


@pytest.mark.long
def test_a_reader_of_the_paper_looks_runs_and_opens(visitor: Visitor) -> None:
    visitor.go("Projects")
    visitor.main.get_by_text("Examples from the paper", exact=True).click()
    page = visitor.page
    first, other = EXPERIMENTS["support-shift"], EXPERIMENTS["independent-slices"]
    expect(page.get_by_role("heading", name=first.title)).to_be_visible()
    expect(page.get_by_text("in a full run with")).to_be_visible()
    for experiment in (EXPERIMENTS["theorem"], other):
        page.get_by_role("radio", name=experiment.name, exact=True).click()
        expect(page.get_by_role("heading", name=experiment.title)).to_be_visible()
        visitor.settle()
    alt = f"{other.figures[0].title}. The numbers are in the table below."
    assert {trace["name"] for trace in visitor.figure(alt)} >= {"simple", "mandoline", "mandoline, the paper"}
    visitor.button("Run again").click()
    expect(page.get_by_text("in a quick run with 2 seeds")).to_be_visible()
    page.get_by_role("radio", name=first.name, exact=True).click()
    expect(page.get_by_role("heading", name=first.title)).to_be_visible()
    visitor.settle()
    visitor.button("Open as a project").click()
    expect(page.get_by_role("heading", name="Result", level=1)).to_be_visible()
    expect(page.get_by_label("Project")).to_have_value("support-shift")
