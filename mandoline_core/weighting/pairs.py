"""Pairs of slices on patterns: moments of many products at once, never all of them written out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats

# Products that are written out at one time: so many stay near the processor.
_AT_ONCE = 2**16


class Pairs(ABC):
    """Give the expected products of pairs of slices, by pattern."""

    n_pairs: int

    @abstractmethod
    def some(self, rows: slice) -> Floats:
        """Write out those of some patterns, shape (n_pairs, n_some)."""

    @abstractmethod
    def average(self, weights: Floats) -> Floats:
        """Add up over patterns with weights, shape (n_pairs,)."""

    def cross(self, potentials: Floats) -> Floats:
        """Add up products with weighted potentials, shape (n_potentials, n_pairs)."""
        total = np.zeros((self.n_pairs, potentials.shape[1]))
        for rows in self._steps(len(potentials)):
            total += self.some(rows) @ potentials[rows]
        return total.T

    def residual_squares(self, weights: Floats, potentials: Floats, lines: Floats, offset: Floats) -> Floats:
        """Add up weights * (pair - potentials . line - offset)**2 over patterns, shape (n_pairs,).

        Parameters
        ----------
        lines : array of float, shape (n_potentials, n_pairs)
        offset : array of float, shape (n_pairs,)
        """
        total = np.zeros(self.n_pairs)
        for rows in self._steps(len(potentials)):
            left = self.some(rows)
            left -= lines.T @ potentials[rows].T
            left -= offset[:, None]
            left *= left
            total += left @ weights[rows]
        return total

    def _steps(self, n_patterns: int) -> Iterator[slice]:
        step = max(_AT_ONCE // max(self.n_pairs, 1), 1)
        return (slice(start, start + step) for start in range(0, n_patterns, step))


@dataclass(frozen=True, eq=False)
class GivenPairs(Pairs):
    """Hold pairs that were worked out before, shape (n_patterns, n_pairs)."""

    columns: Floats

    @property
    def n_pairs(self) -> int:  # type: ignore[override]
        """The number of pairs."""
        return self.columns.shape[1]

    def some(self, rows: slice) -> Floats:
        """Take those of some patterns."""
        return self.columns[rows].T.copy()

    def average(self, weights: Floats) -> Floats:
        """Add up over patterns with weights, shape (n_pairs,)."""
        return weights @ self.columns


class ProductPairs(Pairs):
    """Hold slices that are independent given the pattern: a pair is the product of what each is expected to be.

    Examples
    --------
    >>> found = ProductPairs(np.array([[1.0, -1.0], [0.5, 1.0]]), [(0, 1)])
    >>> found.average(np.array([0.5, 0.5])).tolist()
    [-0.25]
    """

    def __init__(self, slices: Floats, pairs: Sequence[tuple[int, int]]) -> None:
        self.slices = np.ascontiguousarray(slices.T)  # (n_slices, n_patterns)
        self.first, self.second = (np.array([pair[end] for pair in pairs], dtype=np.intp) for end in (0, 1))
        self.n_pairs = len(pairs)

    def some(self, rows: slice) -> Floats:
        """Multiply those of some patterns out."""
        here = self.slices[:, rows]
        found = here[self.first]
        found *= here[self.second]
        return found

    def average(self, weights: Floats) -> Floats:
        """Add up over patterns with weights, shape (n_pairs,)."""
        return np.asarray(((self.slices * weights) @ self.slices.T)[self.first, self.second])
