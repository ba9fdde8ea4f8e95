"""How the share of every slice moves from batch to batch: small multiples, one panel a slice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from mandoline_core.formatting import counted, show_percent
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import SOURCE, TARGET, label, mark, shorten, swatch

_MOST = 12  # panels
_COLUMNS, _ROW, _PLOT = 2, 112, 72  # panels next to each other; pixels of a panel with its name, and of its plot
_GAP = 0.14  # of the width, between two panels: room for numbers on the axis
_NAMES = 12  # characters of a batch under a panel


def slice_shares(
    batches: Sequence[str], shares: Mapping[str, tuple[float, Sequence[float | None]]], *, dark: bool = False
) -> go.Figure:
    """Show the share of rows in each slice over batches, next to its share in the labelled data.

    Slices that moved most come first. Every panel starts at 0, so that small shares do not look like large moves.

    Parameters
    ----------
    shares : mapping of str to pair
        By slice: its share in the labelled data, and in each batch; None where unknown.

    Examples
    --------
    >>> figure = slice_shares(["week-1", "week-2"], {"short": (0.2, [0.25, 0.4]), "late": (0.5, [0.5, 0.5])})
    >>> figure.layout.title.text.replace("<br>", " ")
    'short moved most: 20.0% of labelled data, 40.0% of week-2'
    """
    moved = {
        name: max((abs(one - before) for one in after if one is not None), default=0.0)
        for name, (before, after) in shares.items()
    }
    names = sorted(shares, key=lambda name: -moved[name])[:_MOST]
    figure, n_rows = Drawing(dark), -(-len(names) // _COLUMNS)
    for place, name in enumerate(names):
        _add_panel(figure, place, n_rows, name, batches, *shares[name])
    entries = [swatch("circle", TARGET, "new data"), swatch("dashes", SOURCE, "labelled data")]
    left_out = [f"{counted(len(shares) - _MOST, 'slice')} that moved less not shown"] if len(shares) > _MOST else []
    figure.key("   ".join([*entries, *left_out]), shift=24)
    return figure.finish(title=_title(names[0], *shares[names[0]], batches), x="", height=_ROW * n_rows, head=40)


def _add_panel(
    figure: Drawing,
    place: int,
    n_rows: int,
    name: str,
    batches: Sequence[str],
    before: float,
    after: Sequence[float | None],
) -> None:
    row, column = divmod(place, _COLUMNS)
    number = "" if place == 0 else f"{place + 1}"
    on = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    steps, last = list(range(len(batches))), len(batches) - 1
    figure.line(
        [-0.2, last + 0.2],
        [before] * 2,
        "labelled data",
        colour=SOURCE,
        width=1.5,
        dash="dot",
        hover=f"{mark(name)}<br>labelled data: {show_percent(before)}",
        **on,
    )
    hover = [
        f"{mark(name)}<br>{mark(batch)}: {'-' if share is None else show_percent(share)}"
        for batch, share in zip(batches, after, strict=True)
    ]
    figure.scatter(
        steps,
        list(after),
        name,
        mode="lines+markers",
        line={"color": TARGET, "width": 2},
        marker={"color": TARGET, "size": 5},
        cliponaxis=False,
        hover=hover,
        **on,
    )
    width = (1 - _GAP * (_COLUMNS - 1)) / _COLUMNS
    left, top = column * (width + _GAP), 1 - row / n_rows
    ends = [label(batches[0], _NAMES), label(batches[-1], _NAMES)][: 1 + (last > 0)]
    across = {
        "domain": [left, left + width],
        "anchor": on["yaxis"],
        "range": [-0.2, last + 0.2],
        "tickvals": [0, last][: 1 + (last > 0)],
        "ticktext": ends if row == n_rows - 1 else [""] * len(ends),
        "showgrid": False,
        "fixedrange": True,
    }
    most = max([before, *(share for share in after if share is not None)])
    upward = {
        "domain": [top - _PLOT / (_ROW * n_rows), top],
        "anchor": on["xaxis"],
        "range": [0, min(1.15 * most, 1.01) or 0.01],
        "tickformat": ".0~%" if most >= 0.05 else ".1~%",
        "nticks": 4,
        "rangemode": "tozero",
        "showgrid": True,
        "fixedrange": True,
    }
    if place == 0:
        figure.x_axis, figure.y_axis = across, upward
    else:
        figure.layout |= {f"xaxis{number}": across, f"yaxis{number}": upward}
    where = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    figure.write(label(name, 20), x=left, y=top, yshift=3, **where)


def _title(name: str, before: float, after: Sequence[float | None], batches: Sequence[str]) -> str:
    known = [(batch, share) for batch, share in zip(batches, after, strict=True) if share is not None]
    if not known:
        return "Share of rows in each slice"
    batch, share = max(known, key=lambda one: abs(one[1] - before))
    shares = f"{show_percent(before)} of labelled data, {show_percent(share)} of {shorten(batch)}"
    return f"{shorten(name)} moved most: {shares}"
