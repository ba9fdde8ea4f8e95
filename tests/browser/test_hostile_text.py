"""Text that people bring is shown as it is written, wherever it appears; none of it is ever run or interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.project.documents import document_of
from app.project.store import Store
from mandoline_core import load_project
from tests.browser.conftest import Arrive
from tests.browser.inspection import WORK, Looker
from tests.browser.server import Server
from tests.hostile import write_hostile_project
from tests.payloads import PAYLOADS, Payload

AT_ONCE = 30  # payloads in a project: a page of more would take long to draw
PAGES = ("Slices", "Result", "Data", "Track", "Projects", "Share")
# Taken for commands at some time: they are always looked for.
ONCE = (":material/home: ", 'hit116"\n')


def some_payloads(seed: int = 0) -> tuple[Payload, ...]:
    """Draw a few, one of each kind, and those that once took effect."""
    rng = np.random.default_rng(seed)
    kinds = dict.fromkeys(one.kind for one in PAYLOADS)
    drawn = [rng.choice(np.array([one for one in PAYLOADS if one.kind == kind], dtype=object)) for kind in kinds]
    known = [one for one in PAYLOADS if one.text.startswith(ONCE)]
    return tuple(dict.fromkeys([*known, *drawn]))


def link_to(server: Server, folder: Path, payloads: Sequence[Payload], page: str) -> str:
    """Save a hostile project whose files had hostile names, too, and return the link to it."""
    names = {role: f"{one.text}.csv" for role, one in zip(("source", "target", "labels"), payloads, strict=False)}
    document = document_of(load_project(write_hostile_project(folder, payloads)), names)
    return f"{server.url}/{page}?project={Store(server.folder / 'data').create(document)}"


def test_some_hostile_texts_are_shown_as_they_are_written(arrive: Arrive, server: Server, folder: Path) -> None:
    """A few texts in every name, on the pages that show most of them."""
    payloads = some_payloads()
    looker = Looker(arrive(link_to(server, folder, payloads, "slices")), payloads)
    looker.unfold()
    looker.look("Slices")
    seen = looker.page.locator("body").inner_text()
    assert all(one.word in seen for one in payloads)
    looker.page.locator(".st-key-slice_list button").filter(has_text=payloads[0].word).first.click()
    looker.look("Slices, one open")
    looker.visitor.button("Delete").click()
    looker.visitor.expect_message("Undo restores it.")
    looker.look("Slices, deleted")
    looker.visitor.go("Result")
    looker.unfold()
    looker.look("Result")
    assert looker.wrong == {}


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, len(PAYLOADS), AT_ONCE))
def test_no_text_takes_effect_anywhere(arrive: Arrive, server: Server, folder: Path, start: int) -> None:
    """Every payload in every name, on every page with everything opened, and in everything that can be taken away."""
    payloads = PAYLOADS[start : start + AT_ONCE]
    looker = Looker(arrive(link_to(server, folder, payloads, "data")), payloads)
    for title in (*PAGES, "Present"):
        places = looker.visitor.main if title == "Present" else looker.page.get_by_role("navigation")
        places.get_by_role("link", name=title, exact=True).click()
        looker.page.locator("h1", has_text=None if title == "Present" else title).first.wait_for()
        looker.everything(title)
        WORK.get(title, lambda _: None)(looker)
        looker.take(title, folder)
        if title == "Result":
            looker.share(folder)
    print(f"\n{len(payloads)} payloads, {len(PAGES) + 1} pages, {looker.looks} looks, {looker.taken} downloads")
    assert looker.wrong == {}
