"""What slides are drawn on: a stage of fixed size, text that is fitted into its place, and marks.

A browser breaks no lines in SVG, so text is measured here, by the widths of the one typeface that slides are set in.
Ink is the colour of the text around the slide, so that it follows a dark page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mandoline_core.report.charts import SOURCE, TARGET, TRUTH
from mandoline_core.report.charts.style import clean
from mandoline_core.report.markup import Html, tag

WIDTH, HEIGHT = 1600, 900
LEFT, RIGHT = 80, 1520
TYPEFACE = "'Source Sans', 'Source Sans 3', 'Source Sans Pro', system-ui, sans-serif"
INK, QUIET, FAINT = 1.0, 0.72, 0.22  # strengths of the ink
COLOURS = {"source": SOURCE, "target": TARGET, "truth": TRUTH}
LEVELS = {
    "confirmed": "#1B7A43",
    "green": "#1B7A43",
    "amber": "#8F5600",
    "red": "#B3261E",
}  # white text is legible on it
SMALLEST = 22  # of type: legible from the back of a room
_LINE = 1.24  # times the size of the type
_BOLD = 1.06  # times the width of regular type
_ROOM = 1.03  # for a typeface that is a little wider
# Thousandths of the size of the type, for the characters from the space on: Source Sans.
_WIDTHS = (
    (200, 289, 426, 497, 497, 824, 609, 249, 303, 303, 418, 497, 249, 311, 249, 350)
    + (497,) * 10
    + (249, 249, 497, 497, 497, 425, 847, 543, 588, 571, 615, 527, 494, 617, 652, 263, 479, 579, 486, 727, 647, 664)
    + (566, 664, 569, 534, 536, 645, 515, 786, 513, 476, 539, 303, 350, 303, 497, 500, 542, 504, 553, 456, 555, 496)
    + (292, 504, 544, 246, 247, 495, 255, 829, 547, 542, 555, 555, 347, 419, 338, 544, 467, 719, 446, 467, 425, 303)
    + (241, 303, 497)
)
_OTHER, _WIDE = 680, 1040  # other letters, and those of East Asia and pictures


def width_of(words: str, size: float, *, bold: bool = False) -> float:
    """Measure a line of text.

    >>> round(width_of("slices", 100)), round(width_of("切片", 100))
    (236, 214)
    """
    units = 0
    for character in words:
        place = ord(character) - 32
        if 0 <= place < len(_WIDTHS):
            units += _WIDTHS[place]
        elif not unicodedata.combining(character):
            wide = unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF
            units += _WIDE if wide else _OTHER
    return units / 1000 * size * (_BOLD if bold else 1.0) * _ROOM


def lines_of(words: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Break text into lines; a word that is longer than a line is broken, too.

    >>> lines_of("one two three", 70, 20)
    ['one two', 'three']
    """
    lines, line = list[str](), ""
    for word in clean(words).split(" "):
        tried = f"{line} {word}" if line else word
        if width_of(tried, size, bold=bold) <= width:
            line = tried
            continue
        if line:
            lines.append(line)
        *whole, line = _broken(word, width, size, bold=bold)
        lines += whole
    return [*lines, line]


def _broken(word: str, width: float, size: float, *, bold: bool) -> list[str]:
    """Break a word that is longer than a line."""
    parts = [""]
    for character in word:
        if parts[-1] and width_of(parts[-1] + character, size, bold=bold) > width:
            parts.append("")
        parts[-1] += character
    return parts


def cut(words: str, width: float, size: float, *, bold: bool = False) -> str:
    """Cut a text to one line.

    >>> cut("a name that goes on and on", 100, 20)
    'a name th…'
    """
    words = clean(words)
    if width_of(words, size, bold=bold) <= width:
        return words
    n = next((n for n in range(len(words) - 1, 0, -1) if width_of(f"{words[:n]}…", size, bold=bold) <= width), 1)
    return f"{words[:n].rstrip()}…"


