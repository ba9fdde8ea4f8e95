"""Parts of a component: each cluster of slices with its tables, one for every way that patterns look to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Codes, Floats, Index
from mandoline_core.patterns import distinct_codes
from mandoline_core.weighting.clusters import Cluster
from mandoline_core.weighting.elimination import Link, Part


class SubPatterns(NamedTuple):
    """Hold the sub-patterns of a component: what slices say, the truth where it is certain, and edges by potential."""

    codes: Codes  # (n_sub, n_slices)
    truth: Floats  # (n_sub, n_slices); 0 where summed over
    log_posterior: Floats  # (2, n_slices, 3)
    edges: dict[int, tuple[int, int]]


class Contexts(NamedTuple):
    """Hold the ways that sub-patterns look to a cluster: codes summed out so far, and signs of its potentials."""

    own: list[int]  # its potentials
    places: Index  # (n_sub,) the context of each sub-pattern
    signs: Floats  # (n_sub, n_own)
    alike: Index  # (n_sub,) number of the row of signs among the distinct ones

    def __len__(self) -> int:
        """Count the contexts."""
        return int(self.places.max()) + 1


def find_contexts(cluster: Cluster, group: tuple[int, ...], shown: SubPatterns, below: Sequence[Contexts]) -> Contexts:
    """Find the contexts of a cluster.

    Parameters
    ----------
    group : tuple of int
        All slices of the component.
    below : sequence of Contexts
        Of the clusters whose results enter here.
    """
    edges = [e for e, ends in shown.edges.items() if _belongs(ends, cluster, group)]
    signs = np.ones((len(shown.codes), len(cluster.inner) + len(edges)))
    for column, edge in enumerate(edges, start=len(cluster.inner)):
        for end in {*shown.edges[edge]} - {*group}:
            signs[:, column] *= shown.truth[:, end]
    alike = distinct_codes(signs.astype(np.int8))[1]
    index = distinct_codes(shown.codes[:, list(cluster.inner)])[1]
    for known in (alike, *(other.places for other in below)):
        index = np.unique(index * (int(known.max()) + 1) + known, return_inverse=True)[1]
    return Contexts([*cluster.inner, *edges], index, signs, alike)


def build_part(
    cluster: Cluster,
    contexts: Contexts,
    shown: SubPatterns,
    position: dict[int, int],
    below: Sequence[tuple[int, Cluster, Contexts]],
) -> Part:
    """Build one part with its tables.

    Parameters
    ----------
    position : dict of int to int
        The place of each potential among the component's.
    below : sequence
        Of the clusters whose results enter here: number, cluster and contexts.
    """
    place = {slice_: i for i, slice_ in enumerate(cluster.slices)}
    truths = combinations(len(place))
    monomials = np.ones((len(truths), len(contexts.own)))
    for column, potential in enumerate(contexts.own):
        for end in shown.edges.get(potential, (potential,)):
            if end in place:
                monomials[:, column] *= truths[:, place[end]]
    first = _shown_by(contexts.places)
    logs = np.zeros((len(first), len(truths)))
    for slice_ in cluster.inner:
        by_code = shown.log_posterior[:, slice_, :][:, shown.codes[first, slice_] + 1]
        logs += by_code[(truths[:, place[slice_]] > 0).astype(np.intp)].T
    links = []
    for number, other, known in below:
        bits = truths[:, [place[slice_] for slice_ in other.outer]] > 0
        links.append(Link(number, known.places[first], bits @ (1 << np.arange(len(other.outer) - 1, -1, -1))))
    return Part(
        logs=logs,
        n_outer=2 ** len(cluster.outer),
        own=np.array([position[one] for one in contexts.own], dtype=np.intp),
        monomials=monomials,
        signs=contexts.signs[_shown_by(contexts.alike)],
        alike=contexts.alike[first],
        links=tuple(links),
    )


def _shown_by(index: Index) -> Index:
    """Find a place that shows each number."""
    first = np.zeros(int(index.max()) + 1, dtype=np.intp)
    first[index] = np.arange(len(index))
    return first


def _belongs(edge: tuple[int, int], cluster: Cluster, group: tuple[int, ...]) -> bool:
    """Tell whether an edge is between slices of a cluster, or certain ones, of which the first is summed out there."""
    return bool({*edge} & {*cluster.inner}) and {*edge} & {*group} <= {*cluster.slices}


def combinations(n: int) -> Floats:
    """List the truths of n slices, the last one changing fastest, shape (2**n, n)."""
    return np.asarray(2.0 * ((np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1)) & 1) - 1, dtype=float)
