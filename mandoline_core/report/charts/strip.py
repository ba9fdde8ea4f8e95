"""The estimate strip: source, estimate and truth on one axis."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.checks import ModelReport
from mandoline_core.formatting import direction, show_difference, show_ends, show_interval, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, value_axis, value_range
from mandoline_core.report.charts.template import SOURCE, TRUTH, finish, palette

SPREAD = "with other slices"


class Mark(NamedTuple):
    """Hold one line of the strip."""

    name: str
    value: float
    interval: Interval | None
    symbol: str
    colour: str


def estimate_strip(
    report: ModelReport, *, reveal: bool, spread: Interval | None = None, dark: bool = False
) -> go.Figure:
    """Show the score on the source, the estimate on the target and, when revealed, the truth on one axis.

    Parameters
    ----------
    spread : pair of floats, optional
        How far the estimate reaches with other slices: a lighter band behind its interval.
    """
    share = is_share(report)
    marks = strip_marks(report, reveal=reveal, ink=palette(dark).muted if is_red(report) else palette(dark).ink)
    figure = Drawing()
    for place, mark in enumerate(marks):
        if spread is not None and mark.symbol == "diamond":
            figure.add_scatter(
                x=list(spread),
                y=[-place, -place],
                name=SPREAD,
                mode="lines",
                line={"color": mark.colour, "width": 12},
                opacity=0.25,
                hovertext=f"{SPREAD}: {show_ends(spread, share=share)}",
                hoverinfo="text",
            )
        low, high = mark.interval or (mark.value, mark.value)
        figure.add_scatter(
            x=[mark.value],
            y=[-place],
            name=mark.name,
            mode="markers",
            marker={"symbol": mark.symbol, "size": 13, "color": mark.colour, "line": {"width": 0}},
            error_x={
                "array": [high - mark.value],
                "arrayminus": [mark.value - low],
                "color": mark.colour,
                "thickness": 3,
                "width": 5,
                "visible": mark.interval is not None,
            },
            hovertext=f"{mark.name}: {written(mark, share)}",
            hoverinfo="text",
        )
    span = strip_span(marks, share, spread)
    figure.update_yaxes(
        tickvals=[-place for place in range(len(marks))],
        ticktext=[f"{mark.name}<br>{_weighed(mark, written(mark, share), report)}" for mark in marks],
        range=[0.6 - len(marks), 0.6],
        showgrid=True,
    )
    figure.update_xaxes(range=span, tickformat=TICK_FORMAT[share], nticks=5, showgrid=True)
    return finish(
        figure,
        title=strip_title(report, share, reveal),
        x=value_axis(report.metric, span, share),
        y="",
        height=46 * len(marks) + 50,
        dark=dark,
    )


def strip_marks(report: ModelReport, *, reveal: bool, ink: str) -> list[Mark]:
    """List the lines of the strip: the score on the source, the estimate, and the truth when revealed."""
    marks = [Mark("labelled data", report.source, report.source_interval, "circle", SOURCE)]
    if report.converged:
        marks.append(Mark("new data, estimated", report.estimate, report.interval, "diamond", ink))
    if reveal and report.truth is not None:
        marks.append(Mark("new data, truth", report.truth, None, "star", TRUTH))
    return marks


def strip_span(marks: list[Mark], share: bool, spread: Interval | None = None) -> list[float]:
    """Span all marks and their intervals."""
    ends = [end for mark in marks for end in (mark.interval or (mark.value, mark.value))]
    return value_range([*ends, *(spread or ())], share)


def written(mark: Mark, share: bool) -> str:
    """Write a line's value with its interval."""
    if mark.interval is None:
        return show_value(mark.value, share=share)
    return show_interval(mark.value, mark.interval, share=share)


def is_red(report: ModelReport) -> bool:
    """Tell whether the estimate is not to be trusted, and so not to be shown at full weight."""
    return report.verdict is not None and report.verdict.level == "red"


def _weighed(mark: Mark, said: str, report: ModelReport) -> str:
    """Write a number as heavily as it may be taken: an estimate that is not to be trusted is not in bold."""
    return said if mark.symbol == "diamond" and is_red(report) else f"<b>{said}</b>"


def strip_title(report: ModelReport, share: bool, reveal: bool) -> str:
    """Say what the strip shows."""
    if not report.converged:
        return "No estimate: the weights could not be fitted"
    if reveal and report.truth is not None:
        low, high = report.interval
        where = "inside" if low <= report.truth <= high else "outside"
        off = show_difference(report.estimate - report.truth, share=share)
        return f"The estimate is {off} from the truth, which lies {where} the interval"
    if is_red(report):
        return "What the method gives for the new data is not to be quoted"
    change = report.estimate - report.source
    way = direction(change, share=share)
    if way == "the same":
        return "The estimate for the new data is the same as the score on the labelled data"
    return (
        f"The estimate for the new data is {show_difference(change, share=share)} {way} than the labelled data's score"
    )
