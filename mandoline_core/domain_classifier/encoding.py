"""One column of both samples, row by row, as what can be added up: indicators of bins, levels or words, and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import Sample, text_kind
from mandoline_core.domain_classifier.words import Words, words_of

ColumnKind = Literal["number", "date", "category", "flag", "text"]
Samples = tuple[Sample, Sample]
Bools = NDArray[np.bool_]

MOST_LEVELS = 30
MOST_WORDS = 200
MOST_COMMON = 500  # words that a classifier looks at
FREQUENT_WORDS = 60  # of them, those in most rows; the others are those whose share of rows differs most
MIN_ROWS_OF_WORD = 10  # in both samples together
N_QUANTILES = 10  # of each sample, to cut numbers at
OTHER = "(other)"
_NEARLY_ALL_OTHER = 0.9  # of the rows of one sample
A_DATE = "a date: new data are from another time by nature"
TOO_MANY = f"too many values: the {MOST_LEVELS} most frequent are in less than a tenth of a sample's rows"


@dataclass(frozen=True, eq=False)
class EncodedColumn:
    """Hold one column of the rows that are read; nothing in it depends on slices.

    Parameters
    ----------
    kind : {"number", "date", "category", "flag", "text"}
    known : pair of arrays of bool
        Rows with a value, of each sample.
    indicators : pair of csr_matrix, shape (n_rows, m)
        1 in the bin, at the level, or at the words of each row.
    items : tuple of str
        Levels, or words; of numbers none.
    cuts : array of float
        Of numbers: the bins' inner bounds.
    values : pair of arrays of float, optional
        Of numbers: less `centre` and over `unit`, 0 where missing.
    tests : int
        How many quantities were looked at to choose these.
    common : Words or None
        Of text: the words in most rows, chosen by that alone, in the rows of both samples one after the other.
    """

    kind: ColumnKind
    known: tuple[Bools, Bools]
    indicators: tuple[csr_matrix, csr_matrix]
    items: tuple[str, ...]
    cuts: Floats
    values: tuple[Floats, Floats] | None = None
    centre: float = 0.0
    unit: float = 1.0
    tests: int = 1
    common: Words | None = None


def encode_column(column: str, samples: Samples, read: tuple[Index, Index]) -> EncodedColumn | str:
    """Read one column of the rows asked for, or say why not.

    Parameters
    ----------
    read : pair of arrays of int
        The rows of each sample that are read.

    Examples
    --------
    >>> samples = Sample(pa.table({"c": ["a", "b", "a"]})), Sample(pa.table({"c": ["b", None]}))
    >>> found = encode_column("c", samples, (np.arange(3), np.arange(2)))
    >>> found.kind, found.items, found.indicators[1].toarray().tolist()
    ('category', ('b', 'a'), [[1.0, 0.0], [0.0, 0.0]])
    """
    types, n = [sample.schema[column] for sample in samples], len(read[0])
    if all(dtype == nw.Boolean for dtype in types):
        return _levels("flag", pc.if_else(_read(column, samples, read, pa.bool_()), "true", "false"), n)
    if all(dtype.is_numeric() or dtype == nw.Boolean for dtype in types):
        values = _floats(_read(column, samples, read, pa.float64()))
        return _numbers([values[:n], values[n:]])
    if all(dtype in (nw.Date, nw.Datetime) for dtype in types):
        return A_DATE
    if all(dtype == nw.String for dtype in types):
        return _strings(_read(column, samples, read, pa.large_string()), n)
    return "holds times, which are not compared"


def _read(column: str, samples: Samples, read: tuple[Index, Index], goal: pa.DataType) -> pa.Array:
    """Read the rows of both samples, one behind the other."""
    found = []
    for sample, some in zip(samples, read, strict=True):
        series = sample.series(column)
        array = (series[some] if len(some) < len(series) else series).to_arrow()
        array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
        found.append(pc.cast(array, goal, safe=False))
    return pa.concat_arrays(found)


def _floats(values: pa.Array) -> Floats:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=float)


def _strings(values: pa.Array, n: int) -> EncodedColumn | str:
    """Encode text as words or as categories; dates, and values that hardly repeat, are neither."""
    kind = text_kind([values], MOST_LEVELS)
    if kind != "category":
        return A_DATE if kind == "date" else _texts(values, n)
    found = _levels("category", values, n)
    if len(found.items) > MOST_LEVELS and any(
        side[:, MOST_LEVELS].sum() >= _NEARLY_ALL_OTHER * max(known.sum(), 1)
        for side, known in zip(found.indicators, found.known, strict=True)
    ):
        return TOO_MANY
    return found


def _numbers(values: list[Floats]) -> EncodedColumn | str:
    known = np.isfinite(values[0]), np.isfinite(values[1])
    there = [side[some] for side, some in zip(values, known, strict=True)]
    if not all(map(len, there)):
        return "no value at all in the rows that count"
    cuts = _cuts(there)
    # A value on a cut is below it: a bound that is not passed is outside, as in a threshold slice.
    here, then = (
        _one_hot(np.where(some, np.searchsorted(cuts, side, side="left"), -1), len(cuts) + 1)
        for side, some in zip(values, known, strict=True)
    )
    both = np.concatenate(there)
    centre = float(both.min() / 2 + both.max() / 2)
    unit = float(both.max() / 2 - both.min() / 2) or 1.0
    source, target = (np.where(some, side - centre, 0.0) / unit for side, some in zip(values, known, strict=True))
    tests = 1 + len(cuts) + _gaps(known)
    return EncodedColumn("number", known, (here, then), (), cuts, (source, target), centre, unit, tests)


def _cuts(values: list[Floats]) -> Floats:
    """Choose values that cut both samples into parts of some size, with few digits."""
    shares = np.arange(1, N_QUANTILES) / N_QUANTILES
    found = np.concatenate([np.quantile(side, shares, method="lower") for side in values])
    both = np.concatenate([side[[side.argmin(), side.argmax()]] for side in values])
    wide = np.ptp(found) or np.ptp(both)
    if wide > 0 and np.isfinite(wide):
        found = np.round(found, max(0, 3 - int(np.floor(np.log10(wide)))))
    found = np.unique(found)
    return found[(found >= both.min()) & (found < both.max())]


def _levels(kind: ColumnKind, values: pa.Array, n: int) -> EncodedColumn:
    encoded = values.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    names = encoded.dictionary.to_pylist()
    sides = codes[:n], codes[n:]
    here, there = (np.bincount(side[side >= 0], minlength=len(names)) / max(len(side), 1) for side in sides)
    shares = here + there
    order = sorted(range(len(names)), key=lambda code: (-shares[code], names[code]))
    items = [names[code] for code in order[:MOST_LEVELS]] + ([OTHER] if len(names) > MOST_LEVELS else [])
    places = np.full(len(names) + 1, -1, dtype=np.intp)  # the last is what code -1 (missing) reads
    places[order] = np.minimum(np.arange(len(names)), MOST_LEVELS)
    known = sides[0] >= 0, sides[1] >= 0
    indicators = _one_hot(places[sides[0]], len(items)), _one_hot(places[sides[1]], len(items))
    # Two levels without a missing value are one question.
    tests = max(len(items) + _gaps(known) - int(len(items) == 2), 1)
    return EncodedColumn(kind, known, indicators, tuple(items), np.empty(0), tests=tests)


def _texts(values: pa.Array, n: int) -> EncodedColumn:
    words = words_of(values)
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    known = valid[:n], valid[n:]
    totals = max(float(known[0].sum()), 1.0), max(float(known[1].sum()), 1.0)
    here, there = _rows_with_words(words.rows, n)
    tried = np.flatnonzero((here + there >= MIN_ROWS_OF_WORD) & (here + there < sum(totals)))
    chosen = np.sort(tried[choose_words(here[tried], there[tried], *totals)])
    items = tuple(words.names[number] for number in chosen)
    shares = here / totals[0] + there / totals[1]
    most = np.sort(tried[np.argsort(-shares[tried], kind="stable")[:MOST_COMMON]])
    return EncodedColumn(
        "text",
        known,
        (csr_matrix(words.rows[:n, chosen]), csr_matrix(words.rows[n:, chosen])),
        items,
        np.empty(0),
        tests=max(len(tried) + _gaps(known), 1),
        common=Words(csr_matrix(words.rows[:, most]), [words.names[number] for number in most]),
    )


def _rows_with_words(rows: csr_matrix, n: int) -> tuple[Floats, Floats]:
    """Count the rows that have each word, among the first n and among the others; without a copy of either part."""
    start = rows.indptr[n]
    first, others = (
        np.bincount(some, minlength=rows.shape[1]) for some in (rows.indices[:start], rows.indices[start:])
    )
    return first.astype(float), others.astype(float)


def choose_words(
    here: Floats,
    there: Floats,
    n_source: float,
    n_target: float,
    most: int = MOST_WORDS,
    frequent: int = FREQUENT_WORDS,
) -> Index:
    """Choose the words in most rows, and those whose share differs most between the samples.

    Parameters
    ----------
    here, there : array of float, shape (n_words,)
        Rows of either sample that have each word.
    """
    shares = here / n_source + there / n_target
    commonest = np.argsort(-shares, kind="stable")[:frequent]
    pooled = (here + there) / (n_source + n_target)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n_source + 1 / n_target))
    shifted = np.argsort(-np.abs(here / n_source - there / n_target) / np.maximum(error, 1e-300), kind="stable")
    return np.array([*dict.fromkeys([*commonest.tolist(), *shifted.tolist()])][:most], dtype=np.intp)


def _one_hot(items: Index, n_items: int) -> csr_matrix:
    """Mark the item of each row; none where it is below 0."""
    known = items >= 0
    starts = np.concatenate([[0], np.cumsum(known)])
    return csr_matrix((np.ones(int(starts[-1])), items[known], starts), shape=(len(items), n_items))


def _gaps(known: tuple[Bools, Bools]) -> int:
    """Count one more comparison where values are missing."""
    return int(not (known[0].all() and known[1].all()))
