"""What estimators on slice patterns share: when they apply, and how they reach metrics that rank rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.base import Estimator, Outcome, complete_outcome
from mandoline_core.estimators.intervals import Influence, RowInfluence, SourcePart
from mandoline_core.findings import Finding
from mandoline_core.metrics import evaluate, get_metric
from mandoline_core.weighting import Problem


def why_not_slices(problem: Problem) -> str | None:
    """Say why a method that looks at slices does not apply to a problem; None if it may."""
    return None if problem.patterns.names else "There are no slices to weight by. Add or enable at least one."


@dataclass(frozen=True, eq=False)
class PointRatios:
    """Hold ratios fitted to points, patterns or rows, and how rows move an estimate through the fit.

    Parameters
    ----------
    ratios : array of float, shape (n_source_points,)
        They average 1 over the source.
    through_fit : callable
        From the derivative of the estimate by each point's ratio, times the source's rows, to the influence of a
        source row and of a target row at each point by way of the fit alone: shapes (n_source_points,) and
        (n_target_points,).
    """

    ratios: Floats
    through_fit: Callable[[Floats], tuple[Floats, Floats]]
    converged: bool = True
    findings: tuple[Finding, ...] = ()


class OnPatterns(Estimator):
    """Run a method that weights slice patterns by a ratio, which a subclass fits in `fit`; or in `solve` and `means`.

    Where the weights alone make the estimate, it reaches metrics that rank rows, too.
    """

    needs: tuple[str, ...] = ("slices",)
    on_patterns = True
    weighted_mean = True

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        if self.uses_slices and (why := why_not_slices(problem)) is not None:
            return why
        if problem.metric.ranked and not self.weighted_mean:
            return (
                f"This method estimates means, and {problem.metric.name} is not made of means. "
                "Choose a method that weights rows, such as mandoline."
            )
        return None

    def fit(self, problem: Problem) -> PointRatios:
        """Fit the ratio of target to source to the patterns."""
        raise NotImplementedError

    def solve(self, problem: Problem) -> Outcome:
        """Estimate a metric that is made of means, with influence through the fit."""
        table, fitted = problem.patterns, self.fit(problem)
        ratios = fitted.ratios
        means = ratios @ table.sums / table.n_source
        gradient = problem.metric.slope(means)
        # Ratios average 1 over the source, so a row moves the mean by its distance from it.
        centre = float(gradient @ means)
        of_source, of_target = fitted.through_fit(table.sums @ gradient - table.source * centre)
        part = SourcePart(table, ratios[:, None] * gradient, of_source - ratios * centre)
        return complete_outcome(
            problem,
            problem.metric.combine(means),
            means,
            Influence((part,), of_target),
            weights=np.where(table.source > 0, ratios, 0.0) / table.n_source,
            converged=fitted.converged,
            findings=fitted.findings,
        )

    def means(self, problem: Problem) -> Floats:
        """Average the statistics with the fitted ratio, as fast as possible: the bootstrap asks for it many times."""
        return self.fit(problem).ratios @ problem.patterns.sums / problem.patterns.n_source

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error.

        A ranking metric depends on the weights of all rows. Near the fitted weights it moves like the weighted
        mean of its slopes, so the sampling error of that mean is its own.
        """
        if not problem.metric.ranked:
            return self.solve(problem)
        self.check(problem)
        first = self.weigh(problem)
        evaluation = evaluate(problem.metric, problem.members.statistics, first.weights(problem.members))
        second = self.weigh(problem, evaluation.slopes, start=first.delta)
        return replace(second, value=evaluation.value, means=evaluation.means)

    def weigh(self, problem: Problem, statistic: Floats | None = None, start: Floats | None = None) -> Outcome:
        """Weight the source as for any metric, to average one statistic of the scored rows, shape (n_scored,).

        A value that depends on the weights moves with them like the weighted mean of its derivatives, so the influence
        of rows on that mean, which is given by row, is theirs on the value.
        """
        column = np.zeros(len(problem.members.source)) if statistic is None else statistic
        # A derivative has no bounds, whatever the metric's own are.
        stated = problem.with_statistics(column[:, None], replace(get_metric("mean"), bounds=None))
        outcome = self.solve(stated if start is None else replace(stated, start=start))
        return replace(outcome, influence=RowInfluence.of(outcome.influence.pieces(stated.members)))
