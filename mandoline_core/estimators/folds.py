"""The weighted means of `mandoline` and `denoised` by fold, and the influence of every row through the fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.intervals import AuditPart, Influence, SourcePart
from mandoline_core.formatting import listed
from mandoline_core.patterns import Patterns
from mandoline_core.weighting import (
    ABSTAIN,
    Audit,
    Corrections,
    Problem,
    Tilt,
    TiltValue,
    WeightFit,
    build_tilt,
    expected_potentials,
    fit,
)

_RANK_TOLERANCE = 1e-10
_STEP = 1e-6  # for central differences in a probability


@dataclass(frozen=True, eq=False)
class Line:
    """Hold the regression of the statistics on the source's expected potentials; all zero when not denoising."""

    design: Floats  # (n_patterns, n_potentials): E_s[phi(g) | codes]; anything when not denoising
    centre: Floats  # (n_potentials,)
    inverse: Floats  # (n_potentials, n_potentials): pseudo-inverse of the design's covariance
    slope: Floats  # (n_statistics, n_potentials)
    intercept: Floats  # (n_statistics,)

    @property
    def predicted(self) -> Floats:
        """Predict the statistics of each pattern, shape (n_patterns, n_statistics)."""
        return self.intercept + self.design @ self.slope.T


@dataclass(frozen=True, eq=False)
class FoldState:
    """Hold one fold's weighted mean and the pieces its derivatives are made of."""

    fitted: WeightFit
    means: Floats  # (n_statistics,)
    remainder: Floats  # (n_statistics,): weighted mean of what the line leaves
    ratios: Floats  # (n_patterns,): of the group evaluated
    fit_ratios: Floats  # (n_patterns,): of the group fitted
    fitted_mean: Floats  # (n_potentials,): potentials of the reweighted group fitted
    left: Floats  # (n_patterns, n_statistics): what the line leaves, centred and weighted
    tilted: TiltValue
    line: Line

    @cached_property
    def by_delta(self) -> Floats:
        """Differentiate the means by delta, shape (n_statistics, n_potentials)."""
        return self.left.T @ self.tilted.mean


def fit_folds(problem: Problem, corrections: Corrections) -> list[WeightFit]:
    """Fit every fold on the same target rows: rows without overlap in one fold are left out of all."""
    if len(problem.groups) == 1 and problem.overlap == "trim":
        return [replace(problem.fitted, beyond=tuple(dict.fromkeys(problem.fitted.beyond)))]
    kept = np.ones(len(problem.patterns))
    beyond: dict[str, None] = {}
    while True:
        fits: list[WeightFit] = []
        for fit_group, _ in problem.folds:
            fits.append(
                fit(
                    problem.patterns,
                    problem.edges,
                    corrections,
                    ridge=problem.ridge,
                    overlap=problem.overlap,
                    start=problem.start,
                    fit_counts=problem.groups[fit_group].source,
                    kept=kept,
                    whole_patterns=problem.whole_patterns or len(problem.folds) > 1,
                    near_enough=problem.near_enough,
                )
            )
            kept = fits[-1].kept
            beyond.update(dict.fromkeys(fits[-1].beyond))
        if all((fold.kept == kept).all() for fold in fits):
            return [replace(fold, beyond=tuple(beyond)) for fold in fits]


def fold_state(
    problem: Problem,
    fold: int,
    fitted: WeightFit,
    corrections: Corrections,
    denoise: bool,
    tilt: Tilt | None = None,
) -> FoldState:
    """Evaluate one fold at its fitted delta; with another tilt, at the same delta."""
    fit_group, evaluate_group = (problem.groups[i] for i in problem.folds[fold])
    rows = fitted.rows
    usable = ~fitted.unused[rows]
    tilted = fitted.solution.tilted if tilt is None else tilt.evaluate(fitted.solution.delta)
    scale = np.where(usable, np.exp(tilted.log_scale - tilted.log_scale[usable].max()), 0.0)
    counts, fit_counts = evaluate_group.source[rows], fit_group.source[rows]
    ratios, fit_ratios = (scale * (n.sum() / (n @ scale)) for n in (counts, fit_counts))  # average 1 over the rows
    d, n_statistics, left = tilted.fixed.shape[1], evaluate_group.sums.shape[1], evaluate_group.sums[rows]
    line = Line(tilted.fixed, np.zeros(d), np.zeros((d, d)), np.zeros((n_statistics, d)), np.zeros(n_statistics))
    if denoise:
        design = expected_potentials(problem.patterns.codes[rows], corrections.source, problem.edges)
        line = _fit_line(design, fit_group, rows, fitted, problem.patterns.names)
        left = left - counts[:, None] * line.predicted
    per_row = ratios / evaluate_group.n_source
    remainder = per_row @ left
    centred = left - counts[:, None] * remainder
    return FoldState(
        fitted=fitted,
        means=line.intercept + line.slope @ fitted.target_mean + remainder,
        remainder=remainder,
        ratios=ratios,
        fit_ratios=fit_ratios,
        fitted_mean=tilted.average(fit_ratios * fit_counts / fit_counts.sum()),
        left=per_row[:, None] * centred,
        tilted=tilted,
        line=line,
    )


