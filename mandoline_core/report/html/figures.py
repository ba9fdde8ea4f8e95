"""Figures of the page: compressed for Plotly in the browser, with a table of the numbers."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import file_stem
from mandoline_core.pipeline import SliceRow, is_share, slice_table
from mandoline_core.report.gathering import ReportParts
from mandoline_core.report.markup import Html, table, tag

if TYPE_CHECKING:
    import plotly.graph_objects as go


class PageFigure(NamedTuple):
    """Hold one figure.

    Parameters
    ----------
    name : str
        Its place on the page, and the end of its file's name when it is saved.
    alt : str
        What it shows, for screen readers.
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
    """Hold what most sections need: the parts, the first model, its slices, and the figures so far."""

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
    """Write a figure's place; its table is open until the figure is drawn."""
    return tag(
        "figure",
        tag("div", class_="plot", role="img", aria_label=figure.alt),
        tag(
            "details",
            tag("summary", f"Table: {figure.alt}"),
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
    """Compress text for a page; the same text always gives the same characters.

    >>> compress("a" * 1000)[:6], len(compress("a" * 1000)) < 60
    ('H4sIAA', True)
    """
    # Without a time stamp, so that the same report is the same file.
    return base64.b64encode(gzip.compress(text.encode(), compresslevel=9, mtime=0)).decode("ascii")
