"""The figures of slides: shares, examples, the waterfall, lines with intervals, a hidden change, a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from mandoline_core.arrays import Interval
from mandoline_core.formatting import show_percent, show_points, show_times, show_value
from mandoline_core.pipeline import AttributionPart, SliceRow
from mandoline_core.report.charts import SOURCE, TARGET, IntervalRow, Scale, scale
from mandoline_core.report.charts.small import nice_ticks, show_tick
from mandoline_core.report.charts.style import ZOOMED, value_range
from mandoline_core.report.deck.examples import Example
from mandoline_core.report.deck.paper import (
    LEFT,
    QUIET,
    RIGHT,
    box,
    cut,
    fit,
    line,
    mark,
    text,
    width_of,
    written,
)
from mandoline_core.report.markup import Html, tag

TOP, BOTTOM = 250, 770  # of figures
MOST_SHARES = 5
_NAME, _NUMBER = 28, 28  # sizes of type
_TICK = 22
_SIDES = {"source": ("A labelled row", SOURCE, "circle"), "target": ("A new row", TARGET, "diamond")}


def number(value: str, ends: str, below: str, *, quoted: bool) -> list[Html]:
    """Write one number large, with its interval; one that must not be quoted is small."""
    size = 200 if quoted else 72
    ink = 1.0 if quoted else QUIET
    right = LEFT - 6 + width_of(value, size, bold=quoted) + 30
    said = [text(LEFT - 6, 470, value, size, bold=quoted, ink=ink)]
    if ends:
        said.append(text(right, 470, ends, 60 if quoted else 40, ink=QUIET))
    return [*said, *written(LEFT, 520, fit(below, RIGHT - LEFT, 230, (36, 32, 28)), ink=QUIET)]


def shares(rows: Sequence[SliceRow], right: float) -> list[Html]:
    """Show how much of both samples the slices that shift most match, before and after."""
    moved = sorted((row for row in rows if abs(row.shift) >= 0.001), key=lambda row: -abs(row.shift))[:MOST_SHARES]
    step = min((BOTTOM - TOP - 50) / max(len(moved), 1), 120)
    name_width = min(
        max((width_of(row.name, _NAME, bold=True) for row in moved), default=0) + 10, 0.42 * (right - LEFT)
    )
    start, end = LEFT + name_width + 16, right - 110
    across = scale((0.0, max((max(row.source, row.target) for row in moved), default=1.0) or 1.0), start, end)
    parts = _key((("circle", SOURCE, "labelled data"), ("diamond", TARGET, "new data")), TOP + 8)
    for i, row in enumerate(moved):
        y = TOP + 50 + step * (i + 0.5)
        parts.append(text(LEFT, y + 9, cut(row.name, name_width, _NAME, bold=True), _NAME, bold=True))
        for share, colour, shape, off in ((row.source, SOURCE, "circle", -17), (row.target, TARGET, "diamond", 17)):
            parts += [
                box(start, y + off - 11, across(share) - start, 22, fill=colour, fill_opacity=0.35),
                mark(shape, across(share), y + off, fill=colour),
                text(across(share) + 26, y + off + 9, show_percent(share), 26),
            ]
    return parts


def examples(found: Sequence[Example], left: float) -> list[Html]:
    """Write the two rows under each other, each on a card."""
    parts: list[Html] = []
    height = (BOTTOM - TOP - 20) / 2
    for i, one in enumerate(found):
        title, colour, shape = _SIDES[one.side]
        y = TOP + i * (height + 20)
        parts += [
            box(left, y, RIGHT - left, height, fill_opacity=0.05, rx=10),
            box(left, y, 6, height, fill=colour),
            mark(shape, left + 38, y + 36, fill=colour),
            text(left + 62, y + 45, title, 26, bold=True),
        ]
        width, room = RIGHT - left - 60, height - 80
        if one.is_text:
            parts += written(left + 32, y + 64, fit(f"“{one.cells[0][1]}”", width, room, (30, 26, 24, 22)))
            continue
        step = room / len(one.cells)
        for k, (column, value) in enumerate(one.cells):
            parts += written(left + 32, y + 64 + step * k, fit(f"{column}: {value}", width, step, (28, 26, 24, 22)))
    return parts


def waterfall(
    parts: Sequence[AttributionPart],
    shown: int,
    *,
    source: float,
    end: tuple[str, float],
    share: bool,
    metric: str,
    quoted: bool,
) -> list[Html]:
    """Draw the way from the labelled score to the estimate up to a step; its axis holds still from slide to slide.

    Parameters
    ----------
    shown : int
        How many parts; one more than there are shows the end, too.
    end : pair of str and float
        What the end is called, and its value.
    """
    starts = list(accumulate((part.value for part in parts), initial=source))
    names = ["labelled data", *(part.rule for part in parts), end[0]]
    name_width = min(max(width_of(name, _NAME, bold=True) for name in names) + 12, 470)
    reached = [value + bound for value, part in zip(starts, parts, strict=False) for bound in part.interval or (0.0,)]
    span = value_range([*starts, end[1], *reached], share)
    left, right = LEFT + name_width + 30, RIGHT - 190
    across = scale(span, left, right)
    step = min((BOTTOM - TOP - 60) / len(names), 76)
    bottom = TOP + step * len(names)
    drawn = _axis(across, span, TOP, bottom, share=share, metric=metric)

    def row(i: int) -> float:
        return TOP + step * (i + 0.5)

    def label(i: int, name: str, value: str, *, bold: bool) -> list[Html]:
        at = row(i) + 9
        return [
            text(LEFT, at, cut(name, name_width, _NAME, bold=bold), _NAME, bold=bold),
            text(RIGHT, at, value, _NUMBER, bold=bold, text_anchor="end"),
        ]

    drawn += [
        *label(0, names[0], show_value(source, share=share), bold=True),
        mark("circle", across(source), row(0), fill=SOURCE),
    ]
    for i, (part, before) in enumerate(zip(parts[:shown], starts, strict=False), start=1):
        after, current = before + part.value, i == shown
        low, high = sorted((across(before), across(after)))
        y, thick = row(i), min(0.5 * step, 30)
        drawn += [
            line((across(before),) * 2, (row(i - 1), y), ink=0.35),
            box(low, y - thick / 2, high - low, thick, fill_opacity=0.75 if current else 0.4),
            mark("left" if part.value < 0 else "right", across(after), y),
            *label(i, part.rule, show_points(part.value, share=share, unit=False), bold=current),
        ]
        if part.interval is not None:
            ends = (across(before + part.interval[0]), across(before + part.interval[1]))
            drawn.append(line(ends, (y, y), 3, 0.9))
    if shown > len(parts):
        last, look = len(parts) + 1, {} if quoted else {"fill_opacity": QUIET}
        drawn += [
            line((across(end[1]),) * 2, (row(last - 1), row(last)), ink=0.35),
            mark("diamond", across(end[1]), row(last), **look),
            *label(last, end[0], show_value(end[1], share=share), bold=quoted),
        ]
    return drawn


def intervals(
    rows: Sequence[IntervalRow],
    *,
    share: bool,
    metric: str,
    threshold: tuple[float, str] | None = None,
    top: float = TOP,
) -> list[Html]:
    """Draw values with their intervals under each other, and a threshold across them."""
    ends = [end for row in rows for end in (row.value, *(row.interval or ()))]
    span = value_range([*ends, *([] if threshold is None else [threshold[0]])], share)
    step = min((BOTTOM - top - 60) / len(rows), 130)
    across, bottom = scale(span, LEFT + 560, RIGHT - 40), top + step * len(rows)
    drawn = _axis(across, span, top, bottom, share=share, metric=metric)
    if threshold is not None:
        at = across(threshold[0])
        drawn += [
            line((at, at), (top - 6, bottom), 5, 0.9, stroke_dasharray="14 9"),
            text(min(max(at, LEFT + 660), RIGHT - 120), top - 18, threshold[1], 26, bold=True, text_anchor="middle"),
        ]
    for i, row in enumerate(rows):
        y = top + step * (i + 0.5)
        look = {"fill": row.colour} if row.colour else {} if row.bold else {"fill_opacity": QUIET}
        stroke = {"stroke": row.colour} if row.colour else {}
        drawn += [
            text(LEFT, y - 6, row.name, 28, bold=row.bold),
            text(LEFT, y + 28, row.number(share), 28, ink=1.0 if row.bold else QUIET),
        ]
        for pair, width, ink in ((row.inner, 26, 0.18), (row.interval, 8, 0.9)):
            if pair is not None:
                drawn.append(line((across(pair[0]), across(pair[1])), (y, y), width, ink, **stroke))
        drawn.append(mark(row.symbol, across(row.value), y, **look))
    return drawn


def hidden(
    bounds: Mapping[float, Interval],
    chosen: tuple[float, float, float],
    estimate: float,
    *,
    name: str,
    share: bool,
    right: float,
    threshold: float | None,
) -> list[Html]:
    """Draw how far a hidden change of each strength could move the true value, and mark one of them.

    Parameters
    ----------
    chosen : tuple of float
        The strength that is marked, and the values it reaches.
    name : str
        What the estimate is called.
    """
    gammas = [gamma for gamma in sorted(bounds) if gamma <= _STRONGEST]
    ends = [end for gamma in gammas for end in bounds[gamma]]
    span = value_range([*ends, *([] if threshold is None else [threshold])], share)
    left, top, bottom = LEFT + 110, TOP + 10, BOTTOM - 70
    across, up = scale((1.0, _STRONGEST), left, right - 30), scale(span, bottom, top)
    outline = [(across(g), up(bounds[g][1])) for g in gammas] + [(across(g), up(bounds[g][0])) for g in gammas[::-1]]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in outline)
    drawn = [tag("path", d=f"M{path}z", fill="currentColor", fill_opacity=0.16)]
    for tick in nice_ticks(span[0], span[1], 4):
        drawn += [
            line((left, right - 30), (up(tick), up(tick)), 2, 0.15),
            text(left - 14, up(tick) + 8, show_tick(tick, share), _TICK, ink=QUIET, text_anchor="end"),
        ]
    for gamma in _STRENGTHS:
        drawn.append(text(across(gamma), bottom + 32, show_times(gamma), _TICK, ink=QUIET, text_anchor="middle"))
    lines = [(name, estimate, None), *([] if threshold is None else [("threshold", threshold, "14 9")])]
    for said, value, dashes in lines:
        above = (said == "threshold") == (threshold is not None and threshold > estimate)
        drawn += [
            line((left, right - 30), (up(value), up(value)), 4, 0.9, stroke_dasharray=dashes),
            text(right - 34, up(value) + (-10 if above else 28), said, _TICK, text_anchor="end"),
        ]
    gamma, low, high = chosen
    drawn.append(line((across(gamma), across(gamma)), (up(low), up(high)), 6, 0.9))
    axis = "how much a hidden change moves weights (up to)"
    return [*drawn, text(left, bottom + 64, cut(axis, right - left, _TICK), _TICK, ink=QUIET)]


_STRONGEST = 2.0  # of a hidden change that is drawn: beyond, nearly everything is possible
_STRENGTHS = (1.0, 1.25, 1.5, 2.0)


def opinions(methods: Sequence[tuple[str, float, bool]], left: float, *, share: bool) -> list[Html]:
    """Draw what other methods estimate, one under the other."""
    values = [value for _, value, _ in methods]
    start, end = left + 380, RIGHT - 120
    across = scale(value_range(values, share), start, end)
    step = min((BOTTOM - TOP - 50) / len(methods), 80)
    drawn = [text(left, TOP + 14, "Other methods", 26, bold=True)]
    for i, (name, value, own) in enumerate(methods):
        y = TOP + 40 + step * (i + 0.5)
        named = fit(name, 350, step, (26, 24, 22), bold=own)
        drawn += [
            line((start, end), (y, y), 2, 0.15),
            *written(left, y - named.height / 2, named, bold=own),
            mark("diamond" if own else "diamond-open", across(value), y),
            text(RIGHT, y + 9, show_value(value, share=share), 26, bold=own, text_anchor="end"),
        ]
    return drawn


def bullets(points: Sequence[str]) -> list[Html]:
    """Write a short list in large type."""
    drawn: list[Html] = []
    room = (BOTTOM - TOP) / max(len(points), 1)
    y = float(TOP)
    for i, point in enumerate(points, start=1):
        fitted = fit(point, RIGHT - LEFT - 80, room - 24, (44, 40, 36, 32, 28, 24))
        drawn += [text(LEFT, y + fitted.size * 0.95, f"{i}.", fitted.size, bold=True), *written(LEFT + 80, y, fitted)]
        y += fitted.height + 36
    return drawn


def _key(entries: Sequence[tuple[str, str, str]], y: float) -> list[Html]:
    parts, x = list[Html](), float(LEFT)
    for shape, colour, words in entries:
        parts += [mark(shape, x + 13, y, fill=colour), text(x + 38, y + 9, words, 26)]
        x += 38 + width_of(words, 26) + 50
    return parts


def _axis(across: Scale, span: Sequence[float], top: float, bottom: float, *, share: bool, metric: str) -> list[Html]:
    """Draw the lines of an axis, with its values and its name below."""
    drawn: list[Html] = []
    ticks = nice_ticks(span[0], span[1], 5)
    for tick in ticks:
        drawn += [
            line((across(tick), across(tick)), (top, bottom), 2, 0.15),
            text(across(tick), bottom + 30, show_tick(tick, share), _TICK, ink=QUIET, text_anchor="middle"),
        ]
    note = "" if span[0] <= 0 else f"; {ZOOMED}"
    name = cut(f"{metric}{note}", RIGHT - across(span[0]), _TICK)
    return [*drawn, text(across(span[0]), bottom + 62, name, _TICK, ink=QUIET)]
