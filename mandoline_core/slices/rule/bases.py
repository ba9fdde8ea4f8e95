"""What kinds of rule share: a column, bounds, and how values are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, ClassVar, Self

import narwhals as nw

from mandoline_core.data import Sample, moment, read_date
from mandoline_core.errors import SliceError
from mandoline_core.formatting import listed, show_number, show_rounded
from mandoline_core.slices.expression.tree import Predicate
from mandoline_core.slices.rule.base import Bound, Slice
from mandoline_core.slices.rule.codes import abstain, compares, row_code, text_of
from mandoline_core.slices.rule.needs import ANYTHING, DATES, NUMBERS, ORDERED, TEXT, WRITTEN, Control, Schema
from mandoline_core.slices.rule.survey import Survey

# What a bound is called when the number it is rounded to is on its other side.
_ROUNDED_UP = {"above": "at_least", "at_most": "below"}
_ROUNDED_DOWN = {"below": "at_most", "at_least": "above"}
# The bounds that rows inside lie beyond, and those that rows outside lie beyond where there are both.
_STARTS, _ENDS = ("above", "at_least"), ("below", "at_most")
_WORDS = {"above": "above", "at_least": "at least", "below": "below", "at_most": "at most"}
_DATE_WORDS = {"above": "after", "at_least": "from", "below": "before", "at_most": "until"}
# The settings that may be dates, and whether a date there goes to the end of its day.
_TESTED = {"above": True, "at_least": False, "below": False, "at_most": True, "low": False, "high": True}
_SIGNS = {"above": ">", "at_least": ">=", "below": "<", "at_most": "<="}
_WAYS = {
    "above": "above (>)",
    "at_least": "at least (≥)",
    "below": "below (<)",
    "at_most": "at most (≤)",
    "both": "two bounds, abstain between",
}


@dataclass(frozen=True, kw_only=True)
class OfColumn(Slice):
    """What the kinds that read one column share.

    Parameters
    ----------
    column : str
        The column that the rule reads.
    """

    need: ClassVar[str] = ANYTHING
    reads_dates: ClassVar[bool] = False  # also dates, as they are written, where it needs text
    column: str

    def __init_subclass__(cls, *, need: str = ANYTHING, **more: Any) -> None:
        """Take what the column must hold."""
        super().__init_subclass__(**more)
        cls.need = need

    @property
    def needs(self) -> dict[str, str]:
        """The column: of numbers or dates, those that the bounds are; text may be dates as they are written."""
        if self.need == ORDERED:
            return {self.column: DATES if self.has_dates else NUMBERS}
        return {self.column: WRITTEN if self.need == TEXT and self.reads_dates else self.need}

    @property
    def has_dates(self) -> bool:
        """Whether the bounds are dates."""
        return any(isinstance(getattr(self, name, None), str) for name in _TESTED)

    @classmethod
    def from_predicate(cls, name: str, predicate: Predicate, survey: Survey) -> Slice | None:
        """Take a predicate on one column, if both samples have what the kind needs in it."""
        if predicate.function not in cls.functions or len(predicate.columns) != 1:
            return None
        (column,) = predicate.columns
        settings = cls._settings(predicate, survey) if survey.holds(column, cls.need) else None
        return None if settings is None else cls(name, column=column, **settings)

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Abstain on a column without a value, else ask the kind."""
        if schema[self.column] == nw.Unknown:
            return abstain(self.column)
        column = nw.col(self.column)
        return self._codes(text_of(column, schema[self.column]) if self.need == TEXT else column, schema)

    def _codes(self, column: nw.Expr, _schema: Schema) -> nw.Expr:
        """Compile the rule for a column that has values."""
        return row_code(column.is_null(), self._inside(column))

    def _inside(self, column: nw.Expr) -> nw.Expr:
        """Say of the values that are there whether they are inside."""
        raise NotImplementedError

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; a new column resets bounds and values."""
        if field == "timed":
            return replace(self, **self._timed(with_clock=value))
        rule = super().edited(field, value, source)
        return rule.refit(source) if field == "column" else rule

    def _timed(self, *, with_clock: bool) -> dict[str, Any]:
        """Give dates among the bounds a time of day that keeps what they mean, or take it away."""
        given = {name: getattr(self, name, None) for name in _TESTED}
        dates = {name: when for name, bound in given.items() if isinstance(bound, str) and (when := read_date(bound))}
        return {
            name: moment(when, end=_TESTED[name]).replace(second=0, microsecond=0)
            if with_clock
            else moment(when).date()
            for name, when in dates.items()
        }

    def _clock(self) -> tuple[Control, ...]:
        """Offer to set the time of day, where bounds are dates."""
        bounds = [bound for name in _TESTED if isinstance(bound := getattr(self, name, None), str)]
        timed = any(" " in bound for bound in bounds)
        return (Control("switch", "timed", "Set the time of day", timed),) if bounds else ()

    def refit(self, _source: Sample) -> Self:
        """Take bounds and values, which belong to a column, from the source's."""
        return self

    def form(self) -> tuple[Control, ...]:
        """Offer the columns that hold what the rule needs."""
        return self._control("column", "column", "Column", need=self.need), *super().form()


