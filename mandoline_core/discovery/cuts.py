"""Cuts: the stretch of a column of numbers that holds most of what was selected, with round numbers for its ends."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.formatting import tidy_number

ONE_END = 0.01  # agreement that a second end must add to be worth its words
_GRID = 32  # places of each kind that a first look cuts at


# The ends of a stretch: the least that is in; the least above that is not in any more, and the largest that is in,
# which are two ways to write one end. None where it has no such end.
Ends = tuple[float | None, float | None, float | None]


class Cuts:
    """Hold a column of numbers in order, to cut it anywhere at once.

    Parameters
    ----------
    values : array of float, shape (n,)
        NaN if absent; infinity counts as none.

    Examples
    --------
    >>> cuts, everything = Cuts(np.array([4.0, 7.3, 12.9, 16.0, 21.0])), np.ones(5, dtype=bool)
    >>> ends = cuts.best(np.array([False, False, True, True, True]), everything, 1)
    >>> ends, cuts.inside(ends).tolist()
    ((10, None, None), [False, False, True, True, True])
    """

    def __init__(self, values: Floats) -> None:
        known = np.flatnonzero(np.isfinite(values))
        self._values = values
        self._order: Index = known[np.argsort(values[known], kind="stable")]

    def best(self, selected: Bools, among: Bools, fewest: int, *, both_ends: bool = True) -> Ends | None:
        """Find the stretch that agrees best with a selection, one end if the other says little; None without any.

        Parameters
        ----------
        selected : array of bool, shape (n,)
            What is to be described.
        among : array of bool, shape (n,)
            Rows that count: those inside other conditions.
        fewest : int
            Selected rows that must be inside.
        both_ends : bool
            Whether a stretch may end on both sides.
        """
        order = self._order[among[self._order]]
        values, places = np.unique(self._values[order], return_index=True)
        rows = np.append(places, len(order))
        counts = _Counts(np.append(0, np.cumsum(selected[order]))[rows], rows, int(selected.sum()), fewest)
        m, edges = len(values), counts.edges()
        if m < 2:
            return None
        bottom, top = np.zeros(1, np.intp), np.full(1, m, np.intp)
        stretches = [counts.up_to(counts.first_look(bottom, edges)), counts.down_to(counts.first_look(edges, top))]
        if both_ends:
            stretches.append(counts.down_to(counts.up_to(counts.first_look(edges, edges))))
        worth = [float(counts.value(*ends)) - (ONE_END if i == 2 else 0.0) for i, ends in enumerate(stretches)]
        start, stop = stretches[int(np.argmax(worth))]
        return _ends(values, start, stop) if max(worth) > 0 and (start, stop) != (0, m) else None

    def inside(self, ends: Ends) -> Bools:
        """Mark the rows of a stretch."""
        low, below, _ = ends
        with np.errstate(invalid="ignore"):
            above = True if low is None else self._values >= low
            return np.asarray(above & (np.isfinite(self._values) if below is None else self._values < below))


class _Counts(NamedTuple):
    """Hold the number of selected rows, and of rows, before each possible cut."""

    hits: Index
    rows: Index
    selected: int
    fewest: int

    def value(self, start: Index | int, stop: Index | int) -> Floats:
        """Return the agreement of stretches."""
        hits, rows = (some[stop] - some[start] for some in self[:2])
        return agreement(hits, rows, self.selected, self.fewest)

    def edges(self) -> Index:
        """Choose places to cut at: evenly among the selected rows, and among all."""
        shares = np.arange(1, _GRID) / _GRID
        places = [np.searchsorted(some, shares * some[-1]) for some in self[:2] if some[-1]]
        return np.unique(np.concatenate([*places, [0, len(self.rows) - 1]])).astype(np.intp)

    def first_look(self, starts: Index, stops: Index) -> tuple[int, int]:
        """Find the best stretch with these ends."""
        values = np.where(starts[:, None] < stops, self.value(starts[:, None], stops[None, :]), -1.0)
        start, stop = np.unravel_index(int(values.argmax()), values.shape)
        return int(starts[start]), int(stops[stop])

    def up_to(self, stretch: tuple[int, int]) -> tuple[int, int]:
        """Move the upper end to its best place, as a first look is coarse."""
        start = stretch[0]
        return start, start + 1 + int(self.value(start, np.arange(start + 1, len(self.rows))).argmax())

    def down_to(self, stretch: tuple[int, int]) -> tuple[int, int]:
        """Move the lower end to its best place."""
        stop = stretch[1]
        return int(self.value(np.arange(stop), stop).argmax()), stop


def _ends(values: Floats, start: int, stop: int) -> Ends:
    """Write the ends of a stretch of distinct values as round numbers."""
    low = roundest(float(values[start - 1]), float(values[start]), "high") if start else None
    if stop == len(values):
        return low, None, None
    last, after = float(values[stop - 1]), float(values[stop])
    return low, roundest(last, after, "high"), roundest(last, after, "low")


def roundest(low: float, high: float, takes: Literal["low", "high"]) -> float:
    """Return the number with fewest digits between two, of which one may be taken.

    Parameters
    ----------
    takes : {"low", "high"}
        The end that belongs to what may be returned.

    Examples
    --------
    >>> roundest(29, 30, "high"), roundest(29, 30, "low"), roundest(27.3, 52.9, "high"), roundest(0.123, 0.1241, "low")
    (30, 29, 40, 0.124)
    """
    size = max(abs(low), abs(high))
    power = math.floor(math.log10(size)) + 1 if size > 0 else 0
    for digit in range(18):
        unit = 10.0 ** max(power - digit, -300)
        near = round((low / 2 + high / 2) / unit)
        for number in (near, near + 1, near - 1):
            rounded = tidy_number(number * unit)
            if (low <= rounded < high) if takes == "low" else (low < rounded <= high):
                return rounded
    return low if takes == "low" else high


def agreement(hits: ArrayLike, inside: ArrayLike, selected: int, fewest: int) -> Floats:
    """Return the harmonic mean of precision and recall; 0 with fewer hits than asked for.

    Parameters
    ----------
    hits, inside : array of int
        Selected rows inside a rule, and all rows inside it.
    selected : int
        Selected rows.
    fewest : int
        Hits that a rule needs.

    Examples
    --------
    >>> agreement([10, 5, 1], [10, 20, 1], selected=20, fewest=2).round(3).tolist()
    [0.667, 0.25, 0.0]
    """
    enough = np.asarray(hits) >= fewest
    return np.where(enough, 2.0 * np.asarray(hits) / np.maximum(np.asarray(inside) + selected, 1), 0.0)
