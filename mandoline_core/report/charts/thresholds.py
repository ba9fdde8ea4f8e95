"""A cut through a column: the values of both samples, and what lies on either side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from mandoline_core.arrays import Floats
from mandoline_core.formatting import show_number
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.template import SOURCE, TARGET, WIDE_AXIS, finish, palette, safe, shorten

_BINS = 30
_TAIL = 0.005  # so much on either side may share the end bins
_FAR = 3.0  # when the whole range is so many times the middle's


class _Side(NamedTuple):
    """Hold one side of the cut: its words, and which values it takes."""

    words: str
    source: float
    target: float


def histogram_with_cut(
    source_values: ArrayLike,
    target_values: ArrayLike,
    *,
    column: str,
    bounds: Mapping[str, float],
    dark: bool = False,
) -> go.Figure:
    """Show a column's values in both samples, where a threshold cuts them, and the shares on either side.

    Shares are of all rows; missing values (NaN) abstain and are counted apart.

    Parameters
    ----------
    bounds : mapping of str to float
        As a threshold slice has them: rows beyond the first are inside; beyond a second they are outside, and between
        the two the slice abstains.
    """
    source, target = np.asarray(source_values, dtype=float), np.asarray(target_values, dtype=float)
    cuts = list(bounds.values())
    edges, clipped = _edges(np.concatenate([source, target]), cuts)
    figure = Drawing()
    heights = [100 * _shares(values, edges) for values in (source, target)]
    words = [f"{low:g} to {high:g}" for low, high in pairwise(edges)]
    figure.add_bar(
        x=(edges[:-1] + edges[1:]) / 2,
        y=heights[0],
        width=np.diff(edges),
        name="labelled data",
        marker={"color": SOURCE, "line": {"width": 0}},
        hovertext=[f"labelled data, {word}: {height:.1f}%" for word, height in zip(words, heights[0], strict=True)],
        hoverinfo="text",
    )
    figure.add_scatter(
        x=edges,
        y=[*heights[1], heights[1][-1]],
        name="new data",
        mode="lines",
        line={"color": TARGET, "width": 2.5, "shape": "hv", "dash": "5px,2px"},
        hovertext=[f"new data, {word}: {height:.1f}%" for word, height in zip(words, heights[1], strict=True)] + [""],
        hoverinfo="text",
    )
    for cut in dict.fromkeys(cuts):
        figure.add_vline(x=cut, line={"color": palette(dark).ink, "width": 2})
    sides = _sides(source, target, bounds)
    _print_sides(figure, sides)
    figure.update_xaxes(showgrid=False, nticks=6, range=[edges[0], edges[-1]])
    figure.update_yaxes(showgrid=True, nticks=5, ticksuffix="%", rangemode="tozero")
    return finish(
        figure,
        title=_title(sides, column, bounds),
        x=_x_title(column, source, target, clipped),
        y="share of rows a bin (%)",
        height=250,
        head=54 if sides else 22,
        axis_width=WIDE_AXIS,
        dark=dark,
    )


def _edges(values: Floats, cuts: list[float]) -> tuple[Floats, bool]:
    """Choose the bins: whole numbers stay together, and far tails go into the end bins."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return np.linspace(min(cuts, default=0.0) - 0.5, max(cuts, default=0.0) + 0.5, 2), False
    low, high = float(finite.min()), float(finite.max())
    middle = np.quantile(finite, [_TAIL, 1 - _TAIL])
    clipped = bool(high - low > _FAR * (middle[1] - middle[0]) > 0)
    if clipped:
        low, high = float(middle[0]), float(middle[1])
    low, high = min([low, *cuts]), max([high, *cuts])
    if (finite == np.round(finite)).all():
        width = max(int(np.ceil((high - low + 1) / _BINS)), 1)
        start = np.floor(low) - 0.5
        n_bins = int(np.ceil((high + 0.5 - start) / width))
        return start + width * np.arange(n_bins + 1), clipped
    if low == high:
        return np.array([low - 0.5, low + 0.5]), clipped
    return np.linspace(low, high, _BINS + 1), clipped


