"""Length: a text has more, or fewer, words or characters than a bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.slices.expression.tree import written_column
from mandoline_core.slices.rule import TEXT, BoundedRule, Control, Measure, OfColumn, Predicate, Schema, Survey, shown
from mandoline_core.slices.rule.survey import middle
from mandoline_core.slices.text import count_words

_UNITS = {"words": "words", "characters": "characters"}
_LOOKED_AT = 20_000  # rows, to find the middle length


@dataclass(frozen=True, kw_only=True)
class Length(OfColumn, BoundedRule, kind="length", title="Text length", purpose="short or long texts", need=TEXT):
    """Measure a text in words (between white space) or characters.

    Examples
    --------
    >>> Length("short", column="text", unit="words", below=20).describe()
    'text below 20 words'
    """

    functions = ("words", "length")

    unit: str = field(default="words", metadata=shown("choice", "Unit", options=_UNITS))

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} {self._bounds(f' {self.unit}')}"

    def measure(self, schema: Schema) -> Measure | None:
        """Count words or characters; a column without a single text has no lengths."""
        return None if schema[self.column] == nw.Unknown else Measure(f"\0{self.unit}\0{self.column}", self._count())

    def _count(self) -> nw.Expr:
        text = nw.col(self.column)
        return count_words(text) if self.unit == "words" else text.str.len_chars()

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        measure = self.measure(schema)
        return self._compare(self._count() if measure is None else measure.value(schema), column.is_null())

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take the words or the characters of a text next to one number."""
        bound = super()._settings(predicate, survey)
        return bound and {"unit": "words" if predicate.function == "words" else "characters", **bound}

    def as_expression(self) -> str | None:
        """Write a comparison with one bound."""
        function = "words" if self.unit == "words" else "length"
        return self._bound_expression(f"{function}({written_column(self.column)})")

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take the shorter texts of the wordiest column."""
        return cls("short", column=survey.text[0], below=survey.length) if survey.text else None

    def refit(self, source: Sample) -> Self:
        """Cut at a round number near the middle length."""
        # Counting words takes long, and a middle needs no more rows than these.
        lengths = source.rule_frame.head(_LOOKED_AT).select(self._count().alias("length"))["length"]
        return self._cut_at(max(middle(lengths), 1))

    def form(self) -> tuple[Control, ...]:
        """Offer the unit and the cuts."""
        return *super().form(), *self._cuts(low=0, step=1)
