"""Clusters: in which order connected slices are summed out, a few at a time, so that tables stay small."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

Edges = tuple[tuple[int, int], ...]

# So few slices are summed out at once: a table of them costs less than the step between two tables.
_SMALL = 4


class Cluster(NamedTuple):
    """Hold slices that are summed out together, for each combination of those around them that are not yet.

    Parameters
    ----------
    inner : tuple of int
        The slices that are summed out here.
    outer : tuple of int
        Slices not yet summed out that they, or slices summed out before, hang together with.
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

    The slice that newly joins the fewest pairs of others is summed out first (minimum fill). A tree of any size needs
    tables of two slices, taken together to a few; slices that all hang together need one table of all.

    Examples
    --------
    >>> chain = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
    >>> [(cluster.inner, cluster.outer) for cluster in cluster_slices((0, 1, 2, 3, 4, 5), chain)]
    [((0, 1, 2), (3,)), ((3, 4, 5), ())]
    """
    order, around = _order(group, edges)
    place = {slice_: number for number, slice_ in enumerate(order)}
    inner = [[slice_] for slice_ in order]
    above = [min((place[other] for other in around[slice_]), default=-1) for slice_ in order]
    home = list(range(len(order)))  # the cluster that took each one in
    for number, parent in enumerate(above):
        if parent >= 0 and len(inner[number]) + len(inner[parent]) + len(around[order[parent]]) <= _SMALL:
            inner[parent] = inner[number] + inner[parent]
            home[number] = parent
    left = [number for number in range(len(order)) if home[number] == number]
    below: dict[int, list[int]] = {number: [] for number in left}
    for new, number in enumerate(left):
        if above[number] >= 0:
            below[_final(home, above[number])].append(new)
    return tuple(
        Cluster(tuple(inner[number]), tuple(sorted(around[order[number]], key=place.__getitem__)), tuple(below[number]))
        for number in left
    )


def _order(group: Collection[int], edges: Edges) -> tuple[list[int], dict[int, set[int]]]:
    """Order slices by minimum fill; say which later ones each hangs together with when its turn comes."""
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


def _final(home: list[int], number: int) -> int:
    while home[number] != number:
        number = home[number]
    return number
