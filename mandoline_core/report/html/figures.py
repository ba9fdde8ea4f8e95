"""Figures of the page: what Plotly draws, packed for the browser, and a table with the numbers in its place."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import plotly.graph_objects as go

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import file_stem
from mandoline_core.pipeline import SliceRow, is_share, slice_table
from mandoline_core.report.gathering import ReportParts
from mandoline_core.report.markup import Html, table, tag


class PageFigure(NamedTuple):
    """Hold one figure.

    Parameters
    ----------
    name : str
        Its place on the page, and the end of its file's name when it is saved.
    alt : str
        What it shows, for who cannot see it.
    draw : callable
        Draws it, for a dark page or a light one.
    head, rows : sequence
        The numbers it shows, as a table.
    """

    name: str
    alt: str
    draw: Callable[[bool], go.Figure]
    head: Sequence[str]
    rows: Sequence[Sequence[object]]


class ReportPage:
    """What most sections of the report need: its parts, the model they are about, its slices; and figures so far."""

    def __init__(self, parts: ReportParts) -> None:
        self.parts, self.report = parts, parts.report
        self.first: ModelReport = parts.report.first
        self.rows: tuple[SliceRow, ...] = slice_table(self.first.fit, confidence=self.first.settings.confidence)
        self.share = is_share(self.first)
        self.figures: list[PageFigure] = []

    def put(self, figure: PageFigure) -> Html:
        """Write a figure's place, and keep the figure for the end of the page."""
        self.figures.append(figure)
        return render_figure(figure, file_stem(self.report.name))


def render_figure(figure: PageFigure, stem: str) -> Html:
    """Write a figure's place: the table is open until the figure is drawn, and stays within reach."""
    return tag(
        "figure",
        tag("div", class_="plot", role="img", aria_label=figure.alt),
        tag(
            "details",
            tag("summary", f"The numbers: {figure.alt}"),
            table(figure.alt, figure.head, figure.rows),
            open="",
        ),
        data_figure=figure.name,
        data_file=f"{stem}-{figure.name}",
    )


def packed(figures: Sequence[PageFigure]) -> str:
    """Draw all figures for light and for dark pages, and compress them."""
    drawn = {
        figure.name: {look: _plain(figure.draw(look == "dark")) for look in ("light", "dark")} for figure in figures
    }
    return compress(json.dumps(drawn, separators=(",", ":"), allow_nan=False))


def _plain(figure: go.Figure) -> object:
    return json.loads(figure.to_json())  # it has no number that JSON lacks


@lru_cache(maxsize=1)
def plotly_script() -> tuple[str, str]:
    """Return Plotly's own script, and the same compressed."""
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")
    return script, compress(script)


def compress(text: str) -> str:
    """Compress text so that it may stand in a page; the same text gives the same characters on every day.

    >>> compress("a" * 1000)[:6], len(compress("a" * 1000)) < 60
    ('H4sIAA', True)
    """
    # Without a time of making, so that the same report is the same file.
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")
