"""The weighted mean behind `mandoline` and `denoised`, as means alone and as a whole outcome."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.folds import fit_folds, fold_state
from mandoline_core.estimators.weighted_influence import FoldSolutions, audit_part, linearise
from mandoline_core.weighting import Problem


def weighted_means(problem: Problem, *, denoise: bool) -> Floats:
    """Estimate the statistics' means on the target."""
    return _solve(problem, denoise).means


def weighted_outcome(problem: Problem, *, denoise: bool) -> Outcome:
    """Estimate the metric on the target with fitted weights, and the influence of every row."""
    solved = _solve(problem, denoise)
    fits, means = solved.fits, solved.means
    influence = linearise(solved)
    error_if_known = None
    if problem.audit is not None:
        error_if_known = influence.standard_error()
        influence = replace(influence, audit=audit_part(solved, problem.audit, influence))
    row_weights = np.zeros((len(problem.groups), len(problem.patterns)))
    for (_, evaluate), fold, state in zip(problem.folds, fits, solved.states, strict=True):
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


def _solve(problem: Problem, denoise: bool) -> FoldSolutions:
    corrections = problem.corrections()
    fits = fit_folds(problem, corrections)
    states = [fold_state(problem, i, fold, corrections, denoise) for i, fold in enumerate(fits)]
    return FoldSolutions(problem, fits, states, corrections, denoise)
