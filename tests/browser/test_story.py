"""From the first steps of a newcomer to the story that a presenter tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import Visitor
from tests.core.projects import DIGITS, LONG, NEGATION, REVIEWS, write_project


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


def test_the_story_is_told_with_keys_swipes_and_buttons(arrive: Arrive, server: Server) -> None:
    """It opens on the first slide, also the second time; a room sees the number with its verdict in words."""
    report = md.estimate(md.load_project(REVIEWS), reveal=True)
    assert report.truth is not None
    assert report.verdict is not None
    truth = f"The true value is {show_value(report.truth, share=True)}"
    host = arrive(f"{server.url}/present")
    page, keys = host.page, host.page.keyboard
    title, count, deck = page.locator(".deck h1"), page.locator(".deck .count"), page.locator(".deck")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(title).to_have_text("How well does lr do on 1,000 new rows without labels? First, on labelled rows:")
    expect(page.locator(".deck .hint")).to_be_visible()
    expect(page.get_by_role("button", name="Back")).to_have_attribute("aria-disabled", "true")
    last = int(count.inner_text().split()[-1])

    def at(number: int) -> None:
        expect(count).to_have_text(f"{number} of {last}")

    for key, number in {"ArrowRight": 2, "Space": 3, "PageDown": 4, "ArrowLeft": 3, "Shift+Space": 2}.items():
        keys.press(key)
        at(number)
    for key, number in {"End": last, "ArrowRight": last, "Home": 1, "PageUp": 1}.items():
        keys.press(key)
        at(number)
    for _ in range(40):  # faster than any server
        keys.press("ArrowRight")
    at(last)
    expect(title).to_contain_text(truth)
    keys.press("Home")
    expect(deck).not_to_contain_text(truth)

    page.get_by_role("button", name="Next").click()
    keys.press("Space")  # a click leaves the space bar to the slides
    at(3)
    estimate = page.locator(".deck h1", has_text=f"probably right {show_value(report.estimate, share=True)}")
    for _ in range(last):
        keys.press("ArrowRight")
        if estimate.count():
            break
    expect(page.locator(".deck svg")).to_contain_text(report.verdict.meaning)
    keys.press("f")
    page.wait_for_function("document.fullscreenElement?.classList.contains('deck')")
    keys.press("F")
    page.wait_for_function("!document.fullscreenElement")
    expect(page.locator(".deck .notes")).to_be_hidden()
    keys.press("n")
    expect(page.locator(".deck .notes")).to_contain_text("effective rows out of 6,000")
    page.evaluate(SWIPE, [300, 100])
    keys.press("Home")
    at(1)
    page.evaluate(SWIPE, [300, 100])
    at(2)
    page.evaluate(SWIPE, [100, 300])
    at(1)
    keys.press("ArrowRight")
    keys.press("Escape")
    expect(host.main.get_by_role("heading", name="Share", exact=True)).to_be_visible()
    host.settle()
    expect(host.main).not_to_contain_text(truth)  # telling it there does not reveal it here
    host.main.get_by_role("link", name="Present", exact=True).click()
    at(1)


SWIPE = """([from, to]) => {
    const deck = document.querySelector(".deck");
    const touch = x => new Touch({identifier: 1, target: deck, clientX: x, clientY: 200});
    deck.dispatchEvent(new TouchEvent("touchstart", {touches: [touch(from)], bubbles: true}));
    deck.dispatchEvent(new TouchEvent("touchend", {touches: [], changedTouches: [touch(to)], bubbles: true}));
}"""
# What leaves the stage or the window, and text that runs into other text.
WRONG = """() => {
    const found = [], svg = document.querySelector(".deck svg"), said = [];
    for (const one of svg.querySelectorAll("text, rect, line")) {
        const {x, y, width, height} = one.getBBox();
        if (x < 0 || y < 0 || x + width > 1600 || y + height > 900) found.push(`off stage: ${one.outerHTML}`);
        // Half of a line's height is room above and below its letters.
        if (one.tagName === "text") said.push([one, x, y + height / 4, x + width, y + 3 * height / 4]);
    }
    said.forEach(([one, left, top, right, bottom], i) => {
        for (const [other, l, t, r, b] of said.slice(i + 1))
            if (left < r && l < right && top < b && t < bottom)
                found.push(`${one.textContent} runs into ${other.textContent}`);
    });
    const {scrollWidth, scrollHeight} = document.documentElement;
    if (scrollWidth > innerWidth || scrollHeight > innerHeight) found.push(`scrolls: ${scrollWidth} x ${scrollHeight}`);
    for (const name of ["stage", "bar", "words"]) {
        const {left, top, right, bottom} = document.querySelector(`.deck .${name}`).getBoundingClientRect();
        if (left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1)
            found.push(`out of sight: ${name}`);
    }
    const {width, height} = svg.getBoundingClientRect();
    if (width < 100 || height < 100) found.push("the stage is tiny");
    return found;
}"""
SIZES = ((1280, 720), (1920, 1080), (1024, 768), (390, 844), (844, 390))


def write_awkward_project(folder: Path) -> Path:
    """Write a project with many slices, whose names are hostile or long, and a verdict that is red."""
    names = ['<img src=x onerror="window.hit=1">', "a name that goes on " * 12, "x" * 200, "]]></svg><script>hit()"]
    cuts = [{**LONG, "name": name, "above": 2 + 3 * i} for i, name in enumerate([*names, "切片" * 40, "f", "g", "h"])]
    said = {"threshold": 0.7, "owner": names[0], "intended_use": names[1] * 3, "model": names[3]}
    return write_project(folder, {"name": names[0], "slices": [NEGATION, *cuts], "decision": said})


@pytest.mark.parametrize("make", [lambda _: REVIEWS, lambda _: DIGITS, write_awkward_project])
def test_nothing_leaves_the_stage_at_any_size(
    arrive: Arrive, server: Server, folder: Path, make: Callable[[Path], Path]
) -> None:
    """Nor the window; names that are hostile or long are text, and stay in their places."""
    page = arrive(server.link_to(make(folder), "present")).page
    page.locator(".deck svg").wait_for()
    last = int(page.locator(".deck .count").inner_text().split()[-1])
    wrong = {}
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.keyboard.press("Home")
        for number in range(1, last + 1):
            wrong |= dict.fromkeys(page.evaluate(WRONG), (number, width))
            page.keyboard.press("ArrowRight")
    assert wrong == {}
    assert page.evaluate("window.hit === undefined && !document.querySelector('.deck img, .deck script')")
