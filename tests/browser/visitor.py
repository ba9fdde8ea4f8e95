"""A visitor of the app: a browser window of their own, and the words for what a person does in it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Locator,
    Page,
    Playwright,
    Request,
    expect,
)
from playwright.sync_api import TimeoutError as TimedOut

import mandoline_core as md
from mandoline_core.formatting import show_interval

PATIENCE = 60_000  # milliseconds; machines that run tests are slow and shared
POLLING = 100  # milliseconds
LIST, TRIES = PATIENCE / 10, 10  # a list closes when the page scrolls, as it does when figures come late: open it again
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    # Without a graphics card these would be imitated on the processor, at the cost of half of it.
    "--disable-gpu-rasterization",
    "--disable-gpu-compositing",
    "--disable-software-rasterizer",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # tabs of one browser share what is costly: compiled scripts
)
HOW_TO_GET_ONE = (
    "No Chromium found. Install one (Debian: apt-get install chromium), or set CHROMIUM to its path. "
    "`make test` does this where it may."
)
WEIGHTS = "Weights of the labelled rows"
CURVE = "The estimate as slices are added"

# Whether the server still owes an answer: a page shows that the app runs only when the server has said so.
# And what was said in a corner of the screen, as it goes away again; and exceptions, as the next run takes them away.
WATCH = """(() => {
    const Plain = window.WebSocket;
    window.WebSocket = class extends Plain {
        constructor(...settings) {
            super(...settings);
            this.addEventListener("message", () => { window.unanswered = false; });
        }
        send(message) {
            window.unanswered = true;
            super.send(message);
        }
    };
    window.messages = new Set();
    const exceptions = new Set();
    new MutationObserver(() => {
        for (const box of document.querySelectorAll("[data-testid=stException]"))
            if (!exceptions.has(box.textContent)) {
                exceptions.add(box.textContent);
                console.error(box.textContent);
            }
        for (const toast of document.querySelectorAll("[data-testid=stToast]"))
            if (toast.checkVisibility()) window.messages.add(toast.textContent);
    }).observe(document, {childList: true, characterData: true, subtree: true});
})()"""
# Twice in a row: between two messages, and between a message and its effect, all seems calm for a moment.
SETTLED = """() => {
    const app = document.querySelector("[data-testid=stApp]")?.dataset;
    const calm = !window.unanswered
        && app?.testConnectionState === "CONNECTED" && app.testScriptState === "notRunning"
        && !document.querySelector("[data-testid=stSkeleton]")
        && [...document.querySelectorAll("[data-testid=stPlotlyChart]")].every(one => one.querySelector(".main-svg"));
    const still = calm && window.wasCalm;
    window.wasCalm = calm && !still;
    return still;
}"""

# The numbers behind a figure: an interactive one holds them, a small picture has them in its marks.
TRACES = """alt => document.querySelector(`[role=figure][aria-label="${alt}"] .js-plotly-plot`)?.data
    ?? [...document.querySelectorAll(`[role=img][aria-label="${alt}"] [data-name]`)].map(({dataset: found}) =>
        ({name: found.name, x: JSON.parse(found.x ?? "[]"), y: JSON.parse(found.y ?? "[]")}))"""

# Streamlit looks for its server under every page's address, and for a server that was killed.
OF_THE_NETWORK = (
    "Failed to load resource",
    "Streamlit server is not responding",
    "Client Error in reaching server endpoint",
    "WebSocket connection to",
)

expect.set_options(timeout=PATIENCE)


def chromium() -> str | None:
    """Find the browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def launch(playwright: Playwright) -> Browser:
    """Start the browser."""
    path = chromium()
    if path is None:
        raise FileNotFoundError(HOW_TO_GET_ONE)
    return playwright.chromium.launch(
        executable_path=path, args=FLAGS, ignore_default_args=["--enable-unsafe-swiftshader"]
    )


