"""The story of an estimate: its numbers are the report's, and it goes no further than the verdict."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

import mandoline_core as md
from app.words.story import Slide, reveal, slides, story_points
from mandoline_core import ModelReport, Verdict
from mandoline_core.pipeline import AttributionPart
from tests.core.projects import REVIEWS


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS), reveal=True).first


def effects(report: ModelReport) -> tuple[AttributionPart, ...]:
    return md.attribute(report.fit, report.settings).parts


def told(report: ModelReport) -> list[Slide]:
    project = md.load_project(REVIEWS)
    rows = {
        rule.name: [row for row in md.slice_table(report.fit) if row.name.startswith(rule.name)]
        for rule in project.slices
    }
    return slides(project, report, effects(report), rows)


def test_the_story_goes_from_the_labelled_score_over_every_slice_to_the_estimate(report: ModelReport) -> None:
    start, *steps, end = told(report)
    assert "88.4%" in start.lead
    assert [slide.lead.split(":")[0] for slide in steps] == ["negation", "short", "slang", "entropy"]
    assert [slide.shown for slide in steps] == [1, 2, 3, 4]
    assert any("of labelled rows" in line for line in steps[0].lines)
    assert end.lead.startswith("On the new data this model is probably right 79.4% of the time (77.0 to 81.6)")
    assert not any(slide.truth for slide in (start, *steps, end))


def test_the_way_goes_effect_by_effect_and_ends_at_the_estimate(report: ModelReport) -> None:
    points = story_points(report, effects(report))
    assert [point.slice for point in points] == [None, "negation", "short", "slang", "entropy"]
    steps = [after.estimate - before.estimate for before, after in pairwise(points)]
    assert steps == pytest.approx([part.value for part in effects(report)], abs=1e-9)
    assert (points[0].estimate, points[-1].estimate) == (report.source, report.estimate)
    assert [point.estimate for point in story_points(report, ())] == [report.source, report.estimate]


@pytest.mark.parametrize("level", ["green", "amber", "red"])
def test_what_stands_in_the_way_comes_before_the_number(report: ModelReport, level: str) -> None:
    judged = replace(report, verdict=Verdict(level, "A few rows decide.", (), "it is so.", "A few rows decide."))
    end = told(judged)[-1]
    assert end.level == level
    assert ("79.4%" in end.lead) == (level != "red")
    assert ("A few rows decide." in end.lead) == (level == "red")
    assert any("79.4%" in line for line in end.lines) == (level == "red")


def test_an_estimate_that_was_not_reached_is_not_told(report: ModelReport) -> None:
    end = told(replace(report, converged=False, verdict=None))[-1]
    assert end.lead.startswith("There is no estimate")
    assert not end.lines


def test_the_truth_says_how_far_off_the_estimate_was(report: ModelReport) -> None:
    assert "0.4 points off, and the interval for these rows (76.3 to 82.2) contains it" in reveal(report, 4).lead
    assert "does not contain it" in reveal(replace(report, truth=0.5), 4).lead
    assert "unknown" in reveal(replace(report, truth=None), 4).lead
