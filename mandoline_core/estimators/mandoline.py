"""Mandoline, as in the paper: source rows weighted by noise-aware LL-KLIEP."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.estimators.weighted_influence import audit_part, linearise, solve_folds
from mandoline_core.weighting import Problem


class Mandoline(OnPatterns):
    """Average the source's scores with weights that make its slices look like the target's."""

    name = "mandoline"
    title = "Mandoline (the paper's weights)"
    does = "Each labelled row counts more or less, so that your slices are as frequent as in the new data."
    assumes = "Within a slice pattern, the model does as well on new data as on labelled data."
    denoise = False

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target with fitted weights, and the influence of every row."""
        solved = solve_folds(problem, denoise=self.denoise)
        fits = [state.fitted for state in solved.states]
        influence = linearise(solved)
        error_if_known = None
        if problem.audit is not None:
            error_if_known = influence.standard_error()
            influence = replace(influence, audit=audit_part(solved, problem.audit, influence))
        row_weights = np.zeros((len(problem.groups), len(problem.patterns)))
        for (_, evaluate), state in zip(problem.folds, solved.states, strict=True):
            row_weights[evaluate, state.fitted.rows] += state.ratios / problem.groups[evaluate].n_source / len(fits)
        return Outcome(
            value=problem.metric.combine(solved.means),
            means=solved.means,
            influence=influence,
            row_weights=row_weights,
            delta=np.mean([fitted.solution.delta for fitted in fits], axis=0),
            kept=fits[0].kept,
            beyond=fits[0].beyond,
            unused=np.logical_and.reduce([fitted.unused for fitted in fits]),
            converged=all(fitted.solution.converged for fitted in fits),
            error_if_known=error_if_known,
        )

    def means(self, problem: Problem) -> Floats:
        """Estimate the statistics' means only."""
        return solve_folds(problem, denoise=self.denoise).means
