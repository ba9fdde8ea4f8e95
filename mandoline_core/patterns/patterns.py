"""Reduce both samples to a table of distinct slice patterns: the only thing that solving needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mandoline_core.arrays import Bools, CodeArray, Floats, Index
from mandoline_core.errors import SliceError
from mandoline_core.patterns.design import SampleDesign, add_up, one_each
from mandoline_core.patterns.membership import Membership

# 3**39 is the largest power of three below 2**63: 39 slices fit into one integer key.
_SLICES_PER_KEY = 39
# After ranking, keys are below 2**31, and 2**31 * 3**20 still fits.
_SLICES_PER_ROUND = 20
# Up to this many possible keys, in all and per row, counting by direct address beats sorting.
_DIRECT_KEYS = 3**13
_DIRECT_KEYS_A_ROW = 20
_TOGETHER = 1 << 16  # rows


@dataclass(frozen=True, eq=False, repr=False)
class Patterns:
    """Hold the counts and sums of the rows of each distinct slice pattern.

    Parameters
    ----------
    names : tuple of str, length n_slices
    codes : array of int8, shape (n_patterns, n_slices)
        1 inside, -1 outside, 0 abstained; rows are distinct and sorted.
    source, target : array of float, shape (n_patterns,)
        Rows of each sample.
    sums : array of float, shape (n_patterns, n_statistics)
        Sum over source rows of the metric's statistics.
    products : array of float, shape (n_patterns, n_statistics, n_statistics), or None
        Sum over source rows of the statistics' outer products. None where the statistics are indicators of
        which at most one is 1 in a row: their products are the sums, on the diagonal.
    """

    names: tuple[str, ...]
    codes: CodeArray
    source: Floats
    target: Floats
    sums: Floats
    products: Floats | None

    @property
    def n_source(self) -> float:
        """Count the source rows."""
        return float(self.source.sum())

    @property
    def n_target(self) -> float:
        """Count the target rows."""
        return float(self.target.sum())

    def __len__(self) -> int:
        """Count the patterns."""
        return len(self.codes)

    def rates(self, side: str) -> Floats:
        """Return the share of rows with each code, per slice.

        Returns
        -------
        array of float, shape (n_slices, 3)
            Shares of the codes -1, 0, 1.
        """
        return self._source_rates if side == "source" else self._target_rates

    @cached_property
    def _source_rates(self) -> Floats:
        return code_rates(self.codes, self.source)

    @cached_property
    def _target_rates(self) -> Floats:
        return code_rates(self.codes, self.target)

    def squares(self, slope: Floats) -> Floats:
        """Add up, by pattern, the squares of slope . statistics over the source rows.

        Parameters
        ----------
        slope : array of float, shape (n_patterns, n_statistics)
        """
        if self.products is None:
            return np.einsum("pi,pi->p", slope**2, self.sums)
        return np.einsum("pi,pij,pj->p", slope, self.products, slope)

    def select(self, slices: Sequence[int]) -> tuple[Patterns, Index]:
        """Keep some slices, adding up the patterns that become alike; say which pattern each has become."""
        codes, index = distinct_codes(self.codes[:, list(slices)])
        selected = Patterns(
            names=tuple(self.names[i] for i in slices),
            codes=codes,
            source=add_up(index, self.source, len(codes)),
            target=add_up(index, self.target, len(codes)),
            sums=_add_up_rows(index, self.sums, len(codes)),
            products=None if self.products is None else _add_up_rows(index, self.products, len(codes)),
        )
        return selected, index

    def only(self, keep: Bools) -> Patterns:
        """Take away the rows of both samples in the patterns not kept; the patterns stay."""
        return replace(
            self,
            source=np.where(keep, self.source, 0.0),
            target=np.where(keep, self.target, 0.0),
            sums=np.where(keep[:, None], self.sums, 0.0),
            products=None if self.products is None else np.where(keep[:, None, None], self.products, 0.0),
        )

    def keep_target(self, keep: Bools) -> Patterns:
        """Leave out the target rows of the patterns not kept."""
        return replace(self, target=np.where(keep, self.target, 0.0))


class Count(NamedTuple):
    """Hold a pattern table with the pattern of every cell, the rows of each, and how these were sampled."""

    patterns: Patterns
    source_index: Index
    target_index: Index
    source_rows: Floats
    target_rows: Floats
    design: tuple[SampleDesign, SampleDesign] = (SampleDesign(), SampleDesign())

    def members(self, statistics: Floats, groups: NDArray[np.int8] | None = None) -> Membership:
        """Tie the cells to the table; all source rows are one group when none are given."""
        if groups is None:
            groups = np.zeros(len(self.source_index), dtype=np.int8)
        rows = self.source_rows, self.target_rows
        return Membership(self.source_index, self.target_index, groups, statistics, *rows, self.design)


def count_patterns(
    source: CodeArray,
    target: CodeArray,
    statistics: Floats,
    names: Sequence[str] | None = None,
    *,
    source_rows: Floats | None = None,
    target_rows: Floats | None = None,
    design: tuple[SampleDesign, SampleDesign] = (SampleDesign(), SampleDesign()),
) -> Count:
    """Count the distinct patterns of two samples.

    Parameters
    ----------
    source, target : array of int8, shape (n_cells, n_slices)
        Slice codes of each sample's rows, or of its cells.
    statistics : array of float, shape (n_source_cells, n_statistics)
        What the metric needs of each source row.
    names : sequence of str, optional
        Names of the slices.
    source_rows, target_rows : array of float, shape (n_cells,), optional
        Rows of each cell; one each when left out.
    design : pair of SampleDesign
        How the rows of each sample were sampled.

    Examples
    --------
    >>> import numpy as np
    >>> source = np.array([[1], [1], [-1]], dtype=np.int8)
    >>> target = np.array([[1], [-1]], dtype=np.int8)
    >>> patterns = count_patterns(source, target, np.array([[1.0], [0.0], [1.0]])).patterns
    >>> patterns.source.tolist(), patterns.target.tolist(), patterns.sums.ravel().tolist()
    ([1.0, 2.0], [1.0, 1.0], [1.0, 1.0])
    """
    n_source, n_slices = source.shape
    if target.shape[1] != n_slices:
        raise SliceError(f"The labelled data has {n_slices} slices, the new data {target.shape[1]}. Expected the same.")
    codes, index = _distinct_of_two(source, target)
    source_index, target_index = index[:n_source], index[n_source:]
    if names is None:
        names = [f"slice {i}" for i in range(n_slices)]
    sums, products = total_statistics(source_index, statistics, len(codes), source_rows)
    patterns = Patterns(
        names=tuple(names),
        codes=codes,
        source=count_rows_by(source_index, source_rows, len(codes)),
        target=count_rows_by(target_index, target_rows, len(codes)),
        sums=sums,
        products=products,
    )
    return Count(
        patterns,
        source_index,
        target_index,
        one_each(n_source) if source_rows is None else source_rows,
        one_each(len(target)) if target_rows is None else target_rows,
        design,
    )


def restrict_source(count: Count, statistics: Floats, cells: Bools) -> Patterns:
    """Recount the table with some of the source's cells only."""
    index, rows = count.source_index[cells], count.source_rows[cells]
    n_patterns = len(count.patterns)
    sums, products = total_statistics(index, statistics[cells], n_patterns, rows)
    return replace(count.patterns, source=add_up(index, rows, n_patterns), sums=sums, products=products)


