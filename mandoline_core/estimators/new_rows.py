"""Prediction error: how far the score of exactly these new rows may be from an estimate of their population's score.

With s the score of a new row, m its mean given the row's slices and n the number of new rows,

    estimate - score of these rows = (labelled data's part) + mean over the new rows of (psi - (s - theta))

where psi is how far a new row moves the estimate and theta the population's score. What the slices say of the new
rows is in psi, and cancels: which slices these rows are in is known. What remains is how scores vary among rows with
the same slices. The labelled rows say how much that is, weighted as for the estimate: the weighted mean of
(s - theta - psi)**2. For functions of means, s is the score in the direction of the slope (the delta method).
"""

from __future__ import annotations

import math

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.intervals import Influence, RowInfluence
from mandoline_core.metrics import evaluate
from mandoline_core.patterns import Membership, add_up
from mandoline_core.weighting import ABSTAIN, Problem, expected_potentials

_ALIKE = 1e-12


def prediction_error(problem: Problem, outcome: Outcome) -> float | None:
    """Return the standard error of an estimate as a prediction of these new rows' own score.

    Returns
    -------
    float or None
        None for a metric of all rows together without slopes: its redraws mix the errors of both samples.
    """
    influence = outcome.influence
    if not isinstance(influence, (Influence, RowInfluence)):
        return None
    covered = max(_covered(problem, outcome), 1.0)
    by_pattern, of_target = _moved_by_target(problem, influence)
    if problem.designed is not None:
        new = problem.designed.together(influence.pieces(problem.designed))[1]
        of_target = float(new @ new)
    rest = max(influence.standard_error() ** 2 - of_target, 0.0)
    return math.sqrt(rest + _left_over(problem, outcome, by_pattern) / covered)


def _covered(problem: Problem, outcome: Outcome) -> float:
    """Count the new rows that the estimate covers; where they weigh differently, as many as would do if alike."""
    cells = problem.designed
    if cells is None or not cells.has_weights:
        return float(problem.patterns.target @ outcome.kept)
    kept = outcome.kept[cells.target]
    squares = cells.design[1].squares_of(cells.target_rows)
    return float(cells.target_rows @ kept) ** 2 / max(float(squares @ kept**2), 1e-300)


def _moved_by_target(problem: Problem, influence: Influence | RowInfluence) -> tuple[Floats, float]:
    """Return psi of each pattern, and the variance that the target rows give the estimate.

    Where rows with the same slices move the estimate differently, psi is taken as 0: the score of these rows then
    appears to vary more than it does.
    """
    table = problem.patterns
    if isinstance(influence, Influence):
        psi, variance = influence.target, float(table.target @ influence.target**2) / table.n_target**2
    else:
        members = problem.members
        variance = float(influence.target @ influence.target)
        scales = members.scales()[1]
        each = np.divide(influence.target, scales, out=np.zeros(len(scales)), where=scales > 0) * table.n_target
        total = add_up(members.target, each * members.target_rows, len(table))
        psi = total / np.where(table.target > 0, table.target, 1.0)
        each = np.where(scales > 0, each, psi[members.target])
        if np.abs(each - psi[members.target]).max(initial=0.0) > _ALIKE + 1e-9 * np.abs(each).max(initial=0.0):
            return np.zeros(len(table)), variance
    return _extended(problem, psi), variance


def _extended(problem: Problem, psi: Floats) -> Floats:
    """Extend psi to patterns without target rows: it is linear in what the slices say."""
    table = problem.patterns
    absent = (table.target == 0) & (table.source > 0)
    if not absent.any() or not psi.any():
        return psi
    potentials = expected_potentials(table.codes, problem.corrections().target, problem.edges)
    abstained = table.codes == ABSTAIN - 1
    design = np.column_stack([np.ones(len(table)), potentials, abstained[:, abstained.any(axis=0)]])
    root = np.sqrt(table.target[~absent])
    fitted = np.linalg.lstsq(design[~absent] * root[:, None], psi[~absent] * root, rcond=1e-9)[0]
    # Along directions that no target row takes, nothing is known: no further than target rows go.
    return np.where(absent, np.clip(design @ fitted, psi.min(), psi.max()), psi)


def _left_over(problem: Problem, outcome: Outcome, psi: Floats) -> float:
    """Average (s - theta - psi)**2 over the weighted source rows."""
    members = problem.members
    weights = outcome.weights(members)
    left = evaluate(problem.metric, members.statistics, weights).slopes - psi[members.source]
    left = left - weights @ left
    return float(weights @ left**2) + _alike_within(members, weights, left)


def _alike_within(members: Membership, weights: Floats, left: Floats) -> float:
    """Return what rows of one group add to the variance of a mean over the new rows, times their number.

    How alike two rows of a group are is seen in the labelled data, and how many new rows share one in the new data.
    """
    source, target = (side.clusters for side in members.design)
    if source is None or target is None:
        return 0.0
    both, each = (np.bincount(source, values) for values in (weights, weights * left))
    pairs = float(both @ both - weights @ weights)
    rows, squares = np.bincount(target, members.target_rows), members.design[1].squares_of(members.target_rows).sum()
    alike = float(each @ each - weights**2 @ left**2) / pairs if pairs > 0 else 0.0
    return max(alike, 0.0) * float(rows @ rows / squares - 1)
