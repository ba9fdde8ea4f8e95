"""From the first steps of a newcomer to the story that a presenter tells."""

from __future__ import annotations

import re

from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.formatting import show_effect, show_value
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import Visitor
from tests.core.projects import REVIEWS


def test_the_tour_follows_from_page_to_page(visitor: Visitor) -> None:
    """It says that this is a sample, leads to the slices and back, and ends at the person's own data."""
    tour, heading = visitor.page.locator(".st-key-tour"), visitor.main.locator("h1")
    expect(tour).to_contain_text("Mandoline estimates how well a model does on new data without labels.")
    opened = {3: "When the rule says yes, how often is it right?", 4: "Reveal truth"}
    for step, page in enumerate(("Slices", "Slices", "Slices", "Result", "Projects"), start=1):
        visitor.button("Next").click()
        expect(heading).to_have_text(page)
        visitor.settle()
        if step in opened:
            expect(visitor.main.get_by_text(opened[step]).first).to_be_visible()
    expect(tour).to_contain_text("Use my data")
    expect(visitor.button("Next")).to_have_count(0)


def test_the_story_is_told_with_the_arrow_keys(arrive: Arrive, server: Server) -> None:
    """Labelled score, each slice, the estimate with its verdict, and the truth as a moment of its own; then back."""
    report = md.estimate(md.load_project(REVIEWS), reveal=True)
    effects, value = report.attribution().parts, report.source
    host = arrive(f"{server.url}/present")
    lead = host.page.locator(".slide h1")
    expect(host.page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(lead).to_contain_text(f"accuracy is {show_value(report.source, share=True)}")
    host.page.locator(".st-key-story_controls button").first.wait_for()  # it comes last, and the key with it
    host.settle()
    for part in effects:
        value += part.value
        host.page.keyboard.press("ArrowRight")
        expect(lead).to_have_text(f"{part.rule}: {show_effect(part.value, part.interval, share=True)}")
        host.settle()
        told = re.compile(re.escape(f"{part.rule} {show_value(value, share=True)}") + "$")
        expect(host.page.get_by_role("img")).to_have_attribute("alt", told)
    host.page.keyboard.press("PageDown")  # as a clicker does
    expect(lead).to_contain_text(f"probably right {show_value(report.estimate, share=True)} of the time")
    assert report.verdict is not None
    expect(host.page.locator(f".slide.{report.verdict.level}")).to_be_visible()
    truth = f"The true value is {show_value(report.truth or 0.0, share=True)}"
    expect(host.main).not_to_contain_text(truth)
    host.settle()
    host.page.keyboard.press("ArrowRight")
    expect(lead).to_contain_text(truth)
    host.settle()
    host.page.keyboard.press("ArrowLeft")
    expect(lead).to_contain_text("On the new data")
    host.settle()
    host.page.keyboard.press("Escape")
    expect(host.main.get_by_role("heading", name="Share", exact=True)).to_be_visible()
    host.settle()
    expect(host.main).not_to_contain_text(truth)  # telling it there does not reveal it here
