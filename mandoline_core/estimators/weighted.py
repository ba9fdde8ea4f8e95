"""The weighted mean behind `mandoline` and `denoised`, and how every row moves it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mandoline_core.corrections import ABSTAIN, Corrections
from mandoline_core.errors import MandolineError, listed
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.fitting import Fit, fit
from mandoline_core.gold import Audit
from mandoline_core.intervals import AuditPart, Influence, SourcePart, TargetPart
from mandoline_core.patterns import Floats, Patterns
from mandoline_core.potentials import Tilt, build_tilt, expected_potentials

_STEP = 1e-6  # for central differences in a probability
_RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class _Line:
    """Hold the regression of the statistics on the source's expected potentials; all zero when not denoising."""

    design: Floats  # (n_patterns, n_potentials): E_s[phi(g) | codes]
    centre: Floats  # (n_potentials,)
    inverse: Floats  # (n_potentials, n_potentials): pseudo-inverse of the design's covariance
    slope: Floats  # (n_statistics, n_potentials)
    intercept: Floats  # (n_statistics,)

    @property
    def predicted(self) -> Floats:
        """Predict the statistics of each pattern, shape (n_patterns, n_statistics)."""
        return self.intercept + self.design @ self.slope.T


@dataclass(frozen=True, eq=False)
class _FoldState:
    """Hold one fold's weighted mean and the pieces its derivatives are made of."""

    means: Floats  # (n_statistics,)
    remainder: Floats  # (n_statistics,): weighted mean of what the line leaves
    ratios: Floats  # (n_patterns,): of the group evaluated
    fit_ratios: Floats  # (n_patterns,): of the group fitted
    fitted_mean: Floats  # (n_potentials,): potentials of the reweighted group fitted
    potentials: Floats  # (n_patterns, n_potentials): tilted means
    by_delta: Floats  # (n_statistics, n_potentials): derivative of the means by delta
    line: _Line


def weighted_means(problem: Problem, *, denoise: bool) -> Floats:
    """Estimate the statistics' means on the target."""
    corrections = problem.corrections()
    fits = fit_folds(problem, corrections)
    states = [_fold_state(problem, i, fits[i], corrections, denoise) for i in range(len(fits))]
    return np.mean([state.means for state in states], axis=0)


def weighted_outcome(problem: Problem, *, denoise: bool) -> Outcome:
    """Estimate the metric on the target with fitted weights, and the influence of every row."""
    corrections = problem.corrections()
    fits = fit_folds(problem, corrections)
    states = [_fold_state(problem, i, fits[i], corrections, denoise) for i in range(len(fits))]
    means = np.mean([state.means for state in states], axis=0)
    solved = _Solved(problem, fits, states, corrections, problem.metric.slope(means), denoise)
    influence = _influence(solved)
    error_if_known = None
    if problem.audit is not None:
        error_if_known = influence.standard_error()
        influence = replace(influence, audit=_audit_part(solved, problem.audit, influence))
    row_weights = np.zeros((len(problem.groups), len(problem.patterns)))
    for (_, evaluate), fold, state in zip(problem.folds, fits, states, strict=True):
        row_weights[evaluate, fold.rows] += state.ratios / problem.groups[evaluate].n_source / len(fits)
    return Outcome(
        value=problem.metric.combine(means),
        means=means,
        influence=influence,
        row_weights=row_weights,
        delta=np.mean([fold.solution.delta for fold in fits], axis=0),
        kept=fits[0].kept,
        beyond=fits[0].beyond,
        unused=np.logical_and.reduce([fold.unused for fold in fits]),
        converged=all(fold.solution.converged for fold in fits),
        error_if_known=error_if_known,
    )


