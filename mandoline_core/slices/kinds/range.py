"""Range: a number or a date is between two bounds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample, is_date
from mandoline_core.errors import SliceError
from mandoline_core.formatting import show_number, tidy_number
from mandoline_core.slices.expression.tree import written_column
from mandoline_core.slices.rule import (
    ORDERED,
    Bound,
    Control,
    OfColumn,
    Predicate,
    Schema,
    Survey,
    bound_of,
    compares,
    date_at,
    row_code,
    say_bounds,
    shown,
    written_bound,
)
from mandoline_core.slices.rule.bases import place
from mandoline_core.slices.rule.survey import round_step


@dataclass(frozen=True, kw_only=True)
class Range(OfColumn, kind="range", title="Range", purpose="numbers or dates between two values", need=ORDERED):
    """Match numbers or dates from low to high.

    Parameters
    ----------
    low : float or date
        The lower end, which is in the range.
    high : float or date
        The upper end, which is in the range.
    without_low : bool
        Exclude the lower end.
    without_high : bool
        Exclude the upper end.

    Examples
    --------
    >>> Range("medium", column="n_words", low=50, high=200).describe()
    'n_words from 50 to 200'
    >>> Range("medium", column="n_words", low=50, high=200, without_low=True, without_high=True).describe()
    'n_words above 50 and below 200'
    >>> Range("spring", column="day", low="2024-03-01", high="2024-05-31").describe()
    'day from 2024-03-01 to 2024-05-31'
    """

    functions = ("",)

    low: Bound
    high: Bound
    without_low: bool = field(default=False, metadata=shown("switch", "Exclude the lower end"))
    without_high: bool = field(default=False, metadata=shown("switch", "Exclude the upper end"))

    def _check(self) -> None:
        for name in ("low", "high"):
            if getattr(self, name) is None:
                raise self._wrong(name, "a number or a date", None, " Use kind 'threshold' for one bound.")
        if isinstance(self.low, str) != isinstance(self.high, str):
            raise SliceError(f"Slice {self.name!r} has a number and a date as bounds. Use two numbers or two dates.")
        low, high = (show_number(end) for end in self.ends)
        first, last = place(self.ends[0], end=self.without_low), place(self.ends[1], end=not self.without_high)
        if place(self.ends[0], end=False) > place(self.ends[1], end=True):
            raise SliceError(f"Slice {self.name!r}: low = {low} is above high = {high}. Swap them.")
        if first > last or (first == last and (self.without_low or self.without_high)):
            raise SliceError(f"Slice {self.name!r}: nothing is between {low} and {high}. Change one of them.")

    @property
    def ends(self) -> tuple[float | date, float | date]:
        """Both ends, dates as dates."""
        return bound_of(self.low), bound_of(self.high)

    def describe(self) -> str:
        """Say the rule in plain words."""
        low, high = "above" if self.without_low else "at_least", "below" if self.without_high else "at_most"
        return f"{self.column} {say_bounds(dict(zip((low, high), self.ends, strict=True)))}"

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        dtype = schema[self.column]
        after = compares(column, "above" if self.without_low else "at_least", self.ends[0], dtype)
        before = compares(column, "below" if self.without_high else "at_most", self.ends[1], dtype)
        return row_code(column.is_null(), after & before)

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take numbers between two numbers."""
        without = {"without_low": "above" in predicate.bounds, "without_high": "below" in predicate.bounds}
        return {**without, **predicate.ends} if len(predicate.ends) == 2 else None

    def as_expression(self) -> str:
        """Write a chain of comparisons."""
        low, high = ("<" if without else "<=" for without in (self.without_low, self.without_high))
        first, last = map(written_bound, self.ends)
        return f"{first} {low} {written_column(self.column)} {high} {last}"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take the middle half of the first numbers, or else of the first dates."""
        if not survey.ordered:
            return None
        return cls("range", column=survey.ordered[0], low=0.0, high=0.0).refit(survey.source)

    def refit(self, source: Sample) -> Self:
        """Take the middle half of the column's values, from one round number to another."""
        values = source.series(self.column).drop_nulls()
        if is_date(values.dtype):
            return replace(self, low=date_at(values, 0.25), high=date_at(values, 0.75))
        # Nearest: an end that occurs, so that a column of whole numbers gets whole ends.
        low, high = (float(values.quantile(q, interpolation="nearest")) for q in (0.25, 0.75))
        # A column with one value in its middle half has no step; its ends stay as they are.
        step = round_step((high - low) / 10, whole=low.is_integer() and high.is_integer()) if low < high else 0
        low, high = (tidy_number(round(end / step) * step if step else end) for end in (low, high))
        return replace(self, low=low, high=high)

    def form(self) -> tuple[Control, ...]:
        """Offer both ends at once."""
        column, *switches = super().form()
        return (
            column,
            Control("interval", "ends", "Range", (self.low, self.high), column=self.column),
            *self._clock(),
            *switches,
        )

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or both ends."""
        if field == "ends":
            return replace(self, low=value[0], high=value[1])
        return super().edited(field, value, source)
