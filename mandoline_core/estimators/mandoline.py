"""Mandoline, as in the paper: source rows weighted by noise-aware LL-KLIEP; and denoised, for slices that are noisy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome, PointEstimate, effective_rows, share_left_out
from mandoline_core.estimators.folds import (
    FoldSolutions,
    audit_part,
    ill_conditioned,
    linearise,
    solve_folds,
    target_audit_part,
)
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_value
from mandoline_core.weighting import Problem


class Mandoline(OnPatterns):
    """Average source scores with weights that match slice frequencies to the target (noise-aware KLIEP)."""

    name = "mandoline"
    title = "Mandoline"
    does = "Weights labelled rows so that slice frequencies match the new data (noise-aware KLIEP)."
    assumes = "Covariate shift captured by the slices. Rows with the same slices keep their expected score."
    weighted_mean = tilts_slices = takes_corrections = takes_labels = True

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target with fitted weights, and the influence of every row."""
        solved = solve_folds(problem, denoise=self.denoises)
        fits = [state.fitted for state in solved.states]
        influence = linearise(solved)
        error_if_known = None
        if problem.audit is not None:
            error_if_known = influence.standard_error()  # before what measuring the corrections adds
            influence = replace(
                influence,
                audit=audit_part(solved, problem.audit, influence),
                target_audit=target_audit_part(solved, problem.audit.target, influence),
            )
        return Outcome(
            value=problem.metric.within(problem.metric.combine(solved.means)),
            means=solved.means,
            influence=influence,
            row_weights=_row_weights(solved),
            delta=np.mean([fitted.solution.delta for fitted in fits], axis=0),
            kept=fits[0].kept,
            beyond=fits[0].beyond,
            unused=np.logical_and.reduce([fitted.unused for fitted in fits]),
            converged=all(fitted.solution.converged for fitted in fits),
            error_if_known=error_if_known,
        )

    def point(self, problem: Problem) -> PointEstimate:
        """Estimate the metric without linearising it; whether denoising went well shows in the sampling error alone."""
        if problem.metric.ranked or self.denoises:
            return super().point(problem)
        solved = solve_folds(replace(problem, near_enough=True), denoise=False)
        converged = all(state.fitted.solution.converged for state in solved.states)
        value = problem.metric.combine(solved.means)
        rows = effective_rows(problem, _row_weights(solved))
        return PointEstimate(value, rows, converged, share_left_out(problem, solved.states[0].fitted.kept))

    def means(self, problem: Problem) -> Floats:
        """Estimate the statistics' means only."""
        return solve_folds(problem, denoise=self.denoises).means


def _row_weights(solved: FoldSolutions) -> Floats:
    """Weight a row of each pattern, by group of source rows, shape (n_groups, n_patterns)."""
    problem = solved.problem
    weights = np.zeros((len(problem.groups), len(problem.patterns)))
    for (_, evaluate), state in zip(problem.folds, solved.states, strict=True):
        # A group that is evaluated in no fold only serves to fit: its rows get no weight.
        weights[evaluate, state.fitted.rows] += state.ratios / problem.groups[evaluate].n_source / len(solved.states)
    return weights


class Denoised(Mandoline):
    """Regress the score on the expected true slices, and weight the residuals.

    The paper's weights average over the truth given what the slices say, and so lose part of the link between
    the truth and the score. Under identity corrections both estimators are the same.
    """

    name = "denoised"
    title = "Denoised Mandoline"
    does = "Adds a regression on the true slices to Mandoline's weights, to correct for noisy slices."
    assumes = "The score depends on true slice membership only, not on the slices' errors."
    weighted_mean = False
    denoises = True

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        outcome = super().solve(problem)
        spread = _spread(problem, outcome.means)
        if outcome.influence.standard_error() > spread > 0:
            raise ill_conditioned(_least_informative(problem))
        return _keep_within_bounds(problem, outcome)


def _spread(problem: Problem, means: Floats) -> float:
    """Compute the standard deviation of a single row's contribution in the source.

    An estimate less certain than one labelled row would be says nothing.
    """
    table, slope = problem.patterns, problem.metric.slope(means)
    mean = table.sums.sum(axis=0) / table.n_source
    second = table.squares(np.tile(slope, (len(table), 1))).sum() / table.n_source
    return float(np.sqrt(max(second - (slope @ mean) ** 2, 0.0)))


def _least_informative(problem: Problem) -> list[str]:
    source = problem.corrections().source
    gap = np.abs(source[:, 2] - source[:, 0])
    return [problem.patterns.names[i] for i in np.flatnonzero(gap <= gap.min() + 1e-12)]


def _keep_within_bounds(problem: Problem, outcome: Outcome) -> Outcome:
    low, high = problem.metric.bounds or (-np.inf, np.inf)
    inside = min(max(outcome.value, low), high)
    if inside == outcome.value:
        return outcome
    raw, shown = (show_value(value, share=problem.metric.share) for value in (outcome.value, inside))
    finding = Finding(
        "fit",
        "denoised_outside_bounds",
        "serious",
        f"The denoised estimate was out of range ({raw}) and is shown as {shown}.",
        'Check the corrections, or use method "mandoline".',
        numbers={"value": outcome.value, "metric": problem.metric.name, "shown": inside},
    )
    return replace(outcome, value=inside, findings=(*outcome.findings, finding))
