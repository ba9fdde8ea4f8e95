"""A small picture in the making: plain HTML, for what follows every move of a slider.

A browser draws it twenty times faster than an interactive figure. Ink and lines take the colour of the text around
them, so that it follows a dark page by itself; marks move with the width, and type keeps its size. It holds no SVG,
which pages that clean HTML take out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from mandoline_core.report.charts.template import clean

INK, MUTED, FAINT = "currentColor", 0.75, 0.16  # a colour, and two strengths of it
_WIDEST = 480  # pixels
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SHIFTS = {"start": "0", "middle": "-50%", "end": "-100%"}
_STAR = (
    "polygon(50% 0,61% 35%,98% 35%,68% 57%,79% 91%,50% 70%,21% 91%,32% 57%,2% 35%,39% 35%)"  # five points, from the top
)
_SHAPES = {"circle": "border-radius:50%", "diamond": "rotate:45deg", "star": f"clip-path:{_STAR};scale:1.6"}

Points = Sequence[tuple[float, float]]


class Picture:
    """Collect marks: across in shares of the width, down in pixels; what hovering over a mark says is plain text.

    Parameters
    ----------
    height : float
        Of the plot.
    left, right, below : float
        Room for labels around it.

    Examples
    --------
    >>> picture = Picture(50)
    >>> picture.box(0, 0.5, 10, 20, colour="red", said="<3> rows")
    >>> picture.finish("So it is", alt="A bar", x="rows").count("&lt;3&gt; rows")
    1
    """

    def __init__(self, height: float, *, left: float = 8, right: float = 8, below: float = 18) -> None:
        self.height = height
        self._margins = f"0 {right:g}px {below:g}px {left:g}px"
        self._parts: list[str] = []

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        bold: bool = False,
        turned: float = 0,
        shift: float = 0,
        said: str = "",
    ) -> None:
        """Write something at a height, beside a place: so many pixels to its right, or turned and ending there."""
        place = f"left:calc({_share(x)} + {shift:g}px);top:{y:.1f}px;white-space:nowrap"
        move = f"translate({_SHIFTS[anchor]},-50%)"
        if turned:
            move, place = f"{move} rotate({turned:g}deg)", f"{place};transform-origin:100% 50%"
        weight = ";font-weight:600" if bold else ""
        self._add(f"{place};transform:{move}{weight}", said, escape(clean(words)))

    def box(
        self, x: float, width: float, y: float, height: float, *, colour: str = INK, strength: float = 1, said: str = ""
    ) -> None:
        """Fill a rectangle, from its left and upper edge on; without width, it is a line of its own."""
        size = f"width:{_share(width)}" if width else "width:1px"
        place = f"left:{_share(x)};top:{y:.1f}px;{size};height:{height:.1f}px"
        self._add(f"{place};background:{colour};opacity:{strength:g}", said)

    def dashes(
        self, x: float, y: float, *, width: float = 0, height: float = 0, colour: str = INK, said: str = ""
    ) -> None:
        """Draw a dashed line, across or down."""
        side = f"border-top:2px dashed {colour};width:{_share(width)}" if width else f"border-left:2px dotted {colour}"
        self._add(f"left:{_share(x)};top:{y:.1f}px;height:{height:.1f}px;{side}", said)

    def area(self, points: Points, *, colour: str = INK, strength: float = 1) -> None:
        """Fill what lies between points."""
        corners = ",".join(f"{_share(x)} {y:.1f}px" for x, y in points)
        self._add(f"inset:0;background:{colour};opacity:{strength:g};clip-path:polygon({corners});pointer-events:none")

    def line(self, points: Points, *, colour: str = INK) -> None:
        """Draw a line through points."""
        above, below = ([(x, y + side) for x, y in points] for side in (-1.2, 1.2))
        self.area([*above, *reversed(below)], colour=colour)

    def dot(
        self, x: float, y: float, *, colour: str = INK, shape: str = "circle", size: float = 9, said: str = ""
    ) -> None:
        """Draw a marker: shapes differ, so that colour is never the only sign."""
        place = f"left:{_share(x)};top:{y:.1f}px;width:{size:g}px;height:{size:g}px;translate:-50% -50%"
        self._add(f"{place};background:{colour};{_SHAPES[shape]}", said)

    def numbers(self, name: str, **columns: Iterable[float | None]) -> None:
        """Leave the numbers behind some marks in the picture, at full precision, for programs that read it."""
        data = "".join(f" data-{key}='{json.dumps(list(values))}'" for key, values in columns.items())
        self._parts.append(f'<i data-name="{escape(name)}"{data}></i>')

    def finish(self, title: str, *, alt: str, x: str) -> str:
        """Give the picture a title, and name its horizontal axis."""
        return (
            f'<div style="max-width:{_WIDEST}px;margin-bottom:1rem">'
            f'<div style="font-weight:600;font-size:0.875rem;line-height:1.3;margin-bottom:4px">{escape(clean(title))}'
            f'</div><div role="img" aria-label="{escape(alt)}" style="font-size:12px;line-height:1.2">'
            f'<div style="position:relative;height:{self.height:g}px;margin:{self._margins}">'
            f"{''.join(self._parts)}</div>"
            f'<div style="text-align:center">{escape(clean(x))}</div></div></div>'
        )

    def _add(self, style: str, said: str = "", words: str = "") -> None:
        title = f' title="{escape(said)}"' if said else ""
        self._parts.append(f'<div style="position:absolute;{style}"{title}>{words}</div>')


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers between two ends.

    >>> nice_ticks(0.763, 0.897), nice_ticks(0, 4100)
    ([0.775, 0.8, 0.825, 0.85, 0.875], [0.0, 1000.0, 2000.0, 3000.0, 4000.0])
    >>> nice_ticks(1, 1)
    [1.0]
    """
    if not high > low:
        return [float(low)]
    unit = 10.0 ** np.floor(np.log10((high - low) / most))
    step = next(unit * one for one in _STEPS if (high - low) / (unit * one) <= most + 1)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(f"{step * n:.12g}") + 0.0 for n in np.arange(first, last + 1)]


def _share(value: float) -> str:
    return f"{100 * value:.2f}%"
