"""Methods side by side: what each says of one model, and how each ranks several."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.comparison import Entry, ModelComparison
from mandoline_core.estimators import get_estimator
from mandoline_core.formatting import say, show_interval, show_value
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, value_axis, value_range
from mandoline_core.report.charts.template import SOURCE, TRUTH, finish, palette, safe, wrap
from mandoline_core.report.words import PLAIN, title_of

PAPER, LATER, APART = "Methods of the paper", "Later methods", "No number here"
TITLE, HOVER, NARROW_AXIS = 25, 60, 30  # characters a line: beside the dots, when hovering, under them
_ROW, _GAP = 50, 0.9  # pixels a method; rows left free above a group, for its title
_FAR = 6.0  # typical half intervals from the middle: beyond it an estimate would squeeze all others together
_LEAST_HALF = 0.01


class _Line(NamedTuple):
    """Hold one line: its place, the method, and what it said, if anything."""

    place: float
    name: str
    entry: Entry | None


def method_dots(
    comparison: ModelComparison, *, chosen: str, waiting: Sequence[str] = (), dark: bool = False
) -> go.Figure:
    """Show what every method says of one model: the paper's methods, later ones, those without a number.

    Parameters
    ----------
    comparison : ModelComparison
        With its truth only if it is to be shown.
    chosen : str
        The project's own method.
    waiting : sequence of str
        Methods that have not run.
    """
    share, colours = comparison.metric.share, palette(dark)
    groups = _groups(comparison, waiting)
    lines, titles, bottom = _places(groups)
    span = axis_span(comparison, chosen)
    figure = Drawing()
    for value, name, colour, dash in _marks(comparison):
        figure.add_scatter(
            x=[value, value],
            y=[0.6, bottom],
            mode="lines",
            name=name,
            line={"color": colour, "width": 2, "dash": dash},
            hovertext=f"{name}: {show_value(value, share=share)}",
            hoverinfo="text",
        )
    for line in lines:
        if line.name == chosen:
            figure.add_hrect(
                y0=line.place - 0.48, y1=line.place + 0.48, fillcolor=colours.band, line={"width": 0}, layer="below"
            )
        if line.entry is not None and line.entry.estimate is not None:
            _add_dot(figure, line, span, share=share, chosen=chosen, dark=dark)
        else:
            _add_absence(figure, line, dark=dark)
    _write(figure, comparison, titles, span, dark=dark)
    figure.update_yaxes(
        tickvals=[line.place for line in lines],
        ticktext=[_tick(line, share=share, chosen=chosen, dark=dark) for line in lines],
        range=[bottom, 0.6],
        showgrid=True,
    )
    figure.update_xaxes(range=span, tickformat=TICK_FORMAT[share], nticks=5, tickangle=0, showgrid=True)
    return finish(
        figure,
        title=_title(comparison, share),
        x=value_axis(comparison.metric.spoken, span, share),
        y="",
        height=round(_ROW * (0.6 - bottom)) + 50,
        dark=dark,
        head=22 * len(_marks(comparison)),
        axis_width=NARROW_AXIS,
    )


def axis_span(comparison: ModelComparison, chosen: str) -> list[float]:
    """Span the axis so that one estimate far from all others does not squeeze them together."""
    found = [entry for entry in comparison.entries.values() if entry.estimate is not None]
    values = [entry.estimate for entry in found if entry.estimate is not None]
    fixed = [comparison.source, *comparison.source_interval, *([] if comparison.truth is None else [comparison.truth])]
    if not values:
        return value_range(fixed, comparison.metric.share)
    halves = [(entry.interval[1] - entry.interval[0]) / 2 for entry in found if entry.interval is not None]
    middle = statistics.median(values)
    typical = max(
        statistics.median(halves),
        statistics.median(abs(value - middle) for value in values),
        _LEAST_HALF if comparison.metric.share else 0.0,
    )
    own = comparison.entries.get(chosen)
    fixed += [own.estimate] if own is not None and own.estimate is not None else []
    ends = [end for entry in found for end in (entry.estimate, *(entry.interval or ()))]
    near = [end for end in ends if end is not None and abs(end - middle) <= _FAR * typical]
    return value_range([*near, *fixed], comparison.metric.share)


def _groups(comparison: ModelComparison, waiting: Sequence[str]) -> dict[str, list[tuple[str, Entry | None]]]:
    found: dict[str, list[tuple[str, Entry | None]]] = {PAPER: [], LATER: [], APART: []}
    for name, entry in comparison.entries.items():
        group = APART if entry.estimate is None else LATER if get_estimator(name).later else PAPER
        found[group].append((name, entry))
    found[APART] += [(name, None) for name in waiting]
    return {title: members for title, members in found.items() if members}


def _places(groups: dict[str, list[tuple[str, Entry | None]]]) -> tuple[list[_Line], dict[float, str], float]:
    """Give each method a line and each group a title above its first line; also return where the lines end."""
    lines, titles, place = [], {}, 0.0
    for title, members in groups.items():
        titles[place] = title
        place -= _GAP - 0.2
        for name, entry in members:
            lines.append(_Line(place, name, entry))
            place -= 1
        place -= 0.1
    return lines, titles, place + 0.5


def _marks(comparison: ModelComparison) -> list[tuple[float, str, str, str]]:
    """List the lines through all methods: value, name, colour, dash."""
    found = [(comparison.source, "labelled data", SOURCE, "solid")]
    if comparison.truth is not None:
        found.append((comparison.truth, "truth", TRUTH, "dash"))
    return found


def _add_dot(figure: Drawing, line: _Line, span: Sequence[float], *, share: bool, chosen: str, dark: bool) -> None:
    entry, colours = line.entry, palette(dark)
    if entry is None or entry.estimate is None:
        return
    own, value = line.name == chosen, entry.estimate
    low, high = entry.interval or (value, value)
    edge = 0.02 * (span[1] - span[0])
    side = "left" if value < span[0] else "right" if value > span[1] else ""
    colour = colours.ink if own else SOURCE if line.name == "source" else colours.muted
    written = show_interval(value, (low, high), share=share)
    figure.add_scatter(
        x=[min(max(value, span[0] + edge), span[1] - edge)],
        y=[line.place],
        name=line.name,
        mode="markers",
        cliponaxis=False,
        marker={
            "symbol": f"triangle-{side}" if side else "diamond" if own else "circle",
            "size": 14 if own else 11,
            "color": colour,
        },
        error_x={
            "array": [high - value],
            "arrayminus": [value - low],
            "color": colour,
            "thickness": 3 if own else 2,
            "width": 5,
            "visible": not side,
        },
        hovertext=f"<b>{safe(title_of(line.name))}</b>: {written}{' (beyond the axis)' if side else ''}<br>"
        f"{wrap(f'Assumes: {say(get_estimator(line.name).assumes, PLAIN)}', HOVER)}",
        hoverinfo="text",
    )


def _add_absence(figure: Drawing, line: _Line, *, dark: bool) -> None:
    said = "not run yet" if line.entry is None else "does not apply"
    reason = "It runs on request." if line.entry is None else line.entry.reason or ""
    figure.add_annotation(
        x=0.02,
        xref="paper",
        y=line.place,
        text=said,
        name=line.name,
        showarrow=False,
        xanchor="left",
        font={"size": 12, "color": palette(dark).muted},
        bgcolor=palette(dark).paper,
        hovertext=f"<b>{safe(title_of(line.name))}</b>: {said}<br>{wrap(say(reason, PLAIN), HOVER)}",
    )


def _write(
    figure: Drawing, comparison: ModelComparison, titles: dict[float, str], span: Sequence[float], *, dark: bool
) -> None:
    """Write the groups' titles, and the names of the lines above the plot."""
    for place, title in titles.items():
        figure.add_annotation(
            x=0,
            xref="paper",
            y=place,
            text=f"<b>{safe(title)}</b>",
            showarrow=False,
            xanchor="left",
            font={"size": 12, "color": palette(dark).ink},
            bgcolor=palette(dark).paper,
        )
    for number, (value, name, colour, _) in enumerate(reversed(_marks(comparison))):
        right = value > (span[0] + span[1]) / 2
        arrow = f'<span style="color:{colour}">▼</span>'
        said = f"{name} <b>{show_value(value, share=comparison.metric.share)}</b>"
        figure.add_annotation(
            x=value,
            y=1,
            yref="paper",
            yshift=20 * number,
            yanchor="bottom",
            xanchor="right" if right else "left",
            xshift=6 if right else -6,
            text=f"{said} {arrow}" if right else f"{arrow} {said}",
            font={"size": 12},
            showarrow=False,
        )


