"""Threshold: a number is above, or below, a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.slices.rule import NUMBERS, BoundedRule, Control, Ground, OfColumn, Schema, Slice, middle


@dataclass(frozen=True, kw_only=True)
class Threshold(
    OfColumn, BoundedRule, kind="threshold", title="Threshold", purpose="numbers above or below a value", need=NUMBERS
):
    """Compare a column of numbers with a bound, or two.

    Examples
    --------
    >>> Threshold("long", column="n_words", above=200).describe()
    'n_words above 200'
    >>> Threshold("warm", column="temp", at_least=75).describe()
    'temp at least 75'
    """

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} {self._bounds()}"

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        return self._compare(column, dtype=schema[self.column])

    @classmethod
    def start(cls, ground: Ground) -> Slice | None:
        """Cut the first numbers at a round number in the middle; where nothing is above it, take it in."""
        if not ground.numbers:
            return None
        column, cut = ground.numbers[0], ground.middle
        if (ground.source.series(column) > cut).any():
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
