"""Methods side by side: their estimates for one model, and how they rank several."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.comparison import Comparison, Entry, ModelComparison
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import show_interval, show_value
from mandoline_core.report.charts.drawing import Drawing, error_bars
from mandoline_core.report.charts.style import (
    CHARACTERS,
    HOVER_WIDTH,
    SOURCE,
    TRUTH,
    axis_title,
    label,
    palette,
    safe,
    shorten,
    swatch,
    value_range,
    wrap,
)
from mandoline_core.report.words import title_of

PAPER, LATER, WITHOUT = "Methods of the paper", "Later methods", "No estimate"
TITLE, NARROW_AXIS = 25, 30  # characters per line: next to the dots, under them
_MODEL = 12  # characters of a model's name next to a line
_ROW, _KEY_LINE = 50, 18  # pixels
_KEY_WIDTH = 30  # characters
_GAP = 0.9  # rows left free above a group, for its title
_FAR = 6.0  # typical half intervals from the middle: beyond it an estimate would squeeze all others together
_LEAST_HALF = 0.01
_SYMBOLS = list(CHARACTERS)[:10]  # of models
_COLOURS = ("#CC79A7", "#E69F00", "#56B4E9")  # not those of the labelled data, the new data or the true value


def method_dots(
    comparison: ModelComparison, *, chosen: str, waiting: Sequence[str] = (), dark: bool = False
) -> go.Figure:
    """Show every method's estimate for one model: the paper's methods, later ones, those without.

    Parameters
    ----------
    comparison : ModelComparison
        With its true value only if it is to be shown.
    chosen : str
        The project's own method.
    waiting : sequence of str
        Methods that have not run.
    """
    share, figure = comparison.metric.share, Drawing(dark)
    heights, titles, bottom = _heights(comparison, waiting)
    span = axis_span(comparison, chosen)
    levels = [(comparison.source, "labelled data", SOURCE, "solid")]
    if comparison.truth is not None:
        levels.append((comparison.truth, "true value", TRUTH, "dash"))
    for value, name, colour, dash in levels:
        words = f"{name}: {show_value(value, share=share)}"
        figure.line([value, value], [0.6, bottom], name, colour=colour, dash=dash, hover=words)
    ticks = []
    for name, y in heights.items():
        entry, own = comparison.entries.get(name), name == chosen
        if own:
            figure.highlight(y)
        if entry is not None and entry.estimate is not None:
            _add_dot(figure, y, name, entry.estimate, entry.interval, span, share=share, own=own)
        else:
            _add_absence(figure, y, name, entry)
        ticks.append(_tick(name, entry, figure.colours.muted, share=share, own=own))
    for y, title in titles.items():
        _write_left(figure, f"<b>{safe(title)}</b>", figure.colours.ink, x=0, y=y)
    for number, (value, name, colour, _) in enumerate(reversed(levels)):
        right = value > (span[0] + span[1]) / 2
        arrow, words = f'<span style="color:{colour}">▼</span>', f"{name} <b>{show_value(value, share=share)}</b>"
        figure.write(
            f"{words} {arrow}" if right else f"{arrow} {words}",
            x=value,
            y=1,
            yref="paper",
            yshift=20 * number,
            yanchor="bottom",
            xanchor="right" if right else "left",
            xshift=6 if right else -6,
            font={"size": 12},
        )
    figure.y_axis = {
        "tickvals": list(heights.values()),
        "ticktext": ticks,
        "range": [bottom, 0.6],
        "showgrid": True,
    }
    figure.value_axis("x", span, share=share)
    figure.x_axis["tickangle"] = 0
    return figure.finish(
        title=_spread_title(comparison, share),
        x=axis_title(comparison.metric.spoken, span, share),
        height=round(_ROW * (0.6 - bottom)) + 50,
        head=22 * len(levels),
        axis_width=NARROW_AXIS,
    )


def axis_span(comparison: ModelComparison, chosen: str) -> list[float]:
    """Span the axis so that one estimate far from all others does not squeeze them together."""
    entries = [entry for entry in comparison.entries.values() if entry.estimate is not None]
    values = [entry.estimate for entry in entries if entry.estimate is not None]
    fixed = [comparison.source, *comparison.source_interval, *([] if comparison.truth is None else [comparison.truth])]
    if not values:
        return value_range(fixed, comparison.metric.share)
    halves = [(entry.interval[1] - entry.interval[0]) / 2 for entry in entries if entry.interval is not None]
    middle = statistics.median(values)
    # Medians, so that the far ones do not decide what is far.
    typical = max(
        statistics.median(halves),
        statistics.median(abs(value - middle) for value in values),
        _LEAST_HALF if comparison.metric.share else 0.0,
    )
    own = comparison.entries.get(chosen)
    fixed += [own.estimate] if own is not None and own.estimate is not None else []
    ends = [end for entry in entries for end in (entry.estimate, *(entry.interval or ()))]
    near = [end for end in ends if end is not None and abs(end - middle) <= _FAR * typical]
    return value_range([*near, *fixed], comparison.metric.share)


def _heights(comparison: ModelComparison, waiting: Sequence[str]) -> tuple[dict[str, float], dict[float, str], float]:
    """Give each method a line and each group a title above its first line; also return where the lines end."""
    groups: dict[str, list[str]] = {PAPER: [], LATER: [], WITHOUT: []}
    for name, entry in comparison.entries.items():
        group = WITHOUT if entry.estimate is None else LATER if get_estimator(name).later else PAPER
        groups[group].append(name)
    groups[WITHOUT] += waiting
    heights, titles, y = {}, {}, 0.0
    for title, members in groups.items():
        if members:
            titles[y] = title
            y -= _GAP - 0.2
            for name in members:
                heights[name] = y
                y -= 1
            y -= 0.1
    return heights, titles, y + 0.5


def _add_dot(
    figure: Drawing,
    y: float,
    name: str,
    value: float,
    interval: Interval | None,
    span: Sequence[float],
    *,
    share: bool,
    own: bool,
) -> None:
    ends, colours = interval or (value, value), figure.colours
    edge = 0.02 * (span[1] - span[0])
    side = "left" if value < span[0] else "right" if value > span[1] else ""
    colour = colours.ink if own else SOURCE if name == "source" else colours.muted
    written = show_interval(value, ends, share=share)
    assumes = wrap(f"Assumes: {get_estimator(name).assumes}", HOVER_WIDTH)
    figure.points(
        [min(max(value, span[0] + edge), span[1] - edge)],
        [y],
        name,
        symbol=f"triangle-{side}" if side else "diamond" if own else "circle",
        size=14 if own else 11,
        colour=colour,
        error_x=error_bars([value], [ends], colour, thickness=3 if own else 2, visible=not side),
        hover=f"<b>{safe(title_of(name))}</b>: {written}{' (beyond the axis)' if side else ''}<br>{assumes}",
    )


def _add_absence(figure: Drawing, y: float, name: str, entry: Entry | None) -> None:
    state = "not run yet" if entry is None else "does not apply"
    reason = "Runs on request." if entry is None else entry.reason or ""
    hover = f"<b>{safe(title_of(name))}</b>: {state}<br>{wrap(reason, HOVER_WIDTH)}"
    _write_left(figure, state, figure.colours.muted, x=0.02, y=y, name=name, hovertext=hover)


def _write_left(figure: Drawing, text: str, colour: str, **where: object) -> None:
    """Write words at the left end of a line, over what is drawn there."""
    font, paper = {"size": 12, "color": colour}, figure.colours.paper
    figure.write(text, xref="paper", xanchor="left", font=font, bgcolor=paper, **where)


def short_title(method: str) -> str:
    """Write a method's title next to an axis, in lines; without its part in brackets if too long.

    >>> short_title("mandoline"), short_title("kmm_features")
    ('Mandoline', 'Kernel mean matching on<br>columns')
    """
    title = title_of(method)
    return wrap(title if len(title) <= TITLE else title.partition(" (")[0], TITLE)


def _tick(method: str, entry: Entry | None, muted: str, *, share: bool, own: bool) -> str:
    name = short_title(method)
    if own:
        name = f"<b>◆ {name}</b>"
    if entry is None or entry.estimate is None:
        return f'<span style="color:{muted}">{name}</span>'
    value = entry.estimate
    return f"{name}<br><b>{show_interval(value, entry.interval or (value, value), share=share)}</b>"


def _spread_title(comparison: ModelComparison, share: bool) -> str:
    values = [e.estimate for name, e in comparison.entries.items() if e.estimate is not None and name != "source"]
    source = show_value(comparison.source, share=share)
    if not values:
        return f"No method applies; labelled data: {source}"
    low, high = (show_value(value, share=share) for value in (min(values), max(values)))
    if low == high:
        return f"Every method says {low}; labelled data: {source}"
    return f"{len(values)} methods say {low} to {high}; labelled data: {source}"


def model_dots(comparison: Comparison, *, chosen: str, dark: bool = False) -> go.Figure:
    """Show every model's estimate by every method on one axis; true values on top, if known.

    Parameters
    ----------
    comparison : Comparison
        With true values only if they are to be shown.
    chosen : str
        The project's own method.
    """
    models, figure = comparison.models, Drawing(dark)
    metric = next(iter(models.values())).metric
    truths = {name: model.truth for name, model in models.items() if model.truth is not None}
    methods = [name for name, ranking in comparison.rankings.items() if ranking.order]
    top = [f'<b><span style="color:{TRUTH}">true value</span></b>'] if truths else []
    heights = figure.rows([*top, *(_order_tick(comparison, name, chosen) for name in methods)], grid=True, room=0.5)
    outline = {"width": 1, "color": figure.colours.paper}
    every: list[float] = []
    for number, (name, model) in enumerate(models.items()):
        estimates = [entry.estimate if (entry := model.entries.get(method)) is not None else None for method in methods]
        values = ([truths.get(name)] if truths else []) + estimates
        every += [value for value in values if value is not None]
        symbol, colour = _mark(number, dark)
        figure.points(
            values,
            [y + offset(number, len(models)) for y in heights],
            label(name),
            symbol=symbol,
            size=11,
            colour=colour,
            outline=outline,
            hover=[
                "" if value is None else f"{label(name, 40)}: {show_value(value, share=metric.share)}"
                for value in values
            ],
        )
    span = value_range(every or [0.0], metric.share)
    figure.value_axis("x", span, share=metric.share, ticks=4)
    figure.x_axis["tickangle"] = 0
    key = _key(list(models), dark)
    figure.key(*key)
    return figure.finish(
        title=_order_title(comparison, methods, chosen),
        x=axis_title(metric.spoken, span, metric.share),
        height=_ROW * len(heights) + 50,
        head=_KEY_LINE * len(key) + 8,
        axis_width=NARROW_AXIS,
    )


def offset(number: int, of: int) -> float:
    """Return how far above its line a series is drawn, so that none hides another.

    >>> [round(offset(number, 3), 2) for number in range(3)]
    [0.15, 0.0, -0.15]
    """
    step = min(0.15, 0.45 / max(of - 1, 1))
    return step * ((of - 1) / 2 - number)


def _mark(number: int, dark: bool) -> tuple[str, str]:
    colours = (palette(dark).ink, *_COLOURS)
    return _SYMBOLS[number % len(_SYMBOLS)], colours[number % len(colours)]


def _key(models: Sequence[str], dark: bool) -> list[str]:
    """Write which mark is which model, in lines that fit above the plot on a phone."""
    lines, used = [""], 0
    for number, name in enumerate(models):
        (symbol, colour), width = _mark(number, dark), len(shorten(name)) + 4
        if used and used + width > _KEY_WIDTH:
            lines, used = [*lines, ""], 0
        lines[-1] += f"{swatch(symbol, colour, label(name))}    "
        used += width
    return lines


def _order_tick(comparison: Comparison, method: str, chosen: str) -> str:
    title = short_title(method)
    title = f"<b>◆ {title}</b>" if method == chosen else title
    return f"{title}<br>{order_words(comparison.rankings[method].order)}"


def order_words(order: Sequence[str]) -> str:
    """Write an order of models, best first, as far as it fits next to an axis.

    >>> order_words(("nb", "lr")), order_words(("one", "two", "three", "four", "five", "six"))
    ('nb, lr', 'one, two, three, four, …')
    """
    named: list[str] = []
    used = 0
    for name in (shorten(name, _MODEL) for name in order):
        used += len(name) + 2
        if named and used > TITLE:
            return ", ".join([*named, "…"])
        named.append(safe(name))
    return ", ".join(named)


def _order_title(comparison: Comparison, methods: Sequence[str], chosen: str) -> str:
    best = {method: comparison.rankings[method].order[0] for method in methods if method != "source"}
    if not best:
        return "No method has an estimate"
    favourite = best.get(chosen) or next(iter(best.values()))
    agree = sum(model == favourite for model in best.values())
    most = f"{agree} of {len(best)} methods rank {shorten(favourite, 30)} first"
    source = comparison.rankings.get("source")
    if source is None or not source.order or source.order[0] == favourite:
        return most
    return f"{most}; labelled data: {shorten(source.order[0], 30)}"
