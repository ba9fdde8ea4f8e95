"""Threshold: a number or a date is above, or below, a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import narwhals as nw

from mandoline_core.data import Sample, is_date
from mandoline_core.slices.expression.tree import written_column
from mandoline_core.slices.rule import ORDERED, Bound, BoundedRule, Control, OfColumn, Schema, Survey, date_at, middle


@dataclass(frozen=True, kw_only=True)
class Threshold(
    OfColumn,
    BoundedRule,
    kind="threshold",
    title="Threshold",
    purpose="numbers or dates above or below a value",
    need=ORDERED,
):
    """Compare a column of numbers or dates with a bound, or two.

    Parameters
    ----------
    above : float or date, optional
        Match values above this number, or after this date.
    below : float or date, optional
        Match values below this number, or before this date.
    at_least : float or date, optional
        Match this number or date and values above it.
    at_most : float or date, optional
        Match this number or date, to the end of the day, and values below it.

    Examples
    --------
    >>> Threshold("spring", column="day", at_least="2024-03-01").describe()
    'day from 2024-03-01'
    >>> Threshold("long", column="n_words", above=200).describe()
    'n_words above 200'
    >>> Threshold("warm", column="temp", at_least=75).describe()
    'temp at least 75'
    """

    functions = ("",)

    # Wider than those of other kinds: a bound may be a date, too.
    above: Bound | None = None  # type: ignore[assignment]
    below: Bound | None = None  # type: ignore[assignment]
    at_least: Bound | None = None  # type: ignore[assignment]
    at_most: Bound | None = None  # type: ignore[assignment]

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} {self._bounds()}"

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        return self._compare(column, dtype=schema[self.column])

    def as_expression(self) -> str | None:
        """Write a comparison with one bound."""
        return self._bound_expression(written_column(self.column))

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Cut the first numbers at a round number in the middle; where nothing is above it, take it in."""
        if not survey.numbers:
            dates = survey.ordered[:1]
            return cls("threshold", column=dates[0], at_least=0).refit(survey.source) if dates else None
        column, cut = survey.numbers[0], survey.middle
        # Of yes and no as 1 and 0, where most are 1, the middle is 1 itself.
        if (survey.source.series(column) > cut).any():
            return cls("threshold", column=column, above=cut)
        return cls("threshold", column=column, at_least=cut)

    def refit(self, source: Sample) -> Self:
        """Cut the column in the middle."""
        values = source.series(self.column)
        return self._cut_at(date_at(values, 0.5) if is_date(values.dtype) else middle(values))

    def form(self) -> tuple[Control, ...]:
        """Offer cuts among the column's values, over their histogram."""
        return (
            *super().form(),
            *self._cuts(column=self.column),
            *self._clock(),
            Control("histogram", "cut", "Values in labelled and new data", self.bounds, column=self.column),
        )
