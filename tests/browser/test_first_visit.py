"""A newcomer opens the app and sees an estimate of the sample project, the same as the library's."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.browser.server import ROOT
from tests.browser.visitor import Visitor

SAMPLE = ROOT / "sample_data" / "reviews" / "project.toml"


@pytest.fixture(scope="module")
def report() -> md.Report:
    return md.estimate(md.load_project(SAMPLE), reveal=True)


def test_the_first_thing_on_screen_is_the_estimate(visitor: Visitor, report: md.Report) -> None:
    """Nothing to click, nothing to configure: the number, its interval and the source score."""
    low, high = (show_value(end, share=True) for end in report.interval)
    headline = visitor.main.get_by_role("heading", level=4)
    expect(headline).to_contain_text(f"{show_value(report.estimate, share=True)} of the time")
    expect(headline).to_contain_text(f"({low.rstrip('%')} to {high.rstrip('%')})")
    expect(headline).to_contain_text(f"it was {show_value(report.source, share=True)}")


def test_the_truth_shows_only_when_asked_for(visitor: Visitor, report: md.Report) -> None:
    """The labels of the new data stay put aside until a person reveals them."""
    truth = f"The true value is {show_value(report.truth or 0, share=True)}"
    expect(visitor.main).not_to_contain_text(truth)
    visitor.button("Reveal truth").click()
    expect(visitor.main).to_contain_text(truth)


def test_the_other_model_has_its_own_estimate(visitor: Visitor, report: md.Report) -> None:
    """Choosing a model shows that model's number."""
    visitor.choose("Model", "nb")
    expect(visitor.main.get_by_role("heading", level=4)).to_contain_text(
        f"{show_value(report.models['nb'].estimate, share=True)} of the time"
    )


def test_the_exported_sample_is_the_sample(visitor: Visitor, report: md.Report, folder: Path) -> None:
    """The project file runs beside the sample's data and gives the same number."""
    for name in ("source.csv", "target.csv", "target_labels.csv"):
        (folder / name).symlink_to(SAMPLE.parent / name)
    assert md.estimate(md.load_project(visitor.export(folder))).estimate == report.estimate
