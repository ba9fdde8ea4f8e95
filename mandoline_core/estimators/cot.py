"""COT: the target's predicted probabilities transported to labels that are as frequent as the source's classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.estimators.confident import Expectation, UsableRows
from mandoline_core.estimators.of_accuracy import Accuracy, OfAccuracy, why_not_accuracy
from mandoline_core.estimators.reweighted import OnReweighted
from mandoline_core.estimators.transport import share_out
from mandoline_core.weighting import Problem


class TransportedAccuracy(NamedTuple):
    """Hold the accuracy by transport, and how it moves.

    Parameters
    ----------
    by_source : array of float, shape (n_source,)
        Derivative by each source row's weight; weighted, 0.
    by_target : array of float, shape (n_target,)
        The same for the target's rows, which all count the same.
    """

    value: float
    by_source: Floats
    by_target: Floats


def transported_accuracy(known: UsableRows, weights: Floats) -> TransportedAccuracy:
    """Take one minus the mean cost of carrying the target's probabilities to one-hot labels.

    The cost of a row is the largest difference of a coordinate. Probabilities add up to 1, so for label c that is
    1 - p_c: what the other classes have together is no less than what any of them has. So the least mean cost is one
    minus the greatest mean probability of a label, over all ways of giving labels out as often as classes occur.
    The plan that is best stays best when a share moves a little (envelope theorem), so that its prices are the
    derivatives.

    Parameters
    ----------
    weights : array of float, shape (n_source,)
        Of the labels; taken as shares of their total.
    """
    total = float(weights.sum())
    shares = np.bincount(known.source.truth, weights, minlength=len(known.classes)) / total
    found = share_out(known.target.probabilities, shares)
    return TransportedAccuracy(found.value, found.prices[known.source.truth] / total, found.row_values - found.value)


class Cot(OfAccuracy):
    """Transport predicted probabilities to labels with the source's class frequencies (Lu et al., 2023)."""

    name = "cot"
    title = "Optimal transport of probabilities (COT)"
    does = (
        "New rows are given out to classes as frequent as in the labelled data, each where the model finds it most "
        "probable; how probable that is, on average."
    )
    assumes = (
        "Classes are as frequent in the new data as in the labelled data, and the model is as sure of rows given out "
        "so as it is right."
    )

    def accuracy(self, known: UsableRows) -> Accuracy:
        """Transport to the classes of the source as they are."""
        n = len(known.source)
        found = transported_accuracy(known, np.full(n, 1 / n))
        return Accuracy(found.value, found.by_source / n, found.by_target / len(known.target))


class CotWeighted(OnReweighted):
    """Transport predicted probabilities to labels as frequent as classes are in the source weighted by slices."""

    name = "cot_weighted"
    title = "Optimal transport with classes by slices"
    does = "As optimal transport, but to classes as frequent as in the labelled rows that Mandoline weights."
    assumes = (
        "Slices explain how frequent classes became, and the model is as sure of rows given out to them as it is right."
    )

    def reason(self, problem: Problem) -> str | None:
        """Say why the method does not apply to a problem; None if it does."""
        return why_not_accuracy(problem) or super().reason(problem)

    def expect(self, problem: Problem, known: UsableRows, weights: Floats) -> Expectation:
        """Transport to the classes of the weighted rows."""
        found = transported_accuracy(known, weights)
        wrong = problem.metric.name == "error"
        sign, value = (-1.0, 1 - found.value) if wrong else (1.0, found.value)
        return Expectation(value, np.array([value]), sign * found.by_source, sign * found.by_target / len(known.target))
