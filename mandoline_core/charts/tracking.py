"""How an estimate moves from target to target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.charts.drawing import Drawing
from mandoline_core.charts.scales import TICK_FORMAT, ZOOMED, value_range
from mandoline_core.charts.template import WIDE_AXIS, finish, palette, safe, shorten
from mandoline_core.formatting import show_interval, show_value

_MOST_NAMES = 8
_SYMBOLS = {"green": "circle", "amber": "diamond", "red": "x"}


class TrackedPoint(NamedTuple):
    """Hold the estimate on one target: its name, value, interval, and verdict."""

    name: str
    estimate: float
    interval: Interval
    verdict: str
    alert: bool = False


def track_chart(
    points: Sequence[TrackedPoint], *, source: float, model: str, metric: str, share: bool = True, dark: bool = False
) -> go.Figure:
    """Show the estimate over targets in their order, with intervals; marks tell verdicts, alerts are larger."""
    colours = palette(dark)
    places = list(range(len(points)))
    low, high = ([point.interval[end] for point in points] for end in (0, 1))
    figure = Drawing()
    figure.add_band(places, low, high, colours.band)
    figure.add_scatter(
        x=[-0.3, len(points) - 0.7],
        y=[source, source],
        name="source",
        mode="lines",
        line={"color": colours.muted, "width": 1, "dash": "dot"},
        hovertext=f"on the source: {show_value(source, share=share)}",
        hoverinfo="text",
    )
    figure.add_scatter(
        x=places,
        y=[point.estimate for point in points],
        name="estimate",
        mode="lines+markers",
        line={"color": colours.ink, "width": 2},
        marker={
            "symbol": [_SYMBOLS.get(point.verdict, "circle-open") for point in points],
            "size": [14 if point.alert else 9 for point in points],
            "color": colours.ink,
            "opacity": 1,
        },
        cliponaxis=False,
        hovertext=[_words(point, share) for point in points],
        hoverinfo="text",
    )
    step = -(-len(points) // _MOST_NAMES)
    figure.update_xaxes(
        range=[-0.3, len(points) - 0.7],
        tickvals=places[::step],
        ticktext=[safe(shorten(point.name, 16)) for point in points[::step]],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(
        range=value_range([*low, *high, source], share), tickformat=TICK_FORMAT[share], nticks=6, showgrid=True
    )
    return finish(
        figure,
        title=f"{metric} of {model}, target by target",
        x="targets in their order; circles are green, diamonds amber, crosses red; the dotted line is the source",
        y=f"estimate ({ZOOMED})",
        height=280,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def _words(point: TrackedPoint, share: bool) -> str:
    said = f"{safe(shorten(point.name, 60))}<br>{show_interval(point.estimate, point.interval, share=share)}"
    return f"{said}<br>{point.verdict}{', alert' if point.alert else ''}"