def _shares(values: Floats, edges: Floats) -> Floats:
    """Count the share of all rows in each bin; what lies beyond goes into the end bins."""
    known = values[~np.isnan(values)]
    counts, _ = np.histogram(np.clip(known, edges[0], edges[-1]), edges)
    return counts / max(len(values), 1)


# Of each bound: its words, what lies beyond it, and which bound has the rest.
_BOUNDS: dict[str, tuple[str, Callable[[Floats, float], NDArray[np.bool_]], str]] = {
    "above": ("above {}", np.greater, "at_most"),
    "at_least": ("{} or more", np.greater_equal, "below"),
    "below": ("below {}", np.less, "at_least"),
    "at_most": ("{} or less", np.less_equal, "above"),
}


def _sides(source: Floats, target: Floats, bounds: Mapping[str, float]) -> list[_Side]:
    """Describe what lies on either side of the cut, and between two, from left to right."""

    def beyond(name: str, bound: float) -> tuple[str, list[NDArray[np.bool_]]]:
        words, test, _ = _BOUNDS[name]
        return words.format(show_number(bound)), [test(values, bound) for values in (source, target)]

    def side(words: str, inside: list[NDArray[np.bool_]]) -> _Side:
        return _Side(words, *(float(found.sum() / max(len(found), 1)) for found in inside))

    if not bounds:
        return []
    (name, cut), *others = bounds.items()
    words, inside = beyond(name, cut)
    if others:
        below, outside = beyond(*others[0])
        known = [~np.isnan(values) for values in (source, target)]
        between = [here & ~(a | b) for here, a, b in zip(known, inside, outside, strict=True)]
        return [side(below, outside), side("abstains", between), side(f"{words}: in", inside)]
    found = [side(f"{words}: inside", inside), side(*beyond(_BOUNDS[name][2], cut))]
    return found if name in ("below", "at_most") else found[::-1]


def _print_sides(figure: Drawing, sides: list[_Side]) -> None:
    """Print the shares over the plot, left to right as they lie; without a cut, what is what."""
    keys = (f'<span style="color:{SOURCE}">■</span> labelled data', f'<span style="color:{TARGET}">╍</span> new data')
    blocks = [
        f"<b>{safe(side.words)}</b><br>{keys[0]} {side.source:.1%}<br>{keys[1]} {side.target:.1%}" for side in sides
    ] or [" ".join(keys)]
    anchors = {1: ["left"], 2: ["left", "right"], 3: ["left", "center", "right"]}[len(blocks)]
    for block, anchor in zip(blocks, anchors, strict=True):
        figure.add_annotation(
            x={"left": 0.0, "center": 0.5, "right": 1.0}[anchor],
            xref="paper",
            xanchor=anchor,
            y=1.0,
            yref="paper",
            yanchor="bottom",
            align="left",
            text=block,
            showarrow=False,
            font={"size": 10 if len(blocks) > 2 else 12},
        )


def _title(sides: list[_Side], column: str, bounds: Mapping[str, float]) -> str:
    name = shorten(column, 24)
    if not sides:
        return f"{name} in both samples: choose where to cut"
    first, cut = next(iter(bounds.items()))
    inside = sides[0] if first in ("below", "at_most") else sides[-1]
    rule = _BOUNDS[first][0].format(show_number(cut))
    return f"{name} is {rule} for {inside.source:.1%} of the labelled and {inside.target:.1%} of the new data"


def _x_title(column: str, source: Floats, target: Floats, clipped: bool) -> str:
    missing = [float(np.isnan(values).mean()) if len(values) else 0.0 for values in (source, target)]
    notes = []
    if any(missing):
        notes.append(f"missing: {missing[0]:.1%} of the labelled data, {missing[1]:.1%} of the new data")
    if clipped:
        notes.append("the end bins hold all that lies beyond")
    return shorten(column, 40) + (f" ({'; '.join(notes)})" if notes else "")
