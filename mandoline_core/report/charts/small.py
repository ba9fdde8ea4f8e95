"""Small figures that are quick to draw: the estimate, the weights, and the curve of the slices.

They follow every move of a slider, and are plain HTML: a browser draws it twenty times faster than an interactive
figure. Ink and lines take the colour of the text around them, so that they follow a dark page; marks move with
the width, and type keeps its size. They hold no SVG, which pages that clean HTML remove.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from html import escape
from itertools import groupby

import numpy as np

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_value
from mandoline_core.pipeline import Ablation, is_share
from mandoline_core.report.charts.ablation import bands, curve_span, curve_title, point_lines
from mandoline_core.report.charts.strip import rows_span, strip_rows, strip_title
from mandoline_core.report.charts.style import NAME_WIDTH, SOURCE, TRUTH, ZOOMED, axis_title, clean, shorten
from mandoline_core.report.charts.weights import WEIGHT, weight_bars
from mandoline_core.report.words import facts

INK, MUTED, FAINT = "currentColor", 0.75, 0.16  # a colour, and two strengths of it
_GREY = "#7D848E"  # in light and in dark
_WIDEST = 480  # pixels
_GUTTER = 44  # pixels for the labels of a vertical axis
_ROW = 34  # pixels a line of the strip
_HEAD = 22  # pixels for the title of a vertical axis
_FEW, _MANY = 2, 12  # slices: names stand level, slanted or upright
_NAME = 12  # characters
_DASH = 0.08  # of the width
_LEAST_USED = 0.5  # of an axis that is kept
_GHOST = "dashed: before"
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SHIFTS = {"start": "0", "middle": "-50%", "end": "-100%"}
_STAR = (
    "polygon(50% 0,61% 35%,98% 35%,68% 57%,79% 91%,50% 70%,21% 91%,32% 57%,2% 35%,39% 35%)"  # five points, from the top
)
_SHAPES = {"circle": "border-radius:50%", "diamond": "rotate:45deg", "star": f"clip-path:{_STAR};scale:1.6"}

Points = Sequence[tuple[float, float]]
Scale = Callable[[float], float]
Span = tuple[float, float]
Axes = MutableMapping[str, Span]  # the ends of axes, by what they are of, from picture to picture


def small_strip(report: ModelReport, *, reveal: bool, alt: str) -> str:
    """Show the score on the source, the estimate and, if revealed, the true value on one axis."""
    share = is_share(report)
    rows = strip_rows(report, reveal=reveal, ink=_GREY if report.is_red else INK)
    span = rows_span(rows, share)
    picture, across = Picture(_ROW * len(rows)), scale(span, 0, 1)
    _level_axis(picture, {tick: show_tick(tick, share) for tick in nice_ticks(span[0], span[1])}, across, grid=True)
    for number, row in enumerate(rows):
        y, words = _ROW * number + 23, f"{row.name}: {row.number(share)}"
        picture.text(0, _ROW * number + 9, words, bold=row.symbol == "diamond" and row.bold)
        if row.interval is not None:
            low, high = map(across, row.interval)
            picture.box(low, high - low, y - 1.5, 3, colour=row.colour, hover=words)
        picture.dot(across(row.value), y, colour=row.colour, shape=row.symbol, hover=words)
        picture.numbers(row.name, x=[row.value], ends=row.interval or ())
    return picture.finish(strip_title(report), alt=alt, x=axis_title(report.metric, span, share))


def small_weights(report: ModelReport, *, alt: str, before: ModelReport | None = None, axes: Axes | None = None) -> str:
    """Show the weights of the source rows, on a scale of doublings.

    Parameters
    ----------
    before : ModelReport, optional
        An earlier state, drawn as outlines.
    axes : mutable mapping, optional
        Keeps the axes of one picture for the next, as long as these fit.
    """
    bars, step, ticks, span = weight_bars(report)
    earlier, width_before = ([], step) if before is None else weight_bars(before)[:2]
    picture = Picture(130, left=_GUTTER)
    most = max((rows for _, rows, _ in (*bars, *earlier)), default=1.0)
    places = [end for power, _, _ in earlier for end in (power - width_before, power + width_before)]
    span = hold(axes, "weights", (min(span[0], *places), max(span[1], *places)) if places else span)
    _, most = hold(axes, "rows", (0.0, most))
    across, up = scale(span, 0, 1), scale((0, most), picture.height, _HEAD + 14)
    _upright_axis(picture, {tick: f"{tick:,.0f}" for tick in nice_ticks(0, most, 3)}, up, "labelled rows")
    width = across(0.9 * step) - across(0)
    for power, rows, lines in bars:
        y, left = up(rows), across(power) - width / 2
        picture.box(left, width, y, picture.height - y, colour=SOURCE, hover="\n".join(lines))
    width = across(0.9 * width_before) - across(0)
    for power, rows, _ in earlier:
        y, left = up(rows), across(power) - width / 2
        picture.outline(left, width, y, picture.height - y, hover=f"before: {rows:,.0f} rows")
    picture.dashes(across(0), _HEAD + 8, height=picture.height - _HEAD - 8)
    picture.text(across(0), _HEAD, "average", shift=-4)
    _level_axis(picture, {tick: words for tick, words in ticks.items() if span[0] <= tick <= span[1]}, across)
    picture.numbers("labelled rows", x=[power for power, _, _ in bars], y=[rows for _, rows, _ in bars])
    return picture.finish(facts.basis(report), alt=alt, x=f"{WEIGHT}; {_GHOST}" if earlier else WEIGHT)


def small_curve(
    curves: Ablation,
    *,
    truth: float | None,
    share: bool,
    alt: str,
    before: Ablation | None = None,
    axes: Axes | None = None,
) -> str:
    """Show the estimate as slices are added one by one, from the source's score on.

    Parameters
    ----------
    before : Ablation, optional
        An earlier state, drawn dashed over the slices that are still there.
    axes : mutable mapping, optional
        Keeps the axis of one picture for the next, as long as it fits.
    """
    points = curves.cumulative
    places = {point.slice: i for i, point in enumerate(points)}
    earlier = [one for one in (before.cumulative if before else ()) if one.slice in places and one.estimate is not None]
    low, high = curve_span([*points, *earlier], truth, share)
    last, span = len(points) - 1, hold(axes, "estimate", (low, high))
    turned = 0 if last <= _FEW else 90 if last > _MANY else 45
    picture = Picture(160, left=_GUTTER, right=48, below={0: 18, 45: 58, 90: 76}[turned])
    across, up = scale((0, max(last, 1)), 0.04, 1), scale(span, picture.height, _HEAD)
    _upright_axis(
        picture, {tick: show_tick(tick, share) for tick in nice_ticks(span[0], span[1], 4)}, up, f"estimate ({ZOOMED})"
    )
    for x, lows, highs in bands(points):
        outline = zip(x + x[::-1], highs + lows[::-1], strict=True)
        picture.area([(across(i), up(value)) for i, value in outline], strength=FAINT)
    if truth is not None:
        words, above = f"true value {show_value(truth, share=share)}", (points[0].estimate or 0.0) < truth
        picture.dashes(0, up(truth) - 1, width=1, colour=TRUTH, hover=words)
        picture.text(0, up(truth) + (-9 if above else 10), words)
    for point in earlier:
        left, words = across(places[point.slice]) - _DASH / 2, "\n".join(point_lines(point, share))
        picture.outline(left, _DASH, up(point.estimate or 0.0), 0, hover=f"before\n{words}")
    values = [(i, point.estimate) for i, point in enumerate(points) if point.estimate is not None]
    # The line parts where an estimate is missing: a gap must not be bridged.
    for is_there, run in groupby(enumerate(points), key=lambda pair: pair[1].estimate is not None):
        if is_there:
            picture.line([(across(i), up(point.estimate or 0.0)) for i, point in run])
    for i, point in enumerate(points):
        words = "\n".join(point_lines(point, share))
        name = "no slices" if point.slice is None else shorten(point.slice, NAME_WIDTH if last == 1 else _NAME)
        anchor, lower = ("end", 5) if turned else ("middle", 10)
        picture.text(across(i), picture.height + lower, name, anchor=anchor, turned=-turned, hover=words)
        if point.estimate is None:
            picture.text(across(i), picture.height - 6, "\u00d7", anchor="middle", bold=True, hover=words)
            continue
        colour, shape = (INK, "diamond") if i else (SOURCE, "circle")
        picture.dot(
            across(i), up(point.estimate), colour=colour, shape=shape, size=9 if last <= _MANY else 6, hover=words
        )
    for i, value in {values[0], values[-1]} if values else ():
        lower = 0 if i else -10
        picture.text(across(i), up(value) + lower, show_value(value, share=share), shift=9, bold=bool(i))
    picture.numbers("estimate", x=[i for i, _ in values], y=[value for _, value in values])
    axis = f"slices, left to right; {_GHOST}" if earlier else "slices, added from left to right"
    return picture.finish(curve_title(points, share), alt=alt, x=axis)


def hold(axes: Axes | None, name: str, needed: Span) -> Span:
    """Keep the ends of an axis while what it is to show fits, and is not much less.

    >>> axes = {}
    >>> hold(axes, "estimate", (0.7, 0.9)), hold(axes, "estimate", (0.72, 0.85)), hold(axes, "estimate", (0.6, 0.85))
    ((0.7, 0.9), (0.7, 0.9), (0.6, 0.85))
    """
    if axes is None:
        return needed
    low, high = axes.get(name, needed)
    fits = low <= needed[0] and needed[1] <= high
    if not fits or needed[1] - needed[0] < _LEAST_USED * (high - low):
        axes[name] = needed
    return axes.setdefault(name, needed)


def _level_axis(picture: Picture, ticks: dict[float, str], across: Scale, *, grid: bool = False) -> None:
    for tick, words in ticks.items():
        if grid:
            picture.box(across(tick), 0, 0, picture.height, strength=FAINT)
        picture.text(across(tick), picture.height + 10, words, anchor="middle")
    picture.box(0, 1, picture.height, 1, strength=MUTED)


def _upright_axis(picture: Picture, ticks: dict[float, str], up: Scale, title: str) -> None:
    picture.text(0, 7, title, shift=-_GUTTER)
    for tick, words in ticks.items():
        picture.box(0, 1, up(tick), 1, strength=FAINT)
        picture.text(0, up(tick), words, anchor="end", shift=-6)


def scale(span: Sequence[float], first: float, last: float) -> Scale:
    """Map values between two ends to positions between two others."""
    low, high = span
    return lambda value: first + (value - low) / ((high - low) or 1.0) * (last - first)


def show_tick(value: float, share: bool) -> str:
    """Write the label of a tick.

    >>> show_tick(0.8, share=True), show_tick(0.825, share=True), show_tick(12.0, share=False)
    ('80%', '82.5%', '12')
    """
    return f"{100 * value:.4g}%" if share else show_value(value, share=False)


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers between two ends.

    >>> nice_ticks(0.763, 0.897), nice_ticks(0, 4100)
    ([0.775, 0.8, 0.825, 0.85, 0.875], [0.0, 1000.0, 2000.0, 3000.0, 4000.0])
    >>> nice_ticks(1, 1)
    [1.0]
    """
    if not high > low:
        return [float(low)]
    unit = 10.0 ** np.floor(np.log10((high - low) / most))
    step = next(unit * times for times in _STEPS if (high - low) / (unit * times) <= most + 1)
    # An end that is round itself, off in its last digit, is a tick.
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    # Rounded, because 3 * 0.1 is not 0.3; plus 0, because -0 would be written with its sign.
    return [float(f"{step * n:.12g}") + 0.0 for n in np.arange(first, last + 1)]


