"""uLSIF: weight by a ratio of densities that is fitted by least squares."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.density.kernels import Points, median_width
from mandoline_core.estimators.density.ratio_fitting import WIDTHS, fit_ratio
from mandoline_core.estimators.on_features import FeatureRows, OnFeatureRatios
from mandoline_core.estimators.on_patterns import OnRatios, PointRatios
from mandoline_core.findings import FindingKind
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem

RATIO_FIT = FindingKind(
    "fit",
    "ratio_fit",
    "The density ratio was fitted with kernel width {width:.3g} and ridge {ridge:.3g}, chosen by leaving rows out",
    "Nothing to do, or set width in [methods].",
    "; the interval takes this choice as given.",
)


class UlsifSlices(OnRatios):
    """Fit the ratio to the slices' codes: on patterns, so exactly, whatever the number of rows."""

    name = "ulsif_slices"
    title = "Density ratio on slices"
    does = "How much more frequent rows are in the new data is fitted as a smooth function of slices."
    assumes = "The ratio of densities is a smooth function of the slices, which are never wrong."

    def fit(self, problem: Problem) -> PointRatios:
        """Fit the ratio to the patterns."""
        table, codes = problem.patterns, problem.patterns.codes.astype(float)
        return _fit(problem, codes, table.source, codes, table.target)


class UlsifFeatures(OnFeatureRatios):
    """Fit the ratio to the columns."""

    name = "ulsif_features"
    title = "Density ratio on columns"
    does = "How much more frequent rows are in the new data is fitted as a smooth function of columns."
    seconds = 8.0
    assumes = "The ratio of densities is a smooth function of the columns, and both samples overlap."

    def tuning(self, methods: MethodSettings) -> Hashable:
        """Name the settings that a fit depends on, those of the features aside."""
        return methods.width

    def fit(self, problem: Problem, seen: FeatureRows) -> PointRatios:
        """Fit the ratio to the rows of both samples."""
        return _fit(problem, seen.source, np.ones(seen.source.shape[0]), seen.target, np.ones(seen.target.shape[0]))


def _fit(problem: Problem, source: Points, source_counts: Floats, target: Points, target_counts: Floats) -> PointRatios:
    widths: tuple[float, ...] = WIDTHS
    if problem.methods.width is not None:
        rng = np.random.default_rng(problem.seed)
        median = median_width(source, source_counts, target, target_counts, rng)
        widths = (problem.methods.width / median,)
    rng = np.random.default_rng(problem.seed)
    fitted = fit_ratio(source, source_counts, target, target_counts, rng=rng, widths=widths)
    total = float(source_counts @ fitted.ratios)

    def through_fit(slopes: Floats) -> tuple[Floats, Floats]:
        by_alpha = slopes @ fitted.source_features / total
        of_source, of_target = (moved @ by_alpha for moved in fitted.alpha_influence())
        return of_source, of_target

    finding = RATIO_FIT.found("info", width=float(fitted.width), ridge=float(fitted.ridge))
    return PointRatios(fitted.ratios * float(source_counts.sum()) / total, through_fit, findings=(finding,))
