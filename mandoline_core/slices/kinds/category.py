"""Category: a value is one of some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.slices.families import each_class
from mandoline_core.slices.rule import CLASSES, Control, Ground, OfColumn, Scalar, Schema, Slice, either, is_class


@dataclass(frozen=True, kw_only=True)
class Category(OfColumn, kind="category", title="Category", purpose="some values of a column", need=CLASSES):
    """Take some values of a column; without values, make one slice for each value.

    Examples
    --------
    >>> Category("nordic", column="country", values=("SE", "NO")).describe()
    'country is SE or NO'
    """

    values: tuple[Scalar, ...] | None = None

    def _check(self) -> None:
        super()._check()
        if self.values is not None:
            for value in self._check_list("values", "values"):
                if not isinstance(value, (str, int, float)):
                    raise self._wrong("values", "a list of texts, numbers or true/false", value)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"one slice for each {self.column}" if self.values is None else f"{self.column} is {either(self.values)}"

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return self.values is None

    def members(self, source: Sample, target: Sample) -> Sequence[Slice]:
        """Make one slice for each value."""
        if self.values is not None:
            return [self]
        found = each_class(self, source, target, 'values = ["a", "b"]')
        return [replace(self, name=f"{self.name}_{name}", values=(value,)) for name, value in found.items()]

    def _codes(self, _column: nw.Expr, schema: Schema) -> nw.Expr:
        return is_class(self.column, self.values or (), schema)

    @classmethod
    def start(cls, ground: Ground) -> Slice | None:
        """Take the first value of the shortest text, else of the first numbers."""
        columns = ground.short_text or ground.numbers
        return cls("category", column=columns[0], values=("",)).refit(ground.source) if columns else None

    def refit(self, source: Sample) -> Self:
        """Take the column's first value; a family stays one."""
        if self.values is None:
            return self
        return replace(self, values=tuple(source.series(self.column).drop_nulls().head(1).to_list()) or ("",))

    def form(self) -> tuple[Control, ...]:
        """Offer the column's values, or all of them."""
        family = Control("switch", "family", "One slice for each value", self.is_family)
        values = self._control("values", "values", "Values", column=self.column)
        return (*super().form(), family) if self.is_family else (*super().form(), family, values)

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; a family that is none any more starts from the most frequent value."""
        if field != "family":
            return super().edited(field, value, source)
        frequent = Counter(source.series(self.column).drop_nulls().to_list()).most_common(1)
        return replace(self, values=None if value else tuple(value for value, _ in frequent))
