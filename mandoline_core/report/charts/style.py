"""One look for every figure: colours, escaping of users' text, and axes for a metric's values."""

from __future__ import annotations

import html
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SOURCE = "#0072B2"
TARGET = "#D55E00"
TRUTH = "#009E73"
# Plotly's name of a marker, and the character that looks like it. Shapes differ as well as colours: about one man in
# twelve is colour-blind.
CHARACTERS = {
    "circle": "●",
    "square": "■",
    "diamond": "◆",
    "triangle-up": "▲",
    "x": "✖",
    "cross": "✚",
    "star": "★",
    "triangle-down": "▼",
    "hexagon": "⬢",
    "pentagon": "⬟",
    "triangle-left": "◀",
    "circle-open": "○",
    "diamond-open": "◇",
    "dashes": "╍",
}
IMAGE_FORMATS = ("svg", "png")
ZOOMED = "axis does not start at 0"
TITLE_WIDTH = 44  # characters a line: what fits on a phone
AXIS_WIDTH = 36  # next to names on the left
WIDE_AXIS = 48
NAME_WIDTH = 18
HOVER_WIDTH = 60
_JOINERS = "\u200c\u200d"  # join characters and emoji


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
    """Hold the neutral colours of one theme; source, target and true value have the same in both."""

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


def clean(text: str) -> str:
    r"""Join text into one line and drop invisible characters.

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
    """Write a name nearly whole and escaped: for hovering, and where a dot or a bar is clicked.

    >>> mark("<i>")
    '&lt;i&gt;'
    """
    return label(text, HOVER_WIDTH)


def swatch(symbol: str, colour: str, text: str) -> str:
    """Write an entry of a key: a coloured character that looks like the marker, and its meaning.

    >>> swatch("circle", "red", "rows")
    '<span style="color:red">●</span> rows'
    """
    return f'<span style="color:{colour}">{CHARACTERS[symbol]}</span> {text}'


def wrap(text: str, width: int = TITLE_WIDTH) -> str:
    """Break a sentence into lines and escape it: Plotly cuts off what does not fit.

    >>> wrap("a < b, and so on", 8)
    'a &lt; b,<br>and so<br>on'
    """
    return "<br>".join(safe(line) for line in textwrap.wrap(clean(text), width))


def value_range(values: Sequence[float], share: bool) -> list[float]:
    """Span the values with some room; a share stays a share.

    >>> value_range([0.5, 0.75], share=True)
    [0.47, 0.78]
    """
    low, high = min(values), max(values)
    room = 0.12 * (high - low) or (0.02 if share else 0.05 * abs(high) or 1.0)
    # A marker at 0% or 100% needs some room to be seen whole.
    return [max(low - room, -0.01), min(high + room, 1.01)] if share else [low - room, high + room]


def axis_title(metric: str, span: Sequence[float], share: bool) -> str:
    """Name the axis of a metric, with a note if it does not start at 0.

    >>> axis_title("accuracy", (0.7, 0.9), share=True)
    'accuracy (share of rows; axis does not start at 0)'
    """
    whole = span[0] <= 0 and (not share or span[1] >= 1)
    unit = ["share of rows"] if share else []
    notes = unit + ([] if whole else [ZOOMED])
    return f"{metric} ({'; '.join(notes)})" if notes else metric
