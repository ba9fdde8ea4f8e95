"""Overlap: how many of one text's words are in another."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.data import Sample
from mandoline_core.slices.rule import TEXT, BoundedRule, Control, Measure, Predicate, Schema, Survey
from mandoline_core.slices.text import APOSTROPHES


@dataclass(frozen=True, kw_only=True)
class Overlap(BoundedRule, kind="overlap", title="Text overlap", purpose="one text repeats another"):
    """Compare two texts: the share of the second's distinct words that are in the first.

    Parameters
    ----------
    columns : list of str
        The two text columns.

    Examples
    --------
    >>> Overlap("copied", columns=("premise", "hypothesis"), above=0.8).describe()
    "share of hypothesis's words found in premise above 0.8"
    """

    functions = ("overlap",)

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

    def measure(self, _schema: Schema) -> Measure:
        """Compute the share, which no expression can say."""
        return Measure("\0".join(("", self.kind, *self.columns)), self._shares)

    def _shares(self, sample: Sample) -> pa.Array:
        return words_in_common(*(sample.frame[column].to_arrow() for column in self.columns))

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compare the share with the bounds."""
        return self._compare(self.measure(schema).value(schema))

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take overlap(first, second) next to one number."""
        bound = super()._settings(predicate, survey)
        texts = [column for column in predicate.columns if survey.holds(column, TEXT)]
        return {"columns": predicate.columns, **bound} if bound and len(texts) == len(predicate.columns) == 2 else None

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Compare the two wordiest texts."""
        return cls("overlap", columns=(survey.text[0], survey.text[1]), above=0.8) if len(survey.text) > 1 else None

    def form(self) -> tuple[Control, ...]:
        """Offer both texts and the cuts."""
        return (
            Control("column", "first", "First text", self.columns[0], need=TEXT),
            Control("column", "second", "Second text", self.columns[1], need=TEXT),
            Control("note", "", "The share of the second text's words that are found in the first."),
            *self._cuts(low=0.0, high=1.0),
        )

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or one of the two texts."""
        if field == "first":
            return replace(self, columns=(value, self.columns[1]))
        if field == "second":
            return replace(self, columns=(self.columns[0], value))
        return super().edited(field, value, source)


_ROWS_AT_ONCE = 100_000  # bounds the memory that words take
# Python's \w is letters, digits and the underscore, in any script; a combining mark stays with its letter.
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+(?:'+(?:[^\W_]|[\u0300-\u036f])+)*")


def words_in_common(first: pa.ChunkedArray, second: pa.ChunkedArray) -> pa.Array:
    """Compute, row by row, the share of the second text's distinct words that are in the first.

    Words are runs of word characters, digits and inner apostrophes, in any case.

    Parameters
    ----------
    first, second : pyarrow.Array or ChunkedArray of text, shape (n,)

    Returns
    -------
    pyarrow.Array of float64, shape (n,)
        Missing where a text is missing or the second has no word.

    Examples
    --------
    >>> words_in_common(pa.array(["The cat sat.", "A"]), pa.array(["the Cat ran", "..."])).to_pylist()
    [0.6666666666666666, None]
    """
    shares = [
        _shares(first[start : start + _ROWS_AT_ONCE], second[start : start + _ROWS_AT_ONCE])
        for start in range(0, len(first), _ROWS_AT_ONCE)
    ]
    values = np.concatenate([np.empty(0), *shares])
    missing = pc.or_(pc.is_null(first), pc.is_null(second)).to_numpy(zero_copy_only=False)
    return pa.array(values, mask=missing | np.isnan(values))


def _shares(first: pa.ChunkedArray, second: pa.ChunkedArray) -> np.ndarray:
    """Write each word of each row as one integer, so that a set of words is a stretch of a sorted array."""
    numbers: dict[str, int] = {}
    have, wanted = _numbered(first, numbers), _numbered(second, numbers)
    size = max(len(numbers), 1)
    have_keys, wanted_keys = (_distinct(rows * size + words) for rows, words in (have, wanted))
    is_shared = np.zeros(len(wanted_keys))
    if len(have_keys):
        # Where each would stand in the sorted keys; what would come after the last is compared with the last.
        nearest = np.minimum(np.searchsorted(have_keys, wanted_keys), len(have_keys) - 1)
        is_shared = (have_keys[nearest] == wanted_keys).astype(float)
    rows = wanted_keys // size
    total = np.bincount(rows, minlength=len(first)).astype(float)
    shared = np.bincount(rows, weights=is_shared, minlength=len(first))
    shares: np.ndarray = np.divide(shared, total, out=np.full(len(first), np.nan), where=total > 0)
    return shares


def _numbered(texts: pa.ChunkedArray, numbers: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """List the row and the number of every word; `numbers` grows by the words not met before.

    Texts are cut at white space first, and only the distinct pieces are looked at closely: there are
    far fewer of them than of words.
    """
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    lists = pc.ascii_split_whitespace(texts.cast(pa.large_string()).fill_null(""))
    rows = pc.list_parent_indices(lists).to_numpy().astype(np.int64)
    pieces = pc.list_flatten(lists).dictionary_encode()
    words = [
        [numbers.setdefault(word, len(numbers)) for word in _words(piece)] for piece in pieces.dictionary.to_pylist()
    ]
    lengths = np.array([len(word) for word in words] or [0], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.array([number for word in words for number in word], dtype=np.int64)
    piece = pieces.indices.to_numpy()
    count = lengths[piece]
    # Repeat each row for the words of its pieces, and count up from where each piece's words start.
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(rows, count), flat[np.repeat(starts[piece], count) + offset]


def _words(piece: str) -> list[str]:
    for apostrophe in APOSTROPHES[1:]:
        piece = piece.replace(apostrophe, "'")
    return _WORD.findall(piece.lower())


def _distinct(keys: np.ndarray) -> np.ndarray:
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys
