"""Looking at pages with everything opened, for texts that took effect."""

from __future__ import annotations

import io
import json
import re
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import Error, Frame, Locator, Page, expect

from mandoline_core import parse_project
from tests.browser.visitor import Visitor
from tests.hostile import WRONG, all_of, formulas, question
from tests.payloads import PAYLOADS, Payload

POINTS = ".js-plotly-plot .point, .js-plotly-plot .points path"
MOST_FIGURES = 2  # of a page that are saved
MOST_POINTS = 12  # of a page that are pointed at
NAMED = re.compile(r"[\w-]+\.(csv|json|toml|zip|html|svg)")
MADE = {"script", "a", "image", "foreignObject", "iframe"}  # what a picture has no use for


class Looker:
    """Open all that can be opened on a page, take all that can be taken, and note what went wrong.

    Parameters
    ----------
    visitor : Visitor
    payloads : sequence of Payload
        What is on the page.
    """

    def __init__(self, visitor: Visitor, payloads: Sequence[Payload]) -> None:
        self.visitor, self.page, self.payloads = visitor, visitor.page, payloads
        self.asked = question(PAYLOADS)  # other projects that are listed beside this one have the others
        self.wrong: dict[str, str] = {}
        self.looks, self.taken = 0, 0

    def look(self, where: str) -> None:
        """Look at what is there now, in frames too."""
        self.visitor.settle()
        for frame in self.page.frames:
            self._note(where, wrong_in(frame, self.asked))
        self.looks += 1

    def everything(self, where: str) -> None:
        """Open what is folded, then every tab, every little window and every list, and point at figures."""
        self.unfold()
        self.look(where)
        for number in range(self.page.get_by_role("tab").count()):
            self.page.get_by_role("tab").nth(number).click()
            self.unfold()
            self.look(f"{where}, tab {number}")
            self.point(where)
        self._each('[data-testid="stPopoverButton"]', f"{where}, popover")
        self._each('[data-testid="stMain"] [role=combobox]', f"{where}, list")
        self.point(where)

    def unfold(self) -> None:
        """Open what is folded, and what is folded in there."""
        closed = self.page.locator("details:not([open]) > summary")
        self.visitor.settle()
        while closed.count():
            closed.first.click()
            self.visitor.settle()

    def point(self, where: str) -> None:
        """Point at marks of figures, which then say what they are."""
        marks = self.page.locator(POINTS)
        n = marks.count()
        for number in range(0, n, max(n // MOST_POINTS, 1)):
            try:
                marks.nth(number).hover(force=True, timeout=1000)
            except Error:  # not in sight
                continue
            self._note(f"{where}, pointing", wrong_in(self.page.main_frame, self.asked))
            self.looks += 1

    def press(self, name: str, where: str) -> None:
        """Press every button whose words begin so, one after the other, and look."""
        for number in range(self._buttons(name).count()):
            button = self._buttons(name).nth(number)
            if button.is_visible() and button.is_enabled():
                button.click()
                self.visitor.settle()
                self.look(f"{where}, {name} {number}")

    def take(self, where: str, folder: Path) -> None:
        """Take every download on the page, and every figure, and look into it."""
        buttons = self.visitor.main.locator("button").filter(has_text=re.compile("^(download)?Download")).all()
        figures = self.page.locator(".modebar-btn[data-title^=Download]").all()[:MOST_FIGURES]
        for button in (*buttons, *figures):
            if button.is_visible() and button.is_enabled():
                self._take(button, where, folder)

    def _take(self, button: Locator, where: str, folder: Path) -> None:
        with self.page.expect_download() as found:
            button.dispatch_event("click")
        name = found.value.suggested_filename
        path = folder / f"{self.taken}-{Path(name).name}"
        found.value.save_as(path)
        said = [] if NAMED.fullmatch(name) else [f"a file called {name!r}"]
        self._note(f"{where}, {name}", said + self._inside(path))
        self.taken += 1

    def share(self, folder: Path) -> None:
        """Take what the little window beside every page offers."""
        self.visitor.button("Save and share").click()
        for what in ("project file", "project with its data", "report", "estimate (JSON)", "weights (CSV)"):
            button = self.visitor.button(f"Download {what}")
            button.wait_for()
            self._take(button, "Save and share", folder)
        self.close()

    def close(self) -> None:
        """Close a list, a dialog or a little window."""
        self.page.keyboard.press("Escape")
        self.visitor.settle()
        if self.page.get_by_test_id("stDialog").count():  # a little window below it may have taken the key
            self.page.keyboard.press("Escape")
        expect(self.page.get_by_test_id("stDialog")).to_have_count(0)
        expect(self.page.locator("button").filter(has_text="expand_less")).to_have_count(0)
        self.visitor.settle()

    def _inside(self, path: Path) -> list[str]:
        """List what is wrong in a file."""
        if path.suffix == ".html":
            page = self.page.context.new_page()
            page.goto(path.as_uri())
            page.locator("html[data-drawn]").wait_for(state="attached")
            found = wrong_in(page, self.asked)
            page.close()
            return found
        return look_into(path.suffix, path.read_bytes(), self.payloads)

    def _note(self, where: str, wrong: Sequence[str]) -> None:
        for said in wrong:
            self.wrong.setdefault(said, where)

    def _buttons(self, name: str) -> Locator:
        return self.page.locator("button").filter(has_text=re.compile(rf"^([a-z_]+)?\s*{re.escape(name)}"))

    def _each(self, selector: str, where: str) -> None:
        for number in range(self.page.locator(selector).count()):
            opener = self.page.locator(selector).nth(number)
            if not opener.is_visible() or not opener.is_enabled():
                continue
            opener.click()
            self.look(f"{where} {number}")
            self.close()


def wrong_in(frame: Frame | Page, asked: Sequence[object]) -> list[str]:
    """List what went wrong in a page or a frame."""
    found: list[str] = frame.evaluate(WRONG, asked)
    return found


def look_into(suffix: str, content: bytes, payloads: Sequence[Payload]) -> list[str]:
    """List what is wrong in a file that a person takes away: what a program would do when it opens it."""
    if suffix == ".csv":
        return [f"a formula: {cell}" for cell in formulas(content.decode())]
    if suffix == ".json":
        return _lost(json.dumps(json.loads(content), ensure_ascii=False), payloads)
    if suffix == ".toml":
        return _lost_in_project(content.decode(), payloads)
    if suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            found = _lost_in_project(archive.read("project.toml").decode(), payloads)
        return found + [f"a place outside: {name}" for name in names if "/" in name or "\\" in name or ".." in name]
    tree = ET.fromstring(content)  # noqa: S314  a picture that the browser has just drawn
    return [f"an element: {one.tag}" for one in tree.iter() if one.tag.split("}")[-1] in MADE]


def _lost_in_project(text: str, payloads: Sequence[Payload]) -> list[str]:
    """List what a project file does not say as it was written, and what it says beside that."""
    project = parse_project(tomllib.loads(text), Path())
    names = [rule.name.strip() for rule in project.slices]  # the field for a name takes spaces off its ends
    lost = [f"slice {one.text!r} is not in the file" for one in payloads if one.text.strip() not in names]
    same = project.note == all_of(payloads).strip() and project.source_engine is None and len(names) == len(payloads)
    return lost if same else [*lost, f"the file says something else: {text[:500]}"]


def _lost(text: str, payloads: Sequence[Payload]) -> list[str]:
    return [f"{one.word} is not in the file" for one in payloads if one.word not in text]


def read_history(looker: Looker) -> None:
    """Name a state, after an edit, and compare."""
    looker.visitor.open_history()
    name = looker.page.get_by_role("textbox", name="Name of this version")
    name.fill(" ".join(one.text for one in looker.payloads if one.text.isprintable()))
    looker.page.get_by_role("button", name="Save snapshot").click()
    looker.look("History")
    looker.close()


def read_slices(looker: Looker) -> None:
    """Look at every slice in every way; audit the first; type what cannot be a rule."""
    for one in looker.payloads:
        row = looker.page.locator(".st-key-slice_list button").filter(has_text=one.word).first
        row.click()
        for view in ("Rows", "Reliability", "Rule"):
            looker.page.get_by_role("radio", name=view, exact=True).click()
            looker.look(f"Slices, {view} of {one.word}")
    for view in ("Links", "Reliability"):
        looker.page.get_by_role("radio", name=view, exact=True).click()
        looker.look(f"Slices, {view}")
    looker.page.get_by_role("button", name="Audit rows").first.click()
    looker.look("Slices, audit")
    looker.close()
    for one in looker.payloads[:2]:
        looker.visitor.line.fill(f"{one.text.strip()} > (")
        looker.visitor.line.press("Enter")
        looker.look(f"Slices, typed {one.word}")
    read_history(looker)


def read_data(looker: Looker) -> None:
    """Look at columns, and filter by what cannot be an expression."""
    box = looker.page.get_by_role("combobox", name="Compare a column")
    for one in looker.payloads[::4]:
        box.click()
        box.fill(one.word)
        looker.look(f"Data, list of {one.word}")
        looker.page.get_by_role("option").first.click()
        looker.look(f"Data, column {one.word}")
        looker.point(f"Data, column {one.word}")
    field = looker.page.get_by_role("textbox", name="Filter")
    for one in looker.payloads[:3]:
        field.fill(f"{one.text} == (")
        field.press("Enter")
        looker.look(f"Data, filter {one.word}")


def read_result(looker: Looker) -> None:
    """Run all that runs on request."""
    for name in ("How sensitive", "Reveal truth"):
        looker.press(name, "Result")
    for tab, name in (("Methods", "Run the methods"), ("Checks", "Run backtest")):
        looker.visitor.turn(tab)
        looker.unfold()
        looker.press(name, f"Result, {tab}")


def read_projects(looker: Looker) -> None:
    """Ask whether to delete, and put away and take out again, which is said in a corner of the screen."""
    for words in ("Archive", "Delete"):
        looker.visitor.button("More").first.click()
        looker.visitor.button("Duplicate").wait_for()
        looker.press(words, "Projects")
        looker.look(f"Projects, {words}")
        looker.close()
        if words == "Archive":
            looker.page.get_by_text("Show archived").click()
            looker.visitor.settle()


def tell_story(looker: Looker) -> None:
    """Turn every page."""
    n = int(looker.page.locator(".deck .count").inner_text().split()[-1])
    for number in range(n):
        looker.look(f"Present, {number}")
        looker.page.keyboard.press("ArrowRight")
        looker.visitor.settle()


# Beside what can be opened: what must be pressed or typed first.
WORK: dict[str, Callable[[Looker], None]] = {
    "Data": read_data,
    "Slices": read_slices,
    "Result": read_result,
    "Projects": read_projects,
    "Present": tell_story,
}
