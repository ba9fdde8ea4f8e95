"""The way to the estimate as a story, one slice after the other, in type that is legible from the back of a room.

An image that scales to any screen: the other figures' type has a size in pixels.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Sequence

from mandoline_core.formatting import show_value
from mandoline_core.pipeline import AblationPoint
from mandoline_core.report.charts.small import Scale, nice_ticks, scale, show_tick
from mandoline_core.report.charts.style import SOURCE, TRUTH, ZOOMED, palette, shorten, value_range
from mandoline_core.report.markup import Html, tag

_WIDTH, _HEIGHT = 1200, 560
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 170, 30, 120
_TYPE, _SMALL = 34, 25
_MOST_NAMES = 8  # next to each other; of more, only the last is named


def story_curve(
    points: Sequence[AblationPoint],
    shown: int,
    *,
    metric: str,
    truth: float | None = None,
    share: bool = True,
    dark: bool = False,
) -> str:
    """Draw the way from the labelled score to the estimate up to a step; the axes are those of the whole way.

    Parameters
    ----------
    shown : int
        How many slices are switched on.
    truth : float, optional
        Drawn when given.

    Returns
    -------
    str
        An image in HTML, with a description.

    Examples
    --------
    >>> point = AblationPoint(None, 0.9, (0.88, 0.92), 100.0)
    >>> story_curve([point], 0, metric="accuracy")[:42]
    '<img alt="From labelled data to the estima'
    """
    told = [end for point in points for end in (point.estimate, *(point.interval or ())) if end is not None]
    ends = [end for end in told if math.isfinite(end)]
    span = value_range([*ends, *([] if truth is None else [truth])] or [0.0, 1.0], share)
    across = scale((0, max(len(points) - 1, 1)), _LEFT + 30, _WIDTH - _RIGHT)
    up, colours = scale(span, _HEIGHT - _BOTTOM, _TOP), palette(dark)
    parts = []
    for tick in nice_ticks(span[0], span[1], 4):
        parts += [
            _line((_LEFT, _WIDTH - 20), (up(tick), up(tick)), colours.grid, 2),
            _text(_LEFT - 14, up(tick) + 9, show_tick(tick, share), colours.muted, size=_SMALL, text_anchor="end"),
        ]
    parts += [
        _text(_LEFT, _HEIGHT - 12, f"{metric}; {ZOOMED}", colours.muted, size=_SMALL),
        *_names(points, shown, across, colours.ink),
    ]
    visible = [(across(i), point) for i, point in enumerate(points[: shown + 1]) if point.estimate is not None]
    for x, point in visible:
        if point.interval is not None:
            strength = 0.55 if point is visible[-1][1] else 0.18  # the current interval is darker
            low, high = map(up, point.interval)
            look = {"stroke_opacity": strength, "stroke_linecap": "round"}
            parts.append(_line((x, x), (low, high), colours.ink, 9, **look))
    if truth is not None:
        parts += [
            _line((_LEFT, _WIDTH - 20), (up(truth), up(truth)), TRUTH, 5, stroke_dasharray="16 10"),
            _text(_LEFT + 12, up(truth) - 14, f"true value {show_value(truth, share=share)}", TRUTH, font_weight=600),
        ]
    path = " ".join(f"{x:.1f},{up(point.estimate or 0.0):.1f}" for x, point in visible)
    parts.append(tag("polyline", points=path, fill="none", stroke=colours.ink, stroke_width=5))
    parts += [_mark(x, up(point.estimate or 0.0), point.slice is None, colours.ink) for x, point in visible]
    if visible:
        x, value = visible[-1][0], visible[-1][1].estimate or 0.0
        # Next to its mark, away from the true value.
        lower = 12 if truth is None else 38 if truth > value else -14
        parts.append(_text(x + 26, up(value) + lower, show_value(value, share=share), colours.ink, font_weight=700))
    family = "Source Sans, system-ui, sans-serif"
    image = tag(
        "svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", font_family=family
    )
    steps = [(point.slice or "labelled data", show_value(point.estimate or 0.0, share=share)) for _, point in visible]
    alt = f"From labelled data to the estimate: {', '.join(' '.join(step) for step in steps)}"
    # As data of an image it needs no other file, and a page that cleans HTML lets it be.
    source = f"data:image/svg+xml;base64,{base64.b64encode(image.encode()).decode()}"
    return tag("img", alt=alt, src=source)


def _names(points: Sequence[AblationPoint], shown: int, across: Scale, ink: str) -> Iterator[Html]:
    """Name the steps under the curve; with many of them only the current one."""
    few = len(points) <= _MOST_NAMES
    width = max(int(80 / len(points)), 7) if few else 40
    for i, point in enumerate(points[: shown + 1]):
        if few or i == shown:
            x, weight = min(across(i), _WIDTH - 120), 600 if i == shown else 400
            name = shorten("labelled" if point.slice is None else point.slice, width)
            y = _HEIGHT - _BOTTOM + 52
            yield _text(x, y, name, ink, size=_SMALL, text_anchor="middle", font_weight=weight)


def _mark(x: float, y: float, is_source: bool, ink: str) -> Html:
    if is_source:
        return tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=14, fill=SOURCE)
    turned = f"rotate(45 {x:.1f} {y:.1f})"
    return tag("rect", x=f"{x - 11:.1f}", y=f"{y - 11:.1f}", width=22, height=22, fill=ink, transform=turned)


def _text(x: float, y: float, words: str, colour: str, *, size: int = _TYPE, **more: object) -> Html:
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", font_size=size, fill=colour, **more)


def _line(x: tuple[float, float], y: tuple[float, float], colour: str, width: int, **more: object) -> Html:
    ends = {f"{axis}{i}": f"{end:.1f}" for axis, pair in (("x", x), ("y", y)) for i, end in enumerate(pair, start=1)}
    return tag("line", **ends, stroke=colour, stroke_width=width, **more)
