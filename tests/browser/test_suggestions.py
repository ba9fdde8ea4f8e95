"""Suggestions in a browser: look, accept, undo, and never again."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.core.projects import LONG, write_project


def test_a_suggestion_is_looked_at_accepted_undone_and_never_seen_again(
    arrive: Arrive, server: Server, folder: Path
) -> None:
    path = write_project(folder, {"slices": [LONG], "edges": None})
    project = md.load_project(path)
    first, *others = md.suggest(project, most=8).suggestions
    after = show_value(first.first.estimate, share=True)
    visitor = arrive(server.link_to(path, "slices"))
    visitor.main.get_by_text("Suggested slices").click()
    card = visitor.page.locator(".st-key-suggestion_0")
    expect(card).to_contain_text(first.words)
    card.get_by_role("button", name="Preview").click()
    expect(card.get_by_role("img", name="The estimate as if accepted")).to_contain_text(after)
    expect(visitor.summary).not_to_contain_text(after)
    card.get_by_role("button", name="Add").click()
    expect(card.get_by_role("button", name="Added")).to_be_disabled()
    expect(visitor.summary).to_contain_text(after)
    visitor.settle()
    visitor.button("Undo").click()
    expect(visitor.summary).not_to_contain_text(after)
    expect(card).to_contain_text(first.words)
    card.get_by_role("button", name="Dismiss").click()
    expect(visitor.button(f"Suggest again: {first.name}")).to_be_visible()
    shown = visitor.main.locator("[class*=st-key-suggestion_]")
    expect(shown.filter(has_text=first.words)).to_have_count(0)
    if others:
        expect(card).to_contain_text(others[0].words)
