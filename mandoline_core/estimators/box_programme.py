"""Minimise a convex quadratic over a box and a band on the sum, by a primal-dual interior point method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from mandoline_core.arrays import Floats
from mandoline_core.data import take_step

_MOST_ITERATIONS = 80
_TO_THE_BOUNDARY = 0.995
_TINY = np.finfo(float).tiny
# The point, the multiplier of its sum, and those of the lower bounds, the upper bounds and the band's ends.
_Iterate = tuple[Floats, float, tuple[Floats, ...]]


class Form(Protocol):
    """A positive definite matrix M that can be multiplied by, and solved with after adding to its diagonal."""

    def product(self, values: Floats) -> Floats:
        """Return M times a vector."""

    def solver(self, diagonal: Floats) -> Callable[[Floats], Floats]:
        """Return the function that solves (M + diag(diagonal)) x = right, for columns of right sides."""


@dataclass(frozen=True, eq=False)
class DenseForm:
    """A full matrix, shape (n, n): each solve costs a Cholesky factorisation."""

    matrix: Floats

    def product(self, values: Floats) -> Floats:
        """Return M times a vector."""
        return self.matrix @ values

    def solver(self, diagonal: Floats) -> Callable[[Floats], Floats]:
        """Factorise M + diag(diagonal)."""
        matrix = self.matrix.copy()
        matrix.flat[:: len(matrix) + 1] += diagonal
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        return lambda right: cho_solve(factor, right, check_finite=False)


@dataclass(frozen=True, eq=False)
class LowRankForm:
    """A factor of shape (n, rank) and a positive diagonal: M = L L' + diag(diagonal), solved by Woodbury."""

    factor: Floats
    diagonal: Floats

    def product(self, values: Floats) -> Floats:
        """Return M times a vector."""
        return self.factor @ (self.factor.T @ values) + self.diagonal * values

    def solver(self, diagonal: Floats) -> Callable[[Floats], Floats]:
        """Factorise the rank x rank matrix of Woodbury's identity: O(n rank^2)."""
        total = (self.diagonal + diagonal)[:, None]
        scaled = self.factor / np.sqrt(total)
        inner = scaled.T @ scaled  # one matrix with its transpose: BLAS computes half of it
        inner.flat[:: len(inner) + 1] += 1.0
        factor = cho_factor(inner, lower=True, overwrite_a=True, check_finite=False)

        def once(right: Floats) -> Floats:
            plain = right / total
            return plain - self.factor @ cho_solve(factor, self.factor.T @ plain, check_finite=False) / total

        def solve(right: Floats) -> Floats:
            solved = once(right)
            # The subtraction in Woodbury's identity loses digits when the diagonal is small: refine once.
            return solved + once(right - self.factor @ (self.factor.T @ solved) - total * solved)

        return solve


@dataclass(frozen=True, eq=False)
class Region:
    """The points u with 0 <= u <= upper and low <= sum(u) <= high.

    Parameters
    ----------
    upper : array of float, shape (n,)
        Positive.
    """

    upper: Floats
    low: float
    high: float

    def lowest(self, slope: Floats) -> Floats:
        """Return the feasible point at which a linear function is lowest.

        The steepest coordinates are filled first: up to `low` whatever their slope, up to `high` while it is negative.

        >>> Region(np.array([1.0, 3.0]), 1.0, 3.0).lowest(np.array([-1.0, 2.0])).tolist()
        [1.0, 0.0]
        """
        order = np.argsort(slope)
        upper = self.upper[order]
        before = np.cumsum(upper) - upper
        limit = np.where(slope[order] < 0, self.high, self.low)
        point = np.empty_like(upper)
        point[order] = np.clip(limit - before, 0.0, upper)
        return point

    def gap(self, slope: Floats, point: Floats) -> float:
        """Return how much lower a linear function gets: at a convex function's gradient, a bound on what is left.

        >>> Region(np.array([1.0, 3.0]), 1.0, 3.0).gap(np.array([-1.0, 2.0]), np.array([0.5, 1.0]))
        2.5
        """
        return max(float(slope @ (point - self.lowest(slope))), 0.0)


