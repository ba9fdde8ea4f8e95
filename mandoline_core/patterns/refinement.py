"""Refinement of a pattern table: one more slice splits patterns, and only it is counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import CodeArray, Floats
from mandoline_core.patterns.patterns import Count, add_up, total_statistics


def refine_count(count: Count, source: CodeArray, target: CodeArray, statistics: Floats, name: str) -> Count:
    """Add one slice to a counted table.

    Parameters
    ----------
    source, target : array of int8, shape (n_scored,) and (n_target,)
        The new slice's codes.
    statistics : array of float, shape (n_scored, n_statistics)

    Examples
    --------
    >>> from mandoline_core.patterns import count_patterns
    >>> scores = np.array([[1.0], [0.0], [1.0]])
    >>> first, second = np.array([1, 1, -1], dtype=np.int8), np.array([1, -1, -1], dtype=np.int8)
    >>> start = count_patterns(first[:, None], first[:2, None], scores, ["a"])
    >>> refined = refine_count(start, second, second[:2], scores, "b").patterns
    >>> refined.codes.tolist(), refined.source.tolist()
    ([[-1, -1], [1, -1], [1, 1]], [1.0, 1.0, 1.0])
    """
    old = count.patterns
    keys = np.concatenate(
        [3 * index + (code + 1) for index, code in ((count.source_index, source), (count.target_index, target))]
    )
    present = np.bincount(keys, minlength=3 * len(old)) > 0
    kept = np.flatnonzero(present)
    index = (np.cumsum(present) - 1)[keys]
    source_index, target_index = index[: len(source)], index[len(source) :]
    sums, products = total_statistics(source_index, statistics, len(kept), count.source_rows)
    patterns = replace(
        old,
        names=(*old.names, name),
        codes=np.column_stack([old.codes[kept // 3], (kept % 3 - 1).astype(np.int8)]),
        source=add_up(source_index, count.source_rows, len(kept)),
        target=add_up(target_index, count.target_rows, len(kept)),
        sums=sums,
        products=products,
    )
    return count._replace(patterns=patterns, source_index=source_index, target_index=target_index)
