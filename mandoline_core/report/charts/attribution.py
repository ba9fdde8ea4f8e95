"""From the labelled data's score to the estimate, one slice after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.formatting import direction, show_step, show_value
from mandoline_core.pipeline import Attribution, AttributionPart
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, value_axis, value_range
from mandoline_core.report.charts.template import SOURCE, finish, label, palette, safe, shorten

MOST_PARTS = 12
_ROW = 44


class _Step(NamedTuple):
    """Hold one step on the way: where it starts and by how much it moves."""

    name: str
    start: float
    value: float
    interval: Interval | None


def waterfall(found: Attribution, source: float, *, metric: str, share: bool, dark: bool = False) -> go.Figure:
    """Show how each slice moves the score, largest part first, from the labelled data to the estimate.

    Parameters
    ----------
    source : float
        The score on the labelled data.
    """
    colours, steps = palette(dark), _steps(found.parts, source, share)
    places = [-(i + 1) for i in range(len(steps))]
    last = -(len(steps) + 1)
    figure = Drawing()
    figure.add_bar(
        x=[step.value for step in steps],
        y=places,
        base=[step.start for step in steps],
        orientation="h",
        width=0.55,
        name="parts",
        marker={"color": colours.muted, "opacity": 0.6},  # so that the lines on the bars show in both themes
        hovertext=[_words(step, share) for step in steps],
        hoverinfo="text",
    )
    figure.add_scatter(
        x=[step.start + step.value for step in steps],
        y=places,
        name="where it leads",
        mode="markers",
        marker={
            "symbol": ["triangle-left" if step.value < 0 else "triangle-right" for step in steps],
            "size": 10,
            "color": colours.ink,
        },
        error_x={
            "array": [0.0 if s.interval is None else s.interval[1] - s.value for s in steps],
            "arrayminus": [0.0 if s.interval is None else s.value - s.interval[0] for s in steps],
            "color": colours.ink,
            "thickness": 2,
            "width": 4,
        },
        hoverinfo="skip",
    )
    for name, value, place, symbol, colour in (
        ("labelled data", source, 0, "circle", SOURCE),
        ("estimate", source + found.total, last, "diamond", colours.ink),
    ):
        figure.add_scatter(
            x=[value],
            y=[place],
            name=name,
            mode="markers",
            cliponaxis=False,
            marker={"symbol": symbol, "size": 13, "color": colour},
            hovertext=f"{name}: {show_value(value, share=share)}",
            hoverinfo="text",
        )
    ends = [end for s in steps for end in (s.start, s.start + s.value, *_ends(s))]
    span = value_range([source, source + found.total, *ends], share)
    unit = " points" if share else ""
    figure.update_yaxes(
        tickvals=[0, *places, last],
        ticktext=[
            f"labelled data<br><b>{show_value(source, share=share)}</b>",
            *(f"{label(s.name)}<br><b>{show_step(s.value, share=share)}{unit}</b>" for s in steps),
            f"estimate<br><b>{show_value(source + found.total, share=share)}</b>",
        ],
        range=[last - 0.6, 0.6],
        showgrid=False,
    )
    figure.update_xaxes(range=span, tickformat=TICK_FORMAT[share], nticks=5, showgrid=True)
    return finish(
        figure,
        title=_title(found, steps, share),
        x=f"{value_axis(metric, span, share)}; thin lines: intervals of the parts",
        y="",
        height=_ROW * (len(steps) + 2) + 50,
        dark=dark,
    )


def _steps(parts: Sequence[AttributionPart], source: float, share: bool) -> list[_Step]:
    """List the parts, largest first; the smallest, and those that are nothing, together."""
    ranked = sorted(parts, key=lambda part: (_is_nothing(part, share), -abs(part.value)))
    most = min(MOST_PARTS, max(sum(not _is_nothing(part, share) for part in ranked), 1))
    if len(ranked) == most + 1:
        most += 1
    rest = ranked[most:]
    shown = [(part.rule, part.value, part.interval) for part in ranked[:most]]
    if rest:
        shown.append((f"{len(rest)} others", sum(part.value for part in rest), None))
    steps, at = [], source
    for name, value, interval in shown:
        steps.append(_Step(name, at, value, interval))
        at += value
    return steps


def _is_nothing(part: AttributionPart, share: bool) -> bool:
    """Tell whether a part, and all of its interval, would be written as 0."""
    return all(direction(value, share=share) == "the same" for value in (part.value, *(part.interval or ())))


def _ends(step: _Step) -> tuple[float, ...]:
    return () if step.interval is None else tuple(step.start + end for end in step.interval)


def _title(found: Attribution, steps: Sequence[_Step], share: bool) -> str:
    if not steps:
        return "There is nothing to share out"
    unit, first = " points" if share else "", steps[0]
    most = f"{shorten(first.name, 24)}: {show_step(first.value, share=share)}{unit}"
    if len(steps) == 1:
        return f"All of it comes from {most}"
    return f"Most comes from {most}; all together {show_step(found.total, share=share)}"


def _words(step: _Step, share: bool) -> str:
    written = show_step(step.value, share=share)
    if step.interval is not None:
        written += " ({} to {})".format(*(show_step(end, share=share) for end in step.interval))
    return f"<b>{safe(shorten(step.name, 60))}</b>: {written}{' points' if share else ''}"
