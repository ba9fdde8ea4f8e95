"""Overlap: find target rows that no weighting of the source can match, and source rows without use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack, vstack

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.weighting.potentials import Tilt

_TOLERANCE = 1e-6
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def find_beyond(tilt: Tilt, present: NDArray[np.bool_], potentials: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Find how much of each target pattern can be kept; the rest is left out.

    A linear programme keeps as much of the target as some weighting of the source can match. Of a pattern that only
    is a little too far out for the others to make up for it, that is a part.

    Parameters
    ----------
    tilt : Tilt
        Of the source's patterns.
    present : array of bool, shape (n_patterns,)
        Patterns with source rows.
    potentials : array of float, shape (n_target_patterns, n_potentials)
        The target's expected potentials.
    shares : array of float, shape (n_target_patterns,)
        Shares of the target.

    Returns
    -------
    within : array of float, shape (n_target_patterns,)
        The share of each pattern that is kept, 0 to 1. Those that cannot be kept whole are all behind a hyperplane that
        has the source in front.
    direction : array of float, shape (n_potentials,)
        The separating combination of potentials; zero when nothing is beyond.
    """
    source, links = _vertices(tilt, present)
    n, d = potentials.shape
    # Kept shares of the target on the left, weights of the source on the right: their potentials and totals agree.
    rows = vstack([csr_matrix(potentials.T), csr_matrix(np.ones((1, n)))])
    equalities = vstack([hstack([rows, -source]), hstack([csr_matrix((links.shape[0], n)), links])]).tocsr()
    optimum = _maximise(shares, equalities)
    if -optimum.fun >= shares.sum() * (1 - 1e-9):
        return np.ones(n), np.zeros(d)
    within = optimum.x[:n] / shares
    within = np.where(within < _TOLERANCE, 0.0, np.where(within > 1 - _TOLERANCE, 1.0, within))
    # By duality every pattern not kept whole lies behind the hyperplane whose normal the multipliers are.
    return within, -optimum.eqlin.marginals[:d]


def restrict_to_face(tilt: Tilt, present: NDArray[np.bool_], target_mean: Floats) -> tuple[Tilt, NDArray[np.bool_]]:
    """Drop the source patterns and configurations that no weighting with the target's mean can use.

    When the target is on the edge of what the source reaches (a slice that is empty in the target, say),
    the best weights are the limit of a diverging sequence: zero off the smallest face that holds the target,
    and an ordinary solution on it.

    Returns
    -------
    tilt : Tilt
        With impossible configurations ruled out.
    usable : array of bool, shape (n_patterns,)
    """
    source, links = _vertices(tilt, present)
    n = source.shape[1]
    goal = csr_matrix(-np.append(target_mean, 1.0)[:, None])
    no_goal = csr_matrix((links.shape[0], 1))
    # Weights are z + y with z at most 1: the largest total of z is the number of vertices that can be used at all.
    equalities = vstack([hstack([source, source, goal]), hstack([links, links, no_goal])]).tocsr()
    optimum = _maximise(np.ones(n), equalities)
    used = optimum.x[:n] > 0.5
    usable = np.zeros(len(present), dtype=bool)
    n_present = int(present.sum())
    usable[present] = used[:n_present]
    return _rule_out(tilt, used[n_present:]), usable


def rule_out_empty(tilt: Tilt, potentials: Floats) -> tuple[Tilt, NDArray[np.bool_]]:
    """Drop the source patterns and configurations on that side of a slice where the target has no row at all.

    This is the commonest way for the target to be on a face, and needs no linear programme to be seen.

    Parameters
    ----------
    potentials : array of float, shape (n_target_patterns, n_potentials)
        The target's expected potentials.

    Returns
    -------
    tilt : Tilt
        With impossible configurations ruled out.
    usable : array of bool, shape (n_patterns,)
    """
    most, least = potentials.max(axis=0), potentials.min(axis=0)
    empty = np.where(most == -1, 1.0, np.where(least == 1, -1.0, 0.0))  # the side where no target row is
    usable = ~((tilt.fixed == empty) & (empty != 0)).any(axis=1)
    if not empty.any() or tilt.certain:
        return tilt, usable
    lone = tilt.lone_log.copy()
    lone[0, empty[tilt.lone] == -1], lone[1, empty[tilt.lone] == 1] = -np.inf, -np.inf
    logs = [lone]
    if len(tilt.lone):
        usable &= ~np.isneginf(lone.max(axis=0))[np.arange(len(tilt.lone)), tilt.lone_codes].any(axis=1)
    for component in tilt.components:
        logs += [np.where(gone, -np.inf, table.logs) for table, gone in component.on_side(empty)]
    ruled = tilt.with_logs(logs)
    for component in ruled.components:
        possible = ~np.isneginf(component.evaluate(np.zeros(len(empty))).log_sum)
        usable[component.rows] &= possible[component.sub]
    return ruled, usable


def _maximise(upper: Floats, equalities: csr_matrix) -> OptimizeResult:
    """Find variables, none negative, that solve equalities with right sides 0; maximise the sum of the bounded ones.

    Parameters
    ----------
    upper : array of float
        Upper bounds of the first variables; the others have none.
    """
    n_free = equalities.shape[1] - len(upper)
    optimum = linprog(
        np.concatenate([-np.ones(len(upper)), np.zeros(n_free)]),
        A_eq=equalities,
        b_eq=np.zeros(equalities.shape[0]),
        bounds=np.column_stack([np.zeros(equalities.shape[1]), np.concatenate([upper, np.full(n_free, np.inf)])]),
        method="highs",
        options=_OPTIONS,
    )
    if optimum.status != 0:
        raise MandolineError(f"The overlap of labelled and new data could not be checked: {optimum.message}")
    return optimum


