"""The score on the labelled source, unweighted: what a person has without any method."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome, complete_outcome
from mandoline_core.estimators.intervals import Influence, SourcePart
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.formatting import Sentence
from mandoline_core.weighting import Problem


class Source(OnPatterns):
    """Take the source's own score for the target's."""

    name = "source"
    title = Sentence("{source_score}")
    assumes = "The new data are like the labelled data."
    needs = ()

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        table, means = problem.patterns, self.means(problem)
        gradient = problem.metric.slope(means)
        slope = np.broadcast_to(gradient, table.sums.shape)
        constant = np.full(len(table), -float(gradient @ means))
        return complete_outcome(
            problem,
            value=problem.metric.combine(means),
            means=means,
            influence=Influence((SourcePart(table, slope, constant),)),
        )

    def means(self, problem: Problem) -> Floats:
        """Average the statistics over source rows."""
        return problem.patterns.sums.sum(axis=0) / problem.patterns.n_source
