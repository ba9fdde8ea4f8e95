"""The figures beside the work, small and quick to draw: the estimate, the weights, and the curve of the slices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_value
from mandoline_core.pipeline import Ablation, is_share
from mandoline_core.report.charts.ablation import bands, curve_span, curve_title, point_lines
from mandoline_core.report.charts.picture import FAINT, INK, MUTED, Picture, nice_ticks
from mandoline_core.report.charts.scales import ZOOMED, value_axis
from mandoline_core.report.charts.strip import is_red, strip_marks, strip_span, strip_title, written
from mandoline_core.report.charts.template import SOURCE, TRUTH, shorten
from mandoline_core.report.charts.weights import weight_bars, weights_title

_GUTTER = 44  # pixels for the labels of a vertical axis
_ROW = 34  # pixels a line of the strip
_HEAD = 22  # pixels for the title of a vertical axis
_FEW, _MANY = 2, 12  # slices: names stand level, slanted or upright
_NAME = 12  # characters
_GREY = "#7D848E"  # in light and in dark

Scale = Callable[[float], float]


def small_strip(report: ModelReport, *, reveal: bool, alt: str) -> str:
    """Show the score on the source, the estimate on the target and, when revealed, the truth on one axis."""
    share = is_share(report)
    marks = strip_marks(report, reveal=reveal, ink=_GREY if is_red(report) else INK)
    span = strip_span(marks, share)
    picture = Picture(_ROW * len(marks))
    across = _scale(span, 0, 1)
    _level_axis(picture, {tick: _tick(tick, share) for tick in nice_ticks(span[0], span[1])}, across, grid=True)
    for place, mark in enumerate(marks):
        y, said = _ROW * place + 23, f"{mark.name}: {written(mark, share)}"
        picture.text(0, _ROW * place + 9, said, bold=mark.symbol == "diamond" and not is_red(report))
        if mark.interval is not None:
            low, high = map(across, mark.interval)
            picture.box(low, high - low, y - 1.5, 3, colour=mark.colour, said=said)
        picture.dot(across(mark.value), y, colour=mark.colour, shape=mark.symbol, said=said)
        picture.numbers(mark.name, x=[mark.value], ends=mark.interval or ())
    return picture.finish(strip_title(report, share, reveal), alt=alt, x=value_axis(report.metric, span, share))


def small_weights(report: ModelReport, *, alt: str) -> str:
    """Show how many source rows count how many times, on a scale of doublings."""
    bars, step, ticks, span = weight_bars(report)
    picture = Picture(130, left=_GUTTER)
    most = max((bar.rows for bar in bars), default=1.0)
    across, up = _scale(span, 0, 1), _scale((0, most), picture.height, _HEAD + 14)
    _upright_axis(picture, {tick: f"{tick:,.0f}" for tick in nice_ticks(0, most, 3)}, up, "labelled rows")
    width = across(0.9 * step) - across(0)
    for bar in bars:
        y, said = up(bar.rows), "\n".join(bar.lines)
        picture.box(across(bar.place) - width / 2, width, y, picture.height - y, colour=SOURCE, said=said)
    picture.dashes(across(0), _HEAD + 8, height=picture.height - _HEAD - 8)
    picture.text(across(0), _HEAD, "counts once", shift=-4)
    _level_axis(picture, ticks, across)
    picture.numbers("labelled rows", x=[bar.place for bar in bars], y=[bar.rows for bar in bars])
    return picture.finish(weights_title(report), alt=alt, x="how many times a labelled row counts")


def small_curve(curves: Ablation, *, truth: float | None, share: bool, alt: str) -> str:
    """Show the estimate as slices are added one by one, from the source's score on."""
    points = curves.cumulative
    last, span = len(points) - 1, curve_span(points, truth, share)
    turned = 0 if last <= _FEW else 90 if last > _MANY else 45
    picture = Picture(160, left=_GUTTER, right=48, below=58 if turned else 18)
    across, up = _scale((0, max(last, 1)), 0.04, 1), _scale(span, picture.height, _HEAD)
    _upright_axis(
        picture, {tick: _tick(tick, share) for tick in nice_ticks(span[0], span[1], 4)}, up, f"estimate ({ZOOMED})"
    )
    for outline in bands(points):
        picture.area([(across(x), up(y)) for x, y in outline], strength=FAINT)
    if truth is not None:
        said, above = f"truth {show_value(truth, share=share)}", (points[0].estimate or 0.0) < truth
        picture.dashes(0, up(truth) - 1, width=1, colour=TRUTH, said=said)
        picture.text(0, up(truth) + (-9 if above else 10), said)
    known = [(i, point.estimate) for i, point in enumerate(points) if point.estimate is not None]
    for run in _runs(known):
        picture.line([(across(i), up(value)) for i, value in run])
    for i, point in enumerate(points):
        said = "\n".join(point_lines(point, share))
        name = "no slices" if point.slice is None else shorten(point.slice, _NAME)
        anchor, lower = ("end", 5) if turned else ("middle", 10)
        picture.text(across(i), picture.height + lower, name, anchor=anchor, turned=-turned, said=said)
        if point.estimate is None:
            picture.text(across(i), picture.height - 6, "\u00d7", anchor="middle", bold=True, said=said)
            continue
        colour, shape = (INK, "diamond") if i else (SOURCE, "circle")
        picture.dot(
            across(i), up(point.estimate), colour=colour, shape=shape, size=9 if last <= _MANY else 6, said=said
        )
    for i, value in {known[0], known[-1]} if known else ():
        lower = 0 if i else -10
        picture.text(across(i), up(value) + lower, show_value(value, share=share), shift=9, bold=bool(i))
    picture.numbers("estimate", x=[i for i, _ in known], y=[value for _, value in known])
    return picture.finish(curve_title(points, share), alt=alt, x="slices, added from left to right")


def _runs(known: Sequence[tuple[int, float]]) -> list[list[tuple[int, float]]]:
    """Part the points where one is missing: a gap must not be bridged."""
    runs: list[list[tuple[int, float]]] = []
    for i, value in known:
        if runs and runs[-1][-1][0] == i - 1:
            runs[-1].append((i, value))
        else:
            runs.append([(i, value)])
    return runs


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


def _scale(span: Sequence[float], first: float, last: float) -> Scale:
    """Turn values between two ends into places between two others."""
    low, high = span
    return lambda value: first + (value - low) / ((high - low) or 1.0) * (last - first)


def _tick(value: float, share: bool) -> str:
    """Write the label of a tick.

    >>> _tick(0.8, share=True), _tick(0.825, share=True), _tick(12.0, share=False)
    ('80%', '82.5%', '12')
    """
    return f"{100 * value:.4g}%" if share else f"{value:.4g}"
