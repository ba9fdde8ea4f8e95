"""What the sections of the page share: the parts, the model they are about, and its slices."""

from __future__ import annotations

from typing import NamedTuple

from mandoline_core.checks import ModelReport
from mandoline_core.formatting import file_stem
from mandoline_core.pipeline import SliceRow, is_share, slice_table
from mandoline_core.report.gathering import ReportParts
from mandoline_core.report.html.figures import Figure, place
from mandoline_core.report.markup import Html


class Section(NamedTuple):
    """Hold one section: its HTML, and the figures that are drawn in it."""

    body: Html
    figures: tuple[Figure, ...] = ()


class Ground(NamedTuple):
    """Hold what most sections need: the parts, the model they are about, and its slices."""

    parts: ReportParts
    first: ModelReport
    rows: tuple[SliceRow, ...]
    share: bool

    @classmethod
    def of(cls, parts: ReportParts) -> Ground:
        """Look the first model's slices up."""
        first = parts.report.first
        rows = slice_table(first.fit, confidence=first.settings.confidence)
        return cls(parts, first, rows, is_share(first))

    def put(self, figure: Figure) -> Html:
        """Write a figure's place."""
        return place(figure, file_stem(self.parts.report.name))
