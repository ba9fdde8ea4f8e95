"""How far the true value could be off: by a hidden change, compared with known slices, and by the paper's bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.checks import SensitivityPoint, SliceStrength, TheoremBound
from mandoline_core.formatting import show_difference, show_ends, show_times, show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import TARGET, WIDE_AXIS, ZOOMED, label, mark, safe, value_range, wrap
from mandoline_core.report.words import evidence

MOST_SLICES = 8
TERM_NAMES = {"hidden shift": "hidden change"}  # of a bound, where they differ
_TICKS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0)
_PLOT, _ROW, _GAP = 260, 24, 44  # pixels
_TERM = 46  # pixels


def hidden_shift_curve(
    bounds: Mapping[float, Interval],
    points: Sequence[SensitivityPoint],
    chosen: SensitivityPoint,
    strengths: Sequence[SliceStrength],
    *,
    metric: str,
    share: bool,
    threshold: float | None = None,
    crossing: float | None = None,
    dark: bool = False,
) -> go.Figure:
    """Show the bounds by strength of a hidden change; below them, the strength of each slice.

    Parameters
    ----------
    bounds : mapping of float to pair of floats
        By strength, before sampling error.
    points : sequence of SensitivityPoint
        Some of them with sampling error.
    crossing : float, optional
        The strength that takes the estimate to the threshold.
    """
    slices, most, figure = evidence.strongest(strengths)[:MOST_SLICES], max(bounds), Drawing(dark)
    low, high = zip(*(point.interval for point in points), strict=True)
    figure.band([point.gamma for point in points], low, high, name="with sampling error")
    for name, ends in zip(("lowest", "highest"), zip(*bounds.values(), strict=True), strict=True):
        hover = [f"{name} {show_value(y, share=share)} at {show_times(x)}" for x, y in zip(bounds, ends, strict=True)]
        figure.line(list(bounds), list(ends), name, colour=figure.colours.ink, hover=hover)
    _add_chosen(figure, chosen, share=share)
    span = value_range([*low, *high, *([] if threshold is None else [threshold])], share)
    if threshold is not None:
        _add_threshold(figure, threshold, crossing, most, share=share)
    for row, slice_ in enumerate(slices):
        _add_slice(figure, slice_, row, most)
    below = _ROW * len(slices) + (_GAP if slices else 0)
    height = _PLOT + below
    figure.value_axis("y", span, share=share, ticks=6)
    figure.y_axis["domain"] = [below / height, 1.0]
    figure.layout["yaxis2"] = {
        "domain": [0.0, max(below - _GAP, 1) / height],
        "range": [0.6 - max(len(slices), 1), 0.6],
        "tickvals": [],
        "showgrid": False,
        "anchor": "x",
        "visible": bool(slices),
        "fixedrange": True,
        "automargin": True,
    }
    figure.x_axis = {
        "type": "log",
        "range": [0.0, math.log10(most) + 0.03],
        "tickvals": _TICKS,
        "ticktext": [show_times(tick) for tick in _TICKS],
        "showgrid": True,
        "anchor": "y2" if slices else "y",
    }
    return figure.finish(
        title=evidence.hidden(chosen, share=share),
        x="strength of a hidden change: largest factor on a weight (log scale)",
        y=f"{metric} ({ZOOMED})" if span[0] > 0 else metric,
        height=height + 30,
        axis_width=WIDE_AXIS,
    )


def _add_chosen(figure: Drawing, chosen: SensitivityPoint, *, share: bool) -> None:
    ink = figure.colours.ink
    figure.points(
        [chosen.gamma, chosen.gamma],
        [chosen.low, chosen.high],
        "chosen",
        symbol="diamond",
        size=11,
        colour=ink,
        mode="lines+markers",
        line={"color": ink, "width": 2, "dash": "dot"},
        hover=f"with sampling error: {show_ends(chosen.interval, share=share)}",
    )
    right = chosen.gamma > 2.5
    for value, shift in ((chosen.low, -16), (chosen.high, 16)):
        if value == chosen.low == chosen.high and shift < 0:
            continue
        figure.write(
            f"<b>{show_value(value, share=share)}</b>",
            x=math.log10(chosen.gamma),  # on a log axis annotations are placed by the logarithm
            y=value,
            yshift=shift,
            xanchor="right" if right else "left",
            xshift=-6 if right else 6,
            bgcolor=figure.colours.paper,
        )


def _add_threshold(figure: Drawing, threshold: float, crossing: float | None, most: float, *, share: bool) -> None:
    written = show_value(threshold, share=share)
    ends = [threshold, threshold]
    figure.line([1.0, most], ends, "threshold", colour=TARGET, dash="dash", hover=f"your threshold: {written}")
    figure.write(f"your threshold {written}", x=1, xref="paper", xanchor="right", y=threshold, yanchor="bottom")
    if crossing is not None and crossing <= most:
        hover = f"reached at {show_times(crossing)}"
        figure.points([crossing], [threshold], "crossing", symbol="x", size=11, colour=TARGET, hover=hover)


def _add_slice(figure: Drawing, slice_: SliceStrength, row: int, most: float) -> None:
    """Give a slice a line of its own under the plot, with a mark at its strength."""
    strength = slice_.largest or 1.0
    written = show_times(strength)
    figure.points(
        [min(max(strength, 1.0), most)],
        [-row],
        slice_.name,
        symbol="triangle-right" if strength > most else "square",
        colour=figure.colours.ink,
        yaxis="y2",
        mode="markers+text",
        text=[f"{label(slice_.name)} <b>{written}</b>"],
        textposition="middle left" if strength > 2.0 else "middle right",
        hover=f"leaving out {mark(slice_.name)} changes weights by up to {written}",
    )


def bound_bars(bound: TheoremBound, *, half_interval: float | None, share: bool, dark: bool = False) -> go.Figure:
    """Stack the terms of the bound, each on its own line, starting where the one before ends.

    Parameters
    ----------
    half_interval : float or None
        The margin of error, for comparison.
    """
    figure, scale = Drawing(dark), 100.0 if share else 1.0
    colours, names = figure.colours, []
    for term in bound.terms:
        origin, size = "from the data" if term.known else "you assume", show_difference(term.value, share=share)
        names.append(f"{TERM_NAMES.get(term.name, safe(term.name))} ({origin})<br><b>{size}</b>")
    names.append(f"bound<br><b>{show_difference(bound.total, share=share)}</b>")
    if half_interval is not None:
        names.append(f"for comparison:<br>margin of error <b>{show_difference(half_interval, share=share)}</b>")
    heights, start = figure.rows(names), 0.0
    for term, y in zip(bound.terms, heights, strict=False):
        # Hatched where it is assumed, so that colour is not needed to distinguish it.
        pattern = {"shape": "" if term.known else "/", "fillmode": "replace", "fgcolor": colours.ink, "size": 7}
        # Once on a line of its own, once as a part of the whole.
        figure.bars(
            [scale * term.value] * 2,
            [y, heights[len(bound.terms)]],
            term.name,
            colour=colours.muted,
            base=[start] * 2,
            width=0.6,
            marker={"pattern": pattern, "line": {"width": 1, "color": colours.ink}},
            hover=wrap(term.words, 60),
        )
        start += scale * term.value
    if half_interval is not None:
        hover = "margin of error, with no hidden change"
        x, y = scale * half_interval, heights[-1]
        figure.points([x], [y], "half interval", symbol="diamond", size=12, colour=colours.ink, hover=hover)
    figure.layout["barmode"] = "overlay"
    most = max([scale * bound.total, scale * (half_interval or 0.0), 1e-9])
    figure.x_axis = {"range": [-0.03 * most, 1.08 * most], "nticks": 5, "showgrid": True}
    title = f"If your assumptions hold, the estimate is off by at most {show_difference(bound.total, share=share)}"
    if share and bound.total >= 1:
        title = "The bound is wider than the whole scale"
    return figure.finish(
        title=title,
        x=f"error of the estimate ({'points' if share else 'in units of the metric'}; hatched: assumed)",
        height=_TERM * len(names) + 50,
    )
