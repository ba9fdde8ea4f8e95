"""The map of rows: labelled and new rows as dots in the plane; similar rows are near each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from mandoline_core.arrays import Floats
from mandoline_core.discovery import RowMap
from mandoline_core.formatting import show_percent
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import CHARACTERS, SOURCE, TARGET, WIDE_AXIS, safe, shorten, swatch, wrap

# Little, some, much: none of the colours of the samples and the true value, on light and on dark.
_SCALE = [[0.0, "#7B3FA0"], [0.5, "#B9A9C4"], [1.0, "#E3A51A"]]
_MOST_DOUBLINGS = 3.0  # either way; heavier and lighter rows have the same colour
_FEW = 0.01
_LINE = 48  # characters
_LINES_OF_TEXT = 3


@dataclass(frozen=True, eq=False)
class Shade:
    """Hold what the source rows of a map are coloured by.

    Parameters
    ----------
    values : array of float, shape (n_source_used,)
        NaN for rows without one.
    title : str
        What the colours show: the title of the figure.
    name : str
        Of the scale.
    ticks : mapping of float to str
        Labels of the scale.
    """

    values: Floats
    title: str
    name: str
    ticks: dict[float, str]


def score_shade(values: Floats, metric: str) -> Shade:
    """Colour rows by their score."""
    scores = values[np.isfinite(values)]
    if not np.isin(scores, (0.0, 1.0)).all():
        low, high = np.quantile(scores, [0.02, 0.98])
        ticks = {float(end): f"{end:.3g}" for end in (low, high)}
        return Shade(np.clip(values, low, high), "Yellow: high score, purple: low score", metric, ticks)
    wrong = float((scores == 0).mean())
    title = f"{show_percent(wrong)} of labelled rows are predicted wrong (purple)"
    return Shade(values, title, "prediction", {0.0: "wrong", 1.0: "right"})


def weight_shade(ratios: Floats) -> Shade:
    """Colour rows by their weights, on a scale of doublings."""
    with np.errstate(divide="ignore"):
        doublings = np.clip(np.log2(ratios), -_MOST_DOUBLINGS, _MOST_DOUBLINGS)
    most = float(np.ceil(np.abs(doublings[np.isfinite(doublings)]).max(initial=1.0)))
    ticks = {-most: f"1/{2**most:g}x", 0.0: "1x", most: f"{2**most:g}x"}
    title = "Yellow: the heaviest labelled rows, most like the new data"
    return Shade(doublings, title, "weight", ticks)


def hover_lines(rows: Sequence[Sequence[tuple[str, str]]]) -> list[str]:
    """Write rows for hovering: a line for each column, a text in a few; all of it escaped.

    >>> hover_lines([[("place", "<b>here</b>"), ("n", "3")]])
    ['place: &lt;b&gt;here&lt;/b&gt;<br>n: 3']
    """
    width = _LINE * _LINES_OF_TEXT
    return ["<br>".join(wrap(f"{name}: {shorten(value, width)}", _LINE) for name, value in row) for row in rows]


def row_map(
    plotted: RowMap,
    hover: tuple[Sequence[str], Sequence[str]],
    *,
    shade: Shade | None = None,
    selected: tuple[Sequence[int], Sequence[int]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Show rows of both samples in the plane; a lasso may be drawn around some.

    Parameters
    ----------
    hover : pair of sequences of str
        What hovering shows of each row of both samples, escaped.
    shade : Shade, optional
        What to colour the source's dots by; by sample when left out.
    selected : pair of sequences of int, optional
        Dots of both samples, in the map's order, that are selected to begin with.
    """
    figure = Drawing(dark)
    # Three decimals place a dot to a fraction of a pixel, and keep the figure small.
    for number, (name, points) in enumerate((("labelled rows", plotted.source), ("new rows", plotted.target))):
        chosen: dict[str, Any] = {} if selected is None else {"selectedpoints": list(selected[number])}
        figure.scatter(
            points[:, 0].round(3),
            points[:, 1].round(3),
            name,
            mode="markers",
            marker=_marker(number == 1, shade, figure.colours.muted),
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 0.18}},
            hover=[f"<b>{name.removesuffix('s')}</b><br>{line}" for line in hover[number]],
            **chosen,
        )
    figure.key(_key(plotted, shade))
    figure.x_axis = figure.y_axis = {"showticklabels": False, "showgrid": False, "ticks": ""}
    selection = {"line": {"color": figure.colours.ink, "width": 1.5}}
    figure.layout = {"dragmode": "lasso", "newselection": selection}
    return figure.finish(
        title=_title(plotted) if shade is None else shade.title,
        x="no units: near means similar; far apart says little",
        height=430,
        head=24,
        axis_width=WIDE_AXIS,
    )


def _marker(is_target: bool, shade: Shade | None, muted: str) -> dict[str, Any]:
    shape = {"symbol": "diamond" if is_target else "circle", "size": 6 if is_target else 5}
    if shade is None:
        return {**shape, "color": TARGET if is_target else SOURCE, "opacity": 0.7}
    if is_target:
        return {**shape, "symbol": "diamond-open", "color": muted, "opacity": 0.35}
    ends, has_value = list(shade.ticks), np.isfinite(shade.values)
    return {
        **shape,
        "color": np.where(has_value, shade.values, sum(ends) / len(ends)),
        "colorscale": _SCALE,
        "cmin": min(ends),
        "cmax": max(ends),
        "opacity": np.where(has_value, 0.85, 0.1),
        "showscale": True,
        "colorbar": {
            "orientation": "h",
            "thickness": 10,
            "len": 0.6,
            "x": 0,
            "xanchor": "left",
            "y": -0.1,
            "yanchor": "top",
            "tickvals": ends,
            "ticktext": list(shade.ticks.values()),
            "title": {"text": safe(shade.name), "side": "top"},
        },
    }


def _key(plotted: RowMap, shade: Shade | None) -> str:
    sides = [
        (SOURCE, "circle", "labelled", plotted.source_rows, plotted.n_source),
        (TARGET, "diamond" if shade is None else "diamond-open", "new", plotted.target_rows, plotted.n_target),
    ]
    parts = []
    for colour, symbol, word, rows, n in sides:
        count = f"{len(rows):,} of {n:,} {word}" if len(rows) < n else f"{n:,} {word}"
        parts.append(swatch(symbol, colour, count) if shade is None else f"{CHARACTERS[symbol]} {count}")
    return "   ".join(parts)


def _title(plotted: RowMap) -> str:
    if plotted.apart < _FEW:
        return "New rows are among labelled rows everywhere"
    return f"{show_percent(plotted.apart)} of new rows have few labelled rows nearby"
