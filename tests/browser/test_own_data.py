"""A person brings two files, writes slices and corrects them; every number is the library's, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

import mandoline_core as md
from mandoline_core.report import charts
from tests.browser.conftest import Arrive
from tests.browser.server import ROOT, Server
from tests.browser.visitor import CURVE, WEIGHTS, Visitor
from tests.core.projects import small_frames, write_project

REVIEWS = ROOT / "sample_data" / "reviews"
SURE = "When the rule says yes, how often is it right? (labelled data)"


@dataclass(frozen=True)
class Told:
    """Hold what the library says of the project that a person sees."""

    project: md.Project
    report: md.Report
    path: Path


def write_files(folder: Path) -> tuple[Path, Path]:
    """Write two files of a person's own: other names, fewer rows and columns than the sample's."""
    columns = ["text", "n_words", "pred_lr"]
    source, target = folder / "last year.csv", folder / "this year.csv"
    pd.read_csv(REVIEWS / "source.csv")[["label", *columns]].iloc[:2000].to_csv(source, index=False)
    pd.read_csv(REVIEWS / "target.csv")[columns].iloc[:600].to_csv(target, index=False)
    return source, target


def upload(visitor: Visitor, source: Path, target: Path) -> None:
    """Bring two files and use them."""
    visitor.go("Projects")
    visitor.page.get_by_role("tab", name="Use my files").click()
    visitor.upload("Labelled data", source)
    expect(visitor.main).to_contain_text(f"{source.name}: 2,000 rows, 4 columns.")
    visitor.upload("New data", target)
    visitor.button("Use these files").click()
    expect(visitor.main.get_by_role("heading", name="last year")).to_be_visible()
    visitor.settle()


def told(visitor: Visitor, folder: Path) -> Told:
    """Check all that the page shows against what the library says of the exported project."""
    path = visitor.export(folder)
    project = md.load_project(path)
    report = md.estimate(project)
    visitor.expect_estimate(report.first)
    (bars,) = charts.weight_histogram(report.first).data
    visitor.expect_trace(WEIGHTS, "labelled rows", {"x": list(bars.x), "y": list(bars.y)})
    curves = md.ablation(report.first.fit, project.estimator)
    heights = [point.estimate for point in curves.cumulative]
    visitor.expect_trace(CURVE, "estimate", {"y": [height for height in heights if height is not None]})
    assert heights[-1] == pytest.approx(report.estimate, abs=1e-12)
    return Told(project, report, path)


def command_line(path: Path) -> dict[str, object]:
    """Ask the command line about a project file."""
    command = [sys.executable, "-m", "mandoline_core.cli", "estimate", str(path), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)


@pytest.mark.long
def test_files_slices_and_corrections_move_the_numbers_and_survive_everything(
    arrive: Arrive, folder: Path, tmp_path: Path
) -> None:
    """Upload, keyword, threshold, correction: each moves the estimate, the histogram and the curve as the library does.

    Then a refresh, and a server killed and started again, find everything as it was.
    """
    source, target = write_files(folder)
    with Server(tmp_path) as server:
        visitor = arrive(at=server)
        upload(visitor, source, target)
        visitor.go("Slices")
        start = told(visitor, folder)
        assert [rule.kind for rule in start.project.slices] == ["prediction"]

        line = visitor.summary.inner_text()
        visitor.add_line("not")
        visitor.add_word("lol")
        expect(visitor.button("Remove lol")).to_be_visible()
        expect(visitor.summary).not_to_have_text(line)
        visitor.settle()
        keyword = told(visitor, folder)
        assert keyword.project.slices[-1] == md.Keyword("not", column="text", words=("not", "lol"))
        assert keyword.report.estimate != start.report.estimate

        line = visitor.summary.inner_text()
        visitor.pick("Threshold")
        expect(visitor.name_field).to_have_value("threshold")
        visitor.choose("Column", "n_words")
        cut = visitor.nudge("Above", "ArrowLeft", times=5)
        expect(visitor.summary).not_to_have_text(line)
        visitor.settle()
        threshold = told(visitor, folder)
        assert threshold.project.slices[-1] == md.Threshold("threshold", column="n_words", above=cut)
        assert threshold.report.estimate != keyword.report.estimate

        visitor.view("threshold", "Reliability")
        line = visitor.summary.inner_text()
        sure = visitor.nudge(SURE, "ArrowLeft", times=10)
        assert sure == pytest.approx(90)
        expect(visitor.summary).not_to_have_text(line)
        visitor.settle()
        corrected = told(visitor, folder)
        noise = corrected.project.slices[-1].noise
        assert noise is not None
        assert noise.source == md.Correction(inside=0.9)
        assert corrected.report.estimate != threshold.report.estimate

        said = command_line(corrected.path)
        assert said["estimate"] == corrected.report.estimate
        assert said["interval"] == list(corrected.report.interval)

        visitor.page.reload()
        assert told_again(visitor, folder).project == corrected.project
        server.kill()
        server.start()
        visitor.open(visitor.link)
        assert told_again(visitor, folder).project == corrected.project


def told_again(visitor: Visitor, folder: Path) -> Told:
    """Look at the same page after it was loaded anew."""
    visitor.settle()
    expect(visitor.page.get_by_role("heading", name="Slices", exact=True, level=1)).to_be_visible()
    expect(visitor.page.get_by_role("textbox", name="Project")).to_have_value("last year")
    return told(visitor, folder)


@pytest.mark.long
def test_a_file_of_labels_alone_brings_the_truth(arrive: Arrive, server: Server, folder: Path) -> None:
    """From the Result page to the Data page and back: what is revealed is what the library gives."""
    host = arrive(server.link_to(write_project(folder, {"target": {"path": "target.csv"}})))
    host.main.get_by_role("link", name="Add labels").click()
    host.main.get_by_text("Labels of the new data").click()
    labels = small_frames()[2]
    for name, table, said in (
        ("a few.csv", labels[:7], "a few.csv has 7 rows, but target.csv has 300."),
        ("mine.csv", labels, "mine.csv: 300 rows, labels in column label"),
    ):
        table.to_csv(folder / name, index=False)
        host.upload("Labels file", folder / name)
        expect(host.main.get_by_text(said)).to_be_visible()
    host.button("Use these labels").click()
    expect(host.main.get_by_text("mine.csv has labels of all 300 new rows.")).to_be_visible()
    host.settle()
    host.main.get_by_role("link", name="Go to Result").click()
    host.button("Reveal truth").click()
    truth = md.estimate(md.load_project(write_project(folder)), reveal=True).truth
    expect(host.main.get_by_role("heading", level=4)).to_contain_text(f"The true value is {truth:.1%}")
    host.settle()
    host.button("Undo").click()
    expect(host.main.get_by_text("The new data have no labels.")).to_be_visible()