def minimise(form: Form, linear: Floats, region: Region, *, tolerance: float) -> Floats:
    """Minimise u'Mu / 2 + linear.u over a region.

    Mehrotra's predictor and corrector, from the middle of the region; the sum is a variable of its own with two bounds.
    It ends when the gap is below the tolerance, in the objective's own units, or no step is possible any more.

    Parameters
    ----------
    form : Form
        M, shape (n, n).
    linear : array of float, shape (n,)

    Examples
    --------
    >>> region = Region(np.array([1.0, 1.0]), 0.0, 2.0)
    >>> minimise(DenseForm(np.eye(2)), np.array([-0.5, -2.0]), region, tolerance=1e-9).round(6).tolist()
    [0.5, 1.0]
    """
    if float(region.upper.sum()) <= region.low * (1 + 1e-9):  # no other point is feasible, up to rounding
        return region.upper.copy()
    state = _start(form, linear, region)
    best, least = state[0], np.inf
    for _ in range(_MOST_ITERATIONS):
        take_step()
        slope = form.product(state[0]) + linear
        gap = region.gap(slope, state[0])
        if gap < least:
            best, least = state[0], gap
        if gap <= tolerance:
            break
        with np.errstate(all="ignore"):  # at the limit of rounding a step overflows: it is then not taken
            step = _step(form, slope, region, state)
        if step is None or not np.isfinite(step[0]).all():
            break
        state = step
    return best


def _start(form: Form, linear: Floats, region: Region) -> _Iterate:
    """Start in the middle, every bound's multiplier times its distance the same."""
    total = float(region.upper.sum())
    point = region.upper * (0.5 * (region.low + min(region.high, total)) / total)
    slope = form.product(point) + linear
    even = max(float(np.abs(slope).max()), 1e-8) * 0.1 * float(point.sum()) / len(point)
    return point, 0.0, tuple(even / room for room in _rooms(region, point))


def _rooms(region: Region, point: Floats) -> tuple[Floats, ...]:
    """Return the distances to the lower bounds, the upper bounds, and the ends of the band; none to a fixed sum."""
    fixed, total = region.high - region.low <= 1e-10 * region.high, float(point.sum())
    ends = np.array([] if fixed else [total - region.low, region.high - total])
    return np.maximum(point, _TINY), np.maximum(region.upper - point, _TINY), np.maximum(ends, _TINY)


def _step(form: Form, slope: Floats, region: Region, now: _Iterate) -> _Iterate | None:
    """Take one predictor-corrector step; None when it does not move any more."""
    point, balance, forces = now
    rooms = _rooms(region, point)
    signs = np.array([1.0, -1.0])[: len(rooms[2])]
    n_bounds = sum(len(force) for force in forces)
    even = sum(float(room @ force) for room, force in zip(rooms, forces, strict=True)) / n_bounds
    try:
        solve = form.solver(forces[0] / rooms[0] + forces[1] / rooms[1])
    except np.linalg.LinAlgError:
        return None
    ones = solve(np.ones((len(point), 1)))[:, 0]
    give = 1.0 / float((forces[2] / rooms[2]).sum()) if len(signs) else 0.0  # how far the sum moves for a force of 1

    def direction(aims: tuple[Floats, ...]) -> tuple[tuple[Floats, ...], tuple[Floats, ...], float]:
        pulls = [aim / room for aim, room in zip(aims, rooms, strict=True)]
        right = -(slope + balance) + pulls[0] - pulls[1]
        free = solve(right[:, None])[:, 0]
        pull = balance + float(pulls[2] @ signs)
        turn = (float(free.sum()) - give * pull) / (float(ones.sum()) + give)
        move = free - ones * turn
        moves = (move, -move, float(move.sum()) * signs)
        turns = tuple(
            (aim - force * step) / room - force
            for aim, force, step, room in zip(aims, forces, moves, rooms, strict=True)
        )
        return moves, turns, turn

    moves, turns, _ = direction(tuple(np.zeros_like(force) for force in forces))
    length = _longest((*rooms, *forces), (*moves, *turns))
    ahead = sum(
        float((room + length * move) @ (force + length * turn))
        for room, move, force, turn in zip(rooms, moves, forces, turns, strict=True)
    )
    centring = (max(ahead, 0.0) / n_bounds / even) ** 3
    aims = tuple(centring * even - move * turn for move, turn in zip(moves, turns, strict=True))
    moves, turns, turn = direction(aims)
    length = min(1.0, _TO_THE_BOUNDARY * _longest((*rooms, *forces), (*moves, *turns)))
    if not np.isfinite(length) or length < 1e-9:
        return None
    forces = tuple(force + length * turn for force, turn in zip(forces, turns, strict=True))
    return point + length * moves[0], balance + length * turn, forces


def _longest(values: tuple[Floats, ...], changes: tuple[Floats, ...]) -> float:
    """Return the longest step, at most 1, that leaves every value at least 0."""
    longest = 1.0
    for value, change in zip(values, changes, strict=True):
        shrinking = change < 0
        longest = min(longest, float((value[shrinking] / -change[shrinking]).min(initial=np.inf)))
    return longest
