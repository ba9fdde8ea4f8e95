"""What weighting leaves of each shift: a dot before, a dot after."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import finish, label, mark, palette, safe, shorten

MOST_PAIRS = 20
_LINE = 24  # pixels a line
_KEY = "○ before weighting  ● after"


class _Line(NamedTuple):
    """Hold one line: its name as ticks, hovering and the title write it, the shift before and after, and its name."""

    tick: str
    hover: str
    title: str
    before: float
    after: float
    modelled: bool = False
    name: str = ""


def pair_gaps(
    names_pairs: Sequence[tuple[str, str]], before: Sequence[float], after: Sequence[float], *, dark: bool = False
) -> go.Figure:
    """Show how far each pair's joint frequency is off, before and after weighting; what remains most is on top.

    Parameters
    ----------
    before, after : sequence of float
        Target minus source, as shares; shown in points.
    """
    lines = _sorted(
        _Line(
            f"{label(a, 10)} + {label(b, 10)}",
            f"{safe(shorten(a, 40))} and {safe(shorten(b, 40))}",
            f"{shorten(a)} and {shorten(b)}",
            100 * old,
            100 * new,
        )
        for (a, b), old, new in zip(names_pairs, before, after, strict=True)
    )
    shown = lines[:MOST_PAIRS]
    note = f"; {len(shown)} of {len(lines):,} pairs" if len(shown) < len(lines) else ""
    title = "A pair needs two slices"
    if lines:
        title = f"At most {abs(lines[0].after):.1f} points of joint frequency remain, in {lines[0].title}"
    return _before_after(
        shown,
        title=title,
        x=f"new minus labelled data, joint frequency (points{note})",
        y="pair of slices",
        unit=" points",
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
    """Show the standardised shift of columns before and after weighting; what remains most is on top.

    Parameters
    ----------
    before, after : sequence of float
        Standardised shifts, target minus source; NaN where there is none.
    modelled : sequence of bool
        Slices in use: greyed, because they match by construction.
    """
    lines = _sorted(
        _Line(label(name), safe(shorten(name, 60)), shorten(name, 24), old, new, known, name)
        for name, old, new, known in zip(names, before, after, modelled, strict=True)
    )
    return _before_after(
        lines,
        title=_balance_title(lines),
        x="standardised shift, new minus labelled data (standard deviations)",
        y="column or slice",
        unit="",
        dark=dark,
    )


def _balance_title(lines: Sequence[_Line]) -> str:
    free = [line for line in lines if not line.modelled and not math.isnan(line.after)]
    if not free:
        return "Everything shown matches by construction"
    worst = free[0]
    if abs(worst.after) < 0.1:
        return f"Nothing stays far off: {worst.title} most, by {abs(worst.after):.2f}"
    return f"Weighting leaves {worst.title} off by {abs(worst.after):.2f} standard deviations"


def _sorted(lines: Iterable[_Line]) -> list[_Line]:
    return sorted(lines, key=lambda line: -1.0 if math.isnan(line.after) else abs(line.after), reverse=True)


def _before_after(lines: Sequence[_Line], *, title: str, x: str, y: str, unit: str, dark: bool) -> go.Figure:
    colours = palette(dark)
    figure = Drawing()
    places = [-i for i in range(len(lines))]
    # One trace for all connecting lines: None lifts the pen.
    figure.add_scatter(
        x=[value for line in lines for value in (line.before, line.after, None)],
        y=[value for place in places for value in (place, place, None)],
        name="path",
        mode="lines",
        line={"color": colours.grid, "width": 3},
        hoverinfo="skip",
    )
    inks = [colours.muted if line.modelled else colours.ink for line in lines]
    for name, symbol in (("before", "circle-open"), ("after", "circle")):
        values = [getattr(line, name) for line in lines]
        figure.add_scatter(
            x=values,
            y=places,
            name=name,
            mode="markers",
            cliponaxis=False,
            marker={"symbol": symbol, "size": 10, "color": inks, "line": {"color": inks, "width": 2}},
            hovertext=[_words(line, unit) for line in lines],
            hoverinfo="text",
            customdata=[mark(line.name) for line in lines],
        )
    ends = [value for line in lines for value in (line.before, line.after) if not math.isnan(value)]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = 0.12 * (high - low) or 1.0
    figure.update_xaxes(range=[low - room, high + room], showgrid=True, zeroline=True, zerolinewidth=2, nticks=6)
    figure.update_yaxes(
        tickvals=places,
        ticktext=[
            f'<span style="color:{colours.muted}">{line.tick}</span>' if line.modelled else line.tick for line in lines
        ],
        range=[0.6 - max(len(lines), 1), 0.6],
        showgrid=False,
    )
    figure.add_annotation(
        x=0, xref="paper", xanchor="left", y=1, yref="paper", yanchor="bottom", text=_KEY, showarrow=False
    )
    if any(line.modelled for line in lines):
        x += "; grey ones match by construction"
    return finish(figure, title=title, x=x, y=y, height=_LINE * len(lines) + 80, head=18, dark=dark)


def _words(line: _Line, unit: str) -> str:
    grey = "<br>matches by construction" if line.modelled else ""
    digits = 1 if unit else 2
    return f"<b>{line.hover}</b><br>before {line.before:+.{digits}f}{unit}, after {line.after:+.{digits}f}{unit}{grey}"
