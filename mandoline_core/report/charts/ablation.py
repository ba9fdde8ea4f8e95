"""The effect of each slice on the estimate: added one by one, left out, and its part of the whole change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

import plotly.graph_objects as go

from mandoline_core.formatting import (
    direction,
    is_nothing,
    show_change,
    show_difference,
    show_effect,
    show_interval,
    show_points,
    show_value,
)
from mandoline_core.pipeline import Ablation, AblationPoint, Attribution, AttributionPart
from mandoline_core.report.charts.drawing import Drawing, error_bars
from mandoline_core.report.charts.style import (
    NAME_WIDTH,
    SOURCE,
    TRUTH,
    WIDE_AXIS,
    ZOOMED,
    axis_title,
    label,
    mark,
    safe,
    shorten,
    value_range,
    wrap,
)

MOST_PARTS = 12
_BAR, _STEP_ROW = 26, 44  # pixels a line


def ablation_curve(curves: Ablation, *, truth: float | None, share: bool = True, dark: bool = False) -> go.Figure:
    """Show the estimate as slices are added one by one, from the source's score on."""
    figure, points = Drawing(dark), curves.cumulative
    ink, n_slices = figure.colours.ink, len(points) - 1
    for x, low, high in bands(points):
        figure.band(x, low, high)
    if truth is not None:
        written = show_value(truth, share=share)
        ends = [-0.3, n_slices]
        figure.line(ends, [truth, truth], "true value", colour=TRUTH, dash="dash", hover=f"true value: {written}")
        side = "bottom" if (points[0].estimate or 0.0) < truth else "top"
        figure.write(f"true value {written}", x=-0.3, y=truth, xanchor="left", yanchor=side)
    first_two = [point.estimate for point in points[:2] if point.estimate is not None]
    rises = bool(first_two) and first_two[-1] > first_two[0]
    named = {0, max((i for i, point in enumerate(points) if point.estimate is not None), default=0)}
    figure.scatter(
        list(range(len(points))),
        [point.estimate for point in points],
        "estimate",
        mode="lines+markers+text",
        connectgaps=False,
        cliponaxis=False,
        line={"color": ink, "width": 2},
        marker={
            "symbol": ["circle"] + ["diamond"] * n_slices,
            "size": [11] + [9] * n_slices,
            "color": [SOURCE] + [ink] * n_slices,
            "opacity": 1,
        },
        text=[
            show_value(point.estimate, share=share) if i in named and point.estimate is not None else ""
            for i, point in enumerate(points)
        ],
        # The first value is where the line does not go.
        textposition=["bottom right" if rises else "top right"] + ["middle right"] * n_slices,
        hover=[_point_words(point, share) for point in points],
    )
    span = curve_span(points, truth, share)
    if missing := [i for i, point in enumerate(points) if point.estimate is None]:
        figure.points(
            missing,
            [span[0]] * len(missing),
            "no estimate",
            symbol="x-thin",
            size=9,
            colour=figure.colours.muted,
            outline={"width": 2, "color": figure.colours.muted},  # a thin marker is all outline
            hover=[_point_words(points[i], share) for i in missing],
        )
    many = n_slices > 12
    width = NAME_WIDTH if n_slices <= 2 else 12
    figure.x_axis = {
        "tickvals": list(range(len(points))),
        "ticktext": [
            "no slices",
            *(label(point.slice or "", width) for point in points[1:]),
        ],
        "tickangle": 0 if n_slices <= 2 else -90 if many else -45,
        "tickfont": {"size": 10 if many else 12},
        "range": [-0.35, n_slices + 0.3 + 0.16 * max(n_slices, 1)],  # room for the last label
        "showgrid": False,
    }
    figure.value_axis("y", span, share=share, ticks=6)
    return figure.finish(
        title=curve_title(points, share),
        x="slices, added from left to right",
        y=f"estimate ({ZOOMED})",
        height=310,
        axis_width=WIDE_AXIS,
    )


def curve_span(points: Sequence[AblationPoint], truth: float | None, share: bool) -> list[float]:
    """Span the estimates with their intervals, and the true value."""
    estimated = [point for point in points if point.estimate is not None]
    values = [end for point in estimated for end in point.interval or (point.estimate or 0.0,)]
    values += [] if truth is None else [truth]
    return value_range(values, share) if values else [0.0, 1.0]


