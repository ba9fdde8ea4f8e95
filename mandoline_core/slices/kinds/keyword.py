"""Keyword: any of some words or phrases is in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import narwhals as nw

from mandoline_core.slices.rule import TEXT, Ground, OfColumn, Slice, either, shown
from mandoline_core.slices.text import keyword_pattern


@dataclass(frozen=True, kw_only=True)
class Keyword(OfColumn, kind="keyword", title="Keyword", is_frequent=True, need=TEXT):
    """Find any of some words or phrases in a column of text.

    Examples
    --------
    >>> Keyword("negation", column="text", words=("not", "never")).describe()
    'text contains not or never'
    """

    words: tuple[str, ...] = field(metadata=shown("words", "Words", help="Type a word or phrase and press Enter"))
    case: bool = field(default=False, metadata=shown("switch", "Match case"))
    whole_words: bool = field(default=True, metadata=shown("switch", "Whole words only"))

    def _check(self) -> None:
        super()._check()
        self._check_bool("case", "whole_words")
        for word in self._check_list("words", "words"):
            if not isinstance(word, str) or not word.strip():
                raise self._wrong("words", "a list of words that are not empty", word)

    def describe(self) -> str:
        """Say the rule in plain words."""
        notes = (", case as written" if self.case else "") + ("" if self.whole_words else ", also within words")
        return f"{self.column} contains {either(self.words)}{notes}"

    def _inside(self, column: nw.Expr) -> nw.Expr:
        return column.str.contains(keyword_pattern(self.words, case=self.case, whole_words=self.whole_words))

    def marks(self, text: str) -> list[tuple[int, int]]:
        """Find the words, the longest first."""
        edge = (r"(?<!\w)", r"(?!\w)") if self.whole_words else ("", "")
        options = "|".join(_word(word) for word in sorted(self.words, key=len, reverse=True))
        found = re.finditer(f"{edge[0]}(?:{options}){edge[1]}", text, 0 if self.case else re.IGNORECASE)
        return [match.span() for match in found]

    @classmethod
    def start(cls, ground: Ground) -> Slice | None:
        """Look for a negation in the wordiest text."""
        return cls("keyword", column=ground.text[0], words=("not",)) if ground.text else None


def _word(word: str) -> str:
    escaped = r"\s+".join(re.escape(part) for part in word.split())
    return escaped.replace("'", "['\N{RIGHT SINGLE QUOTATION MARK}]")
