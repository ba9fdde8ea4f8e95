"""How far the truth could be off: by hidden shift, beside how strong known slices are, and by the paper's bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.checks import SensitivityPoint, SliceStrength, TheoremBound
from mandoline_core.formatting import say, show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import TARGET, WIDE_AXIS, ZOOMED, label, mark, safe, value_range, wrap
from mandoline_core.report.words import PLAIN

MOST_SLICES = 8
TERM_NAMES = {"hidden shift": "hidden change", "corrections": "corrections", "sampling error": "luck of the draw"}
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
    """Show the bounds over the strength of hidden shift; below them, how strong each slice is.

    Parameters
    ----------
    bounds : mapping of float to pair of floats
        By strength, before sampling error.
    points : sequence of SensitivityPoint
        Some of them with sampling error.
    crossing : float, optional
        The strength that takes the estimate to the threshold.
    """
    slices, most, figure = strongest(strengths)[:MOST_SLICES], max(bounds), Drawing(dark)
    low, high = zip(*(point.interval for point in points), strict=True)
    figure.band([point.gamma for point in points], low, high, name="with sampling error")
    for name, ends in zip(("lowest", "highest"), zip(*bounds.values(), strict=True), strict=True):
        hover = [f"{name} {y:.3f} at {x:.2f} times" for x, y in zip(bounds, ends, strict=True)]
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
        "ticktext": [f"{tick:g}" for tick in _TICKS],
        "showgrid": True,
        "anchor": "y2" if slices else "y",
    }
    return figure.finish(
        title=_shift_title(chosen, share),
        x="strength of a hidden change: times more or less that a row may count (log scale)",
        y=f"{metric} ({ZOOMED})" if span[0] > 0 else metric,
        height=height + 30,
        axis_width=WIDE_AXIS,
    )


def strongest(strengths: Sequence[SliceStrength]) -> list[SliceStrength]:
    """List the slices whose strength is known, the strongest first."""
    known = [strength for strength in strengths if strength.largest is not None]
    return sorted(known, key=lambda strength: -(strength.largest or 0.0))


def show_strength(strength: float, *, unit: bool = True) -> str:
    """Write how strong a hidden change a slice would have been.

    >>> show_strength(1.04), show_strength(893.2), show_strength(math.inf)
    ('1.04 times', '893 times', 'without limit')
    """
    return "without limit" if math.isinf(strength) else f"{strength:,.3g}{' times' if unit else ''}"


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
        hover = f"reached at {crossing:.2f} times"
        figure.points([crossing], [threshold], "crossing", symbol="x", size=11, colour=TARGET, hover=hover)


def _add_slice(figure: Drawing, slice_: SliceStrength, row: int, most: float) -> None:
    """Give a slice a line of its own under the plot, with a mark at its strength."""
    strength = slice_.largest or 1.0
    written = show_strength(strength)
    far = written if math.isinf(strength) else f"by up to {written}"
    figure.points(
        [min(max(strength, 1.0), most)],
        [-row],
        slice_.name,
        symbol="triangle-right" if strength > most else "square",
        colour=figure.colours.ink,
        yaxis="y2",
        mode="markers+text",
        text=[f"{label(slice_.name)} <b>{show_strength(strength, unit=False)}</b>"],
        textposition="middle left" if strength > 2.0 else "middle right",
        hover=f"{mark(slice_.name)}: leaving it out changes how much rows count {far}",
    )


def _shift_title(chosen: SensitivityPoint, share: bool) -> str:
    low, high = show_value(chosen.low, share=share), show_value(chosen.high, share=share)
    if chosen.gamma == 1.0:
        return f"With nothing hidden, the estimate is {low}"
    return f"A hidden change of {chosen.gamma:.2f} times could put the truth anywhere from {low} to {high}"


def bound_bars(bound: TheoremBound, *, half_interval: float | None, share: bool, dark: bool = False) -> go.Figure:
    """Stack the terms of the bound, each on a line of its own, starting where the one before ends.

    Parameters
    ----------
    half_interval : float or None
        How far the interval reaches from the estimate, for comparison.
    """
    figure, scale = Drawing(dark), 100.0 if share else 1.0
    colours, names = figure.colours, []
    for term in bound.terms:
        origin = "from the data" if term.known else "you assume"
        names.append(f"{TERM_NAMES.get(term.name, safe(term.name))} ({origin})<br><b>{_number(term.value, share)}</b>")
    names.append(f"the bound, all together<br><b>{_number(bound.total, share)}</b>")
    if half_interval is not None:
        names.append(f"for comparison: the<br>interval's half <b>{_number(half_interval, share)}</b>")
    heights, start = figure.rows(names), 0.0
    for term, y in zip(bound.terms, heights, strict=False):
        # Hatched where it is assumed, so that colour is not needed to tell it from what is known.
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
            hover=wrap(say(term.words, PLAIN), 60),
        )
        start += scale * term.value
    if half_interval is not None:
        hover = "what is likely, if nothing is hidden"
        x, y = scale * half_interval, heights[-1]
        figure.points([x], [y], "half interval", symbol="diamond", size=12, colour=colours.ink, hover=hover)
    figure.layout["barmode"] = "overlay"
    most = max([scale * bound.total, scale * (half_interval or 0.0), 1e-9])
    figure.x_axis = {"range": [-0.03 * most, 1.08 * most], "nticks": 5, "showgrid": True}
    title = f"If your assumptions hold, the estimate is off by at most {_number(bound.total, share)}"
    if share and bound.total >= 1:
        title = "The bound is wider than the whole scale: in the worst case anything is possible"
    return figure.finish(
        title=title,
        x=f"error of the estimate ({'points' if share else 'in units of the metric'}; hatched: assumed)",
        height=_TERM * len(names) + 50,
    )


def _number(value: float, share: bool) -> str:
    return f"{100 * value:,.1f} points" if share else f"{value:.3g}"
