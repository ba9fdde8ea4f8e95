"""Fitting and averaging fold by fold: the weighted means behind `mandoline` and `denoised`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import Sentence
from mandoline_core.patterns import Patterns
from mandoline_core.weighting import Corrections, Problem, Tilt, TiltValue, WeightFit, expected_potentials, fit

_RANK_TOLERANCE = 1e-10


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
    """Fit every fold on the same target rows: what one fold cannot reach is set aside for all."""
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
    ratios, fit_ratios = (_average_one(scale, group.source[rows]) for group in (evaluate_group, fit_group))
    line, left = _no_line(evaluate_group.sums.shape[1], tilted.fixed), evaluate_group.sums[rows]
    if denoise:
        design = expected_potentials(problem.patterns.codes[rows], corrections.source, problem.edges)
        line = _fit_line(design, fit_group, rows, fitted, problem.patterns.names)
        left = left - evaluate_group.source[rows][:, None] * line.predicted
    per_row = ratios / evaluate_group.n_source
    remainder = per_row @ left
    centred = left - evaluate_group.source[rows][:, None] * remainder
    return FoldState(
        fitted=fitted,
        means=line.intercept + line.slope @ fitted.target_mean + remainder,
        remainder=remainder,
        ratios=ratios,
        fit_ratios=fit_ratios,
        fitted_mean=tilted.average(fit_ratios * fit_group.source[rows] / fit_group.source[rows].sum()),
        left=per_row[:, None] * centred,
        tilted=tilted,
        line=line,
    )


def _average_one(scale: Floats, counts: Floats) -> Floats:
    """Turn unnormalised ratios into ratios that average 1 over the rows."""
    return scale * (counts.sum() / (counts @ scale))


def _no_line(n_statistics: int, design: Floats) -> Line:
    d = design.shape[1]
    return Line(design, np.zeros(d), np.zeros((d, d)), np.zeros((n_statistics, d)), np.zeros(n_statistics))


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
    """Build the error for slices that say too little to be denoised."""
    return MandolineError(
        Sentence(
            "The denoised estimate cannot be computed: in the {source}, what slices {names:list} say tells almost "
            'nothing about the truth. Use estimator "mandoline", measure the corrections again, or drop these slices.',
            names=names,
        )
    )
