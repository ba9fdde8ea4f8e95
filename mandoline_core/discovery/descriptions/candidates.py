"""Candidates: for one column, the condition that agrees best with a selection among some rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix, vstack

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.data import Sample, arrow_array
from mandoline_core.discovery.descriptions.agreement import agreement
from mandoline_core.discovery.descriptions.cuts import ONE_END, Cuts
from mandoline_core.domain_classifier import OTHER, encode_column
from mandoline_core.slices import Category, Keyword, Length, Missing, Range, Slice, Threshold, count_words

MOST_ITEMS = 6  # words or values of one condition
_WORTH = 0.01  # agreement that one more word must add
_COST = 0.005  # agreement that one word or value more is taken to cost


@dataclass(frozen=True, eq=False)
class Condition:
    """Hold a condition on one column, the rows inside, and what its length costs in agreement."""

    rule: Slice
    inside: Bools
    cost: float = 0.0


class Candidate(Protocol):
    """Something that can be asked of a column."""

    def best(self, selected: Bools, among: Bools, fewest: int) -> Condition | None:
        """Find the condition that agrees best with a selection among some rows; None where there is none."""


class Numbers:
    """Cut numbers."""

    def __init__(self, column: str, values: Floats) -> None:
        self.column, self._cuts = column, Cuts(values)

    def best(self, selected: Bools, among: Bools, fewest: int) -> Condition | None:
        """Find the best stretch."""
        ends = self._cuts.best(selected, among, fewest)
        if ends is None:
            return None
        if ends.low is not None and ends.high is not None:
            # Between the largest that is in and the least that is not lies no row that counts.
            rule = Range("range", column=self.column, low=ends.low, high=ends.high)
            return Condition(rule, self._cuts.inside(ends), ONE_END)
        cut = Threshold("cut", column=self.column, at_least=ends.low, below=ends.below)
        return Condition(cut, self._cuts.inside(ends))


class Lengths:
    """Cut the lengths of texts, in words, at one end."""

    def __init__(self, column: str, values: Floats) -> None:
        self.column, self._cuts = column, Cuts(values)

    def best(self, selected: Bools, among: Bools, fewest: int) -> Condition | None:
        """Find the best length to cut at."""
        ends = self._cuts.best(selected, among, fewest, both_ends=False)
        if ends is None:
            return None
        return Condition(
            Length("length", column=self.column, at_least=ends.low, below=ends.below), self._cuts.inside(ends)
        )


class Words:
    """List words, any of which a text contains."""

    def __init__(self, column: str, rows: csr_matrix, words: Sequence[str]) -> None:
        self.column, self._rows, self._words = column, rows, words
        self._by_word = csr_matrix(rows.T)

    def best(self, selected: Bools, among: Bools, fewest: int) -> Condition | None:
        """Take the best word, then the word that adds most, for as long as one does."""
        inside, chosen, value = np.zeros(len(selected), dtype=bool), list[int](), 0.0
        wanted, total = selected & among, int(selected.sum())
        while len(chosen) < MOST_ITEMS:
            hits = (inside & wanted).sum() + self._by_word @ (wanted & ~inside).astype(float)
            rows = (inside & among).sum() + self._by_word @ (among & ~inside).astype(float)
            values = agreement(hits, rows, total, fewest if not chosen else 0)
            word = int(values.argmax())
            if values[word] < value + (_WORTH if chosen else 1e-9):
                break
            chosen.append(word)
            inside, value = inside | (self._rows[:, [word]].toarray().ravel() > 0), float(values[word])
        if not chosen:
            return None
        words = tuple(self._words[word] for word in chosen)
        return Condition(Keyword("words", column=self.column, words=words), inside, _COST * (len(words) - 1))


class Levels:
    """List values of a column of categories or of true and false."""

    def __init__(self, column: str, rows: csr_matrix, values: Sequence[str | bool]) -> None:
        self.column, self._rows, self._values = column, rows, values

    def best(self, selected: Bools, among: Bools, fewest: int) -> Condition | None:
        """Take the values in which most rows are selected, as many of them as agree best."""
        rows = self._rows.T @ among.astype(float)
        hits = self._rows.T @ (among & selected).astype(float)
        known = np.flatnonzero(hits)
        order = known[np.lexsort((-hits[known], -hits[known] / rows[known]))][:MOST_ITEMS]
        values = agreement(np.cumsum(hits[order]), np.cumsum(rows[order]), int(selected.sum()), fewest)
        values = values - _COST * np.arange(len(order))
        if not len(order) or values.max() <= 0:
            return None
        chosen = order[: int(values.argmax()) + 1]
        if len(chosen) == np.count_nonzero(rows):  # all there are say nothing
            return None
        inside = np.asarray(self._rows[:, chosen].sum(axis=1)).ravel() > 0
        rule = Category("values", column=self.column, values=tuple(self._values[place] for place in chosen))
        return Condition(rule, inside, _COST * (len(chosen) - 1))


class Gaps:
    """Ask for missing values."""

    def __init__(self, column: str, known: Bools) -> None:
        self.column = column
        self._condition = Condition(Missing("missing", column=column), ~known)

    def best(self, selected: Bools, among: Bools, fewest: int) -> Condition | None:
        """Take the rows without a value, where some were selected."""
        hits = int((self._condition.inside & among & selected).sum())
        return self._condition if hits >= fewest else None


def candidates(sample: Sample, columns: Sequence[str], rows: Index, n_selected: int) -> Iterator[Candidate]:
    """Read columns of some rows, the selected ones first, as what can be asked of them.

    A column that holds nothing to ask for, such as dates, yields nothing.
    """
    for column in columns:
        values = arrow_array(sample.series(column)[rows.tolist()])
        known = values.is_valid().to_numpy(zero_copy_only=False)
        if not known.all():
            yield Gaps(column, known)
        if sample.schema[column].is_numeric():
            yield Numbers(column, _floats(values))
            continue
        encoded = encode_column(column, (sample, sample), (rows[:n_selected], rows[n_selected:]))
        if isinstance(encoded, str):
            continue
        marks = csr_matrix(vstack(encoded.indicators))
        if encoded.kind == "text":
            yield Words(column, marks, encoded.items)
            counts = sample.frame.select(column)[rows.tolist()].select(count_words(nw.col(column)).alias(column))
            yield Lengths(column, _floats(arrow_array(counts[column])))
        else:
            kept = [place for place, item in enumerate(encoded.items) if item != OTHER]
            items = [encoded.items[place] for place in kept]
            yield Levels(column, marks[:, kept], [i == "true" for i in items] if encoded.kind == "flag" else items)


def _floats(values: pa.Array) -> Floats:
    return np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)
