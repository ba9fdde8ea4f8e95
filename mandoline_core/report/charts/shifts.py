"""Shifts as dots on a line each: love plots before and after weighting, predicted classes, calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from mandoline_core.checks import SliceCalibration
from mandoline_core.formatting import show_difference, show_percent, show_points
from mandoline_core.pipeline import FARTHEST, MeanShift
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import (
    SOURCE,
    TARGET,
    ZOOMED,
    label,
    mark,
    palette,
    shorten,
    swatch,
)

MOST_PAIRS = 20
_MOST_LINES = 14
_LEAST_SPAN = 0.1  # of a share: less would make a small difference look large


_Series = tuple[str, str, str | Sequence[str], Sequence[float]]  # of one kind of dot: name, symbol, colours, values


def pair_gaps(
    names_pairs: Sequence[tuple[str, str]], before: Sequence[float], after: Sequence[float], *, dark: bool = False
) -> go.Figure:
    """Show the shift of each pair's joint frequency, before and after weighting; the largest on top.

    Parameters
    ----------
    before, after : sequence of float
        Target minus source, as shares; shown in points.
    """
    order = _furthest_first(after)
    shown = order[:MOST_PAIRS]
    pairs = [names_pairs[i] for i in shown]
    old, new = ([100 * values[i] for i in shown] for values in (before, after))
    note = f"; {len(shown)} of {len(order):,} pairs" if len(shown) < len(order) else ""
    title = "Pairs need two slices"
    if pairs:
        worst = " and ".join(map(shorten, pairs[0]))
        title = f"Largest shift after weighting: {worst}, {show_difference(new[0] / 100, share=True)}"
    return _before_after(
        [" + ".join(label(name, 10) for name in pair) for pair in pairs],
        [" and ".join(label(name, 40) for name in pair) for pair in pairs],
        old,
        new,
        written=lambda value: show_points(value / 100, share=True),
        title=title,
        x=f"joint frequency, new minus labelled data (points{note})",
        y="pair of slices",
        dark=dark,
    )


def balance(
    names: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    modelled: Sequence[bool],
    *,
    dark: bool = False,
) -> go.Figure:
    """Show the standardised shift of columns before and after weighting (love plot); the largest on top.

    Parameters
    ----------
    before, after : sequence of float
        Standardised shifts, target minus source; NaN if absent.
    modelled : sequence of bool
        Slices in use: grey, because weighting makes them match.
    """
    order = _furthest_first(after)
    grey = [modelled[i] for i in order]
    free = [i for i in order if not modelled[i] and not math.isnan(after[i])]
    title = "Weighting makes all of these match"
    if free:
        worst, size = shorten(names[free[0]], 24), abs(after[free[0]])
        title = f"After weighting, {worst} is off by {size:.2f} standard deviations"
        if size == FARTHEST:  # what does not vary has no standard deviation
            title = f"No weights can change {worst}: it has one value in each sample"
        if size < 0.1:
            title = f"After weighting, no column is off by 0.1 standard deviations (most: {worst}, {size:.2f})"
    return _before_after(
        [label(names[i]) for i in order],
        [mark(names[i]) for i in order],
        [before[i] for i in order],
        [after[i] for i in order],
        written=lambda value: f"{value:+.2f}",
        grey=grey,
        clicked=[mark(names[i]) for i in order],
        title=title,
        x="standardised shift, new minus labelled data (standard deviations)" + ("; grey: slices" if any(grey) else ""),
        y="column or slice",
        dark=dark,
    )


def _furthest_first(values: Sequence[float]) -> list[int]:
    """Order by size, what is not known last."""
    return sorted(range(len(values)), key=lambda i: -1.0 if math.isnan(values[i]) else abs(values[i]), reverse=True)


def _before_after(
    ticks: Sequence[str],
    hovers: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    *,
    written: Callable[[float], str],
    title: str,
    x: str,
    y: str,
    dark: bool,
    grey: Sequence[bool] = (),
    clicked: Sequence[str] | None = None,
) -> go.Figure:
    """Draw a hollow dot before weighting and a full one after it, on either side of zero."""
    figure, grey = Drawing(dark), grey or [False] * len(ticks)
    muted = figure.colours.muted
    inks = [muted if is_grey else figure.colours.ink for is_grey in grey]
    series = [("before", "circle-open", inks, before), ("after", "circle", inks, after)]
    hover = [
        f"<b>{name}</b><br>before {written(old)}, after {written(new)}"
        f"{'<br>a slice: weighting makes it match' if is_grey else ''}"
        for name, old, new, is_grey in zip(hovers, before, after, grey, strict=True)
    ]
    named = [
        f'<span style="color:{muted}">{tick}</span>' if is_grey else tick
        for tick, is_grey in zip(ticks, grey, strict=True)
    ]
    _add_dots(figure, named, series, [hover, hover], **({} if clicked is None else {"customdata": clicked}))
    ends = [0.0, *(value for value in (*before, *after) if not math.isnan(value))]
    room = 0.12 * (max(ends) - min(ends)) or 1.0
    span = [min(ends) - room, max(ends) + room]
    figure.x_axis = {"range": span, "showgrid": True, "zeroline": True, "zerolinewidth": 2, "nticks": 6}
    figure.key("○ before weighting  ● after")
    return figure.finish(title=title, x=x, y=y, height=24 * len(ticks) + 80, head=18)


def predicted_classes(shares: Sequence[MeanShift], *, dark: bool = False) -> go.Figure:
    """Show how often each class is predicted: labelled, weighted and new rows; the largest gap on top."""
    shown = sorted(shares, key=lambda line: -abs(line.gap))[:_MOST_LINES]
    title = "No classes are predicted"
    if shown:
        worst = shown[0]
        title = (
            f"{shorten(worst.name, 20)} is predicted for {show_percent(worst.target)} of new rows, "
            f"{show_percent(worst.weighted)} of labelled rows after weighting"
        )
    note = f"; {len(shown)} of {len(shares)} classes" if len(shown) < len(shares) else ""
    return _shares(
        [line.name for line in shown],
        [
            ("labelled", "circle-open", SOURCE, [line.source for line in shown]),
            ("weighted", "diamond", palette(dark).ink, [line.weighted for line in shown]),
            ("new", "square", TARGET, [line.target for line in shown]),
        ],
        title=title,
        x=f"share of rows predicted as the class{note}",
        dark=dark,
    )


def calibration(lines: Sequence[SliceCalibration], *, dark: bool = False) -> go.Figure:
    """Show confidence and accuracy on the labelled rows in each slice; the largest gap on top."""
    slices = sorted((line for line in lines if line.slice is not None), key=lambda line: -abs(line.gap))
    shown = [*(line for line in lines if line.slice is None), *slices][:_MOST_LINES]
    title = "No probabilities to compare"
    if slices:
        worst = slices[0]
        word = "overconfident" if worst.gap > 0 else "underconfident"
        title = f"In {shorten(str(worst.slice), 20)} the model is {word} by {show_difference(worst.gap, share=True)}"
    return _shares(
        ["all rows" if line.slice is None else line.slice for line in shown],
        [
            ("confidence", "circle-open", palette(dark).ink, [line.confidence for line in shown]),
            ("accuracy", "circle", SOURCE, [line.accuracy for line in shown]),
        ],
        title=title,
        x="mean confidence, accuracy on labelled rows",
        dark=dark,
    )


def _shares(names: Sequence[str], series: Sequence[_Series], *, title: str, x: str, dark: bool) -> go.Figure:
    """Draw shares of several kinds on a line a name."""
    figure = Drawing(dark)
    hovers = [
        [f"<b>{mark(name)}</b><br>{kind} {show_percent(value)}" for name, value in zip(names, values, strict=True)]
        for kind, _, _, values in series
    ]
    _add_dots(figure, [label(name) for name in names], series, hovers)
    values = [value for *_, some in series for value in some] or [0.0, 1.0]
    room = max(0.1 * (max(values) - min(values)), (_LEAST_SPAN - max(values) + min(values)) / 2)
    span = [max(min(values) - room, -0.02), min(max(values) + room, 1.02)]
    figure.value_axis("x", span, share=True, ticks=6)
    figure.key("  ".join(swatch(symbol, str(colour), kind) for kind, symbol, colour, _ in series))
    note = "" if span[0] <= 0 and span[1] >= 1 else f" ({ZOOMED})"
    return figure.finish(title=title, x=f"{x}{note}", height=26 * max(len(names), 1) + 80, head=18)


def _add_dots(
    figure: Drawing, names: Sequence[str], series: Sequence[_Series], hovers: Sequence[Sequence[str]], **more: Any
) -> None:
    """Add a line of dots for each name, joined from the least to the largest."""
    heights = figure.rows(names)
    ends = [(min(values), max(values)) for values in zip(*(some for *_, some in series), strict=True)]
    # One trace for all connecting lines: None lifts the pen.
    figure.line(
        [value for low, high in ends for value in (low, high, None)],
        [value for y in heights for value in (y, y, None)],
        "path",
        colour=figure.colours.grid,
        width=3,
    )
    for (kind, symbol, colour, values), hover in zip(series, hovers, strict=True):
        outline = {"color": colour, "width": 2}
        figure.points(values, heights, kind, symbol=symbol, colour=colour, outline=outline, hover=hover, **more)
