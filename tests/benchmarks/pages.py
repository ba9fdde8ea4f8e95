"""From a click on a page's link to the complete page, on 60,000 rows, against a bare page of the same framework."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks.measuring import Bound
from tests.benchmarks.slider import SLICES, write_project
from tests.browser.server import Server
from tests.browser.visitor import Visitor, launch

N_SOURCE, N_TARGET = 60_000, 20_000
ROUNDS = 5
MOST_TIMES, MOST_TIMES_TO_METHODS = 5.0, 10.0
BARE = """
import streamlit as st

def show(title):
    def page():
        st.title(title)
        st.metric("Result", "1.00")
    return st.Page(page, title=title, url_path=title.lower())

st.set_page_config(layout="wide")
st.navigation([show("First"), show("Second")]).run()
"""
# The page itself takes the time, from the click: what drives the browser costs nothing here.
WATCH = """([title, first]) => {
    const links = [...document.querySelectorAll("[data-testid=stSidebarNavLink], [role=tab]")];
    const link = links.find(one => one.innerText.trim().endsWith(title));
    window.complete = window.begun = undefined;
    const start = performance.now();
    const look = () => {
        const app = document.querySelector("[data-testid=stApp]").dataset;
        const heads = [...document.querySelectorAll("h1, [role=tab][aria-selected=true]")];
        const there = heads.some(one => one.innerText.trim() === title);
        const charts = [...document.querySelectorAll("[data-testid=stPlotlyChart]")];
        if (there && first && document.querySelector(first)) window.begun ??= performance.now() - start;
        const drawn = charts.every(one => one.querySelector(".main-svg"));
        const calm = app.testScriptState === "notRunning" && !document.querySelector("[data-testid=stSkeleton]");
        if (there && drawn && calm) window.complete = performance.now() - start;
        else requestAnimationFrame(look);
    };
    link.click();
    requestAnimationFrame(look);
}"""
FIGURE = "[role=figure][aria-label^='The estimate of every method'] .main-svg"


def run() -> list[Bound]:
    """Measure, print what was measured, and return the bounds."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "bare.py").write_text(BARE)
        (folder / "bare").mkdir()
        path = write_project(folder, "sixty thousand rows", N_SOURCE, N_TARGET)
        browser = launch(playwright)
        with Server(folder, project=path) as app, Server(folder / "bare", script=folder / "bare.py") as bare:
            bound, seconds = _turn_pages(browser, app, bare)
        browser.close()
    print(f"{N_SOURCE:,} source rows, {N_TARGET:,} target rows, {len(SLICES)} slices; from a click to the whole page,")
    print(f"the first visit and the median of {ROUNDS} later ones")
    for title, (first, later) in seconds.items():
        print(f"  {title:12} {first:7.3f} s {later:7.3f} s")
    return bound


def _turn_pages(browser: Browser, app: Server, bare: Server) -> tuple[list[Bound], dict[str, tuple[float, float]]]:
    """Turn pages here and there in turn: a machine is busier at one moment than at another; a ratio should not be."""
    theirs = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    theirs.goto(bare.url)
    theirs.locator("h1").wait_for()
    ours = Visitor(browser.new_context(viewport={"width": 1280, "height": 900}), app.url).open()
    titles = [link.inner_text().split()[-1] for link in ours.page.get_by_role("navigation").get_by_role("link").all()]
    found: dict[str, list[float]] = {title: [] for title in titles}
    plain: list[float] = []
    methods = 0.0
    for number in range(ROUNDS + 1):
        for title in titles:
            found[title].append(_turn(ours.page, title)[0])
            ours.settle()
            if title == "Result" and not number:
                methods = _turn(ours.page, "Methods", FIGURE)[1]
                ours.turn("Checks")
        plain += [_turn(theirs, title)[0] for title in ("Second", "First")]
    one = statistics.median(plain)
    seconds = {title: (times[0], statistics.median(times[1:])) for title, times in found.items()}
    slowest = max(seconds, key=lambda title: seconds[title][1])
    print(f"  a bare page  {one:7.3f} s")
    ratios = {
        f"turning to {slowest}, the slowest page, over a bare page": (seconds[slowest][1], MOST_TIMES),
        "the first methods at the first visit, over a bare page": (methods, MOST_TIMES_TO_METHODS),
    }
    return [Bound(name, time / one, at_most=most) for name, (time, most) in ratios.items()], seconds


def _turn(page: Page, title: str, first: str | None = None) -> tuple[float, float]:
    page.evaluate(WATCH, [title, first])
    page.wait_for_function("window.complete !== undefined")
    complete, begun = page.evaluate("[window.complete, window.begun ?? 0]")
    return complete / 1000, begun / 1000


if __name__ == "__main__":
    for bound in run():
        print(bound)
