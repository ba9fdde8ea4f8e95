"""Reliability and links, with files of a person's own: presets, sliders, gold labels and pairs, as the library."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.app.views.test_reliability import GOLD, SAYS_IN, write_audited
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import Visitor

SURE = f"{SAYS_IN} (labelled data)"
MANY = 30


def as_the_library(visitor: Visitor, folder: Path) -> md.Project:
    """Check the number above the work against the library's for the exported project."""
    visitor.settle()
    project = md.load_project(visitor.export(folder))
    visitor.expect_estimate(md.estimate(project).first)
    return project


@pytest.mark.long
def test_true_answers_in_one_of_two_files_are_measured_on(visitor: Visitor, folder: Path) -> None:
    """Upload, choose the column, measure; then a second card and a pair: the estimate follows each as the library."""
    write_audited(folder)
    visitor.go("Projects")
    visitor.page.get_by_role("tab", name="Use my files").click()
    visitor.upload("Labelled data", folder / "source.csv")
    visitor.upload("New data", folder / "target.csv")
    visitor.button("Use these files").click()
    expect(visitor.main.get_by_role("heading", name="source")).to_be_visible()
    visitor.go("Slices")
    visitor.add_line("threshold: dark > 0.5")
    visitor.view("threshold", "Reliability")
    visitor.choose(GOLD, "truly")
    visitor.button("Measure").click()
    source = pd.read_csv(folder / "source.csv").dropna(subset="truly")
    expect(visitor.main).to_contain_text(f"Measured on {len(source):,} labelled rows.")
    expect(visitor.chosen.get_by_role("radio", name="Measured", exact=True)).to_be_checked()
    measured = as_the_library(visitor, folder)
    assert measured.slices[1].gold == "truly"
    assert measured.slices[1].noise == md.Noise(measured=True)
    right = 100 * (source[source["dark"] == 1]["truly"] == "yes").mean()
    assert float(visitor.slider(SURE).input_value()) == pytest.approx(right, abs=0.5)

    visitor.view("predicted", "Reliability")
    visitor.chosen.get_by_role("radio", name="Rough", exact=True).click()
    box = visitor.chosen.get_by_label(f"{SURE}, in percent", exact=True)
    expect(box).to_have_value("75")
    visitor.settle()
    box.fill("83.5")
    box.press("Enter")
    expect(visitor.chosen.get_by_role("radio", name="Custom", exact=True)).to_be_checked()
    both = as_the_library(visitor, folder)
    assert both.slices[0].noise == md.Noise(md.Correction(0.835, 0.15))
    assert md.estimate(both).estimate != md.estimate(measured).estimate

    visitor.view("predicted", "Links")
    visitor.chosen.get_by_role("radio", name="By hand", exact=True).click()
    visitor.settle()
    promised = visitor.main.get_by_text("With it: ").first.inner_text()
    visitor.main.get_by_text("predicted_a and threshold", exact=True).click()
    expect(visitor.main).to_contain_text("In use: predicted_a and threshold.")
    joined = as_the_library(visitor, folder)
    assert joined.edges == (("predicted_a", "threshold"),)
    assert show_value(md.estimate(joined).estimate, share=True) in promised
    expect(visitor.main).to_contain_text("Without it: ")
    for label in ("add pair predicted_a and threshold", "correct predicted", "set predicted to rough"):
        visitor.button("Undo").click()
        visitor.expect_message(f"Undone: {label}")
        visitor.settle()
    assert as_the_library(visitor, folder).slices == measured.slices


@pytest.mark.long
def test_thirty_slices_can_be_overseen_on_any_screen(arrive: Arrive, server: Server, folder: Path) -> None:
    """A row takes little height, nothing is wider than the screen; an old address leads here."""
    visitor = arrive(server.link_to(write_many(folder), "corrections"))
    expect(visitor.page).to_have_url(re.compile("/slices"))
    rows = [visitor.row(f"a slice with number {place}").bounding_box() for place in (1, 9)]
    assert rows[0] is not None
    assert rows[1] is not None
    assert rows[1]["y"] - rows[0]["y"] < 400  # pixels that eight slices take
    visitor.view("a slice with number 0", "Links")
    expect(visitor.main.get_by_text("With it: ")).to_have_count(8)
    for width in (1280, 390):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        visitor.settle()
        main = visitor.page.get_by_test_id("stMain")
        assert main.evaluate("found => found.scrollWidth - found.clientWidth") == 0, width


def write_many(folder: Path) -> Path:
    """Write a project of thirty slices with names that are not short."""
    rng = np.random.default_rng(3)
    for side, n, shift in (("source", 1500, 0.0), ("target", 500, 0.06)):
        flags = {f"f{i}": rng.random(n) < 0.1 + 0.02 * i + shift * (i % 3) for i in range(MANY)}
        label = rng.choice(["a", "b"], n)
        guess = np.where(rng.random(n) < 0.1 + 0.2 * flags["f3"], "a", label)
        more = {"label": label} if side == "source" else {}
        pd.DataFrame({**flags, "guess": guess, **more}).to_csv(folder / f"{side}.csv", index=False)
    project = md.Project(
        name="many",
        source_path=Path("source.csv"),
        target_path=Path("target.csv"),
        label="label",
        models=(md.Model("m", "guess"),),
        slices=tuple(md.Flag(f"a slice with number {i}", column=f"f{i}") for i in range(MANY)),
        base=folder,
    )
    md.save_project(project, folder / "project.toml")
    return folder / "project.toml"
