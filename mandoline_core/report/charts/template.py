"""One look for every figure: colours, the Plotly template, titles, and user text made safe to show."""

from __future__ import annotations

import html
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from mandoline_core.report.charts.drawing import Drawing

SOURCE = "#0072B2"
TARGET = "#D55E00"
TRUTH = "#009E73"
IMAGE_FORMATS = ("svg", "png")
TITLE_WIDTH = 44  # characters a line: what fits on a phone
AXIS_WIDTH = 36  # beside names on the left
WIDE_AXIS = 48
NAME_WIDTH = 18
_MARK = 60
_TITLE_SIZE = 15
_LINE = 20  # pixels
_CLEAR = "rgba(0,0,0,0)"
_JOINERS = "\u200c\u200d"  # hold letters and emoji together


def chart_config(filename: str, image: str = IMAGE_FORMATS[0], tools: Sequence[str] = ()) -> dict[str, Any]:
    """Choose what hovering over a figure offers: a button that saves it, and tools to select with.

    Parameters
    ----------
    filename : str
        Of the saved figure, without its ending.
    image : {"svg", "png"}
        Its format. Plotly's button knows one at a time.
    tools : sequence of str
        Plotly's names of further buttons, such as "lasso2d".

    Examples
    --------
    >>> chart_config("reviews-curve")["toImageButtonOptions"]["filename"]
    'reviews-curve'
    """
    return {
        "displaylogo": False,
        "modeBarButtons": [[*tools, "toImage"]],
        "toImageButtonOptions": {"format": image, "filename": filename, "scale": 2},
        "scrollZoom": False,
        "responsive": True,
    }


@dataclass(frozen=True)
class Palette:
    """Hold the neutral colours of one theme; source, target and truth are the same in both."""

    name: str
    ink: str
    muted: str
    grid: str
    band: str
    paper: str


LIGHT = Palette("mandoline", "#22262B", "#6B7280", "#E3E5E8", "rgba(34,38,43,0.15)", "#FFFFFF")
DARK = Palette("mandoline_dark", "#E8E6E3", "#9AA0A6", "#3A3F45", "rgba(232,230,227,0.20)", "#14171C")


def palette(dark: bool) -> Palette:
    """Choose the neutral colours.

    >>> palette(False).ink
    '#22262B'
    """
    return DARK if dark else LIGHT


def _template(colours: Palette) -> go.layout.Template:
    axis = {
        "gridcolor": colours.grid,
        "zerolinecolor": colours.muted,
        "linecolor": colours.muted,
        "tickcolor": colours.grid,
        "zeroline": False,
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            # Not clear: text stays readable when the page changes its theme before the figure does, and when saved.
            "paper_bgcolor": colours.paper,
            "plot_bgcolor": _CLEAR,
            "font": {"color": colours.ink, "family": "Source Sans, system-ui, sans-serif", "size": 12},
            "title": {"font": {"color": colours.ink, "weight": 600}},
            "hoverlabel": {"align": "left", "bgcolor": colours.paper, "font": {"color": colours.ink}},
            "xaxis": axis,
            "yaxis": axis,
        }
    )


_TEMPLATES = {colours.name: _template(colours) for colours in (LIGHT, DARK)}


def clean(text: str) -> str:
    r"""Put text on one line and drop the characters that nobody can see.

    >>> clean("two\nlines\u202e")
    'two lines'
    """
    kept = (c if c.isprintable() or c in _JOINERS else " " if c.isspace() else "" for c in text)
    return " ".join("".join(kept).split()) or "(no name)"


def shorten(text: str, width: int = NAME_WIDTH) -> str:
    """Cut text to a width in characters, of which wide ones take two.

    >>> shorten("a name that goes on and on", 12)
    'a name that…'
    """
    text = clean(text)
    used = 0
    for i, character in enumerate(text):
        used += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used > width:
            # The last character that fits gives its place to the ellipsis.
            return text[: max(i - 1, 1)].rstrip() + "…"
    return text


def safe(text: str) -> str:
    """Escape text for Plotly, which reads some HTML, TeX between dollars, and %{...} in templates.

    Plotly knows few named entities, and quotes need none.

    >>> safe("<b>a & b</b> $x$")
    '&lt;b&gt;a &amp; b&lt;/b&gt; &#36;x&#36;'
    """
    return html.escape(clean(text), quote=False).replace("$", "&#36;").replace("%{", "&#37;{")


def label(text: str, width: int = NAME_WIDTH) -> str:
    """Shorten and escape a name, for an axis.

    >>> label("<i>")
    '&lt;i&gt;'
    """
    return safe(shorten(text, width))


def mark(text: str) -> str:
    """Write the name that a dot or a bar goes by where it is clicked.

    >>> mark("<i>")
    '&lt;i&gt;'
    """
    return label(text, _MARK)


def wrap(text: str, width: int = TITLE_WIDTH) -> str:
    """Break a sentence into lines and escape it: Plotly cuts off what does not fit.

    >>> wrap("a < b, and so on", 8)
    'a &lt; b,<br>and so<br>on'
    """
    return "<br>".join(safe(line) for line in textwrap.wrap(clean(text), width))


def finish(
    figure: Drawing,
    *,
    title: str,
    x: str,
    y: str,
    height: int,
    dark: bool,
    head: int = 0,
    axis_width: int = AXIS_WIDTH,
) -> go.Figure:
    """Give a figure its title, axis titles, size and template.

    Parameters
    ----------
    title, x, y : str
        Plain text; escaped here.
    height : int
        Of the plot, in pixels; the title comes on top.
    head : int
        Pixels to leave free between the title and the plot.
    axis_width : int
        Characters a line in the axis titles.
    """
    lines = wrap(title)
    n_lines = lines.count("<br>") + 1
    top = _LINE * n_lines + 16 + head
    figure.update_layout(
        template=_TEMPLATES[palette(dark).name],
        title={
            "text": lines,
            "font": {"size": _TITLE_SIZE},
            "x": 0,
            "xanchor": "left",
            "xref": "container",
            "y": 1,
            "yanchor": "top",
            "yref": "container",
            # Plotly lowers a title of one line by its cap height, but not one of several.
            "pad": {"t": 5 + (0.7 * _TITLE_SIZE if n_lines > 1 else 0), "l": 2},
        },
        height=height + top,
        margin={"l": 8, "r": 14, "t": top, "b": 8, "pad": 2},
        showlegend=False,
        dragmode=False,  # a finger on the figure scrolls the page
        hovermode="closest",
        bargap=0.25,
    )
    for axes, text in ((figure.update_xaxes, x), (figure.update_yaxes, y)):
        axes(
            title={"text": wrap(text, axis_width) if text else "", "font": {"size": 12}, "standoff": 8},
            fixedrange=True,
            automargin=True,
        )
    return figure.figure()