class Visitor:
    """Drive one tab.

    Parameters
    ----------
    context : BrowserContext
        Tabs of one context share cookies; visitors with contexts of their own share nothing.
    url : str
        Where the app is.
    also : str, optional
        Where else its pages may lead: to sign in, say.
    """

    def __init__(self, context: BrowserContext, url: str, also: str | None = None) -> None:
        self.context = context
        self.url = url
        self._also = also or url
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.page.add_init_script(WATCH)
        self.wrong: list[str] = []
        self.page.on("dialog", self._refuse)
        self.page.on("pageerror", self._note)
        self.page.on("console", self._listen)
        self.page.on("request", self._watch)

    def _refuse(self, dialog: Dialog) -> None:
        self.wrong.append(f"a dialog fired: {dialog.message}")
        dialog.dismiss()

    def _note(self, error: Error) -> None:
        self.wrong.append(f"an error in the page: {error.message}")

    def _listen(self, message: ConsoleMessage) -> None:
        elsewhere = self._also != self.url and str(message.location.get("url", "")).startswith(self._also)
        if message.type == "error" and not elsewhere and not message.text.startswith(OF_THE_NETWORK):
            self.wrong.append(f"an error on the page or its console: {message.text}")

    def _watch(self, request: Request) -> None:
        """Nothing may ask another machine for anything."""
        ours = (self.url, self.url.replace("http", "ws", 1), self._also, "data:", "blob:", "file:")
        if not request.url.startswith(ours):
            self.wrong.append(f"a request to elsewhere: {request.url}")

    def hear(self) -> None:
        """Take in what the page has said so far: events arrive before the answer to a question."""
        if not self.page.is_closed():
            self.page.evaluate("0")

    # Finding the way

    def open(self, link: str | None = None, *, wait: bool = True) -> Visitor:
        """Open the app, or a link into it, and wait until it is there."""
        self.page.goto(link or self.url, wait_until="commit")
        if wait:
            self.page.locator("h1").first.wait_for()
            self.settle()
        return self

    def settle(self) -> None:
        """Wait until the app has nothing to do, and nothing is shown that it no longer stands by."""
        self.page.wait_for_function(SETTLED, polling=POLLING)

    def go(self, title: str) -> None:
        """Go to a page by its link in the sidebar."""
        self.page.get_by_role("navigation").get_by_role("link", name=title, exact=True).click()
        self.page.locator("h1", has_text=title).wait_for()
        self.settle()
        expect(self.page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible()

    def turn(self, tab: str) -> None:
        """Go to the result, and turn to one of its tabs."""
        if self.page.get_by_role("heading", name="Result", exact=True, level=1).count() == 0:
            self.go("Result")
        found = self.page.get_by_role("tab", name=tab, exact=True)
        found.click()
        expect(found).to_have_attribute("aria-selected", "true")
        self.settle()

    def open_history(self) -> Locator:
        """Open the history, beside the slices."""
        if self.page.get_by_role("heading", name="Slices", exact=True, level=1).count() == 0:
            self.go("Slices")
        self.button("History").click()
        found = self.page.get_by_role("dialog")
        found.wait_for()
        self.settle()
        return found

    def close_dialog(self) -> None:
        """Close what lies above the page."""
        self.page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).click()
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        self.settle()

    @property
    def link(self) -> str:
        """The link that leads back here."""
        expect(self.page).to_have_url(re.compile("project="))
        return self.page.url

    @property
    def main(self) -> Locator:
        """The page without its sidebar."""
        return self.page.get_by_role("main")

    def button(self, name: str) -> Locator:
        """Find a button by its words."""
        return self.page.get_by_role("button", name=name, exact=True)

    def choose(self, label: str, option: str) -> None:
        """Choose from a list."""
        box = self._box(label)
        any(self._in_list(box, option, lambda found: found.click(timeout=LIST)) for _ in range(TRIES))
        expect(box).to_have_value(option)
        self.settle()

    def listed(self, label: str, option: str) -> list[str]:
        """Open a list, and read all of it once an option is there."""
        box, found = self._box(label), list[str]()

        def read(one: Locator) -> None:
            one.wait_for(timeout=LIST)
            found.extend(self.page.get_by_role("option").all_inner_texts())

        any(self._in_list(box, option, read) for _ in range(TRIES))
        return found

    def _box(self, label: str) -> Locator:
        self.settle()
        return self.page.get_by_role("combobox", name=label, exact=True)

    def _in_list(self, box: Locator, option: str, act: Callable[[Locator], None]) -> bool:
        """Do something in an open list; say whether it could be done, as a list closes when the page scrolls."""
        if box.get_attribute("aria-expanded") != "true":
            box.click()
        try:
            act(self.page.get_by_role("option", name=option, exact=True))
        except TimedOut:
            return False
        return True

    @property
    def line(self) -> Locator:
        """The box that a new slice is typed into."""
        return self.page.get_by_role("textbox", name="Add a slice")

    def add_line(self, text: str) -> None:
        """Type a slice into the line above the others, and wait until it is there."""
        self.settle()
        self.line.fill(text)
        self.line.press("Enter")
        expect(self.line).to_have_value("")
        self.settle()

    def pick(self, kind: str) -> None:
        """Add a slice of a kind from the menu."""
        self.settle()
        self.button("Pick a kind").click()
        option = self.page.get_by_role("menuitem").filter(has_text=re.compile(rf"^{kind}:"))
        option.click()
        expect(option).to_have_count(0)  # the menu closes when the choice is made
        self.settle()

    def add_word(self, word: str) -> None:
        """Add a word to the keyword slice that is being edited."""
        self.settle()  # a page that is being drawn anew loses what is half written
        words = self.page.get_by_role("combobox", name="Words")
        words.click()
        words.press_sequentially(word)
        expect(self.page.get_by_role("option", name=f"Add: {word}")).to_be_visible()
        words.press("Enter")
        words.press("Escape")  # the list stays open for more words

    def upload(self, label: str, *files: Path) -> None:
        """Give files to an uploader."""
        field = self.page.get_by_test_id("stFileUploader").filter(has_text=label).locator("input[type=file]")
        field.set_input_files([str(file) for file in files])

    def slider(self, label: str) -> Locator:
        """Find a slider."""
        return self.page.get_by_role("group", name=label, exact=True).get_by_role("slider")

    def nudge(self, label: str, key: str, times: int = 1) -> float:
        """Move a slider with the keyboard; return where it is."""
        slider = self.slider(label)
        before = slider.input_value()
        for _ in range(times):
            slider.press(key)
        expect(slider).not_to_have_value(before)
        self.settle()
        return float(slider.input_value())

    # What the app shows

    @property
    def summary(self) -> Locator:
        """The bar that says the estimate above the work."""
        return self.page.locator(".st-key-live_summary")

    def row(self, name: str) -> Locator:
        """Find the button that opens a slice, by the slice's name."""
        return self.page.locator(".st-key-slice_list button").filter(has=self.page.get_by_text(name, exact=True))

    def edit(self, name: str) -> None:
        """Open a slice in the list, and wait for its form."""
        self.settle()
        if self.name_field.count() == 0 or self.name_field.input_value() != name:
            self.row(name).click()
        expect(self.name_field).to_have_value(name)
        self.settle()

    def view(self, name: str, title: str) -> None:
        """Choose a slice in the list, and what to see of it."""
        self.settle()
        self.row(name).click()
        self.settle()
        tab = self.page.get_by_role("radiogroup", name="View").get_by_role("radio", name=title, exact=True)
        tab.click()
        expect(tab).to_be_checked()
        self.settle()

    @property
    def chosen(self) -> Locator:
        """The pane of the chosen slice."""
        return self.page.locator(".st-key-chosen_pane")

    @property
    def name_field(self) -> Locator:
        """The field with the name of the open slice."""
        return self.page.get_by_role("textbox", name="Name", exact=True)

    def figure(self, alt: str) -> list[dict[str, Any]]:
        """Read the data of a figure off the page, once it is there."""
        self.page.locator(f'[role=figure][aria-label="{alt}"], [role=img][aria-label="{alt}"]').first.wait_for()
        self.settle()
        return self.page.evaluate(
            f"alt => ({TRACES})(alt)?.map(t => ({{name: t.name, x: [...t.x], y: [...t.y]}}))", alt
        )

    def expect_estimate(self, report: md.ModelReport) -> None:
        """Expect the line beside the work to show an estimate with its interval, or to say what that leaves out."""
        whole, sampling = (
            re.escape(show_interval(report.estimate, interval, share=True))
            for interval in (report.interval, report.sampling_interval or report.interval)
        )
        expect(self.summary).to_contain_text(re.compile(rf"{whole}|{sampling}.*sampling error alone", re.S))

    def expect_message(self, text: str) -> None:
        """Expect that something was said in a corner of the screen, whether or not it is still there."""
        self.page.wait_for_function(
            "text => [...window.messages].some(message => message.includes(text))", arg=text, polling=POLLING
        )

    def expect_trace(self, alt: str, name: str, expected: Mapping[str, Sequence[float]]) -> None:
        """Expect a figure to hold these numbers; it may still be on its way."""
        script = f"""([alt, name, expected]) => {{
            const trace = ({TRACES})(alt)?.find(one => one.name === name);
            return trace && Object.entries(expected).every(([axis, wanted]) =>
                trace[axis].length === wanted.length
                && wanted.every((value, i) => Math.abs(trace[axis][i] - value) < 1e-9));
        }}"""
        try:
            self.page.wait_for_function(script, arg=[alt, name, expected], polling=POLLING)
        except Error as error:
            raise AssertionError(f"{alt}, {name}: expected {expected}, got {json.dumps(self.figure(alt))}") from error

    # What a person takes away

    def export(self, folder: Path) -> Path:
        """Save the project file into a folder, as a person does."""
        opener = self.button("Save and share")
        opener.click()
        download = self.button("Download project file")
        with self.page.expect_download() as found:
            download.click()
        path = folder / found.value.suggested_filename
        found.value.save_as(path)
        opener.click()
        expect(download).to_be_hidden()
        return path
