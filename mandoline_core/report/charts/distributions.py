"""Distributions in both samples: the shares of classes, and a column with a cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import from_milliseconds, milliseconds, moment
from mandoline_core.formatting import show_date, show_number, show_percent, show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.style import SOURCE, TARGET, WIDE_AXIS, label, mark, safe, shorten, swatch

_BAR = 19  # pixels a bar
MOST_CLASSES = 20
_NO_SHIFT = 0.01 + 1e-9  # a share
_BINS = 30
_TAIL = 0.005  # of the rows on either side may share the end bins
_DAY = 86_400_000  # milliseconds
_FAR = 3.0  # when the whole range is this many times the middle's

_FEWEST = 10  # labelled rows of a bin whose mean score is drawn


class ScoresByValue(NamedTuple):
    """Hold the scores of labelled rows by a column's values.

    Parameters
    ----------
    values, scores : arrays of float, shape (n_rows,)
        Rows with both.
    name : str
        What the score is called.
    share : bool
        Whether its mean is a share.
    """

    values: Floats
    scores: Floats
    name: str
    share: bool


_Side = tuple[str, float, float]  # of a cut: its words, and its share of both samples
_Shares = dict[str, tuple[float, float | None]]  # of the source and, where it is known, of the target


def class_balance(
    source_shares: Mapping[str, float],
    target_shares: Mapping[str, float] | None,
    *,
    what: str = "class",
    dark: bool = False,
) -> go.Figure:
    """Show how often each class occurs in each sample, most frequent first; rare ones as one.

    Parameters
    ----------
    source_shares, target_shares : mapping of str to float
        Share of rows by class. None for a target whose classes are not known.
    what : str
        What the classes are, for the axis: "label", "predicted class".
    """
    target = target_shares or {}
    has_target = target_shares is not None
    names = sorted(
        {*source_shares, *target}, key=lambda name: (-source_shares.get(name, 0.0), -target.get(name, 0.0), name)
    )
    shares: _Shares = {
        name: (source_shares.get(name, 0.0), target.get(name, 0.0) if has_target else None)
        for name in names[:MOST_CLASSES]
    }
    if rest := names[MOST_CLASSES:]:
        source, others = (sum(side.get(name, 0.0) for name in rest) for side in (source_shares, target))
        shares[f"{len(rest)} others"] = source, others if has_target else None
    figure = Drawing(dark)
    heights = figure.rows([label(name) for name in shares], room=0.55)
    # Hatching, so that colour is not needed to distinguish the samples.
    sides = [("labelled", SOURCE, "", 0.2 if has_target else 0.0, [pair[0] for pair in shares.values()])]
    if has_target:
        sides.append(("new", TARGET, "/", -0.2, [pair[1] or 0.0 for pair in shares.values()]))
    for side, colour, pattern, offset, values in sides:
        hatching = {"shape": pattern, "bgcolor": colour, "fgcolor": "white", "fgopacity": 0.6, "size": 5}
        figure.bars(
            [100 * share for share in values],
            [y + offset for y in heights],
            side,
            colour=colour,
            width=0.38 if has_target else 0.6,
            marker={"pattern": hatching},
            # The first pair says which bar is which; the colours and the hatching say it for the rest.
            text=[f"{side} {show_percent(share)}" if i == 0 else show_percent(share) for i, share in enumerate(values)],
            hover=[_pair_words(name, *pair) for name, pair in shares.items()],
            customdata=[mark(name) for name in shares],
        )
    furthest = max((100 * max(pair[0], pair[1] or 0.0) for pair in shares.values()), default=0.0) or 1.0
    figure.x_axis = {"range": [0, 1.35 * furthest], "showgrid": True, "nticks": 6, "ticksuffix": "%"}
    return figure.finish(
        title=_class_title(shares, has_target),
        x="share of rows (%)",
        y=what,
        height=(2 if has_target else 1.4) * _BAR * len(shares) + 62,
    )


def _class_title(shares: _Shares, has_target: bool) -> str:
    if not shares:
        return "No classes"
    if not has_target:
        name, (most, _) = next(iter(shares.items()))
        return f"{shorten(name, 24)} is the most frequent: {show_percent(most)} of labelled data"
    shifts = {name: (target or 0.0) - source for name, (source, target) in shares.items()}
    name = max(shifts, key=lambda name: abs(shifts[name]))
    if abs(shifts[name]) <= _NO_SHIFT:
        return "No class shifts by more than 1 point"
    source, target = shares[name]
    return (
        f"{shorten(name, 24)} shifts most: {show_percent(source)} of labelled data, "
        f"{show_percent(target or 0.0)} of new data"
    )


def _pair_words(name: str, source: float, target: float | None) -> str:
    new = "" if target is None else f", new data {show_percent(target)}"
    return f"<b>{mark(name)}</b><br>labelled data {show_percent(source)}{new}"


def histogram_with_cut(
    source_values: ArrayLike,
    target_values: ArrayLike,
    *,
    column: str,
    bounds: Mapping[str, float | date],
    dates: bool = False,
    scores: ScoresByValue | None = None,
    dark: bool = False,
) -> go.Figure:
    """Show a column's values in both samples, where a threshold cuts them, and the shares on either side.

    Shares are of all rows; missing values (NaN) abstain and are counted separately.

    Parameters
    ----------
    bounds : mapping of str to float or date
        As a threshold slice has them: rows beyond the first are inside; beyond a second they are outside, and between
        the two the slice abstains.
    dates : bool
        Whether values are dates, in milliseconds since 1970.
    scores : ScoresByValue, optional
        Of the labelled rows: their mean is drawn bin by bin below the shares.
    """
    source, target = np.asarray(source_values, dtype=float), np.asarray(target_values, dtype=float)
    cuts = [_position(name, bound) for name, bound in bounds.items()]
    if dates:  # days are kept together, and start at midnight
        days, clipped = _edges(np.concatenate([source, target]) / _DAY, [cut / _DAY for cut in cuts])
        edges = (np.ceil(days) if len(days) < 2 or days[1] - days[0] >= 1 else days) * _DAY
    else:
        edges, clipped = _edges(np.concatenate([source, target]), cuts)
    show = (lambda ms: show_date(from_milliseconds(ms), midnight=False)) if dates else "{:g}".format
    figure = Drawing(dark)
    heights = [100 * _bin_shares(values, edges) for values in (source, target)]
    hovers = [
        [
            f"{name}, {show(low)} to {show(high)}: {y:.1f}%"
            for (low, high), y in zip(pairwise(edges), shares, strict=True)
        ]
        for name, shares in zip(("labelled data", "new data"), heights, strict=True)
    ]
    figure.bars(
        (edges[:-1] + edges[1:]) / 2,
        heights[0],
        "labelled data",
        colour=SOURCE,
        orientation="v",
        width=np.diff(edges),
        marker={"line": {"width": 0}},
        hover=hovers[0],
    )
    figure.scatter(
        edges,
        [*heights[1], heights[1][-1]],
        "new data",
        mode="lines",
        line={"color": TARGET, "width": 2.5, "shape": "hv", "dash": "5px,2px"},
        hover=[*hovers[1], ""],
    )
    for cut in dict.fromkeys(cuts):
        figure.upright(cut, line={"color": figure.colours.ink, "width": 2})
    sides = _sides(source, target, bounds)
    _print_sides(figure, sides)
    axis = {"type": "date"} if dates else {}
    figure.x_axis = {"showgrid": False, "nticks": 6, "range": [edges[0], edges[-1]], **axis}
    figure.y_axis = {"showgrid": True, "nticks": 5, "ticksuffix": "%", "rangemode": "tozero"}
    scored = scores is not None and _draw_scores(figure, scores, edges, show)
    return figure.finish(
        title=_cut_title(sides, column, bounds),
        x=_x_title(column, source, target, clipped),
        y="share of rows per bin (%)",
        height=350 if scored else 250,
        head=54 if sides else 22,
        axis_width=WIDE_AXIS,
    )


def _draw_scores(figure: Drawing, scores: ScoresByValue, edges: Floats, show: Callable[[float], str]) -> bool:
    """Draw the mean score of each bin in a plot of its own below, on the same axis, if any bin has enough rows."""
    values = np.clip(scores.values, edges[0], edges[-1])
    counts, sums = (np.histogram(values, edges, weights=weights)[0] for weights in (None, scores.scores))
    enough = counts >= _FEWEST
    if not enough.any():
        return False
    means, middles = sums[enough] / counts[enough], ((edges[:-1] + edges[1:]) / 2)[enough]
    hover = [
        f"{scores.name} {show_value(mean, share=scores.share)}, {show(low)} to {show(high)} ({n:,.0f} labelled rows)"
        for mean, low, high, n in zip(means, edges[:-1][enough], edges[1:][enough], counts[enough], strict=True)
    ]
    look = {"size": 6, "color": figure.colours.ink}
    figure.scatter(middles, means, scores.name, mode="lines+markers", marker=look, hover=hover, yaxis="y2",
                   line={"color": figure.colours.ink, "width": 1}, cliponaxis=False)  # fmt: skip
    figure.x_axis["anchor"], figure.y_axis["domain"] = "y2", [0.38, 1.0]
    span = {"range": [0, 1], "tickvals": [0, 0.5, 1], "tickformat": ".0%"} if scores.share else {"rangemode": "tozero"}
    figure.layout["yaxis2"] = {
        "domain": [0.0, 0.26],
        "anchor": "x",
        "title": {"text": safe(shorten(scores.name, 16)), "font": {"size": 12}, "standoff": 8},
        "nticks": 3,
        "fixedrange": True,
        "automargin": True,
        "gridcolor": figure.colours.grid,
        "zeroline": False,
        **span,
    }
    return True


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


def _bin_shares(values: Floats, edges: Floats) -> Floats:
    """Count the share of all rows in each bin; what is beyond goes into the end bins."""
    present = values[~np.isnan(values)]
    counts, _ = np.histogram(np.clip(present, edges[0], edges[-1]), edges)
    return counts / max(len(values), 1)


# Of each bound: its words, the test for what is beyond it, and which bound has the rest.
_BOUNDS: dict[str, tuple[str, Callable[[Floats, float], Bools], str]] = {
    "above": ("above {}", np.greater, "at_most"),
    "at_least": ("{} or more", np.greater_equal, "below"),
    "below": ("below {}", np.less, "at_least"),
    "at_most": ("{} or less", np.less_equal, "above"),
}
_DATE_WORDS = {"above": "after {}", "at_least": "from {}", "below": "before {}", "at_most": "until {}"}


def _position(name: str, bound: float | date) -> float:
    """Place a bound on the axis: of a date, at the start of the day or at its end."""
    return float(milliseconds(moment(bound, end=name in ("above", "at_most"))) if isinstance(bound, date) else bound)


def _say(name: str, bound: float | date) -> str:
    words = _DATE_WORDS[name] if isinstance(bound, date) else _BOUNDS[name][0]
    return words.format(show_number(bound))


def _sides(source: Floats, target: Floats, bounds: Mapping[str, float | date]) -> list[_Side]:
    """Describe either side of the cut, and what is between two, from left to right."""

    def beyond(name: str, bound: float | date) -> tuple[str, list[Bools]]:
        test, place = _BOUNDS[name][1], _position(name, bound)
        return _say(name, bound), [test(values, place) for values in (source, target)]

    def side(words: str, inside: list[Bools]) -> _Side:
        source_share, target_share = (float(rows.sum() / max(len(rows), 1)) for rows in inside)
        return words, source_share, target_share

    if not bounds:
        return []
    (name, cut), *others = bounds.items()
    words, inside = beyond(name, cut)
    if others:
        below, outside = beyond(*others[0])
        present = [~np.isnan(values) for values in (source, target)]
        between = [rows & ~(a | b) for rows, a, b in zip(present, inside, outside, strict=True)]
        return [side(below, outside), side("abstains", between), side(f"{words}: in slice", inside)]
    both = [side(f"{words}: in slice", inside), side(*beyond(_BOUNDS[name][2], cut))]
    return both if name in ("below", "at_most") else both[::-1]


def _print_sides(figure: Drawing, sides: list[_Side]) -> None:
    """Write the shares over the plot, left to right; without a cut, the key."""
    keys = swatch("square", SOURCE, "labelled"), swatch("dashes", TARGET, "new")
    blocks = [
        f"<b>{safe(words)}</b><br>{keys[0]} {show_percent(source)}<br>{keys[1]} {show_percent(target)}"
        for words, source, target in sides
    ] or [" ".join(keys)]
    anchors = {1: ["left"], 2: ["left", "right"], 3: ["left", "center", "right"]}[len(blocks)]
    for block, anchor in zip(blocks, anchors, strict=True):
        x = {"left": 0.0, "center": 0.5, "right": 1.0}[anchor]
        font = {"size": 10 if len(blocks) > 2 else 11}  # side by side where the plot is narrow
        figure.write(
            block, x=x, xref="paper", xanchor=anchor, y=1.0, yref="paper", yanchor="bottom", align="left", font=font
        )


def _cut_title(sides: list[_Side], column: str, bounds: Mapping[str, float | date]) -> str:
    name = shorten(column, 24)
    if not sides:
        return f"{name} in labelled and new data: choose a cut"
    first, cut = next(iter(bounds.items()))
    _, source, target = sides[0] if first in ("below", "at_most") else sides[-1]
    return f"{name} is {_say(first, cut)} in {show_percent(source)} of labelled and {show_percent(target)} of new rows"


def _x_title(column: str, source: Floats, target: Floats, clipped: bool) -> str:
    missing = [float(np.isnan(values).mean()) if len(values) else 0.0 for values in (source, target)]
    notes = []
    if any(missing):
        notes.append(f"missing: {show_percent(missing[0])} of labelled, {show_percent(missing[1])} of new rows")
    if clipped:
        notes.append("end bins include all values beyond")
    return shorten(column, 40) + (f" ({'; '.join(notes)})" if notes else "")