def fit_folds(problem: Problem, corrections: Corrections) -> list[Fit]:
    """Fit every fold on the same target rows: what one fold cannot reach is set aside for all."""
    kept = np.ones(len(problem.patterns), dtype=bool)
    beyond: dict[str, None] = {}
    while True:
        fits: list[Fit] = []
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
                )
            )
            kept = fits[-1].kept
            beyond.update(dict.fromkeys(fits[-1].beyond))
        if all((fold.kept == kept).all() for fold in fits):
            return [replace(fold, beyond=tuple(beyond)) for fold in fits]


def _fold_state(
    problem: Problem,
    fold: int,
    fitted: Fit,
    corrections: Corrections,
    denoise: bool,
    tilt: Tilt | None = None,
) -> _FoldState:
    """Evaluate one fold at its fitted delta; with another tilt, at the same delta."""
    fit_group, evaluate_group = (problem.groups[i] for i in problem.folds[fold])
    rows = fitted.rows
    usable = ~fitted.unused[rows]
    tilted = fitted.solution.tilted if tilt is None else tilt.evaluate(fitted.solution.delta)
    scale = np.where(usable, np.exp(tilted.log_scale - tilted.log_scale[usable].max()), 0.0)
    ratios, _ = _normalise(scale, evaluate_group.source[rows])
    fit_ratios, fit_weights = _normalise(scale, fit_group.source[rows])
    design = expected_potentials(problem.patterns.codes[rows], corrections.source, problem.edges)
    line = _fit_line(design, fit_group, rows, fitted, problem.patterns.names, denoise)
    left = _leftover(evaluate_group, rows, line)
    per_row = ratios / evaluate_group.n_source
    remainder = per_row @ left
    centred = left - evaluate_group.source[rows][:, None] * remainder
    return _FoldState(
        means=line.intercept + line.slope @ fitted.target_mean + remainder,
        remainder=remainder,
        ratios=ratios,
        fit_ratios=fit_ratios,
        fitted_mean=fit_weights @ tilted.mean,
        potentials=tilted.mean,
        by_delta=(per_row[:, None] * centred).T @ tilted.mean,
        line=line,
    )


