"""Links that people kept lead to the pages that took over, with the same project."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.core.projects import DIGITS

# Of each earlier page: the title now, and what is open there, by its role and name.
MOVED = {
    "result": ("Result", None),  # which is at the root
    "estimate": ("Result", None),
    "trust": ("Result", ("tab", "Checks")),
    "compare": ("Result", ("tab", "Methods")),
    "report": ("Share", None),
    "history": ("Slices", ("dialog", "History")),
    "gallery": ("Projects", ("radiogroup", "Experiment")),
    "corrections": ("Slices", ("radio", "Reliability")),
}


def test_old_addresses_lead_to_the_new_pages_with_the_same_project(arrive: Arrive, server: Server) -> None:
    link = server.link_to(DIGITS, "slices")
    project = link.partition("project=")[2]
    visitor = arrive(link)
    for old, (title, opened) in MOVED.items():
        visitor.open(link.replace("/slices", f"/{old}"))
        expect(visitor.page.locator("h1", has_text=re.compile(f"^{title}$"))).to_be_attached()
        expect(visitor.page).to_have_url(re.compile(re.escape(project)))
        if opened:
            found = visitor.page.get_by_role(opened[0], name=opened[1]).first
            expect(found).to_be_visible()
            if opened[0] == "tab":
                expect(found).to_have_attribute("aria-selected", "true")
    visitor.open(link.replace("/slices", "/present"))
    expect(visitor.page.locator(".deck h1")).to_be_visible()
