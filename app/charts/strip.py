"""The estimate strip: source, estimate and truth on one axis."""

from __future__ import annotations

from typing import NamedTuple

import plotly.graph_objects as go

from app.charts.drawing import Drawing
from app.charts.scales import TICK_FORMAT, value_axis, value_range
from app.charts.template import SOURCE, TRUTH, finish, palette
from mandoline_core.arrays import Interval
from mandoline_core.estimating import ModelReport, is_share
from mandoline_core.formatting import direction, show_difference, show_interval, show_value


class _Mark(NamedTuple):
    """Hold one line of the strip."""

    name: str
    value: float
    interval: Interval | None
    symbol: str
    colour: str


def estimate_strip(report: ModelReport, *, reveal: bool, dark: bool = False, compact: bool = False) -> go.Figure:
    """Show the score on the source, the estimate on the target and, when revealed, the truth on one axis."""
    share = is_share(report)
    marks = [_Mark("labelled data", report.source, report.source_interval, "circle", SOURCE)]
    if report.converged:
        ink = palette(dark).ink
        marks.append(_Mark("new data, estimated", report.estimate, report.interval, "diamond", ink))
    if reveal and report.truth is not None:
        marks.append(_Mark("new data, truth", report.truth, None, "star", TRUTH))
    figure = Drawing()
    for place, mark in enumerate(marks):
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
            hovertext=f"{mark.name}: {_written(mark, share)}",
            hoverinfo="text",
        )
    ends = [end for mark in marks for end in (mark.interval or (mark.value, mark.value))]
    span = value_range(ends, share)
    figure.update_yaxes(
        tickvals=[-place for place in range(len(marks))],
        ticktext=[f"{mark.name}<br><b>{_written(mark, share)}</b>" for mark in marks],
        range=[0.6 - len(marks), 0.6],
        showgrid=True,
    )
    figure.update_xaxes(range=span, tickformat=TICK_FORMAT[share], nticks=5, showgrid=True)
    return finish(
        figure,
        title=_strip_title(report, share, reveal),
        x=value_axis(report.metric, span, share),
        y="",
        height=(38 if compact else 46) * len(marks) + 50,
        dark=dark,
        compact=compact,
    )


def _written(mark: _Mark, share: bool) -> str:
    if mark.interval is None:
        return show_value(mark.value, share=share)
    return show_interval(mark.value, mark.interval, share=share)


def _strip_title(report: ModelReport, share: bool, reveal: bool) -> str:
    if not report.converged:
        return "No estimate: the weights could not be fitted"
    if reveal and report.truth is not None:
        low, high = report.interval
        where = "inside" if low <= report.truth <= high else "outside"
        off = show_difference(report.estimate - report.truth, share=share)
        return f"The estimate is {off} from the truth, which lies {where} the interval"
    change = report.estimate - report.source
    way = direction(change, share=share)
    if way == "the same":
        return "The estimate for the new data is the same as the score on the labelled data"
    return (
        f"The estimate for the new data is {show_difference(change, share=share)} {way} than the labelled data's score"
    )
