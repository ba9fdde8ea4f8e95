"""Columns that name the sample: their values hardly occur in both, so they say where a row comes from and no more."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import Sample, arrow_array
from mandoline_core.domain_classifier.columns import MOST_LEVELS, EncodedColumn
from mandoline_core.formatting import listed, show_mean

MOST_OVERLAP = 0.05  # 1 - total variation: the share of rows whose values both samples have
# Labelled rows with the new data's values: with more, a slice can cover them, and what differs is an ordinary shift.
FEW_ALIKE = 100
FEWEST_ROWS = 20  # a sample: with 30 values or fewer, samples drawn alike never overlap by 5% or less
_MOST_NAMED = 2  # values of a sample
_TAILS = 0.05, 0.95


class NamingColumn(NamedTuple):
    """Hold a column whose values hardly occur in both samples.

    Parameters
    ----------
    source, target : str
        The values in either sample, in a few words.
    overlap : float
        The share of rows whose values both samples have.
    """

    column: str
    source: str
    target: str
    overlap: float


def find_naming(name: str, column: EncodedColumn) -> NamingColumn | None:
    """Tell whether a column names the sample; None if it does not.

    Rows without a value do not count. Numbers are compared by the cut that separates the samples best, and by value if
    they have few; categories by value. Text does not name a sample.

    Examples
    --------
    >>> from mandoline_core.domain_classifier import encode_column
    >>> rows = np.arange(30), np.arange(30)
    >>> years = Sample(pa.table({"year": [2014, 2015] * 15})), Sample(pa.table({"year": [2018] * 30}))
    >>> find_naming("year", encode_column("year", years, rows))
    NamingColumn(column='year', source='2014 to 2015', target='2018', overlap=0.0)
    >>> find_naming("year", encode_column("year", (years[0], years[0]), rows)) is None
    True
    """
    if column.kind == "text" or not _enough(column.known):
        return None
    if column.values is not None:
        with np.errstate(over="ignore"):  # numbers near the largest there is: in order all the same
            sides = [
                column.centre + column.unit * side[some] for side, some in zip(column.values, column.known, strict=True)
            ]
        return _compare(name, np.concatenate(sides), len(sides[0]), lambda value: show_mean(float(value)))
    counts = [np.asarray(side.sum(axis=0)).ravel() for side in column.indicators]
    return _by_value(name, counts[0], counts[1], column.items)


def find_naming_date(name: str, samples: tuple[Sample, Sample], read: tuple[Index, Index]) -> NamingColumn | None:
    """Tell whether a column of dates names the sample: texts as ISO 8601 writes them are in the order of time."""
    parts = [
        arrow_array(sample.series(name)[rows]).drop_null().cast(pa.string())
        for sample, rows in zip(samples, read, strict=True)
    ]
    known = tuple(np.arange(len(rows)) < len(part) for part, rows in zip(parts, read, strict=True))
    if not _enough((known[0], known[1])):
        return None
    days = [np.asarray(part.to_numpy(zero_copy_only=False), dtype=str) for part in parts]
    return _compare(name, np.concatenate(days), len(days[0]), lambda value: str(value)[:10])


def _enough(known: tuple[Any, Any]) -> bool:
    """Tell whether at least half the rows of both samples have a value, and enough to compare."""
    return all(some.sum() >= max(FEWEST_ROWS, len(some) / 2) for some in known)


def _compare(name: str, values: Any, n: int, show: Any) -> NamingColumn | None:
    """Compare ordered values of both samples, the n of the labelled data first."""
    every, places = np.unique(values, return_inverse=True)
    counts = [np.bincount(side, minlength=len(every)) for side in (places[:n], places[n:])]
    if len(every) <= MOST_LEVELS and not _ordered(*counts):
        return _by_value(name, counts[0], counts[1], [show(value) for value in every])
    shares = [np.cumsum(side) / side.sum() for side in counts]
    gaps = shares[0] - shares[1]  # above 0 where labelled rows come first
    cut = int(np.abs(gaps).argmax())
    overlap = 1 - float(np.abs(gaps[cut]))
    first = counts[0][: cut + 1].sum()
    alike = counts[0].sum() - first if gaps[cut] > 0 else first
    if overlap > MOST_OVERLAP or alike >= FEW_ALIKE:
        return None
    before, after = (_range(every, share, show, whole=overlap < 1e-9) for share in shares)
    return NamingColumn(name, before, after, max(overlap, 0.0))


def _ordered(source: Index, target: Index) -> bool:
    """Tell whether all values of one sample come before those of the other."""
    first, second = np.flatnonzero(source), np.flatnonzero(target)
    return bool(first[-1] < second[0] or second[-1] < first[0])


def _range(every: Any, share: Floats, show: Any, *, whole: bool) -> str:
    """Write the range of values; without both tails where the samples touch."""
    low, high = (0.0, 1.0) if whole else _TAILS
    ends = (show(every[np.searchsorted(share, end + 1e-12 if end < 1 else 1 - 1e-12)]) for end in (low, high))
    return " to ".join(dict.fromkeys(ends))


def _by_value(name: str, source: Floats | Index, target: Floats | Index, items: Any) -> NamingColumn | None:
    """Compare the shares of values."""
    shares = source / source.sum(), target / target.sum()
    overlap, alike = float(np.minimum(*shares).sum()), float(source[shares[1] > shares[0]].sum())
    if overlap > MOST_OVERLAP or alike >= FEW_ALIKE:
        return None
    before, after = (
        listed([items[i] for i in np.argsort(-side, kind="stable") if side[i]], _MOST_NAMED) for side in shares
    )
    return NamingColumn(name, before, after, overlap)
