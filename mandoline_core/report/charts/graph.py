"""Slices that move together, drawn as a graph."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import WIDE_AXIS, finish, label, palette, safe, shorten

MOST_NODES = 12  # slices in a graph that can be read


def slice_graph(
    names: Sequence[str],
    edges: Sequence[tuple[str, str]],
    suggested: Sequence[tuple[str, str, float]],
    *,
    dark: bool = False,
) -> go.Figure:
    """Draw at most a dozen slices on a circle; solid lines join those that move together, dashed ones are suggested."""
    colours = palette(dark)
    place = dict(zip(names, _places(len(names)), strict=True))
    figure = Drawing()
    for a, b in edges:
        _add_line(figure, place[a], place[b], "edge", {"color": colours.ink, "width": 3}, _pair_words(a, b))
    for a, b, z in suggested:
        line = {"color": colours.muted, "width": 1 + min(abs(z), 15) / 3, "dash": "dash"}
        words = f"suggested: {_pair_words(a, b)}<br>z = {z:.1f}"
        _add_line(figure, place[a], place[b], "suggested", line, words)
    figure.add_scatter(
        x=[x for x, _ in place.values()],
        y=[y for _, y in place.values()],
        name="slices",
        mode="markers+text",
        cliponaxis=False,
        marker={"size": 13, "color": colours.ink},
        text=[f" {label(name, 14)} " for name in names],
        textposition=[_side(x, y) for x, y in place.values()],
        textfont={"size": 12},
        hovertext=[safe(shorten(name, 60)) for name in names],
        hoverinfo="text",
    )
    for axes, reach in ((figure.update_xaxes, 2.1), (figure.update_yaxes, 1.25)):
        axes(range=[-reach, reach], showgrid=False, showticklabels=False, ticks="")
    return finish(
        figure,
        title=_graph_title(edges, suggested),
        x="solid: move together; dashed: suggested, wider for a larger |z|",
        y="",
        height=330,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def _places(n: int) -> list[tuple[float, float]]:
    """Go round the circle."""
    angles = [math.pi / 2 - 2 * math.pi * i / max(n, 1) for i in range(n)]
    return [(math.cos(angle), math.sin(angle)) for angle in angles]


def _add_line(
    figure: Drawing,
    start: tuple[float, float],
    end: tuple[float, float],
    name: str,
    line: dict[str, object],
    words: str,
) -> None:
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    figure.add_scatter(
        x=[start[0], middle[0], end[0]],
        y=[start[1], middle[1], end[1]],
        name=name,
        mode="lines",
        line=line,
        hovertext=words,
        hoverinfo="text",
    )


def _side(x: float, y: float) -> str:
    if abs(x) < 0.2:
        return "top center" if y > 0 else "bottom center"
    return "middle right" if x > 0 else "middle left"


def _pair_words(a: str, b: str) -> str:
    return f"{safe(shorten(a, 40))} and {safe(shorten(b, 40))}"


def _graph_title(edges: Sequence[tuple[str, str]], suggested: Sequence[tuple[str, str, float]]) -> str:
    if suggested:
        a, b, _ = max(suggested, key=lambda pair: abs(pair[2]))
        more = f", and {len(suggested) - 1} more" if len(suggested) > 1 else ""
        return f"Worth joining: {shorten(a)} and {shorten(b)}{more}"
    if not edges:
        return "No two slices move together"
    return f"{len(edges):,} {'pair' if len(edges) == 1 else 'pairs'} of slices move together; no other stands out"
