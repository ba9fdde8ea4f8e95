"""The baselines: the unweighted source score, and post-stratification on slice patterns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import OverlapError
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.on_patterns import OnPatterns, PointRatios
from mandoline_core.weighting import Problem


class Source(OnPatterns):
    """Take the unweighted source score."""

    name = "source"
    title = "Score on labelled data"
    does = "Takes the unweighted score on labelled data."
    assumes = "No shift: new and labelled data have the same distribution."
    needs = ()
    premise = ""

    def fit(self, problem: Problem) -> PointRatios:
        """Give every row the same weight."""
        return PointRatios(np.ones(len(problem.patterns)), lambda slopes: (np.zeros_like(slopes),) * 2)


class Simple(OnPatterns):
    """Post-stratify: average the source score of each pattern with the target's pattern shares.

    Target rows whose pattern has no source row are left out. Corrections and edges are not used.
    """

    name = "simple"
    title = "Post-stratification on slices (Simple)"
    does = "Weights each slice pattern by its frequency in the new data, without a model (post-stratification)."
    assumes = "Covariate shift captured by slices without errors, with enough labelled rows in every pattern."

    def fit(self, problem: Problem) -> PointRatios:
        """Divide the target's shares of the patterns in both samples by the source's."""
        table = problem.patterns
        rows = np.where(table.source > 0, table.source, np.inf)  # a pattern without source rows gets ratio 0
        n_seen = table.target[table.source > 0].sum()
        if not n_seen:
            raise OverlapError(
                "No slice pattern occurs in both labelled and new data. "
                "Use fewer slices, or a method such as mandoline."
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
