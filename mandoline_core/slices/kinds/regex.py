"""Regex: a regular expression is found in a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import narwhals as nw
import pyarrow as pa

from mandoline_core.data import Sample, arrow_array
from mandoline_core.errors import SliceError
from mandoline_core.slices.rule import TEXT, Measure, OfColumn, Predicate, Schema, Survey, row_code, shown, text_of
from mandoline_core.slices.text import check_regex, find_pattern, has_boundary, portable_regex, search_texts

_HELP = "A regular expression. Look-around and backreferences are not supported."


@dataclass(frozen=True, kw_only=True)
class Regex(OfColumn, kind="regex", title="Regular expression", purpose="a pattern in a text", need=TEXT):
    r"""Find a regular expression in a column of text.

    Examples
    --------
    >>> Regex("link", column="text", pattern=r"https?://").describe()
    'text matches https?://'
    """

    functions = ("matches",)
    reads_dates = True

    pattern: str = field(metadata=shown("text", "Pattern", help=_HELP))

    def _check(self) -> None:
        try:
            check_regex(self.pattern)
        except SliceError as error:
            raise SliceError(f"Slice {self.name!r}: {error}") from None

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} matches {self.pattern}"

    def measure(self, schema: Schema) -> Measure | None:
        """Leave word boundaries, which engines read each in their own way, to one of them."""
        if schema[self.column] == nw.Unknown or not has_boundary(self.pattern):
            return None
        return Measure("\0".join(("", self.kind, self.column, self.pattern)), self._search)

    def _search(self, sample: Sample) -> pa.Array:
        text = text_of(nw.col(self.column), sample.schema[self.column])
        return search_texts(arrow_array(sample.frame.select(text.alias("text"))["text"]), self.pattern)

    def _codes(self, column: nw.Expr, schema: Schema) -> nw.Expr:
        measure = self.measure(schema)
        if measure is not None:
            return measure.value(schema)
        return row_code(column.is_null(), column.str.contains(portable_regex(self.pattern)))

    def marks(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Find the pattern as the engines read it."""
        return find_pattern(texts, self.pattern)

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take the pattern that a text matches."""
        return {"pattern": predicate.constants[0]} if predicate.constants else None

    @property
    def short_name(self) -> str:
        """The pattern."""
        return f"matches {self.pattern}"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Look for a word of the wordiest text, or else for a number."""
        pattern = f"(?i){survey.word}" if survey.word else "[0-9]+"
        return cls("pattern", column=survey.text[0], pattern=pattern) if survey.text else None
