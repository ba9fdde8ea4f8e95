"""The effect of each slice on the estimate: its part of the way from the source score, with the influence of every row.

All slices are let in together, little by little: a penalty tau v_j / 2 on the square of each parameter delta_j falls
from infinity, where every row counts the same, to nothing, where the weights are those of the estimate. On the way the
metric changes by the sum over potentials j of delta_j a_j v_j d tau, with a the penalised regression slopes of the
linearised score on the potentials. Integrated, each term is the effect of its potential (an Aumann-Shapley value).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.estimators.folds import solve_folds
from mandoline_core.estimators.intervals import Influence, SourcePart
from mandoline_core.metrics import Metric
from mandoline_core.weighting import KliepSolution, Problem, Tilt, build_tilt, solve

_NODES = (8, 16, 32, 64)
_CLOSE_ENOUGH = 1e-3  # of the largest effect: what the integral may miss, before it is shared out
_STEP = 1e-4  # for central differences


@dataclass(frozen=True, eq=False)
class _Stop:
    """Hold one fold at one stop on the way.

    Parameters
    ----------
    tau, rate : float
        The strength of the penalty, and d tau.
    per_row : array of float, shape (n_patterns,)
        The weight of one row of the group evaluated.
    mean : array of float, shape (n_statistics,)
    left : array of float, shape (n_patterns, n_statistics)
        The statistics, centred and weighted.
    """

    tau: float
    rate: float
    solution: KliepSolution
    per_row: Floats
    mean: Floats
    left: Floats

    @cached_property
    def by_delta(self) -> Floats:
        """Differentiate the means by delta, shape (n_statistics, n_potentials)."""
        return self.left.T @ self.solution.tilted.mean

    @cached_property
    def lean(self) -> Floats:
        """Regress the statistics on the potentials, penalised; shape (n_statistics, n_potentials)."""
        return self.by_delta @ self.solution.inverse


class EffectPath:
    """Follow the metric from equal weights to those of the estimate while the penalty falls.

    Attributes
    ----------
    start, end : float
        The metric with equal weights, and with those of the estimate.
    effects : array of float, shape (n_potentials,)
        They add up to the difference.
    """

    def __init__(self, problem: Problem) -> None:
        """Solve at as many stops as it takes."""
        self.problem, corrections = problem, problem.corrections()
        solved = solve_folds(problem, denoise=False)
        self.fits = [state.fitted for state in solved.states]
        self.rows = self.fits[0].rows
        codes, names = problem.patterns.codes[self.rows], problem.patterns.names
        self.tilt = build_tilt(codes, corrections.source, problem.edges, names)
        evaluated = [problem.groups[group] for _, group in problem.folds]
        plain = np.mean([group.sums.sum(axis=0) / group.n_source for group in evaluated], axis=0)
        self.start, self.end = problem.metric.combine(plain), problem.metric.combine(solved.means)
        change = self.end - self.start
        # Potentials are 1 or -1, so their variance is 1 less the square of their mean: here of both samples.
        self.plain = self.tilt.evaluate(np.zeros(self.tilt.fixed.shape[1])).mean
        self.mean = (problem.patterns.source[self.rows] / problem.patterns.n_source) @ self.plain
        self.variance = np.maximum(1 - (self.mean**2 + self.fits[0].target_mean ** 2) / 2, _STEP**2)
        for n in _NODES:
            self.stops = list(self._solve(n))
            found = np.sum([self._gain(stops) for stops in self.stops], axis=0)
            if abs(change - found.sum()) <= _CLOSE_ENOUGH * np.abs(found).max(initial=0.0):
                break
        # What is missed goes to the effects in proportion to their sizes; to all alike where they are nothing.
        size = np.abs(found) if found.any() else np.ones(len(found))
        self.effects = found + (change - found.sum()) * size / size.sum()

    def _solve(self, n: int) -> Iterator[list[_Stop]]:
        """Solve at n stops, the strongest penalty first; yield all folds of each."""
        problem, fits = self.problem, self.fits
        start: list[Floats | None] = [None] * len(fits)
        points, weights = np.polynomial.legendre.leggauss(n)
        for t, weight in zip((points + 1) / 2, weights / 2, strict=True):
            # Gauss-Legendre in t, with tau = (1 - t)^3 / t: most of the stops are where the penalty is weak.
            tau, rate = float((1 - t) ** 3 / t), float(weight * (1 - t) ** 2 * (1 + 2 * t) / t**2)
            stops = []
            for fold, (fitted, (fit_group, _)) in enumerate(zip(fits, problem.folds, strict=True)):
                counts = problem.groups[fit_group].source[self.rows]
                ridge = problem.ridge + tau * self.variance
                solution = solve(self.tilt, counts, fitted.target_mean, ridge=ridge, start=start[fold])
                start[fold] = solution.delta
                stops.append(self._stop(fold, solution, tau, rate))
            yield stops

    def _stop(self, fold: int, solution: KliepSolution, tau: float, rate: float) -> _Stop:
        """Evaluate the metric's statistics with the weights of a solution."""
        group = self.problem.groups[self.problem.folds[fold][1]]
        counts, sums, log = group.source[self.rows], group.sums[self.rows], solution.tilted.log_scale
        per_row = np.where(counts > 0, np.exp(log - log[counts > 0].max()), 0.0)
        per_row = per_row / (counts @ per_row)
        mean = per_row @ sums
        return _Stop(tau, rate, solution, per_row, mean, per_row[:, None] * (sums - counts[:, None] * mean))

    def _gain(self, stops: Sequence[_Stop]) -> Floats:
        """Compute what each potential adds at a stop, shape (n_potentials,)."""
        gradient = self.problem.metric.slope(np.mean([stop.mean for stop in stops], axis=0))
        gains = [stop.rate * stop.solution.delta * (gradient @ stop.lean) for stop in stops]
        return self.variance * np.mean(gains, axis=0)

    def influences(self, owners: Index) -> list[Influence]:
        """Linearise the effects in every row of both samples, with corrections taken as known.

        Parameters
        ----------
        owners : array of int, shape (n_potentials,)
            The part that each potential belongs to.
        """
        problem, patterns = self.problem, self.problem.patterns
        owned = np.eye(owners.max() + 1)[owners]  # (n_potentials, n_parts)
        shape = (len(problem.groups), len(patterns), owned.shape[1])
        slope, constant = np.zeros((*shape, patterns.sums.shape[1])), np.zeros(shape)
        target = np.zeros(shape[1:])
        moves = [self._linearise(stops, owned, slope, constant, target) for stops in self.stops]
        by_variance = np.sum(moves, axis=0) * (self.variance > _STEP**2)[:, None]
        scale = patterns.n_target / (patterns.target @ self.fits[0].kept)
        moved = self.fits[0].target_slopes * self.fits[0].target_mean
        target[self.fits[0].target_rows] -= scale * (moved @ by_variance)
        for i, group in enumerate(problem.groups):
            share = group.n_source / patterns.n_source
            constant[i][self.rows] -= share * (((self.plain - self.mean) * self.mean) @ by_variance)
        return [
            Influence(
                tuple(SourcePart(group, slope[i][:, j], constant[i][:, j]) for i, group in enumerate(problem.groups)),
                target[:, j],
                designed=problem.designed,
            )
            for j in range(owned.shape[1])
        ]

    def _linearise(
        self, stops: Sequence[_Stop], owned: Floats, slope: Floats, constant: Floats, target: Floats
    ) -> Floats:
        """Add how rows move the effects at a stop, v_j delta_j a_j d tau; return how the variances v move them.

        With A the inverse of the penalised Hessian H, a = slope(means) . cov(statistics, phi) A. A row that is fitted
        moves delta by -ratio (m - mean) A, and through it cov and H; H itself, too. One that is evaluated moves cov.

        Returns
        -------
        array of float, shape (n_potentials, n_parts)
        """
        problem, rows, n = self.problem, self.rows, len(stops)
        means = np.mean([stop.mean for stop in stops], axis=0)
        gradient = problem.metric.slope(means)
        rate = self.variance * stops[0].rate
        by_gradient = np.mean([stop.lean * rate * stop.solution.delta for stop in stops], axis=0) @ owned
        by_means = _curvature(problem.metric, means) @ by_gradient / n  # (n_statistics, n_parts)
        by_variance = owned * (self._gain(stops) / self.variance)[:, None]
        for (fit_group, group), fitted, stop in zip(problem.folds, self.fits, stops, strict=True):
            solution, mean, evaluated = stop.solution, stop.solution.tilted.mean, problem.groups[group]
            a, inverse, delta = gradient @ stop.lean, solution.inverse, solution.delta
            turned, within = _turn(self.tilt, problem.groups[fit_group].source[rows], delta, a)
            average = (evaluated.source[rows] * stop.per_row) @ mean
            bent = _second_moment(solution, stop.left @ gradient, average) - turned
            through_a = inverse @ (owned * (rate * delta)[:, None] / n)
            through_delta = inverse @ (owned * (rate * a)[:, None] / n + bent @ through_a + stop.by_delta.T @ by_means)
            by_variance -= stop.tau * (delta[:, None] * through_delta + a[:, None] * through_a)
            apart = mean - solution.mean
            lifted = within + apart * (apart @ a)[:, None]
            moved = apart @ through_delta + (lifted - solution.weights @ lifted) @ through_a
            constant[fit_group][rows] -= solution.ratios[:, None] * moved
            ratio = stop.per_row[:, None] * evaluated.n_source
            direct = (ratio * ((mean - average) @ through_a))[:, :, None] * gradient + ratio[:, :, None] * by_means.T
            slope[group][rows] += direct
            constant[group][rows] -= direct @ stop.mean + ratio * (gradient @ stop.by_delta @ through_a)
            scale = problem.patterns.n_target / (problem.patterns.target @ fitted.kept)
            target[fitted.target_rows] += scale * (fitted.target_slopes @ through_delta)
        return by_variance


def _second_moment(solution: KliepSolution, weights: Floats, average: Floats) -> Floats:
    """Compute the second moment of phi around an average, with weights of either sign that sum to 0."""
    tilted = solution.tilted
    first = weights @ tilted.mean
    both = np.outer(average, first)
    return tilted.covariance(weights) + np.outer(first, first) - both - both.T


def _turn(tilt: Tilt, counts: Floats, delta: Floats, a: Floats) -> tuple[Floats, Floats]:
    """Differentiate the Hessian and the posterior means along a, by a central difference."""
    size = float(np.abs(a).max(initial=0.0))
    step = _STEP / size if size else 1.0
    ends = []
    for sign in (1, -1):
        tilted = tilt.evaluate(delta + sign * step * a)
        weights = counts * np.exp(tilted.log_scale - tilted.log_scale[counts > 0].max())
        ends.append((tilted.covariance(weights / weights.sum()), tilted.mean))
    (up, mean_up), (down, mean_down) = ends
    return (up - down) / (2 * step), (mean_up - mean_down) / (2 * step)


def _curvature(metric: Metric, means: Floats) -> Floats:
    """Differentiate the metric twice by its means, by central differences; 0 for a mean."""
    found = np.zeros((len(means), len(means)))
    if not metric.is_mean:
        for i in np.flatnonzero(means):
            step = np.zeros(len(means))
            step[i] = _STEP * means[i]
            found[:, i] = (metric.slope(means + step) - metric.slope(means - step)) / (2 * step[i])
    return found
