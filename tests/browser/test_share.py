"""The report in someone's hands: taken from the app, opened without a network, printed, and without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import mandoline_core as md
from mandoline_core.cli.main import main
from mandoline_core.formatting import show_interval
from tests.browser.conftest import Arrive
from tests.browser.server import ROOT, Server
from tests.browser.visitor import PATIENCE

SAMPLE = ROOT / "sample_data" / "reviews" / "project.toml"
PAGE = (680, 910)  # pixels that A4 leaves in width and Letter in height
INK = {"light": "#22262B", "dark": "#E8E6E3"}


@contextmanager
def opened(browser: Browser, path: Path, **settings: Any) -> Iterator[Page]:
    """Open a file from disk in a browser without a network; at the end nothing may have gone wrong or out."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True, **settings)
    page, wrong, asked = context.new_page(), list[str](), list[str]()
    page.set_default_timeout(PATIENCE)
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    yield page
    page.evaluate("0")  # what the page has said arrives first
    context.close()
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []


def wait_until_drawn(page: Page) -> None:
    page.locator("html[data-drawn]").wait_for(state="attached")


# Names beside a figure that run into each other.
OVERLAPS = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap(plot => {
    const names = [...plot.querySelectorAll(".yaxislayer-above text")].map(one => one.getBoundingClientRect());
    return names.flatMap(({top, bottom}, i) => names.slice(i + 1)
        .filter(other => top + 2 < other.bottom && other.top + 2 < bottom)
        .map(() => plot.parentElement.dataset.figure));
})"""


@pytest.mark.long
def test_the_report_is_the_command_lines_and_needs_nothing(
    arrive: Arrive, server: Server, browser: Browser, folder: Path
) -> None:
    """The page shows it and hands out the file; the file opens anywhere, light, dark, printed or without scripts."""
    visitor = arrive(server.link_to(SAMPLE, "report"))
    preview = visitor.page.frame_locator("iframe[title='Report']")
    preview.locator("html[data-drawn]").wait_for(state="attached")
    expect(preview.get_by_role("heading", name="reviews", level=1)).to_be_visible()
    with visitor.page.expect_download() as found:
        visitor.button("Download report").click()
    assert found.value.suggested_filename == "reviews-report.html"
    path, other = folder / "reviews-report.html", folder / "other.html"
    found.value.save_as(path)
    assert main(["report", str(SAMPLE), "--out", str(other)]) == 0
    assert path.read_bytes() == other.read_bytes()

    report = md.estimate(md.load_project(SAMPLE))
    number = show_interval(report.estimate, report.interval, share=True)
    for scheme, width in (("dark", 390), ("light", 1280)):
        with opened(browser, path, color_scheme=scheme, accept_downloads=True) as page:
            page.set_viewport_size({"width": width, "height": 900})
            wait_until_drawn(page)
            figures = page.locator("figure .js-plotly-plot")
            expect(figures).to_have_count(7)
            drawn = page.evaluate(
                """() => [...document.querySelectorAll(".js-plotly-plot")].map(plot => [
                    plot.layout.template.layout.font.color, plot.querySelectorAll(".main-svg").length > 0,
                    plot.querySelector(".main-svg").getBoundingClientRect().right <= innerWidth])"""
            )
            assert drawn == [[INK[scheme], True, True]] * 7
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert json.loads(page.locator("#numbers").inner_text()) == json.loads(json.dumps(report.as_dict()))
            expect(page.get_by_role("main")).to_contain_text(number)
            expect(page.locator("details[open]")).to_have_count(0)
            ratio = page.locator("#summary-picture").bounding_box()
            assert ratio is not None
            assert abs(ratio["width"] / ratio["height"] - 16 / 9) < 0.02
            if scheme == "light":
                for name, ending in (("Save this picture as PNG", "png"), ("Save this picture as SVG", "svg")):
                    with page.expect_download() as saved:
                        page.get_by_role("button", name=name).click()
                    assert saved.value.suggested_filename == f"reviews-summary.{ending}"
                for kind in ("svg", "png"):
                    figures.nth(2).hover()
                    with page.expect_download() as saved:
                        figures.nth(2).locator(f"[data-title='Save as {kind.upper()}']").click()
                    assert saved.value.suggested_filename == f"reviews-curve.{kind}"
            else:
                page.evaluate("dispatchEvent(new Event('beforeprint'))")
                for colour, wide, high in page.evaluate(
                    """() => [...document.querySelectorAll(".js-plotly-plot")].map(plot => {
                        const {width, height} = plot.querySelector(".main-svg").getBoundingClientRect();
                        return [plot.layout.template.layout.font.color, width, height]; })"""
                ):
                    assert colour == INK["light"]
                    assert wide <= PAGE[0] + 1
                    assert high <= PAGE[1] + 1
                names = page.evaluate(OVERLAPS)
                assert names == []
                for paper in ("A4", "Letter"):
                    printed = page.pdf(format=paper)
                    assert len(re.findall(rb"/Type /Page\b", printed)) > 3
    with opened(browser, path, java_script_enabled=False) as page:
        expect(page.locator("figure table:visible")).to_have_count(7)
        expect(page.locator("figure table").first).to_contain_text(number)
