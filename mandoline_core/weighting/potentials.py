"""Potentials of the slices and their expectations given what the slices say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from mandoline_core.arrays import Codes, Floats, Index
from mandoline_core.errors import ProjectError
from mandoline_core.formatting import listed

Edges = tuple[tuple[int, int], ...]

# Largest number of uncertain slices in one connected component, and largest table
# (sub-patterns x configurations) that a component may need: 2**25 doubles are 256 MB.
MAX_COMPONENT = 14
MAX_TABLE = 2**25


def expected_potentials(codes: Codes, corrections: Floats, edges: Edges) -> Floats:
    """Compute E[phi(g) | codes], with phi(g) = [g_1 .. g_k, g_i g_j for each edge].

    Given its code a slice's truth is independent of everything else, so an edge's expectation is a product.

    Parameters
    ----------
    codes : array of int8, shape (n_patterns, n_slices)
    corrections : array of float, shape (n_slices, 3)
        p(g = 1 | code) for the codes -1, 0, 1.

    Returns
    -------
    array of float, shape (n_patterns, n_slices + n_edges)

    Examples
    --------
    >>> codes = np.array([[1, -1]], dtype=np.int8)
    >>> expected_potentials(codes, np.array([[0, 0.5, 1], [0.1, 0.5, 0.9]]), ((0, 1),)).tolist()
    [[1.0, -0.8, -0.8]]
    """
    return _with_edges(2 * corrections[np.arange(codes.shape[1]), codes + 1] - 1, edges)


def _with_edges(truth: Floats, edges: Edges) -> Floats:
    return np.column_stack([truth, *(truth[:, i] * truth[:, j] for i, j in edges)]) if edges else truth


@dataclass(frozen=True, eq=False)
class Component:
    """Hold one connected group of uncertain slices, to be summed over its 2^m configurations.

    A potential's value is `signs[sub-pattern] * monomials[configuration]`: an edge to a slice that is
    certain contributes that slice's value as the sign.
    """

    potentials: Index  # (n,) which potentials it owns
    sub: Index  # (n_patterns,) sub-pattern of each pattern
    signs: Floats  # (n_sub, n)
    monomials: Floats  # (n_configurations, n)
    log_posterior: Floats  # (n_sub, n_configurations); -inf where impossible

    def evaluate(self, delta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return log E[exp(delta . phi)], the tilted mean and the tilted probabilities, per sub-pattern."""
        logits = (self.signs * delta[self.potentials]) @ self.monomials.T + self.log_posterior
        log_scale = logsumexp(logits, axis=1)
        with np.errstate(invalid="ignore"):
            probabilities = np.where(np.isneginf(log_scale)[:, None], 0.0, np.exp(logits - log_scale[:, None]))
        return log_scale, self.signs * (probabilities @ self.monomials), probabilities


@dataclass(frozen=True, eq=False)
class Tilt:
    """Compute E_s[exp(delta . phi(g)) | codes] and its moments for a fixed list of patterns.

    Slices whose truth is certain given their code enter directly; only uncertain slices
    are summed over, one connected component at a time, lone ones all at once.
    """

    fixed: Floats  # (n_patterns, n_potentials): potentials of certain slices, 0 elsewhere
    lone: Index  # slices that are uncertain and have no edge
    lone_codes: Index  # (n_patterns, n_lone): code + 1
    lone_log: Floats  # (2, n_lone, 3): log p(g = -1 | code), log p(g = 1 | code)
    components: tuple[Component, ...]

    @property
    def certain(self) -> bool:
        """Tell whether every potential is known given the codes."""
        return not len(self.lone) and not self.components

    @property
    def logs(self) -> tuple[Floats, ...]:
        """The log-probabilities of the truth: of the lone slices, then of each component; -inf where impossible."""
        return (self.lone_log, *(component.log_posterior for component in self.components))

    def with_logs(self, logs: Iterable[Floats]) -> Tilt:
        """Put other log-probabilities in the place of `logs`."""
        lone, *others = logs
        pairs = zip(self.components, others, strict=True)
        return replace(self, lone_log=lone, components=tuple(replace(one, log_posterior=log) for one, log in pairs))

    def evaluate(self, delta: Floats) -> TiltValue:
        """Evaluate the tilt at one parameter vector."""
        log_scale = self.fixed @ delta
        if self.certain:
            return TiltValue(log_scale, self.fixed, self.lone, ())
        mean = self.fixed.copy()
        if len(self.lone):
            shift = delta[self.lone][:, None]
            log_out, log_in = self.lone_log[0] - shift, self.lone_log[1] + shift
            log_table = np.logaddexp(log_out, log_in)
            with np.errstate(invalid="ignore"):
                mean_table = np.exp(log_in - log_table) - np.exp(log_out - log_table)
            mean_table = np.nan_to_num(mean_table)  # a code that is impossible on this face
            columns = np.arange(len(self.lone))
            log_scale = log_scale + log_table[columns, self.lone_codes].sum(axis=1)
            mean[:, self.lone] = mean_table[columns, self.lone_codes]
        parts = []
        for component in self.components:
            log_part, mean_part, probabilities = component.evaluate(delta)
            log_scale = log_scale + log_part[component.sub]
            mean[:, component.potentials] = mean_part[component.sub]
            parts.append((component, mean_part, probabilities))
        return TiltValue(log_scale, mean, self.lone, tuple(parts))