def total_statistics(
    index: Index, statistics: Floats, n_patterns: int, rows: Floats | None = None
) -> tuple[Floats, Floats | None]:
    """Add up statistics and their outer products by pattern.

    Parameters
    ----------
    rows : array of float, shape (n_cells,), optional
        Rows of each line of statistics; default 1.
    """
    n_statistics = statistics.shape[1]
    if _are_exclusive_indicators(statistics):
        return _count_indicators(index, statistics, n_patterns, rows), None
    counted = statistics if rows is None else statistics * rows[:, None]
    sums = np.empty((n_patterns, n_statistics))
    for i in range(n_statistics):
        sums[:, i] = add_up(index, counted[:, i], n_patterns)
    products = np.empty((n_patterns, n_statistics, n_statistics))
    for i in range(n_statistics):
        for j in range(i + 1):
            product = add_up(index, counted[:, i] * statistics[:, j], n_patterns)
            products[:, i, j] = products[:, j, i] = product
    return sums, products


def _are_exclusive_indicators(statistics: Floats) -> bool:
    """Tell whether all statistics are 0 or 1, and at most one of them is 1 in a row."""
    if statistics.shape[1] == 1:
        return bool(((statistics == 0) | (statistics == 1)).all())
    # Numbers that are not negative and add up to 1, as do their squares, are a 1 and zeros.
    total, squares = statistics.sum(axis=1), np.einsum("ij,ij->i", statistics, statistics)
    whole = ((total == 0) | (total == 1)) & (squares == total)
    return bool(whole.all()) and statistics.min(initial=0.0) >= 0


def _count_indicators(index: Index, statistics: Floats, n_patterns: int, rows: Floats | None) -> Floats:
    """Add up exclusive indicators by pattern: one pass, however many there are."""
    n_statistics = statistics.shape[1]
    if n_statistics == 1:
        column = statistics[:, 0]
        return add_up(index, column if rows is None else column * rows, n_patterns)[:, None]
    which = (statistics @ np.arange(1.0, n_statistics + 1)).astype(np.intp)  # 0 where none is 1
    counts = count_rows_by(index.astype(np.intp) * (n_statistics + 1) + which, rows, n_patterns * (n_statistics + 1))
    return counts.reshape(n_patterns, n_statistics + 1)[:, 1:]