def _fit_line(design: Floats, group: Patterns, rows: np.ndarray, fitted: WeightFit, names: tuple[str, ...]) -> Line:
    """Regress the statistics on the expected potentials over source patterns, weighted by counts."""
    share = group.source[rows] / group.n_source
    centre = share @ design
    centred = design - centre
    values, vectors = np.linalg.eigh((share[:, None] * centred).T @ centred)
    keep = values > _RANK_TOLERANCE
    inverse = (vectors[:, keep] / values[keep]) @ vectors[:, keep].T
    gap = fitted.target_mean - centre
    lost = gap - vectors[:, keep] @ (vectors[:, keep].T @ gap)
    if np.abs(lost).max(initial=0.0) > 1e-6:
        blind = [name for name, size in zip(names, np.abs(lost), strict=False) if size > 1e-6]
        raise ill_conditioned(blind or list(names))
    mean = group.sums[rows].sum(axis=0) / group.n_source
    slope = (inverse @ (centred.T @ (group.sums[rows] / group.n_source))).T
    return Line(design, centre, inverse, slope, mean - slope @ centre)


def ill_conditioned(names: list[str]) -> MandolineError:
    """Build the error for slices that are too unreliable for denoising."""
    return MandolineError(
        f"The denoised estimate cannot be computed: slices {listed(names)} are too unreliable. "
        'Use method "mandoline", measure the corrections again, or remove these slices.'
    )


@dataclass(frozen=True, eq=False)
class FoldSolutions:
    """Hold all folds of a solved problem, to differentiate the metric's value by what went in."""

    problem: Problem
    states: list[FoldState]
    corrections: Corrections
    denoise: bool

    @cached_property
    def means(self) -> Floats:
        """Estimate the statistics' means on the target, shape (n_statistics,)."""
        return np.mean([state.means for state in self.states], axis=0)

    @cached_property
    def gradient(self) -> Floats:
        """Differentiate the metric's value by the means, shape (n_statistics,)."""
        return self.problem.metric.slope(self.means)

    def through_delta(self, state: FoldState) -> Floats:
        """Differentiate a fold's value by its fitted moments, through delta, shape (n_potentials,)."""
        return self.gradient @ state.by_delta @ state.fitted.solution.inverse

    def by_target(self, wanted: NDArray[np.bool_]) -> Floats:
        """Differentiate the value by those of the target's corrections that are wanted, shape (n_slices, 3)."""
        slopes = np.zeros(wanted.shape)
        for i, code in zip(*np.nonzero(wanted), strict=True):
            for state in self.states:
                by_mean = self.gradient @ state.line.slope + self.through_delta(state)
                moved = _mean_slope(self.problem, state.fitted, self.corrections.target, i, code)
                slopes[i, code] += by_mean @ moved / len(self.states)
        return slopes

    def by_source(self, wanted: NDArray[np.bool_]) -> Floats:
        """Differentiate the value by those of the source's corrections that are wanted, shape (n_slices, 3)."""
        slopes = np.zeros(wanted.shape)
        for i, code in zip(*np.nonzero(wanted), strict=True):
            slopes[i, code] = _source_correction_slope(self, i, code)
        return slopes


def solve_folds(problem: Problem, *, denoise: bool) -> FoldSolutions:
    """Fit every fold and evaluate it."""
    corrections = problem.corrections()
    fits = fit_folds(problem, corrections)
    states = [fold_state(problem, i, fitted, corrections, denoise) for i, fitted in enumerate(fits)]
    return FoldSolutions(problem, states, corrections, denoise)


