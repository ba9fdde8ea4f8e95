"""Slides: their numbers are the report's, the verdict is in words, and a story goes no further than it allows."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core import DecisionSettings, Report, Verdict
from mandoline_core.pipeline import Attribution, AttributionPart
from mandoline_core.report import hidden_change
from mandoline_core.report.deck import Slide, Story, find_examples, make_slides, paper
from tests.core.projects import REVIEWS, write_project
from tests.hostile import write_hostile_project
from tests.payloads import PAYLOADS

ELEMENTS = {"svg", "text", "line", "path", "rect"}


def story_of(report: Report, **more: object) -> Story:
    first, request = report.first, report.asked
    rows = tuple(report.slices())
    story = Story(
        report.name,
        first,
        rows,
        {rule.name: rule.describe() for rule in request.slices},
        report.attribution(),
        find_examples(request.source, request.target, first.cells.slices, rows),
        report.second_opinions[first.model],
        report.experiences[first.model],
        hidden_change(first) if first.problem.metric.is_mean else None,
    )
    return replace(story, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def story() -> Story:
    return story_of(md.estimate(md.load_project(REVIEWS), reveal=True))


def texts(slide: Slide) -> list[str]:
    """Read the slide off its picture, which holds nothing but text and marks."""
    picture = ET.fromstring(slide.svg)  # noqa: S314  our own
    assert {one.tag.partition("}")[2] for one in picture.iter()} <= ELEMENTS
    return [str(one.text) for one in picture.iter() if one.tag.endswith("}text")]


def told(slide: Slide) -> str:
    return " ".join([slide.title, *texts(slide), *slide.lines])


def test_the_story_goes_from_the_labelled_score_over_the_slices_to_what_to_do(story: Story) -> None:
    slides = make_slides(replace(story, decision=DecisionSettings(threshold=0.75)))
    names = ["reviews", "What changed", *["What the slices do"] * 4, "Estimate", "How sure", "What could be wrong"]
    assert [slide.name for slide in slides] == [*names, "Decision", "Next step"]
    start, changed, short, *_, waterfall, end, sure, wrong, decision, todo = slides
    assert "88.4%" in texts(start)
    assert changed.title == "short: 11.8% of labelled rows, 59.8% of new rows"
    assert "text below 30 words" in changed.foot
    assert short.title == "short: -3.0 points (-4.3 to -1.7)"
    assert waterfall.title.startswith("Slices move the score by -9.0 points")
    assert texts(waterfall).count("79.4%") == 1
    assert "estimate" not in texts(short)
    assert end.title.startswith("On the new data this model is probably right 79.4% of the time (76.5 to 82.0)")
    assert "9 of 10 estimates were within" in sure.title
    assert "Doubly robust" in texts(wrong)
    assert decision.badge == ("Threshold met", "green")
    assert any("60 labels of new rows" in line for line in todo.lines)


def test_the_true_value_is_on_a_slide_of_its_own_and_only_if_asked_for(story: Story) -> None:
    *slides, truth = make_slides(story, truth=True)
    assert "0.4 points off, and the interval for these rows (75.8 to 82.7) contains it" in truth.title
    assert "true value" in texts(truth)
    for one in (*slides, *make_slides(story)):
        assert "true value 79.0%" not in told(one)
        assert "The true value is" not in told(one)
    assert [one.name for one in make_slides(story)] == [one.name for one in slides]
    unknown = replace(story, report=replace(story.report, truth=None))
    assert make_slides(unknown, truth=True)[-1].name == "Next step"


@pytest.mark.parametrize("level", ["confirmed", "green", "amber", "red"])
def test_the_verdict_is_in_words_and_what_must_not_be_quoted_is_never_large(story: Story, level: str) -> None:
    verdict = Verdict(level, "a few rows decide.", (), "it is so.", "A few rows decide.")
    slides = make_slides(replace(story, report=replace(story.report, verdict=verdict), experience=None))
    (estimate,) = [slide for slide in slides if slide.name == "Estimate"]
    assert verdict.meaning in texts(estimate)
    assert ("79.4%" in estimate.title) == (level != "red")
    after = slides[slides.index(estimate) :]
    large = [
        one
        for slide in after
        for one in ET.fromstring(slide.svg).iter()  # noqa: S314  our own
        if one.text and "79.4%" in one.text and float(one.attrib["font-size"]) >= 80
    ]
    assert bool(large) == (level != "red")
    if level == "red":
        assert "a few rows decide" in estimate.title
        with_numbers = [slide for slide in slides if "79.4%" in told(slide)]
        assert all("Do not quote yet" in texts(slide) for slide in with_numbers if slide.name != "Decision")


def test_slices_that_do_next_to_nothing_are_one_line(story: Story) -> None:
    values = {"big": -0.05, "tiny": 0.0004, "least": -0.0009}
    parts = tuple(AttributionPart(name, value, (value - 0.01, value + 0.01)) for name, value in values.items())
    slides = make_slides(replace(story, effects=Attribution(sum(values.values()), (-0.06, -0.04), parts)))
    last = [slide for slide in slides if slide.name == "What the slices do"][-1]
    assert "2 others" in texts(last)
    assert not {"tiny", "least"} & set(texts(last))
    assert last.foot == "2 others: tiny, least."


def test_without_an_estimate_there_is_a_story_without_numbers_from_weights(story: Story) -> None:
    slides = make_slides(replace(story, report=replace(story.report, converged=False, verdict=None)))
    assert [slide.name for slide in slides] == ["reviews", "What changed", "Estimate", "Next step"]
    assert slides[2].title.startswith("There is no estimate")


def test_without_slices_that_moved_nothing_is_said_to_have_changed(story: Story) -> None:
    slides = make_slides(replace(story, rows=(), effects=None, opinion=None, experience=None, hidden=None))
    assert [slide.name for slide in slides] == ["reviews", "Estimate", "How sure", "Next step"]


def test_what_the_project_says_of_the_decision_is_on_the_slides(story: Story) -> None:
    said = DecisionSettings(threshold=0.9, model="Sentiment", version="2.1", owner="Ada", intended_use="triage")
    start, *_, decision, _ = make_slides(replace(story, decision=said))
    assert start.title.startswith("How well does Sentiment 2.1 do on")
    assert start.foot == "Intended use: triage. Owner: Ada."
    assert decision.badge == ("Threshold missed", "red")
    assert "threshold 90.0%" in texts(decision)


def test_names_that_are_hostile_or_long_stay_text(folder_of_hostile: Path) -> None:
    report = md.estimate(md.load_project(folder_of_hostile))
    for slide in make_slides(story_of(report, decision=DecisionSettings(owner=PAYLOADS[0].text))):
        assert texts(slide)
        assert "<script" not in slide.svg.lower()


@pytest.fixture
def folder_of_hostile(tmp_path: Path) -> Path:
    return write_hostile_project(tmp_path, PAYLOADS[:8])


@pytest.mark.parametrize("metric", [{"name": "error"}, {"name": "mean", "column": "n_words"}, {"name": "f1"}])
def test_any_metric_has_slides(tmp_path: Path, metric: dict[str, str]) -> None:
    changes = {"metric": metric} | ({"models": None, "task": None} if metric["name"] == "mean" else {})
    report = md.estimate(md.load_project(write_project(tmp_path, changes)))
    slides = make_slides(story_of(report))
    assert all(texts(slide) for slide in slides)


@pytest.mark.parametrize("words", ["one", "a b " * 200, "x" * 500, "切片" * 90, "\u202e\n\t", "🙂" * 60])
def test_text_keeps_within_its_place(words: str) -> None:
    fitted = paper.fit(words, 600, 90, (40, 30, 22))
    assert fitted.height <= 90
    assert all(paper.width_of(line, fitted.size) <= 600 for line in fitted.lines)
    whole = "".join(paper.lines_of(words, 600, 22)).replace(" ", "")
    assert whole == "".join(paper.clean(words).split())
