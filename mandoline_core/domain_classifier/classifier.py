"""A classifier that tells the rows of two samples apart; the fit that scores a row never saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack

from mandoline_core.arrays import Floats, Index
from mandoline_core.domain_classifier.encoding import EncodedColumn
from mandoline_core.domain_classifier.logistic import fit_logistic
from mandoline_core.domain_classifier.threads import one_thread
from mandoline_core.formatting import listed

MISSING = "missing"
MOST_CARRIERS, MOST_ITEMS = 3, 3  # columns that are named, and words or values of each
_LEAST_SHARE = 0.1  # of what tells the samples apart, for a column to be named


class Item(NamedTuple):
    """Hold what a column of the design stands for: a word, a level, or a bin of numbers, which has no name."""

    column: str
    name: str | None


class Carrier(NamedTuple):
    """Hold a column that tells the samples apart: its share of it, and the words or levels that do most."""

    column: str
    share: float
    items: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Design:
    """Hold rows of both samples as 0/1 points in one space.

    Parameters
    ----------
    source, target : csr_matrix, shape (n_rows, n_items)
    items : tuple of Item
    """

    source: csr_matrix
    target: csr_matrix
    items: tuple[Item, ...]


def design_of(encoded: Mapping[str, EncodedColumn], rows: tuple[Index, Index] | None = None) -> Design:
    """Put encoded columns side by side: bins of numbers, levels, the words in most rows, and whether a value is there.

    Parameters
    ----------
    rows : pair of arrays of int, optional
        Some of the rows that were encoded, of each sample; all when left out.
    """
    sides: tuple[list[csr_matrix], list[csr_matrix]] = ([], [])
    items: list[Item] = []
    for column, one in encoded.items():
        n = len(one.known[0])
        found = one.indicators if one.common is None else (one.common.rows[:n], one.common.rows[n:])
        names = one.items if one.common is None else one.common.names
        items += [Item(column, names[i] if names else None) for i in range(found[0].shape[1])]
        gaps = not all(known.all() for known in one.known)
        items += [Item(column, MISSING)] if gaps else []
        for number, side in enumerate(sides):
            some = slice(None) if rows is None else rows[number]
            side.append(csr_matrix(found[number][some]))
            if gaps:
                side.append(csr_matrix((~one.known[number][some]).astype(float)[:, None]))
    here, there = (csr_matrix(hstack(side, format="csr")) for side in sides)
    return Design(here, there, tuple(items))


@dataclass(frozen=True, eq=False)
class Telling:
    """Hold how new every row looks.

    Parameters
    ----------
    source, target : array of float, shape (n_rows,)
        Log odds of being from the target, were both samples as large, by fits that did not see the row.
    coefficients : array of float, shape (n_items,)
        The mean over the fits.
    trained : pair of int
        Rows of each sample that were fitted to.
    """

    design: Design
    source: Floats
    target: Floats
    coefficients: Floats
    trained: tuple[int, int]

    @cached_property
    def _places(self) -> tuple[Index, Index, Index]:
        """The order of the target's scores; how many of them are below each source row's, and how many not above."""
        order = np.argsort(self.target, kind="stable")
        known = self.target[order]
        return order, np.searchsorted(known, self.source, "left"), np.searchsorted(known, self.source, "right")

    def auc(self, source: Floats | None = None, target: Floats | None = None) -> float:
        """Compute the chance that a target row looks newer than a source row, drawn by weight; ties count half.

        Parameters
        ----------
        source, target : array of float, optional
            How much each row counts; the same when left out.

        Examples
        --------
        >>> design = Design(csr_matrix((2, 0)), csr_matrix((1, 0)), ())
        >>> telling = Telling(design, np.array([0.0, 2.0]), np.array([1.0]), np.empty(0), (2, 1))
        >>> telling.auc(), telling.auc(np.array([3.0, 1.0]))
        (0.5, 0.75)
        """
        here = np.ones(len(self.source)) if source is None else source
        there = np.ones(len(self.target)) if target is None else target
        order, below, up_to = self._places
        total = np.concatenate([[0.0], np.cumsum(there[order])])
        newer = total[-1] - (total[below] + total[up_to]) / 2
        weight = float(here.sum() * total[-1])
        return min(float(here @ newer / weight), 1.0) if weight > 0 else 0.5

    def carriers(self, source: Floats | None = None, target: Floats | None = None) -> tuple[Carrier, ...]:
        """Name the columns that tell the samples apart, the one that does most first.

        A column's share is its part of the gap between the mean log odds of both samples.
        """
        here = np.ones(len(self.source)) if source is None else source
        there = np.ones(len(self.target)) if target is None else target
        gaps = self.coefficients * (
            self.design.target.T @ there / max(there.sum(), 1e-300)
            - self.design.source.T @ here / max(here.sum(), 1e-300)
        )
        by_column: dict[str, list[int]] = {}
        for number, item in enumerate(self.design.items):
            by_column.setdefault(item.column, []).append(number)
        parts = {column: max(float(gaps[some].sum()), 0.0) for column, some in by_column.items()}
        total = sum(parts.values()) or 1.0
        most = sorted((c for c in parts if parts[c] >= _LEAST_SHARE * total), key=lambda c: -parts[c])[:MOST_CARRIERS]
        return tuple(Carrier(c, parts[c] / total, self._telling_items(by_column[c], gaps)) for c in most if parts[c])

    def _telling_items(self, some: Sequence[int], gaps: Floats) -> tuple[str, ...]:
        order = sorted((i for i in some if gaps[i] > 0), key=lambda i: -gaps[i])
        names = (self.design.items[i].name for i in order)
        return tuple(name for name in names if name is not None)[:MOST_ITEMS]


def name_carriers(carriers: Sequence[Carrier]) -> str:
    """Write what tells samples apart, with its words or values.

    >>> name_carriers([Carrier("text", 0.7, ("lol", "omg")), Carrier("year", 0.3, ())])
    "'text' (lol, omg), 'year'"
    """
    return listed(f"{one.column!r} ({listed(one.items)})" if one.items else repr(one.column) for one in carriers)


def tell_apart(design: Design, *, folds: int, most_rows: int, seed: int) -> Telling:
    """Learn to tell the samples apart, fold by fold: each row is scored by the fits to the other folds.

    Rows beyond `most_rows` of a sample are not fitted to, and scored by the mean of all fits. Both samples count the
    same, however large they are.

    Parameters
    ----------
    most_rows : int
        Of each sample, drawn at random, to fit to.
    seed : int
        Of the draw and of the folds.

    Examples
    --------
    >>> rows = csr_matrix(np.repeat([[1.0, 0.0], [0.0, 1.0]], 30, axis=0))
    >>> found = tell_apart(Design(rows, rows[30:], (Item("c", "a"), Item("c", "b"))), folds=2, most_rows=99, seed=0)
    >>> round(found.auc(), 2), sorted(found.carriers()[0].items)
    (0.75, ['a', 'b'])
    """
    rng = np.random.default_rng(seed)
    points = csr_matrix(vstack([design.source, design.target], format="csr"))
    n_source, n_target = design.source.shape[0], design.target.shape[0]
    fold = np.concatenate([_folds(n, folds, most_rows, rng) for n in (n_source, n_target)])
    new = np.repeat([0.0, 1.0], [n_source, n_target])
    scores, drawn = np.zeros(len(new)), fold >= 0
    coefficients = np.zeros(points.shape[1])
    with one_thread():  # many small products: threads would wait for each other
        for number in range(folds):
            used = drawn & (fold != number)
            n_used, n_new = int(used.sum()), float(new[used].sum())
            ones = new[used] * n_used / (2 * n_new)
            zeros = (1 - new[used]) * n_used / (2 * (n_used - n_new))
            fitted = fit_logistic(points[used], zeros, ones, exact=False)
            found = np.asarray(points @ fitted.coefficients) + fitted.intercept
            scores = np.where(fold == number, found, np.where(drawn, scores, scores + found / folds))
            coefficients += fitted.coefficients / folds
    sides = drawn[:n_source], drawn[n_source:]
    trained = int(sides[0].sum()), int(sides[1].sum())
    return Telling(design, scores[:n_source], scores[n_source:], coefficients, trained)


def _folds(n: int, folds: int, most_rows: int, rng: np.random.Generator) -> Index:
    """Put a draw of rows into folds of one size; the others into none, which is -1."""
    found = np.full(n, -1)
    drawn = rng.permutation(n)[:most_rows]
    found[drawn] = np.arange(len(drawn)) % folds
    return found
