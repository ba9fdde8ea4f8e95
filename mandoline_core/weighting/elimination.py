"""Elimination: sum over the truths of connected slices, cluster by cluster, exactly.

On the way up, a cluster's slices are summed out for each combination of the slices around it; a cluster looks at
patterns only through the codes of what has been summed out so far (a context), so that few tables serve many patterns.
Together with each sum goes what the potentials below are expected to be. On the way down, weights of patterns become
probabilities of every cluster's combinations, added up by context; with both, second moments of all potentials follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Floats, Index

# Numbers in a table that is written out at one time.
_AT_ONCE = 2**20


class Link(NamedTuple):
    """Say where a cluster finds the result of one below it.

    Parameters
    ----------
    number : int
        Of that cluster.
    contexts : array of int, shape (n_contexts,)
        Its context in each of this cluster's.
    places : array of int, shape (n_combinations,)
        Its place in each of this cluster's combinations.
    """

    number: int
    contexts: Index
    places: Index


@dataclass(frozen=True, eq=False)
class ClusterTable:
    """Hold what is summed over in one cluster of a component.

    Combinations run over the slices summed out here, and for each of these over the ones around. A potential's value
    is `signs[alike[context]] * monomials[combination]`: an edge to a slice that is certain contributes that slice's
    value as the sign.
    """

    logs: Floats  # (n_contexts, n_combinations): log-probability of the slices summed out; -inf where impossible
    n_outer: int  # combinations of the slices around
    own: Index  # (n_own,) which of the component's potentials belong here
    monomials: Floats  # (n_combinations, n_own)
    signs: Floats  # (n_distinct, n_own)
    alike: Index  # (n_contexts,) the row of signs of each context
    links: tuple[Link, ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Contexts, combinations summed out, combinations around."""
        return len(self.logs), self.logs.shape[1] // self.n_outer, self.n_outer

    def sum_out(self, delta: Floats, sums: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Sum out its slices: log-sums by context and combination around, and probabilities given these.

        Parameters
        ----------
        delta : array of float, shape (n_potentials,)
            Of the component.
        sums : sequence of array
            Log-sums of the clusters before.
        """
        table = self.logs + ((self.signs * delta[self.own]) @ self.monomials.T)[self.alike]
        for link in self.links:
            table += sums[link.number][link.contexts][:, link.places]
        table = table.reshape(self.shape)
        top = table.max(axis=1)
        top[np.isneginf(top)] = 0.0  # nothing is possible there
        table -= top[:, None]
        np.exp(table, out=table)
        total = table.sum(axis=1)
        with np.errstate(divide="ignore"):
            log_sum = top + np.log(total)
        table /= np.where(total > 0, total, 1.0)[:, None]
        return log_sum, table

    def values(self, contexts: slice) -> Floats:
        """Write out its own potentials, shape (n_some, n_combinations, n_own)."""
        return self.signs[self.alike[contexts]][:, None, :] * self.monomials

    def expect_own(self, probability: Floats) -> Floats:
        """Compute what its own potentials are expected to be, shape (n_contexts, n_outer, n_own)."""
        _, inner, outer = self.shape
        monomials = self.monomials.reshape(inner, outer, -1).transpose(1, 0, 2)
        expected = np.matmul(probability.transpose(2, 0, 1), monomials).transpose(1, 0, 2)
        return expected if (self.signs == 1).all() else expected * self.signs[self.alike][:, None, :]

    def pass_down(self, link: Link, mass: Floats, n_below: int, n_outer: int) -> Floats:
        """Add up the mass of its combinations for one cluster below, by context and combination around that one."""
        n = len(mass)
        by_place = csr_matrix((np.ones(len(link.places)), (np.arange(len(link.places)), link.places)))
        by_place.resize(len(link.places), n_outer)
        by_context = csr_matrix((np.ones(n), (link.contexts, np.arange(n))), shape=(n_below, n))
        return np.asarray(by_context @ (by_place.T @ mass.reshape(n, -1).T).T)


@dataclass(frozen=True, eq=False)
class Elimination:
    """Hold the probabilities in all clusters of a component at one delta, and what follows from them.

    Parameters
    ----------
    tables : tuple of ClusterTable
    members : tuple of array of int
        For each cluster, the potentials that belong to it or to those below: its own first, then link by link.
    log_sum : array of float, shape (n_contexts,)
        log E[exp(delta . phi)] by context of the last cluster; -inf where nothing is possible.
    probabilities : list of array of float, shape (n_contexts, n_inner, n_outer)
        Of the combinations summed out, given those around.
    """

    tables: tuple[ClusterTable, ...]
    members: tuple[Index, ...]
    log_sum: Floats
    probabilities: list[Floats]

    @cached_property
    def mean(self) -> Floats:
        """The tilted mean of the potentials, shape (n_contexts of the last cluster, n_potentials)."""
        return self._climb(None)[0]

    def moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Compute the tilted mean by context, and the second moments added up with weights.

        Parameters
        ----------
        weights : array of float, shape (n_contexts of the last cluster,)
        """
        mean, second = self._climb(self.masses(weights))
        self.__dict__["mean"] = mean  # a by-product, which is asked for next
        return mean, second

    def average(self, weights: Floats) -> Floats:
        """Compute the tilted mean added up with weights, without that of any context; shape (n_potentials,)."""
        average = np.empty(len(self.members[-1]))
        for table, mass in zip(self.tables, self.masses(weights), strict=True):
            average[table.own] = (_by_signs(table, mass) @ table.monomials * table.signs).sum(axis=0)
        return average

    def masses(self, weights: Floats) -> list[Floats]:
        """Add the probabilities of each cluster's combinations up by context, shape (n_contexts, n_combinations)."""
        around: list[Floats] = [np.empty(0)] * len(self.tables)
        around[-1] = weights[:, None]
        masses = around.copy()
        for number in reversed(range(len(self.tables))):
            table = self.tables[number]
            mass = around[number][:, None, :] * self.probabilities[number]
            masses[number] = mass.reshape(len(mass), -1)
            for link in table.links:
                n_below, _, n_outer = self.tables[link.number].shape
                around[link.number] = table.pass_down(link, masses[number], n_below, n_outer)
        return masses

    def _climb(self, masses: list[Floats] | None) -> tuple[Floats, Floats]:
        """Go up once: expectations, and with masses the second moments of each two potentials where they meet.

        Two potentials meet in the first cluster that has both at or below it. Given the combination there, what comes
        from different clusters below is independent, so that the expectation of a product is that of its factors.
        """
        size = len(self.members[-1])
        second = np.zeros((size, size))
        expected: list[Floats] = []
        for number, (table, probability) in enumerate(zip(self.tables, self.probabilities, strict=True)):
            (n, _, outer), members, n_own = table.shape, self.members[number], len(table.own)
            means = np.empty((n, outer, len(members)))
            means[:, :, :n_own] = table.expect_own(probability)
            if masses is not None:
                second[np.ix_(table.own, table.own)] = _own_second(table, masses[number])
            for some, below in self._from_below(table, expected):
                met, start = table.values(some), n_own
                for values in below:
                    stop = start + values.shape[2]
                    inner = values.reshape(len(values), *table.shape[1:], -1)
                    means[some, :, start:stop] = np.einsum("nio,nioa->noa", probability[some], inner)
                    if masses is not None:
                        weighted = (masses[number][some][:, :, None] * met).reshape(-1, start)
                        moments = weighted.T @ values.reshape(-1, values.shape[2])
                        second[np.ix_(members[:start], members[start:stop])] += moments
                        second[np.ix_(members[start:stop], members[:start])] += moments.T
                        met = np.concatenate([met, values], axis=2)
                    start = stop
            expected.append(means)
            for link in table.links:
                expected[link.number] = np.empty(0)  # no longer needed
        mean = np.empty((len(expected[-1]), size))
        mean[:, self.members[-1]] = expected[-1][:, 0]
        return mean, second

    def _from_below(self, table: ClusterTable, expected: list[Floats]) -> Iterator[tuple[slice, list[Floats]]]:
        """Write out what each link's potentials are expected to be in each combination, some contexts at a time."""
        if not table.links:
            return
        size = table.logs.shape[1] * max(sum(expected[link.number].shape[2] for link in table.links), 1)
        step = max(_AT_ONCE // size, 1)
        for start in range(0, len(table.logs), step):
            some = slice(start, start + step)
            yield some, [expected[link.number][link.contexts[some]][:, link.places] for link in table.links]


def _by_signs(table: ClusterTable, mass: Floats) -> Floats:
    """Add masses up over contexts with the same signs, shape (n_distinct, n_combinations)."""
    if len(table.signs) == 1:
        return mass.sum(axis=0, keepdims=True)
    n = len(mass)
    return np.asarray(csr_matrix((np.ones(n), (table.alike, np.arange(n))), shape=(len(table.signs), n)) @ mass)


def _own_second(table: ClusterTable, mass: Floats) -> Floats:
    """Add up second moments of a cluster's own potentials, all contexts with the same signs at once."""
    total = np.zeros((len(table.own),) * 2)
    by_signs = _by_signs(table, mass)
    step = max(_AT_ONCE // table.monomials.size, 1)
    for start in range(0, len(by_signs), step):
        some = slice(start, start + step)
        values = (table.signs[some][:, None, :] * table.monomials).reshape(-1, len(table.own))
        total += (by_signs[some].reshape(-1, 1) * values).T @ values
    return total


def eliminate(tables: tuple[ClusterTable, ...], members: tuple[Index, ...], delta: Floats) -> Elimination:
    """Sum all slices of a component out, cluster by cluster."""
    sums: list[Floats] = []
    probabilities: list[Floats] = []
    for table in tables:
        log_sum, probability = table.sum_out(delta, sums)
        sums.append(log_sum)
        probabilities.append(probability)
    return Elimination(tables, members, sums[-1][:, 0], probabilities)
