"""Minimise u'(K + D)u / 2 - means.u over shares u, K the exact Gaussian kernel; bound what is left to gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.estimators.density.box_programme import DenseForm, Form, Region, minimise
from mandoline_core.estimators.density.kernels import Points, gaussian_kernel, symmetric_product

# Added to a model's diagonal, which makes it positive definite; too little to be seen in the objective.
PROXIMITY = 1e-9
# Shares add up to about 1 and a kernel is at most 1: no gap can be told from 0 below this.
ROUNDING = 1e-13
# So many points at least are solved for in the first round, and at most in any: factorising takes seconds then.
_FIRST_MEMBERS = 500
_MOST_MEMBERS = 4500
_MOST_ROUNDS = 30
_GAP, _RIDGED_GAP = 1e-5, 3e-4  # relative to the objective: where solving ends, and where it ends with a ridge


@dataclass(frozen=True, eq=False)
class ExactObjective:
    """The objective u'(K + D)u / 2 - means.u with the exact kernel K of some points, computed as it is needed.

    Parameters
    ----------
    diagonal : array of float, shape (n_points,)
        D, which holds concentrated shares back.
    """

    points: Points
    width: float
    means: Floats
    kernel: Floats | None
    diagonal: Floats

    def rows(self, members: Index) -> Floats:
        """Return rows of K + D, shape (n_members, n_points)."""
        if self.kernel is not None:
            rows = self.kernel[members]
        else:
            rows = gaussian_kernel(self.points[members], self.points, self.width)
        rows[np.arange(len(members)), members] += self.diagonal[members]
        return rows

    def product(self, values: Floats) -> Floats:
        """Return K + D times a vector."""
        if self.kernel is not None:
            return self.kernel @ values + self.diagonal * values
        return symmetric_product(self.points, self.width, values) + self.diagonal * values


@dataclass(frozen=True, eq=False)
class FeasiblePoint:
    """A feasible point with the exact kernel's product and slope there, its objective, and what is left to gain."""

    point: Floats
    curved: Floats
    slope: Floats
    objective: float
    gap: float

    @classmethod
    def at(cls, point: Floats, curved: Floats, exact: ExactObjective, region: Region) -> FeasiblePoint:
        """Take stock at a point, given the kernel's product with it."""
        slope = curved - exact.means
        objective = float(point @ (0.5 * curved - exact.means))
        return cls(point, curved, slope, objective, region.gap(slope, point))

    @property
    def wanted(self) -> float:
        """Return the gap at which we stop."""
        return max(_GAP * abs(self.objective), ROUNDING)


def solve_exactly(guess: Floats, form: Form, exact: ExactObjective, region: Region) -> FeasiblePoint:
    """Minimise with the exact kernel: on the few points that matter, or by correcting the form's minimum.

    With a ridge every point matters, so the form's minimum is corrected. A round takes as long as the whole kernel,
    and with a ridge no other point is nearly as good: rounds end sooner.
    """
    if exact.kernel is None and exact.diagonal.min() > PROXIMITY:
        start = FeasiblePoint.at(guess, exact.product(guess), exact, region)
        return _correct(form, start, exact, region, gap=_RIDGED_GAP)
    order = np.argsort(-guess)
    enough = int(np.searchsorted(np.cumsum(region.upper[order]), 1.1 * region.low)) + 1  # to make up the least sum
    members = np.sort(order[: max(_FIRST_MEMBERS, len(guess) // 8, enough)])
    found = _grow(members, exact, region) or FeasiblePoint.at(guess, exact.product(guess), exact, region)
    return _correct(form, found, exact, region)


def _grow(members: Index, exact: ExactObjective, region: Region) -> FeasiblePoint | None:
    """Minimise over the members alone, with the other shares 0; add those that want in, until none does.

    None when the members become too many, or cannot make up the least sum.
    """
    least: FeasiblePoint | None = None
    n = len(exact.means)
    known: list[tuple[Index, Floats]] = []  # points and their rows of the kernel, each computed once
    once = np.zeros(n, dtype=bool)  # left out once and back again: such a point stays
    for _ in range(_MOST_ROUNDS):
        part = Region(region.upper[members], region.low, region.high)
        if len(members) > _MOST_MEMBERS or part.upper.sum() < region.low:
            break
        new = np.setdiff1d(members, np.concatenate([members[:0], *(points for points, _ in known)]))
        known.append((new, exact.rows(new)))
        form = DenseForm(_among(members, known, n))
        # A last round is worth a few more iterations, and with all points every round is the last.
        share = 0.05 if len(members) < n else 1e-3
        wanted = share * (0.5 * _GAP * float(exact.means.max()) if least is None else least.wanted)
        shares = minimise(form, -exact.means[members], part, tolerance=max(wanted, ROUNDING))
        point = np.zeros(n)
        point[members] = shares
        curved = np.sum([point[points] @ rows for points, rows in known], axis=0)
        found = FeasiblePoint.at(point, curved, exact, region)
        if least is None or found.gap < least.gap:
            least = found
        if found.gap <= found.wanted:
            break
        level = float(found.slope @ point) / float(point.sum())
        wants = np.setdiff1d(np.flatnonzero(found.slope < level - 0.3 * found.wanted), members)
        if not len(wants):
            break
        wants = wants[np.argsort(found.slope[wants])[: max(100, len(members) // 4)]]
        kept = (shares > 0.1 * shares.mean()) | (found.slope[members] < level + 0.1 * found.wanted) | once[members]
        once[members[~kept]] = True
        members = np.union1d(members[kept], wants)
    return least


def _among(members: Index, known: list[tuple[Index, Floats]], n: int) -> Floats:
    """Return the kernel among the members, positive definite, from the rows that are known."""
    place = np.full(n, -1)
    place[members] = np.arange(len(members))
    kernel = np.empty((len(members), len(members)))
    for points, rows in known:
        within = np.flatnonzero(place[points] >= 0)
        kernel[place[points[within]]] = rows[np.ix_(within, members)]
    kernel.flat[:: len(members) + 1] += PROXIMITY
    return kernel


def _correct(
    form: Form, found: FeasiblePoint, exact: ExactObjective, region: Region, *, gap: float = _GAP
) -> FeasiblePoint:
    """Minimise by rounds, each with the exact slope where the last one ended and the form's curvature.

    The step towards a round's minimum is scaled by an exact line search, so that the objective never rises.
    """
    for _ in range(_MOST_ROUNDS):
        wanted = max(gap * abs(found.objective), ROUNDING)
        if found.gap <= wanted:
            break
        linear = found.slope - form.product(found.point)
        aim = minimise(form, linear, region, tolerance=max(0.05 * found.gap, 0.2 * wanted))
        move = aim - found.point
        descent = -float(found.slope @ move)
        if descent <= 0:
            break
        bend = exact.product(move)
        length = min(1.0, descent / max(float(move @ bend), np.finfo(float).tiny))
        found = FeasiblePoint.at(found.point + length * move, found.curved + length * bend, exact, region)
    return found
