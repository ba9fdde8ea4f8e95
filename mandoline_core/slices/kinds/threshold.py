"""Threshold: a number is above, or below, a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.slices.expression.tree import written_column
from mandoline_core.slices.rule import NUMBERS, BoundedRule, Control, OfColumn, Schema, Survey, middle


@dataclass(frozen=True, kw_only=True)
class Threshold(
    OfColumn,
    BoundedRule,
    kind="threshold",
    title="Threshold",
    purpose="numbers above or below a value",
    need=NUMBERS,
):
    """Compare a column of numbers with a bound, or two.

    Examples
    --------
    >>> Threshold("long", column="n_words", above=200).describe()
    'n_words above 200'
    >>> Threshold("warm", column="temp", at_least=75).describe()
    'temp at least 75'
    """

    functions = ("",)

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
            return None
        column, cut = survey.numbers[0], survey.middle
        # Of yes and no as 1 and 0, where most are 1, the middle is 1 itself.
        if (survey.source.series(column) > cut).any():
            return cls("threshold", column=column, above=cut)
        return cls("threshold", column=column, at_least=cut)

    def refit(self, source: Sample) -> Self:
        """Cut the column in the middle."""
        return self._cut_at(middle(source.series(self.column)))

    def form(self) -> tuple[Control, ...]:
        """Offer cuts among the column's values, over their histogram."""
        return (
            *super().form(),
            *self._cuts(column=self.column),
            Control("histogram", "cut", "Values of both samples, with the cut", self.bounds, column=self.column),
        )
