"""How far hidden shift could move the estimate, beside how strong the known slices are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.checks import SensitivityPoint, SliceStrength
from mandoline_core.formatting import show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, ZOOMED, value_range
from mandoline_core.report.charts.template import TARGET, WIDE_AXIS, finish, label, palette, safe, shorten

MOST_SLICES = 8
_TICKS = (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0)
_PLOT, _ROW, _GAP = 260, 24, 44  # pixels


class HiddenShift(NamedTuple):
    """Hold what the figure draws.

    Parameters
    ----------
    gammas, lows, highs : sequence of float
        The bounds, before sampling error.
    points : sequence of SensitivityPoint
        Some of them with sampling error.
    """

    gammas: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    points: Sequence[SensitivityPoint]
    chosen: SensitivityPoint
    threshold: float | None
    crossing: float | None
    strengths: Sequence[SliceStrength]


def hidden_shift_curve(found: HiddenShift, *, metric: str, share: bool, dark: bool = False) -> go.Figure:
    """Show the bounds over the strength of hidden shift; below them, how strong each slice is."""
    slices = strongest(found.strengths)[:MOST_SLICES]
    most = max(found.gammas)
    figure = Drawing()
    _add_bands(figure, found, dark)
    _add_chosen(figure, found, share=share, dark=dark)
    ends = [end for point in found.points for end in point.interval]
    span = value_range([*ends, *([] if found.threshold is None else [found.threshold])], share)
    if found.threshold is not None:
        _add_threshold(figure, found, most, share=share)
    _add_slices(figure, slices, most, dark)
    below = _ROW * len(slices) + (_GAP if slices else 0)
    height = _PLOT + below
    figure.update_layout(
        yaxis={"domain": [below / height, 1.0], "range": span, "tickformat": TICK_FORMAT[share], "nticks": 6},
        yaxis2={
            "domain": [0.0, max(below - _GAP, 1) / height],
            "range": [0.6 - max(len(slices), 1), 0.6],
            "tickvals": [],
            "showgrid": False,
            "anchor": "x",
            "visible": bool(slices),
        },
    )
    figure.update_xaxes(
        type="log",
        range=[0.0, math.log10(most) + 0.03],
        tickvals=_TICKS,
        ticktext=[f"{tick:g}" for tick in _TICKS],
        showgrid=True,
        anchor="y2" if slices else "y",
    )
    finished = finish(
        figure,
        title=_title(found, share),
        x="strength of a hidden change: times more or less that a row may count (log scale)",
        y=f"{metric} ({ZOOMED})" if span[0] > 0 else metric,
        height=height + 30,
        axis_width=WIDE_AXIS,
        dark=dark,
    )
    finished.update_layout(yaxis2={"title": {"text": ""}})
    return finished


def strongest(strengths: Sequence[SliceStrength]) -> list[SliceStrength]:
    """List the slices whose strength is known, the strongest first."""
    return sorted((one for one in strengths if one.largest is not None), key=lambda one: -(one.largest or 0.0))


def show_strength(strength: float, *, unit: bool = True) -> str:
    """Write how strong a hidden change a slice would have been.

    >>> show_strength(1.04), show_strength(893.2), show_strength(math.inf)
    ('1.04 times', '893 times', 'without limit')
    """
    return "without limit" if math.isinf(strength) else f"{strength:,.3g}{' times' if unit else ''}"


def _add_bands(figure: Drawing, found: HiddenShift, dark: bool) -> None:
    colours = palette(dark)
    some = [point.gamma for point in found.points]
    figure.add_scatter(
        x=[*some, *some[::-1]],
        y=[*(p.interval[1] for p in found.points), *(p.interval[0] for p in found.points[::-1])],
        name="with sampling error",
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=colours.band,
        hoverinfo="skip",
    )
    for name, values in (("lowest", found.lows), ("highest", found.highs)):
        figure.add_scatter(
            x=list(found.gammas),
            y=list(values),
            name=name,
            mode="lines",
            line={"color": colours.ink, "width": 2},
            hovertemplate=f"{name} %{{y:.3f}} at %{{x:.2f}} times<extra></extra>",
        )


def _add_chosen(figure: Drawing, found: HiddenShift, *, share: bool, dark: bool) -> None:
    chosen, colours = found.chosen, palette(dark)
    figure.add_scatter(
        x=[chosen.gamma, chosen.gamma],
        y=[chosen.low, chosen.high],
        name="chosen",
        mode="lines+markers",
        line={"color": colours.ink, "width": 2, "dash": "dot"},
        marker={"symbol": "diamond", "size": 11, "color": colours.ink},
        cliponaxis=False,
        hoverinfo="skip",
    )
    right = chosen.gamma > 2.5
    for value, shift in ((chosen.low, -16), (chosen.high, 16)):
        if value == chosen.low == chosen.high and shift < 0:
            continue
        figure.add_annotation(
            x=math.log10(chosen.gamma),  # on a log axis annotations are placed by the logarithm
            y=value,
            text=f"<b>{show_value(value, share=share)}</b>",
            showarrow=False,
            yshift=shift,
            xanchor="right" if right else "left",
            xshift=-6 if right else 6,
            bgcolor=colours.paper,
        )


def _add_threshold(figure: Drawing, found: HiddenShift, most: float, *, share: bool) -> None:
    threshold = float(found.threshold or 0.0)
    figure.add_scatter(
        x=[1.0, most],
        y=[threshold, threshold],
        name="threshold",
        mode="lines",
        line={"color": TARGET, "width": 2, "dash": "dash"},
        hovertext=f"your threshold: {show_value(threshold, share=share)}",
        hoverinfo="text",
    )
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=threshold,
        yanchor="bottom",
        text=f"your threshold {show_value(threshold, share=share)}",
        showarrow=False,
    )
    if found.crossing is not None and found.crossing <= most:
        figure.add_scatter(
            x=[found.crossing],
            y=[threshold],
            name="crossing",
            mode="markers",
            marker={"symbol": "x", "size": 11, "color": TARGET},
            hovertext=f"reached at {found.crossing:.2f} times",
            hoverinfo="text",
        )


def _add_slices(figure: Drawing, slices: Sequence[SliceStrength], most: float, dark: bool) -> None:
    """Give each slice a line of its own under the plot, with a mark at its strength."""
    colours = palette(dark)
    for place, one in enumerate(slices):
        strength = one.largest or 1.0
        beyond = strength > most
        written = show_strength(strength)
        left = strength > 2.0
        figure.add_scatter(
            x=[min(max(strength, 1.0), most)],
            y=[-place],
            yaxis="y2",
            name=one.name,
            mode="markers+text",
            cliponaxis=False,
            marker={"symbol": "triangle-right" if beyond else "square", "size": 10, "color": colours.ink},
            text=[f"{label(one.name)} <b>{show_strength(strength, unit=False)}</b>"],
            textposition="middle left" if left else "middle right",
            hovertext=f"{safe(shorten(one.name, 60))}: leaving it out changes how much rows count "
            f"{written if math.isinf(strength) else f'by up to {written}'}",
            hoverinfo="text",
        )


def _title(found: HiddenShift, share: bool) -> str:
    chosen = found.chosen
    if chosen.gamma == 1.0:
        return f"With nothing hidden, the estimate is {show_value(chosen.low, share=share)}"
    low, high = show_value(chosen.low, share=share), show_value(chosen.high, share=share)
    return f"A hidden change of {chosen.gamma:.2f} times could put the truth anywhere from {low} to {high}"
