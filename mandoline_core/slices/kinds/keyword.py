"""Keyword: any of some words or phrases is in a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.formatting import listed
from mandoline_core.slices.expression.tree import written_column, written_text
from mandoline_core.slices.rule import TEXT, OfColumn, Predicate, Survey, either, shown
from mandoline_core.slices.text import check_keywords, find_keywords, keyword_pattern, split_words

MOST_WORDS = 10_000


@dataclass(frozen=True, kw_only=True)
class Keyword(OfColumn, kind="keyword", title="Keyword", purpose="words or phrases in a text", need=TEXT):
    """Find any of some words or phrases in a column of text.

    Examples
    --------
    >>> Keyword("negation", column="text", words=("not", "never")).describe()
    'text contains not or never'
    """

    functions = ("contains",)
    reads_dates = True

    words: tuple[str, ...] = field(metadata=shown("words", "Words", help="Words or phrases, separated by commas"))
    case: bool = field(default=False, metadata=shown("switch", "Match case"))
    whole_words: bool = field(default=True, metadata=shown("switch", "Whole words only"))

    def _check(self) -> None:
        words = self._check_list("words", "words")
        if len(words) > MOST_WORDS:
            raise SliceError(
                f"Slice {self.name!r} has {len(words):,} words. The limit is {MOST_WORDS:,}. Split the list into "
                "several slices."
            )
        for word in words:
            if not isinstance(word, str) or not word.strip():
                raise self._wrong("words", "a list of non-empty words", word)
        try:
            # Now, and with the slice's name: the engine's own error would come late and name neither.
            check_keywords(self._pattern())
        except SliceError as error:
            raise SliceError(f"Slice {self.name!r}: {error}") from None

    def describe(self) -> str:
        """Say the rule in plain words."""
        notes = (", case-sensitive" if self.case else "") + ("" if self.whole_words else ", also inside words")
        return f"{self.column} contains {either(self.words)}{notes}"

    def alone(self, word: str) -> Keyword:
        """Look for one of the words only."""
        return replace(self, words=(word,))

    def _pattern(self) -> str:
        return keyword_pattern(self.words, case=self.case, whole_words=self.whole_words)

    def _inside(self, column: nw.Expr) -> nw.Expr:
        return column.str.contains(self._pattern())

    def marks(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Find the words, the longest first."""
        return find_keywords(texts, self.words, case=self.case, whole_words=self.whole_words)

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take the words that a text contains."""
        return {"words": predicate.constants}

    def as_expression(self) -> str | None:
        """Write `contains`, which knows whole words in any case."""
        if self.case or not self.whole_words:
            return None
        return f"contains({written_column(self.column)}, {', '.join(map(written_text, self.words))})"

    @property
    def short_name(self) -> str:
        """The words."""
        return listed(self.words, most=3)

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Look for a word that the target has more often than the source, in the wordiest text."""
        return cls("keyword", column=survey.text[0], words=(survey.word,)) if survey.word else None

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; what is new among the words may be a whole list of them."""
        if field != "words":
            return super().edited(field, value, source)
        split = ((word,) if word in self.words else split_words(word) for word in value)
        return replace(self, words=tuple(dict.fromkeys(word for words in split for word in words)))
