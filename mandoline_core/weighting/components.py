"""Components: uncertain slices that edges connect, to be summed over together, pattern by pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Codes, Floats, Index
from mandoline_core.errors import ProjectError
from mandoline_core.formatting import listed
from mandoline_core.patterns import distinct_codes
from mandoline_core.weighting.clusters import Cluster, Edges, cluster_slices
from mandoline_core.weighting.elimination import Elimination, Part, eliminate
from mandoline_core.weighting.parts import Contexts, SubPatterns, build_part, combinations, find_contexts

Mask = NDArray[np.bool_]

# Largest number of uncertain slices that one table may be of (the treewidth of a connected component, and one), and
# largest tables of a component: of 2**25 doubles, 256 MB, to sum over, and twice that for expectations on the way.
MAX_TOGETHER = 14
MAX_TABLE = 2**25
# Looking at one more component takes as long as adding up so many configurations.
_COMPONENT_COST = 4000


@dataclass(frozen=True, eq=False)
class Component:
    """Hold one connected group of slices that are uncertain in some patterns, to be summed out cluster by cluster."""

    rows: Index  # (n_rows,) patterns in which these slices, and none that are connected to them, are uncertain
    slices: Index  # (m,) which slices
    potentials: Index  # (n,) which potentials it owns: the slices, then edges
    sub: Index  # (n_rows,) context of each of these patterns in the last part
    clusters: tuple[Cluster, ...]
    parts: tuple[Part, ...]  # one for each cluster
    members: tuple[Index, ...]  # which of its potentials belong to each part or to parts below

    def evaluate(self, delta: Floats) -> Elimination:
        """Sum over all truths at one parameter vector of all potentials."""
        return eliminate(self.parts, self.members, delta[self.potentials])

    def on_side(self, sides: Floats) -> list[tuple[Part, Mask]]:
        """Say of each part's combinations whether a slice is on a side: 1 or -1 for each slice of the table, 0 if any.

        Parameters
        ----------
        sides : array of float, shape (n_potentials,)
        """
        found = []
        for cluster, part in zip(self.clusters, self.parts, strict=True):
            side = sides[list(cluster.slices)]
            found.append((part, ((combinations(len(side)) == side) & (side != 0)).any(axis=1)))
        return found

    def add_up(self, weights: Floats) -> Floats:
        """Add weights of all patterns up by context of the last part."""
        return np.asarray(np.bincount(self.sub, weights[self.rows], self.parts[-1].shape[0]))


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
    here = uncertain[:, list(group)]
    sets, index = distinct_codes(here.astype(np.int8))
    tables = [len(cluster.slices) for cluster in cluster_slices(tuple(group), edges)]
    sizes = sets.sum(axis=1)
    # A table of a set is no larger than the largest of the group, of which more than one may then be needed.
    counts = 2.0 ** np.minimum(sizes, max(tables)) * np.maximum(sizes - max(tables) + 1, 1)
    sums = (np.bincount(index) * counts)[sets.any(axis=1)]
    apart = float(sums.sum()) + _COMPONENT_COST * len(sums)
    together = float(here.any(axis=1).sum()) * float((2.0 ** np.array(tables)).sum()) + _COMPONENT_COST
    return here if apart < together else np.repeat(here.max(axis=1, keepdims=True), len(group), axis=1)


def build_components(
    summed: Mask, codes: Codes, log_posterior: Floats, truth: Floats, edges: Edges, names: Sequence[str]
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
        _component(group, np.flatnonzero(index == place), codes, log_posterior, truth, edges, names)
        for place, members in enumerate(sets)
        for group in connected_groups(np.flatnonzero(members), edges)
    )


def _component(
    group: tuple[int, ...],
    rows: Index,
    codes: Codes,
    log_posterior: Floats,
    truth: Floats,
    edges: Edges,
    names: Sequence[str],
) -> Component:
    k = codes.shape[1]
    own_edges = [e for e, (i, j) in enumerate(edges) if i in group or j in group]
    clusters = cluster_slices(group, edges)
    largest = max(len(cluster.slices) for cluster in clusters)
    if largest > MAX_TOGETHER:
        raise _too_many(group, names, f"{largest} slices at a time, {2**largest:,} combinations")
    neighbours = sorted({x for e in own_edges for x in edges[e]} - {*group})
    scope, sub = distinct_codes(codes[rows][:, [*group, *neighbours]])
    first = np.zeros(len(scope), dtype=np.intp)
    first[sub] = rows  # a pattern that shows the sub-pattern
    shown = SubPatterns(codes[first], truth[first], log_posterior, {k + e: edges[e] for e in own_edges})
    potentials = np.array([*group, *[k + e for e in own_edges]], dtype=np.intp)
    position = {int(potential): i for i, potential in enumerate(potentials)}
    parts: list[Part] = []
    contexts: list[Contexts] = []
    members: list[Index] = []
    for cluster in clusters:
        here = find_contexts(cluster, group, shown, [contexts[number] for number in cluster.below])
        n_below = sum(len(members[number]) for number in cluster.below)
        size = len(here) * max(2 ** len(cluster.slices), 2 ** len(cluster.outer) * (len(here.own) + n_below) // 2)
        if size > MAX_TABLE:
            what = f"{len(cluster.slices)} slices at a time, in {len(here):,} ways"
            raise _too_many(group, names, what)
        below = [(number, clusters[number], contexts[number]) for number in cluster.below]
        parts.append(build_part(cluster, here, shown, position, below))
        contexts.append(here)
        members.append(np.concatenate([parts[-1].own, *(members[number] for number in cluster.below)]))
    return Component(
        rows=rows,
        slices=np.array(group, dtype=np.intp),
        potentials=potentials,
        sub=contexts[-1].places[sub],
        clusters=clusters,
        parts=tuple(parts),
        members=tuple(members),
    )


def _too_many(group: Sequence[int], names: Sequence[str], what: str) -> ProjectError:
    return ProjectError(
        f"The uncertain slices {listed(names[i] for i in group)} hang together through edges, too many to add up: "
        f"{what}. Remove an edge between them, or take some of them at their word (no corrections, no abstention)."
    )
