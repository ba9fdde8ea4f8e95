"""The reliability of slices, its effect on the estimate, and which slices move together.

Most are small tables and bars that read as figures: they follow every move of a slider, and a browser draws them many
times faster than a figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.formatting import counted, is_nothing, show_difference, show_ends, show_percent, show_points
from mandoline_core.pipeline import CorrectionSlope
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import WIDE_AXIS, label, mark, palette, safe, shorten

MOST_NODES = 12  # slices in a graph that can be read
_MOST_EFFECTS = 16
_ROW = 34  # pixels
_SIDES = {"source": "labelled data", "target": "new data"}
_LIGHT, _DARK = (238, 240, 242), (48, 54, 61)  # what is rare keeps close to the page
_ON_LIGHT, _ON_DARK = "#16191D", "#FFFFFF"
_HALF = 0.5
_SAYS = {"inside": "yes", "outside": "no", "abstain": "abstains"}
_CELL = "text-align:center;padding:0.4rem 0.2rem;border:2px solid transparent;background-clip:padding-box"
_NAME = "font-weight:normal;text-align:left;overflow-wrap:anywhere"


def correction_matrix(
    inside: float,
    outside: float,
    abstain: float | None,
    *,
    title: str,
    dark: bool = False,
    intervals: Mapping[str, Interval] | None = None,
) -> str:
    """Write an HTML table of how often a row is in the slice, given what the rule says.

    Parameters
    ----------
    inside, outside, abstain : float
        The probability of being in the slice where the rule says yes, says no, and abstains; None if it never abstains.
    intervals : mapping of {"inside", "outside", "abstain"} to pairs, optional
        Their intervals, where they were measured.
    """
    measured = {_SAYS[key]: interval for key, interval in (intervals or {}).items()}
    says = {"yes": inside, "no": outside} | ({} if abstain is None else {"abstains": abstain})
    rows = {
        "in slice": [_cell(share, word, "in the slice", measured.get(word), dark) for word, share in says.items()],
        "not in slice": [
            _cell(1 - share, word, "not in the slice", _opposite(measured.get(word)), dark)
            for word, share in says.items()
        ],
    }
    return _table(says, rows, "font-weight:normal;text-align:right", f"{escape(title)}: the rule says &hellip;")


def rate_table(rates: Mapping[str, Sequence[str]], sides: Sequence[str]) -> str:
    """Write an HTML table of the rates of several slices, a column for each sample.

    >>> "<td" in rate_table({"doubt_1": ["4.0%", "9.0%"]}, ["labelled data", "new data"])
    True
    """
    rows = {
        escape(name): [f'<td style="{_CELL}">{escape(rate)}</td>' for rate in written]
        for name, written in rates.items()
    }
    return _table([escape(side) for side in sides], rows, _NAME)


def _table(head: Iterable[str], rows: Mapping[str, Sequence[str]], look: str, caption: str = "") -> str:
    """Write a small table: column names, and rows of cells by their names; all of it is HTML already."""
    top = "".join(f'<th scope="col" style="{_CELL};font-weight:normal">{name}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row" style="{_CELL};{look}">{name}</th>{"".join(cells)}</tr>' for name, cells in rows.items()
    )
    if caption:
        caption = f'<caption style="caption-side:top;text-align:left;font-weight:600">{caption}</caption>'
    return (
        f'<table style="border-collapse:separate;font-size:0.8rem;width:100%">{caption}'
        f"<thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


def side_by_side(tables: Sequence[str]) -> str:
    """Lay out HTML tables side by side, or below each other where there is no room."""
    boxes = "".join(f'<div style="flex:1 1 11rem;min-width:0">{table}</div>' for table in tables)
    return f'<div style="display:flex;flex-wrap:wrap;gap:0.5rem 1.5rem">{boxes}</div>'


def pair_line(length: float, remains: str, effect: str, *, dark: bool = False) -> str:
    """Write what remains of a pair of slices as an HTML bar with words under it.

    Parameters
    ----------
    length : float
        Of the bar, from 0 to 1.
    remains, effect : str
        How far the pair is off, and the effect of joining or separating it on the estimate.
    """
    colours = palette(dark)
    return (
        f'<div style="background-color:{colours.grid};height:0.5rem;border-radius:0.25rem">'
        f'<div style="background-color:{colours.ink};height:100%;border-radius:0.25rem;width:{length:.1%}"></div></div>'
        f'<div style="font-size:0.85rem;overflow-wrap:anywhere">{escape(remains)}. <b>{escape(effect)}</b></div>'
    )


def effect(slope: CorrectionSlope) -> float | None:
    """Return the effect of one point less reliability on the estimate; None where it is unknown.

    >>> effect(CorrectionSlope("a", "source", "inside", 0.9, 0.5, ""))
    -0.005
    """
    if slope.slope is None:
        return None
    # Less reliable inside is a lower probability of being inside; less reliable outside, a higher one.
    return (-0.01 if slope.key == "inside" else 0.01) * slope.slope


def correction_effects(slopes: Sequence[CorrectionSlope], *, share: bool, dark: bool = False) -> go.Figure:
    """Show the effect of one point less reliability of each correction on the estimate, the strongest on top."""
    effects = [(slope, value) for slope in slopes if (value := effect(slope)) is not None]
    effects.sort(key=lambda pair: -abs(pair[1]))
    visible = [pair for pair in effects if not is_nothing(pair[1], share=share)]
    shown = visible[:_MOST_EFFECTS] or effects[:1]
    values, figure = [(100.0 if share else 1.0) * value for _, value in shown], Drawing(dark)
    figure.bars(
        values,
        figure.rows([f"{label(slope.slice)}<br>{slope.key}, {_SIDES[slope.side]}" for slope, _ in shown]),
        "effect",
        colour=figure.colours.muted,
        width=0.55,
        text=[show_points(value, share=share, unit=False) for _, value in shown],
        hover=[f"<b>{mark(slope.slice)}</b><br>{safe(slope.words)}" for slope, _ in shown],
    )
    ends = [0.0, *values]
    room = 0.4 * (max(ends) - min(ends)) or 1.0
    figure.x_axis = {"range": [min(ends) - room, max(ends) + room], "zeroline": True, "zerolinewidth": 2, "nticks": 5}
    unit = "points" if share else "the metric's units"
    title = "No correction moves the estimate"
    if visible:
        slope, size = shown[0][0], abs(shown[0][1])
        most = show_difference(size, share=share)
        title = f"One point less reliability of {shorten(slope.slice, 20)} ({slope.key}) moves the estimate by {most}"
    others = f"; {len(effects) - len(shown)} of {len(effects)} do less" if len(shown) < len(effects) else ""
    return figure.finish(
        title=title,
        x=f"change of the estimate per point of reliability ({unit}{others})",
        height=_ROW * max(len(shown), 1) + 60,
    )


def _opposite(interval: Interval | None) -> Interval | None:
    return None if interval is None else (1 - interval[1], 1 - interval[0])


def _cell(share: float, says: str, truth: str, interval: Interval | None, dark: bool) -> str:
    low, high = (_DARK, _LIGHT) if dark else (_LIGHT, _DARK)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(low, high, strict=True))
    ink = _ON_LIGHT if (share > _HALF) == dark else _ON_DARK
    rule = says if says == "abstains" else f"says {says}"
    words = f"where the rule {rule}, {show_percent(share)} of rows are {truth}"
    style = f"{_CELL};background-color:rgb({red},{green},{blue});color:{ink};font-weight:600"
    sure = "" if interval is None else f"<br><small>{show_ends(interval, share=True)}</small>"
    return f'<td title="{words}" style="{style}">{show_percent(share)}{sure}</td>'


def slice_graph(
    names: Sequence[str],
    edges: Sequence[tuple[str, str]],
    suggested: Sequence[tuple[str, str, float]],
    *,
    dark: bool = False,
) -> go.Figure:
    """Draw at most a dozen slices on a circle; solid lines join those that move together, dashed ones are suggested."""
    figure = Drawing(dark)
    ink, muted = figure.colours.ink, figure.colours.muted
    angles = [math.pi / 2 - 2 * math.pi * i / max(len(names), 1) for i in range(len(names))]
    at = {name: (math.cos(angle), math.sin(angle)) for name, angle in zip(names, angles, strict=True)}

    def join(a: str, b: str, name: str, *, hover: str, **look: Any) -> None:
        # A third point in the middle, so that hovering over a line's middle says what it is.
        x, y = ((start, (start + end) / 2, end) for start, end in zip(at[a], at[b], strict=True))
        figure.line(x, y, name, hover=hover, **look)

    for a, b in edges:
        join(a, b, "edge", hover=_pair_words(a, b), colour=ink, width=3)
    for a, b, z in suggested:
        words = f"suggested: {_pair_words(a, b)}<br>z = {z:.1f}"
        join(a, b, "suggested", hover=words, colour=muted, width=1 + min(abs(z), 15) / 3, dash="dash")
    figure.points(
        [x for x, _ in at.values()],
        [y for _, y in at.values()],
        "slices",
        symbol="circle",
        size=13,
        colour=ink,
        mode="markers+text",
        text=[f" {label(name, 14)} " for name in names],
        textposition=[_side(x, y) for x, y in at.values()],
        textfont={"size": 12},
        hover=[mark(name) for name in names],
    )
    bare = {"showgrid": False, "showticklabels": False, "ticks": ""}
    figure.x_axis, figure.y_axis = {"range": [-2.1, 2.1], **bare}, {"range": [-1.25, 1.25], **bare}
    return figure.finish(
        title=_graph_title(edges, suggested),
        x="solid: move together; dashed: suggested, wider for a larger |z|",
        height=330,
        axis_width=WIDE_AXIS,
    )


def _side(x: float, y: float) -> str:
    if abs(x) < 0.2:
        return "top center" if y > 0 else "bottom center"
    return "middle right" if x > 0 else "middle left"


def _pair_words(a: str, b: str) -> str:
    return f"{label(a, 40)} and {label(b, 40)}"


def _graph_title(edges: Sequence[tuple[str, str]], suggested: Sequence[tuple[str, str, float]]) -> str:
    if suggested:
        a, b, _ = max(suggested, key=lambda pair: abs(pair[2]))
        more = f", and {len(suggested) - 1} more" if len(suggested) > 1 else ""
        return f"Worth joining: {shorten(a)} and {shorten(b)}{more}"
    if not edges:
        return "No two slices move together"
    return f"Slices that move together: {counted(len(edges), 'pair')}; no other is significant"