def _normalise(scale: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Turn unnormalised ratios into ratios that average 1 over the rows, and into patterns' shares of the weight."""
    ratios = scale * (counts.sum() / (counts @ scale))
    return ratios, ratios * counts / counts.sum()


def _leftover(group: Patterns, rows: np.ndarray, line: _Line) -> Floats:
    """Add up, by pattern, what the line leaves of the statistics."""
    return group.sums[rows] - group.source[rows][:, None] * line.predicted


def _fit_line(
    design: Floats, group: Patterns, rows: np.ndarray, fitted: Fit, names: tuple[str, ...], denoise: bool
) -> _Line:
    """Regress the statistics on the expected potentials over source patterns, weighted by counts."""
    n_statistics, n_potentials = group.sums.shape[1], design.shape[1]
    if not denoise:
        zero = np.zeros(n_potentials)
        return _Line(
            design, zero, np.zeros((n_potentials,) * 2), np.zeros((n_statistics, n_potentials)), np.zeros(n_statistics)
        )
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
    return _Line(design, centre, inverse, slope, mean - slope @ centre)


def ill_conditioned(names: list[str]) -> MandolineError:
    """Build the error for slices that say too little to be denoised."""
    return MandolineError(
        f"The denoised estimate cannot be computed: in the source, what slices {listed(names)} say tells almost "
        'nothing about the truth. Use estimator "mandoline", measure the corrections again, or drop these slices.'
    )


@dataclass(frozen=True, eq=False)
class _Solved:
    """Hold all folds of a solved problem, to differentiate the metric's value by what went in."""

    problem: Problem
    fits: list[Fit]
    states: list[_FoldState]
    corrections: Corrections
    gradient: Floats  # (n_statistics,): of the metric, by its statistics' means
    denoise: bool

    @property
    def through_delta(self) -> list[Floats]:
        """Differentiate each fold's value by its fitted moments, through delta; each of shape (n_potentials,)."""
        pairs = zip(self.fits, self.states, strict=True)
        return [self.gradient @ state.by_delta @ fitted.solution.inverse for fitted, state in pairs]

    def by_target(self, wanted: NDArray[np.bool_]) -> Floats:
        """Differentiate the value by those of the target's corrections that are wanted, shape (n_slices, 3)."""
        slopes = np.zeros(wanted.shape)
        for i, code in zip(*np.nonzero(wanted), strict=True):
            for fitted, state, through_delta in zip(self.fits, self.states, self.through_delta, strict=True):
                by_mean = self.gradient @ state.line.slope + through_delta
                moved = _mean_slope(self.problem, fitted, self.corrections.target, i, code)
                slopes[i, code] += by_mean @ moved / len(self.fits)
        return slopes

    def by_source(self, wanted: NDArray[np.bool_]) -> Floats:
        """Differentiate the value by those of the source's corrections that are wanted, shape (n_slices, 3)."""
        slopes = np.zeros(wanted.shape)
        for i, code in zip(*np.nonzero(wanted), strict=True):
            slopes[i, code] = _source_correction_slope(self, i, code)
        return slopes


def _influence(solved: _Solved) -> Influence:
    """Linearise the average over folds in every row of both samples.

    For a source row x in pattern p with statistics s, a target row in pattern p, and the line b:

    - evaluated:  ratio_p (s - b0 - b X_p - remainder)
    - fitted:     - by_delta H^+ ratio_p (m_p - m)                      through delta
                  + (mu_t - sum w X) S^+ (X_p - X) (s - b0 - b X_p)     through b
    - target:     (b + by_delta H^+) (M_p - mu_t)
    - both, through the slices' rates, where corrections follow from them.
    """
    problem, gradient = solved.problem, solved.gradient
    patterns, n_folds = problem.patterns, len(solved.fits)
    shape = (len(problem.groups), len(patterns))
    slope = np.zeros((*shape, patterns.sums.shape[1]))
    constant = np.zeros(shape)
    target = np.zeros(len(patterns))
    folds = zip(problem.folds, solved.fits, solved.states, solved.through_delta, strict=True)
    for (fit_group, evaluate_group), fitted, state, through_delta in folds:
        rows, line = fitted.rows, state.line
        predicted = line.predicted @ gradient
        slope[evaluate_group][rows] += state.ratios[:, None] * gradient / n_folds
        constant[evaluate_group][rows] -= state.ratios * (predicted + state.remainder @ gradient) / n_folds
        moved = state.fit_ratios * ((state.potentials - state.fitted_mean) @ through_delta)
        constant[fit_group][rows] -= moved / n_folds
        evaluated = problem.groups[evaluate_group].source[rows] * state.ratios / problem.groups[evaluate_group].n_source
        leverage = (line.design - line.centre) @ (line.inverse @ (fitted.target_mean - evaluated @ line.design))
        slope[fit_group][rows] += leverage[:, None] * gradient / n_folds
        constant[fit_group][rows] -= leverage * predicted / n_folds
        by_mean = gradient @ line.slope + through_delta
        scale = patterns.n_target / patterns.target[fitted.kept].sum() / n_folds
        target[fitted.target_rows] += scale * ((fitted.target_potentials - fitted.target_mean) @ by_mean)
    by_source_rate, by_target_rate = _rate_slopes(solved)
    target += _by_code(patterns.codes, by_target_rate, patterns.target)
    for i, group in enumerate(problem.groups):
        # Rates are averages over all source rows, of which a group holds its share.
        share = group.n_source / patterns.n_source
        constant[i] += share * _by_code(patterns.codes, by_source_rate, group.source)
    parts = tuple(SourcePart(group, slope[i], constant[i]) for i, group in enumerate(problem.groups))
    return Influence(parts, TargetPart(patterns.target, target))


def _rate_slopes(solved: _Solved) -> tuple[Floats, Floats]:
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
    by_target = solved.by_target((np.abs(target_by_source) + np.abs(target_by_target)).sum(axis=2) > 0)
    moving = np.zeros(source_rates.shape, dtype=bool)
    moving[:, ABSTAIN] = (np.abs(source_by_source).sum(axis=(1, 2)) > 0) & (source_rates[:, ABSTAIN] > 0)
    by_source_rate = np.einsum("ic,icr->ir", solved.by_source(moving), source_by_source)
    by_source_rate += np.einsum("ic,icr->ir", by_target, target_by_source)
    return by_source_rate, np.einsum("ic,icr->ir", by_target, target_by_target)


def _audit_part(solved: _Solved, audit: Audit, influence: Influence) -> AuditPart:
    """Say how far audited rows move the estimate through the corrections they measured, and otherwise.

    The target's corrections move along where they follow from the source's.
    """
    problem, members, rows = solved.problem, solved.problem.members, audit.rows
    source_rates, target_rates = problem.patterns.rates("source"), problem.patterns.rates("target")
    source_by_stated, target_by_stated = problem.rule.stated_slopes(source_rates, target_rates)
    measured = (audit.sizes > 0)[:, None, :]  # what was not measured stays where it is
    source_by_stated, target_by_stated = source_by_stated * measured, target_by_stated * measured
    by_source = solved.by_source((np.abs(source_by_stated).sum(axis=2) > 0) & (source_rates > 0))
    by_target = solved.by_target((np.abs(target_by_stated).sum(axis=2) > 0) & (target_rates > 0))
    slopes = np.einsum("ic,icr->ir", by_source, source_by_stated)
    slopes += np.einsum("ic,icr->ir", by_target, target_by_stated)
    among = members._replace(
        source=members.source[rows],
        target=members.target[:0],
        groups=members.groups[rows],
        statistics=members.statistics[rows],
    )
    moves = audit.moves(problem.patterns.codes[among.source], slopes)
    return AuditPart(rows, moves, influence.pieces(among)[0])


def _mean_slope(problem: Problem, fitted: Fit, table: Floats, i: int, code: int) -> Floats:
    """Differentiate mu_t by one target correction; mu_t is linear in each, so one difference is exact."""
    shift = np.zeros_like(table)
    shift[i, code] = 0.5
    codes = problem.patterns.codes[fitted.target_rows]
    up = fitted.target_shares @ expected_potentials(codes, table + shift, problem.edges)
    return up - fitted.target_shares @ expected_potentials(codes, table - shift, problem.edges)


def _source_correction_slope(solved: _Solved, i: int, code: int) -> float:
    """Differentiate the estimate by one of the source's corrections, delta re-solved."""
    problem, corrections = solved.problem, solved.corrections
    chance = float(corrections.source[i, code])
    step = min(_STEP, chance / 2, (1 - chance) / 2)
    if step <= 0:  # all rows behind the correction agree, and no row seen could move their average
        return 0.0
    total = 0.0
    for fold, (fitted, through_delta) in enumerate(zip(solved.fits, solved.through_delta, strict=True)):
        moved = []
        for sign in (1, -1):
            table = corrections.source.copy()
            table[i, code] += sign * step
            tilt = build_tilt(problem.patterns.codes[fitted.rows], table, problem.edges, problem.patterns.names)
            tilt = tilt.on_face_of(fitted.tilt)
            moved.append(_fold_state(problem, fold, fitted, replace(corrections, source=table), solved.denoise, tilt))
        value = solved.gradient @ (moved[0].means - moved[1].means) / (2 * step)
        drift = (moved[0].fitted_mean - moved[1].fitted_mean) / (2 * step)
        total += float(value - through_delta @ drift)
    return total / len(solved.fits)


def _by_code(codes: np.ndarray, slopes: Floats, counts: Floats) -> Floats:
    """Spread slopes by rate over the patterns, with mean zero over the sample."""
    values = slopes[np.arange(codes.shape[1]), codes + 1].sum(axis=1)
    return values - counts @ values / counts.sum()
