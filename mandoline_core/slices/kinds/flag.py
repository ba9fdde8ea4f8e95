"""Flag: a column already holds the answer."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.expression.tree import Condition
from mandoline_core.slices.rule import TRUTH, OfColumn, Schema, Slice, Survey, answer
from mandoline_core.slices.text import SPACES

_INSIDE = ("true", "yes", "1", "1.0")
_OUTSIDE = ("false", "no")
_ZERO = ("0", "0.0")
_MINUS = ("-1", "-1.0")
_ANSWERS = (_INSIDE, _OUTSIDE + _MINUS, _ZERO)
_LOOKED_AT = 2000  # rows, to tell whether a column holds answers


@dataclass(frozen=True, kw_only=True)
class Flag(OfColumn, kind="flag", title="Yes/no column", purpose="a column that holds the answer", need=TRUTH):
    """Take a column that already holds the answer: true/false, 1/0, or 1/-1 with 0 for abstaining.

    `signed` says whether 0 abstains; left out, it does if -1 occurs in the source or in the target.

    Examples
    --------
    >>> Flag("wife", column="is_wife").describe()
    'is_wife is true'
    """

    signed: bool | None = None

    def _check(self) -> None:
        super()._check()
        if self.signed is not None:
            self._check_bool("signed")

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} is true"

    def members(self, source: Sample, target: Sample) -> Sequence[Slice]:
        """Let -1 in either sample decide what 0 means to both."""
        if self.signed is not None:
            return [self]
        return [replace(self, signed=any(self._has_minus_one(sample) for sample in (source, target)))]

    def _has_minus_one(self, sample: Sample) -> bool:
        dtype = sample.schema.get(self.column, nw.Unknown())
        if dtype == nw.String:
            return bool(sample.values(self.column).str.strip_chars().is_in(_MINUS).any())
        return bool(dtype.is_numeric() and (sample.values(self.column) == -1).any())

    def settle(self, sample: Sample) -> Self:
        """Refuse values that are no answer, and decide what 0 means if nobody has."""
        dtype = sample.schema[self.column]
        if dtype in (nw.Unknown, nw.Boolean):
            return replace(self, signed=bool(self.signed))
        values = sample.values(self.column).to_list()
        known = {*_INSIDE, *_OUTSIDE, *_MINUS, *_ZERO, ""} if dtype == nw.String else {1, 0, -1}
        plain = {value.strip().lower() if isinstance(value, str) else value: value for value in values}
        strange = sorted(str(value) for key, value in plain.items() if key not in known)
        if strange:
            raise SliceError(
                f"Slice {self.name!r} reads column {self.column!r} of {sample.name} as its answer, and {strange[0]!r} "
                "is none. Expected true/false, yes/no, 1/0, or 1/-1 with 0 for abstaining."
            )
        minus = any(key == -1 or key in _MINUS for key in plain)
        return replace(self, signed=minus if self.signed is None else self.signed)

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        dtype = schema[self.column]
        if dtype == nw.Boolean:
            return answer(column.is_null(), column)
        if dtype == nw.String:
            inside, outside, zero = (column.str.contains(_written(words)) for words in _ANSWERS)
        else:
            inside, outside, zero = column == 1, column == -1, column == 0
        if not self.signed:
            outside = outside | zero
        return answer(~((inside | outside) & ~column.is_null()), inside)

    @classmethod
    def from_condition(cls, name: str, condition: Condition, survey: Survey) -> Slice | None:
        """Take a column that stands alone and holds answers."""
        if isinstance(condition.root, ast.Name) and survey.holds(condition.root.id, TRUTH):
            with suppress(SliceError):
                return replace(cls(name, column=condition.root.id).settle(survey.source), signed=None)
        return None

    @classmethod
    def start(cls, survey: Survey) -> Slice | None:
        """Take the first column that holds answers."""
        first = Sample(survey.source.frame.head(_LOOKED_AT))
        for column in survey.free:
            with suppress(SliceError):
                return replace(cls("flag", column=column).settle(first), signed=None)
        return None


def _written(words: tuple[str, ...]) -> str:
    r"""Build the pattern of a whole text that is one of some words, in any case, with white space of any kind around.

    >>> _written(("no",)).replace(SPACES, " ")
    '\\A[ ]*(?:[nN][oO])[ ]*\\z'
    """
    letters = (
        "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else f"[{letter}]" for letter in word)
        for word in words
    )
    return rf"\A[{SPACES}]*(?:{'|'.join(letters)})[{SPACES}]*\z"
