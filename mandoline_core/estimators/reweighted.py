"""What estimators share that look at class probabilities of source rows which Mandoline weights."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import replace

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
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
from mandoline_core.formatting import Sentence
from mandoline_core.weighting import Problem


class OnReweighted(OnProbabilities):
    """Run a method on rows with class probabilities that Mandoline weights; a subclass says how in `expect`."""

    needs: tuple[str, ...] = ("slices", "probabilities")
    weights_rows = True

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return super().reason(problem) or why_not_new_classes(problem) or Mandoline().reason(problem)

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence through the weights."""
        problem = replace(problem, whole_patterns=True)  # a target row has answers of its own: it counts, or not
        first = Mandoline().weigh(problem)
        known = read_known(problem, kept=first.kept > 0)
        weights = first.weights(problem.members)[known.source.rows]
        if not weights.any():
            raise MandolineError(
                Sentence("No {source_row} that the weights count has class probabilities. Fill them in.")
            )
        found = self.expect(problem, known, weights)
        second = Mandoline().weigh(problem, known.source.spread_out(found.by_weight), first.delta)
        through = RowInfluence.of(second.influence.pieces(problem.members))
        source, target, pooled = through.source, through.target, math.hypot(through.pooled, found.pooled)
        if found.by_source is not None:
            source = source + known.source.spread_out(found.by_source)
        return replace(
            second,
            value=found.value,
            means=found.means,
            influence=RowInfluence(source, target + known.target.spread_out(found.by_target), pooled=pooled),
            findings=(*second.findings, *known.findings, *found.findings),
        )

    @abstractmethod
    def expect(self, problem: Problem, known: UsableRows, weights: Floats) -> Expectation:
        """Compute the metric to expect from the usable rows, and those of the source weighted, shape (n_source,)."""
