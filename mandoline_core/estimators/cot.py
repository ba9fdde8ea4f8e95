"""COT: optimal transport of predicted probabilities to labels with the source's class frequencies.

The transport shares rows out among a few classes of fixed sizes, so that probabilities add up to the most: a transport
problem with few sinks. Two classes are solved by sorting. More are solved by successive shortest paths among the
classes: rows start where the prices of a coarser problem put them, and each step moves rows along the cheapest way from
a class that has too many to one that has too few. Both are exact; the gap between what the plan adds up to and what its
prices allow at most is computed with every solution.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.estimators.expectation import Expectation, UsableRows
from mandoline_core.estimators.probabilities import OnProbabilities, PredictedRows
from mandoline_core.weighting import Problem

_DIGITS = 12  # rows that differ by less are the same
_COARSER = 8  # rows of which a coarser problem has one
_FEW = 500  # rows that need no coarser problem
_ROUNDING = 1e-13  # of all rows: less is nothing
_LEAST_SHARE = 1e-12  # of a class: with less it has no row
_LEAST_GAIN = 1e-13  # of a detour: less is rounding, and would lead in circles


@dataclass(frozen=True, eq=False)
class Transport:
    """Hold an optimal transport plan.

    Parameters
    ----------
    value : float
        The mean probability of the class that a row goes to.
    prices : array of float, shape (n_classes,)
        How far the value moves with the share of each class; 0 on average over the shares. A row goes where its
        probability less the price is greatest.
    row_values : array of float, shape (n_rows,)
        The greatest probability less price of each row: how far the value moves with the row's share.
    gap : float
        How much more any other plan could add up to, at most: rounding.
    """

    value: float
    prices: Floats
    row_values: Floats
    gap: float


def share_out(probabilities: Floats, shares: Floats) -> Transport:
    """Find the transport plan with given class shares and the largest mean probability.

    Parameters
    ----------
    probabilities : array of float, shape (n_rows, n_classes)
    shares : array of float, shape (n_classes,)
        Sum to 1.

    Examples
    --------
    Half of the rows must go to each class, although the first is more probable for three of four:

    >>> plan = share_out(np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.3, 0.7]]), np.array([0.5, 0.5]))
    >>> round(plan.value, 3), plan.gap < 1e-12
    (0.7, True)
    """
    used = np.flatnonzero(shares > _LEAST_SHARE)
    rows = probabilities[:, used]
    if len(used) == 1:
        plan, prices = float(rows.mean()), np.zeros(1)
    elif len(used) == 2:
        plan, prices = _cut(rows[:, 1] - rows[:, 0], float(shares[used[1]]))
        plan += float(rows[:, 0].mean())
    else:
        # Rows alike are one row that counts for several: paths then move many at a time.
        kinds, counts = np.unique(np.round(rows, _DIGITS), axis=0, return_counts=True)
        solved = _solve(kinds, counts.astype(float), shares[used] * len(rows))
        plan, prices = float((solved.mass * kinds).sum()) / len(rows), solved.prices()
    prices = prices - float(shares[used] @ prices)
    row_values = np.asarray((rows - prices).max(axis=1))
    everywhere = (probabilities - row_values[:, None]).max(axis=0)  # what the first row of an empty class would gain
    everywhere[used] = prices
    value = float(row_values.mean())
    return Transport(value, everywhere, row_values, abs(value - plan))


def _cut(gains: Floats, share: float) -> tuple[float, Floats]:
    """Send the rows that gain most to the second of two classes; return the mean gain, and the prices."""
    ordered, n = np.sort(gains)[::-1], len(gains)
    places = min(max(share * n, 0.0), float(n))
    whole = round(places) if abs(places - round(places)) < _ROUNDING * n else int(places)
    part = places - whole if whole < n else 0.0
    last, following = ordered[max(whole - 1, 0)], ordered[min(whole, n - 1)]
    price = (last + following) / 2 if abs(part) < _ROUNDING * n else following
    return float(ordered[:whole].sum() + part * following) / n, np.array([0.0, price])


def _solve(rows: Floats, counts: Floats, sizes: Floats) -> _Plan:
    """Assign rows with counts; the prices of a coarser problem leave few of them to move."""
    prices = np.zeros(len(sizes))
    if len(rows) > _FEW:
        some = slice(_COARSER // 2, None, _COARSER)
        total = counts[some].sum()
        prices = _solve(rows[some], counts[some], sizes * (total / counts.sum())).prices()
    plan = _Plan(rows, counts, (rows - prices).argmax(axis=1))
    plan.fill(sizes)
    return plan


class _Plan:
    """Hold which rows are in which class, and the cheapest row to move from each class to each other.

    At any time no exchange of rows between classes gains anything, whatever the classes' sizes.

    Parameters
    ----------
    rows : array of float, shape (n_rows, n_classes)
    counts : array of float, shape (n_rows,)
        The count of each row.
    start : array of int, shape (n_rows,)
        The class of each row, by some prices.
    """

    def __init__(self, rows: Floats, counts: Floats, start: Index) -> None:
        n, n_classes = rows.shape
        self.rows = rows
        self.mass = np.zeros((n, n_classes))
        self.mass[np.arange(n), start] = counts
        self.costs = np.full((n_classes, n_classes), np.inf)  # of the cheapest row, from a class to another
        self.movers = np.full((n_classes, n_classes), -1)  # that row
        self.queues: dict[tuple[int, int], Index] = {}  # rows that started in the class, the cheapest first
        self.next = np.zeros((n_classes, n_classes), dtype=int)
        self.arrived: dict[tuple[int, int], list[tuple[float, int]]] = {}  # heaps of rows that came later
        for home in range(n_classes):
            started = np.flatnonzero(start == home)
            losses = rows[started, home][:, None] - rows[started]
            order = np.argsort(losses, axis=0)
            for other in range(n_classes):
                self.queues[home, other] = started[order[:, other]]
                self.arrived[home, other] = []
            self.look(home, [other for other in range(n_classes) if other != home])

    def look(self, home: int, others: Iterable[int]) -> None:
        """Find the cheapest rows to move out of a class, to some others."""
        for other in others:
            queue, first = self.queues[home, other], int(self.next[home, other])
            while first < len(queue) and self.mass[queue[first], home] <= 0:
                first += 1
            self.next[home, other] = first
            heap = self.arrived[home, other]
            while heap and self.mass[heap[0][1], home] <= 0:
                heappop(heap)
            row = int(queue[first]) if first < len(queue) else -1
            loss = self.rows[row, home] - self.rows[row, other] if row >= 0 else np.inf
            if heap and heap[0][0] < loss:
                loss, row = heap[0]
            self.costs[home, other], self.movers[home, other] = loss, row

    def fill(self, sizes: Floats) -> None:
        """Move rows until every class has its size."""
        surplus, nothing = self.mass.sum(axis=0) - sizes, _ROUNDING * float(sizes.sum())
        while surplus.max() > nothing and surplus.min() < -nothing:
            path = self.cheapest_path(surplus > nothing, surplus < -nothing)
            steps = list(pairwise(path))
            movers = [int(self.movers[step]) for step in steps]
            room = min(surplus[path[0]], -surplus[path[-1]])
            moved = min(room, *(self.mass[row, home] for row, (home, _) in zip(movers, steps, strict=True)))
            for row, (home, other) in zip(movers, steps, strict=True):
                self.move(row, home, other, moved)
            surplus[path[0]] -= moved
            surplus[path[-1]] += moved

    def move(self, row: int, home: int, other: int, moved: float) -> None:
        """Move some of a row's count from one class to another."""
        self.mass[row, home] -= moved
        if self.mass[row, home] <= 0:
            self.look(home, np.flatnonzero(self.movers[home] == row).tolist())
        if self.mass[row, other] <= 0:
            losses = self.rows[row, other] - self.rows[row]
            losses[other] = np.inf
            for beyond, loss in enumerate(losses.tolist()):
                heappush(self.arrived[other, beyond], (loss, row))
            cheaper = losses < self.costs[other]
            self.costs[other, cheaper], self.movers[other, cheaper] = losses[cheaper], row
        self.mass[row, other] += moved

    def cheapest_path(self, starts: Floats, ends: Floats) -> list[int]:
        """Find the classes on the cheapest way from one of some to one of others."""
        distance, before = np.where(starts, 0.0, np.inf), np.full(len(starts), -1)
        for _ in range(len(starts)):
            ways = distance[:, None] + self.costs
            best = ways.argmin(axis=0)
            least = ways[best, np.arange(len(best))]
            better = least < distance - _LEAST_GAIN
            if not better.any():
                break
            distance, before = np.where(better, least, distance), np.where(better, best, before)
        path = [int(np.where(ends, distance, np.inf).argmin())]
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        return path[::-1]

    def prices(self) -> Floats:
        """Return prices by which every row is where it should be, shape (n_classes,).

        Prices of two classes may differ by what the cheapest way between them costs at most. Where that leaves a
        choice, this takes the middle, so that the order of classes is irrelevant.
        """
        ways = self.costs.copy()
        np.fill_diagonal(ways, 0.0)
        for through in range(len(ways)):
            ways = np.minimum(ways, ways[:, through, None] + ways[None, through])
        return np.asarray((ways - ways.T).mean(axis=1) / 2)


