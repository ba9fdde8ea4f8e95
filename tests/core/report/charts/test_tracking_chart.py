"""The chart of estimates over batches: intervals, marks for verdicts, rings for alerts, lines not to be crossed."""

from __future__ import annotations

import colorsys

import plotly.graph_objects as go
import pytest

from mandoline_core.report.charts import TrackedPoint, slice_shares, track_chart

VERDICTS = ("green", "amber", "red", "")


def point(place: int, value: float, *limits: float, alert: bool = False) -> TrackedPoint:
    return TrackedPoint(f"week-{place}", value, (value - 0.02, value + 0.02), VERDICTS[place % 4], alert, limits)


def draw(points: list[TrackedPoint], source: float = 0.9, **more: bool) -> go.Figure:
    return track_chart(points, source=source, model="<b>lr", metric="accuracy", **more)


def traces(figure: go.Figure, name: str) -> list[go.Scatter]:
    return [trace for trace in figure.data if trace.name == name]


def words(figure: go.Figure) -> list[str]:
    return [annotation.text for annotation in figure.layout.annotations]


def test_marks_tell_verdicts_and_rings_alerts() -> None:
    points = [point(0, 0.88, 0.86), point(1, 0.84, 0.86, alert=True), point(2, 0.87, 0.86), point(3, 0.87, 0.86)]
    figure = draw(points)
    (line,) = traces(figure, "estimate")
    assert list(line.y) == [0.88, 0.84, 0.87, 0.87]
    assert list(line.marker.symbol) == ["circle", "diamond", "x", "circle-open"]
    assert [hue(colour) for colour in line.marker.color[:3]] == ["green", "amber", "red"]
    ring, limit = traces(figure, "alert")[::-1]
    assert (list(ring.x), list(ring.y)) == ([1], [0.84])
    assert set(limit.y) == {0.86}
    assert "labelled data 90.0%" in words(figure)
    assert "alert beyond 86.0%" in words(figure)
    assert figure.layout.title.text.replace("<br>", " ") == (
        "&lt;b&gt;lr: 87.0% on week-3, 1.0 points lower than on week-0; 1 alert"
    )
    assert figure.layout.xaxis.title.text
    assert figure.layout.yaxis.title.text


def hue(colour: str) -> str:
    """Name a colour as its verdict is named."""
    turn = colorsys.rgb_to_hsv(*(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0] * 360
    return "red" if turn < 20 or turn > 340 else "amber" if turn < 60 else "green" if 90 < turn < 170 else colour


@pytest.mark.parametrize("dark", [False, True])
def test_labels_are_stars_with_their_interval(dark: bool) -> None:
    """In the colour of true values, explained in the key, and within the axis; marks have the colours they name."""
    points = [point(place, 0.88)._replace(realised=0.7, realised_interval=(0.6, 0.8)) for place in range(2)]
    figure = draw([*points, point(2, 0.9)], dark=dark)
    (stars,) = traces(figure, "score by labels")
    assert (list(stars.y), stars.marker.symbol, len(stars.x)) == ([0.7, 0.7], "star", 2)
    assert stars.error_y.array[0] == pytest.approx(0.1)
    assert figure.layout.yaxis.range[0] < 0.6
    assert any("score by labels" in text for text in words(figure))
    (line,) = traces(figure, "estimate")
    assert [hue(colour) for colour in line.marker.color] == ["green", "amber", "red"]


def test_slices_have_a_panel_each_the_largest_move_first() -> None:
    """Each starts at 0, with its share in the labelled data; a name is text; no more than twelve."""
    shares = {f"s{i}": (0.2, [0.2, 0.2 + i / 100]) for i in range(14)} | {"<b>": (0.02, [0.5, None])}
    figure = slice_shares(["week-1", "week-2"], shares)
    lines = [trace for trace in figure.data if trace.name != "labelled data"]
    assert [trace.name for trace in lines][:3] == ["<b>", "s13", "s12"]
    assert len(lines) == len(traces(figure, "labelled data")) == 12
    assert list(lines[1].y) == [0.2, 0.33]
    axes = [figure.layout[f"yaxis{'' if i == 0 else i + 1}"] for i in range(12)]
    assert all(axis.range[0] == 0 for axis in axes)
    assert len({(axis.domain, figure.layout[axis.anchor.replace("x", "xaxis")].domain) for axis in axes}) == 12
    assert "&lt;b&gt;" in words(figure)
    assert any("3 slices that moved less" in text for text in words(figure))


def test_a_line_that_follows_the_estimates_goes_in_steps() -> None:
    """From the second batch on: the first has none before it."""
    figure = draw([point(0, 0.88), point(1, 0.86, 0.85), point(2, 0.87, 0.83)])
    (limit,) = traces(figure, "alert")
    assert (list(limit.x), list(limit.y)) == ([0.5, 1.5, 1.5, 2.3], [0.85, 0.85, 0.83, 0.83])
    assert "alert beyond this line" in words(figure)


def test_what_should_be_near_0_has_two_lines() -> None:
    figure = draw([point(0, 0.01, 0.05, -0.05), point(1, 0.02, 0.05, -0.05)], source=0.0, share=False)
    assert [set(limit.y) for limit in traces(figure, "alert")] == [{0.05}, {-0.05}]
    assert words(figure).count("alert beyond 0.05") == 1


@pytest.mark.parametrize("dark", [False, True])
def test_one_batch_has_a_bar_and_no_band(dark: bool) -> None:
    figure = draw([point(0, 0.88, 0.86)], dark=dark)
    (line,) = traces(figure, "estimate")
    assert line.error_y.visible
    assert line.error_y.array[0] == pytest.approx(0.02)
    assert traces(figure, "interval") == []


def test_words_of_two_lines_stand_at_different_ends() -> None:
    figure = draw([point(place, 0.9, 0.895) for place in range(5)])
    anchors = {one.text.split(" ")[0]: one.xanchor for one in figure.layout.annotations if one.xref != "paper"}
    assert sorted(anchors.values()) == ["left", "right"]
