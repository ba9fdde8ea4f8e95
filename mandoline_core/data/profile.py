"""Profiles: what a column seems to hold, asked of its values and its name, in one place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.arrays import Index
from mandoline_core.data.classes import arrow_array, class_name, kind_of
from mandoline_core.data.dates import is_date
from mandoline_core.data.sample import Sample

Kind = Literal["number", "flag", "date", "category", "text", "identifier", "constant", "empty", "other"]

CONSTANT = "the same value in every row"
MOST_LEVELS = 50  # distinct texts that are categories whatever their length
_LOOKED_AT = 1000  # texts, to tell prose from categories
_SEVERAL_WORDS = 3.0  # a text, on average: prose
_NEARLY_ALL = 0.95
_ENOUGH_ROWS = 20  # with fewer, values that differ are no sign of an identifier
_KEY = re.compile(r"(?:.*[\W_])?(?i:ids?|idx|index|key|uuid|guid)|.*[a-z](?:Id|ID|Index|Key)")
_DATE = (
    r"^(1[89]|2[01])\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])([T ]\d\d:\d\d.*)?)?$"  # ISO 8601, to a month or finer
)


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """Find what a column holds, in one sample or several.

    Parameters
    ----------
    samples : tuple of Sample
        All of them have the column.
    most_levels : int
        The number of distinct texts up to which a text column holds categories.
    """

    name: str
    samples: tuple[Sample, ...]
    most_levels: int = MOST_LEVELS

    @cached_property
    def series(self) -> tuple[nw.Series[Any], ...]:
        """The column, of each sample."""
        return tuple(sample.series(self.name) for sample in self.samples)

    @cached_property
    def dtypes(self) -> tuple[nw.dtypes.DType, ...]:
        """Its type, of each sample."""
        return tuple(sample.schema[self.name] for sample in self.samples)

    @property
    def n_rows(self) -> int:
        """The number of rows, with a value or without."""
        return sum(map(len, self.series))

    @cached_property
    def known(self) -> tuple[int, ...]:
        """The number of rows with a value, of each sample."""
        return tuple(len(series) - int(series.null_count()) for series in self.series)

    @property
    def missing(self) -> float:
        """The share of rows without a value."""
        return (self.n_rows - sum(self.known)) / self.n_rows

    @cached_property
    def distinct(self) -> tuple[int, ...]:
        """The number of distinct values, of each sample."""
        return tuple(_count_distinct(_known(sample, self.name)) for sample in self.samples)

    @property
    def holds(self) -> str:
        """What the first sample's type holds, in a word or two."""
        return kind_of(self.dtypes[0])

    @property
    def example(self) -> Any:
        """The first value; None without any."""
        values = _known(self.samples[0], self.name)
        return values[0].as_py() if len(values) else None

    @cached_property
    def kind(self) -> Kind:
        """The kind of column."""
        if not any(self.known):
            return "empty"
        if self.drawback:
            return "constant" if self.is_constant else "identifier"
        if all(dtype == nw.Boolean for dtype in self.dtypes):
            return "flag"
        if all(dtype.is_numeric() or dtype == nw.Boolean for dtype in self.dtypes):
            return "number"
        if all(map(is_date, self.dtypes)):
            return "date"
        if not self._is_text:
            return "other"
        return text_kind([_known(sample, self.name) for sample in self.samples], self.most_levels)

    @cached_property
    def is_constant(self) -> bool:
        """Tell whether every row has the same value."""
        first = [arrow_array(series[:_LOOKED_AT]) for series in self.series]
        if any(some.null_count for some in first):
            return False
        values = [some.to_pylist() for some in first]
        if any(value != some[0] for some in values for value in some):
            return False
        if max(map(len, self.series)) > _LOOKED_AT and (sum(self.known) < self.n_rows or set(self.distinct) != {1}):
            return False
        return all(some[0] == values[0][0] for some in values)

    @cached_property
    def is_prose(self) -> bool:
        """Tell text of several words from categories, which are few or short."""
        n = sum(self.known)
        places = _places(n)
        some: list[str] = []
        start = 0
        for series, size in zip(self.series, self.known, strict=True):
            inside = places[(places >= start) & (places < start + size)] - start
            rows = np.flatnonzero(~series.is_null().to_numpy())[inside] if size < len(series) else inside
            some += series[rows.tolist()].to_list()
            start += size
        return _are_prose(
            some, n, self.most_levels, lambda: pa.chunked_array([_known(sample, self.name) for sample in self.samples])
        )

    @cached_property
    def drawback(self) -> str:
        """Why the column only tells one row from another, or none from any; empty for others.

        Identifiers are whole numbers, or texts of a word or two.
        """
        if self.is_constant:
            return CONSTANT
        n_known = sum(self.known)
        may_be_keys = all(dtype.is_integer() for dtype in self.dtypes) or (self._is_text and not self.is_prose)
        if n_known < _ENOUGH_ROWS or not may_be_keys:
            return ""
        many = sum(self.distinct)
        if many >= _NEARLY_ALL * n_known and (self._is_text or self._are_close):
            return "an identifier: nearly every value is unique"
        return "an identifier, judging by its name" if _KEY.fullmatch(self.name) and many > self.most_levels else ""

    @property
    def _are_close(self) -> bool:
        """Tell whether whole numbers lie as close as those of numbered rows do; measurements are further apart."""
        pairs = zip(self.series, self.known, strict=True)
        return all(bool(values.max() - values.min() <= 2 * n_known) for values, n_known in pairs)

    @property
    def _is_text(self) -> bool:
        return all(dtype == nw.String for dtype in self.dtypes)