class Cot(OnProbabilities):
    """Transport predicted probabilities to labels with the source's class frequencies (Lu et al., 2023)."""

    name = "cot"
    trusts_confidence = True
    title = "Confidence optimal transport (COT)"
    does = "Transports predicted probabilities to labels with the class frequencies of the labelled data."
    assumes = "No label shift, and the transport cost equals the error rate."
    premise = "transport"
    interval_note = (
        "Covers sampling error only. On natural shifts its 95% intervals contained the truth in 1 to 15% of cases."
    )
    ranks = (
        False  # it makes class frequencies those of the labels, which costs a model that rarely predicts a class most
    )
    of_accuracy = True

    def expect(self, problem: Problem, rows: UsableRows[PredictedRows], weights: Floats) -> Expectation:  # noqa: ARG002
        """Take one minus the mean cost of carrying the target's probabilities to one-hot labels.

        The cost of a row is the largest difference of a coordinate. Probabilities add up to 1, so for label c that is
        1 - p_c: what the other classes have together is no less than what any of them has. So the least mean cost is
        one minus the greatest mean probability of a label, over all ways of giving labels out as often as classes
        occur. The plan that is best stays best when a share moves a little (envelope theorem), so that its prices are
        the derivatives.
        """
        total = float(weights.sum())
        shares = np.bincount(rows.source.truth, weights, minlength=len(rows.classes)) / total
        transport = share_out(rows.target.probabilities, shares)
        return Expectation(
            transport.value,
            np.array([transport.value]),
            by_target=(transport.row_values - transport.value) / len(rows.target),
            by_weight=transport.prices[rows.source.truth] / total,
        )


class CotWeighted(Cot):
    """Transport predicted probabilities to labels with the weighted source's class frequencies."""

    name = "cot_weighted"
    title = "COT with class frequencies by slices"
    does = "Runs COT with the class frequencies of the labelled rows weighted by slices."
    assumes = "The slices capture how class frequencies changed, and the transport cost equals the error rate."
    needs = ("slices", "probabilities")
    weights_rows = True
