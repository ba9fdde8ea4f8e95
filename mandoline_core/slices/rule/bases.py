"""Bases that kinds of rule share: a column, bounds, a model; and how they write values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.formatting import listed, show_number
from mandoline_core.slices.expression.tree import Predicate
from mandoline_core.slices.rule.base import Slice
from mandoline_core.slices.rule.codes import abstain, compares, row_code
from mandoline_core.slices.rule.needs import ANYTHING, Control, Schema
from mandoline_core.slices.rule.survey import Survey

# The bounds that rows inside lie beyond, and those that rows outside lie beyond where there are both.
_STARTS, _ENDS = ("above", "at_least"), ("below", "at_most")
_WORDS = {"above": "above", "at_least": "at least", "below": "below", "at_most": "at most"}
_SIGNS = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}
_WAYS = {
    "above": "above (>)",
    "at_least": "at least (≥)",
    "below": "below (<)",
    "at_most": "at most (≤)",
    "both": "above one, below another; abstain between",
}


@dataclass(frozen=True, kw_only=True)
class OfColumn(Slice):
    """What the kinds that read one column share."""

    need: ClassVar[str] = ANYTHING
    column: str

    def __init_subclass__(cls, *, need: str = ANYTHING, **more: Any) -> None:
        """Take what the column must hold."""
        super().__init_subclass__(**more)
        cls.need = need

    @property
    def needs(self) -> dict[str, str]:
        """The column."""
        return {self.column: self.need}

    @classmethod
    def from_predicate(cls, name: str, predicate: Predicate, survey: Survey) -> Slice | None:
        """Take a predicate of one column, if it holds what the kind needs in both samples."""
        if predicate.function not in cls.functions or len(predicate.columns) != 1:
            return None
        (column,) = predicate.columns
        settings = cls._settings(predicate, survey) if survey.holds(column, cls.need) else None
        return None if settings is None else cls(name, column=column, **settings)

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Abstain on a column without a value, else ask the kind."""
        if schema[self.column] == nw.Unknown:
            return abstain(self.column)
        return self._codes(nw.col(self.column), schema)

    def _codes(self, column: nw.Expr, _schema: Schema) -> nw.Expr:
        """Compile the rule for a column that has values."""
        return row_code(column.is_null(), self._inside(column))

    def _inside(self, column: nw.Expr) -> nw.Expr:
        """Say of the values that are there whether they are inside."""
        raise NotImplementedError

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; on another column, start anew what belongs to a column."""
        rule = super().edited(field, value, source)
        return rule.refit(source) if field == "column" else rule

    def refit(self, _source: Sample) -> Self:
        """Take bounds and values, which belong to a column, from the source's."""
        return self

    def form(self) -> tuple[Control, ...]:
        """Offer the columns that hold what the rule needs."""
        return self._control("column", "column", "Column", need=self.need), *super().form()


@dataclass(frozen=True, kw_only=True)
class BoundedRule(Slice):
    """What the kinds with bounds share: inside beyond one bound; with one on each side, between abstains.

    `above` and `below` leave the bound itself out; `at_least` and `at_most` take it in.
    """

    above: float | None = None
    below: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def bounds(self) -> dict[str, float]:
        """The bounds there are, by name: the one that rows inside lie beyond comes first."""
        given = {name: getattr(self, name) for name in (*_STARTS, *_ENDS)}
        return {name: bound for name, bound in given.items() if bound is not None}

    def _check(self) -> None:
        if not self.bounds:
            raise SliceError(f"Slice {self.name!r} needs above, at_least, below or at_most. Got none.")
        for pair in (_STARTS, _ENDS):
            if all(name in self.bounds for name in pair):
                raise SliceError(f"Slice {self.name!r} takes either {pair[0]} or {pair[1]}; not both. Remove one.")
        if len(self.bounds) == 2:
            (start, low), (end, high) = self.bounds.items()
            if low < high or (low == high and (start, end) == ("at_least", "at_most")):
                raise SliceError(
                    f"Slice {self.name!r} is inside {_WORDS[start]} {show_number(low)} and outside {_WORDS[end]} "
                    f"{show_number(high)}, so values between the two are both. For the values between two bounds use "
                    "kind 'range' with low and high."
                )

    def _bounds(self, unit: str = "") -> str:
        """Say the bounds in plain words."""
        first, *rest = (f"{_WORDS[name]} {show_number(bound)}" for name, bound in self.bounds.items())
        return f"{first}{unit}, not {rest[0]}, unknown between" if rest else f"{first}{unit}"

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take one bound: of two, as in 10 < age < 20, a range is inside between them."""
        return predicate.bounds if len(predicate.bounds) == 1 else None

    def _bound_expression(self, value: str) -> str | None:
        """Write a comparison with the bound; None where there are two, between which the rule abstains."""
        (name, bound), *others = self.bounds.items()
        return None if others else f"{value} {_SIGNS[name]} {show_number(bound)}"

    def _compare(self, value: nw.Expr, missing: nw.Expr | None = None, dtype: nw.dtypes.DType | None = None) -> nw.Expr:
        """Compare a number with the bounds."""
        # A measure of a missing text may be a number, so that what is missing is asked of the text.
        missing = value.is_null() if missing is None else missing
        inside, *outside = (compares(value, name, bound, dtype) for name, bound in self.bounds.items())
        return row_code(missing | ~(inside | outside[0]), inside) if outside else row_code(missing, inside)

    def _cut_at(self, value: float) -> Self:
        """Move every bound that there is."""
        moved: dict[str, Any] = dict.fromkeys(self.bounds, value)
        return replace(self, **moved)

    def _cuts(self, **limits: Any) -> tuple[Control, ...]:
        """Offer one cut or two, on which side, and where."""
        way = "both" if len(self.bounds) == 2 else next(iter(self.bounds))
        cuts = (self._control("cut", name, _WORDS[name].capitalize(), **limits) for name in self.bounds)
        return Control("choice", "way", "Inside when", way, options=_WAYS), *cuts

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; another way of cutting keeps the cut."""
        if field != "way":
            return super().edited(field, value, source)
        # The cut that a person has found stays; both ways start from it.
        cut = next(iter(self.bounds.values()))
        ways = ("above", "below") if value == "both" else (value,)
        bounds: dict[str, Any] = {name: cut if name in ways else None for name in _WORDS}
        return replace(self, **bounds)


def either(values: Iterable[object], word: str = "or") -> str:
    """Join values with commas and a last 'or', shortened when there are many.

    Examples
    --------
    >>> either(["a", "b", True])
    'a, b or true'
    """
    items = [plain(value) for value in values]
    if len(items) > 6:
        return listed(items, most=5)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def plain(value: object) -> str:
    """Write a value as a person writes it in a project file.

    Examples
    --------
    >>> plain(True), plain(1.5), plain("x")
    ('true', '1.5', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
