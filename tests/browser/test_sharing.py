"""A link leads to one project: whoever has it works on the same; a link for looking changes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.server import ROOT, Server
from tests.browser.visitor import Visitor


def rename(visitor: Visitor, name: str) -> None:
    """Give the project another name."""
    field = visitor.page.get_by_role("textbox", name="Project")
    field.fill(name)
    field.press("Enter")
    visitor.settle()


@pytest.mark.long
def test_a_second_tab_follows_at_its_next_step(arrive: Arrive) -> None:
    """Two tabs on one link: what one does, the other shows when it is next touched."""
    first = arrive()
    second = arrive(first.link, beside=first)
    rename(first, "shared work")
    expect(second.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
    second.go("Slices")
    expect(second.page.get_by_role("textbox", name="Project")).to_have_value("shared work")
    first.go("Slices")
    first.edit("negation")
    second.edit("negation")
    second.button("Delete").click()
    second.expect_message("Deleted negation")
    first.button("Duplicate").click()
    first.expect_message("Slice 'negation' no longer exists: someone")
    expect(first.main).to_contain_text("Slice negation no longer exists.")
    expect(first.row("negation")).to_have_count(0)
    expect(first.row("short")).to_be_visible()


def take(visitor: Visitor, label: str, folder: Path) -> Path:
    """Download something from Save and share."""
    visitor.button("Save and share").click()
    with visitor.page.expect_download() as found:
        visitor.button(label).click()
    path = folder / found.value.suggested_filename
    found.value.save_as(path)
    visitor.page.keyboard.press("Escape")
    expect(visitor.button(label)).to_be_hidden()
    return path


@pytest.mark.long
def test_a_sample_takes_no_projects_place(arrive: Arrive, folder: Path, tmp_path: Path) -> None:
    """First visit, an edit, the list; a sample is a project of its own; a zip opens anywhere; deleting asks once."""
    with Server(tmp_path) as server:
        first = arrive(at=server)
        expect(first.page.get_by_role("heading", name="Result", exact=True, level=1)).to_be_visible()
        first.go("Slices")
        first.edit("negation")
        first.button("Delete").click()
        first.expect_message("Deleted negation")
        first.settle()
        expect(first.button("Undo")).to_be_enabled()
        old = first.link.replace("/slices", "/")

        zipped = take(first, "Download project with its data", folder)
        told = json.loads(take(first, "Download estimate (JSON)", folder).read_text())
        command = [sys.executable, "-m", "mandoline_core.cli", "estimate", str(zipped), "--json"]
        assert json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout) == told

        first.go("Projects")
        card = first.main.get_by_test_id("stVerticalBlock").filter(has_text="Changed just now").last
        expect(card).to_contain_text("reviews")
        expect(first.main).to_contain_text(f"accuracy {told['estimate']:.1%}")
        first.button("Open digits").click()
        expect(first.page.get_by_role("textbox", name="Project")).to_have_value("digits")
        first.settle()
        new = first.link

        back = arrive(at=server)  # without a link
        expect(back.page.get_by_role("heading", name="Projects", exact=True, level=1)).to_be_visible()
        expect(back.main.get_by_role("button", name="Open", exact=True)).to_have_count(2)
        back.open(old)
        expect(back.page.get_by_role("textbox", name="Project")).to_have_value("reviews")
        expect(back.main.get_by_role("heading", level=4)).to_contain_text(f"{told['estimate']:.1%}")

        back.go("Projects")
        back.page.get_by_role("tab", name="Open a project file").click()
        back.upload("Project file", zipped)
        back.button("Open this project").click()
        expect(back.main.get_by_role("heading", level=4)).to_contain_text(f"{told['estimate']:.1%}")
        back.settle()
        assert back.link not in (old, new)

        back.go("Projects")
        openers = back.main.get_by_role("button", name="Open", exact=True)
        question = back.page.get_by_role("dialog", name="Delete this project?")
        for answer in ("Close", "Delete"):
            back.button("More").first.click()
            back.button("Delete").click()
            question.get_by_role("button", name=answer, exact=True).click()
            expect(question).to_be_hidden()
            back.settle()
            expect(openers).to_have_count(3 if answer == "Close" else 2)
            back.page.keyboard.press("Escape")
        back.open(new)
        expect(back.page.get_by_role("textbox", name="Project")).to_have_value("digits")


@pytest.mark.long
def test_a_snapshot_is_compared_restored_and_shown_to_who_may_only_look(arrive: Arrive) -> None:
    """A name, three edits, the two side by side, and back; then a link for looking, and a copy of one's own."""
    host = arrive()
    host.open_history()
    host.page.get_by_role("textbox", name="Name of this version").fill("as it came")
    host.button("Save snapshot").click()
    host.expect_message("Saved snapshot as it came.")
    host.close_dialog()
    before = host.summary.inner_text().splitlines()[0]
    for name in ("negation", "short", "slang"):
        host.edit(name)
        host.button("Delete").click()
        host.settle()
    expect(host.summary).not_to_contain_text(before)
    history = host.open_history()
    expect(host.page.get_by_role("combobox", name="First version")).to_have_value("as it came (start)")
    for name in ("negation", "short", "slang"):
        expect(history).to_contain_text(f"{name} removed")
    assert len(host.figure("How the estimate moved from edit to edit")[1]["y"]) == 4
    host.button("Restore this version").click()
    host.expect_message("Version restored.")
    host.settle()
    expect(host.summary).to_contain_text(before)

    host.button("Save and share").click()
    links = host.page.get_by_test_id("stCode")
    expect(links).to_have_count(2)
    edit, look = links.all_inner_texts()
    assert "view=" in look
    assert edit.partition("project=")[2].strip() not in look
    guest = arrive(look.strip())
    expect(guest.page.get_by_text("View only")).to_be_visible()
    expect(guest.button("Undo")).to_have_count(0)
    guest.go("Slices")
    guest.edit("negation")
    expect(guest.main.get_by_test_id("stCheckbox").first).to_have_css("pointer-events", "none")
    guest.button("Delete").click()
    guest.expect_message("This link is view-only. Make a copy to edit.")
    expect(guest.summary).to_contain_text(before)
    guest.page.reload()
    guest.settle()
    expect(guest.page.get_by_text("View only")).to_be_visible()
    guest.button("Make my own copy").click()
    expect(guest.page.get_by_role("textbox", name="Project")).to_have_value("reviews (copy)")
    guest.settle()
    guest.edit("negation")
    guest.button("Delete").click()
    guest.expect_message("Deleted negation")
    host.go("Result")
    host.go("Slices")
    expect(host.summary).to_contain_text(before)
