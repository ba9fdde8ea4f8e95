"""Range: a number is between two bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.errors import SliceError
from mandoline_core.samples import Sample
from mandoline_core.slices.rule import NUMBERS, Control, Ground, OfColumn, Slice


@dataclass(frozen=True, kw_only=True)
class Range(OfColumn, kind="range", title="Range", need=NUMBERS):
    """Take the numbers from low to high, both included.

    Examples
    --------
    >>> Range("medium", column="n_words", low=50, high=200).describe()
    'n_words from 50 to 200'
    """

    low: float
    high: float

    def _check(self) -> None:
        super()._check()
        for field in ("low", "high"):
            if getattr(self, field) is None:
                raise self._wrong(field, "a number", None, " Use kind 'threshold' for one bound.")
        self._check_number("low", "high")
        if self.low > self.high:
            raise SliceError(f"Slice {self.name!r}: low = {self.low:g} is above high = {self.high:g}. Swap them.")

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} from {self.low:g} to {self.high:g}"

    def _inside(self, column: nw.Expr) -> nw.Expr:
        return (column >= self.low) & (column <= self.high)

    @classmethod
    def start(cls, ground: Ground) -> Slice | None:
        """Take the middle half of the first numbers."""
        if not ground.numbers:
            return None
        return cls("range", column=ground.numbers[0], low=0.0, high=0.0).refit(ground.source)

    def refit(self, source: Sample) -> Self:
        """Take the middle half of the column's values."""
        values = source.series(self.column).drop_nulls()
        low, high = (float(values.quantile(q, interpolation="nearest")) for q in (0.25, 0.75))
        return replace(self, low=low, high=high)

    def form(self) -> tuple[Control, ...]:
        """Offer both ends at once."""
        ends = float(self.low), float(self.high)
        return (*super().form(), Control("interval", "ends", "From and to", ends, column=self.column))

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or both ends."""
        if field == "ends":
            return replace(self, low=value[0], high=value[1])
        return super().edited(field, value, source)
