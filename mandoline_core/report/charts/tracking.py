"""How an estimate moves: from target to target, and from edit to edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import counted, is_nothing, show_change, show_interval, show_points, show_value
from mandoline_core.report.charts.drawing import Drawing, error_bars
from mandoline_core.report.charts.style import (
    DARK,
    SOURCE,
    TRUTH,
    WIDE_AXIS,
    ZOOMED,
    label,
    mark,
    safe,
    shorten,
    swatch,
    value_range,
    wrap,
)

_MOST_NAMES = 8
# Of each verdict: its shape, and its colour on a light page and on a dark one.
_MARKS = {
    "confirmed": ("square", "#1B7A43", "#6FCF97"),
    "green": ("circle", "#1B7A43", "#6FCF97"),
    "amber": ("diamond", "#C77700", "#F2B84B"),
    "red": ("x", "#B3261E", "#FF8A80"),
}
_BY_LABELS = "score by labels"


class TrackedPoint(NamedTuple):
    """Hold the estimate on one target: its name, value, interval, and verdict.

    Parameters
    ----------
    alert : bool
        Whether there is an alert.
    limits : tuple of float
        The worst value without an alert, if there is one; two, where it must stay near 0.
    realised, realised_interval : float, pair of floats, optional
        What labels that arrived later show.
    """

    name: str
    estimate: float
    interval: Interval
    verdict: str
    alert: bool = False
    limits: tuple[float, ...] = ()
    realised: float | None = None
    realised_interval: Interval | None = None


def _look(level: str, figure: Drawing) -> tuple[str, str]:
    """Return the shape and the colour of a verdict's mark; an open circle where there is no verdict."""
    shape, light, dark = _MARKS.get(level, ("circle-open", *[figure.colours.ink] * 2))
    return shape, dark if figure.colours is DARK else light


