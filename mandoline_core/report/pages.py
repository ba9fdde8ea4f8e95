"""Pages of figures, in one HTML file each, as the report is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

# A figure: its name, what it shows, what draws it for a dark page or a light one, and its numbers as a table.
FigureParts = tuple[str, str, "Callable[[bool], go.Figure]", Sequence[str], Sequence[Sequence[object]]]


def figure_page(
    name: str,
    kind: str,
    lead: str,
    sentences: Sequence[str],
    numbers: Mapping[str, Any],
    figures: Sequence[FigureParts],
) -> str:
    """Write figures with their tables as one HTML file that needs nothing else; every name in it is escaped.

    Parameters
    ----------
    kind : str
        What the page is, for its title.
    lead : str
        What it shows, under its heading.
    numbers : mapping
        Kept in the page as JSON.
    """
    from mandoline_core.report.html.figures import Figure
    from mandoline_core.report.html.page import render_figures

    return render_figures(name, kind, lead, sentences, numbers, [Figure(*figure) for figure in figures])
