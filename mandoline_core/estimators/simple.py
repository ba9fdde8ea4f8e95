"""The simple baseline: weight by the ratio of pattern frequencies, with no model of the slices at all."""

from __future__ import annotations

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import OverlapError
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.intervals import Influence, SourcePart, TargetPart
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.weighting import Problem


class Simple(OnPatterns):
    """Average the patterns' source scores with the target's pattern shares.

    Target rows whose exact pattern the source never shows are set aside. Corrections and edges are not used.
    """

    name = "simple"
    title = "Simple pattern ratio"
    does = "Each combination of slices counts as often as it occurs in the new data; nothing is modelled."
    assumes = "Every pattern of the new data occurs often enough in the labelled data, and slices are never wrong."

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        table, seen = problem.patterns, _seen(problem)
        means = self.means(problem)
        gradient = problem.metric.slope(means)
        ratios = np.zeros(len(table))
        ratios[seen] = table.target[seen] / table.target[seen].sum() * table.n_source / table.source[seen]
        pattern_means = table.sums / np.maximum(table.source, 1)[:, None]
        within = (pattern_means @ gradient)[:, None]
        target = np.where(seen, (pattern_means - means) @ gradient, 0.0) * table.n_target / table.target[seen].sum()
        return Outcome(
            value=problem.metric.combine(means),
            means=means,
            influence=Influence(
                (SourcePart(table, ratios[:, None] * gradient, -ratios * within[:, 0]),),
                TargetPart(table.target, target),
            ),
            row_weights=np.tile(ratios / table.n_source, (len(problem.groups), 1)),
            kept=seen | (table.target == 0),
            unused=(table.source > 0) & (table.target == 0),
        )

    def means(self, problem: Problem) -> Floats:
        """Average the patterns' mean statistics with the target's shares."""
        table, seen = problem.patterns, _seen(problem)
        share = table.target[seen] / table.target[seen].sum()
        return share @ (table.sums[seen] / table.source[seen][:, None])


def _seen(problem: Problem) -> np.ndarray:
    seen = (problem.patterns.source > 0) & (problem.patterns.target > 0)
    if not seen.any():
        raise OverlapError(
            "No pattern of slices occurs in both samples, so the simple ratio says nothing. "
            "Use fewer slices, or an estimator that models them."
        )
    return np.asarray(seen)
