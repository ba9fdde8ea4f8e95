"""The base of estimators on slice patterns, with ranking metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import (
    Estimator,
    Outcome,
    PointEstimate,
    complete_outcome,
    effective_rows,
    share_left_out,
)
from mandoline_core.estimators.intervals import Influence, Redraws, RowInfluence, SourcePart
from mandoline_core.findings import Finding
from mandoline_core.metrics import evaluate, get_metric
from mandoline_core.patterns import add_up
from mandoline_core.weighting import Problem, Rows

N_REDRAWS = 200  # of rows, for a metric of all rows together: its standard error is known to about 5%


def why_not_slices(problem: Problem) -> str | None:
    """Return why a method on slices does not apply, or None."""
    return None if problem.patterns.names else "There are no slices. Add or enable at least one."


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


def _units(rows: Rows) -> Iterator[int]:
    """Count what is redrawn of each sample: rows, or their groups."""
    for sample in (rows.source, rows.target):
        yield sample.n_rows if sample.clusters is None else int(sample.clusters.max()) + 1


class OnPatterns(Estimator):
    """Run a method that weights slice patterns; a subclass defines `fit`, or `solve` and `means`.

    If the estimate is a weighted mean, it supports ranking metrics, too.
    """

    premise = "slices"
    needs: tuple[str, ...] = ("slices",)
    on_patterns = True
    weighted_mean = True
    design_weights = True

    def reason(self, problem: Problem) -> str | None:
        """Return why the method does not apply, or None."""
        if self.uses_slices and (why := why_not_slices(problem)) is not None:
            return why
        if problem.metric.ranked and not self.weighted_mean:
            return (
                f"This method needs a metric made of means over rows, unlike {problem.metric.name}. "
                "Choose a method such as mandoline."
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
            Influence((part,), of_target, designed=problem.designed),
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
        if problem.metric.whole is not None:
            redraws = self._redraw_rows(replace(problem, start=first.delta))
            return replace(first, value=evaluation.value, means=evaluation.means, influence=redraws)
        second = self.weigh(problem, evaluation.slopes, start=first.delta)
        return replace(second, value=evaluation.value, means=evaluation.means)

    def point(self, problem: Problem) -> PointEstimate:
        """Estimate the metric without its sampling error: a ranking metric needs no derivatives and no redraws."""
        if not problem.metric.ranked:
            return super().point(problem)
        self.check(problem)
        outcome = self.weigh(problem)
        evaluation = evaluate(problem.metric, problem.members.statistics, outcome.weights(problem.members))
        rows, left_out = effective_rows(problem, outcome.row_weights), share_left_out(problem, outcome.kept)
        return PointEstimate(evaluation.value, rows, outcome.converged, left_out)

    def _redraw_rows(self, problem: Problem) -> Redraws:
        """Redraw the rows of both samples, weight them again, and evaluate the metric on them, weighted and plain."""
        members, table, evaluate = problem.members, problem.patterns, problem.metric.whole
        if evaluate is None or problem.rows is None:
            raise ValueError("Only a metric of all rows together, in memory, is evaluated on bootstrap samples.")
        scored, n_groups = problem.rows.scored, len(problem.groups)
        values = np.full((2, N_REDRAWS), np.nan)
        # One generator a redraw, and no draw that depends on the model: then all models have the same redraws.
        for i, rng in enumerate(np.random.default_rng(problem.seed).spawn(N_REDRAWS)):
            of_source, of_target = (
                np.bincount(rng.integers(n, size=n), minlength=n).astype(float) for n in _units(problem.rows)
            )
            by_cluster, of_new = (side.clusters for side in members.design)
            counts = (of_source[scored] if by_cluster is None else of_source[by_cluster]) * members.source_rows
            of_target = (of_target if of_new is None else of_target[of_new]) * members.target_rows
            target = add_up(members.target, of_target, len(table))
            by_group = np.zeros((n_groups, len(table)))
            np.add.at(by_group, (members.groups, members.source), counts)
            drawn = replace(
                problem,
                patterns=replace(table, source=by_group.sum(axis=0), target=target),
                groups=tuple(replace(table, source=source, target=target) for source in by_group),
                rule=problem.redraw_rule(rng),
                audit=None,
            )
            with suppress(MandolineError):  # a redraw may lack a class that the metric needs
                weights = self.weigh(drawn).row_weights[members.groups, members.source] * counts
                values[:, i] = evaluate(members.statistics, weights), evaluate(members.statistics, counts)
        n_failed = int(np.isnan(values[0]).sum())
        if n_failed > N_REDRAWS / 2:
            raise MandolineError(
                f"Metric {problem.metric.name!r} is undefined on {n_failed} of {N_REDRAWS} bootstrap samples, so there "
                "is no interval. Label more rows, or use fewer slices."
            )
        return Redraws(values[0], values[1])

    def weigh(self, problem: Problem, statistic: Floats | None = None, start: Floats | None = None) -> Outcome:
        """Weight the source as for any metric, to average one statistic of the scored rows, shape (n_scored,).

        A value that depends on the weights moves with them like the weighted mean of its derivatives, so the influence
        of rows on that mean, which is given by row, is theirs on the value.
        """
        column = np.zeros(len(problem.members.source)) if statistic is None else statistic
        # A derivative has no bounds, whatever the metric's own are.
        stated = problem.with_statistics(column[:, None], replace(get_metric("mean"), bounds=None))
        outcome = self.solve(stated if start is None else replace(stated, start=start))
        return replace(outcome, influence=RowInfluence.of(outcome.influence.pieces(stated.members), stated.designed))
