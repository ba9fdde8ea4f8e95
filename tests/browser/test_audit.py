"""An audit by keyboard alone: rows, the matrix with its intervals, and all of it there after a refresh."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mandoline_core as md
from tests.browser.conftest import SAMPLE, Arrive
from tests.browser.server import Server

ROWS = 30
SKIPPED = 5


@pytest.mark.long
def test_rows_are_audited_with_keys_and_a_refresh_keeps_them(arrive: Arrive, server: Server, folder: Path) -> None:
    """One is skipped, one taken back; keys pressed while the page is being drawn speak of the row in sight."""
    visitor = arrive(server.link_to(SAMPLE, "slices"))
    page = visitor.page
    visitor.view("negation", "Reliability")
    opener = visitor.button("Audit rows")
    opener.focus()
    opener.press("Enter")
    row, progress = page.locator(".st-key-audit_row"), page.get_by_test_id("stProgress")
    expect(row.locator("strong")).not_to_have_count(0)  # the first is a row inside, with the words marked
    says = {True: 0, False: 0}
    for number in range(ROWS):
        marked = row.locator("strong").count() > 0
        page.keyboard.press("s" if number == SKIPPED else "j" if marked else "k")
        done = f"{number} answers, 1 skipped" if number >= SKIPPED else f"{number + 1} answer"
        expect(progress).to_contain_text(re.compile(rf"^{done}"))
        says[marked] += number != SKIPPED
    page.keyboard.press("u")
    expect(progress).to_contain_text(f"{ROWS - 2} answers, 1 skipped.")
    page.keyboard.press("j" if row.locator("strong").count() else "k")
    expect(progress).to_contain_text(f"{ROWS - 1} answers, 1 skipped.")
    expect(page.get_by_role("dialog")).to_contain_text("With these answers the estimate is ")
    page.keyboard.press("e")
    expect(page.get_by_role("dialog")).to_have_count(0)
    for again in (False, True):
        if again:
            page.reload()
            visitor.view("negation", "Reliability")
        expect(visitor.button(f"Audit rows ({ROWS - 1} done)")).to_be_visible()
        card = visitor.chosen
        expect(card.get_by_role("radio", name="Measured", exact=True)).to_be_checked()
        expect(card.locator("table").first).to_contain_text(re.compile(r"\d+ to \d+%"))
        visitor.settle()
    for name in ("source.csv", "target.csv"):
        shutil.copy(SAMPLE.parent / name, folder)
    project = md.load_project(visitor.export(folder))
    audit = project.slices[0].audit
    assert audit is not None
    sides = (audit.source, audit.target)
    assert [sum(len(one.truly_in) for one in sides), sum(len(one.truly_out) for one in sides)] == [
        says[True],
        says[False],
    ]
    visitor.expect_estimate(md.estimate(project).first)
