"""Potentials of the slices and their expectations given the slice codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import CodeArray, Floats, Index
from mandoline_core.weighting.components import Component, Edges, build_components, connected_groups, summed_over
from mandoline_core.weighting.elimination import Elimination


def expected_potentials(codes: CodeArray, corrections: Floats, edges: Edges) -> Floats:
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
class Tilt:
    """Compute E_s[exp(delta . phi(g)) | codes] and its moments for a fixed list of patterns.

    Slices whose truth is certain given their code enter directly; only uncertain slices
    are summed over, one connected component at a time, lone ones all at once.
    """

    fixed: Floats  # (n_patterns, n_potentials): potentials that are certain in a pattern, 0 elsewhere
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
        """The log-probabilities of the truth: of the lone slices, then of components' tables; -inf where impossible."""
        return (self.lone_log, *(table.logs for component in self.components for table in component.tables))

    def with_logs(self, logs: Iterable[Floats]) -> Tilt:
        """Replace the log-probabilities."""
        left = iter(logs)
        lone = next(left)
        components = tuple(
            replace(component, tables=tuple(replace(table, logs=next(left)) for table in component.tables))
            for component in self.components
        )
        return replace(self, lone_log=lone, components=components)

    def evaluate(self, delta: Floats) -> TiltValue:
        """Evaluate the tilt at one parameter vector."""
        log_scale = self.fixed @ delta
        lone_mean = np.empty((len(log_scale), 0))
        if len(self.lone):
            shift = delta[self.lone][:, None]
            log_out, log_in = self.lone_log[0] - shift, self.lone_log[1] + shift
            # A lone slice is summed over by code, three numbers each, and patterns look theirs up.
            log_table = np.logaddexp(log_out, log_in)
            with np.errstate(invalid="ignore"):
                mean_table = np.exp(log_in - log_table) - np.exp(log_out - log_table)
            mean_table = np.nan_to_num(mean_table)  # a code that is impossible on this face
            columns = np.arange(len(self.lone))
            log_scale = log_scale + log_table[columns, self.lone_codes].sum(axis=1)
            lone_mean = mean_table[columns, self.lone_codes]
        parts = []
        for component in self.components:
            part = component.evaluate(delta)
            log_scale[component.rows] += part.log_sum[component.sub]
            parts.append((component, part))
        return TiltValue(log_scale, self.fixed, self.lone, lone_mean, tuple(parts))


@dataclass(frozen=True, eq=False)
class TiltValue:
    """Hold the tilt evaluated at one delta."""

    log_scale: Floats  # (n_patterns,): log E[exp(delta . phi) | codes]
    fixed: Floats  # (n_patterns, n_potentials): as in the tilt
    lone: Index
    lone_mean: Floats  # (n_patterns, n_lone)
    parts: tuple[tuple[Component, Elimination], ...]

    @cached_property
    def mean(self) -> Floats:
        """The mean of phi under the tilted posterior, shape (n_patterns, n_potentials)."""
        if not len(self.lone) and not self.parts:
            return self.fixed
        mean = self.fixed.copy()
        mean[:, self.lone] = self.lone_mean
        for component, part in self.parts:
            mean[np.ix_(component.rows, component.potentials)] = part.mean[component.sub]
        return mean

    def average(self, weights: Floats) -> Floats:
        """Add the means up with weights, without working out those of every pattern; shape (n_potentials,)."""
        total = weights @ self.fixed
        total[self.lone] += weights @ self.lone_mean
        for component, part in self.parts:
            total[component.potentials] += part.average(component.add_up(weights))
        return total

    def covariance(self, weights: Floats) -> Floats:
        """Compute the covariance of phi over patterns and posteriors, with weights that sum to 1."""
        seconds = [part.moments(component.add_up(weights)) for component, part in self.parts]  # with them, the means
        weighted = weights[:, None] * self.mean
        centre = weighted.sum(axis=0)
        total = self.mean.T @ weighted - np.outer(centre, centre)
        total[self.lone, self.lone] += weights @ (1 - self.mean[:, self.lone] ** 2)
        for (component, _), (mean, second) in zip(self.parts, seconds, strict=True):
            between = (component.add_up(weights)[:, None] * mean).T @ mean
            total[np.ix_(component.potentials, component.potentials)] += second - between
        return total


def build_tilt(codes: CodeArray, corrections: Floats, edges: Edges, names: Sequence[str]) -> Tilt:
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
    uncertain = (p_in > 0) & (p_in < 1)
    with np.errstate(divide="ignore"):
        log_posterior = np.log(np.stack([1 - corrections, corrections]))
    groups = connected_groups(np.flatnonzero(uncertain.any(axis=0)), edges)
    touched = {i for edge in edges for i in edge}
    lone = np.array([group[0] for group in groups if group[0] not in touched], dtype=np.intp)
    summed = np.zeros_like(uncertain)
    summed[:, lone] = True
    joined = [list(group) for group in groups if group[0] in touched]
    for group in joined:
        summed[:, group] = summed_over(uncertain, group, edges)
    truth = np.where(summed, 0.0, 2 * p_in - 1)
    components: tuple[Component, ...] = ()
    for group in joined:
        among = np.zeros_like(summed)
        among[:, group] = summed[:, group]
        components += build_components(among, codes, log_posterior, truth, edges, names)
    fixed = _with_edges(truth, edges)
    return Tilt(fixed, lone, codes[:, lone].astype(np.intp) + 1, log_posterior[:, lone], components)
