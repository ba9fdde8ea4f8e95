"""Kernel mean matching: ratios that bring the source's mean in a kernel's feature space to the target's.

Gretton et al. (2009) choose the ratios b of the n_s source rows that minimise b'Kb / 2 - kappa.b, with
K_ij = k(x_i, x_j) and kappa_i = n_s / n_t * sum_j k(x_i, y_j), over 0 <= b <= B and |sum(b) - n_s| <= n_s * epsilon.

Equal rows may share one ratio: the problem is convex and does not change when equal rows swap their ratios, so the
average of a solution over all such swaps is feasible and no worse. We therefore solve for one ratio a point, with
the points' counts c. In shares u = c * b / n_s the objective is n_s^2 (u'Ku / 2 - m.u), m the mean kernel to the
target's rows, over 0 <= u <= c * B / n_s and |sum(u) - 1| <= epsilon.

Near its optimum that is flat: very different ratios match the means almost as well, and chance decides between them. A
ridge r adds r * sum(b^2) / 2 over rows, in shares r * u^2 / (2 c), which favours even ratios among them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.box_programme import DenseForm, Form, LowRankForm, Region, minimise
from mandoline_core.estimators.kernels import (
    Points,
    factorise,
    gaussian_kernel,
    kernel_product,
    symmetric_product,
)

# Added to a model's diagonal, which makes it positive definite; too little to be seen in the objective.
PROXIMITY = 1e-9
# Shares add up to about 1 and a kernel is at most 1: no gap can be told from 0 below this.
ROUNDING = 1e-13
# So many points at least are solved for in the first round, and at most in any: factorising takes seconds then.
_FIRST_MEMBERS = 500
_MOST_MEMBERS = 4500
_MOST_ROUNDS = 30
_GAP, _RIDGED_GAP = 1e-5, 3e-4  # relative to the objective: where solving ends, and where it ends with a ridge
# Up to this number of source points, factorising the kernel itself is the fastest.
_MOST_DENSE = 500
# Relative gaps at which a solution from a model of the kernel, or from the kernel itself, is good enough.
_REDRAW_GAP = 1e-5
_EXACT_GAP = 1e-8


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
    now = _grow(members, exact, region) or FeasiblePoint.at(guess, exact.product(guess), exact, region)
    return _correct(form, now, exact, region)


def _grow(members: Index, exact: ExactObjective, region: Region) -> FeasiblePoint | None:
    """Minimise over the members alone, with the other shares 0; add those that want in, until none does.

    None when the members become too many, or cannot make up the least sum.
    """
    least: FeasiblePoint | None = None
    n = len(exact.means)
    computed: list[tuple[Index, Floats]] = []  # points and their rows of the kernel, each computed once
    once = np.zeros(n, dtype=bool)  # left out once and back again: such a point stays
    for _ in range(_MOST_ROUNDS):
        part = Region(region.upper[members], region.low, region.high)
        if len(members) > _MOST_MEMBERS or part.upper.sum() < region.low:
            break
        new = np.setdiff1d(members, np.concatenate([members[:0], *(points for points, _ in computed)]))
        computed.append((new, exact.rows(new)))
        form = DenseForm(_among(members, computed, n))
        # A last round is worth a few more iterations, and with all points every round is the last.
        share = 0.05 if len(members) < n else 1e-3
        wanted = share * (0.5 * _GAP * float(exact.means.max()) if least is None else least.wanted)
        shares = minimise(form, -exact.means[members], part, tolerance=max(wanted, ROUNDING))
        point = np.zeros(n)
        point[members] = shares
        curved = np.sum([point[points] @ rows for points, rows in computed], axis=0)
        now = FeasiblePoint.at(point, curved, exact, region)
        if least is None or now.gap < least.gap:
            least = now
        if now.gap <= now.wanted:
            break
        level = float(now.slope @ point) / float(point.sum())
        wants = np.setdiff1d(np.flatnonzero(now.slope < level - 0.3 * now.wanted), members)
        if not len(wants):
            break
        wants = wants[np.argsort(now.slope[wants])[: max(100, len(members) // 4)]]
        kept = (shares > 0.1 * shares.mean()) | (now.slope[members] < level + 0.1 * now.wanted) | once[members]
        once[members[~kept]] = True
        members = np.union1d(members[kept], wants)
    return least


def _among(members: Index, computed: list[tuple[Index, Floats]], n: int) -> Floats:
    """Return the kernel among the members, positive definite, from the rows that were computed."""
    position = np.full(n, -1)
    position[members] = np.arange(len(members))
    kernel = np.empty((len(members), len(members)))
    for points, rows in computed:
        within = np.flatnonzero(position[points] >= 0)
        kernel[position[points[within]]] = rows[np.ix_(within, members)]
    kernel.flat[:: len(members) + 1] += PROXIMITY
    return kernel


def _correct(
    form: Form, now: FeasiblePoint, exact: ExactObjective, region: Region, *, gap: float = _GAP
) -> FeasiblePoint:
    """Minimise by rounds, each with the exact slope where the last one ended and the form's curvature.

    The step towards a round's minimum is scaled by an exact line search, so that the objective never rises.
    """
    for _ in range(_MOST_ROUNDS):
        wanted = max(gap * abs(now.objective), ROUNDING)
        if now.gap <= wanted:
            break
        linear = now.slope - form.product(now.point)
        aim = minimise(form, linear, region, tolerance=max(0.05 * now.gap, 0.2 * wanted))
        move = aim - now.point
        descent = -float(now.slope @ move)
        if descent <= 0:
            break
        bend = exact.product(move)
        length = min(1.0, descent / max(float(move @ bend), np.finfo(float).tiny))
        now = FeasiblePoint.at(now.point + length * move, now.curved + length * bend, exact, region)
    return now


@dataclass(frozen=True, eq=False)
class Matching:
    """Hold the ratios of kernel mean matching, with the proof of how good they are.

    Parameters
    ----------
    ratios : array of float, shape (n_source_points,)
        One for each source point, in [0, box]; 0 where a point has no rows. Their average over the source's rows is
        within `tolerance` of 1, as the method says, and not 1 exactly.
    objective : float
        b'Kb / 2 - kappa.b over rows, with the exact kernel.
    gap : float
        No feasible ratios have an objective below `objective - gap`, with the exact kernel.
    width : float
        The kernel's width.
    correction : array of float, shape (n_source_points,)
        What the low-rank model lacks in slope at these ratios; `KernelMatcher.resolve` takes it from here.
    """

    ratios: Floats
    objective: float
    gap: float
    width: float
    correction: Floats

    @property
    def relative_gap(self) -> float:
        """Return the gap as a share of the objective."""
        return self.gap / max(abs(self.objective), np.finfo(float).tiny)


class KernelMatcher:
    """Match kernel means between two sets of points, whatever their counts.

    Of few points the kernel is kept, among the source's and with the target's; of many, a low-rank factor of it.

    Parameters
    ----------
    source, target : array or CSR matrix, shape (n_points, n_features)
    width : float
        Width of the Gaussian kernel.
    rank : int
        Largest rank of the kernel's factor, used when there are many points.
    ridge : float
        How much even ratios are favoured, added to the kernel of a row with itself, which is 1; 0 for the method as it
        was published.
    """

    def __init__(self, source: Points, target: Points, *, width: float, rank: int = 300, ridge: float = 0.0) -> None:
        self.source, self.target, self.width, self.ridge = source, target, width, ridge
        self.kernel: Floats | None = None
        self.cross: Floats | None = None
        self.factor: tuple[Floats, Floats, Floats] | None = None
        if source.shape[0] <= _MOST_DENSE and target.shape[0] <= 10 * _MOST_DENSE:
            self.kernel, self.cross = (gaussian_kernel(source, other, width) for other in (source, target))
        else:
            self.factor = factorise(source, target, width, most=rank)

    def solve(
        self, source_counts: Floats, target_counts: Floats, *, box: float = 1000.0, tolerance: float | None = None
    ) -> Matching:
        """Find the ratios, polish them with the exact kernel, and bound what is left to gain.

        Parameters
        ----------
        source_counts, target_counts : array of float, shape (n_points,)
        box : float
            The largest ratio (B).
        tolerance : float, optional
            How far the ratios' average may be from 1 (epsilon); by default 1 - 1 / sqrt(n_s).

        Examples
        --------
        >>> points = np.array([[0.0], [1.0]])
        >>> matcher = KernelMatcher(points, points, width=1.0)
        >>> matching = matcher.solve(np.array([3.0, 1.0]), np.array([1.0, 1.0]))
        >>> matching.ratios.round(3).tolist(), matching.relative_gap < 1e-6
        ([0.667, 2.0], True)
        """
        used, shares, target_shares, region = self._prepare(source_counts, target_counts, box, tolerance)
        form, means = self._model(used, target_shares, source_counts)
        guess = shares[used] if self.factor is None else _minimise(form, means, region)
        solved = solve_exactly(guess, form, self._exact(used, target_shares, source_counts), region)
        correction = np.zeros(len(shares))
        correction[used] = form.product(solved.point) - means - solved.slope
        n_source = float(source_counts.sum())
        return Matching(
            ratios=self._ratios(used, solved.point, shares, box),
            objective=n_source**2 * solved.objective,
            gap=n_source**2 * solved.gap,
            width=self.width,
            correction=correction,
        )

    def resolve(
        self,
        source_counts: Floats,
        target_counts: Floats,
        *,
        box: float = 1000.0,
        tolerance: float | None = None,
        near: Matching | None = None,
    ) -> Floats:
        """Find the ratios for other counts, from the low-rank factor alone: fast, and without a certificate.

        Parameters
        ----------
        source_counts, target_counts : array of float, shape (n_points,)
            May be 0 for some points.
        box, tolerance : float
            As for `solve`.
        near : Matching, optional
            The solution for counts that these are a redraw of. The model then takes over the exact kernel's slope
            there, so that with those counts it has the same solution.

        Returns
        -------
        array of float, shape (n_source_points,)

        Examples
        --------
        >>> points = np.array([[0.0], [1.0]])
        >>> KernelMatcher(points, points, width=1.0).resolve(np.array([4.0, 0.0]), np.ones(2)).round(3).tolist()
        [0.803, 0.0]
        """
        used, shares, target_shares, region = self._prepare(source_counts, target_counts, box, tolerance)
        form, means = self._model(used, target_shares, source_counts)
        if near is not None:
            means = means + near.correction[used]
        return self._ratios(used, _minimise(form, means, region), shares, box)

    def _prepare(
        self, source_counts: Floats, target_counts: Floats, box: float, tolerance: float | None
    ) -> tuple[Index, Floats, Floats, Region]:
        """Return the source points that have rows, both samples' shares of rows, and the region of the shares u."""
        n_source = float(source_counts.sum())
        if tolerance is None:
            tolerance = max(1 - 1 / np.sqrt(n_source), 0.0)
        if box < 1 - tolerance:
            raise MandolineError(
                f"No weights satisfy both box = {box:g} (maximum) and tolerance = {tolerance:g} "
                f"(mean of at least {1 - tolerance:g}). Raise box or tolerance."
            )
        used = np.flatnonzero(source_counts)
        shares = source_counts / n_source
        # A share can never be larger than the largest sum: a huge box then makes no huge numbers.
        upper = np.minimum(shares[used] * box, 1 + tolerance)
        region = Region(upper, max(1 - tolerance, 0.0), 1 + tolerance)
        return used, shares, target_counts / target_counts.sum(), region

    def _model(self, used: Index, target_shares: Floats, source_counts: Floats) -> tuple[Form, Floats]:
        """Return the kernel among the points used, and its mean to the target's rows, both by the same model.

        The model is the kernel itself, or the factor with the residual's diagonal. Exact means would not go with the
        factor: what it leaves out of the one, it must leave out of the other.
        """
        if self.factor is None:
            exact = self._exact(used, target_shares, source_counts)
            return DenseForm(exact.rows(np.arange(len(used))) + PROXIMITY * np.eye(len(used))), exact.means
        source, target, residual = self.factor
        form = LowRankForm(source[used], residual[used] + self.ridge / source_counts[used] + PROXIMITY)
        return form, source[used] @ (target_shares @ target)

    def _exact(self, used: Index, target_shares: Floats, source_counts: Floats) -> ExactObjective:
        points, kernel = self.source[used], None if self.kernel is None else self.kernel[np.ix_(used, used)]
        if self.cross is None:
            means = kernel_product(points, self.target, self.width, target_shares)
        else:
            means = self.cross[used] @ target_shares
        return ExactObjective(points, self.width, means, kernel, self.ridge / source_counts[used])

    def _ratios(self, used: Index, point: Floats, shares: Floats, box: float) -> Floats:
        ratios = np.zeros(len(shares))
        ratios[used] = np.clip(point / shares[used], 0.0, box)
        return ratios


def _minimise(form: Form, means: Floats, region: Region) -> Floats:
    """Minimise with a model of the kernel: as well as the model is worth."""
    wanted = _REDRAW_GAP if isinstance(form, LowRankForm) else _EXACT_GAP
    scale = 0.5 * float(np.abs(means).max())
    return minimise(form, -means, region, tolerance=max(wanted * scale, ROUNDING))
