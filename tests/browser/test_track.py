"""A person gives three weeks of new data and a file that is none: the line is drawn, and a refresh keeps it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.monitoring import find_targets, track_targets
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.core.projects import small_frame, write_project

LINE = "The estimate on each batch of new data, with its interval"


def test_weeks_become_a_line(arrive: Arrive, server: Server, folder: Path) -> None:
    """With the library's numbers; a file that is no table is named, and the others are there."""
    project = write_project(folder)
    files = [folder / f"week-{number}.csv" for number in (9, 10, 11)]
    for seed, file in enumerate(files):
        frame = small_frame(200, share_negated=0.2 + 0.3 * seed, share_long=0.4, seed=seed)
        frame.drop(columns="label").to_csv(file, index=False)
    (folder / "broken.csv").write_bytes(b"")
    visitor = arrive(server.link_to(project, "track"))
    visitor.upload("Files, one per batch", folder / "broken.csv", *files)
    expect(visitor.main).to_contain_text("broken.csv is empty")
    told = track_targets(md.load_project(project), find_targets(str(folder / "week-*.csv")))
    heights = [one.models["lr"]["estimate"] for one in told.targets]
    visitor.expect_trace(LINE, "estimate", {"x": [0, 1, 2], "y": heights})
    expect(visitor.main.get_by_role("heading", level=4)).to_contain_text("Newest batch, week-11.csv")
    box = visitor.page.get_by_label("Alert when below (%)")
    box.fill("80")
    box.press("Enter")
    expect(visitor.main).to_contain_text("week-11.csv: the estimate of lr")
    visitor.settle()
    visitor.page.reload()
    visitor.expect_trace(LINE, "estimate", {"x": [0, 1, 2], "y": heights})
    expect(visitor.page.get_by_label("Alert when below (%)")).to_have_value("80")