@dataclass(frozen=True)
class Fitted:
    """Hold text that was broken to fit, and the size of its type."""

    lines: tuple[str, ...]
    size: int

    @property
    def height(self) -> float:
        """How high the lines are together."""
        return len(self.lines) * self.size * _LINE


def fit(words: str, width: float, height: float, sizes: Sequence[int], *, bold: bool = False) -> Fitted:
    """Set text in the largest type that fits; what does not fit in the smallest is cut.

    >>> fit("one two three", 130, 30, (40, 20)).size
    20
    """
    found: list[str] = []
    for size in sizes:
        found = lines_of(words, width, size, bold=bold)
        if len(found) * size * _LINE <= height:
            return Fitted(tuple(found), size)
    most = max(int(height / (sizes[-1] * _LINE)), 1)
    last = cut(" ".join(found[most - 1 :]), width - sizes[-1], sizes[-1], bold=bold)
    last = last if last.endswith("…") or len(found) <= most else f"{last}…"
    return Fitted((*found[: most - 1], last), sizes[-1])


def text(x: float, y: float, words: object, size: int, *, bold: bool = False, ink: float = INK, **more: object) -> Html:
    """Write a line; its baseline is at y."""
    look = {"fill": "currentColor", "fill_opacity": None if ink == INK else ink, "font_weight": 650 if bold else None}
    return tag("text", words, x=f"{x:.1f}", y=f"{y:.1f}", font_size=size, **{**look, **more})


def written(x: float, y: float, fitted: Fitted, *, bold: bool = False, ink: float = INK, **more: object) -> list[Html]:
    """Write lines from a top edge down."""
    step = fitted.size * _LINE
    first = y + fitted.size * 0.95
    return [
        text(x, first + step * i, line, fitted.size, bold=bold, ink=ink, **more) for i, line in enumerate(fitted.lines)
    ]


def line(x: tuple[float, float], y: tuple[float, float], width: float = 2, ink: float = FAINT, **more: object) -> Html:
    """Draw a line."""
    ends = {f"{axis}{i}": f"{end:.1f}" for axis, pair in (("x", x), ("y", y)) for i, end in enumerate(pair, start=1)}
    return tag("line", **ends, **{"stroke": "currentColor", "stroke_opacity": ink, "stroke_width": width, **more})


def box(x: float, y: float, width: float, height: float, **look: object) -> Html:
    """Draw a rectangle."""
    place = {"x": x, "y": y, "width": max(width, 0.0), "height": max(height, 0.0)}
    fill = {} if "fill" in look else {"fill": "currentColor"}
    return tag("rect", **{key: f"{value:.1f}" for key, value in place.items()}, **fill, **look)


_SHAPES = {
    "circle": "M-13 0a13 13 0 1 0 26 0a13 13 0 1 0-26 0z",
    "diamond": "M0-17L17 0L0 17L-17 0z",
    "diamond-open": "M0-17L17 0L0 17L-17 0zM0-10L-10 0L0 10L10 0z",
    "star": "M0-18L4.5-6.3L17-5.4L7.2 2.7L10.8 15.3L0 8.1L-10.8 15.3L-7.2 2.7L-17-5.4L-4.5-6.3z",
    "left": "M-13 0L6-12L6 12z",
    "right": "M13 0L-6-12L-6 12z",
}


def mark(shape: str, x: float, y: float, **look: object) -> Html:
    """Draw a mark."""
    fill = {} if "fill" in look else {"fill": "currentColor"}
    return tag("path", d=_SHAPES[shape], transform=f"translate({x:.1f} {y:.1f})", **fill, **look)


def badge(words: str, level: str, right: float, top: float) -> list[Html]:
    """Write a verdict in words on its colour, right-aligned."""
    size, height = 28, 50
    width = width_of(words, size, bold=True) + 44
    left = right - width
    return [
        box(left, top, width, height, fill=LEVELS.get(level, "#5F6670"), rx=height / 2),
        text(left + width / 2, top + 35, words, size, bold=True, text_anchor="middle", fill="#FFFFFF"),
    ]
