"""Columns of both samples: which to use, and each encoded as indicators of bins, levels or words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Bools, Floats, Index
from mandoline_core.data import Sample, arrow_array, kind_of, profile_column, text_kind
from mandoline_core.domain_classifier.words import words_of

ColumnKind = Literal["number", "date", "category", "flag", "text"]
Samples = tuple[Sample, Sample]

MOST_COLUMNS = 1_000  # that are looked at unless asked for: each takes about a millisecond, whatever its length
BEYOND = f"not among the first {MOST_COLUMNS:,} usable columns"
MOST_LEVELS = 30
MOST_WORDS = 200
MOST_COMMON = 500  # words that a classifier looks at
FREQUENT_WORDS = 60  # of them, those in most rows; the others are those whose share of rows differs most
MIN_ROWS_OF_WORD = 10  # in both samples together
N_QUANTILES = 10  # of each sample, to cut numbers at
OTHER = "(other)"
_NEARLY_ALL_OTHER = 0.9  # of the rows of one sample
A_DATE = "a date: new data is usually later"
TOO_MANY = f"too many values: the {MOST_LEVELS} most frequent are in less than a tenth of the rows"


def default_columns(source: Sample, target: Sample) -> tuple[tuple[str, ...], dict[str, str]]:
    """Choose the columns that may distinguish the samples, and say why the others are left out.

    Of very many, only the first are chosen.

    Returns
    -------
    columns : tuple of str
        In the source's order.
    left_out : dict of str to str
        For each other column of either sample, the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"age": [30, 40], "y": [0, 1], "p": [1, 1]}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"age": [50, 60], "p": [0, 1]}), name="target.csv")
    >>> default_columns(source, target)
    (('age',), {'y': 'the label', 'p': "a prediction of model 'model'"})
    """
    reasons: dict[str, str] = {}
    for sample in (source, target):
        for model in sample.models:
            reasons |= dict.fromkeys(model.columns, f"a prediction of model {model.name!r}")
    reasons |= {sample.label: "the label" for sample in (source, target) if sample.label is not None}
    reasons |= {sample.group: "the group" for sample in (source, target) if sample.group is not None}
    reasons |= {sample.weight: "the weight" for sample in (source, target) if sample.weight is not None}
    for sample, other in ((source, target), (target, source)):
        for column in {*sample.columns} - {*other.columns}:
            reasons.setdefault(column, f"not in {other.name}")
    chosen: list[str] = []
    for column in source.columns:
        if column in reasons:
            continue
        reason = BEYOND if len(chosen) == MOST_COLUMNS else _drawback(column, source, target)
        if reason is None:
            chosen.append(column)
        else:
            reasons[column] = reason
    order = dict.fromkeys((*source.columns, *target.columns))
    return tuple(chosen), {column: reasons[column] for column in order if column in reasons}


def _drawback(column: str, source: Sample, target: Sample) -> str | None:
    """Return why a column is not used unless asked for."""
    kind, wrong = common_kind(column, source, target)
    if kind is None:
        return wrong
    empty = [sample.name for sample in (source, target) if sample.schema[column] == nw.Unknown]
    if empty:
        return "no values" if len(empty) == 2 else f"no values in {empty[0]}"
    return profile_column(column, source, target).drawback or None


def common_kind(column: str, source: Sample, target: Sample) -> tuple[str | None, str]:
    """Name what a column's values are compared as in both samples, or return None and what is wrong."""
    types = [sample.schema[column] for sample in (source, target)]
    kinds = [_kind_of_type(dtype) for dtype in types]
    if None in kinds:
        return None, f"holds {kind_of(types[kinds.index(None)])}, which cannot be compared"
    if "nothing" in kinds:
        return next((kind for kind in kinds if kind != "nothing"), "numbers"), ""
    if kinds[0] != kinds[1]:
        return None, f"holds {kind_of(types[0])} in {source.name} and {kind_of(types[1])} in {target.name}"
    return kinds[0], ""


