"""Components: uncertain slices that edges connect, to be summed over together, pattern by pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Codes, Floats, Index
from mandoline_core.errors import ProjectError
from mandoline_core.formatting import listed
from mandoline_core.patterns import distinct_codes

Edges = tuple[tuple[int, int], ...]
Mask = NDArray[np.bool_]

# Largest number of uncertain slices in one connected component, and largest table
# (sub-patterns x configurations) that a component may need: 2**25 doubles are 256 MB.
MAX_COMPONENT = 14
MAX_TABLE = 2**25
# Looking at one more component takes as long as adding up so many configurations.
_COMPONENT_COST = 4000


@dataclass(frozen=True, eq=False)
class Component:
    """Hold one connected group of slices that are uncertain in some patterns, to be summed over 2^m configurations.

    A potential's value is `signs[sub-pattern] * monomials[configuration]`: an edge to a slice that is
    certain contributes that slice's value as the sign.
    """

    rows: Index  # (n_rows,) patterns in which these slices, and none that are connected to them, are uncertain
    slices: Index  # (m,) which slices
    potentials: Index  # (n,) which potentials it owns: the slices, then edges
    sub: Index  # (n_rows,) sub-pattern of each of these patterns
    signs: Floats  # (n_sub, n)
    alike: Index  # (n_sub,) number of the sub-pattern's row of signs among the distinct ones
    firsts: Index  # (n_distinct,) a sub-pattern with each distinct row of signs
    monomials: Floats  # (n_configurations, n)
    log_posterior: Floats  # (n_sub, n_configurations); -inf where impossible

    def evaluate(self, delta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return log E[exp(delta . phi)], the tilted mean and the tilted probabilities, per sub-pattern."""
        by_signs = (self.signs[self.firsts] * delta[self.potentials]) @ self.monomials.T
        # The table is large: it is gone over as few times as possible, and in place.
        table = self.log_posterior + by_signs[self.alike]
        top = table.max(axis=1)
        top[np.isneginf(top)] = 0.0  # nothing is possible there
        table -= top[:, None]
        np.exp(table, out=table)
        total = table.sum(axis=1)
        with np.errstate(divide="ignore"):
            log_scale = top + np.log(total)
        table /= np.where(total > 0, total, 1.0)[:, None]
        return log_scale, self.signs * (table @ self.monomials), table

    def covariance(self, weights: Floats, mean: Floats, probabilities: Floats) -> Floats:
        """Compute the covariance of its potentials within patterns, added up with the weights of all patterns."""
        share = np.bincount(self.sub, weights[self.rows], len(mean))
        # Sub-patterns with the same signs are added up first: each distinct row of signs costs one product.
        one = csr_matrix((share, (self.alike, np.arange(len(share)))), shape=(len(self.firsts), len(share)))
        total = -(share[:, None] * mean).T @ mean
        for signs, chance in zip(self.signs[self.firsts], one @ probabilities, strict=True):
            total += np.outer(signs, signs) * ((chance[:, None] * self.monomials).T @ self.monomials)
        return total


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


def summed_over(uncertain: Mask, group: Sequence[int]) -> Mask:
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
    sizes = (np.bincount(index) * 2.0 ** sets.sum(axis=1))[sets.any(axis=1)]
    apart = float(sizes.sum()) + _COMPONENT_COST * len(sizes)
    together = float(here.any(axis=1).sum()) * 2.0 ** len(group) + _COMPONENT_COST
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
    k, m = codes.shape[1], len(group)
    codes, truth = codes[rows], truth[rows]
    position = {slice_: i for i, slice_ in enumerate(group)}
    own_edges = [(e, i, j) for e, (i, j) in enumerate(edges) if i in position or j in position]
    neighbours = sorted({x for _, i, j in own_edges for x in (i, j) if x not in position})
    scope, sub = distinct_codes(codes[:, [*group, *neighbours]])
    first = np.zeros(len(scope), dtype=np.intp)
    first[sub] = np.arange(len(sub))  # a pattern that shows the sub-pattern
    if m > MAX_COMPONENT or len(first) * 2**m > MAX_TABLE:
        raise ProjectError(
            f"The uncertain slices {listed(names[i] for i in group)} hang together through edges: {m} slices, "
            f"{2**m:,} combinations for each of {len(first):,} patterns, too many to add up. "
            "Remove an edge between them, or take some of them at their word (no corrections, no abstention)."
        )
    signs_of_bits = 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)) & 1) - 1
    monomials, signs = [signs_of_bits], [np.ones((len(first), m))]
    for _, i, j in own_edges:
        inner = [position[x] for x in (i, j) if x in position]
        outer = [x for x in (i, j) if x not in position]
        monomials.append(signs_of_bits[:, inner].prod(axis=1, keepdims=True))
        signs.append(truth[first][:, outer].prod(axis=1, keepdims=True))
    configurations = signs_of_bits > 0
    table = np.zeros((len(first), 2**m))
    for i, slice_ in enumerate(group):
        by_code = log_posterior[:, slice_, :][:, codes[first, slice_] + 1]
        table += by_code[configurations[:, i].astype(int)].T
    alike = distinct_codes(truth[first][:, neighbours].astype(np.int8))[1]
    return Component(
        rows=rows,
        slices=np.array(group, dtype=np.intp),
        potentials=np.array([*group, *[k + e for e, _, _ in own_edges]], dtype=np.intp),
        sub=sub,
        signs=np.hstack(signs),
        alike=alike,
        firsts=np.unique(alike, return_index=True)[1],
        monomials=np.hstack(monomials),
        log_posterior=table,
    )
