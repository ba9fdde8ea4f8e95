"""The weighted mean behind `mandoline` and `denoised`, and how every row moves it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.corrections import ABSTAIN, Corrections
from mandoline_core.errors import MandolineError, listed
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.fitting import Fit, fit
from mandoline_core.intervals import Influence, SourcePart, TargetPart
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
    influence = _influence(problem, fits, states, corrections, problem.metric.slope(means), denoise)
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


def _influence(
    problem: Problem,
    fits: list[Fit],
    states: list[_FoldState],
    corrections: Corrections,
    gradient: Floats,
    denoise: bool,
) -> Influence:
    """Linearise the average over folds in every row of both samples.

    For a source row x in pattern p with statistics s, a target row in pattern p, and the line b:

    - evaluated:  ratio_p (s - b0 - b X_p - remainder)
    - fitted:     - by_delta H^+ ratio_p (m_p - m)                      through delta
                  + (mu_t - sum w X) S^+ (X_p - X) (s - b0 - b X_p)     through b
    - target:     (b + by_delta H^+) (M_p - mu_t)
    - both, through the slices' rates, where corrections follow from them.
    """
    patterns, n_folds = problem.patterns, len(fits)
    shape = (len(problem.groups), len(patterns))
    slope = np.zeros((*shape, patterns.sums.shape[1]))
    constant = np.zeros(shape)
    target = np.zeros(len(patterns))
    by_target_mean = []
    for (fit_group, evaluate_group), fitted, state in zip(problem.folds, fits, states, strict=True):
        rows, line = fitted.rows, state.line
        predicted = line.predicted @ gradient
        slope[evaluate_group][rows] += state.ratios[:, None] * gradient / n_folds
        constant[evaluate_group][rows] -= state.ratios * (predicted + state.remainder @ gradient) / n_folds
        through_delta = gradient @ state.by_delta @ fitted.solution.inverse
        moved = state.fit_ratios * ((state.potentials - state.fitted_mean) @ through_delta)
        constant[fit_group][rows] -= moved / n_folds
        evaluated = problem.groups[evaluate_group].source[rows] * state.ratios / problem.groups[evaluate_group].n_source
        leverage = (line.design - line.centre) @ (line.inverse @ (fitted.target_mean - evaluated @ line.design))
        slope[fit_group][rows] += leverage[:, None] * gradient / n_folds
        constant[fit_group][rows] -= leverage * predicted / n_folds
        by_mean = gradient @ line.slope + through_delta
        by_target_mean.append(by_mean / n_folds)
        scale = patterns.n_target / patterns.target[fitted.kept].sum() / n_folds
        target[fitted.target_rows] += scale * ((fitted.target_potentials - fitted.target_mean) @ by_mean)
    by_source_rate, by_target_rate = _rate_slopes(problem, fits, states, corrections, gradient, by_target_mean, denoise)
    target += _by_code(patterns.codes, by_target_rate, patterns.target)
    for i, group in enumerate(problem.groups):
        # Rates are averages over all source rows, of which a group holds its share.
        share = group.n_source / patterns.n_source
        constant[i] += share * _by_code(patterns.codes, by_source_rate, group.source)
    parts = tuple(SourcePart(group, slope[i], constant[i]) for i, group in enumerate(problem.groups))
    return Influence(parts, TargetPart(patterns.target, target))


def _rate_slopes(
    problem: Problem,
    fits: list[Fit],
    states: list[_FoldState],
    corrections: Corrections,
    gradient: Floats,
    by_target_mean: list[Floats],
    denoise: bool,
) -> tuple[Floats, Floats]:
    """Differentiate the estimate by the slices' rates, through the corrections that follow from them.

    Returns
    -------
    by_source_rate, by_target_rate : array, shape (n_slices, 3)
    """
    source_rates, target_rates = problem.patterns.rates("source"), problem.patterns.rates("target")
    source_by_source, target_by_source, target_by_target = problem.rule.slopes(source_rates, target_rates)
    by_target = np.zeros_like(source_rates)
    for i, code in zip(*np.nonzero((np.abs(target_by_source) + np.abs(target_by_target)).sum(axis=2)), strict=True):
        by_target[i, code] = sum(
            by_mean @ _mean_slope(problem, fitted, corrections.target, i, code)
            for fitted, by_mean in zip(fits, by_target_mean, strict=True)
        )
    by_source = np.zeros_like(source_rates)
    moving = np.abs(source_by_source).sum(axis=(1, 2)) * (source_rates[:, ABSTAIN] > 0)
    for i in np.flatnonzero(moving).tolist():
        by_source[i, ABSTAIN] = _source_correction_slope(problem, fits, states, corrections, gradient, i, denoise)
    by_source_rate = np.einsum("ic,icr->ir", by_source, source_by_source)
    by_source_rate += np.einsum("ic,icr->ir", by_target, target_by_source)
    return by_source_rate, np.einsum("ic,icr->ir", by_target, target_by_target)


def _mean_slope(problem: Problem, fitted: Fit, table: Floats, i: int, code: int) -> Floats:
    """Differentiate mu_t by one target correction; mu_t is linear in each, so one difference is exact."""
    shift = np.zeros_like(table)
    shift[i, code] = 0.5
    codes = problem.patterns.codes[fitted.target_rows]
    up = fitted.target_shares @ expected_potentials(codes, table + shift, problem.edges)
    return up - fitted.target_shares @ expected_potentials(codes, table - shift, problem.edges)


def _source_correction_slope(
    problem: Problem,
    fits: list[Fit],
    states: list[_FoldState],
    corrections: Corrections,
    gradient: Floats,
    i: int,
    denoise: bool,
) -> float:
    """Differentiate the estimate by the source's correction for slice i's abstentions, delta re-solved."""
    chance = float(corrections.source[i, ABSTAIN])
    step = min(_STEP, chance / 2, (1 - chance) / 2)
    if step <= 0:  # all rows where the slice speaks agree, and no row seen could move their average
        return 0.0
    total = 0.0
    for fold, (fitted, state) in enumerate(zip(fits, states, strict=True)):
        moved = []
        for sign in (1, -1):
            table = corrections.source.copy()
            table[i, ABSTAIN] += sign * step
            tilt = build_tilt(problem.patterns.codes[fitted.rows], table, problem.edges, problem.patterns.names)
            tilt = tilt.on_face_of(fitted.tilt)
            moved.append(_fold_state(problem, fold, fitted, replace(corrections, source=table), denoise, tilt))
        value = gradient @ (moved[0].means - moved[1].means) / (2 * step)
        drift = (moved[0].fitted_mean - moved[1].fitted_mean) / (2 * step)
        total += float(value - gradient @ state.by_delta @ fitted.solution.inverse @ drift)
    return total / len(fits)


def _by_code(codes: np.ndarray, slopes: Floats, counts: Floats) -> Floats:
    """Spread slopes by rate over the patterns, with mean zero over the sample."""
    values = slopes[np.arange(codes.shape[1]), codes + 1].sum(axis=1)
    return values - counts @ values / counts.sum()
