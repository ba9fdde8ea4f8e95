"""Elimination: sum over the truths of connected slices, cluster by cluster, exactly.

On the way up, a cluster's slices are summed out for each combination of the slices around it; a cluster looks at
patterns only through the codes of what has been summed out so far (a context), so that few tables serve many patterns.
Together with each sum goes what the potentials below are expected to be. On the way down, weights of patterns become
chances of every cluster's combinations, added up by context; with both, second moments of all potentials follow.
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
    part : int
        Which.
    contexts : array of int, shape (n_contexts,)
        Its context in each of this cluster's.
    places : array of int, shape (n_combinations,)
        Its place in each of this cluster's combinations.
    """

    part: int
    contexts: Index
    places: Index


@dataclass(frozen=True, eq=False)
class Part:
    """Hold one cluster of a component.

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
        """Sum out its slices: log-sums by context and combination around, and chances given these.

        Parameters
        ----------
        delta : array of float, shape (n_potentials,)
            Of the component.
        sums : sequence of array
            Log-sums of the parts before.
        """
        table = self.logs + ((self.signs * delta[self.own]) @ self.monomials.T)[self.alike]
        for link in self.links:
            table += sums[link.part][link.contexts][:, link.places]
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

    def expect_own(self, chance: Floats) -> Floats:
        """Compute what its own potentials are expected to be, shape (n_contexts, n_outer, n_own)."""
        _, inner, outer = self.shape
        monomials = self.monomials.reshape(inner, outer, -1).transpose(1, 0, 2)
        found = np.matmul(chance.transpose(2, 0, 1), monomials).transpose(1, 0, 2)
        return found if (self.signs == 1).all() else found * self.signs[self.alike][:, None, :]

    def pass_down(self, link: Link, mass: Floats, n_below: int, n_outer: int) -> Floats:
        """Add up the mass of its combinations for one part below, by context and combination around that one."""
        n = len(mass)
        by_place = csr_matrix((np.ones(len(link.places)), (np.arange(len(link.places)), link.places)))
        by_place.resize(len(link.places), n_outer)
        by_context = csr_matrix((np.ones(n), (link.contexts, np.arange(n))), shape=(n_below, n))
        return np.asarray(by_context @ (by_place.T @ mass.reshape(n, -1).T).T)


@dataclass(frozen=True, eq=False)
class Elimination:
    """Hold the chances of all parts of a component at one delta, and what follows from them.

    Parameters
    ----------
    parts : tuple of Part
    members : tuple of array of int
        For each part, the potentials that belong to it or to parts below: its own first, then link by link.
    log_sum : array of float, shape (n_contexts,)
        log E[exp(delta . phi)] by context of the last part; -inf where nothing is possible.
    chances : list of array of float, shape (n_contexts, n_inner, n_outer)
        Of the combinations summed out, given those around.
    """

    parts: tuple[Part, ...]
    members: tuple[Index, ...]
    log_sum: Floats
    chances: list[Floats]

    @cached_property
    def mean(self) -> Floats:
        """The tilted mean of the potentials, shape (n_contexts of the last part, n_potentials)."""
        return self._climb(None)[0]

    def moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Compute the tilted mean by context, and the second moments added up with weights.

        Parameters
        ----------
        weights : array of float, shape (n_contexts of the last part,)
        """
        mean, second = self._climb(self.masses(weights))
        self.__dict__["mean"] = mean  # a by-product, which is asked for next
        return mean, second

    def average(self, weights: Floats) -> Floats:
        """Compute the tilted mean added up with weights, without that of any context; shape (n_potentials,)."""
        found = np.empty(len(self.members[-1]))
        for part, mass in zip(self.parts, self.masses(weights), strict=True):
            found[part.own] = (self._by_signs(part, mass) @ part.monomials * part.signs).sum(axis=0)
        return found

    def masses(self, weights: Floats) -> list[Floats]:
        """Add the chances of all combinations of each part up by context, shape (n_contexts, n_combinations)."""
        around: list[Floats] = [np.empty(0)] * len(self.parts)
        around[-1] = weights[:, None]
        masses = around.copy()
        for number in reversed(range(len(self.parts))):
            part = self.parts[number]
            mass = around[number][:, None, :] * self.chances[number]
            masses[number] = mass.reshape(len(mass), -1)
            for link in part.links:
                n_below, _, n_outer = self.parts[link.part].shape
                around[link.part] = part.pass_down(link, masses[number], n_below, n_outer)
        return masses

    def _climb(self, masses: list[Floats] | None) -> tuple[Floats, Floats]:
        """Go up once: expectations, and with masses the second moments of each two potentials where they meet."""
        size = len(self.members[-1])
        second = np.zeros((size, size))
        expected: list[Floats] = []
        for number, (part, chance) in enumerate(zip(self.parts, self.chances, strict=True)):
            n, _, outer = part.shape
            found = np.empty((n, outer, len(self.members[number])))
            found[:, :, : len(part.own)] = part.expect_own(chance)
            if masses is not None:
                own = np.ix_(part.own, part.own)
                second[own] = self._own_second(part, masses[number])
            for some, below in self._from_below(part, expected):
                mass = None if masses is None else masses[number][some]
                at, start = (part.values(some) if masses is not None else None), len(part.own)
                for which, values in enumerate(below):
                    stop = start + values.shape[2]
                    inner = values.reshape(len(values), *part.shape[1:], -1)
                    found[some, :, start:stop] = np.einsum("nio,nioa->noa", chance[some], inner)
                    if mass is not None and at is not None:
                        here = self.members[number]
                        _meet(second, here[: len(part.own)], here[start:stop], mass, at, values)
                        before = len(part.own)
                        for other in below[:which]:
                            _meet(second, here[before : before + other.shape[2]], here[start:stop], mass, other, values)
                            before += other.shape[2]
                    start = stop
            expected.append(found)
            for link in part.links:
                expected[link.part] = np.empty(0)  # no longer needed
        mean = np.empty((len(expected[-1]), size))
        mean[:, self.members[-1]] = expected[-1][:, 0]
        return mean, second

    def _from_below(self, part: Part, expected: list[Floats]) -> Iterator[tuple[slice, list[Floats]]]:
        """Write out what each link's potentials are expected to be in each combination, some contexts at a time."""
        if not part.links:
            return
        size = part.logs.shape[1] * max(sum(expected[link.part].shape[2] for link in part.links), 1)
        step = max(_AT_ONCE // size, 1)
        for start in range(0, len(part.logs), step):
            some = slice(start, start + step)
            yield some, [expected[link.part][link.contexts[some]][:, link.places] for link in part.links]

    @staticmethod
    def _by_signs(part: Part, mass: Floats) -> Floats:
        """Add masses up over contexts with the same signs, shape (n_distinct, n_combinations)."""
        if len(part.signs) == 1:
            return mass.sum(axis=0, keepdims=True)
        n = len(mass)
        return np.asarray(csr_matrix((np.ones(n), (part.alike, np.arange(n))), shape=(len(part.signs), n)) @ mass)

    def _own_second(self, part: Part, mass: Floats) -> Floats:
        """Add up second moments of a part's own potentials, all contexts with the same signs at once."""
        total = np.zeros((len(part.own),) * 2)
        chances = self._by_signs(part, mass)
        step = max(_AT_ONCE // part.monomials.size, 1)
        for start in range(0, len(chances), step):
            some = slice(start, start + step)
            values = (part.signs[some][:, None, :] * part.monomials).reshape(-1, len(part.own))
            total += (chances[some].reshape(-1, 1) * values).T @ values
        return total


def _meet(second: Floats, one: Index, other: Index, mass: Floats, left: Floats, right: Floats) -> None:
    """Add the second moments of two sets of potentials that meet in a cluster, both ways round."""
    weighted = (mass[:, :, None] * left).reshape(-1, left.shape[2])
    found = weighted.T @ right.reshape(-1, right.shape[2])
    second[np.ix_(one, other)] += found
    second[np.ix_(other, one)] += found.T


def eliminate(parts: tuple[Part, ...], members: tuple[Index, ...], delta: Floats) -> Elimination:
    """Sum all slices of a component out, part by part."""
    sums: list[Floats] = []
    chances: list[Floats] = []
    for part in parts:
        log_sum, chance = part.sum_out(delta, sums)
        sums.append(log_sum)
        chances.append(chance)
    return Elimination(parts, members, sums[-1][:, 0], chances)
