"""Columns that may name groups of rows, such as users, documents or days; and rows that are copies of others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd

from mandoline_core.arrays import Floats, Index
from mandoline_core.data import SAMPLE_CACHE, Sample
from mandoline_core.findings import Finding

MOST_GROUPED = 100_000  # of a sample, from its start: groups stay whole
FEWEST_GROUPS = 20  # a column with fewer values is a feature, for a slice
LEAST_REPEATED = 1.1  # rows a value
MOST_SHARED = 0.9  # of the rows that have a value of the other sample; above, values are not a draw of many
_BINS = 20
_NAMES = frozenset(
    [
        "id",
        "ids",
        "uid",
        "uuid",
        "guid",
        "user",
        "users",
        "customer",
        "client",
        "patient",
        "person",
        "people",
        "subject",
        "participant",
        "member",
        "account",
        "author",
        "reviewer",
        "rater",
        "worker",
        "annotator",
        "household",
        "session",
        "visit",
        "document",
        "doc",
        "article",
        "image",
        "photo",
        "video",
        "thread",
        "conversation",
        "dialogue",
        "device",
        "sensor",
        "machine",
        "store",
        "school",
        "site",
        "day",
        "date",
    ]
)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class GroupColumn(NamedTuple):
    """Hold a column that may name groups, by row: the number of its value, and a bin of neighbouring values.

    Parameters
    ----------
    groups : array of int, shape (n_rows,)
        A missing value is a group of its own.
    bins : array of int, shape (n_rows,), or None
        Of numbers and times that may be features: rows of similar values may be alike without belonging together.
    """

    name: str
    groups: Index
    bins: Index | None


class SampleGroups(NamedTuple):
    """Hold what rows of a sample may belong together by: columns, and the number of each row by all that is in it."""

    columns: tuple[GroupColumn, ...]
    copies: Index | None


def find_groups(sample: Sample, other: Sample) -> SampleGroups:
    """Look for groups in a sample for which none are named."""
    if sample.group is not None:
        return SampleGroups((), None)
    return SampleGroups(group_columns(sample, other), copies_of(sample))


def group_columns(sample: Sample, other: Sample) -> tuple[GroupColumn, ...]:
    """Choose the columns of a sample that may name groups: many values, which rows share; cached.

    A feature has the same values in both samples; of users or documents, each sample has its own, or the name of the
    column says what they are.

    Examples
    --------
    >>> source = Sample(pd.DataFrame({"user_id": np.arange(90) // 3, "wet": [0, 1, 1] * 30, "cm": np.arange(90) / 7}))
    >>> [column.name for column in group_columns(source, source)]
    ['user_id']
    """

    def choose() -> tuple[GroupColumn, ...]:
        columns = (_group_column(name, sample, other) for name in sample.columns if name not in sample.roles)
        return tuple(column for column in columns if column is not None)

    return SAMPLE_CACHE.of((sample, other), ("group columns",), choose)


def _group_column(name: str, sample: Sample, other: Sample) -> GroupColumn | None:
    dtype = sample.schema[name]
    whole = dtype.is_integer() or dtype.is_temporal()
    if not whole and dtype not in (nw.String, nw.Float64, nw.Float32):
        return None
    values = sample.frame[name][:MOST_GROUPED].to_pandas()
    if dtype.is_float():
        floats = values.dropna().to_numpy(float)
        if (floats != np.floor(floats)).any():  # infinities are whole
            return None
    numbers, distinct = pd.factorize(values)
    known = numbers >= 0
    if len(distinct) < FEWEST_GROUPS or known.sum() < LEAST_REPEATED * len(distinct):
        return None
    named = is_named_for_groups(name)
    if not named and (name not in other.columns or _share_known(distinct, other, name) > MOST_SHARED):
        return None
    groups = numbers.astype(np.intp)
    groups[~known] = len(distinct) + np.arange((~known).sum())
    return GroupColumn(name, groups, None if named or dtype == nw.String else _bins(values))


def is_named_for_groups(column: str) -> bool:
    """Tell whether a column is called as what groups rows.

    >>> is_named_for_groups("user_id"), is_named_for_groups("visitDate"), is_named_for_groups("width")
    (True, True, False)
    """
    return not _NAMES.isdisjoint(part.lower() for part in _PARTS.findall(column))


def groups_not_searched(source: Sample, target: Sample) -> Iterator[Finding]:
    """Report that nobody looks for groups, or for copies, in rows that stay in a table."""
    unset = [sample for sample in (source, target) if sample.group is None]
    likely = dict.fromkeys(
        name for sample in unset for name in sample.columns if name not in sample.roles and is_named_for_groups(name)
    )
    example = f", such as {next(iter(likely))!r}" if likely else ""
    if unset:
        yield Finding(
            "groups",
            "groups_not_searched",
            "info",
            "Data beyond memory are not searched for rows that belong together, or for copies.",
            f"If rows belong together, set group to their column{example}.",
            "Where they do and group is not set, the interval is too narrow.",
            numbers={"columns": tuple(likely)},
        )


def _share_known(distinct: pd.Index, other: Sample, name: str) -> float:
    """Return the share of the other sample's rows whose value is among those of this one."""
    values = other.frame[name][:MOST_GROUPED].to_pandas().dropna()
    return float(values.isin(distinct).mean()) if len(values) else 1.0


def _bins(values: pd.Series) -> Index:
    """Put rows of neighbouring values into bins of about the same size."""
    ranks: Floats = values.rank(method="average", na_option="top").to_numpy()
    return np.minimum((ranks - 1) * _BINS / len(ranks), _BINS - 1).astype(np.intp)


def copies_of(sample: Sample) -> Index | None:
    """Give copies of a row one number; None where there are no copies, or no more than expected at random; cached.

    Rows of a few classes are often alike. So one column must differ between most rows, and more pairs of rows must be
    the same in it and in all others than if the two had nothing to do with each other.

    Examples
    --------
    >>> numbers = [*range(40), *range(10)]  # the last ten rows are copies of the first ten
    >>> rows = pd.DataFrame({"a": numbers, "b": [number % 7 for number in numbers]})
    >>> copies_of(Sample(rows))[[0, 40, 1, 41]].tolist(), copies_of(Sample(rows[:40]))
    ([0, 0, 1, 1], None)
    """
    found: tuple[Index | None] = SAMPLE_CACHE.of((sample,), ("copies",), lambda: (_find_copies(sample),))
    return found[0]


def _find_copies(sample: Sample) -> Index | None:
    codes = pd.DataFrame(
        {
            name: pd.factorize(sample.frame[name][:MOST_GROUPED].to_pandas())[0]
            for name in sample.columns
            if _plain(sample, name)
        }
    )
    n = len(codes)
    # Probabilities follow from the other columns, so they tell no more rows apart.
    counts = (codes.max() + 1).drop(labels=[name for name in codes if name in sample.roles])
    if not len(counts) or counts.max() < n / 2:
        return None
    telling = counts.idxmax()
    whole = codes.groupby(list(codes.columns), sort=False, dropna=False).ngroup().to_numpy()
    rest = codes.drop(columns=telling)
    if whole.max() + 1 == n or rest.empty:
        return None
    alone = rest.groupby(list(rest.columns), sort=False, dropna=False).ngroup().to_numpy()
    together, of_telling, of_rest = (_pairs(numbers) for numbers in (whole, codes[telling].to_numpy(), alone))
    expected = of_telling * of_rest / (n * (n - 1) / 2)
    return np.asarray(whole, dtype=np.intp) if together > 2 * expected + 3 * np.sqrt(expected) else None


def _plain(sample: Sample, name: str) -> bool:
    dtype = sample.schema[name]
    return not dtype.is_nested() and dtype != nw.Binary


def _pairs(numbers: Index) -> float:
    """Count the pairs of rows with the same number; missing values, numbered -1, are the same."""
    sizes = np.bincount(numbers + 1).astype(float)
    return float((sizes * (sizes - 1)).sum() / 2)
