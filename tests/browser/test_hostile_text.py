"""Text that people bring is shown as it is written, wherever it appears; none of it is ever run or interpreted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import mandoline_core as md
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import Visitor

IMAGE = "<img src=x onerror=alert(1)>"
LINK = "[x](javascript:alert(1))"
BOLD, RED, MATHS = "**b**", ":red[x]", "$x$"
HOSTILE = (IMAGE, LINK, BOLD, RED, MATHS)
INJECTED = "img[src='x'], a[href^='javascript'], .katex"
PAGES = ("Data", "Slices", "Corrections", "Estimate")


def write_hostile_project(folder: Path) -> Path:
    """Write a project in which everything a person can name has a hostile name."""
    rng = np.random.default_rng(0)
    for name, n, tilt in (("source", 600, 0.3), ("target", 300, 0.6)):
        right = rng.random(n) < 0.8
        label = rng.choice([BOLD, RED], n)
        frame = pd.DataFrame(
            {
                IMAGE: np.where(rng.random(n) < tilt, " ".join(HOSTILE), "calm words"),
                MATHS: rng.normal(tilt, 1.0, n).round(3),
                RED: rng.choice([LINK, BOLD, IMAGE], n, p=[tilt, 0.8 - tilt, 0.2]),
                LINK: np.where(right, label, np.where(label == BOLD, RED, BOLD)),
            }
        )
        if name == "source":
            frame[BOLD] = label
        frame.to_csv(folder / f"{name}.csv", index=False)
    project = md.Project(
        name=IMAGE,
        source_path=Path("source.csv"),
        target_path=Path("target.csv"),
        label=BOLD,
        models=(md.Model(IMAGE, LINK), md.Model(LINK, LINK)),
        slices=(
            md.Keyword(IMAGE, column=IMAGE, words=("onerror", "red")),
            md.Threshold(LINK, column=MATHS, above=0.5),
            md.Category(BOLD, column=RED, values=(LINK, IMAGE)),
            md.Category(RED, column=RED, values=(LINK, IMAGE)),  # a duplicate, so that a finding speaks of it
            md.Category(MATHS, column=RED, values=(BOLD,), noise=md.Noise(source=md.Correction(inside=0.9))),
        ),
        edges=((IMAGE, LINK),),
        base=folder,
    )
    path = folder / "project.toml"
    md.save_project(replace(project, path=path), path)
    return path


@pytest.fixture
def host(arrive: Arrive, server: Server, folder: Path) -> Visitor:
    return arrive(server.link_to(write_hostile_project(folder), "slices"))


def look(visitor: Visitor) -> str:
    """Open all that can be opened, check that nothing was injected, and return all text and values on the page."""
    closed = visitor.main.locator("details:not([open]) > summary")
    while closed.count():
        closed.first.click()
    visitor.settle()
    expect(visitor.page.locator(INJECTED)).to_have_count(0)
    values = visitor.page.locator("input, textarea").evaluate_all("fields => fields.map(field => field.value)")
    return "\n".join([visitor.page.locator("body").inner_text(), *values])


def test_hostile_names_are_shown_as_they_are_written(host: Visitor) -> None:
    """Every page, everything opened, every slice edited and corrected: nothing runs, and each name can be read."""
    seen = dict.fromkeys(PAGES, "")
    for title in PAGES:
        host.go(title)
        seen[title] = look(host)
        assert IMAGE in seen[title], title
    host.go("Slices")
    for name in HOSTILE[1:]:
        host.edit(name)
        seen["Slices"] += look(host)
    for opener in ("Pick a kind", "Save and share"):
        host.button(opener).click()
        look(host)
        host.button(opener).click()
    host.go("Corrections")
    for name in HOSTILE[1:]:
        host.button(name).click()
        host.settle()
    seen["Corrections"] += look(host)
    for title in ("Slices", "Corrections"):
        assert all(name in seen[title] for name in HOSTILE), title


def test_a_message_with_hostile_text_is_plain(host: Visitor) -> None:
    """What passes by in a corner of the screen is as harmless as the rest."""
    host.edit(RED)
    host.button("Delete").click()
    host.expect_message(f"Deleted {RED}. Undo brings it back.")
    host.settle()
    host.button("Undo").click()
    host.expect_message(f"Undone: delete {RED}")
    look(host)
