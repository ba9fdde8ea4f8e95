"""All, any and not: other slices say so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import narwhals as nw

from mandoline_core.errors import SliceError
from mandoline_core.slices.rule import Control, Predicate, Schema, Slice, Survey, either


@dataclass(frozen=True, kw_only=True)
class Combination(Slice):
    """What combinations of other slices share: their names, or the slices themselves once resolved.

    Parameters
    ----------
    of : list of str
        The names of the other slices.
    """

    fewest: ClassVar[int] = 2  # slices to start from
    of: tuple[str | Slice, ...]

    def _check(self) -> None:
        if isinstance(self.of, Slice):
            self._set("of", (self.of,))
        for other in self._check_list("of", "slices"):
            if not isinstance(other, Slice) and (not isinstance(other, str) or not other):
                raise self._wrong("of", "a list of slice names", other)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the other slices."""
        return tuple(other.name if isinstance(other, Slice) else other for other in self.of)

    @property
    def made_of(self) -> tuple[str | Slice, ...]:
        """The other slices."""
        return self.of

    def made_again(self, of: tuple[str | Slice, ...]) -> Slice:
        """Make the same combination of other slices."""
        return replace(self, of=of)

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of all its parts."""
        return tuple(dict.fromkeys(column for part in self.of if isinstance(part, Slice) for column in part.reads))

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, object] | None:
        """Take the names of slices, joined by the kind's word."""
        return {"of": predicate.constants}

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Combine the first slices."""
        if len(survey.slices) < cls.fewest:
            raise SliceError("A combination needs other slices. Add them first.")
        return cls(cls.kind, of=tuple(survey.slices[: cls.fewest]))

    def form(self) -> tuple[Control, ...]:
        """Offer the other slices."""
        return (Control("slices", "of", "Of", list(self.names)),)


@dataclass(frozen=True, kw_only=True)
class All(Combination, kind="all", title="All of", purpose="rows in several slices at once"):
    """Match the rows in all of some slices. If none excludes a row and one abstains, it abstains.

    Examples
    --------
    >>> All("both", of=("negation", "long")).describe()
    'negation and long'
    """

    functions = ("all of",)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return either(self.names, "and")

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Take the least code."""
        # On 1, 0 and -1 the least is three-valued 'and' (Kleene's), as the largest is 'or' and the negative 'not'.
        return nw.min_horizontal(*(part.compile_codes(schema) for part in self.parts))


@dataclass(frozen=True, kw_only=True)
class Any(Combination, kind="any", title="Any of", purpose="rows in at least one of several slices"):
    """Match the rows in any of some slices. If none matches a row and one abstains, it abstains.

    Examples
    --------
    >>> Any("either", of=("negation", "long")).describe()
    'negation or long'
    """

    functions = ("any of",)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return either(self.names)

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Take the largest code."""
        return nw.max_horizontal(*(part.compile_codes(schema) for part in self.parts))


@dataclass(frozen=True, kw_only=True)
class Not(Combination, kind="not", title="Not", purpose="rows not in a slice"):
    """Match the rows that are not in another slice.

    Examples
    --------
    >>> Not("plain", of="negation").describe()
    'not negation'
    """

    functions = ("not of",)

    fewest: ClassVar[int] = 1

    def _check(self) -> None:
        if isinstance(self.of, str) and self.of:
            self._set("of", (self.of,))
        super()._check()
        if len(self.of) != 1:
            raise self._wrong("of", "the name of one slice", list(self.names))

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"not {self.names[0]}"

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Turn the code around."""
        return self.parts[0].compile_codes(schema) * -1

    def form(self) -> tuple[Control, ...]:
        """Offer the other slice."""
        return (Control("slice", "of", "Of", self.names[0]),)
