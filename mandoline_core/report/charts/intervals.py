"""Values with intervals under each other on one axis, each with its name and number beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.formatting import show_interval
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.charts.scales import TICK_FORMAT, value_axis, value_range
from mandoline_core.report.charts.template import finish, safe


class IntervalRow(NamedTuple):
    """Hold one line: what it is, its value and interval, and how it is marked."""

    name: str
    value: float
    interval: Interval
    symbol: str
    colour: str


def interval_rows(
    rows: Sequence[IntervalRow], *, title: str, metric: str, share: bool, dark: bool = False
) -> go.Figure:
    """Show values with their intervals under each other.

    Parameters
    ----------
    title, metric : str
        Plain text.
    share : bool
        Whether values are percentages.
    """
    figure = Drawing()
    for place, row in enumerate(rows):
        low, high = row.interval
        written = show_interval(row.value, row.interval, share=share)
        figure.add_scatter(
            x=[row.value],
            y=[-place],
            name=row.name,
            mode="markers",
            cliponaxis=False,
            marker={"symbol": row.symbol, "size": 13, "color": row.colour},
            error_x={
                "array": [high - row.value],
                "arrayminus": [row.value - low],
                "color": row.colour,
                "thickness": 3,
                "width": 5,
            },
            hovertext=f"{safe(row.name)}: {written}",
            hoverinfo="text",
        )
    span = value_range([end for row in rows for end in (row.value, *row.interval)], share)
    figure.update_yaxes(
        tickvals=[-place for place in range(len(rows))],
        ticktext=[f"{safe(row.name)}<br><b>{show_interval(row.value, row.interval, share=share)}</b>" for row in rows],
        range=[0.6 - len(rows), 0.6],
        showgrid=True,
    )
    figure.update_xaxes(range=span, tickformat=TICK_FORMAT[share], nticks=5, showgrid=True)
    return finish(figure, title=title, x=value_axis(metric, span, share), y="", height=46 * len(rows) + 50, dark=dark)
