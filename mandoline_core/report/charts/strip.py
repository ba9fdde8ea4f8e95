"""Values with intervals under each other on one axis: the labelled data, the estimate, the true value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.arrays import Interval
from mandoline_core.checks import ModelReport
from mandoline_core.formatting import show_ends, show_interval, show_value
from mandoline_core.pipeline import is_share
from mandoline_core.report.charts.drawing import Drawing, error_bars
from mandoline_core.report.charts.style import SOURCE, TRUTH, axis_title, palette, safe, value_range
from mandoline_core.report.words import facts

SAMPLING = "sampling error alone"


class IntervalRow(NamedTuple):
    """Hold one line: what it is, its value and interval, and how it is marked.

    Parameters
    ----------
    bold : bool
        Whether its number is written in bold: one that must not be quoted is not.
    inner : pair of floats, optional
        The interval for sampling error alone: a broad band on the whole one.
    """

    name: str
    value: float
    interval: Interval | None
    symbol: str
    colour: str
    bold: bool = True
    inner: Interval | None = None

    def number(self, share: bool) -> str:
        """Write the value with its interval."""
        if self.interval is None:
            return show_value(self.value, share=share)
        return show_interval(self.value, self.interval, share=share)


def interval_rows(
    rows: Sequence[IntervalRow], *, title: str, metric: str, share: bool, dark: bool = False
) -> go.Figure:
    """Show values with their intervals under each other, each with its name and number.

    Parameters
    ----------
    title, metric : str
        Plain text.
    share : bool
        Whether values are percentages.
    """
    figure, span = Drawing(dark), rows_span(rows, share)
    numbers = [f"<b>{row.number(share)}</b>" if row.bold else row.number(share) for row in rows]
    heights = figure.rows(
        [f"{safe(row.name)}<br>{number}" for row, number in zip(rows, numbers, strict=True)], grid=True
    )
    for row, y in zip(rows, heights, strict=True):
        if row.inner is not None:
            hover = f"{SAMPLING}: {show_ends(row.inner, share=share)}"
            figure.line(row.inner, [y, y], SAMPLING, colour=row.colour, width=12, opacity=0.25, hover=hover)
        figure.points(
            [row.value],
            [y],
            row.name,
            symbol=row.symbol,
            size=13,
            colour=row.colour,
            error_x=error_bars([row.value], [row.interval], row.colour, visible=row.interval is not None),
            hover=f"{safe(row.name)}: {row.number(share)}",
        )
    figure.value_axis("x", span, share=share)
    return figure.finish(title=title, x=axis_title(metric, span, share), height=46 * len(rows) + 50)


def rows_span(rows: Sequence[IntervalRow], share: bool) -> list[float]:
    """Span all values and their intervals."""
    return value_range([end for row in rows for end in (row.value, *(row.interval or ()))], share)


def estimate_strip(report: ModelReport, *, reveal: bool, dark: bool = False) -> go.Figure:
    """Show the score on the source, the estimate and, if revealed, the true value on one axis."""
    share, colours = is_share(report), palette(dark)
    rows = strip_rows(report, reveal=reveal, ink=colours.muted if report.is_red else colours.ink)
    return interval_rows(rows, title=strip_title(report), metric=report.metric, share=share, dark=dark)


def strip_rows(report: ModelReport, *, reveal: bool, ink: str) -> list[IntervalRow]:
    """List the lines of the strip: the score on the source, the estimate, and the true value if revealed."""
    rows = [IntervalRow(facts.LABELLED, report.source, report.source_interval, "circle", SOURCE)]
    if report.converged:
        value, ends, inner = report.estimate, report.interval, report.sampling_interval
        rows.append(IntervalRow(facts.ESTIMATE, value, ends, "diamond", ink, not report.is_red, inner))
    if report.without is not None and report.rests_on_labels:
        rows.append(IntervalRow(facts.WITHOUT, report.without.estimate, report.without.interval, "diamond-open", ink))
    if reveal and report.truth is not None:
        rows.append(IntervalRow(facts.TRUE_VALUE, report.truth, None, "star", TRUTH))
    return rows


def strip_title(report: ModelReport) -> str:
    """Say what the strip shows."""
    if report.verdict is not None and report.verdict.contradicted:
        return "Labels of new rows contradict the estimate without them"
    if report.is_red and report.converged:
        return "Do not quote this estimate yet"
    return facts.change(report)