def profile_column(column: str, *samples: Sample, most_levels: int = MOST_LEVELS) -> ColumnProfile:
    """Profile a column that all samples have.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"plan": ["free", "pro", None], "ticket": ["a", "b", "c"]}))
    >>> profile = profile_column("plan", sample)
    >>> profile.kind, profile.distinct, round(profile.missing, 2), profile.example
    ('category', (2,), 0.33, 'free')
    """
    return ColumnProfile(column, samples, most_levels)


def text_kind(values: Sequence[pa.Array], most_levels: int = MOST_LEVELS) -> Literal["date", "text", "category"]:
    """Tell what texts are: dates, text of several words, or categories.

    Examples
    --------
    >>> text_kind([pa.array(["2020-01-01", "2020-02"])]), text_kind([pa.array(["a", "b", "a"])])
    ('date', 'category')
    """
    known = pa.chunked_array(values).drop_null()
    if len(known) and pc.sum(pc.match_substring_regex(known, _DATE)).as_py() >= _NEARLY_ALL * len(known):
        return "date"
    some = known.take(pa.array(_places(len(known)))).to_pylist()
    return "text" if _are_prose(some, len(known), most_levels, lambda: known) else "category"


def few_classes(sample: Sample, column: str, most: int) -> frozenset[str]:
    """List the classes that a column seems to hold; none for prose, keys and measurements.

    Examples
    --------
    >>> import pandas as pd
    >>> sorted(few_classes(Sample(pd.DataFrame({"y": [1, 0, 1.0]})), "y", 100))
    ['0', '1']
    """
    dtype = sample.schema[column]
    if not (dtype in (nw.String, nw.Boolean) or dtype.is_numeric()):
        return frozenset()
    values = _known(sample, column).unique()
    if not 1 <= len(values) <= min(most, max(2, sample.n_rows // 2)):
        return frozenset()
    distinct = values.to_pylist()
    if dtype.is_float() and not all(value.is_integer() for value in distinct):
        return frozenset()
    return frozenset(map(class_name, distinct))


def _known(sample: Sample, column: str) -> pa.Array:
    values = arrow_array(sample.series(column)).drop_null()
    return values.cast(pa.large_string()) if sample.schema[column] == nw.String else values


def _count_distinct(values: pa.Array | pa.ChunkedArray) -> int:
    try:
        return int(pc.count_distinct(values).as_py())
    except pa.ArrowNotImplementedError:  # lists and the like
        return len({str(value) for value in values.to_pylist()})


def _places(n: int) -> Index:
    """Choose rows to look at, spread evenly."""
    return np.linspace(0, n - 1, min(n, _LOOKED_AT)).astype(np.intp)


def _are_prose(some: Sequence[str], n: int, most_levels: int, whole: Callable[[], pa.ChunkedArray]) -> bool:
    """Tell texts of several words from categories, which are few or short, by some of n texts.

    Parameters
    ----------
    whole : callable
        Gives all of them, which are many: asked only where some do not suffice.
    """
    few = min(most_levels, n // 2)
    if not some or sum(len(text.split()) for text in some) < _SEVERAL_WORDS * len(some):
        return False
    return len(set(some)) > few or _count_distinct(whole()) > few