def linearise(solved: FoldSolutions) -> Influence:
    """Linearise the average over folds in every row of both samples.

    For a source row x in pattern p with statistics s, a target row in pattern p, and the line b:

    - evaluated:  ratio_p (s - b0 - b X_p - remainder)
    - fitted:     - by_delta H^+ ratio_p (m_p - m)                      through delta
                  + (mu_t - sum w X) S^+ (X_p - X) (s - b0 - b X_p)     through b
    - target:     (b + by_delta H^+) (M_p - mu_t)
    - both, through the slices' rates, where corrections follow from them.
    """
    problem, gradient = solved.problem, solved.gradient
    patterns, n_folds = problem.patterns, len(solved.states)
    shape = (len(problem.groups), len(patterns))
    slope = np.zeros((*shape, patterns.sums.shape[1]))
    constant = np.zeros(shape)
    target = np.zeros(len(patterns))
    for (fit_group, evaluate_group), state in zip(problem.folds, solved.states, strict=True):
        fitted, line, through_delta = state.fitted, state.line, solved.through_delta(state)
        rows = fitted.rows
        slope[evaluate_group][rows] += state.ratios[:, None] * gradient / n_folds
        constant[evaluate_group][rows] -= state.ratios * (state.remainder @ gradient) / n_folds
        moved = state.fit_ratios * ((fitted.solution.tilted.mean - state.fitted_mean) @ through_delta)
        constant[fit_group][rows] -= moved / n_folds
        if solved.denoise:
            predicted = line.predicted @ gradient
            evaluated = problem.groups[evaluate_group]
            weights = evaluated.source[rows] * state.ratios / evaluated.n_source
            leverage = (line.design - line.centre) @ (line.inverse @ (fitted.target_mean - weights @ line.design))
            constant[evaluate_group][rows] -= state.ratios * predicted / n_folds
            slope[fit_group][rows] += leverage[:, None] * gradient / n_folds
            constant[fit_group][rows] -= leverage * predicted / n_folds
        by_mean = gradient @ line.slope + through_delta
        scale = patterns.n_target / (patterns.target @ fitted.kept) / n_folds
        target[fitted.target_rows] += scale * (fitted.target_slopes @ by_mean)
    by_source_rate, by_target_rate = _rate_slopes(solved)
    target += _by_code(patterns.codes, by_target_rate, patterns.target)
    for i, group in enumerate(problem.groups):
        # Rates are averages over all source rows, of which a group holds its share.
        share = group.n_source / patterns.n_source
        constant[i] += share * _by_code(patterns.codes, by_source_rate, group.source)
    parts = tuple(SourcePart(group, slope[i], constant[i]) for i, group in enumerate(problem.groups))
    return Influence(parts, target, designed=problem.designed)


def _rate_slopes(solved: FoldSolutions) -> tuple[Floats, Floats]:
    """Differentiate the estimate by the slices' rates, through the corrections that follow from them.

    Returns
    -------
    by_source_rate, by_target_rate : array, shape (n_slices, 3)
    """
    problem = solved.problem
    source_rates, target_rates = problem.patterns.rates("source"), problem.patterns.rates("target")
    if problem.corrections().takes_codes_at_their_word and bool((problem.patterns.codes != 0).all()):
        return np.zeros_like(source_rates), np.zeros_like(target_rates)  # nothing follows from the rates
    source_by_source, target_by_source, target_by_target = problem.rule.slopes(source_rates, target_rates)
    moving = (np.abs(target_by_source) + np.abs(target_by_target)).sum(axis=2) > 0
    by_target = solved.by_target(moving & (target_rates > 0))  # a code that no row has moves nothing
    moving = np.zeros(source_rates.shape, dtype=bool)
    moving[:, ABSTAIN] = (np.abs(source_by_source).sum(axis=(1, 2)) > 0) & (source_rates[:, ABSTAIN] > 0)
    by_source_rate = np.einsum("ic,icr->ir", solved.by_source(moving), source_by_source)
    by_source_rate += np.einsum("ic,icr->ir", by_target, target_by_source)
    return by_source_rate, np.einsum("ic,icr->ir", by_target, target_by_target)


