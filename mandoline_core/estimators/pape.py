"""PAPE: CBPE with the calibration fitted on source rows that Mandoline weights to look like the target."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.estimators.cbpe import OnCalibration, calibrated_expectation
from mandoline_core.estimators.confident import read_known
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.intervals import RowInfluence
from mandoline_core.metrics import get_metric
from mandoline_core.patterns import Floats

_PLAIN = replace(get_metric("mean"), bounds=None)


class Weighted(NamedTuple):
    """Hold Mandoline's outcome for a statistic, and how far each row of either sample moves it."""

    outcome: Outcome
    source: Floats
    target: Floats


def weigh(problem: Problem, statistic: Floats | None = None, start: Floats | None = None) -> Weighted:
    """Weight the source by slices, to average one statistic of the scored rows, shape (n_scored,).

    A value that depends on the weights moves with them like the weighted mean of its derivatives, so the influence
    of rows on that mean is theirs on the value.
    """
    column = np.zeros(len(problem.members.source)) if statistic is None else statistic
    stated = replace(problem.with_statistics(column[:, None], _PLAIN), start=problem.start if start is None else start)
    outcome = Mandoline().solve(stated)
    source, target = outcome.influence.pieces(stated.members)
    return Weighted(outcome, source, target)


class Pape(OnCalibration):
    """Calibrate the probabilities on the source weighted by slices, and take them for the target's chances."""

    name = "pape"
    title = "Probabilities calibrated by slices (PAPE)"
    assumes = (
        "Rows with the same probabilities in the same slice pattern are right as often on the new data as on "
        "labelled data."
    )
    needs: tuple[str, ...] = ("slices", "probabilities")

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return super().reason(problem) or Mandoline().reason(problem)

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence through the calibration and the weights."""
        first = weigh(problem).outcome
        known = read_known(problem, kept=first.kept)
        weights = first.weights(problem.members)[known.source.rows]
        if not weights.any():
            raise MandolineError("No source row that the weights count has class probabilities. Fill them in.")
        found = calibrated_expectation(problem.metric, known.source, known.target, weights)
        second, source, target = weigh(problem, known.source.spread_out(found.by_weight), first.delta)
        return replace(
            second,
            value=found.value,
            means=found.means,
            influence=RowInfluence(source, target + known.target.spread_out(found.by_target)),
            findings=(*second.findings, *known.findings, *found.findings),
        )
