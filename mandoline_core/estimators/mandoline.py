"""Mandoline, as in the paper: source rows weighted by noise-aware LL-KLIEP."""

from __future__ import annotations

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.estimators.weighted import weighted_means, weighted_outcome
from mandoline_core.weighting import Problem


class Mandoline(OnPatterns):
    """Average the source's scores with weights that make its slices look like the target's."""

    name = "mandoline"
    title = "Mandoline (the paper's weights)"
    does = "Each labelled row counts more or less, so that your slices are as frequent as in the new data."
    assumes = "Within a slice pattern, the model does as well on new data as on labelled data."

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        return weighted_outcome(problem, denoise=False)

    def means(self, problem: Problem) -> Floats:
        """Estimate the statistics' means only."""
        return weighted_means(problem, denoise=False)