def short_title(method: str) -> str:
    """Write a method's title beside an axis, in lines; without the remark in brackets where there is no room for it.

    >>> short_title("mandoline"), short_title("kmm_features")
    ('Mandoline', 'Kernel matching on<br>columns')
    """
    title = title_of(method)
    return wrap(title if len(title) <= TITLE else title.partition(" (")[0], TITLE)


def _tick(line: _Line, *, share: bool, chosen: str, dark: bool) -> str:
    name = short_title(line.name)
    if line.name == chosen:
        name = f"<b>◆ {name}</b>"
    if line.entry is None or line.entry.estimate is None:
        return f'<span style="color:{palette(dark).muted}">{name}</span>'
    value = line.entry.estimate
    return f"{name}<br><b>{show_interval(value, line.entry.interval or (value, value), share=share)}</b>"


def _title(comparison: ModelComparison, share: bool) -> str:
    values = [e.estimate for name, e in comparison.entries.items() if e.estimate is not None and name != "source"]
    source = show_value(comparison.source, share=share)
    if not values:
        return f"No method but the labelled data's own score, {source}, applies"
    low, high = (show_value(value, share=share) for value in (min(values), max(values)))
    if low == high:
        return f"Every method says {low}; the labelled data's score is {source}"
    return f"{len(values)} methods say {low} to {high}; the labelled data's score is {source}"