def audit_part(solved: FoldSolutions, audit: Audit, influence: Influence) -> AuditPart:
    """Compute the influence of audited rows through the corrections measured on them, and otherwise.

    The target's corrections move along where they follow from the source's.
    """
    problem, members, rows = solved.problem, solved.problem.members, audit.rows
    rates = problem.patterns.rates("source"), problem.patterns.rates("target")
    measured = (audit.sizes > 0)[:, None, :]  # what was not measured stays where it is
    source_by_stated, target_by_stated = (by_stated * measured for by_stated in problem.rule.stated_slopes(*rates))
    by_source = solved.by_source((np.abs(source_by_stated).sum(axis=2) > 0) & (rates[0] > 0))
    by_target = solved.by_target((np.abs(target_by_stated).sum(axis=2) > 0) & (rates[1] > 0))
    slopes = np.einsum("ic,icr->ir", by_source, source_by_stated)
    slopes += np.einsum("ic,icr->ir", by_target, target_by_stated)
    moves = audit.moves(problem.patterns.codes[members.source[rows]], slopes) * members.scales()[0][rows]
    unseen = np.nan_to_num(slopes * audit.unseen_errors).ravel()
    return AuditPart(rows, moves, influence.pieces(members)[0][rows], unseen)


def target_audit_part(solved: FoldSolutions, audit: Audit | None, influence: Influence) -> AuditPart | None:
    """Compute the same for audited target rows, which move the target's corrections only."""
    if audit is None:
        return None
    problem, rows = solved.problem, audit.rows
    rates = problem.patterns.rates("source"), problem.patterns.rates("target")
    by_stated = problem.rule.own_slopes(*rates) * (audit.sizes > 0)[:, None, :]
    by_target = solved.by_target((np.abs(by_stated).sum(axis=2) > 0) & (rates[1] > 0))
    slopes = np.einsum("ic,icr->ir", by_target, by_stated)
    index, scales = problem.members.target[rows], problem.members.scales()[1][rows]
    moves = audit.moves(problem.patterns.codes[index], slopes) * scales
    unseen = np.nan_to_num(slopes * audit.unseen_errors).ravel()
    return AuditPart(rows, moves, influence.target[index] / problem.patterns.n_target * scales, unseen)


def _mean_slope(problem: Problem, fitted: WeightFit, table: Floats, i: int, code: int) -> Floats:
    """Differentiate mu_t by one target correction; mu_t is linear in each, so one difference is exact."""
    shift = np.zeros_like(table)
    shift[i, code] = 0.5
    codes = problem.patterns.codes[fitted.target_rows]
    up = fitted.target_shares @ expected_potentials(codes, table + shift, problem.edges)
    return up - fitted.target_shares @ expected_potentials(codes, table - shift, problem.edges)


def _source_correction_slope(solved: FoldSolutions, i: int, code: int) -> float:
    """Differentiate the estimate by one of the source's corrections, delta re-solved; at 0 and 1, to the inside."""
    problem, corrections = solved.problem, solved.corrections
    probability = float(corrections.source[i, code])
    ends = min(probability + _STEP, 1.0), max(probability - _STEP, 0.0)
    total = 0.0
    for fold, state in enumerate(solved.states):
        fitted, moved = state.fitted, []
        for end in ends:
            table = corrections.source.copy()
            table[i, code] = end
            tilt = _face_tilt(problem, corrections.source, table, fitted)
            moved.append(fold_state(problem, fold, fitted, replace(corrections, source=table), solved.denoise, tilt))
        value = solved.gradient @ (moved[0].means - moved[1].means) / (ends[0] - ends[1])
        drift = (moved[0].fitted_mean - moved[1].fitted_mean) / (ends[0] - ends[1])
        total += float(value - solved.through_delta(state) @ drift)
    return total / len(solved.states)


def _face_tilt(problem: Problem, before: Floats, table: Floats, fitted: WeightFit) -> Tilt:
    """Build the tilt of other corrections, without the configurations that the fit had no use for.

    What the corrections themselves rule out they may rule out no more. Where a slice that was certain is no more, and
    the fit is on a face, all that the corrections allow stays: the face is not known for that slice.
    """
    codes, names = problem.patterns.codes[fitted.rows], problem.patterns.names
    tilt, whole = (build_tilt(codes, corrections, problem.edges, names) for corrections in (table, before))
    lost = [np.isneginf(log) & ~np.isneginf(before) for log, before in zip(fitted.tilt.logs, whole.logs, strict=True)]
    if [log.shape for log in tilt.logs] != [gone.shape for gone in lost]:
        return tilt
    return tilt.with_logs(np.where(gone, -np.inf, log) for gone, log in zip(lost, tilt.logs, strict=True))


def _by_code(codes: np.ndarray, slopes: Floats, counts: Floats) -> Floats:
    """Spread slopes by rate over the patterns, with mean zero over the sample."""
    if not slopes.any():
        return np.zeros(len(codes))
    values = slopes[np.arange(codes.shape[1]), codes + 1].sum(axis=1)
    return values - counts @ values / counts.sum()
