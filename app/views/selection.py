"""What a person has selected in a figure: dots, bars, or a stretch of an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Selection(NamedTuple):
    """Hold what is selected.

    Parameters
    ----------
    points : tuple of pairs of int
        The trace of each point, and its place in it.
    stretch : pair of float, optional
        From where to where along the horizontal axis a box was drawn.
    names : tuple of str
        What the figure calls the points that have a name.
    """

    points: tuple[tuple[int, int], ...] = ()
    stretch: tuple[float, float] | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Selection:
        """Read what the browser says.

        >>> Selection.of({"points": [{"curve_number": 1, "point_index": 7}], "box": [{"x": [3.5, 1.0], "y": [0, 1]}]})
        Selection(points=((1, 7),), stretch=(1.0, 3.5), names=())
        """
        points = sorted({(int(point["curve_number"]), int(point["point_index"])) for point in found.get("points", ())})
        boxes = [box for box in found.get("box", ()) if box.get("x")]
        ends = sorted(float(end) for end in boxes[-1]["x"]) if boxes else []
        named = [point.get("customdata") for point in found.get("points", ())]
        firsts = [
            name[0] if isinstance(name, Sequence) and not isinstance(name, str) else name for name in named if name
        ]
        return cls(tuple(points), (ends[0], ends[-1]) if ends else None, tuple(dict.fromkeys(map(str, firsts))))

    def of_trace(self, number: int) -> list[int]:
        """List the places of the points of one trace."""
        return [place for trace, place in self.points if trace == number]