def code_rates(codes: CodeArray, counts: Floats) -> Floats:
    """Return the share of the codes -1, 0, 1 per slice, weighted by counts.

    >>> code_rates(np.array([[1], [-1]], dtype=np.int8), np.array([1.0, 3.0])).tolist()
    [[0.75, 0.0, 0.25]]
    """
    # Row by row, as codes lie: a transposed table would take several times as long.
    return np.stack([counts @ (codes == code) for code in (-1, 0, 1)], axis=1) / counts.sum()


def count_rows_by(index: Index, rows: Floats | None, n: int) -> Floats:
    """Count rows by index, from the rows of each cell; one each if absent."""
    return np.bincount(index, rows, n).astype(float, copy=False)


def _add_up_rows(index: Index, values: Floats, n: int) -> Floats:
    out = np.zeros((n, *values.shape[1:]))
    np.add.at(out, index, values)
    return out


def _distinct_of_two(source: CodeArray, target: CodeArray) -> tuple[CodeArray, Index]:
    """Find the distinct rows of two stacked code arrays without stacking the arrays themselves."""
    n_slices = source.shape[1]
    index, codes = np.zeros(len(source) + len(target), dtype=np.intp), np.empty((1, 0), dtype=np.int8)
    for start in (0, *range(_SLICES_PER_KEY, n_slices, _SLICES_PER_ROUND)):
        n = min(n_slices - start, _SLICES_PER_ROUND if start else _SLICES_PER_KEY)
        keys = np.concatenate([_keys(side, start, n) for side in (source, target)])
        if start:
            keys = index.astype(np.int64) * 3**n + keys
        ranks, index = _rank(keys, len(codes) * 3**n)
        codes = np.hstack([codes[ranks // 3**n], _digits(ranks % 3**n, n)])
    return codes, index


def distinct_codes(codes: CodeArray) -> tuple[CodeArray, Index]:
    """Find the distinct rows of codes, sorted, and the place of every row among them.

    >>> rows, index = distinct_codes(np.array([[1, 0], [-1, 1], [1, 0]], dtype=np.int8))
    >>> rows.tolist(), index.tolist()
    ([[-1, 1], [1, 0]], [1, 0, 1])
    """
    return _distinct_of_two(codes, codes[:0])


def find_patterns(patterns: CodeArray, codes: CodeArray) -> Index:
    """Find the pattern of each row among distinct ones; -1 if not found.

    >>> patterns = np.array([[-1, 1], [1, 0]], dtype=np.int8)
    >>> find_patterns(patterns, np.array([[1, 0], [0, 0]], dtype=np.int8)).tolist()
    [1, -1]
    """
    every, index = _distinct_of_two(patterns, codes)
    place = np.full(len(every), -1, dtype=np.intp)
    place[index[: len(patterns)]] = np.arange(len(patterns))
    return np.asarray(place[index[len(patterns) :]])


def _keys(codes: CodeArray, start: int, n: int) -> NDArray[Any]:
    """Read the codes of n slices as digits of a base-3 number, first slice first."""
    smallest = np.int16 if n <= 9 else np.int32 if n <= 19 else np.int64  # 3**9 < 2**15, 3**19 < 2**31
    keys: NDArray[Any] = np.zeros(len(codes), dtype=smallest)
    for column in codes[:, start : start + n].T:
        keys *= 3
        keys += column
    keys += (3**n - 1) // 2  # all digits one higher: 0, 1, 2
    return keys


def _digits(keys: NDArray[np.int64], n: int) -> CodeArray:
    """Read the codes of n slices off their keys."""
    return (keys[:, None] // 3 ** np.arange(n - 1, -1, -1) % 3 - 1).astype(np.int8)


def _rank(keys: NDArray[Any], n_keys: int) -> tuple[NDArray[np.int64], Index]:
    """Return the sorted distinct keys and the rank of each key."""
    if n_keys <= min(_DIRECT_KEYS, _DIRECT_KEYS_A_ROW * len(keys)):
        # Part by part, and narrow: NumPy looks up by wide integers, and a copy of all keys as such would be the peak.
        parts = [slice(start, start + _TOGETHER) for start in range(0, len(keys), _TOGETHER)]
        present = np.zeros(n_keys, dtype=bool)
        for part in parts:
            present[keys[part]] = True
        ranks: NDArray[Any] = np.cumsum(present, dtype=np.int32) - 1
        index: NDArray[Any] = np.empty_like(keys, dtype=np.int32)
        for part in parts:
            ranks.take(keys[part], out=index[part], mode="clip")
        return np.flatnonzero(present).astype(np.int64), index
    index, ranks = pd.factorize(keys, sort=True)
    return ranks, index
