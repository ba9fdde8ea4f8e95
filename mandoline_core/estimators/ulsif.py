"""uLSIF: weight by a ratio of densities that is fitted by least squares."""

from __future__ import annotations

import numpy as np

from mandoline_core.density.kernels import Points, median_width
from mandoline_core.density.ratio_fitting import WIDTHS, RatioFit, fit_ratio
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.estimators.on_patterns import OnPatterns
from mandoline_core.estimators.row_weights import (
    evaluate_rows,
    features_key,
    reason_without_features,
    remembered,
    row_influence,
    row_outcome,
    scored_key,
    seen_rows,
)
from mandoline_core.findings import Finding
from mandoline_core.intervals import Influence, SourcePart, TargetPart
from mandoline_core.patterns import Floats


class UlsifSlices(OnPatterns):
    """Fit the ratio to the slices' codes: on patterns, so exactly, whatever the number of rows."""

    name = "ulsif_slices"
    title = "Density ratio on slices"
    assumes = "The ratio of densities is a smooth function of the slices, which are never wrong."

    def solve(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with influence."""
        table = problem.patterns
        fitted, ratios = _fit_patterns(problem)
        means = ratios @ table.sums / table.n_source
        gradient = problem.metric.slope(means)
        centre = float(gradient @ means)
        # The derivative by alpha: the features' weighted covariance with the score, over the total weight.
        score = table.sums @ gradient - table.source * centre
        by_alpha = score @ fitted.source_features / float(table.source @ fitted.ratios)
        of_source, of_target = (moved @ by_alpha for moved in fitted.alpha_influence())
        return Outcome(
            value=problem.metric.combine(means),
            means=means,
            influence=Influence(
                (SourcePart(table, ratios[:, None] * gradient, of_source - ratios * centre),),
                TargetPart(table.target, of_target),
            ),
            row_weights=np.tile(np.where(table.source > 0, ratios, 0.0) / table.n_source, (len(problem.groups), 1)),
            kept=np.ones(len(table), dtype=bool),
            unused=np.zeros(len(table), dtype=bool),
            findings=_about_fit(fitted),
        )

    def means(self, problem: Problem) -> Floats:
        """Average the statistics with the fitted ratio."""
        return _fit_patterns(problem)[1] @ problem.patterns.sums / problem.patterns.n_source


def _fit_patterns(problem: Problem) -> tuple[RatioFit, Floats]:
    """Fit the ratio to the patterns; return it with ratios that average 1 over the source."""
    table = problem.patterns
    codes = table.codes.astype(float)
    fitted = _fit(problem, codes, table.source, codes, table.target)
    return fitted, fitted.ratios * table.n_source / float(table.source @ fitted.ratios)


def _fit(problem: Problem, source: Points, source_counts: Floats, target: Points, target_counts: Floats) -> RatioFit:
    widths: tuple[float, ...] = WIDTHS
    if problem.methods.width is not None:
        rng = np.random.default_rng(problem.seed)
        median = median_width(source, source_counts, target, target_counts, rng)
        widths = (problem.methods.width / median,)
    rng = np.random.default_rng(problem.seed)
    return fit_ratio(source, source_counts, target, target_counts, rng=rng, widths=widths)


class UlsifFeatures:
    """Fit the ratio to the columns."""

    name = "ulsif_features"
    title = "Density ratio on columns"
    assumes = "The ratio of densities is a smooth function of the columns, and both samples overlap."
    needs: tuple[str, ...] = ("features",)
    later = False

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return reason_without_features(problem)

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread."""
        seen = seen_rows(problem)
        n_source, n_target = seen.source.shape[0], seen.target.shape[0]
        key = ("ulsif", features_key(problem), problem.methods.width, scored_key(problem))
        fitted: RatioFit = remembered(
            problem, key, lambda: _fit(problem, seen.source, np.ones(n_source), seen.target, np.ones(n_target))
        )
        found, weights = evaluate_rows(problem, seen.source_rows, fitted.ratios)
        by_alpha = found.slopes @ fitted.source_features / float(fitted.ratios.sum())
        of_source, of_target = (moved @ by_alpha for moved in fitted.alpha_influence())
        spread = row_influence(
            problem,
            (seen.source_rows, seen.target_rows),
            weights * found.slopes + of_source / n_source,
            of_target / n_target,
        )
        findings = (*seen.findings, *_about_fit(fitted))
        return row_outcome(problem, found, seen.source_rows, weights, spread, findings)


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
