"""An analyst's morning: two files of flights, slices typed by hand, a measured one, a snapshot, a report to send."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, expect

import mandoline_core as md
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.test_own_data import command_line
from tests.browser.test_share import opened, wait_until_drawn
from tests.browser.test_sharing import take
from tests.browser.visitor import Visitor

GOLD = "Column of gold labels"
LINES = {
    "windy: wind >= 20": "threshold",
    "fog, storm": "keyword",
    "carrier in UA, DL": "category",
    "60 < temp < 80": "range",
    "words(remark) < 4": "length",
    "confidence < 70%": "confidence",
}


def write_flights(folder: Path) -> tuple[Path, Path]:
    """Write flights of spring, with labels, and of summer, without; someone noted in spring whether it was windy."""
    rng = np.random.default_rng(7)
    words = np.array(["clear", "calm", "fog", "storm", "rain", "sun", "late crew", "full"])
    paths = []
    for name, n, season in (("spring", 3000, 0.0), ("summer", 1500, 1.0)):
        wind = rng.gamma(3.0, 4.0 + 2.0 * season, n).round(1)
        late = rng.random(n) < 0.2 + 0.25 * (wind > 20)
        sure = np.clip(rng.normal(0.85 - 0.2 * (wind > 20), 0.08, n), 0.5, 0.99).round(3)
        said = np.where(rng.random(n) < sure, late, ~late)
        frame = pd.DataFrame(
            {
                "carrier": rng.choice(
                    ["UA", "DL", "AA", "B6"], n, p=[0.4, 0.3 - 0.1 * season, 0.2, 0.1 + 0.1 * season]
                ),
                "temp": rng.normal(60 + 12 * season, 8, n).round().astype(int),
                "wind": wind,
                "remark": [" ".join(rng.choice(words, rng.integers(1, 7))) for _ in range(n)],
                "pred_gbm": np.where(said, "late", "on time"),
                "prob_gbm_late": np.where(said, sure, 1 - sure).round(3),
                "prob_gbm_on time": np.where(said, 1 - sure, sure).round(3),
            }
        )
        if name == "spring":
            frame["label"] = np.where(late, "late", "on time")
            frame["noted"] = np.where(rng.random(n) < 0.95, wind >= 20, wind < 20)
        frame.to_csv(folder / f"{name}.csv", index=False)
        paths.append(folder / f"{name}.csv")
    return paths[0], paths[1]


def bring(visitor: Visitor, spring: Path, summer: Path) -> None:
    """Upload both files; the roles that were guessed are right."""
    visitor.go("Projects")
    visitor.page.get_by_role("tab", name="Use my files").click()
    visitor.upload("Labelled data", spring)
    visitor.upload("New data", summer)
    visitor.button("Use these files").click()
    expect(visitor.main.get_by_role("heading", name="spring")).to_be_visible()
    visitor.settle()


def type_slices(visitor: Visitor) -> None:
    """Write six slices of six kinds without touching the mouse."""
    visitor.go("Slices")
    visitor.line.focus()
    for line in LINES:
        visitor.page.keyboard.type(line)
        visitor.page.keyboard.press("Enter")
        expect(visitor.line).to_have_value("")
        visitor.settle()
        expect(visitor.line).to_be_focused()


@pytest.mark.long
def test_from_two_files_to_a_report_in_someones_hands(
    arrive: Arrive, server: Server, browser: Browser, folder: Path
) -> None:
    visitor = arrive()
    bring(visitor, *write_flights(folder))
    type_slices(visitor)
    visitor.view("windy", "Reliability")
    visitor.choose(GOLD, "noted")
    visitor.button("Measure").click()
    expect(visitor.main).to_contain_text("Measured on 3,000 labelled rows.")
    visitor.settle()

    visitor.open_history()
    visitor.page.get_by_role("textbox", name="Name of this version").fill("six slices")
    visitor.button("Save snapshot").click()
    visitor.expect_message("Saved snapshot six slices.")
    visitor.close_dialog()
    visitor.add_line("late crew")
    visitor.add_line("temp >= 85")
    visitor.edit("fog, storm")
    visitor.button("Delete").click()
    visitor.expect_message("Undo restores it.")
    visitor.settle()
    history = visitor.open_history()
    for told in ("late crew added", "temp at least 85 added", "fog, storm removed"):
        expect(history).to_contain_text(told)
    visitor.close_dialog()

    visitor.go("Share")
    with visitor.page.expect_download() as found:
        visitor.button("Download report").click()
    report = folder / found.value.suggested_filename
    found.value.save_as(report)
    zipped = take(visitor, "Download project with its data", folder)
    said = command_line(zipped)
    with opened(browser, report) as page:
        wait_until_drawn(page)
        numbers = json.loads(page.locator("#numbers").inner_text())
    assert {**numbers, "made": None} == {**said, "made": None}
    project = md.load_project(zipped)
    assert {rule.kind for rule in project.slices} >= set(LINES.values())
    assert project.slices[1].noise == md.Noise(measured=True)
    assert md.estimate(project).estimate == said["estimate"]
