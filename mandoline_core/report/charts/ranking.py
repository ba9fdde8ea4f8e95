"""How each method ranks the models: a line a method, a dot a model."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mandoline_core.comparison import Comparison
from mandoline_core.formatting import show_value
from mandoline_core.report.charts.comparison import NARROW_AXIS, TITLE, short_title
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, value_axis, value_range
from mandoline_core.report.charts.template import TITLE_WIDTH, TRUTH, finish, label, palette, safe, shorten

_MODEL = 12  # characters of a model's name beside a line
_ROW, _KEY_LINE = 50, 16  # pixels
# How the figure calls a mark, and how it is written in the key above.
_SYMBOLS = {
    "circle": "●",
    "square": "■",
    "diamond": "◆",
    "triangle-up": "▲",
    "x": "✖",
    "cross": "✚",
    "star": "★",
    "triangle-down": "▼",
    "hexagon": "⬢",
    "pentagon": "⬟",
}
# None of these is the colour of the labelled data, the new data or the truth.
_COLOURS = ("#CC79A7", "#E69F00", "#56B4E9")


def model_dots(comparison: Comparison, *, chosen: str, dark: bool = False) -> go.Figure:
    """Show every model's estimate by every method on one axis; the truth on top, if it is known.

    Parameters
    ----------
    comparison : Comparison
        With truths only if they are to be shown.
    chosen : str
        The project's own method.
    """
    models = comparison.models
    metric = next(iter(models.values())).metric
    truths = {name: model.truth for name, model in models.items() if model.truth is not None}
    methods = [name for name, ranking in comparison.rankings.items() if ranking.order]
    ticks = ([f'<b><span style="color:{TRUTH}">truth</span></b>'] if truths else []) + [
        _tick(comparison, name, chosen) for name in methods
    ]
    figure, every = Drawing(), []
    for number, (name, model) in enumerate(models.items()):
        estimates = [entry.estimate if (entry := model.entries.get(method)) is not None else None for method in methods]
        values = ([truths.get(name)] if truths else []) + estimates
        every += [value for value in values if value is not None]
        figure.add_scatter(
            x=values,
            y=[beside(number, len(models)) - place for place in range(len(values))],
            name=label(name),
            mode="markers",
            marker={**_mark(number, dark), "size": 11, "line": {"width": 1, "color": palette(dark).paper}},
            hovertext=[
                "" if value is None else f"{safe(shorten(name, 40))}: {show_value(value, share=metric.share)}"
                for value in values
            ],
            hoverinfo="text",
        )
    span = value_range(every or [0.0], metric.share)
    figure.update_yaxes(
        tickvals=[-place for place in range(len(ticks))], ticktext=ticks, range=[0.5 - len(ticks), 0.5], showgrid=True
    )
    figure.update_xaxes(range=span, tickformat=TICK_FORMAT[metric.share], nticks=4, tickangle=0, showgrid=True)
    key = _key(list(models), dark)
    finished = finish(
        figure,
        title=_title(comparison, methods, chosen),
        x=value_axis(metric.spoken, span, metric.share),
        y="",
        height=_ROW * len(ticks) + 50,
        dark=dark,
        head=_KEY_LINE * (key.count("<br>") + 1) + 12,
        axis_width=NARROW_AXIS,
    )
    finished.update_layout(title={"subtitle": {"text": key, "font": {"size": 12}}})
    return finished


def beside(number: int, of: int) -> float:
    """Return how far above its line the mark of one of several series is drawn, so that none hides another.

    >>> [round(beside(number, 3), 2) for number in range(3)]
    [0.15, 0.0, -0.15]
    """
    step = min(0.15, 0.45 / max(of - 1, 1))
    return step * ((of - 1) / 2 - number)


def _mark(number: int, dark: bool) -> dict[str, str]:
    colours = (palette(dark).ink, *_COLOURS)
    return {"symbol": list(_SYMBOLS)[number % len(_SYMBOLS)], "color": colours[number % len(colours)]}


def _key(models: Sequence[str], dark: bool) -> str:
    """Write which mark is which model, in lines that fit on a phone."""
    lines, used = [""], 0
    for number, name in enumerate(models):
        mark, width = _mark(number, dark), len(shorten(name)) + 4
        if used and used + width > TITLE_WIDTH:
            lines, used = [*lines, ""], 0
        lines[-1] += f'<span style="color:{mark["color"]}">{_SYMBOLS[mark["symbol"]]}</span> {label(name)}    '
        used += width
    return "<br>".join(lines)


def _tick(comparison: Comparison, method: str, chosen: str) -> str:
    title = short_title(method)
    title = f"<b>◆ {title}</b>" if method == chosen else title
    return f"{title}<br>{order_words(comparison.rankings[method].order)}"


def order_words(order: Sequence[str]) -> str:
    """Write an order of models, best first, as far as it fits beside an axis.

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


def _title(comparison: Comparison, methods: Sequence[str], chosen: str) -> str:
    best = {method: comparison.rankings[method].order[0] for method in methods if method != "source"}
    if not best:
        return "No method has an estimate for these models"
    favourite = best.get(chosen) or next(iter(best.values()))
    agree = sum(model == favourite for model in best.values())
    said = f"{agree} of {len(best)} methods put {shorten(favourite, 30)} first"
    source = comparison.rankings.get("source")
    if source is None or not source.order or source.order[0] == favourite:
        return said
    return f"{said}; the labelled data put {shorten(source.order[0], 30)} first"