def track_chart(
    points: Sequence[TrackedPoint], *, source: float, model: str, metric: str, share: bool = True, dark: bool = False
) -> go.Figure:
    """Show the estimate over targets in their order, with intervals; marks show verdicts, rings alerts."""
    n, figure = len(points), Drawing(dark)
    steps = list(range(n))
    low, high = zip(*(point.interval for point in points), strict=True)
    if n > 1:
        figure.band(steps, low, high)
    _add_level(figure, "labelled data", [-0.3, n - 0.7], [source] * 2, SOURCE, "dot", share)
    words = f"labelled data {show_value(source, share=share)}"
    _add_limits(figure, points, share, not_at=_write(figure, points, dict.fromkeys(steps, source), words))
    if alerts := [step for step, point in enumerate(points) if point.alert]:
        figure.points(
            alerts,
            [points[step].estimate for step in alerts],
            "alert",
            symbol="circle-open",
            size=22,
            colour=figure.colours.ink,
            outline={"width": 2},
        )
    _add_estimates(figure, points, share)
    _add_realised(figure, points, share)
    every = -(-n // _MOST_NAMES)
    figure.x_axis = {
        "range": [-0.3, n - 0.7 + 0.12 * max(n - 1, 1)],  # room for the last value
        "tickvals": steps[::every],
        "ticktext": [label(point.name, 14) for point in points[::every]],
        "showgrid": False,
    }
    others = [limit for point in points for limit in (*point.limits, *(point.realised_interval or ()))]
    figure.value_axis("y", value_range([*low, *high, source, *others], share), share=share, ticks=6)
    key = _key(figure, points)
    figure.key(*key, shift=4)
    return figure.finish(
        title=_track_title(points, model, share),
        x="batches of new data, ordered by name",
        y=f"estimated {metric} ({ZOOMED})",
        height=300,
        head=20 * len(key),
        axis_width=WIDE_AXIS,
    )


def _key(figure: Drawing, points: Sequence[TrackedPoint]) -> list[str]:
    """Explain the marks that occur: verdicts in one line, the others below."""
    seen = {point.verdict for point in points}
    verdicts = [swatch(*_look(level, figure), words.lower()) for level, words in MEANINGS.items() if level in seen]
    others = [swatch("star", TRUTH, _BY_LABELS)] if any(point.realised is not None for point in points) else []
    others += ["◯ alert"] if any(point.alert for point in points) else []
    return ["   ".join(line) for line in (verdicts, others) if line]


def _add_realised(figure: Drawing, points: Sequence[TrackedPoint], share: bool) -> None:
    """Draw what labels show next to the estimates, a little to the right so that both intervals are seen."""
    found = [(step, point) for step, point in enumerate(points) if point.realised is not None]
    if not found:
        return
    values = [float(point.realised or 0.0) for _, point in found]
    intervals = [point.realised_interval for _, point in found]
    figure.points(
        [step + 0.12 for step, _ in found],
        values,
        _BY_LABELS,
        symbol="star",
        colour=TRUTH,
        size=11,
        error_y=error_bars(values, intervals, TRUTH, thickness=1.5, width=3),
        hover=[
            f"{mark(point.name)}<br>{_BY_LABELS}: {show_interval(value, interval or (value, value), share=share)}"
            for (_, point), value, interval in zip(found, values, intervals, strict=True)
        ],
    )


def _add_estimates(figure: Drawing, points: Sequence[TrackedPoint], share: bool) -> None:
    """Draw the line; a single estimate has its interval as a bar."""
    ink, values = figure.colours.ink, [point.estimate for point in points]
    shapes, colours = zip(*(_look(point.verdict, figure) for point in points), strict=True)
    figure.scatter(
        list(range(len(points))),
        values,
        "estimate",
        mode="lines+markers+text",
        line={"color": ink, "width": 2},
        marker={
            "symbol": list(shapes),
            "size": 10,
            "color": list(colours),
            "opacity": 1,
        },
        error_y=error_bars(
            values,
            [point.interval for point in points],
            ink,
            thickness=2,
            width=4,
            visible=len(points) == 1,
        ),
        # Plotly has no distance between a marker and its text: blanks keep the value clear of a ring.
        text=["" for _ in points[1:]] + [f"&nbsp;&nbsp;&nbsp;{show_value(points[-1].estimate, share=share)}"],
        textposition="middle right",
        cliponaxis=False,
        hover=[
            f"{mark(point.name)}<br>{show_interval(point.estimate, point.interval, share=share)}<br>"
            f"{MEANINGS.get(point.verdict, '')}{', alert' if point.alert else ''}"
            for point in points
        ],
    )


def _add_limits(figure: Drawing, points: Sequence[TrackedPoint], share: bool, *, not_at: int) -> None:
    """Draw the line beyond which there is an alert: level, or in steps where it follows the estimates."""
    for number in range(max(len(point.limits) for point in points)):
        steps = [(step, point.limits[number]) for step, point in enumerate(points) if len(point.limits) > number]
        x = [end for step, _ in steps for end in (step - 0.5, step + 0.5)]
        # Steps change half way between two targets; the ends stay within the plot.
        x = [max(x[0], -0.3), *x[1:-1], min(x[-1], len(points) - 0.7)]
        y = [value for _, value in steps for _ in (0, 1)]
        _add_level(figure, "alert", x, y, figure.colours.ink, "dash", share)
        if number == 0:
            first = steps[0][1]
            is_level = all(value == first for _, value in steps)
            words = f"alert beyond {show_value(first, share=share)}" if is_level else "alert beyond this line"
            _write(figure, points, dict(steps), words, not_at=not_at)


def _add_level(figure: Drawing, name: str, x: list[float], y: list[float], colour: str, dash: str, share: bool) -> None:
    hover = [f"{name}: {show_value(value, share=share)}" for value in y]
    figure.line(x, y, name, colour=colour, width=1.5, dash=dash, hover=hover)


def _write(
    figure: Drawing,
    points: Sequence[TrackedPoint],
    line: Mapping[int, float],
    text: str,
    *,
    not_at: int | None = None,
) -> int:
    """Write the name of a line along it, away from the estimates; return the batch where it is.

    That is the end where the line is furthest from the intervals, unless another line has its name there.
    """

    def room(step: int) -> float:
        near = [i for i in line if abs(i - step) <= len(points) / 3]
        return min(max(points[i].interval[0] - line[i], line[i] - points[i].interval[1]) for i in near)

    first, last = min(line), max(line)
    step = max((end for end in (first, last) if end != not_at or first == last), key=room)
    is_left = step == first and not (first == last and not_at is not None)
    figure.write(
        safe(text),
        x=max(step - 0.5, -0.3) if is_left else len(points) - 0.7,
        y=line[step],
        xanchor="left" if is_left else "right",
        yanchor="bottom" if line[step] > points[step].estimate else "top",
    )
    return step


def _track_title(points: Sequence[TrackedPoint], model: str, share: bool) -> str:
    """Say how far the estimate moved, and how many alerts there are."""
    alerts = sum(point.alert for point in points)
    end = f"; {counted(alerts, 'alert')}" if alerts else ""
    first, last = points[0], points[-1]
    value = show_value(last.estimate, share=share)
    if len(points) == 1:
        return f"{shorten(model)}: {value} on {shorten(last.name)}{end}"
    moved = show_change(last.estimate - first.estimate, share=share, than=f"on {shorten(first.name)}")
    return f"{shorten(model)}: {value} on {shorten(last.name)}, {moved}{end}"


def timeline(
    points: Sequence[tuple[str, float, Interval, str]], *, share: bool = True, dark: bool = False
) -> go.Figure:
    """Show how the estimate moved from edit to edit, with its interval; named states are stars.

    Parameters
    ----------
    points : sequence of tuple
        The edit in words, the estimate after it, its interval, and the name of that state, or "".
    """
    edits, values, intervals, names = (list(column) for column in zip(*points, strict=True))
    steps, figure = list(range(len(points))), Drawing(dark)
    low, high = zip(*intervals, strict=True)
    figure.band(steps, low, high)
    moves = [b - a for a, b in pairwise(values)]
    figure.scatter(
        steps,
        values,
        "estimate",
        mode="lines+markers+text",
        line={"color": figure.colours.ink, "width": 2, "shape": "hv"},
        marker={
            "symbol": ["star" if name else "diamond" for name in names],
            "size": [13 if name else 8 for name in names],
            "color": figure.colours.ink,
            "opacity": 1,
        },
        text=[label(name) if name else "" for name in names],
        textposition="top center",
        cliponaxis=False,
        hover=[_edit_words(*point, move, share=share) for point, move in zip(points, [None, *moves], strict=True)],
    )
    figure.x_axis = {"range": [-0.3, len(points) - 0.7], "showticklabels": False, "ticks": "", "showgrid": False}
    figure.value_axis("y", value_range([*low, *high], share), share=share, ticks=6)
    return figure.finish(
        title=_timeline_title(edits, values, moves, share),
        x="edits, oldest on the left",
        y=f"estimate ({ZOOMED})",
        height=260,
        axis_width=WIDE_AXIS,
    )


def _edit_words(edit: str, value: float, interval: Interval, name: str, move: float | None, *, share: bool) -> str:
    moved = "" if move is None else f"<br>{show_points(move, share=share)}"
    named = f"<br>{mark(name)}" if name else ""
    return f"{wrap(edit)}{named}<br>{show_interval(value, interval, share=share)}{moved}"


def _timeline_title(edits: Sequence[str], values: Sequence[float], moves: Sequence[float], share: bool) -> str:
    change = values[-1] - values[0]
    moved = f"The estimate is {show_change(change, share=share, than='at the start')}"
    if is_nothing(change, share=share):
        return moved
    _, largest = max(zip(moves, edits[1:], strict=True), key=lambda pair: abs(pair[0]))
    return f"{moved}; largest step: {shorten(largest, 30)}"
