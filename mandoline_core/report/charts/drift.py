"""Signs that classes changed: how often each is predicted, and whether confidence matches accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.checks import ClassShare, SliceCalibration
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import SOURCE, TARGET, finish, label, palette, safe, shorten

MOST = 14
_ROW = 26
_LEAST_SPAN = 0.1  # of a share: less would make little of nothing look large


class _Series(NamedTuple):
    """Hold one kind of dot: its name, symbol, how the key writes it, colour and values."""

    name: str
    symbol: str
    written: str
    colour: str
    values: Sequence[float]


def predicted_classes(shares: Sequence[ClassShare], *, dark: bool = False) -> go.Figure:
    """Show how often each class is predicted: labelled, reweighted and new rows; the largest gap on top."""
    shown = sorted(shares, key=lambda one: -abs(one.gap))[:MOST]
    series = [
        _Series("labelled", "circle-open", "○", SOURCE, [one.source for one in shown]),
        _Series("reweighted", "diamond", "◆", palette(dark).ink, [one.weighted for one in shown]),
        _Series("new", "square", "■", TARGET, [one.target for one in shown]),
    ]
    title = "No classes are predicted"
    if shown:
        worst = shown[0]
        title = (
            f"{shorten(worst.name, 20)} is predicted for {worst.target:.1%} of the new rows, and for "
            f"{worst.weighted:.1%} of the labelled ones, reweighted"
        )
    note = f"; {len(shown)} of {len(shares)} classes" if len(shown) < len(shares) else ""
    return _dots(
        [one.name for one in shown],
        series,
        title=title,
        x=f"share of rows predicted as the class{note}",
        dark=dark,
    )


def calibration(lines: Sequence[SliceCalibration], *, dark: bool = False) -> go.Figure:
    """Show confidence beside accuracy on the labelled rows, inside each slice; the largest gap on top."""
    whole = [line for line in lines if line.slice is None]
    shown = [*whole, *sorted((one for one in lines if one.slice is not None), key=lambda one: -abs(one.gap))][:MOST]
    series = [
        _Series("confidence", "circle-open", "○", palette(dark).ink, [one.confidence for one in shown]),
        _Series("accuracy", "circle", "●", SOURCE, [one.accuracy for one in shown]),
    ]
    title = "There are no probabilities to compare"
    slices = [one for one in shown if one.slice is not None]
    if slices:
        worst = slices[0]
        word = "too sure" if worst.gap > 0 else "not sure enough"
        title = f"In {shorten(str(worst.slice), 20)} the model is {word}: by {abs(100 * worst.gap):.1f} points"
    return _dots(
        ["all rows" if one.slice is None else one.slice for one in shown],
        series,
        title=title,
        x="share, on the labelled rows inside the slice",
        dark=dark,
    )


def _dots(names: Sequence[str], series: Sequence[_Series], *, title: str, x: str, dark: bool) -> go.Figure:
    figure, places = Drawing(), [-i for i in range(len(names))]
    ends = [(min(values), max(values)) for values in zip(*(one.values for one in series), strict=True)]
    figure.add_scatter(
        x=[value for low, high in ends for value in (low, high, None)],
        y=[value for place in places for value in (place, place, None)],
        name="path",
        mode="lines",
        line={"color": palette(dark).grid, "width": 3},
        hoverinfo="skip",
    )
    for one in series:
        figure.add_scatter(
            x=list(one.values),
            y=places,
            name=one.name,
            mode="markers",
            cliponaxis=False,
            marker={"symbol": one.symbol, "size": 10, "color": one.colour, "line": {"color": one.colour, "width": 2}},
            hovertext=[
                f"<b>{safe(shorten(name, 60))}</b><br>{one.name} {value:.1%}"
                for name, value in zip(names, one.values, strict=True)
            ],
            hoverinfo="text",
        )
    values = [end for pair in ends for end in pair] or [0.0, 1.0]
    room = max(0.1 * (max(values) - min(values)), (_LEAST_SPAN - max(values) + min(values)) / 2)
    span = [max(min(values) - room, -0.02), min(max(values) + room, 1.02)]
    key = "  ".join(f'<span style="color:{one.colour}">{one.written}</span> {one.name}' for one in series)
    figure.update_xaxes(range=span, tickformat=".1~%", nticks=6, showgrid=True)
    figure.update_yaxes(
        tickvals=places,
        ticktext=[label(name) for name in names],
        range=[0.6 - max(len(names), 1), 0.6],
        showgrid=False,
    )
    figure.add_annotation(
        x=0, xref="paper", xanchor="left", y=1, yref="paper", yanchor="bottom", text=key, showarrow=False
    )
    whole = span[0] <= 0 and span[1] >= 1
    note = "" if whole else " (the axis is zoomed in)"
    return finish(figure, title=title, x=f"{x}{note}", y="", height=_ROW * max(len(names), 1) + 80, head=18, dark=dark)