def _share(value: float) -> str:
    return f"{100 * value:.2f}%"


class Picture:
    """Collect marks: across in shares of the width, down in pixels; what hovering over a mark says is plain text.

    Parameters
    ----------
    height : float
        Of the plot.
    left, right, below : float
        Room for labels around it.

    Examples
    --------
    >>> picture = Picture(50)
    >>> picture.box(0, 0.5, 10, 20, colour="red", hover="<3> rows")
    >>> picture.finish("A title", alt="A bar", x="rows").count("&lt;3&gt; rows")
    1
    """

    def __init__(self, height: float, *, left: float = 8, right: float = 8, below: float = 18) -> None:
        self.height = height
        self._margins = f"0 {right:g}px {below:g}px {left:g}px"
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        bold: bool = False,
        turned: float = 0,
        shift: float = 0,
        hover: str = "",
    ) -> None:
        """Write something next to a place: some pixels to its right, or turned and ending there."""
        where = f"left:calc({_share(x)} + {shift:g}px);top:{y:.1f}px;white-space:nowrap"
        move = f"translate({_SHIFTS[anchor]},-50%)"
        if turned:
            move, where = f"{move} rotate({turned:g}deg)", f"{where};transform-origin:100% 50%"
        weight = ";font-weight:600" if bold else ""
        self._add(f"{where};transform:{move}{weight}", hover, escape(clean(words)))

    def box(
        self,
        x: float,
        width: float,
        y: float,
        height: float,
        *,
        colour: str = INK,
        strength: float = 1,
        hover: str = "",
    ) -> None:
        """Fill a rectangle, from its left and upper edge on; without width, it is a line of its own."""
        size = f"width:{_share(width)}" if width else "width:1px"
        where = f"left:{_share(x)};top:{y:.1f}px;{size};height:{height:.1f}px"
        self._add(f"{where};background:{colour};opacity:{strength:g}", hover)

    def dashes(
        self, x: float, y: float, *, width: float = 0, height: float = 0, colour: str = INK, hover: str = ""
    ) -> None:
        """Draw a dashed line, across or down."""
        side = f"border-top:2px dashed {colour};width:{_share(width)}" if width else f"border-left:2px dotted {colour}"
        self._add(f"left:{_share(x)};top:{y:.1f}px;height:{height:.1f}px;{side}", hover)

    def outline(self, x: float, width: float, y: float, height: float, *, hover: str = "") -> None:
        """Draw the dashed outline of a rectangle; without height, a dashed line that is easy to hover over."""
        where = f"left:{_share(x)};top:{y:.1f}px;width:{_share(width)};height:{height or 6:.1f}px;box-sizing:border-box"
        sides = "border:1px dashed currentColor" if height else "border-top:2px dashed currentColor"
        self._add(f"{where};{sides};opacity:{MUTED:g}", hover)

    def area(self, points: Points, *, colour: str = INK, strength: float = 1) -> None:
        """Fill the area between points."""
        corners = ",".join(f"{_share(x)} {y:.1f}px" for x, y in points)
        self._add(f"inset:0;background:{colour};opacity:{strength:g};clip-path:polygon({corners});pointer-events:none")

    def line(self, points: Points, *, colour: str = INK) -> None:
        """Draw a line through points."""
        # HTML has no slanted lines: a thin area along the points replaces one.
        above, below = ([(x, y + side) for x, y in points] for side in (-1.2, 1.2))
        self.area([*above, *reversed(below)], colour=colour)

    def dot(
        self, x: float, y: float, *, colour: str = INK, shape: str = "circle", size: float = 9, hover: str = ""
    ) -> None:
        """Draw a marker: shapes differ, so that colour is never the only sign."""
        where = f"left:{_share(x)};top:{y:.1f}px;width:{size:g}px;height:{size:g}px;translate:-50% -50%"
        self._add(f"{where};background:{colour};{_SHAPES[shape]}", hover)

    def numbers(self, name: str, **columns: Iterable[float | None]) -> None:
        """Leave the numbers behind some marks in the picture, at full precision, for programs that read it."""
        data = "".join(f" data-{key}='{json.dumps(list(values))}'" for key, values in columns.items())
        self._parts.append(f'<i data-name="{escape(name)}"{data}></i>')

    def finish(self, title: str, *, alt: str, x: str) -> str:
        """Give the picture a title, and name its horizontal axis."""
        return (
            f'<div style="max-width:{_WIDEST}px;margin-bottom:1rem">'
            f'<div style="font-weight:600;font-size:0.875rem;line-height:1.3;margin-bottom:4px">{escape(clean(title))}'
            f'</div><div role="img" aria-label="{escape(alt)}" style="font-size:12px;line-height:1.2">'
            f'<div style="position:relative;height:{self.height:g}px;margin:{self._margins}">'
            f"{''.join(self._parts)}</div>"
            f'<div style="text-align:center">{escape(clean(x))}</div></div></div>'
        )

    def _add(self, style: str, hover: str = "", words: str = "") -> None:
        title = f' title="{escape(hover)}"' if hover else ""
        self._parts.append(f'<div style="position:absolute;{style}"{title}>{words}</div>')
