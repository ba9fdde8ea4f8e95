"""The curve as a story, one slice after the other, in type that is read from the back of a room.

An image that scales to any screen: the other figures' type has a size in pixels.
"""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

from mandoline_core.formatting import show_value
from mandoline_core.pipeline import AblationPoint
from mandoline_core.report.charts.style import SOURCE, TRUTH, ZOOMED, Palette, palette, shorten, value_range

_WIDTH, _HEIGHT = 1200, 560
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 170, 30, 120
_TYPE, _SMALL = 34, 25
_MOST_NAMES = 8  # beside each other; of more, only the last is named
_TICKS = 4


@dataclass(frozen=True)
class _Scale:
    """Turn steps and values into places on the image."""

    n_steps: int
    low: float
    high: float

    def x(self, step: float) -> float:
        return _LEFT + 30 + (_WIDTH - _LEFT - _RIGHT - 30) * step / max(self.n_steps, 1)

    def y(self, value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - self.low) / (self.high - self.low)


def story_curve(
    points: Sequence[AblationPoint],
    shown: int,
    *,
    metric: str,
    truth: float | None = None,
    share: bool = True,
    dark: bool = False,
) -> str:
    """Draw the curve up to a step; its axes are those of the whole curve from the first step on, so that it walks.

    Parameters
    ----------
    shown : int
        How many slices are switched on.
    truth : float, optional
        Drawn once it is told.

    Returns
    -------
    str
        An image in HTML, which says in words what it shows.

    Examples
    --------
    >>> point = AblationPoint(None, 0.9, (0.88, 0.92), 100.0)
    >>> story_curve([point], 0, metric="accuracy")[:42]
    '<img alt="The estimate as slices are added'
    """
    ends = [end for point in points for end in point.interval or () if math.isfinite(end)]
    span = value_range([*ends, *([] if truth is None else [truth])] or [0.0, 1.0], share)
    scale, colours = _Scale(len(points) - 1, *span), palette(dark)
    visible = [(step, point) for step, point in enumerate(points[: shown + 1]) if point.estimate is not None]
    parts = [*_axis(scale, share, colours, metric), *_names(points, shown, scale, colours)]
    parts += _band(visible, scale, colours)
    if truth is not None:
        parts += _truth(truth, scale, share)
    path = " ".join(f"{scale.x(step):.1f},{scale.y(point.estimate or 0.0):.1f}" for step, point in visible)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{colours.ink}" stroke-width="5"/>')
    parts += [_mark(step, point, scale, colours) for step, point in visible]
    parts += [_value(*visible[-1], scale, share, colours, truth)] if visible else []
    said = ", ".join(
        f"{point.slice or 'no slices'} {show_value(point.estimate or 0.0, share=share)}" for _, point in visible
    )
    image = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="Source Sans, system-ui, sans-serif">{"".join(parts)}</svg>'
    )
    alt = html.escape(f"The estimate as slices are added: {said}")
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{base64.b64encode(image.encode()).decode()}">'


def _text(x: float, y: float, words: str, colour: str, **more: object) -> str:
    """Write words; further attributes by their names, with underscores for hyphens."""
    given = {"font_size": _TYPE, "fill": colour, **more}
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in given.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{html.escape(words)}</text>'


def _line(x: tuple[float, float], y: tuple[float, float], colour: str, width: int, more: str = "") -> str:
    return (
        f'<line x1="{x[0]:.1f}" x2="{x[1]:.1f}" y1="{y[0]:.1f}" y2="{y[1]:.1f}" stroke="{colour}" '
        f'stroke-width="{width}"{more}/>'
    )


def _axis(scale: _Scale, share: bool, colours: Palette, metric: str) -> list[str]:
    """Draw lines at round values, and say what they measure."""
    rough = (scale.high - scale.low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough)
    found = []
    for number in range(math.ceil(scale.low / step), math.floor(scale.high / step) + 1):
        value = number * step
        y = scale.y(value)
        written = f"{round(100 * value, 6):g}%" if share else f"{round(value, 12):g}"
        found.append(_line((_LEFT, _WIDTH - 20), (y, y), colours.grid, 2))
        found.append(_text(_LEFT - 14, y + 9, written, colours.muted, font_size=_SMALL, text_anchor="end"))
    return [*found, _text(_LEFT, _HEIGHT - 12, f"{metric}; {ZOOMED}", colours.muted, font_size=_SMALL)]


def _names(points: Sequence[AblationPoint], shown: int, scale: _Scale, colours: Palette) -> list[str]:
    """Name the steps under the curve; with many of them only the one at hand."""
    few = len(points) <= _MOST_NAMES
    width = max(int(80 / len(points)), 7) if few else 40
    found = []
    for step, point in enumerate(points[: shown + 1]):
        if few or step == shown:
            name = shorten("no slices" if point.slice is None else point.slice, width)
            weight = 600 if step == shown else 400
            place = min(scale.x(step), _WIDTH - 120)
            found.append(
                _text(
                    place,
                    _HEIGHT - _BOTTOM + 52,
                    name,
                    colours.ink,
                    font_size=_SMALL,
                    text_anchor="middle",
                    font_weight=weight,
                )
            )
    return found


def _band(visible: Sequence[tuple[int, AblationPoint]], scale: _Scale, colours: Palette) -> list[str]:
    """Show the interval of every step as a bar, the one at hand darker."""
    found = []
    for step, point in visible:
        low, high = point.interval or (None, None)
        if low is not None and high is not None:
            strength = 0.55 if step == visible[-1][0] else 0.18
            more = f' stroke-opacity="{strength}" stroke-linecap="round"'
            found.append(_line((scale.x(step),) * 2, (scale.y(low), scale.y(high)), colours.ink, 9, more))
    return found


def _truth(truth: float, scale: _Scale, share: bool) -> list[str]:
    y = scale.y(truth)
    return [
        _line((_LEFT, _WIDTH - 20), (y, y), TRUTH, 5, ' stroke-dasharray="16 10"'),
        _text(_LEFT + 12, y - 14, f"truth {show_value(truth, share=share)}", TRUTH, font_weight=600),
    ]


def _mark(step: int, point: AblationPoint, scale: _Scale, colours: Palette) -> str:
    x, y = scale.x(step), scale.y(point.estimate or 0.0)
    if step == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="{SOURCE}"/>'
    return (
        f'<rect x="{x - 11:.1f}" y="{y - 11:.1f}" width="22" height="22" fill="{colours.ink}" '
        f'transform="rotate(45 {x:.1f} {y:.1f})"/>'
    )


def _value(step: int, point: AblationPoint, scale: _Scale, share: bool, colours: Palette, truth: float | None) -> str:
    """Write the estimate at hand beside its mark, on the side of it that the truth is not."""
    value = point.estimate or 0.0
    lower = 12 if truth is None else 38 if truth > value else -14
    written = show_value(value, share=share)
    return _text(scale.x(step) + 26, scale.y(value) + lower, written, colours.ink, font_weight=700)
