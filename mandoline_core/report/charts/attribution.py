"""From the labelled data's score to the estimate, one slice after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.formatting import direction, show_points, show_value
from mandoline_core.pipeline import Attribution, AttributionPart
from mandoline_core.report.charts.drawing import Drawing, error_bars
from mandoline_core.report.charts.style import SOURCE, axis_title, label, mark, shorten, value_range

MOST_PARTS = 12
_ROW = 44


class _Step(NamedTuple):
    """Hold one step on the way: where it starts and by how much it moves."""

    name: str
    start: float
    value: float
    interval: Interval | None


def waterfall(attribution: Attribution, source: float, *, metric: str, share: bool, dark: bool = False) -> go.Figure:
    """Show how each slice moves the score, largest part first, from the labelled data to the estimate.

    Parameters
    ----------
    source : float
        The score on the labelled data.
    """
    figure, steps = Drawing(dark), _steps(attribution.parts, source, share)
    ink, unit, estimate = figure.colours.ink, " points" if share else "", source + attribution.total
    first, *heights, last = figure.rows(
        [
            f"labelled data<br><b>{show_value(source, share=share)}</b>",
            *(f"{label(s.name)}<br><b>{show_points(s.value, share=share, unit=False)}{unit}</b>" for s in steps),
            f"estimate<br><b>{show_value(estimate, share=share)}</b>",
        ]
    )
    figure.bars(
        [step.value for step in steps],
        heights,
        "parts",
        colour=figure.colours.muted,
        base=[step.start for step in steps],
        width=0.55,
        marker={"opacity": 0.6},  # so that the lines on the bars show in both themes
        hover=[_words(step, share) for step in steps],
    )
    figure.points(
        [step.start + step.value for step in steps],
        heights,
        "where it leads",
        symbol=["triangle-left" if step.value < 0 else "triangle-right" for step in steps],
        colour=ink,
        error_x=error_bars([s.value for s in steps], [s.interval for s in steps], ink, thickness=2, width=4),
    )
    for name, value, y, symbol, colour in (
        ("labelled data", source, first, "circle", SOURCE),
        ("estimate", estimate, last, "diamond", ink),
    ):
        said = f"{name}: {show_value(value, share=share)}"
        figure.points([value], [y], name, symbol=symbol, size=13, colour=colour, hover=said)
    ends = [s.start + value for s in steps for value in (0.0, s.value, *(s.interval or ()))]
    span = value_range([source, estimate, *ends], share)
    figure.value_axis("x", span, share=share)
    return figure.finish(
        title=_title(attribution, steps, share),
        x=f"{axis_title(metric, span, share)}; thin lines: intervals of the parts",
        height=_ROW * (len(steps) + 2) + 50,
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


def _title(attribution: Attribution, steps: Sequence[_Step], share: bool) -> str:
    if not steps:
        return "There is nothing to share out"
    unit, first = " points" if share else "", steps[0]
    most = f"{shorten(first.name, 24)}: {show_points(first.value, share=share, unit=False)}{unit}"
    if len(steps) == 1:
        return f"All of it comes from {most}"
    return f"Most comes from {most}; all together {show_points(attribution.total, share=share, unit=False)}"


def _words(step: _Step, share: bool) -> str:
    written = show_points(step.value, share=share, unit=False)
    if step.interval is not None:
        written += " ({} to {})".format(*(show_points(end, share=share, unit=False) for end in step.interval))
    return f"<b>{mark(step.name)}</b>: {written}{' points' if share else ''}"
