"""uLSIF: weight by a ratio of densities that is fitted by least squares."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Outcome
from mandoline_core.estimators.density.kernels import Points, median_width
from mandoline_core.estimators.density.ratio_fitting import WIDTHS, RatioFit, fit_ratio
from mandoline_core.estimators.on_features import FeatureRows, OnFeatures
from mandoline_core.estimators.on_patterns import OnRatios, PatternRatios, average_one
from mandoline_core.estimators.row_weights import evaluate_rows, row_influence, row_outcome
from mandoline_core.findings import Finding
from mandoline_core.project import MethodSettings
from mandoline_core.weighting import Problem


class UlsifSlices(OnRatios):
    """Fit the ratio to the slices' codes: on patterns, so exactly, whatever the number of rows."""

    name = "ulsif_slices"
    title = "Density ratio on slices"
    assumes = "The ratio of densities is a smooth function of the slices, which are never wrong."

    def fit(self, problem: Problem) -> PatternRatios:
        """Fit the ratio to the patterns."""
        table = problem.patterns
        codes = table.codes.astype(float)
        fitted = _fit(problem, codes, table.source, codes, table.target)

        def through_fit(slopes: Floats) -> tuple[Floats, Floats]:
            return _through_alpha(fitted, slopes, float(table.source @ fitted.ratios))

        return PatternRatios(average_one(fitted.ratios, table), through_fit, findings=_about_fit(fitted))


class UlsifFeatures(OnFeatures[RatioFit]):
    """Fit the ratio to the columns."""

    name = "ulsif_features"
    title = "Density ratio on columns"
    assumes = "The ratio of densities is a smooth function of the columns, and both samples overlap."

    def tuning(self, methods: MethodSettings) -> Hashable:
        """Name the settings that a fit depends on, those of the features aside."""
        return methods.width

    def fit(self, problem: Problem, seen: FeatureRows) -> RatioFit:
        """Fit the ratio to the rows of both samples."""
        return _fit(problem, seen.source, np.ones(seen.source.shape[0]), seen.target, np.ones(seen.target.shape[0]))

    def evaluate(self, problem: Problem, seen: FeatureRows, fitted: RatioFit) -> Outcome:
        """Evaluate the metric with the fitted ratio, with influence through the fit."""
        found, weights = evaluate_rows(problem, seen.source_rows, fitted.ratios)
        of_source, of_target = _through_alpha(fitted, found.slopes, float(fitted.ratios.sum()))
        spread = row_influence(
            problem,
            (seen.source_rows, weights * found.slopes + of_source / len(of_source)),
            (seen.target_rows, of_target / len(of_target)),
        )
        return row_outcome(problem, found, seen.source_rows, weights, spread, (*seen.findings, *_about_fit(fitted)))


def _fit(problem: Problem, source: Points, source_counts: Floats, target: Points, target_counts: Floats) -> RatioFit:
    widths: tuple[float, ...] = WIDTHS
    if problem.methods.width is not None:
        rng = np.random.default_rng(problem.seed)
        median = median_width(source, source_counts, target, target_counts, rng)
        widths = (problem.methods.width / median,)
    rng = np.random.default_rng(problem.seed)
    return fit_ratio(source, source_counts, target, target_counts, rng=rng, widths=widths, step=problem.step)


def _through_alpha(fitted: RatioFit, slopes: Floats, total: float) -> tuple[Floats, Floats]:
    """Return the influence of a row at each point, of either sample, by way of the fitted coefficients.

    Parameters
    ----------
    slopes : array of float, shape (n_source_points,)
        How far the score of each source point's rows is from the estimate, added up.
    total : float
        Of the rows' fitted ratios.
    """
    by_alpha = slopes @ fitted.source_features / total
    of_source, of_target = (moved @ by_alpha for moved in fitted.alpha_influence())
    return of_source, of_target


def _about_fit(fitted: RatioFit) -> tuple[Finding, ...]:
    return (
        Finding(
            "ratio_fit",
            "info",
            f"The density ratio was fitted with kernel width {fitted.width:.3g} and ridge {fitted.ridge:.3g}, chosen "
            "by leaving rows out; the interval takes this choice as given.",
            "Nothing to do, or set width in [methods].",
        ),
    )
