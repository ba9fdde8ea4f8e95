"""What estimators that weight single rows share: the metric on weighted rows, and how a row moves it."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats, Index
from mandoline_core.estimators.base import Outcome, complete_outcome
from mandoline_core.estimators.intervals import RowInfluence, Spread
from mandoline_core.findings import Finding
from mandoline_core.metrics import Evaluation, evaluate
from mandoline_core.patterns import add_up
from mandoline_core.weighting import Problem


def evaluate_rows(problem: Problem, rows: Index, ratios: Floats) -> tuple[Evaluation, Floats]:
    """Evaluate the metric on some scored rows, weighted by ratios; also return the weights, which sum to 1."""
    weights = ratios / ratios.sum()
    return evaluate(problem.metric, problem.members.statistics[rows], weights), weights


def row_influence(
    problem: Problem, source: tuple[Index, Floats], target: tuple[Index, Floats] | None = None
) -> RowInfluence:
    """Spread the influence of the rows a method saw over all rows, each sample's centred.

    A fixed penalty does not grow with the rows, so what rows add up to through a penalised fit is not quite 0.

    Parameters
    ----------
    source, target : pair of arrays, each of shape (n_rows,)
        Places among the scored source rows, or the target rows; and how far each moves the estimate.
    """
    sizes = len(problem.members.source), len(problem.members.target)
    by_source, by_target = (
        np.zeros(n) if part is None else add_up(part[0], part[1] - part[1].mean(), n)
        for part, n in zip((source, target), sizes, strict=True)
    )
    return RowInfluence(by_source, by_target)


def row_outcome(
    problem: Problem,
    found: Evaluation,
    rows: Index,
    weights: Floats,
    spread: Spread,
    findings: tuple[Finding, ...] = (),
) -> Outcome:
    """Put the outcome of a method on single rows together.

    Parameters
    ----------
    found : Evaluation
        Of the metric on the weighted rows.
    rows : array of int, shape (n_rows,)
        Places among the scored source rows; the others count for nothing.
    weights : array of float, shape (n_rows,)
    """
    table, members = problem.patterns, problem.members
    scored = add_up(rows, weights, len(members.source))
    return complete_outcome(
        problem,
        found.value,
        found.means,
        spread,
        weights=add_up(members.source, scored, len(table)) / np.maximum(table.source, 1),
        findings=findings,
        scored_weights=scored,
    )
