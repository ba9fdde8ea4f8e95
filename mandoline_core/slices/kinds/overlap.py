"""Overlap: how many of one text's words are in another."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw
import pyarrow as pa

from mandoline_core.data import Sample
from mandoline_core.slices.expression.tree import Condition, bounds_of
from mandoline_core.slices.rule import TEXT, BoundedRule, Control, Measure, Schema, Slice, Survey
from mandoline_core.slices.shared_words import words_in_common


@dataclass(frozen=True, kw_only=True)
class Overlap(BoundedRule, kind="overlap", title="Text overlap", purpose="one text repeats another"):
    """Compare two texts: the share of the second's distinct words that are in the first.

    Examples
    --------
    >>> Overlap("copied", columns=("premise", "hypothesis"), above=0.8).describe()
    "share of hypothesis's words found in premise above 0.8"
    """

    columns: tuple[str, str]

    def _check(self) -> None:
        columns = self._check_list("columns", "two text columns")
        if len(columns) != 2 or not all(isinstance(column, str) and column for column in columns):
            raise self._wrong("columns", "a list of two text columns", list(columns))
        super()._check()

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"share of {self.columns[1]}'s words found in {self.columns[0]} {self._bounds()}"

    @property
    def needs(self) -> dict[str, str]:
        """Text, twice."""
        return dict.fromkeys(self.columns, TEXT)

    def measure(self, _schema: Schema) -> Measure:
        """Compute the share, which no expression can say."""
        return Measure("\0".join(("", self.kind, *self.columns)), self._shares)

    def _shares(self, sample: Sample) -> pa.Array:
        return words_in_common(*(sample.frame[column].to_arrow() for column in self.columns))

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compare the share with the bounds."""
        return self._compare(self.measure(schema).value(schema))

    @classmethod
    def from_condition(cls, name: str, condition: Condition, survey: Survey) -> Slice | None:
        """Take overlap(first, second) beside one number."""
        match bounds_of(condition.root):
            case ast.Call(func=ast.Name(id="overlap"), args=[ast.Name(id=first), ast.Name(id=second)]), bounds if (
                len(bounds) == 1 and survey.holds(first, TEXT) and survey.holds(second, TEXT)
            ):
                return cls(name, columns=(first, second), **bounds)
        return None

    @classmethod
    def start(cls, survey: Survey) -> Slice | None:
        """Compare the two wordiest texts."""
        return cls("overlap", columns=(survey.text[0], survey.text[1]), above=0.8) if len(survey.text) > 1 else None

    def form(self) -> tuple[Control, ...]:
        """Offer both texts and the cuts."""
        return (
            Control("column", "first", "First text", self.columns[0], need=TEXT),
            Control("column", "second", "Second text", self.columns[1], need=TEXT),
            Control("note", "", "The share of the second text's words that are found in the first."),
            *self._cuts(low=0.0, high=1.0),
        )

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or one of the two texts."""
        if field == "first":
            return replace(self, columns=(value, self.columns[1]))
        if field == "second":
            return replace(self, columns=(self.columns[0], value))
        return super().edited(field, value, source)