def bands(points: Sequence[AblationPoint]) -> Iterator[tuple[list[float], list[float], list[float]]]:
    """Yield the places, low ends and high ends of intervals, run by run: a gap must not be bridged."""
    for has_interval, group in groupby(enumerate(points), key=lambda pair: pair[1].interval is not None):
        if has_interval:
            steps, ends = zip(*((float(i), point.interval or (0.0, 0.0)) for i, point in group), strict=True)
            x, low, high = list(steps), [end[0] for end in ends], [end[1] for end in ends]
            # A run of one point has no width; it gets a bar.
            yield (x, low, high) if len(x) > 1 else ([x[0] - 0.1, x[0] + 0.1], low * 2, high * 2)


def _point_words(point: AblationPoint, share: bool) -> str:
    name, *others = point_lines(point, share)
    return "<br>".join([safe(name), *map(wrap, others)])


def point_lines(point: AblationPoint, share: bool) -> list[str]:
    """Describe a point of the curve, line by line."""
    name = "no slices" if point.slice is None else f"+ {shorten(point.slice, 60)}"
    if point.estimate is None:
        return [name, "no estimate", *([point.reason] if point.reason else [])]
    value = show_value(point.estimate, share=share)
    written = value if point.interval is None else show_interval(point.estimate, point.interval, share=share)
    rows = [] if point.effective_sample_size is None else [f"{point.effective_sample_size:,.0f} effective rows"]
    return [name, written, *rows]


def curve_title(points: Sequence[AblationPoint], share: bool) -> str:
    """Say what the curve shows."""
    first, last = points[0].estimate, points[-1].estimate
    if first is None or last is None:
        return "No estimate with all slices"
    way = direction(last - first, share=share)
    if way == "the same":
        return "Together the slices do not move the estimate"
    moved = f"{'up' if way == 'higher' else 'down'} {show_difference(last - first, share=share)}"
    what = f"{shorten(points[1].slice or '')} moves" if len(points) == 2 else "Slices move"
    return f"{what} the estimate {moved}"


def leave_one_out(curves: Ablation, *, full: float, share: bool = True, dark: bool = False) -> go.Figure:
    """Show the change of the estimate without each slice, largest rise on top.

    Parameters
    ----------
    full : float
        The estimate with all slices.
    share : bool
        Whether the metric is a share, shown in points.
    """
    scale, figure = 100 if share else 1, Drawing(dark)
    # Rounded, so that slices that change nothing keep their order.
    points = sorted(
        curves.leave_one_out,
        key=lambda point: float("-inf") if point.estimate is None else round(point.estimate, 6),
        reverse=True,
    )
    changes = [None if point.estimate is None else point.estimate - full for point in points]
    figure.bars(
        [0.0 if change is None else scale * change for change in changes],
        figure.rows([label(point.slice or "") for point in points]),
        "without the slice",
        colour=figure.colours.muted,
        text=["no estimate" if change is None else show_points(change, share=share, unit=False) for change in changes],
        hover=[_left_out_words(point, full, share) for point in points],
    )
    furthest = max((abs(scale * change) for change in changes if change is not None), default=0.0) or 1.0
    low, high = (
        any(change is not None and sign * scale * change > furthest / 50 for change in changes) for sign in (-1, 1)
    )
    span = [-1.3 * furthest if low else -0.15 * furthest, 1.3 * furthest if high or not low else 0.3 * furthest]
    figure.x_axis = {"range": span, "showgrid": True, "zeroline": True, "nticks": 6}
    return figure.finish(
        title=_left_out_title(points, changes, share),
        x=f"change of the estimate{' (points)' if share else ''}",
        y="slice left out",
        height=_BAR * len(points) + 60,
    )


def _left_out_words(point: AblationPoint, full: float, share: bool) -> str:
    name = f"without {mark(point.slice or '')}"
    if point.estimate is None:
        return f"{name}<br>no estimate<br>{wrap(point.reason or '')}"
    return f"{name}<br>{show_value(point.estimate, share=share)} ({show_points(point.estimate - full, share=share)})"


def _left_out_title(points: Sequence[AblationPoint], changes: Sequence[float | None], share: bool) -> str:
    sizes = [(abs(change), change, point) for change, point in zip(changes, points, strict=True) if change is not None]
    if not sizes:
        return "No estimate without any one of the slices"
    _, change, point = max(sizes, key=lambda item: item[0])
    if is_nothing(change, share=share):
        return "No single slice changes the estimate"
    return f"Without {shorten(point.slice or '', 24)} the estimate is {show_change(change, share=share)}"


