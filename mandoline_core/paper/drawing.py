"""The figures of a reproduction, and a page that holds them."""

from __future__ import annotations

import html
from collections.abc import Iterable

import plotly.graph_objects as go
from plotly.io import to_html

from mandoline_core.formatting import say
from mandoline_core.paper.experiment import ERROR, VALUE, Figure, Row
from mandoline_core.paper.registry import get_experiment
from mandoline_core.paper.reproduction import Reproduction
from mandoline_core.paper.text import render
from mandoline_core.report.charts import Point, chart_config, experiment_dots, experiment_lines, is_number
from mandoline_core.report.words import PLAIN


def draw(found: Reproduction, figure: Figure, *, dark: bool = False) -> go.Figure:
    """Draw what a run found as one of its experiment's figures says, in plain words as all figures."""
    points = _points(figure, found.rows)
    title, x, y = (say(text, PLAIN) for text in (figure.title, figure.x_title, figure.y_title))
    if figure.kind == "dots":
        return experiment_dots(points, title=title, x=y, log=figure.log_y, dark=dark)
    return experiment_lines(
        points,
        title=title,
        x=x,
        y=y,
        paper=_points(figure, found.paper),
        log_x=figure.log_x,
        log_y=figure.log_y,
        dark=dark,
    )


def _points(figure: Figure, rows: Iterable[Row]) -> list[Point]:
    """Choose the rows that can be drawn."""
    chosen = [row for row in figure.rows(rows) if is_number(row[VALUE]) and row.get(figure.series) is not None]
    return [
        Point(str(row[figure.series]), row[figure.x], row[VALUE], row.get(ERROR))
        for row in chosen
        if row.get(figure.x) is not None and (figure.kind == "dots" or is_number(row[figure.x]))
    ]


def figures_page(found: Reproduction) -> str:
    """Write the figures, and the numbers as text, as one HTML file that needs no other."""
    experiment = get_experiment(found.name)
    drawn = "".join(
        to_html(
            draw(found, figure),
            include_plotlyjs=number == 0,
            full_html=False,
            config=chart_config(f"{found.name}-{number + 1}"),
        )
        for number, figure in enumerate(experiment.figures)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(found.title)}</title>"
        "<style>body{max-width:60rem;margin:2rem auto;padding:0 1rem;font-family:system-ui,sans-serif}"
        "pre{overflow-x:auto}</style></head><body>"
        f"<h1>{html.escape(found.title)}</h1>{drawn}<pre>{html.escape(render(found))}</pre></body></html>\n"
    )
