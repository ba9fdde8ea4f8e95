"""How much each source row counts: a histogram of ratios, by pattern."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from mandoline_core.arrays import Floats
from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_times
from mandoline_core.patterns import Patterns, describe
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import SOURCE, WIDE_AXIS, finish, palette, safe, shorten

LEAST = -10  # in powers of two: what counts less than 1/1,024 times shares a bar
_MOST_BARS = 24
_MOST_TICKS = 7
_NAMED = 3  # patterns a bar names


class WeightBar(NamedTuple):
    """Hold one bar: its place in powers of two, the rows in it, and what hovering says, line by line."""

    place: float
    rows: float
    lines: tuple[str, ...]


class WeightBars(NamedTuple):
    """Hold the bars with their axis: rows that count for nothing have a bar of their own, at its left end."""

    bars: list[WeightBar]
    step: float
    ticks: dict[float, str]
    span: tuple[float, float]


def weight_histogram(report: ModelReport, *, log_counts: bool = False, dark: bool = False) -> go.Figure:
    """Show how many source rows count how many times, on a scale of doublings.

    Bars are centred on 1, 1/2, 2 and so on; rows that count for nothing have a bar of their own.
    """
    bars, step, ticks, span = weight_bars(report)
    figure = Drawing()
    figure.add_bar(
        x=[bar.place for bar in bars],
        y=[bar.rows for bar in bars],
        width=0.9 * step,
        name="labelled rows",
        marker={"color": SOURCE},
        hovertext=[_hover(bar) for bar in bars],
        hoverinfo="text",
    )
    figure.add_vline(x=0, line={"color": palette(dark).ink, "dash": "dot", "width": 1.5}, layer="above")
    figure.add_annotation(
        x=0, xanchor="left", y=1, yref="paper", yanchor="bottom", text="counts once", showarrow=False, xshift=-4
    )
    figure.update_xaxes(
        tickvals=list(ticks), ticktext=list(ticks.values()), range=list(span), tickangle=0, showgrid=False
    )
    figure.update_yaxes(showgrid=True, nticks=5, tickformat=",~d" if not log_counts else ",.1~f", rangemode="tozero")
    if log_counts:
        most = max((bar.rows for bar in bars), default=1.0)
        figure.update_yaxes(type="log", range=[np.log10(0.5), np.log10(2 * most)], dtick=1)
    return finish(
        figure,
        title=weights_title(report),
        x="how many times a labelled row counts",
        y="labelled rows (log scale)" if log_counts else "labelled rows",
        height=270,
        head=16,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def weights_title(report: ModelReport) -> str:
    """Say what the histogram shows."""
    return (
        f"The heaviest row counts {show_times(report.largest_ratio)}; "
        f"{report.effective_sample_size:,.0f} effective rows of {report.n_source:,}"
    )


def weight_bars(report: ModelReport) -> WeightBars:
    """Sort source rows by how many times they count, into bars on a scale of doublings."""
    table = report.problem.patterns
    shown = table.source > 0
    ratios = report.ratios[shown]
    step = _step(ratios)
    bars = _bars(table.source[shown], ratios, step, table.codes[shown], table)
    places = np.array([bar.place for bar in bars if np.isfinite(bar.place)] or [0.0])
    low, high = min(places.min(), 0.0), max(places.max(), 0.0)
    zero = low - 2 * step
    has_zero = any(not np.isfinite(bar.place) for bar in bars)
    return WeightBars(
        bars=[bar if np.isfinite(bar.place) else bar._replace(place=float(zero)) for bar in bars],
        step=step,
        ticks=({float(zero): "0"} if has_zero else {}) | {tick: _times(tick, low) for tick in _ticks(low, high)},
        span=(float(zero if has_zero else low) - step, float(high) + step),
    )


def _hover(bar: WeightBar) -> str:
    first, *others = (safe(line) for line in bar.lines)
    return "<br>".join([f"<b>{first}</b>", *others])


def _step(ratios: Floats) -> float:
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
    places = np.full(len(ratios), -np.inf)
    positive = ratios > 0
    # Rounded first: a ratio of 1 that is off in the last digit must not change its bar.
    places[positive] = np.round(np.round(_powers(ratios[positive]), 9) / step) * step
    bars, names = [], [shorten(name) for name in table.names]
    for place in np.unique(places):
        inside = np.flatnonzero(places == place)
        rows = float(counts[inside].sum())
        top = inside[np.argsort(-counts[inside], kind="stable")]
        said = [f"{counts[i]:,.0f} rows in {describe(names, codes[i], most=4)}" for i in top[:_NAMED]]
        if len(top) > _NAMED:
            said.append(f"and {len(top) - _NAMED:,} more combinations")
        times = "0 times" if not np.isfinite(place) else show_times(ratios[inside].min(), ratios[inside].max())
        bars.append(WeightBar(float(place), rows, (f"{rows:,.0f} rows count {times}", *said)))
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
    """Write a power of two as a person would: 1/4, 1, 8."""
    size = 2 ** abs(int(power))
    number = f"{size:,}" if size < 10_000 else f"{size / 1000:,.0f}k"
    if power >= 0:
        return number
    return f"≤1/{number}" if power == LEAST == low else f"1/{number}"
