"""What the source can be reweighted to: find the target rows beyond it, and the source rows of no use."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, linprog
from scipy.sparse import block_diag, csr_matrix, hstack, vstack

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.weighting.potentials import Tilt

_TOLERANCE = 1e-6
_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def find_beyond(tilt: Tilt, present: NDArray[np.bool_], potentials: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Find how much of each target pattern can be kept, the rest being set aside.

    A linear programme keeps as much of the target as some weighting of the source can match. Of a pattern that only
    lies a little too far out for the others to make up for it, that is a part.

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
        The share of each pattern that is kept, 0 to 1. Those that cannot be kept whole all lie behind a hyperplane that
        has the source in front.
    direction : array of float, shape (n_potentials,)
        The separating combination of potentials; zero when nothing is beyond.
    """
    source, links = _vertices(tilt, present)
    n, d = potentials.shape
    rows = vstack([csr_matrix(potentials.T), csr_matrix(np.ones((1, n)))])
    equalities = vstack([hstack([rows, -source]), hstack([csr_matrix((links.shape[0], n)), links])]).tocsr()
    found = _maximise(shares, equalities)
    if -found.fun >= shares.sum() * (1 - 1e-9):
        return np.ones(n), np.zeros(d)
    within = found.x[:n] / shares
    within = np.where(within < _TOLERANCE, 0.0, np.where(within > 1 - _TOLERANCE, 1.0, within))
    # By duality every pattern not kept whole lies behind the hyperplane whose normal the multipliers are.
    return within, -found.eqlin.marginals[:d]


def restrict_to_face(tilt: Tilt, present: NDArray[np.bool_], target_mean: Floats) -> tuple[Tilt, NDArray[np.bool_]]:
    """Drop the source patterns and configurations that no weighting with the target's mean can use.

    When the target lies on the edge of what the source reaches (a slice that is empty in the target, say),
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
    found = _maximise(np.ones(n), equalities)
    used = found.x[:n] > 0.5
    usable = np.zeros(len(present), dtype=bool)
    n_present = int(present.sum())
    usable[present] = used[:n_present]
    return _rule_out(tilt, used[n_present:]), usable


def rule_out_empty(tilt: Tilt, potentials: Floats) -> tuple[Tilt, NDArray[np.bool_]]:
    """Drop the source patterns and configurations on that side of a slice where the target has no row at all.

    This is the commonest way for the target to lie on a face, and needs no linear programme to be seen.

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
        side, m = empty[component.slices], len(component.slices)
        gone = ((component.monomials[:, :m] == side) & (side != 0)).any(axis=1)
        logs.append(np.where(gone, -np.inf, component.log_posterior))
        usable[component.rows] &= ~np.isneginf(logs[-1].max(axis=1))[component.sub]
    return tilt.with_logs(logs), usable


def _maximise(upper: Floats, equalities: csr_matrix) -> OptimizeResult:
    """Find variables, none negative, that solve equalities with right sides 0; maximise the sum of the bounded ones.

    Parameters
    ----------
    upper : array of float
        Upper bounds of the first variables; the others have none.
    """
    n_free = equalities.shape[1] - len(upper)
    found = linprog(
        np.concatenate([-np.ones(len(upper)), np.zeros(n_free)]),
        A_eq=equalities,
        b_eq=np.zeros(equalities.shape[0]),
        bounds=np.column_stack([np.zeros(equalities.shape[1]), np.concatenate([upper, np.full(n_free, np.inf)])]),
        method="highs",
        options=_OPTIONS,
    )
    if found.status != 0:
        raise MandolineError(f"The overlap of the two samples could not be checked: {found.message}")
    return found


def _vertices(tilt: Tilt, present: NDArray[np.bool_]) -> tuple[csr_matrix, csr_matrix]:
    """Describe everything the source can be reweighted to as weights on vertices.

    One vertex for each pattern (its certain potentials and a 1 for the total), then one for each sub-pattern
    and configuration of an uncertain group; links make a group's weights add up to those of its patterns.

    Returns
    -------
    vertices : sparse, shape (n_potentials + 1, n_vertices)
    links : sparse, shape (n_links, n_vertices)
    """
    d = tilt.fixed.shape[1]
    n_present = int(present.sum())
    columns = [csr_matrix(np.column_stack([tilt.fixed[present], np.ones(n_present)]).T)]
    left, right = [], []
    numbered = np.cumsum(present) - 1
    for rows, sub, values, possible in _groups(tilt):
        n_sub, n_configurations, _ = values.shape
        flat = np.where(possible[:, :, None], values, 0.0).reshape(-1, d)
        columns.append(csr_matrix(np.column_stack([flat, np.zeros(len(flat))]).T))
        here = present[rows]
        member = csr_matrix((np.ones(here.sum()), (sub[here], numbered[rows[here]])), shape=(n_sub, n_present))
        spread = csr_matrix(
            (possible.reshape(-1).astype(float), (np.repeat(np.arange(n_sub), n_configurations), np.arange(len(flat)))),
            shape=(n_sub, len(flat)),
        )
        left.append(-member)
        right.append(spread)
    vertices = hstack(columns).tocsr()
    if not left:
        return vertices, csr_matrix((0, vertices.shape[1]))
    return vertices, hstack([vstack(left), block_diag(right)]).tocsr()


def _groups(tilt: Tilt) -> list[tuple[Index, Index, Floats, NDArray[np.bool_]]]:
    """List each uncertain group: its patterns, their sub-patterns, potentials by configuration, what is possible."""
    d = tilt.fixed.shape[1]
    groups = []
    for column, slice_ in enumerate(tilt.lone):
        values = np.zeros((3, 2, d))
        values[:, :, slice_] = [-1.0, 1.0]
        possible = ~np.isneginf(tilt.lone_log[:, column, :].T)
        groups.append((np.arange(len(tilt.fixed)), tilt.lone_codes[:, column], values, possible))
    for component in tilt.components:
        values = np.zeros((*component.log_posterior.shape, d))
        values[:, :, component.potentials] = component.signs[:, None, :] * component.monomials[None]
        groups.append((component.rows, component.sub, values, ~np.isneginf(component.log_posterior)))
    return groups


def _rule_out(tilt: Tilt, used: NDArray[np.bool_]) -> Tilt:
    """Give probability zero to the configurations not used; they come as `_groups` lists them."""
    shapes = [(len(tilt.lone), 3, 2), *(component.log_posterior.shape for component in tilt.components)]
    parts = np.split(used, np.cumsum([math.prod(shape) for shape in shapes])[:-1])
    lone, *others = (part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
    kept = (lone.transpose(2, 0, 1), *others)
    return tilt.with_logs(np.where(keep, log, -np.inf) for keep, log in zip(kept, tilt.logs, strict=True))
