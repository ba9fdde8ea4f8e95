"""The baselines: the source's own score, and the ratio of pattern frequencies with no model of the slices at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import OverlapError
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.on_patterns import OnPatterns, PointRatios
from mandoline_core.formatting import Sentence
from mandoline_core.weighting import Problem


class Source(OnPatterns):
    """Take the source's own score for the target's."""

    name = "source"
    title = Sentence("{source_score}")
    does = "The score on your labelled data as it is, with every row counting once."
    assumes = "The new data are like the labelled data."
    needs = ()

    def fit(self, problem: Problem) -> PointRatios:
        """Let every row count once."""
        return PointRatios(np.ones(len(problem.patterns)), lambda slopes: (np.zeros_like(slopes),) * 2)


class Simple(OnPatterns):
    """Average the patterns' source scores with the target's pattern shares.

    Target rows whose exact pattern the source never shows are set aside. Corrections and edges are not used.
    """

    name = "simple"
    title = "Simple pattern ratio"
    does = "Each combination of slices counts as often as it occurs in the new data; nothing is modelled."
    assumes = "Every pattern of the new data occurs often enough in the labelled data, and slices are never wrong."

    def fit(self, problem: Problem) -> PointRatios:
        """Divide the target's shares of the patterns in both samples by the source's."""
        table = problem.patterns
        rows = np.where(table.source > 0, table.source, np.inf)  # a pattern without source rows gets ratio 0
        n_seen = table.target[table.source > 0].sum()
        if not n_seen:
            raise OverlapError(
                "No pattern of slices occurs in both samples, so the simple ratio says nothing. "
                "Use fewer slices, or an estimator that models them."
            )
        ratios = table.target / n_seen * table.n_source / rows

        def through_fit(slopes: Floats) -> tuple[Floats, Floats]:
            return -ratios * slopes / rows, slopes / rows * table.n_target / n_seen

        return PointRatios(ratios, through_fit)

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence; patterns that are in one sample only do not count."""
        in_source, in_target = problem.patterns.source > 0, problem.patterns.target > 0
        kept = (in_source | ~in_target).astype(float)
        return replace(super().solve(problem), kept=kept, unused=in_source & ~in_target)
