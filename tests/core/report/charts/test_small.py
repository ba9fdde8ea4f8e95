"""The small pictures beside the work: the same numbers as the large figures, and no name becomes markup."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core import Ablation, AblationPoint, ModelReport
from mandoline_core.report import charts

REVIEWS = Path(__file__).parents[4] / "sample_data" / "reviews" / "project.toml"
HOSTILE = "<img src=x onerror=alert(1)>\"'&"


class Reader(HTMLParser):
    """Read a picture: its tags, its words, what hovering says, and the numbers behind its marks."""

    def __init__(self, written: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.hovers: list[str] = []
        self.alt = ""
        self.numbers: dict[str, dict[str, list[float]]] = {}
        self.feed(written)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and what its attributes say."""
        found = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.hovers += [found["title"]] if "title" in found else []
        self.alt = found.get("aria-label", self.alt)
        if "data-name" in found:
            kept = {key.removeprefix("data-"): json.loads(found[key]) for key in ("data-x", "data-y") if key in found}
            self.numbers[found["data-name"]] = kept

    def handle_data(self, data: str) -> None:
        """Note words."""
        self.words.append(data)


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS), reveal=True).first


@pytest.fixture(scope="module")
def curves(report: ModelReport) -> Ablation:
    return md.ablation(report.fit, md.load_project(REVIEWS).estimator)


def test_the_weights_are_those_of_the_large_figure(report: ModelReport) -> None:
    (bars,) = charts.weight_histogram(report).data
    picture = Reader(charts.small_weights(report, alt="weights"))
    assert picture.alt == "weights"
    assert picture.numbers["labelled rows"] == {"x": list(bars.x), "y": list(bars.y)}
    assert sum("rows, weight" in said for said in picture.hovers) == len(bars.x)
    assert {"weight of a labelled row", "labelled rows", "average"} <= set(picture.words)


def test_the_strip_shows_the_truth_only_when_revealed(report: ModelReport) -> None:
    for reveal in (False, True):
        picture = Reader(charts.small_strip(report, reveal=reveal, alt="strip"))
        assert picture.numbers["new data (estimate)"]["x"] == [report.estimate]
        assert picture.numbers["labelled data"]["x"] == [report.source]
        assert ("true value" in picture.numbers) == reveal
        assert any("accuracy (share of rows" in words for words in picture.words)


def test_the_curve_has_gaps_where_there_is_no_estimate(curves: Ablation) -> None:
    """A point that is missing says why on hovering, and the line is parted there."""
    points = list(curves.cumulative)
    points[2] = AblationPoint("short", None, None, None, "The <weights> could not be fitted.")
    for truth in (None, 0.79):
        picture = Reader(
            charts.small_curve(replace(curves, cumulative=tuple(points)), truth=truth, share=True, alt="curve")
        )
        assert picture.numbers["estimate"]["x"] == [0, 1, 3, 4]
        assert picture.numbers["estimate"]["y"] == [one.estimate for one in points if one.estimate is not None]
        assert any("The <weights> could not be fitted." in said for said in picture.hovers)
        assert ("true value 79.0%" in picture.words) == (truth is not None)


def test_names_stay_names(curves: Ablation) -> None:
    points = [replace(point, slice=HOSTILE if point.slice else None) for point in curves.cumulative]
    picture = Reader(charts.small_curve(Ablation(tuple(points), ()), truth=None, share=True, alt="curve"))
    assert picture.tags == {"div", "i"}
    assert any(HOSTILE in said for said in picture.hovers)


def test_the_state_before_is_dashed_and_axes_hold_still(report: ModelReport, curves: Ablation) -> None:
    """Slices that are gone have no place; an axis moves only for what does not fit, or when it is far too wide."""
    fewer = Ablation(tuple(point for point in curves.cumulative if point.slice != "slang"), ())
    axes: charts.Axes = {}
    for now, earlier, n in ((curves, fewer, 4), (fewer, curves, 4), (curves, None, 0)):
        picture = Reader(charts.small_curve(now, before=earlier, axes=axes, truth=None, share=True, alt="curve"))
        assert sum(said.startswith("before\n") for said in picture.hovers) == n
        assert any("dashed: before" in words for words in picture.words) == (n > 0)
    kept = dict(axes)
    assert kept
    few = Ablation(curves.cumulative[:4], ())
    charts.small_curve(few, axes=axes, truth=None, share=True, alt="curve")
    assert axes == kept
    charts.small_curve(few, axes=axes, truth=0.1, share=True, alt="curve")
    assert axes["estimate"][0] < 0.1
    alone = Reader(charts.small_weights(report, before=report, axes=axes, alt="weights"))
    assert alone.numbers == Reader(charts.small_weights(report, alt="weights")).numbers
    assert any(said.startswith("before: ") for said in alone.hovers)
