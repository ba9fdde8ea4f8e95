"""A figure under construction: its parts as plain data, which Plotly checks once, when the figure is finished.

Plotly's own figure checks every part again at every change, which takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.report.charts.style import AXIS_WIDTH, DARK, LIGHT, Palette, palette, wrap

Part = dict[str, Any]
Hover = str | Sequence[str] | None  # what hovering says, escaped; None: nothing

_TICK_FORMAT = {True: ".1~%", False: ".4~g"}
_TITLE_SIZE = 15
_TITLE_LINE, _KEY_LINE = 20, 18  # pixels


class Drawing:
    """Collect traces and layout of one figure.

    Parameters
    ----------
    dark : bool
        For a dark page.

    Examples
    --------
    >>> drawing = Drawing(dark=False)
    >>> drawing.bars([2], [1], "rows", colour="red", hover="two rows")
    >>> drawing.value_axis("x", [0.0, 1.0], share=True)
    >>> figure = drawing.finish(title="A title", x="share", height=100)
    >>> figure.data[0].type, figure.layout.xaxis.title.text, figure.layout.xaxis.tickformat
    ('bar', 'share', '.1~%')
    """

    def __init__(self, dark: bool) -> None:
        self.colours = palette(dark)
        self.layout: Part = {}
        self.x_axis: Part = {}
        self.y_axis: Part = {}
        self._traces: list[Part] = []
        self._annotations: list[Part] = []
        self._shapes: list[Part] = []

    def scatter(self, x: Any, y: Any, name: str, *, hover: Hover = None, **trace: Any) -> None:
        """Add points, lines or both."""
        self._add("scatter", x, y, name, hover, trace)

    def points(
        self,
        x: Sequence[float | None],
        y: Sequence[float],
        name: str,
        *,
        symbol: str | Sequence[str],
        colour: str | Sequence[str],
        size: float = 10,
        outline: Part | None = None,
        hover: Hover = None,
        **trace: Any,
    ) -> None:
        """Add markers, which are drawn whole on the edge of the plot, too; shapes differ, not colours alone."""
        # Plotly cuts markers in half on the edge of the plot unless told not to.
        marker = {"symbol": symbol, "size": size, "color": colour} | ({} if outline is None else {"line": outline})
        self.scatter(x, y, name, hover=hover, **{"mode": "markers", "cliponaxis": False, "marker": marker, **trace})

    def line(
        self,
        x: Sequence[float | None],
        y: Sequence[float | None],
        name: str,
        *,
        colour: str,
        width: float = 2,
        dash: str = "solid",
        hover: Hover = None,
        **trace: Any,
    ) -> None:
        """Add a line; None lifts the pen."""
        self.scatter(
            x, y, name, hover=hover, mode="lines", line={"color": colour, "width": width, "dash": dash}, **trace
        )

    def band(
        self,
        x: Sequence[float],
        low: Sequence[float],
        high: Sequence[float],
        *,
        name: str = "interval",
        colour: str | None = None,
    ) -> None:
        """Add intervals as a filled band."""
        # One closed outline, there and back: filling up to another trace would depend on the order of traces.
        look: Part = {"fill": "toself", "fillcolor": colour or self.colours.band, "line": {"width": 0}, "mode": "lines"}
        self.scatter([*x, *x[::-1]], [*high, *low[::-1]], name, **look)

    def bars(self, x: Any, y: Any, name: str, *, colour: str, hover: Hover = None, **trace: Any) -> None:
        """Add bars, horizontal unless `orientation` says otherwise; their text is written next to them."""
        marker = {"color": colour, **trace.pop("marker", {})}
        written = {"textposition": "outside", "textangle": 0, "cliponaxis": False} if "text" in trace else {}
        self._add("bar", x, y, name, hover, {"orientation": "h", "marker": marker, **written, **trace})

    def write(self, text: str, **where: Any) -> None:
        """Write words into the plot, escaped already."""
        self._annotations.append({"text": text, "showarrow": False, **where})

    def key(self, *lines: str, shift: float = 0) -> None:
        """Write the key, line by line, between the title and the plot."""
        for number, line in enumerate(reversed(lines)):
            self.write(line, **_TOP_LEFT, yshift=shift + _KEY_LINE * number)

    def upright(self, x: float, **line: Any) -> None:
        """Draw a line from the bottom of the plot to its top."""
        # "domain" is the plot's own height, whatever its axis shows.
        ends = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
        self._shapes.append({"type": "line", **ends, **line})

    def highlight(self, y: float) -> None:
        """Shade a line of the plot from left to right."""
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y - 0.48, "y1": y + 0.48, "yref": "y"}
        look = {"fillcolor": self.colours.band, "line": {"width": 0}, "layer": "below"}
        self._shapes.append({"type": "rect", **ends, **look})

    def rows(self, names: Sequence[str], *, grid: bool = False, room: float = 0.6) -> list[int]:
        """Name the lines of the plot from top to bottom, and return their heights: 0, -1 and so on."""
        # Numbers and not names on the axis: Plotly would put two lines of the same name on one height.
        heights = [-i for i in range(len(names))]
        span = [room - max(len(names), 1), room]  # without names still a range with a width
        self.y_axis |= {"tickvals": heights, "ticktext": list(names), "range": span, "showgrid": grid}
        return heights

    def value_axis(self, axis: str, span: Sequence[float], *, share: bool, ticks: int = 5) -> None:
        """Let an axis, "x" or "y", show a metric's values."""
        more = {"range": list(span), "tickformat": _TICK_FORMAT[share], "nticks": ticks, "showgrid": True}
        (self.x_axis if axis == "x" else self.y_axis).update(more)

    def finish(
        self, *, title: str, x: str, y: str = "", height: float, head: int = 0, axis_width: int = AXIS_WIDTH
    ) -> go.Figure:
        """Give the figure its title, axis titles, size and template, and let Plotly check everything.

        Parameters
        ----------
        title, x, y : str
            Plain text; escaped here.
        height : float
            Of the plot, in pixels; the title comes on top.
        head : int
            Pixels to leave free between the title and the plot.
        axis_width : int
            Characters a line in the axis titles.
        """
        lines = wrap(title)
        n_lines = lines.count("<br>") + 1
        top = _TITLE_LINE * n_lines + 16 + head
        named = {
            "text": lines,
            "font": {"size": _TITLE_SIZE},
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            # Plotly lowers a title of one line by its cap height, but not one of several.
            "pad": {"t": 5 + (0.7 * _TITLE_SIZE if n_lines > 1 else 0), "l": 2},
        }
        layout = {
            "template": _TEMPLATES[self.colours.name],
            "title": named,
            "height": round(height) + top,
            "margin": {"l": 8, "r": 14, "t": top, "b": 8, "pad": 2},
            "showlegend": False,
            "dragmode": False,  # a finger on the figure scrolls the page
            "hovermode": "closest",
            "bargap": 0.25,
            "xaxis": self.x_axis | _axis_title(x, axis_width),
            "yaxis": self.y_axis | _axis_title(y, axis_width),
            **{key: parts for key, parts in (("annotations", self._annotations), ("shapes", self._shapes)) if parts},
        }
        return go.Figure({"data": self._traces, "layout": layout | self.layout})

    def _add(self, kind: str, x: Any, y: Any, name: str, hover: Hover, trace: Part) -> None:
        shown = {"hoverinfo": "skip"} if hover is None else {"hoverinfo": "text", "hovertext": hover}
        self._traces.append({"type": kind, "x": x, "y": y, "name": name, **shown, **trace})


