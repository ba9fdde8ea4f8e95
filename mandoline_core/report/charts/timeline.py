"""How an estimate moved from edit to edit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.formatting import direction, show_difference, show_interval, show_step
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, ZOOMED, value_range
from mandoline_core.report.charts.template import WIDE_AXIS, finish, palette, safe, shorten, wrap


class TimelinePoint(NamedTuple):
    """Hold the estimate after one edit, and the name that a person gave to that state, if any."""

    label: str
    estimate: float
    interval: Interval
    name: str = ""


def timeline(points: Sequence[TimelinePoint], *, share: bool = True, dark: bool = False) -> go.Figure:
    """Show how the estimate moved from edit to edit, with its interval; named states stand out."""
    colours = palette(dark)
    places = list(range(len(points)))
    low, high = ([point.interval[end] for point in points] for end in (0, 1))
    figure = Drawing()
    figure.add_band(places, low, high, colours.band)
    figure.add_scatter(
        x=places,
        y=[point.estimate for point in points],
        name="estimate",
        mode="lines+markers+text",
        line={"color": colours.ink, "width": 2, "shape": "hv"},
        marker={
            "symbol": ["star" if point.name else "diamond" for point in points],
            "size": [13 if point.name else 8 for point in points],
            "color": colours.ink,
            "opacity": 1,
        },
        text=[safe(shorten(point.name)) if point.name else "" for point in points],
        textposition="top center",
        cliponaxis=False,
        hovertext=[_words(point, before, share) for before, point in zip([None, *points], points, strict=False)],
        hoverinfo="text",
    )
    span = value_range([*low, *high], share)
    figure.update_xaxes(
        range=[-0.3, len(points) - 0.7], showticklabels=False, ticks="", showgrid=False, fixedrange=True
    )
    figure.update_yaxes(range=span, tickformat=TICK_FORMAT[share], nticks=6, showgrid=True)
    return finish(
        figure,
        title=_title(points, share),
        x="edits, the oldest on the left",
        y=f"estimate ({ZOOMED})",
        height=260,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def _words(point: TimelinePoint, before: TimelinePoint | None, share: bool) -> str:
    moved = "" if before is None else f"<br>{show_step(point.estimate - before.estimate, share=share)}"
    unit = " points" if moved and share else ""
    name = f"<br>{safe(shorten(point.name, 60))}" if point.name else ""
    return f"{wrap(point.label)}{name}<br>{show_interval(point.estimate, point.interval, share=share)}{moved}{unit}"


def _title(points: Sequence[TimelinePoint], share: bool) -> str:
    change = points[-1].estimate - points[0].estimate
    way = direction(change, share=share)
    if way == "the same":
        return "The estimate is where it started"
    largest = max(pairwise(points), key=lambda pair: abs(pair[1].estimate - pair[0].estimate))[1]
    far = show_difference(change, share=share)
    return f"The estimate is {far} {way} than at the start; most came with: {shorten(largest.label, 30)}"
