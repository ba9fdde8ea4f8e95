"""A chart is a function; a section that shows it is a function and a line in the list of the report's page."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest

import mandoline_core as md
from mandoline_core.report.charts.drawing import Drawing
from mandoline_core.report.html import page
from mandoline_core.report.html.figures import PageFigure, ReportPage
from mandoline_core.report.markup import Html, section
from tests.core.report.charts.test_charts import REVIEWS
from tests.core.report.test_html_report import Page


def shift_line(source: float, target: float, *, dark: bool = False) -> go.Figure:
    """Draw how the score moves."""
    figure = Drawing(dark)
    figure.line([0, 1], [source, target], "score", colour=figure.colours.ink)
    return figure.finish(title="From here to there", x="sample", y="score", height=300)


def shift(view: ReportPage) -> Html:
    """Show it, with its numbers."""
    ends = view.first.source, view.first.estimate
    return section(
        "shift",
        "The way of the score",
        view.put(PageFigure("shift", "The score moves", lambda dark: shift_line(*ends, dark=dark), ("a", "b"), [ends])),
    )


def test_a_line_in_the_list_puts_it_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figure for both themes, a table in its place, and a name to save it by."""
    monkeypatch.setattr(page, "SECTIONS", (*page.SECTIONS, shift))
    report = md.estimate(md.load_project(REVIEWS))
    written = Page(report.to_html())
    assert written.figures["shift"]["light"]["data"][0]["y"] == [report.source, report.estimate]
    assert "The way of the score" in written.text
    assert "Table: The score moves" in written.text
