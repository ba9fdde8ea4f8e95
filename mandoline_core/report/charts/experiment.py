"""The results of an experiment: lines with bands, or dots next to names, with the paper's numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from mandoline_core.estimators import ESTIMATORS
from mandoline_core.formatting import show_number
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import TITLE_WIDTH, Palette, label, safe, swatch
from mandoline_core.report.words import title_of

# Colours that colour-blind people can distinguish, and a shape of its own for each; Mandoline's is ink.
_LOOKS = (
    ("#0072B2", "circle"),
    ("#D55E00", "square"),
    ("#009E73", "triangle-up"),
    ("#CC79A7", "cross"),
    ("#E69F00", "triangle-down"),
    ("#56B4E9", "star"),
    ("#8C6BB1", "hexagon"),
    ("#7F7F3F", "pentagon"),
    ("#A65628", "x"),
)
_Look = tuple[str, str]  # of a series: its colour and its symbol
_OWN, _PLAIN = "mandoline", "source"
_LINE, _ROW, _HEIGHT = 18, 22, 300  # pixels
_NAME = 24  # characters of a name next to dots
_STEP = 0.45  # rows between two dots of one name
_DECADES = 100.0  # times the smallest value: with more between them, powers of ten are ticks enough


class Point(NamedTuple):
    """Hold one number: its place, and its standard error."""

    series: str
    x: float | str
    value: float
    error: float | None = None


def experiment_lines(
    points: Sequence[Point],
    *,
    title: str,
    x: str,
    y: str,
    paper: Sequence[Point] = (),
    log_x: bool = False,
    log_y: bool = False,
    dark: bool = False,
) -> go.Figure:
    """Draw a line for each series, with a band of two standard errors; the paper's numbers are hollow.

    Parameters
    ----------
    points, paper : sequence of Point
        Ours and the paper's; `x` is a number. Without a logarithm they are left out.
    title, x, y : str
        Plain text.
    """
    figure = Drawing(dark)
    points, paper = (
        [point for point in some if (not log_x or float(point.x) > 0) and (not log_y or point.value > 0)]
        for some in (points, paper)
    )
    looks = _looks(points, figure.colours)
    for series, (colour, symbol) in looks.items():
        line = sorted((point for point in points if point.series == series), key=lambda point: float(point.x))
        _add_band(figure, line, colour, log_y)
        figure.points(
            [float(point.x) for point in line],
            [point.value for point in line],
            safe(series),
            symbol=symbol,
            size=8,
            colour=colour,
            mode="lines+markers",
            cliponaxis=True,
            line={
                "color": colour,
                "width": 3 if series == _OWN else 2,
                "dash": "dash" if series == _PLAIN else "solid",
            },
            hover=[_words(point, f"{x}: {show_number(float(point.x))}") for point in line],
        )
    shown = [point for point in paper if point.series in looks]
    _add_paper(figure, shown, looks, x)
    figure.x_axis = _axis([float(point.x) for point in points], log=log_x, own=True)
    figure.y_axis = _axis([point.value for point in points], log=log_y)
    keys = _keys(looks, hollow=bool(shown))
    figure.key(*keys, shift=4)
    return figure.finish(title=title, x=x, y=y, height=_HEIGHT, head=_LINE * len(keys) + 6)


def experiment_dots(points: Sequence[Point], *, title: str, x: str, log: bool = False, dark: bool = False) -> go.Figure:
    """Draw a dot for each series and name, with two standard errors, the names one below the other.

    Parameters
    ----------
    points : sequence of Point
        `x` is a name.
    x : str
        What the values are, with their unit.
    """
    figure = Drawing(dark)
    points = [point for point in points if not log or point.value > 0]
    looks = _looks(points, figure.colours)
    names = list(dict.fromkeys(str(point.x) for point in points))
    tall = _STEP * len(looks) + 1.0
    heights = {name: -number * tall for number, name in enumerate(names)}
    # What is never below zero is not drawn there either.
    floor = 0.0 if all(point.value >= 0 for point in points) else -math.inf
    for number, (series, (colour, symbol)) in enumerate(looks.items()):
        row = [point for point in points if point.series == series]
        values, reach = [point.value for point in row], [2 * (point.error or 0.0) for point in row]
        minus = [min(far, value - floor) for far, value in zip(reach, values, strict=True)]
        figure.points(
            values,
            [heights[str(point.x)] + _STEP * ((len(looks) - 1) / 2 - number) for point in row],
            safe(series),
            symbol=symbol,
            colour=colour,
            error_x={"array": reach, "arrayminus": minus, "color": colour, "thickness": 2, "width": 3},
            hover=[_words(point, str(point.x)) for point in row],
        )
    figure.y_axis = {
        "tickvals": list(heights.values()),
        "ticktext": [label(name, _NAME) for name in names],
        "range": [min(heights.values(), default=0.0) - tall / 2, tall / 2],
        "showgrid": True,
    }
    figure.x_axis = _axis([point.value for point in points], log=log)
    keys = _keys(looks, hollow=False)
    figure.key(*keys, shift=4)
    height = round(_ROW * tall * max(len(names), 1)) + 60
    return figure.finish(title=title, x=x, height=height, head=_LINE * len(keys) + 6)


def series_title(series: str) -> str:
    """Write the name of a series: a method by its title, anything else as it is.

    >>> series_title("mandoline"), series_title("noise-aware")
    ('Mandoline', 'noise-aware')
    """
    return title_of(series) if series in ESTIMATORS else series


def _looks(points: Sequence[Point], colours: Palette) -> dict[str, _Look]:
    """Give every series its look: Mandoline ink, the plain score grey, others a colour and a shape."""
    looks, number = {}, 0
    for series in dict.fromkeys(point.series for point in points):
        if series == _OWN:
            looks[series] = colours.ink, "diamond"
        elif series == _PLAIN:
            looks[series] = colours.muted, "triangle-left"
        else:
            looks[series] = _LOOKS[number % len(_LOOKS)]
            number += 1
    return looks


def _axis(values: Sequence[float], *, log: bool, own: bool = False) -> dict[str, Any]:
    """Describe an axis: from zero, or logarithmic with a tick at each power of ten, or at each value if they are few.

    Parameters
    ----------
    own : bool
        Whether ticks are at the values.
    """
    if not log or not values:
        return {"nticks": 6, "rangemode": "tozero", "showgrid": True}
    low, high = min(values), max(values)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if high / low > _DECADES else (1, 2, 5)
    ticks = sorted(set(values)) if own else [step * 10.0**power for power in powers for step in steps]
    return {"type": "log", "tickvals": ticks, "ticktext": [_tick(tick) for tick in ticks], "showgrid": True}


def _tick(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _add_band(figure: Drawing, line: Sequence[Point], colour: str, log: bool) -> None:
    sure = [point for point in line if point.error]
    low = [point.value - 2 * (point.error or 0.0) for point in sure]
    # A band that reaches to 0 or below has no lower edge on a logarithm.
    if len(sure) < 2 or (log and min(low) <= 0):
        return
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    high = [point.value + 2 * (point.error or 0.0) for point in sure]
    figure.band([float(point.x) for point in sure], low, high, colour=f"rgba({red},{green},{blue},0.15)")


def _add_paper(figure: Drawing, paper: Sequence[Point], looks: dict[str, _Look], x: str) -> None:
    for series in dict.fromkeys(point.series for point in paper):
        line, (colour, symbol) = [point for point in paper if point.series == series], looks[series]
        figure.points(
            [float(point.x) for point in line],
            [point.value for point in line],
            f"{safe(series)}, the paper",
            symbol=f"{symbol}-open",
            size=13,
            colour=colour,
            outline={"width": 2},
            cliponaxis=True,
            hover=[_words(point, f"{x}: {show_number(float(point.x))}, in the paper") for point in line],
        )


def _words(point: Point, where: str) -> str:
    error = "" if point.error is None else f" (standard error {point.error:.2g})"
    return f"<b>{safe(series_title(point.series))}</b>: {point.value:.3g}{error}<br>{safe(where)}"


def _keys(looks: dict[str, _Look], *, hollow: bool) -> list[str]:
    """Write the key in lines that fit on a phone."""
    lines: list[list[str]] = []
    room = 0
    for series, (colour, symbol) in looks.items():
        name = series_title(series).partition(" (")[0]
        room -= len(name) + 5
        if room < 0 or not lines:
            lines.append([])
            room = TITLE_WIDTH - len(name)
        lines[-1].append(swatch(symbol, colour, label(name, TITLE_WIDTH)))
    if hollow:
        lines.append(["◇ ○ hollow: the paper's number"])
    return ["   ".join(line) for line in lines]


def is_number(value: object) -> bool:
    """Tell whether a value can be drawn.

    >>> is_number(0.5), is_number("about 1"), is_number(float("nan"))
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