def _kind_of_type(dtype: nw.dtypes.DType) -> str | None:
    if dtype.is_numeric() or dtype == nw.Boolean:
        return "numbers"
    names = {nw.String: "text", nw.Date: "dates", nw.Datetime: "dates", nw.Time: "times", nw.Duration: "durations"}
    names[nw.Unknown] = "nothing"
    return next((name for kind, name in names.items() if dtype == kind), None)


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
        The number of quantities from which these were chosen.
    common : pair of csr_matrix and list of str, optional
        Of text: the words in most rows, chosen by that alone, in the rows of both samples, labelled rows first.
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
    common: tuple[csr_matrix, list[str]] | None = None


def encode_column(column: str, samples: Samples, read: tuple[Index, Index]) -> EncodedColumn | str:
    """Read one column of the rows asked for, or say why not.

    Parameters
    ----------
    read : pair of arrays of int
        The rows of each sample that are read.

    Examples
    --------
    >>> samples = Sample(pa.table({"c": ["a", "b", "a"]})), Sample(pa.table({"c": ["b", None]}))
    >>> encoded = encode_column("c", samples, (np.arange(3), np.arange(2)))
    >>> encoded.kind, encoded.items, encoded.indicators[1].toarray().tolist()
    ('category', ('b', 'a'), [[1.0, 0.0], [0.0, 0.0]])
    """
    types, n = [sample.schema[column] for sample in samples], len(read[0])
    if all(dtype == nw.Boolean for dtype in types):
        return _levels("flag", pc.if_else(_read(column, samples, read, pa.bool_()), "true", "false"), n)
    if all(dtype.is_numeric() or dtype == nw.Boolean for dtype in types):
        values = _read(column, samples, read, pa.float64()).to_numpy(zero_copy_only=False).astype(float)
        return _numbers([values[:n], values[n:]])
    if all(dtype in (nw.Date, nw.Datetime) for dtype in types):
        return A_DATE
    if all(dtype == nw.String for dtype in types):
        return _strings(_read(column, samples, read, pa.large_string()), n)
    return "holds times, which cannot be compared"


def _read(column: str, samples: Samples, read: tuple[Index, Index], goal: pa.DataType) -> pa.Array:
    """Read the rows of both samples, one behind the other."""
    parts = []
    for sample, some in zip(samples, read, strict=True):
        series = sample.series(column)
        array = arrow_array(series[some] if len(some) < len(series) else series)
        parts.append(pc.cast(array, goal, safe=False))
    return pa.concat_arrays(parts)


def _strings(values: pa.Array, n: int) -> EncodedColumn | str:
    """Encode text as words or as categories; dates, and values that hardly repeat, are neither."""
    kind = text_kind([values], MOST_LEVELS)
    if kind != "category":
        return A_DATE if kind == "date" else _texts(values, n)
    encoded = _levels("category", values, n)
    if len(encoded.items) > MOST_LEVELS and any(
        side[:, MOST_LEVELS].sum() >= _NEARLY_ALL_OTHER * max(known.sum(), 1)
        for side, known in zip(encoded.indicators, encoded.known, strict=True)
    ):
        return TOO_MANY
    return encoded


def _numbers(values: list[Floats]) -> EncodedColumn | str:
    known = np.isfinite(values[0]), np.isfinite(values[1])
    finite = [side[some] for side, some in zip(values, known, strict=True)]
    if not all(map(len, finite)):
        return "no values in the rows that count"
    cuts = _cuts(finite)
    # A value on a cut is below it: a bound that is not passed is outside, as in a threshold slice.
    bins = tuple(
        _one_hot(np.where(some, np.searchsorted(cuts, side, side="left"), -1), len(cuts) + 1)
        for side, some in zip(values, known, strict=True)
    )
    both = np.concatenate(finite)
    centre = float(both.min() / 2 + both.max() / 2)
    unit = float(both.max() / 2 - both.min() / 2) or 1.0
    source, target = (np.where(some, side - centre, 0.0) / unit for side, some in zip(values, known, strict=True))
    tests = 1 + len(cuts) + _gaps(known)
    return EncodedColumn("number", known, (bins[0], bins[1]), (), cuts, (source, target), centre, unit, tests)


