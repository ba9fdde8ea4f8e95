"""Category: a value is one of some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample, class_name
from mandoline_core.formatting import show_number
from mandoline_core.slices.expression.tree import written_column, written_text
from mandoline_core.slices.resolution import each_class
from mandoline_core.slices.rule import (
    CLASSES,
    TEXT,
    Control,
    OfColumn,
    Predicate,
    Scalar,
    Schema,
    Slice,
    Survey,
    either,
)
from mandoline_core.slices.rule.codes import is_class


@dataclass(frozen=True, kw_only=True)
class Category(OfColumn, kind="category", title="Category", purpose="some values of a column", need=CLASSES):
    """Match some values of a column; without values, make one slice for each value.

    Parameters
    ----------
    values : list of str, int, float or bool, optional
        The values to match. By default, one slice for each value.

    Examples
    --------
    >>> Category("nordic", column="country", values=("SE", "NO")).describe()
    'country is SE or NO'
    """

    functions = ("is one of", "each")

    values: tuple[Scalar, ...] | None = None

    def _check(self) -> None:
        if self.values is not None:
            values = self._check_list("values", "values")
            for value in values:
                if not isinstance(value, (str, int, float, date)):
                    raise self._wrong("values", "a list of texts, numbers, dates or true/false", value)
            self._set("values", tuple(class_name(value) if isinstance(value, date) else value for value in values))

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"one slice for each {self.column}" if self.values is None else f"{self.column} is {either(self.values)}"

    @property
    def is_family(self) -> bool:
        """Tell whether the rule makes several slices."""
        return self.values is None

    def members(self, source: Sample, target: Sample) -> Sequence[Slice]:
        """Make one slice for each value."""
        if self.values is not None:
            return [self]
        classes = each_class(self, source, target, 'values = ["a", "b"]')
        return [replace(self, name=f"{self.name}_{name}", values=(value,)) for name, value in classes.items()]

    def _codes(self, _column: nw.Expr, schema: Schema) -> nw.Expr:
        return is_class(self.column, self.values or (), schema)

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take a column that is one of some values; or each value of a column of text."""
        if predicate.function == "each":
            return {} if survey.holds(predicate.columns[0], TEXT) else None
        return {"values": predicate.constants}

    def as_expression(self) -> str | None:
        """Write an equality, or a list of values; true and false need none."""
        column = written_column(self.column)
        match self.values:
            case None:
                return None
            case (bool(value),):
                return column if value else f"not {column}"
            case (value,):
                return f"{column} == {_written(value)}"
        return f"{column} in ({', '.join(map(_written, self.values))})"

    @property
    def short_name(self) -> str:
        """The column, where each of its values is meant."""
        return self.column if self.values is None else self.describe()

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take the first value of the shortest text, else of the first numbers."""
        # Short texts are names of things; long ones are prose, where each value occurs once.
        columns = survey.short_text or survey.numbers
        return cls("category", column=columns[0], values=("",)).refit(survey.source) if columns else None

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
        """Change a setting; a family that becomes one slice starts with the most frequent value."""
        if field != "family":
            return super().edited(field, value, source)
        frequent = Counter(source.series(self.column).drop_nulls().to_list()).most_common(1)
        return replace(self, values=None if value else tuple(value for value, _ in frequent))


def _written(value: Scalar) -> str:
    return written_text(value) if isinstance(value, str) else show_number(value)
