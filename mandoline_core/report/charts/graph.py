"""Slices that move together, drawn as a graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import WIDE_AXIS, label, mark, shorten

MOST_NODES = 12  # slices in a graph that can be read


def slice_graph(
    names: Sequence[str],
    edges: Sequence[tuple[str, str]],
    suggested: Sequence[tuple[str, str, float]],
    *,
    dark: bool = False,
) -> go.Figure:
    """Draw at most a dozen slices on a circle; solid lines join those that move together, dashed ones are suggested."""
    figure = Drawing(dark)
    ink, muted = figure.colours.ink, figure.colours.muted
    angles = [math.pi / 2 - 2 * math.pi * i / max(len(names), 1) for i in range(len(names))]
    at = {name: (math.cos(angle), math.sin(angle)) for name, angle in zip(names, angles, strict=True)}

    def join(a: str, b: str, name: str, *, hover: str, **look: Any) -> None:
        # A third point in the middle, so that hovering over a line's middle says what it is.
        x, y = ((start, (start + end) / 2, end) for start, end in zip(at[a], at[b], strict=True))
        figure.line(x, y, name, hover=hover, **look)

    for a, b in edges:
        join(a, b, "edge", hover=_pair_words(a, b), colour=ink, width=3)
    for a, b, z in suggested:
        words = f"suggested: {_pair_words(a, b)}<br>z = {z:.1f}"
        join(a, b, "suggested", hover=words, colour=muted, width=1 + min(abs(z), 15) / 3, dash="dash")
    figure.points(
        [x for x, _ in at.values()],
        [y for _, y in at.values()],
        "slices",
        symbol="circle",
        size=13,
        colour=ink,
        mode="markers+text",
        text=[f" {label(name, 14)} " for name in names],
        textposition=[_side(x, y) for x, y in at.values()],
        textfont={"size": 12},
        hover=[mark(name) for name in names],
    )
    bare = {"showgrid": False, "showticklabels": False, "ticks": ""}
    figure.x_axis, figure.y_axis = {"range": [-2.1, 2.1], **bare}, {"range": [-1.25, 1.25], **bare}
    return figure.finish(
        title=_graph_title(edges, suggested),
        x="solid: move together; dashed: suggested, wider for a larger |z|",
        height=330,
        axis_width=WIDE_AXIS,
    )


def _side(x: float, y: float) -> str:
    if abs(x) < 0.2:
        return "top center" if y > 0 else "bottom center"
    return "middle right" if x > 0 else "middle left"


def _pair_words(a: str, b: str) -> str:
    return f"{label(a, 40)} and {label(b, 40)}"


def _graph_title(edges: Sequence[tuple[str, str]], suggested: Sequence[tuple[str, str, float]]) -> str:
    if suggested:
        a, b, _ = max(suggested, key=lambda pair: abs(pair[2]))
        more = f", and {len(suggested) - 1} more" if len(suggested) > 1 else ""
        return f"Worth joining: {shorten(a)} and {shorten(b)}{more}"
    if not edges:
        return "No two slices move together"
    return f"{len(edges):,} {'pair' if len(edges) == 1 else 'pairs'} of slices move together; no other stands out"
