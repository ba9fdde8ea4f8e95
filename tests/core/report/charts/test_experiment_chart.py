"""Figures of experiments: every number in its place, the paper's hollow, and names made safe."""

from __future__ import annotations

import pytest

from mandoline_core.report.charts import Point, experiment_dots, experiment_lines

POINTS = [
    Point("mandoline", 1.0, 0.1, 0.01),
    Point("mandoline", 10.0, 0.2, 0.02),
    Point("simple", 1.0, 0.3),
    Point("simple", 0.0, 0.4),
]


def test_lines_are_sorted_and_have_bands_of_two_standard_errors() -> None:
    figure = experiment_lines(POINTS, title="A title", x="x", y="y")
    traces = {trace.name: trace for trace in figure.data if trace.mode == "lines+markers"}
    assert list(traces["simple"].x) == [0.0, 1.0]
    (band,) = [trace for trace in figure.data if trace.fill == "toself"]
    assert sorted(band.y) == pytest.approx([0.08, 0.12, 0.16, 0.24])


def test_a_logarithmic_axis_leaves_out_what_it_cannot_show() -> None:
    figure = experiment_lines(POINTS, title="A title", x="x", y="y", log_x=True, log_y=True)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert list(figure.layout.xaxis.ticktext) == ["1", "10"]
    (simple,) = [trace for trace in figure.data if trace.name == "simple"]
    assert list(simple.x) == [1.0]


def test_the_papers_numbers_are_hollow_and_named_in_the_key() -> None:
    paper = [Point("simple", 1.0, 0.35), Point("unknown", 1.0, 0.5)]
    figure = experiment_lines(POINTS, title="A title", x="x", y="y", paper=paper)
    (hollow,) = [trace for trace in figure.data if trace.name == "simple, the paper"]
    assert hollow.marker.symbol.endswith("-open")
    assert list(hollow.y) == [0.35]
    assert any("hollow: the paper" in note.text for note in figure.layout.annotations)
    assert not [trace for trace in figure.data if "unknown" in trace.name]


def test_dots_stand_beside_their_names_and_do_not_hide_each_other() -> None:
    points = [Point(series, model, 1.0, 0.1) for series in ("source", "mandoline") for model in ("lr", "knn")]
    figure = experiment_dots(points, title="A title", x="points")
    assert list(figure.layout.yaxis.ticktext) == ["lr", "knn"]
    places = [place for trace in figure.data for place in trace.y]
    assert len(set(places)) == 4
    assert figure.data[0].error_x.array == (0.2, 0.2)


def test_names_are_made_safe() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    points = [Point(hostile, hostile, 1.0), Point("other", hostile, 2.0)]
    text = experiment_dots(points, title=hostile, x=hostile).to_json()
    assert "<img" not in text.replace("\\u003c", "<")
