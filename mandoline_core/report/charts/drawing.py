"""A figure in the making: its parts as plain data, which Plotly checks once, when the figure is finished.

Plotly's own figure checks every part anew at every change, which takes ten times as long.
"""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

Part = dict[str, Any]


class Drawing:
    """Collect traces and layout, under the names that Plotly's figure has for them.

    Examples
    --------
    >>> drawing = Drawing()
    >>> drawing.add_bar(x=[1], y=[2])
    >>> drawing.update_xaxes(title={"text": "rows"})
    >>> drawing.update_xaxes(title={"font": {"size": 12}})
    >>> figure = drawing.figure()
    >>> figure.data[0].type, figure.layout.xaxis.title.text, figure.layout.xaxis.title.font.size
    ('bar', 'rows', 12)
    """

    def __init__(self) -> None:
        self._traces: list[Part] = []
        self._layout: Part = {"annotations": [], "shapes": [], "xaxis": {}, "yaxis": {}}

    def add_scatter(self, **trace: Any) -> None:
        """Add points or lines."""
        self._traces.append({"type": "scatter", **trace})

    def add_band(self, x: list[int] | list[float], low: list[float], high: list[float], colour: str) -> None:
        """Add intervals as a filled band."""
        self.add_scatter(
            x=x + x[::-1],
            y=high + low[::-1],
            name="interval",
            mode="lines",
            line={"width": 0},
            fill="toself",
            fillcolor=colour,
            hoverinfo="skip",
        )

    def add_bar(self, **trace: Any) -> None:
        """Add bars."""
        self._traces.append({"type": "bar", **trace})

    def add_heatmap(self, **trace: Any) -> None:
        """Add cells."""
        self._traces.append({"type": "heatmap", **trace})

    def add_annotation(self, **annotation: Any) -> None:
        """Add words."""
        self._layout["annotations"].append(annotation)

    def add_vline(self, x: float, **shape: Any) -> None:
        """Add a line from the bottom of the plot to its top."""
        place = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
        self._layout["shapes"].append({"type": "line", **place, **shape})

    def add_hrect(self, y0: float, y1: float, **shape: Any) -> None:
        """Add a band from the left of the plot to its right."""
        place = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y0, "y1": y1, "yref": "y"}
        self._layout["shapes"].append({"type": "rect", **place, **shape})

    def update_layout(self, **layout: Any) -> None:
        """Set parts of the layout, and leave what else is in them."""
        _merge(self._layout, layout)

    def update_xaxes(self, **axis: Any) -> None:
        """Set parts of every horizontal axis."""
        self._update_axes("xaxis", axis)

    def update_yaxes(self, **axis: Any) -> None:
        """Set parts of every vertical axis."""
        self._update_axes("yaxis", axis)

    def figure(self) -> go.Figure:
        """Let Plotly check everything, and make its figure."""
        layout = {key: part for key, part in self._layout.items() if part not in ([], {})}
        return go.Figure({"data": self._traces, "layout": layout})

    def _update_axes(self, kind: str, axis: Part) -> None:
        for key, known in self._layout.items():
            if key.startswith(kind):
                _merge(known, axis)


def _merge(known: Part, more: Part) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(known.get(key), dict):
            _merge(known[key], value)
        else:
            known[key] = dict(value) if isinstance(value, dict) else value