@dataclass(frozen=True, kw_only=True)
class BoundedRule(Slice):
    """What the kinds with bounds share: one bound, or one on each side. Then rows between the two abstain.

    Parameters
    ----------
    above : float, optional
        Match values above this number.
    below : float, optional
        Match values below this number.
    at_least : float, optional
        Match this number and values above it.
    at_most : float, optional
        Match this number and values below it.
    """

    above: float | None = None
    below: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def bounds(self) -> dict[str, float | date]:
        """The bounds by name, dates as dates; the one that matching rows are beyond comes first."""
        given = {name: getattr(self, name) for name in (*_STARTS, *_ENDS)}
        return {name: bound_of(bound) for name, bound in given.items() if bound is not None}

    def _check(self) -> None:
        if not self.bounds:
            raise SliceError(f"Slice {self.name!r} needs above, at_least, below or at_most. Got none.")
        for pair in (_STARTS, _ENDS):
            if all(name in self.bounds for name in pair):
                raise SliceError(f"Slice {self.name!r} takes either {pair[0]} or {pair[1]}. Got both. Remove one.")
        if len(self.bounds) == 2:
            (start, low), (end, high) = self.bounds.items()
            if isinstance(low, date) != isinstance(high, date):
                raise SliceError(
                    f"Slice {self.name!r} has a number and a date as bounds. Use two numbers or two dates."
                )
            # Of two bounds, the rows between must be neither.
            first, last = place(low, end=start == "above"), place(high, end=end == "at_most")
            if first < last or (first == last and (start, end) == ("at_least", "at_most")):
                raise SliceError(
                    f"Slice {self.name!r} matches {say_bounds({start: low})} and excludes {say_bounds({end: high})}"
                    ", so the values between are both. For values between two bounds, use "
                    "kind 'range' with low and high."
                )

    def _bounds(self, unit: str = "") -> str:
        """Say the bounds in plain words."""
        first, *rest = (say_bounds({name: bound}) for name, bound in self.bounds.items())
        return f"{first}{unit}, not {rest[0]}, abstains between" if rest else f"{first}{unit}"

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take one bound: of two, as in 10 < age < 20, a range is inside between them."""
        return predicate.bounds if len(predicate.bounds) == 1 else None

    def _bound_expression(self, value: str) -> str | None:
        """Write a comparison with the bound; None where there are two, between which the rule abstains."""
        (name, bound), *others = self.bounds.items()
        return None if others else f"{value} {_SIGNS[name]} {written_bound(bound)}"

    def _compare(self, value: nw.Expr, missing: nw.Expr | None = None, dtype: nw.dtypes.DType | None = None) -> nw.Expr:
        """Compare a number with the bounds."""
        # A measure of a missing text may be a number, so that what is missing is asked of the text.
        missing = value.is_null() if missing is None else missing
        inside, *outside = (compares(value, name, bound, dtype) for name, bound in self.bounds.items())
        return row_code(missing | ~(inside | outside[0]), inside) if outside else row_code(missing, inside)

    def _cut_at(self, value: Bound) -> Self:
        """Move every bound that there is."""
        moved: dict[str, Any] = dict.fromkeys(self.bounds, value)
        return replace(self, **moved)

    def _cuts(self, **limits: Any) -> tuple[Control, ...]:
        """Offer one cut or two, on which side, and where."""
        way = "both" if len(self.bounds) == 2 else next(iter(self.bounds))
        cuts = (self._control("cut", name, _WORDS[name].capitalize(), **limits) for name in self.bounds)
        return Control("choice", "way", "Matches when", way, options=_WAYS), *cuts

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; another way of cutting keeps the cut."""
        if field != "way":
            return super().edited(field, value, source)
        # The cut that a person has found stays; both ways start from it.
        cut = next(iter(self.bounds.values()))
        ways = ("above", "below") if value == "both" else (value,)
        bounds: dict[str, Any] = {name: cut if name in ways else None for name in _WORDS}
        return replace(self, **bounds)


def bound_of(given: Bound) -> float | date:
    """Return a bound as it is compared: a number, or the date that a text states.

    >>> bound_of(3), bound_of("2024-03-01")
    (3, datetime.date(2024, 3, 1))
    """
    found = read_date(given) if isinstance(given, str) else given
    if found is None or isinstance(found, str):
        raise SliceError(f"{given!r} is not a date. Write it as in 2024-03-01.")
    return found


def place(bound: float | date, *, end: bool) -> Any:
    """Return what puts bounds in order; of a date, its first moment or its last."""
    return moment(bound, end=end) if isinstance(bound, date) else bound


def written_bound(bound: float | date) -> str:
    """Write a bound as expressions do: a date in quotes.

    >>> written_bound(3.0), written_bound(date(2024, 3, 1))
    ('3', '"2024-03-01"')
    """
    return f'"{show_number(bound)}"' if isinstance(bound, date) else show_number(bound)


def say_bounds(bounds: Mapping[str, float | date], unit: str = "") -> str:
    """Say one bound, or what is between two, with rounded numbers; a rounded number is in or out as the rule has it.

    Examples
    --------
    >>> say_bounds({"above": 64.999999935}), say_bounds({"at_least": 57.8123456, "at_most": 76.8}, " degrees")
    ('at least 65', 'from 57.81 to 76.8 degrees')
    >>> say_bounds({"above": date(2024, 3, 1)})
    'after 2024-03-01'
    """
    shown = [show_rounded(bound) for bound in bounds.values()]
    if len(set(shown)) < len(shown):  # rounded, two bounds are one
        shown = [show_number(bound) for bound in bounds.values()]
    if {*bounds} == {"at_least", "at_most"}:
        return f"from {' to '.join(shown)}{unit}"
    said = []
    for (name, bound), number in zip(bounds.items(), shown, strict=True):
        if isinstance(bound, date):
            said.append(f"{_DATE_WORDS[name]} {number}")
            continue
        moved = _ROUNDED_UP if float(number) > bound else _ROUNDED_DOWN if float(number) < bound else {}
        said.append(f"{_WORDS[moved.get(name, name)]} {number}")
    return f"{' and '.join(said)}{unit}"


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
    """Write a value as in a project file.

    Examples
    --------
    >>> plain(True), plain(1.5), plain("x")
    ('true', '1.5', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
