"""Rule tables: rules with the rows inside, side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_matrix, csr_matrix, hstack

from mandoline_core.arrays import Floats
from mandoline_core.slices import Slice


class RuleTable(NamedTuple):
    """Hold rules with the rows inside: of families of slices a column a slice, of other rules one.

    Parameters
    ----------
    rules : list of Slice
    rule_of : list of int
        The rule that each column of the tables belongs to.
    source, target : csr_matrix, shape (n_rows, n_columns)
        1 inside, 0 outside; where a slice abstains, its share among the rows where it does not.
    """

    rules: list[Slice]
    rule_of: list[int]
    source: csr_matrix
    target: csr_matrix

    def joined(self, other: RuleTable) -> RuleTable:
        """Add other rules on the same rows."""
        return RuleTable(
            [*self.rules, *other.rules],
            [*self.rule_of, *(number + len(self.rules) for number in other.rule_of)],
            csr_matrix(hstack([self.source, other.source])),
            csr_matrix(hstack([self.target, other.target])),
        )


def column_sums(table: csr_matrix) -> Floats:
    """Count the rows inside each column of a table."""
    return np.asarray(table.sum(axis=0)).ravel()


def sparse_columns(columns: Iterable[Floats], n_rows: int) -> csr_matrix:
    """Put columns side by side one at a time: a table with all their zeros is slow to write out.

    >>> sparse_columns([np.array([0.0, 1.0]), np.array([0.5, 0.0])], 2).toarray().tolist()
    [[0.0, 0.5], [1.0, 0.0]]
    """
    rows, values = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    for column in columns:
        rows.append(np.flatnonzero(column))
        values.append(column[rows[-1]])
    starts = np.cumsum([len(some) for some in rows])
    shape = n_rows, len(rows) - 1
    return csc_matrix((np.concatenate(values), np.concatenate(rows), starts), shape=shape).tocsr()