def _cuts(values: list[Floats]) -> Floats:
    """Choose values that cut both samples into parts of some size, with few digits."""
    shares = np.arange(1, N_QUANTILES) / N_QUANTILES
    cuts = np.concatenate([np.quantile(side, shares, method="lower") for side in values])
    both = np.concatenate([side[[side.argmin(), side.argmax()]] for side in values])
    wide = np.ptp(cuts) or np.ptp(both)
    if wide > 0 and np.isfinite(wide):
        cuts = np.round(cuts, max(0, 3 - int(np.floor(np.log10(wide)))))
    cuts = np.unique(cuts)
    return cuts[(cuts >= both.min()) & (cuts < both.max())]


def _levels(kind: ColumnKind, values: pa.Array, n: int) -> EncodedColumn:
    encoded = values.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    names = encoded.dictionary.to_pylist()
    sides = codes[:n], codes[n:]
    source, target = (np.bincount(side[side >= 0], minlength=len(names)) / max(len(side), 1) for side in sides)
    shares = source + target
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
    rows, words = words_of(values)
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    known = valid[:n], valid[n:]
    totals = max(float(known[0].sum()), 1.0), max(float(known[1].sum()), 1.0)
    source, target = _rows_with_words(rows, n)
    tried = np.flatnonzero((source + target >= MIN_ROWS_OF_WORD) & (source + target < sum(totals)))
    chosen = np.sort(tried[choose_words(source[tried], target[tried], *totals)])
    items = tuple(words[number] for number in chosen)
    shares = source / totals[0] + target / totals[1]
    most = np.sort(tried[np.argsort(-shares[tried], kind="stable")[:MOST_COMMON]])
    return EncodedColumn(
        "text",
        known,
        (csr_matrix(rows[:n, chosen]), csr_matrix(rows[n:, chosen])),
        items,
        np.empty(0),
        tests=max(len(tried) + _gaps(known), 1),
        common=(csr_matrix(rows[:, most]), [words[number] for number in most]),
    )


def _rows_with_words(rows: csr_matrix, n: int) -> tuple[Floats, Floats]:
    """Count the rows that have each word, among the first n and among the others; without a copy of either part."""
    start = rows.indptr[n]
    first, others = (
        np.bincount(some, minlength=rows.shape[1]) for some in (rows.indices[:start], rows.indices[start:])
    )
    return first.astype(float), others.astype(float)


def choose_words(
    source: Floats,
    target: Floats,
    n_source: float,
    n_target: float,
    most: int = MOST_WORDS,
    frequent: int = FREQUENT_WORDS,
) -> Index:
    """Choose the words in most rows, and those whose share differs most between the samples.

    Parameters
    ----------
    source, target : array of float, shape (n_words,)
        Rows of either sample that have each word.
    """
    shares = source / n_source + target / n_target
    commonest = np.argsort(-shares, kind="stable")[:frequent]
    pooled = (source + target) / (n_source + n_target)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n_source + 1 / n_target))
    shifted = np.argsort(-np.abs(source / n_source - target / n_target) / np.maximum(error, 1e-300), kind="stable")
    return np.array([*dict.fromkeys([*commonest.tolist(), *shifted.tolist()])][:most], dtype=np.intp)


def _one_hot(items: Index, n_items: int) -> csr_matrix:
    """Mark the item of each row; none where it is below 0."""
    known = items >= 0
    starts = np.concatenate([[0], np.cumsum(known)])
    return csr_matrix((np.ones(int(starts[-1])), items[known], starts), shape=(len(items), n_items))


def _gaps(known: tuple[Bools, Bools]) -> int:
    """Count one more comparison where values are missing."""
    return int(not (known[0].all() and known[1].all()))