def waterfall(attribution: Attribution, source: float, *, metric: str, share: bool, dark: bool = False) -> go.Figure:
    """Show how each slice moves the score from the labelled data to the estimate, largest part first.

    Parameters
    ----------
    source : float
        The score on the labelled data.
    """
    figure, parts, estimate = Drawing(dark), fold_parts(attribution.parts, share), source + attribution.total
    ink, values = figure.colours.ink, [part.value for part in parts]
    starts = list(accumulate(values[:-1], initial=source)) if parts else []
    first, *heights, last = figure.rows(
        [
            f"labelled data<br><b>{show_value(source, share=share)}</b>",
            *(f"{label(part.rule)}<br><b>{show_points(part.value, share=share)}</b>" for part in parts),
            f"estimate<br><b>{show_value(estimate, share=share)}</b>",
        ]
    )
    figure.bars(
        values,
        heights,
        "parts",
        colour=figure.colours.muted,
        base=starts,
        width=0.55,
        marker={"opacity": 0.6},  # so that the lines on the bars show in both themes
        hover=[_part_words(part, share) for part in parts],
    )
    figure.points(
        [start + value for start, value in zip(starts, values, strict=True)],
        heights,
        "after it",
        symbol=["triangle-left" if value < 0 else "triangle-right" for value in values],
        colour=ink,
        error_x=error_bars(values, [part.interval for part in parts], ink, thickness=2, width=4),
    )
    for name, value, y, symbol, colour in (
        ("labelled data", source, first, "circle", SOURCE),
        ("estimate", estimate, last, "diamond", ink),
    ):
        hover = f"{name}: {show_value(value, share=share)}"
        figure.points([value], [y], name, symbol=symbol, size=13, colour=colour, hover=hover)
    ends = [
        start + end
        for start, part in zip(starts, parts, strict=True)
        for end in (0.0, part.value, *(part.interval or ()))
    ]
    span = value_range([source, estimate, *ends], share)
    figure.value_axis("x", span, share=share)
    return figure.finish(
        title=parts_title(attribution, parts, share),
        x=f"{axis_title(metric, span, share)}; thin lines: intervals",
        height=_STEP_ROW * (len(parts) + 2) + 50,
    )


def fold_parts(
    parts: Sequence[AttributionPart], share: bool, most: int = MOST_PARTS, *, small: float | None = None
) -> list[AttributionPart]:
    """List the parts, largest first; the smallest, and those that are nothing, as one.

    Parameters
    ----------
    small : float, optional
        Shares below it are nothing, whatever their interval. By default, what is written as 0 with all of its interval.

    Examples
    --------
    >>> parts = [AttributionPart(name, value, None) for name, value in (("a", 0.0004), ("b", 0.02), ("c", -0.0003))]
    >>> [part.rule for part in fold_parts(parts, share=True, small=0.001)]
    ['b', '2 others']
    """

    def is_nothing_much(part: AttributionPart) -> bool:
        return _is_nothing(part, share) if small is None or not share else abs(part.value) < small

    ranked = sorted(parts, key=lambda part: (is_nothing_much(part), -abs(part.value)))
    kept = min(most, max(sum(not is_nothing_much(part) for part in ranked), 1))
    if len(ranked) == kept + 1:  # one line for the others must replace at least two
        kept += 1
    rest = ranked[kept:]
    # Intervals do not add up as values do, so the others have none.
    others = AttributionPart(f"{len(rest)} others", sum(part.value for part in rest), None)
    return [*ranked[:kept], *([others] if rest else [])]


def _is_nothing(part: AttributionPart, share: bool) -> bool:
    """Tell whether a part, and all of its interval, is written as 0."""
    return all(is_nothing(value, share=share) for value in (part.value, *(part.interval or ())))


def parts_title(attribution: Attribution, parts: Sequence[AttributionPart], share: bool) -> str:
    """Name the largest part, and what all do together."""
    if not parts:
        return "No slice moves the score"
    most = f"{shorten(parts[0].rule, 24)} moves the score by {show_points(parts[0].value, share=share)}"
    return most if len(parts) == 1 else f"{most}, all slices by {show_points(attribution.total, share=share)}"


def _part_words(part: AttributionPart, share: bool) -> str:
    return f"<b>{mark(part.rule)}</b>: {show_effect(part.value, part.interval, share=share)}"
