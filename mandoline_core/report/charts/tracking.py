"""How an estimate moves from target to target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.formatting import counted, direction, show_difference, show_interval, show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, ZOOMED, value_range
from mandoline_core.report.charts.template import SOURCE, WIDE_AXIS, Palette, finish, label, palette, safe, shorten

_MOST_NAMES = 8
_SYMBOLS = {"green": "circle", "amber": "diamond", "red": "x"}
_KEY = "● green   ◆ amber   ✖ red   ◯ alert"
_LINE = 20  # pixels


class TrackedPoint(NamedTuple):
    """Hold the estimate on one target: its name, value, interval, and verdict.

    Parameters
    ----------
    alert : bool
        Whether it calls for a person.
    limits : tuple of float
        The value that it must not be worse than, if there is one; two, where it must stay near 0.
    """

    name: str
    estimate: float
    interval: Interval
    verdict: str
    alert: bool = False
    limits: tuple[float, ...] = ()


def track_chart(
    points: Sequence[TrackedPoint], *, source: float, model: str, metric: str, share: bool = True, dark: bool = False
) -> go.Figure:
    """Show the estimate over targets in their order, with intervals; marks tell verdicts, rings alerts."""
    colours, n = palette(dark), len(points)
    places = list(range(n))
    low, high = ([point.interval[end] for point in points] for end in (0, 1))
    figure = Drawing()
    if n > 1:
        figure.add_band(places, low, high, colours.band)
    ends = (-0.3, n - 0.7)
    _add_level(figure, "labelled data", list(ends), [source] * 2, SOURCE, "dot", share)
    said = f"labelled data {show_value(source, share=share)}"
    _add_limits(figure, points, colours, share, not_at=_write(figure, points, dict.fromkeys(places, source), said))
    _add_alerts(figure, points, colours)
    _add_estimates(figure, points, colours, share)
    step = -(-n // _MOST_NAMES)
    figure.update_xaxes(
        range=[-0.3, n - 0.7 + 0.12 * max(n - 1, 1)],  # room for the last value
        tickvals=places[::step],
        ticktext=[label(point.name, 14) for point in points[::step]],
        showgrid=False,
    )
    limits = [limit for point in points for limit in point.limits]
    figure.update_yaxes(
        range=value_range([*low, *high, source, *limits], share),
        tickformat=TICK_FORMAT[share],
        nticks=6,
        showgrid=True,
    )
    figure.add_annotation(
        x=0, xref="paper", xanchor="left", y=1, yref="paper", yanchor="bottom", yshift=4, text=_KEY, showarrow=False
    )
    return finish(
        figure,
        title=_title(points, model, share),
        x="batches of new data, in the order of their names",
        y=f"{metric}, estimated ({ZOOMED})",
        height=300,
        head=_LINE,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def _add_estimates(figure: Drawing, points: Sequence[TrackedPoint], colours: Palette, share: bool) -> None:
    """Draw the line; a single estimate has its interval as a bar."""
    figure.add_scatter(
        x=list(range(len(points))),
        y=[point.estimate for point in points],
        name="estimate",
        mode="lines+markers+text",
        line={"color": colours.ink, "width": 2},
        marker={
            "symbol": [_SYMBOLS.get(point.verdict, "circle-open") for point in points],
            "size": 10,
            "color": colours.ink,
            "opacity": 1,
        },
        error_y={
            "type": "data",
            "symmetric": False,
            "visible": len(points) == 1,
            "array": [point.interval[1] - point.estimate for point in points],
            "arrayminus": [point.estimate - point.interval[0] for point in points],
            "color": colours.ink,
        },
        text=["" for _ in points[1:]] + [f"&nbsp;&nbsp;&nbsp;{show_value(points[-1].estimate, share=share)}"],
        textposition="middle right",
        cliponaxis=False,
        hovertext=[_words(point, share) for point in points],
        hoverinfo="text",
    )


def _add_alerts(figure: Drawing, points: Sequence[TrackedPoint], colours: Palette) -> None:
    places = [place for place, point in enumerate(points) if point.alert]
    if places:
        figure.add_scatter(
            x=places,
            y=[points[place].estimate for place in places],
            name="alert",
            mode="markers",
            marker={"symbol": "circle-open", "size": 22, "color": colours.ink, "line": {"width": 2}},
            cliponaxis=False,
            hoverinfo="skip",
        )


def _add_limits(figure: Drawing, points: Sequence[TrackedPoint], colours: Palette, share: bool, *, not_at: int) -> None:
    """Draw the line that no estimate may cross: level, or in steps where it follows the estimates."""
    for number in range(max(len(point.limits) for point in points)):
        steps = [(place, point.limits[number]) for place, point in enumerate(points) if len(point.limits) > number]
        x = [end for place, _ in steps for end in (place - 0.5, place + 0.5)]
        x = [max(x[0], -0.3), *x[1:-1], min(x[-1], len(points) - 0.7)]
        _add_level(figure, "alert", x, [value for _, value in steps for _ in (0, 1)], colours.ink, "dash", share)
        if number == 0:
            first = steps[0][1]
            level = all(value == first for _, value in steps)
            said = f"alert beyond {show_value(first, share=share)}" if level else "alert beyond this line"
            _write(figure, points, dict(steps), said, not_at=not_at)


def _add_level(figure: Drawing, name: str, x: list[float], y: list[float], colour: str, dash: str, share: bool) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"color": colour, "width": 1.5, "dash": dash},
        hovertext=[f"{name}: {show_value(value, share=share)}" for value in y],
        hoverinfo="text",
    )


def _write(
    figure: Drawing,
    points: Sequence[TrackedPoint],
    line: Mapping[int, float],
    text: str,
    *,
    not_at: int | None = None,
) -> int:
    """Write what a line is along it, on the side away from the estimates; return the batch where it stands.

    That is the end where the line is furthest from the intervals, unless another line has its words there.
    """

    def room(place: int) -> float:
        near = [i for i in line if abs(i - place) <= len(points) / 3]
        return min(max(points[i].interval[0] - line[i], line[i] - points[i].interval[1]) for i in near)

    first, last = min(line), max(line)
    place = max((end for end in (first, last) if end != not_at or first == last), key=room)
    is_left = place == first and not (first == last and not_at is not None)
    figure.add_annotation(
        x=max(place - 0.5, -0.3) if is_left else len(points) - 0.7,
        y=line[place],
        text=safe(text),
        showarrow=False,
        xanchor="left" if is_left else "right",
        yanchor="bottom" if line[place] > points[place].estimate else "top",
    )
    return place


def _words(point: TrackedPoint, share: bool) -> str:
    said = f"{safe(shorten(point.name, 60))}<br>{show_interval(point.estimate, point.interval, share=share)}"
    return f"{said}<br>{point.verdict}{', alert' if point.alert else ''}"


def _title(points: Sequence[TrackedPoint], model: str, share: bool) -> str:
    """Say how far the estimate moved, and how many alerts there are."""
    alerts = sum(point.alert for point in points)
    end = f"; {counted(alerts, 'alert')}" if alerts else ""
    first, last = points[0], points[-1]
    value = show_value(last.estimate, share=share)
    if len(points) == 1:
        return f"{shorten(model)}: {value} on {shorten(last.name)}{end}"
    change = last.estimate - first.estimate
    way = direction(change, share=share)
    far = way if way == "the same" else f"{show_difference(change, share=share)} {way}"
    than = "as" if way == "the same" else "than"
    return f"{shorten(model)}: {value} on {shorten(last.name)}, {far} {than} on {shorten(first.name)}{end}"
