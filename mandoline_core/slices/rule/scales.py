"""Scales: round numbers for a column, to start a rule from and to move its bounds by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.formatting import tidy_number

_FEWEST_STEPS = 200  # from end to end
_FEWEST_BETWEEN = 2  # round numbers between the middle of a column and its nearest quarter


@dataclass(frozen=True)
class Scale:
    """Hold a stretch of numbers with round ends, and a round step that leads from one to the other."""

    low: float
    high: float
    step: float

    @classmethod
    def between(cls, low: float, high: float, *, whole: bool = False) -> Scale:
        """Choose a round step for a stretch of numbers, and widen the stretch to multiples of it.

        Parameters
        ----------
        whole : bool
            Whether only whole numbers occur.

        Examples
        --------
        >>> Scale.between(3.2, 311.0)
        Scale(low=3, high=311, step=1)
        >>> Scale.between(0.0, 0.993)
        Scale(low=0, high=0.994, step=0.002)
        >>> Scale.between(0, 3, whole=True)
        Scale(low=0, high=3, step=1)
        """
        step = round_step((high - low) / _FEWEST_STEPS, whole=whole)
        return cls(tidy_number(math.floor(low / step) * step), tidy_number(math.ceil(high / step) * step), step)

    def around(self, *values: float) -> Scale:
        """Widen the stretch so that some values lie on it.

        >>> Scale(0, 10, 1).around(12.5, 4)
        Scale(low=0, high=13, step=1)
        """
        low, high = min(self.low, *values), max(self.high, *values)
        if (low, high) == (self.low, self.high):
            return self
        return Scale.between(low, high, whole=isinstance(self.step, int))


def round_step(size: float, *, whole: bool = False) -> float:
    """Return the largest of 1, 2 or 5 times a power of ten that is no larger than a size; of 1 if it is no size.

    >>> round_step(1.48), round_step(0.0049), round_step(0.3, whole=True), round_step(0)
    (1, 0.002, 1, 1)
    """
    if not 0 < size < math.inf:
        return 1
    power = math.floor(math.log10(size))
    factor = max(factor for factor in (1, 2, 5) if factor == 1 or factor * 10.0**power <= size)
    step = tidy_number(factor * 10.0**power)
    return max(step, 1) if whole else step


def column_scale(source: Sample, target: Sample, column: str) -> Scale | None:
    """Choose a scale for the values of a column in both samples; a column with fewer than two has none.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"n": [4, 305], "flat": [1.5, 1.5]}))
    >>> column_scale(sample, sample, "n"), column_scale(sample, sample, "flat")
    (Scale(low=4, high=305, step=1), None)
    """
    found = [known for sample in (source, target) if len(known := _known(sample.series(column)))]
    if not found:
        return None
    low, high = min(float(one.min()) for one in found), max(float(one.max()) for one in found)
    if not -math.inf < low < high < math.inf:
        return None
    return Scale.between(low, high, whole=all(_is_whole(one) for one in found))


def middle(values: nw.Series[Any]) -> float:
    """Return a round number near the median of the values that are there; 0 without any.

    Examples
    --------
    >>> middle(nw.new_series("n", [1.0, None, 3.0], backend="polars"))
    2
    >>> middle(nw.new_series("n", [12.4, 33.1, 87.2, 120.9], backend="polars"))
    60
    """
    known = _known(values)
    if not len(known):
        return 0.0
    low, median, high = (float(known.quantile(share, interpolation="linear")) for share in (0.25, 0.5, 0.75))
    near = min((part for part in (median - low, high - median) if part > 0), default=0.0)
    if not near:
        return tidy_number(median)
    step = round_step(near / _FEWEST_BETWEEN, whole=_is_whole(known))
    rounded = tidy_number(round(median / step) * step)
    # A cut at the largest value would leave nothing above it.
    return rounded if float(known.min()) <= rounded < float(known.max()) else tidy_number(median)


def _known(values: nw.Series[Any]) -> nw.Series[Any]:
    known = values.drop_nulls()
    return known.filter(~known.is_nan()) if known.dtype.is_float() else known


def _is_whole(values: nw.Series[Any]) -> bool:
    return values.dtype.is_integer() or bool((values % 1 == 0).all())
