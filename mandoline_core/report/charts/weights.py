"""The weights of source rows: a histogram of ratios by pattern, and the estimate under a cap on them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from mandoline_core.arrays import Floats
from mandoline_core.checks import ModelReport, Trimming
from mandoline_core.formatting import counted, show_change, show_interval, show_times, show_value
from mandoline_core.patterns import Patterns, describe
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import SOURCE, WIDE_AXIS, ZOOMED, safe, shorten, value_range
from mandoline_core.report.words import facts
from mandoline_core.report.words.evidence import show_cap

WEIGHT = "weight of a labelled row"  # title of the axis
LEAST = -10  # in powers of two: lighter rows share a bar
_MOST_BARS = 24
_MOST_TICKS = 7
_NAMED = 3  # patterns a bar names
_MOST_CAPS = 8  # what fits on a phone


WeightBar = tuple[float, float, list[str]]  # where a bar stands, in powers of two; its rows; the lines of its hover


def weight_histogram(report: ModelReport, *, log_counts: bool = False, dark: bool = False) -> go.Figure:
    """Show the weights of the source rows, on a scale of doublings.

    Bars are centred on 1, 1/2, 2 and so on; rows with weight 0 have their own bar.
    """
    figure, (bars, step, ticks, span) = Drawing(dark), weight_bars(report)
    figure.bars(
        [power for power, _, _ in bars],
        [rows for _, rows, _ in bars],
        "labelled rows",
        colour=SOURCE,
        orientation="v",
        width=0.9 * step,
        hover=["<br>".join([f"<b>{safe(first)}</b>", *map(safe, others)]) for _, _, (first, *others) in bars],
    )
    figure.upright(0, line={"color": figure.colours.ink, "dash": "dot", "width": 1.5}, layer="above")
    figure.write("average", x=0, xanchor="left", y=1, yref="paper", yanchor="bottom", xshift=-4)
    names = list(ticks.values())
    figure.x_axis = {"tickvals": list(ticks), "ticktext": names, "range": span, "tickangle": 0, "showgrid": False}
    figure.y_axis = {"showgrid": True, "nticks": 5, "tickformat": ",~d", "rangemode": "tozero"}
    if log_counts:
        most = max((rows for _, rows, _ in bars), default=1.0)
        ends = [np.log10(0.5), np.log10(2 * most)]  # on a log axis ranges are given by the logarithm
        figure.y_axis |= {"tickformat": ",.1~f", "type": "log", "range": ends, "dtick": 1}
    return figure.finish(
        title=facts.basis(report),
        x=WEIGHT,
        y="labelled rows (log scale)" if log_counts else "labelled rows",
        height=270,
        head=16,
        axis_width=WIDE_AXIS,
    )


def weight_bars(report: ModelReport) -> tuple[list[WeightBar], float, dict[float, str], tuple[float, float]]:
    """Sort source rows by weight, into bars on a scale of doublings.

    Returns
    -------
    list of WeightBar, float, dict of float to str, pair of floats
        The bars, their width, and the ticks and the ends of their axis. Rows with weight 0, which has no logarithm,
        have their own bar on the left.
    """
    table = report.problem.patterns
    shown = table.source > 0
    ratios = report.ratios[shown]
    step = _bar_width(ratios)
    bars = _bars(table.source[shown], ratios, step, table.codes[shown], table)
    powers = np.array([power for power, _, _ in bars if np.isfinite(power)] or [0.0])
    low, high = float(min(powers.min(), 0.0)), float(max(powers.max(), 0.0))
    ticks = {tick: _times(tick, low) for tick in _ticks(low, high)}
    if all(np.isfinite(power) for power, _, _ in bars):
        return bars, step, ticks, (low - step, high + step)
    zero = low - 2 * step
    bars = [(power if np.isfinite(power) else zero, rows, lines) for power, rows, lines in bars]
    return bars, step, {zero: "0x", **ticks}, (zero - step, high + step)


def _bar_width(ratios: Floats) -> float:
    """Choose the width of a bar in powers of two: half a doubling, or more where that makes too many bars."""
    powers = _powers(ratios[ratios > 0])
    spread = float(np.ptp(powers)) if len(powers) else 0.0
    step = 0.5
    while spread / step > _MOST_BARS:
        step *= 2
    return step


def _powers(ratios: Floats) -> Floats:
    return np.maximum(np.log2(ratios), LEAST)


def _bars(counts: Floats, ratios: Floats, step: float, codes: np.ndarray, table: Patterns) -> list[WeightBar]:
    powers = np.full(len(ratios), -np.inf)
    positive = ratios > 0
    # Rounded first: a ratio of 1 that is off in the last digit must not change its bar.
    powers[positive] = np.round(np.round(_powers(ratios[positive]), 9) / step) * step
    bars, names = [], [shorten(name) for name in table.names]
    for power in np.unique(powers):
        inside = np.flatnonzero(powers == power)
        rows = float(counts[inside].sum())
        top = inside[np.argsort(-counts[inside], kind="stable")]
        combinations = [f"{counts[i]:,.0f} rows in {describe(names, codes[i], most=4)}" for i in top[:_NAMED]]
        if len(top) > _NAMED:
            combinations.append(f"and {len(top) - _NAMED:,} more combinations")
        times = "0x" if not np.isfinite(power) else show_times(ratios[inside].min(), ratios[inside].max())
        bars.append((float(power), rows, [f"{rows:,.0f} rows, weight {times}", *combinations]))
    return bars


def _ticks(low: float, high: float) -> list[float]:
    """Choose whole powers of two, 0 among them."""
    first, last = int(np.floor(low)), int(np.ceil(high))
    every = 1
    while (last - first) / every > _MOST_TICKS:
        every += 1
    ticks = [
        float(power) for power in range(first, last + 1) if power % every == 0 and low - 0.5 <= power <= high + 0.5
    ]
    return ticks or [0.0]


def _times(power: float, low: float) -> str:
    """Write a power of two as a multiple: 1/4x, 1x, 8x."""
    size = 2 ** abs(int(power))
    number = f"{size:,}" if size < 10_000 else f"{size / 1000:,.0f}k"
    if power >= 0:
        return f"{number}x"
    return f"≤1/{number}x" if power == LEAST == low else f"1/{number}x"


def trimming_curve(
    curve: Sequence[Trimming], chosen: float, *, metric: str, share: bool, dark: bool = False
) -> go.Figure:
    """Show the estimate with its interval for every cap, the chosen one marked.

    Parameters
    ----------
    curve : sequence of Trimming
        By cap, ascending; the last has none.
    """
    figure, steps = Drawing(dark), list(range(len(curve)))
    low, high = zip(*(point.interval for point in curve), strict=True)
    figure.band(steps, low, high)
    figure.scatter(
        steps,
        [point.estimate for point in curve],
        "estimate",
        mode="lines+markers",
        line={"color": figure.colours.ink, "width": 2},
        marker={
            "color": figure.colours.ink,
            "symbol": ["diamond" if point.cap == chosen else "circle" for point in curve],
            "size": [15 if point.cap == chosen else 7 for point in curve],
        },
        hover=[_cap_words(point, share) for point in curve],
    )
    at = next(i for i, point in enumerate(curve) if point.cap == chosen)
    figure.write(
        f"<b>{show_value(curve[at].estimate, share=share)}</b>",
        x=at,
        y=curve[at].estimate,
        yshift=18,
        xanchor="right" if at > len(curve) / 2 else "left",
        bgcolor=figure.colours.paper,
    )
    every = math.ceil(len(steps) / _MOST_CAPS)
    named = [*steps[:-every:every], steps[-1]]
    figure.x_axis = {
        "tickvals": named,
        "ticktext": [show_cap(curve[i].cap) for i in named],
        "tickangle": 0,
        "range": [-0.3, len(curve) - 0.7],
    }
    figure.value_axis("y", value_range([*low, *high], share), share=share, ticks=6)
    return figure.finish(
        title=_cap_title(curve[at], curve[-1], share),
        x="largest weight of a row (not to scale)",
        y=f"{metric} ({ZOOMED})",
        height=270,
        axis_width=WIDE_AXIS,
    )


def _cap_title(chosen: Trimming, free: Trimming, share: bool) -> str:
    if math.isinf(chosen.cap):
        return f"Without a cap the estimate is {show_value(free.estimate, share=share)}"
    return f"With a cap at {show_cap(chosen.cap)} the estimate is {show_change(chosen.change, share=share)}"


def _cap_words(point: Trimming, share: bool) -> str:
    return (
        f"<b>{show_cap(point.cap)}</b>: {show_interval(point.estimate, point.interval, share=share)}<br>"
        f"{counted(point.rows_capped, 'row')} capped, {point.effective_sample_size:,.0f} effective rows"
    )