def _vertices(tilt: Tilt, present: NDArray[np.bool_]) -> tuple[csr_matrix, csr_matrix]:
    """Describe everything the source can be reweighted to as weights on vertices.

    One vertex for each pattern (its certain potentials and a 1 for the total), then one for each entry of the tables
    that are summed over, in the order of the tilt's `logs`. Links make a table's weights add up to those of its
    patterns, or to those of the table that its slices are summed out for.

    Returns
    -------
    vertices : sparse, shape (n_potentials + 1, n_vertices)
    links : sparse, shape (n_links, n_vertices)
    """
    d, n_present = tilt.fixed.shape[1], int(present.sum())
    columns = [csr_matrix(np.column_stack([tilt.fixed[present], np.ones(n_present)]).T)]
    tables = [*_lone_tables(tilt, present), *_cluster_tables(tilt, present, n_present + 6 * len(tilt.lone))]
    for table in tables:
        inside = coo_matrix((table.values.ravel(), (table.own.ravel(), table.entries.ravel())), shape=(d + 1, table.n))
        columns.append(inside.tocsr())
    n_vertices = n_present + sum(table.n for table in tables)
    links: list[csr_matrix] = []
    start = n_present
    for table in tables:
        own = coo_matrix((table.possible, (table.sums, start + np.arange(table.n))), shape=(table.n_sums, n_vertices))
        other = coo_matrix((table.parent_possible, (table.parent_sums, table.parents)), shape=own.shape)
        links.append((own - other).tocsr())
        start += table.n
    return hstack(columns).tocsr(), vstack(links).tocsr() if links else csr_matrix((0, n_vertices))


class _Table(NamedTuple):
    """Hold a table that is summed over as vertices: what each is worth, and what groups of them add up to."""

    values: Floats  # (n, n_own): of its own potentials; 0 where impossible
    own: Index  # (n, n_own): which potentials
    possible: Floats  # (n,): 0 or 1
    sums: Index  # (n,): the sum each entry is a part of
    n_sums: int
    parents: Index  # vertices that make up the sums
    parent_sums: Index  # which sum each of these is a part of
    parent_possible: Floats  # 0 where one is impossible

    @property
    def n(self) -> int:
        """The number of its entries."""
        return len(self.sums)

    @property
    def entries(self) -> Index:
        """The number of the entry that each value is of, shape (n, n_own)."""
        return np.repeat(np.arange(self.n)[:, None], self.own.shape[1], axis=1)


def _lone_tables(tilt: Tilt, present: NDArray[np.bool_]) -> Iterator[_Table]:
    """Describe the lone slices: by code, out and in."""
    numbers = np.arange(int(present.sum()))
    for column, slice_ in enumerate(tilt.lone):
        possible = (~np.isneginf(tilt.lone_log[:, column, :].T)).ravel().astype(float)
        values = np.tile([-1.0, 1.0], 3) * possible
        own = np.full((6, 1), slice_)
        codes = tilt.lone_codes[present, column]
        yield _Table(
            values[:, None], own, possible, np.repeat(np.arange(3), 2), 3, numbers, codes, np.ones(len(numbers))
        )


def _cluster_tables(tilt: Tilt, present: NDArray[np.bool_], start: int) -> Iterator[_Table]:
    """Describe the tables of every component's clusters, the first of them numbered from `start`."""
    numbered = np.cumsum(present) - 1
    for component in tilt.components:
        sizes = [table.logs.size for table in component.tables]
        starts = start + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        above = {link.number: (number, link) for number, t in enumerate(component.tables) for link in t.links}
        for number, table in enumerate(component.tables):
            n, inner, outer = table.shape
            possible = (~np.isneginf(table.logs)).astype(float)
            values = possible[:, :, None] * table.values(slice(None))
            own = np.broadcast_to(component.potentials[table.own], values.shape).reshape(table.logs.size, -1)
            around = np.arange(n)[:, None, None] * outer + np.arange(outer)
            sums = np.broadcast_to(around, (n, inner, outer)).ravel()
            if number in above:
                upper, link = above[number]
                logs_above = component.tables[upper].logs
                parents = starts[upper] + np.arange(logs_above.size)
                parent_sums = (link.contexts[:, None] * outer + link.places).ravel()
                parent_possible = (~np.isneginf(logs_above)).astype(float).ravel()
            else:
                shown = present[component.rows]
                parents, parent_sums = numbered[component.rows[shown]], component.sub[shown]
                parent_possible = np.ones(len(parents))
            flat = values.reshape(table.logs.size, -1)
            yield _Table(flat, own, possible.ravel(), sums, n * outer, parents, parent_sums, parent_possible)
        start += sum(sizes)


def _rule_out(tilt: Tilt, used: NDArray[np.bool_]) -> Tilt:
    """Give probability zero to the entries of tables that are not used; they come as `_vertices` lists them."""
    shapes = [(len(tilt.lone), 3, 2), *(log.shape for log in tilt.logs[1:])]
    parts = np.split(used, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    lone, *others = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    kept = (lone.transpose(2, 0, 1), *others)
    return tilt.with_logs(np.where(keep, log, -np.inf) for keep, log in zip(kept, tilt.logs, strict=True))
