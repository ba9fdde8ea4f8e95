"""The rules that columns offer: the one generator of candidate rules.

A family is what can be asked of one column: its missing values, numbers, dates, levels, words, lengths. It lists its
rules one by one, which suggestions rank by what they do to the estimate; and it finds the rule that agrees best with
selected rows, of which descriptions are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix, hstack, vstack

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Sample, arrow_array, class_name, from_milliseconds, is_date, milliseconds
from mandoline_core.discovery.cuts import ONE_END, Cuts, agreement
from mandoline_core.discovery.phrases import phrases_of
from mandoline_core.discovery.rule_table import RuleTable, column_sums
from mandoline_core.domain_classifier import (
    A_DATE,
    MIN_ROWS_OF_WORD,
    OTHER,
    EncodedColumn,
    choose_words,
    words_of,
)
from mandoline_core.pipeline import cut_rule, item_rule, keyword_rule, missing_rule
from mandoline_core.slices import (
    Bound,
    Category,
    Expression,
    Keyword,
    Length,
    Range,
    Regex,
    Slice,
    Threshold,
    count_words,
    written_column,
)

# Fewer rows inside, or outside, leave a share and a mean score too uncertain to rank. The target needs fewer: it lends
# a share only, no score.
FEWEST_SOURCE, FEWEST_TARGET = 20, 10
_MOST_WORDS, _FREQUENT_WORDS, _MOST_PHRASES = 1500, 300, 500  # of a text column
_MOST_VALUES = 12  # of a number, such as months: so few are looked at one by one, too
_GROUP_Z = 2.0  # a level whose share is further off than this goes into the group
_DAY = 86_400_000  # milliseconds
_HOURS = (6, 12, 18)
_LENGTH_ROWS = 2000  # enough to place quantiles of lengths
_MOST_ITEMS = 6  # words or values of one condition
_WORTH = 0.01  # agreement that one more word must add
_COST = 0.005  # agreement that one word or value more is taken to cost

Samples = tuple[Sample, Sample]


@dataclass(frozen=True, eq=False)
class ColumnCondition:
    """Hold a condition on one column, the rows inside, and what its length costs in agreement."""

    rule: Slice
    inside: Bools
    cost: float = 0.0


class RuleFamily:
    """What can be asked of one column, on the joined rows of two samples; read when it is needed."""

    def __init__(self, column: str, encoded: EncodedColumn | str, samples: Samples) -> None:
        self.column, self.samples = column, samples
        self.encoded = cast("EncodedColumn", encoded)  # families that look at it are made of encoded columns only

    def rules(self) -> Iterator[Slice]:
        """List the rules that are worth a look whatever is selected; no score is looked at."""
        yield from ()

    def shown(self) -> Iterator[tuple[Floats, Floats]]:
        """Read off what the encoded column says of the first rules, in order: where they are not evaluated again.

        For each rule and sample an array of shape (n_rows,): 1 inside, 0 outside, where a slice abstains its share.
        """
        yield from ()

    def best(self, _selected: Bools, _among: Bools, _fewest: int) -> ColumnCondition | None:
        """Find the condition that agrees best with selected rows among some rows; None if absent."""
        return None

    def _share(self, inside: Floats, side: int) -> Floats:
        """Put the share inside where the value is missing."""
        known = self.encoded.known[side]
        return inside if known.all() or not known.any() else np.where(known, inside, inside[known].mean())

    def _numbers(self, columns: Sequence[nw.Series[Any]]) -> Floats:
        arrays = [pc.cast(arrow_array(column), pa.float64(), safe=False) for column in columns]
        return np.asarray(pa.concat_arrays(arrays).to_numpy(zero_copy_only=False), dtype=float)


class MissingValues(RuleFamily):
    """Ask for missing values."""

    @cached_property
    def _inside(self) -> Bools:
        sides = [arrow_array(sample.series(self.column)).is_null() for sample in self.samples]
        return np.concatenate([side.to_numpy(zero_copy_only=False) for side in sides])

    def rules(self) -> Iterator[Slice]:
        """Ask for them."""
        yield missing_rule(self.column)

    def best(self, selected: Bools, among: Bools, fewest: int) -> ColumnCondition | None:
        """Take the rows without a value, where some were selected."""
        hits = int((self._inside & among & selected).sum())
        return ColumnCondition(missing_rule(self.column), self._inside) if hits >= fewest else None


class Numbers(RuleFamily):
    """Cut numbers."""

    @cached_property
    def _cuts(self) -> Cuts:
        return Cuts(self._numbers([sample.series(self.column) for sample in self.samples]))

    def rules(self) -> Iterator[Slice]:
        """Cut at quantiles; a few distinct numbers, such as months, are also used as levels."""
        yield from (cut_rule(self.column, float(cut)) for cut in self.encoded.cuts)
        counts: list[dict[str, int]] = []
        for sample in self.samples:
            values, rows = np.unique(sample.series(self.column).drop_nulls().to_numpy(), return_counts=True)
            if len(values) > _MOST_VALUES:
                return
            counts.append(dict(zip(map(class_name, values.tolist()), rows.tolist(), strict=True)))
        names = sorted({*counts[0], *counts[1]}, key=float)
        if not 3 <= len(names) <= _MOST_VALUES:  # of two values, a cut says the same
            return
        numbers = {name: int(value) if (value := float(name)).is_integer() else value for name in names}
        for name, number in numbers.items():
            yield Category(f"{self.column} is {name}", column=self.column, values=(number,))
        sides = (np.array([side.get(name, 0) for name in names], dtype=float) for side in counts)
        for rule in _group(self.column, names, *sides):
            yield replace(rule, values=tuple(numbers[str(value)] for value in rule.values or ()))

    def shown(self) -> Iterator[tuple[Floats, Floats]]:
        """Read cuts off the bins; an infinite number is in none, though it is above every cut or below."""
        if any(
            len(column) - column.null_count() > known.sum()
            for known, column in zip(self.encoded.known, (one.series(self.column) for one in self.samples), strict=True)
        ):
            return
        # Of a missing value, which is in no bin, the sum is 0.
        bins = [side @ np.arange(side.shape[1], dtype=float) for side in self.encoded.indicators]
        for cut in range(len(self.encoded.cuts)):
            source, target = (self._share((side > cut).astype(float), i) for i, side in enumerate(bins))
            yield source, target

    def best(self, selected: Bools, among: Bools, fewest: int) -> ColumnCondition | None:
        """Find the best stretch."""
        ends = self._cuts.best(selected, among, fewest)
        if ends is None:
            return None
        low, below, high = map(self._end, ends)
        if low is not None and high is not None:
            # Between the largest that is in and the least that is not lies no row that counts.
            rule = Range("range", column=self.column, low=low, high=high)
            return ColumnCondition(rule, self._cuts.inside(ends), ONE_END)
        cut = Threshold("cut", column=self.column, at_least=low, below=below)
        return ColumnCondition(cut, self._cuts.inside(ends))

    def _end(self, value: float | None) -> Bound | None:
        return value


class Dates(Numbers):
    """Take months, weekdays and hours; and cut dates where both samples have them, for time itself always passes."""

    @cached_property
    def _days(self) -> list[Floats]:
        return [np.floor(milliseconds(sample.series(self.column)) / _DAY) for sample in self.samples]

    @cached_property
    def _cuts(self) -> Cuts:
        return Cuts(np.concatenate(self._days))

    def shown(self) -> Iterator[tuple[Floats, Floats]]:
        """Evaluate all: dates are not encoded."""
        yield from ()

    def rules(self) -> Iterator[Slice]:
        """Take each part of the calendar, and cut at quantiles."""
        column = written_column(self.column)
        texts = [f"month({column}) == {month}" for month in range(1, 13)]
        texts += [f"weekday({column}) == {day}" for day in range(1, 8)] + [f"weekday({column}) >= 6"]
        if all(sample.schema[self.column] == nw.Datetime for sample in self.samples):
            texts += [f"hour({column}) >= {hour}" for hour in _HOURS]
        known = [days[np.isfinite(days)] for days in self._days]
        rules: list[Slice] = [Expression("part", text=text) for text in texts]
        if all(map(len, known)):
            cuts = np.unique([np.quantile(days, np.arange(1, 10) / 10, method="lower") for days in known])
            shared = cuts[(cuts > max(days.min() for days in known)) & (cuts <= min(days.max() for days in known))]
            rules += [Threshold("cut", column=self.column, at_least=self._end(cut)) for cut in shared.tolist()]
        yield from (replace(rule, name=rule.describe()) for rule in rules)

    def _end(self, value: float | None) -> Bound | None:
        return None if value is None else from_milliseconds(value * _DAY).date()


class Lengths(RuleFamily):
    """Cut the lengths of texts, in words."""

    @cached_property
    def _cuts(self) -> Cuts:
        words = count_words(nw.col(self.column)).alias(self.column)
        return Cuts(self._numbers([sample.rule_frame.select(words)[self.column] for sample in self.samples]))

    def rules(self) -> Iterator[Slice]:
        """Cut at quantiles, as round numbers."""
        texts = [sample.series(self.column).drop_nulls().head(_LENGTH_ROWS).to_list() for sample in self.samples]
        if not all(texts):
            return
        tenths = np.arange(1, 10) / 10
        lengths = np.concatenate([np.quantile([len(text.split()) for text in side], tenths) for side in texts])
        digits = np.maximum(np.floor(np.log10(np.maximum(lengths, 1.0))) - 1, 0)  # all but two are rounded away
        for cut in np.unique([np.round(value, -int(n)) for value, n in zip(lengths, digits, strict=True)]):
            if cut > 0:
                yield Length(f"{self.column} below {cut:g} words", column=self.column, below=int(cut))

    def best(self, selected: Bools, among: Bools, fewest: int) -> ColumnCondition | None:
        """Find the best length to cut at, at one end."""
        ends = self._cuts.best(selected, among, fewest, both_ends=False)
        if ends is None:
            return None
        rule = Length("length", column=self.column, at_least=ends[0], below=ends[1])
        return ColumnCondition(rule, self._cuts.inside(ends))


class Levels(RuleFamily):
    """List values of a column of categories, or of true and false."""

    @cached_property
    def _table(self) -> tuple[csr_matrix, list[str | bool]]:
        """The rows at each level, but for those that are lumped together; and the levels."""
        kept = [number for number, item in enumerate(self.encoded.items) if item != OTHER]
        items = [self.encoded.items[number] for number in kept]
        levels = [item == "true" if self.encoded.kind == "flag" else item for item in items]
        return csr_matrix(vstack(self.encoded.indicators))[:, kept], levels

    def rules(self) -> Iterator[Slice]:
        """Take each level; and, of categories, those that the target has more of."""
        kind, items = self.encoded.kind, self.encoded.items
        levels = ("true",) if kind == "flag" else items
        yield from (rule for item in levels if (rule := item_rule(self.column, kind, item)) is not None)
        if kind == "category":
            yield from _group(self.column, items, *map(column_sums, self.encoded.indicators))

    def shown(self) -> Iterator[tuple[Floats, Floats]]:
        """Read each level off its indicator."""
        for number, item in enumerate(self.encoded.items):
            if item == OTHER or (self.encoded.kind == "flag" and item != "true"):
                continue
            source, target = (
                self._share(side[:, [number]].toarray().ravel(), i) for i, side in enumerate(self.encoded.indicators)
            )
            yield source, target

    def best(self, selected: Bools, among: Bools, fewest: int) -> ColumnCondition | None:
        """Take the values in which most rows are selected, as many of them as agree best."""
        table, levels = self._table
        rows = table.T @ among.astype(float)
        hits = table.T @ (among & selected).astype(float)
        seen = np.flatnonzero(hits)
        order = seen[np.lexsort((-hits[seen], -hits[seen] / rows[seen]))][:_MOST_ITEMS]
        values = agreement(np.cumsum(hits[order]), np.cumsum(rows[order]), int(selected.sum()), fewest)
        values = values - _COST * np.arange(len(order))
        if not len(order) or values.max() <= 0:
            return None
        chosen = order[: int(values.argmax()) + 1]
        if len(chosen) == np.count_nonzero(rows):  # all there are say nothing
            return None
        rule = Category("values", column=self.column, values=tuple(levels[number] for number in chosen))
        return ColumnCondition(rule, np.asarray(table[:, chosen].sum(axis=1)).ravel() > 0, _COST * (len(chosen) - 1))


class WordLists(RuleFamily):
    """List words, any of which a text contains."""

    def table(self) -> RuleTable:
        """List the words and phrases that are frequent, or shift most, with their rows: no text is searched again."""
        sizes = self.samples[0].n_rows, self.samples[1].n_rows
        arrays = [pc.cast(arrow_array(sample.series(self.column)), pa.large_string()) for sample in self.samples]
        texts = pa.concat_arrays(arrays)
        table, names = _most_telling(*words_of(texts), sizes, _MOST_WORDS, _FREQUENT_WORDS)
        pairs, phrases = phrases_of(texts, names, MIN_ROWS_OF_WORD)
        more, chosen = _most_telling(pairs, phrases, sizes, _MOST_PHRASES, 0)
        both = csr_matrix(hstack([table, more]))
        rules: list[Slice] = [keyword_rule(self.column, name) for name in (*names, *chosen)]
        n = sizes[0]
        return RuleTable(rules, list(range(len(rules))), csr_matrix(both[:n]), csr_matrix(both[n:]))

    @cached_property
    def _rows(self) -> tuple[csr_matrix, csr_matrix]:
        """The rows with each word, by row and by word."""
        rows = csr_matrix(vstack(self.encoded.indicators))
        return rows, csr_matrix(rows.T)

    def best(self, selected: Bools, among: Bools, fewest: int) -> ColumnCondition | None:
        """Take the best word, then the word that adds most, for as long as one does."""
        by_row, by_word = self._rows
        inside, chosen, value = np.zeros(len(selected), dtype=bool), list[int](), 0.0
        wanted, total = selected & among, int(selected.sum())
        while len(chosen) < _MOST_ITEMS:
            hits = (inside & wanted).sum() + by_word @ (wanted & ~inside).astype(float)
            rows = (inside & among).sum() + by_word @ (among & ~inside).astype(float)
            values = agreement(hits, rows, total, fewest if not chosen else 0)
            word = int(values.argmax())
            if values[word] < value + (_WORTH if chosen else 1e-9):
                break
            chosen.append(word)
            inside, value = inside | (by_row[:, [word]].toarray().ravel() > 0), float(values[word])
        if not chosen:
            return None
        words = tuple(self.encoded.items[word] for word in chosen)
        return ColumnCondition(Keyword("words", column=self.column, words=words), inside, _COST * (len(words) - 1))


class Months(RuleFamily):
    """Take months of dates that are text, such as 2024-03; years tell only that time passed."""

    def rules(self) -> Iterator[Slice]:
        """Take each month."""
        for month in range(1, 13):
            yield Regex(f"{self.column} in month {month:02}", column=self.column, pattern=rf"^\d{{4}}-{month:02}")


_FAMILIES: Mapping[str, tuple[type[RuleFamily], ...]] = {"number": (Numbers,), "text": (WordLists, Lengths)}


def rule_families(column: str, encoded: EncodedColumn | str, samples: Samples) -> Iterator[RuleFamily]:
    """List what can be asked of a column.

    Parameters
    ----------
    encoded : EncodedColumn or str
        The column on the rows of both samples; or why it is not compared.
    """
    types = [sample.schema[column] for sample in samples]
    kinds: list[type[RuleFamily]] = [MissingValues]
    if not isinstance(encoded, str):
        if encoded.known[0].all() and encoded.known[1].all():
            kinds = []
        kinds += _FAMILIES.get(encoded.kind, (Levels,))
    elif all(dtype.is_numeric() for dtype in types):  # one side has no number: the other may still be cut
        kinds.append(Numbers)
    elif all(map(is_date, types)):
        kinds.append(Dates)
    elif encoded == A_DATE and all(dtype == nw.String for dtype in types):
        kinds.append(Months)
    yield from (kind(column, encoded, samples) for kind in kinds)


def _group(column: str, items: Sequence[str], source: Floats, target: Floats) -> Iterator[Category]:
    """Join the levels that the target has more of, beyond sampling error; shares decide, not scores."""
    n_source, n_target = max(source.sum(), 1.0), max(target.sum(), 1.0)
    pooled = (source + target) / (n_source + n_target)
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-300) * (1 / n_source + 1 / n_target))
    more = (target / n_target - source / n_source) / error > _GROUP_Z
    values = tuple(item for item, chosen in zip(items, more, strict=True) if chosen and item != OTHER)
    if 1 < len(values) < len(items) - 1:
        shown = values if len(values) <= 3 else (*values[:2], f"{len(values) - 2} more")
        yield Category(f"{column} is {' or '.join(shown)}", column=column, values=values)


def _most_telling(
    table: csr_matrix, names: list[str], sizes: tuple[int, int], most: int, frequent: int
) -> tuple[csr_matrix, list[str]]:
    """Choose words with enough rows: the frequent ones, and those whose share of rows differs most."""
    source, target = column_sums(table[: sizes[0]]), column_sums(table[sizes[0] :])
    tried = np.flatnonzero((source >= FEWEST_SOURCE) & (target >= FEWEST_TARGET))
    chosen = np.sort(tried[choose_words(source[tried], target[tried], *sizes, most=most, frequent=frequent)])
    return csr_matrix(table[:, chosen]), [names[number] for number in chosen]
