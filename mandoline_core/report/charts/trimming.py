"""The estimate against the most that a row may count."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from mandoline_core.checks import Trimming
from mandoline_core.formatting import counted, direction, show_difference, show_interval, show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, ZOOMED, value_range
from mandoline_core.report.charts.template import WIDE_AXIS, finish, palette

_MOST_TICKS = 8  # what fits on a phone


def show_cap(cap: float) -> str:
    """Write a cap.

    >>> show_cap(1.5), show_cap(20.0), show_cap(math.inf)
    ('1.5', '20', 'no cap')
    """
    return "no cap" if math.isinf(cap) else f"{cap:,g}"


def show_capped(cap: float) -> str:
    """Write how often a row may count.

    >>> show_capped(1.0), show_capped(20.0)
    ('1 time', '20 times')
    """
    return f"{show_cap(cap)} {'time' if cap == 1 else 'times'}"


def trimming_curve(
    found: Sequence[Trimming], chosen: float, *, metric: str, share: bool, dark: bool = False
) -> go.Figure:
    """Show the estimate with its interval for every cap, the chosen one marked.

    Parameters
    ----------
    found : sequence of Trimming
        By cap, ascending; the last has none.
    """
    colours, places = palette(dark), list(range(len(found)))
    low, high = [one.interval[0] for one in found], [one.interval[1] for one in found]
    figure = Drawing()
    figure.add_band(places, low, high, colours.band)
    figure.add_scatter(
        x=places,
        y=[one.estimate for one in found],
        name="estimate",
        mode="lines+markers",
        line={"color": colours.ink, "width": 2},
        marker={
            "color": colours.ink,
            "symbol": ["diamond" if one.cap == chosen else "circle" for one in found],
            "size": [15 if one.cap == chosen else 7 for one in found],
        },
        hovertext=[_words(one, share) for one in found],
        hoverinfo="text",
    )
    place = next(i for i, one in enumerate(found) if one.cap == chosen)
    figure.add_annotation(
        x=place,
        y=found[place].estimate,
        text=f"<b>{show_value(found[place].estimate, share=share)}</b>",
        showarrow=False,
        yshift=18,
        xanchor="right" if place > len(found) / 2 else "left",
        bgcolor=colours.paper,
    )
    span = value_range([*low, *high], share)
    step = math.ceil(len(places) / _MOST_TICKS)
    named = [*places[:-step:step], places[-1]]
    figure.update_xaxes(
        tickvals=named,
        ticktext=[show_cap(found[i].cap) for i in named],
        tickangle=0,
        range=[-0.3, len(found) - 0.7],
    )
    figure.update_yaxes(range=span, tickformat=TICK_FORMAT[share], nticks=6, showgrid=True)
    return finish(
        figure,
        title=_title(found[place], found[-1], share),
        x="times a row may count (steps are not to scale)",
        y=f"{metric} ({ZOOMED})",
        height=270,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def _title(chosen: Trimming, free: Trimming, share: bool) -> str:
    if math.isinf(chosen.cap):
        return f"Without a cap the estimate is {show_value(free.estimate, share=share)}; a cap trades balance for calm"
    way = direction(chosen.change, share=share)
    moved = (
        "leaves the estimate as it is"
        if way == "the same"
        else (f"makes the estimate {show_difference(chosen.change, share=share)} {way}")
    )
    return f"A cap at {show_capped(chosen.cap)} {moved}"


def _words(one: Trimming, share: bool) -> str:
    return (
        f"<b>{show_cap(one.cap)}</b>: {show_interval(one.estimate, one.interval, share=share)}<br>"
        f"{counted(one.rows_capped, 'row')} capped, {one.effective_sample_size:,.0f} effective rows"
    )
