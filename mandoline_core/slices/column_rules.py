"""The kinds of slice that read columns of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.slices.rule import ANYTHING, CLASSES, NUMBERS, TEXT, TRUTH, BoundedRule, Scalar, Slice, either
from mandoline_core.slices.text import check_regex


@dataclass(frozen=True, kw_only=True)
class Keyword(Slice):
    """Find any of some words or phrases in a column of text.

    Examples
    --------
    >>> Keyword("negation", column="text", words=("not", "never")).describe()
    'text contains not or never'
    """

    kind: ClassVar[str] = "keyword"
    column: str
    words: tuple[str, ...]
    case: bool = False
    whole_words: bool = True

    def _check(self) -> None:
        self._check_text("column")
        self._check_bool("case", "whole_words")
        for word in self._check_list("words", "words"):
            if not isinstance(word, str) or not word.strip():
                raise self._wrong("words", "a list of words that are not empty", word)

    def describe(self) -> str:
        """Say the rule in plain words."""
        notes = (", case as written" if self.case else "") + ("" if self.whole_words else ", also within words")
        return f"{self.column} contains {either(self.words)}{notes}"

    @property
    def needs(self) -> dict[str, str]:
        """Text."""
        return {self.column: TEXT}


@dataclass(frozen=True, kw_only=True)
class Regex(Slice):
    r"""Find a regular expression in a column of text.

    Examples
    --------
    >>> Regex("link", column="text", pattern=r"https?://").describe()
    'text matches https?://'
    """

    kind: ClassVar[str] = "regex"
    column: str
    pattern: str

    def _check(self) -> None:
        self._check_text("column", "pattern")
        try:
            check_regex(self.pattern)
        except SliceError as error:
            raise SliceError(f"Slice {self.name!r}: {error}") from None

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} matches {self.pattern}"

    @property
    def needs(self) -> dict[str, str]:
        """Text."""
        return {self.column: TEXT}


@dataclass(frozen=True, kw_only=True)
class Threshold(BoundedRule):
    """Compare a column of numbers with a bound, or two.

    Examples
    --------
    >>> Threshold("long", column="n_words", above=200).describe()
    'n_words above 200'
    """

    kind: ClassVar[str] = "threshold"
    column: str

    def _check(self) -> None:
        self._check_text("column")
        super()._check()

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} {self._bounds()}"

    @property
    def needs(self) -> dict[str, str]:
        """Numbers."""
        return {self.column: NUMBERS}


@dataclass(frozen=True, kw_only=True)
class Range(Slice):
    """Take the numbers from low to high, both included.

    Examples
    --------
    >>> Range("medium", column="n_words", low=50, high=200).describe()
    'n_words from 50 to 200'
    """

    kind: ClassVar[str] = "range"
    column: str
    low: float
    high: float

    def _check(self) -> None:
        self._check_text("column")
        for field in ("low", "high"):
            if getattr(self, field) is None:
                raise self._wrong(field, "a number", None, " Use kind 'threshold' for one bound.")
        self._check_number("low", "high")
        if self.low > self.high:
            raise SliceError(f"Slice {self.name!r}: low = {self.low:g} is above high = {self.high:g}. Swap them.")

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} from {self.low:g} to {self.high:g}"

    @property
    def needs(self) -> dict[str, str]:
        """Numbers."""
        return {self.column: NUMBERS}


@dataclass(frozen=True, kw_only=True)
class Category(Slice):
    """Take some values of a column; without values, make one slice for each value.

    Examples
    --------
    >>> Category("nordic", column="country", values=("SE", "NO")).describe()
    'country is SE or NO'
    """

    kind: ClassVar[str] = "category"
    column: str
    values: tuple[Scalar, ...] | None = None

    def _check(self) -> None:
        self._check_text("column")
        if self.values is not None:
            for value in self._check_list("values", "values"):
                if not isinstance(value, (str, int, float)):
                    raise self._wrong("values", "a list of texts, numbers or true/false", value)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"one slice for each {self.column}" if self.values is None else f"{self.column} is {either(self.values)}"

    @property
    def needs(self) -> dict[str, str]:
        """Classes."""
        return {self.column: CLASSES}

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return self.values is None


@dataclass(frozen=True, kw_only=True)
class Flag(Slice):
    """Take a column that already holds the answer: true/false, 1/0, or 1/-1 with 0 for abstaining.

    `signed` says whether 0 abstains; left out, it does if -1 occurs in the source or in the target.

    Examples
    --------
    >>> Flag("wife", column="is_wife").describe()
    'is_wife is true'
    """

    kind: ClassVar[str] = "flag"
    column: str
    signed: bool | None = None

    def _check(self) -> None:
        self._check_text("column")
        if self.signed is not None:
            self._check_bool("signed")

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} is true"

    @property
    def needs(self) -> dict[str, str]:
        """True or false."""
        return {self.column: TRUTH}


@dataclass(frozen=True, kw_only=True)
class Missing(Slice):
    """Take the rows where a column has no value.

    Examples
    --------
    >>> Missing("no_age", column="age").describe()
    'age is missing'
    """

    kind: ClassVar[str] = "missing"
    column: str

    def _check(self) -> None:
        self._check_text("column")

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} is missing"

    @property
    def needs(self) -> dict[str, str]:
        """Anything."""
        return {self.column: ANYTHING}


@dataclass(frozen=True, kw_only=True)
class Length(BoundedRule):
    """Measure a text in words (between white space) or characters.

    Examples
    --------
    >>> Length("short", column="text", unit="words", below=20).describe()
    'text below 20 words'
    """

    kind: ClassVar[str] = "length"
    column: str
    unit: str = "words"

    def _check(self) -> None:
        self._check_text("column")
        units = ("words", "characters")
        if self.unit not in units:
            raise self._wrong("unit", "'words' or 'characters'", self.unit, did_you_mean(str(self.unit), units))
        super()._check()

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} {self._bounds(f' {self.unit}')}"

    @property
    def needs(self) -> dict[str, str]:
        """Text."""
        return {self.column: TEXT}


@dataclass(frozen=True, kw_only=True)
class Overlap(BoundedRule):
    """Compare two texts: the share of the second's distinct words that are in the first.

    Examples
    --------
    >>> Overlap("copied", columns=("premise", "hypothesis"), above=0.8).describe()
    "share of hypothesis's words found in premise above 0.8"
    """

    kind: ClassVar[str] = "overlap"
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
