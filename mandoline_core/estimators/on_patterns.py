"""What estimators on slice patterns share: when they apply, and how they reach metrics that rank rows."""

from __future__ import annotations

from dataclasses import replace

from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Outcome, Problem
from mandoline_core.intervals import RowInfluence
from mandoline_core.metrics import evaluate, get_metric


class OnPatterns:
    """Run a method that weights slice patterns; a subclass says how in `solve`."""

    needs: tuple[str, ...] = ("slices",)
    later: bool = False
    gives_weights: bool = True

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        if "slices" in self.needs and not problem.patterns.names:
            return "There are no slices to weight by. Add or enable at least one."
        if problem.metric.ranked and not self.gives_weights:
            return (
                f"This method estimates means, and {problem.metric.name} is not made of means. "
                "Choose a method that weights rows, such as mandoline."
            )
        return None

    def solve(self, problem: Problem) -> Outcome:
        """Estimate a metric that is made of means."""
        raise NotImplementedError

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its spread.

        A ranking metric depends on the weights of all rows. Near the fitted weights it moves like the weighted
        mean of its slopes, so the spread of that mean is its spread.
        """
        if not problem.metric.ranked:
            return self.solve(problem)
        why = self.reason(problem)
        if why is not None:
            raise MandolineError(why)
        plain = replace(get_metric("mean"), bounds=None)
        first = self.solve(replace(problem, metric=plain))
        found = evaluate(problem.metric, problem.members.statistics, first.weights(problem.members))
        stated = replace(problem.with_statistics(found.slopes[:, None], plain), start=first.delta)
        second = self.solve(stated)
        # The influence is on the slopes; by row, it no longer depends on which statistics the problem holds.
        influence = RowInfluence(*second.influence.pieces(stated.members))
        return replace(second, value=found.value, means=found.means, influence=influence)