def error_bars(
    values: Sequence[float], intervals: Sequence[Interval | None], colour: str, *, thickness: float = 3, **more: Any
) -> Part:
    """Describe intervals around values for Plotly, which wants their lengths to either side.

    >>> error_bars([0.5], [(0.25, 1.0)], "red")["array"]
    [0.5]
    """
    ends = [interval or (value, value) for value, interval in zip(values, intervals, strict=True)]
    return {
        "array": [high - value for value, (_, high) in zip(values, ends, strict=True)],
        "arrayminus": [value - low for value, (low, _) in zip(values, ends, strict=True)],
        "color": colour,
        "thickness": thickness,
        "width": 5,
        **more,
    }


def _axis_title(text: str, width: int) -> Part:
    title = {"text": wrap(text, width) if text else "", "font": {"size": 12}, "standoff": 8}
    return {"title": title, "fixedrange": True, "automargin": True}


def _template(colours: Palette) -> go.layout.Template:
    axis = {
        "gridcolor": colours.grid,
        "zerolinecolor": colours.muted,
        "linecolor": colours.muted,
        "tickcolor": colours.grid,
        "zeroline": False,
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            # Not clear: text stays readable when the page changes its theme before the figure does, and when saved.
            "paper_bgcolor": colours.paper,
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"color": colours.ink, "family": "Source Sans, system-ui, sans-serif", "size": 12},
            "title": {"font": {"color": colours.ink, "weight": 600}},
            "hoverlabel": {"align": "left", "bgcolor": colours.paper, "font": {"color": colours.ink}},
            "xaxis": axis,
            "yaxis": axis,
        }
    )


_TOP_LEFT = {"x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom"}
_TEMPLATES = {colours.name: _template(colours) for colours in (LIGHT, DARK)}
