"""What estimators share that look at class probabilities of source rows which Mandoline weights."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.confident import (
    Expectation,
    OnProbabilities,
    UsableRows,
    read_known,
    why_not_new_classes,
)
from mandoline_core.estimators.intervals import RowInfluence
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.metrics import get_metric
from mandoline_core.weighting import Problem

_PLAIN = replace(get_metric("mean"), bounds=None)


class WeightedOutcome(NamedTuple):
    """Hold Mandoline's outcome for a statistic, and how far each row of either sample moves it."""

    outcome: Outcome
    source: Floats
    target: Floats


def weigh(problem: Problem, statistic: Floats | None = None, start: Floats | None = None) -> WeightedOutcome:
    """Weight the source by slices, to average one statistic of the scored rows, shape (n_scored,).

    A value that depends on the weights moves with them like the weighted mean of its derivatives, so the influence
    of rows on that mean is theirs on the value.
    """
    column = np.zeros(len(problem.members.source)) if statistic is None else statistic
    stated = replace(problem.with_statistics(column[:, None], _PLAIN), start=problem.start if start is None else start)
    outcome = Mandoline().solve(stated)
    source, target = outcome.influence.pieces(stated.members)
    return WeightedOutcome(outcome, source, target)


class OnReweighted(OnProbabilities):
    """Run a method on rows with class probabilities that Mandoline weights; a subclass says how in `expect`."""

    needs: tuple[str, ...] = ("slices", "probabilities")

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return super().reason(problem) or why_not_new_classes(problem) or Mandoline().reason(problem)

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence through the weights."""
        first = weigh(problem).outcome
        known = read_known(problem, kept=first.kept)
        found = self.expect(problem, known, first.weights(problem.members)[known.source.rows])
        second, source, target = weigh(problem, known.source.spread_out(found.by_weight), first.delta)
        if found.by_source is not None:
            source = source + known.source.spread_out(found.by_source)
        return replace(
            second,
            value=found.value,
            means=found.means,
            influence=RowInfluence(source, target + known.target.spread_out(found.by_target), pooled=found.pooled),
            findings=(*second.findings, *known.findings, *found.findings),
        )

    @abstractmethod
    def expect(self, problem: Problem, known: UsableRows, weights: Floats) -> Expectation:
        """Compute the metric to expect from the usable rows, and those of the source weighted, shape (n_source,)."""
