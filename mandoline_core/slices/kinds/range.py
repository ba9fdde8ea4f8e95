"""Range: a number is between two bounds."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.formatting import show_number, tidy_number
from mandoline_core.slices.expression.tree import written_column
from mandoline_core.slices.rule import NUMBERS, Control, OfColumn, Predicate, Schema, Survey, shown
from mandoline_core.slices.rule.codes import compares, row_code
from mandoline_core.slices.rule.survey import round_step


@dataclass(frozen=True, kw_only=True)
class Range(OfColumn, kind="range", title="Range", purpose="numbers between two values", need=NUMBERS):
    """Take the numbers from low to high; either end belongs to them unless it is left out.

    Examples
    --------
    >>> Range("medium", column="n_words", low=50, high=200).describe()
    'n_words from 50 to 200'
    >>> Range("medium", column="n_words", low=50, high=200, without_low=True, without_high=True).describe()
    'n_words above 50 and below 200'
    """

    functions = ("",)

    low: float
    high: float
    without_low: bool = field(default=False, metadata=shown("switch", "Leave the lower end out"))
    without_high: bool = field(default=False, metadata=shown("switch", "Leave the upper end out"))

    def _check(self) -> None:
        for name in ("low", "high"):
            if getattr(self, name) is None:
                raise self._wrong(name, "a number", None, " Use kind 'threshold' for one bound.")
        low, high = show_number(self.low), show_number(self.high)
        if self.low > self.high:
            raise SliceError(f"Slice {self.name!r}: low = {low} is above high = {high}. Swap them.")
        if self.low == self.high and (self.without_low or self.without_high):
            raise SliceError(f"Slice {self.name!r}: there is nothing between {low} and {high}. Move one of them.")

    def describe(self) -> str:
        """Say the rule in plain words."""
        low, high = show_number(self.low), show_number(self.high)
        if not self.without_low and not self.without_high:
            return f"{self.column} from {low} to {high}"
        words = "above" if self.without_low else "at least", "below" if self.without_high else "at most"
        return f"{self.column} {words[0]} {low} and {words[1]} {high}"

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        dtype = schema[self.column]
        after = compares(column, "above" if self.without_low else "at_least", self.low, dtype)
        before = compares(column, "below" if self.without_high else "at_most", self.high, dtype)
        return row_code(column.is_null(), after & before)

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take numbers between two numbers."""
        without = {"without_low": "above" in predicate.bounds, "without_high": "below" in predicate.bounds}
        return {**without, **predicate.ends} if len(predicate.ends) == 2 else None

    def as_expression(self) -> str:
        """Write a chain of comparisons."""
        low, high = ("<" if without else "<=" for without in (self.without_low, self.without_high))
        return f"{show_number(self.low)} {low} {written_column(self.column)} {high} {show_number(self.high)}"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take the middle half of the first numbers."""
        if not survey.numbers:
            return None
        return cls("range", column=survey.numbers[0], low=0.0, high=0.0).refit(survey.source)

    def refit(self, source: Sample) -> Self:
        """Take the middle half of the column's values, from one round number to another."""
        values = source.series(self.column).drop_nulls()
        # Nearest: an end that occurs, so that a column of whole numbers gets whole ends.
        low, high = (float(values.quantile(q, interpolation="nearest")) for q in (0.25, 0.75))
        # A column with one value in its middle half has no step; its ends stay as they are.
        step = round_step((high - low) / 10, whole=low.is_integer() and high.is_integer()) if low < high else 0
        low, high = (tidy_number(round(end / step) * step if step else end) for end in (low, high))
        return replace(self, low=low, high=high)

    def form(self) -> tuple[Control, ...]:
        """Offer both ends at once."""
        column, *switches = super().form()
        return column, Control("interval", "ends", "From and to", (self.low, self.high), column=self.column), *switches

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or both ends."""
        if field == "ends":
            return replace(self, low=value[0], high=value[1])
        return super().edited(field, value, source)
