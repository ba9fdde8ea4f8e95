"""Components: uncertain slices that edges connect, to be summed over together, pattern by pattern.

A component's slices form clusters, which are summed out in turn (a junction tree), so that tables
stay small; each cluster gets its tables, one for every way that patterns look to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import CodeArray, Floats, Index
from mandoline_core.errors import ProjectError
from mandoline_core.formatting import listed
from mandoline_core.patterns import distinct_codes
from mandoline_core.weighting.elimination import ClusterTable, Elimination, Link, eliminate

Edges = tuple[tuple[int, int], ...]
Mask = NDArray[np.bool_]

# Largest number of uncertain slices that one table may be of (the treewidth of a connected component, and one), and
# largest tables of a component: of 2**25 doubles, 256 MB, to sum over, and twice that for expectations on the way.
MAX_TOGETHER = 14
MAX_TABLE = 2**25
# So few slices are summed out at once: a table of them costs less than the step between two tables.
_SMALL = 4
# Looking at one more component takes as long as adding up this many configurations.
_COMPONENT_COST = 4000


class Cluster(NamedTuple):
    """Hold slices that are summed out together, for each combination of those around them that are not yet.

    Parameters
    ----------
    inner : tuple of int
        The slices that are summed out here.
    outer : tuple of int
        Slices not yet summed out that are connected with them, or with slices summed out before.
    below : tuple of int
        Numbers of the clusters whose result enters here.
    """

    inner: tuple[int, ...]
    outer: tuple[int, ...]
    below: tuple[int, ...]

    @property
    def slices(self) -> tuple[int, ...]:
        """All slices of its table."""
        return (*self.inner, *self.outer)


@lru_cache(maxsize=256)
def cluster_slices(group: tuple[int, ...], edges: Edges) -> tuple[Cluster, ...]:
    """Put connected slices into clusters: one whose result another needs comes before it, and the last needs all.

    Summing a slice out joins all that it is connected with, and tables are as large as what is joined. The smallest
    tables are hard to find in general; taking the slice first that newly joins the fewest pairs (minimum fill) finds
    them for trees, where tables are of two slices, and comes close on the graphs that people draw. Slices that are all
    connected need one table of all.

    Examples
    --------
    >>> chain = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
    >>> [(cluster.inner, cluster.outer) for cluster in cluster_slices((0, 1, 2, 3, 4, 5), chain)]
    [((0, 1, 2), (3,)), ((3, 4, 5), ())]
    """
    order, around = _order(group, edges)
    turn = {slice_: number for number, slice_ in enumerate(order)}
    inner = [[slice_] for slice_ in order]
    above = [min((turn[other] for other in around[slice_]), default=-1) for slice_ in order]
    home = list(range(len(order)))  # the cluster that took each one in
    for number, parent in enumerate(above):
        if parent >= 0 and len(inner[number]) + len(inner[parent]) + len(around[order[parent]]) <= _SMALL:
            inner[parent] = inner[number] + inner[parent]
            home[number] = parent
    left = [number for number in range(len(order)) if home[number] == number]
    below: dict[int, list[int]] = {number: [] for number in left}
    for new, number in enumerate(left):
        parent = above[number]
        while parent >= 0 and home[parent] != parent:
            parent = home[parent]
        if parent >= 0:
            below[parent].append(new)
    return tuple(
        Cluster(tuple(inner[number]), tuple(sorted(around[order[number]], key=turn.__getitem__)), tuple(below[number]))
        for number in left
    )


def _order(group: Collection[int], edges: Edges) -> tuple[list[int], dict[int, set[int]]]:
    """Order slices by minimum fill; say which later ones each is connected with when its turn comes."""
    near: dict[int, set[int]] = {slice_: set() for slice_ in sorted(group)}
    for i, j in edges:
        if i in near and j in near:
            near[i].add(j)
            near[j].add(i)
    order, around = [], {}

    def fill(slice_: int) -> tuple[int, int, int]:
        new = sum(j not in near[i] for i, j in itertools.combinations(near[slice_], 2))
        return new, len(near[slice_]), slice_

    while near:
        first = min(near, key=fill)
        others = near.pop(first)
        for other in others:
            near[other] = (near[other] | others) - {other, first}
        order.append(first)
        around[first] = others
    return order, around


@dataclass(frozen=True, eq=False)
class Component:
    """Hold one connected group of slices that are uncertain in some patterns, to be summed out cluster by cluster."""

    rows: Index  # (n_rows,) patterns in which these slices, and none that are connected to them, are uncertain
    potentials: Index  # (n,) which potentials it owns: the slices, then edges
    sub: Index  # (n_rows,) context of each of these patterns in the last cluster
    clusters: tuple[Cluster, ...]
    tables: tuple[ClusterTable, ...]  # one for each cluster
    members: tuple[Index, ...]  # which of its potentials belong to each cluster or to those below

    def evaluate(self, delta: Floats) -> Elimination:
        """Sum over all truths at one parameter vector of all potentials."""
        return eliminate(self.tables, self.members, delta[self.potentials])

    def on_side(self, sides: Floats) -> list[tuple[ClusterTable, Mask]]:
        """Say of each table's combinations whether a slice is on a side: 1 or -1 for each slice of it, 0 if any.

        Parameters
        ----------
        sides : array of float, shape (n_potentials,)
        """
        on_side = []
        for cluster, table in zip(self.clusters, self.tables, strict=True):
            side = sides[list(cluster.slices)]
            on_side.append((table, ((_truths(len(side)) == side) & (side != 0)).any(axis=1)))
        return on_side

    def add_up(self, weights: Floats) -> Floats:
        """Add weights of all patterns up by context of the last cluster."""
        return np.asarray(np.bincount(self.sub, weights[self.rows], self.tables[-1].shape[0]))


def connected_groups(slices: Index, edges: Edges) -> list[tuple[int, ...]]:
    """Group slices that edges among them connect.

    >>> connected_groups(np.array([0, 1, 2, 3]), ((0, 2), (2, 3)))
    [(0, 2, 3), (1,)]
    """
    members = {int(i): {int(i)} for i in slices}
    for i, j in edges:
        if i in members and j in members and members[i] is not members[j]:
            members[i] |= members[j]
            for other in members[j]:
                members[other] = members[i]
    return sorted({tuple(sorted(group)) for group in members.values()})


def summed_over(uncertain: Mask, group: Sequence[int], edges: Edges) -> Mask:
    """Say in which patterns each slice of a connected group is summed over: where it is uncertain, or a little wider.

    A slice that abstains is uncertain in few patterns, and only these are worth a sum. Where nearly every pattern
    has other uncertain slices, summing over all of the group takes less time than one component for each such set.

    Parameters
    ----------
    uncertain : array of bool, shape (n_patterns, n_slices)

    Returns
    -------
    array of bool, shape (n_patterns, n_group)
    """
    own = uncertain[:, list(group)]
    sets, index = distinct_codes(own.astype(np.int8))
    tables = [len(cluster.slices) for cluster in cluster_slices(tuple(group), edges)]
    sizes = sets.sum(axis=1)
    # A table of a set is no larger than the largest of the group, of which more than one may then be needed.
    counts = 2.0 ** np.minimum(sizes, max(tables)) * np.maximum(sizes - max(tables) + 1, 1)
    sums = (np.bincount(index) * counts)[sets.any(axis=1)]
    apart = float(sums.sum()) + _COMPONENT_COST * len(sums)
    together = float(own.any(axis=1).sum()) * float((2.0 ** np.array(tables)).sum()) + _COMPONENT_COST
    return own if apart < together else np.repeat(own.max(axis=1, keepdims=True), len(group), axis=1)


def build_components(
    summed: Mask, codes: CodeArray, log_posterior: Floats, truth: Floats, edges: Edges, names: Sequence[str]
) -> tuple[Component, ...]:
    """Build the components of one connected group, for each set of its slices that some pattern is summed over.

    Parameters
    ----------
    summed : array of bool, shape (n_patterns, n_slices)
        From `summed_over`; False for slices of other groups.
    log_posterior : array of float, shape (2, n_slices, 3)
        log p(g = -1 | code) and log p(g = 1 | code).
    truth : array of float, shape (n_patterns, n_slices)
        1 or -1; 0 where summed over.
    """
    sets, index = distinct_codes(summed.astype(np.int8))
    return tuple(
        _component(group, np.flatnonzero(index == number), codes, log_posterior, truth, edges, names)
        for number, members in enumerate(sets)
        for group in connected_groups(np.flatnonzero(members), edges)
    )


def _component(
    group: tuple[int, ...],
    rows: Index,
    codes: CodeArray,
    log_posterior: Floats,
    truth: Floats,
    edges: Edges,
    names: Sequence[str],
) -> Component:
    """Build one component: a cluster looks at patterns through the codes of what was summed out so far (a context)."""
    k = codes.shape[1]
    ends = {k + e: edge for e, edge in enumerate(edges) if {*edge} & {*group}}
    potentials = np.array([*group, *ends], dtype=np.intp)
    position = {int(potential): i for i, potential in enumerate(potentials)}
    clusters = cluster_slices(group, edges)
    largest = max(len(cluster.slices) for cluster in clusters)
    if largest > MAX_TOGETHER:
        raise _too_many(group, names, f"{2**largest:,} combinations")
    neighbours = sorted({end for edge in ends.values() for end in edge} - {*group})
    sub = distinct_codes(codes[rows][:, [*group, *neighbours]])[1]
    first = rows[_first_of_each(sub)]  # a pattern that shows each sub-pattern
    codes, truth = codes[first], truth[first]
    tables: list[ClusterTable] = []
    contexts: list[Index] = []  # of each sub-pattern in each cluster
    members: list[Index] = []
    for cluster in clusters:
        # An edge belongs where the first of its uncertain ends is summed out.
        own = [*cluster.inner]
        own += [p for p, edge in ends.items() if {*edge} & {*cluster.inner} and {*edge} & {*group} <= {*cluster.slices}]
        outside = [[end for end in ends.get(p, ()) if end not in group] for p in own]
        signs = np.column_stack([truth[:, certain].prod(axis=1) for certain in outside])
        alike = distinct_codes(signs.astype(np.int8))[1]
        context = distinct_codes(codes[:, list(cluster.inner)])[1]
        for other in (alike, *(contexts[number] for number in cluster.below)):
            context = np.unique(context * (int(other.max()) + 1) + other, return_inverse=True)[1]
        shows = _first_of_each(context)
        n_own = len(own) + sum(len(members[number]) for number in cluster.below)
        if len(shows) * max(2 ** len(cluster.slices), 2 ** len(cluster.outer) * n_own // 2) > MAX_TABLE:
            raise _too_many(group, names, f"{len(shows):,} times {2 ** len(cluster.slices):,} combinations")
        truths = _truths(len(cluster.slices))
        column = {slice_: i for i, slice_ in enumerate(cluster.slices)}
        inside = [[column[end] for end in ends.get(p, (p,)) if end in column] for p in own]
        logs = np.zeros((len(shows), len(truths)))
        for slice_ in cluster.inner:
            by_code = log_posterior[:, slice_, :][:, codes[shows, slice_] + 1]
            logs += by_code[(truths[:, column[slice_]] > 0).astype(np.intp)].T
        links = []
        for number in cluster.below:
            outer = clusters[number].outer
            bits = truths[:, [column[slice_] for slice_ in outer]] > 0
            links.append(Link(number, contexts[number][shows], bits @ (1 << np.arange(len(outer) - 1, -1, -1))))
        table = ClusterTable(
            logs=logs,
            n_outer=2 ** len(cluster.outer),
            own=np.array([position[potential] for potential in own], dtype=np.intp),
            monomials=np.column_stack([truths[:, columns].prod(axis=1) for columns in inside]),
            signs=signs[_first_of_each(alike)],
            alike=alike[shows],
            links=tuple(links),
        )
        tables.append(table)
        contexts.append(context)
        members.append(np.concatenate([table.own, *(members[number] for number in cluster.below)]))
    return Component(rows, potentials, contexts[-1][sub], clusters, tuple(tables), tuple(members))


def _first_of_each(index: Index) -> Index:
    """Find an entry that holds each number."""
    first = np.zeros(int(index.max()) + 1, dtype=np.intp)
    first[index] = np.arange(len(index))
    return first


def _truths(n: int) -> Floats:
    """List the truths of n slices, the last one changing fastest, shape (2**n, n)."""
    return np.asarray(2.0 * ((np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1)) & 1) - 1, dtype=float)


def _too_many(group: Sequence[int], names: Sequence[str], what: str) -> ProjectError:
    return ProjectError(
        f"Too many noisy slices are connected by edges ({what}): {listed(names[i] for i in group)}. "
        "Remove an edge, or remove the corrections of some."
    )
