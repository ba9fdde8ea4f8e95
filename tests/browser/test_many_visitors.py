"""Many people at once, each on a project of their own."""

from __future__ import annotations

import os
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.server import Server

# Each has a browser of their own, which takes seconds of a processor only to compile the scripts.
VISITORS = int(os.environ.get("VISITORS", "4"))


@pytest.mark.long
def test_many_visitors_work_side_by_side(arrive: Arrive, server: Server) -> None:
    """Each renames a project and edits a slice; all are answered, and nobody sees anyone else's work."""
    arrive()  # what the first visit costs is everyone's: samples, fits and figures are shared
    before = server.megabytes
    visitors = [arrive(f"{server.url}/slices", wait=False) for _ in range(VISITORS)]  # nobody waits for anybody
    for number, visitor in enumerate(visitors):
        visitor.settle()  # a page that is still loading may answer for what was said to it since
        name = visitor.page.get_by_role("textbox", name="Project")
        name.fill(f"work of {number}")
        name.press("Enter")
    for number, visitor in enumerate(visitors):
        visitor.settle()
        visitor.edit("negation")
        visitor.add_word(f"word{number}")
    for number, visitor in enumerate(visitors):
        visitor.settle()
        expect(visitor.page.get_by_role("textbox", name="Project")).to_have_value(f"work of {number}")
        expect(visitor.page.get_by_role("button", name=re.compile(r"Remove word\d+"))).to_have_count(1)
        expect(visitor.button(f"Remove word{number}")).to_be_visible()
    assert len({visitor.link for visitor in visitors}) == VISITORS
    each = (server.megabytes - before) / VISITORS
    print(f"\n{VISITORS} visitors: {before:.0f} MB before, {server.megabytes:.0f} MB after, {each:.1f} MB each")
    assert each < 50