@dataclass(frozen=True, eq=False)
class TiltValue:
    """Hold the tilt evaluated at one delta."""

    log_scale: Floats  # (n_patterns,): log E[exp(delta . phi) | codes]
    mean: Floats  # (n_patterns, n_potentials): mean of phi under the tilted posterior
    lone: Index
    parts: tuple[tuple[Component, Floats, Floats], ...]

    def covariance(self, weights: Floats) -> Floats:
        """Compute the covariance of phi over patterns and posteriors, with weights that sum to 1."""
        weighted = weights[:, None] * self.mean
        centre = weighted.sum(axis=0)
        total = self.mean.T @ weighted - np.outer(centre, centre)
        total[self.lone, self.lone] += weights @ (1 - self.mean[:, self.lone] ** 2)
        for component, mean, probabilities in self.parts:
            share = np.bincount(component.sub, weights, len(mean))
            n = len(component.potentials)
            pairs = (component.monomials[:, :, None] * component.monomials[:, None, :]).reshape(-1, n * n)
            second = (probabilities @ pairs).reshape(-1, n, n)
            second *= component.signs[:, :, None] * component.signs[:, None, :]
            within = np.einsum("s,sij->ij", share, second) - (share[:, None] * mean).T @ mean
            total[np.ix_(component.potentials, component.potentials)] += within
        return total


def build_tilt(codes: Codes, corrections: Floats, edges: Edges, names: Sequence[str]) -> Tilt:
    """Prepare the tilt of some patterns.

    Parameters
    ----------
    codes : array of int8, shape (n_patterns, n_slices)
    corrections : array of float, shape (n_slices, 3)
        The source's p(g = 1 | code) for the codes -1, 0, 1.
    names : sequence of str
        Names of the slices, for messages.
    """
    p_in = corrections[np.arange(codes.shape[1]), codes + 1]
    uncertain = ((p_in > 0) & (p_in < 1)).any(axis=0)
    truth = np.where(uncertain, 0.0, 2 * p_in - 1)
    with np.errstate(divide="ignore"):
        log_posterior = np.log(np.stack([1 - corrections, corrections]))
    groups = connected_groups(np.flatnonzero(uncertain), edges)
    touched = {i for edge in edges for i in edge}
    lone = np.array([group[0] for group in groups if group[0] not in touched], dtype=np.intp)
    joined = [group for group in groups if group[0] in touched]
    components = [_component(group, codes, log_posterior, truth, edges, names) for group in joined]
    fixed = _with_edges(truth, edges)
    return Tilt(fixed, lone, codes[:, lone].astype(np.intp) + 1, log_posterior[:, lone], tuple(components))


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


def _component(
    group: tuple[int, ...],
    codes: Codes,
    log_posterior: Floats,
    truth: Floats,
    edges: Edges,
    names: Sequence[str],
) -> Component:
    k, m = codes.shape[1], len(group)
    position = {slice_: i for i, slice_ in enumerate(group)}
    own_edges = [(e, i, j) for e, (i, j) in enumerate(edges) if i in position or j in position]
    neighbours = sorted({x for _, i, j in own_edges for x in (i, j) if x not in position})
    scope = codes[:, [*group, *neighbours]]
    first, sub = np.unique(scope, axis=0, return_index=True, return_inverse=True)[1:]
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
    potentials = np.array([*group, *[k + e for e, _, _ in own_edges]], dtype=np.intp)
    return Component(potentials, sub.reshape(-1), np.hstack(signs), np.hstack(monomials), table)
