"""Rows that stay on the server: named on the Projects page, counted in the background while the page answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mandoline_core as md
from tests.browser.conftest import Arrive
from tests.browser.server import ROOT, Server
from tests.browser.visitor import PATIENCE, Visitor

REVIEWS = ROOT / "sample_data" / "reviews" / "project.toml"
FILES = 100  # that are one file on disk: as many rows as take some seconds to count, also on a machine at rest


def write_rows(folder: Path) -> None:
    """Write the reviews again and again: some million rows."""
    project = md.load_project(REVIEWS)
    for side, copies in (("source", 20), ("target", 120)):
        frame = md.read_table(project.base / getattr(project, f"{side}_path"))
        frame = frame[[column for column in ("text", "n_words", "pred_lr", "label") if column in frame]]
        (folder / side).mkdir()
        first = folder / side / "000.parquet"
        frame.loc[frame.index.repeat(copies)].to_parquet(first, index=False)
        for number in range(1, FILES):
            (folder / side / f"{number:03d}.parquet").hardlink_to(first)


def name_data(visitor: Visitor, label: str, path: str) -> None:
    """Type a path into one of the two boxes."""
    box = visitor.page.get_by_role("combobox", name=label)
    box.click()
    box.fill(path)
    box.press("Enter")


def type_slice(visitor: Visitor, line: str) -> None:
    """Type a slice and wait until it is in the list; the estimate may still be on its way."""
    expect(visitor.line).to_be_enabled()
    visitor.line.fill(line)
    expect(visitor.line).to_have_value(line)
    visitor.line.press("Enter")
    expect(visitor.row(line.split(":")[0])).to_be_visible()


@pytest.mark.long
def test_millions_of_rows_are_counted_while_the_page_answers(
    arrive: Arrive, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(folder)
    monkeypatch.setenv("MANDOLINE_ALLOW_DIRS", str(folder))
    monkeypatch.setenv("POLARS_MAX_THREADS", "1")
    with Server(tmp_path) as server:
        visitor = arrive(f"{server.url}/projects", server, wait=False)
        page = visitor.page
        page.get_by_role("tab", name="Use data on the server").click()
        name_data(visitor, "Labelled data on the server", "../../etc/passwd")
        expect(visitor.main).to_contain_text("A path may not contain '..'")
        name_data(visitor, "Labelled data on the server", "source/*.parquet")
        expect(visitor.main).to_contain_text("source/*.parquet: 12,000,000 rows", timeout=2 * PATIENCE)
        name_data(visitor, "New data on the server", "target/*.parquet")
        visitor.button("Use this data").click(timeout=2 * PATIENCE)
        expect(visitor.summary).to_contain_text("effective rows", timeout=2 * PATIENCE)
        before = re.findall(r"[\d.]+%", visitor.summary.inner_text())[0]
        visitor.go("Slices")
        visitor.settle()
        type_slice(visitor, "negation: not, never, no")
        expect(visitor.summary).to_contain_text("updating")
        expect(visitor.summary).to_contain_text(before)  # the last estimate stays
        expect(visitor.summary).to_contain_text("a sample of 20,000 of 12,000,000 labelled rows")
        expect(visitor.summary).to_contain_text("Counting 24,000,000 rows")
        type_slice(visitor, "short: n_words < 30")  # the page takes the next edit while it counts
        expect(visitor.row("short")).to_be_visible()
        expect(visitor.summary).to_contain_text("updating")
        page.locator(".st-key-stop_count button").click()
        expect(visitor.button("Resume")).to_be_visible()
        visitor.button("Resume").click()
        expect(visitor.summary).to_contain_text("effective rows", timeout=3 * PATIENCE)
        expect(visitor.summary).not_to_contain_text("updating")
