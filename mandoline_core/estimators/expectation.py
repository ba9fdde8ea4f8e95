"""The base of estimators that compute what to expect of new rows, with Mandoline's weights if they need slices."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from mandoline_core.arrays import Bools, Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.base import Estimator, Outcome, complete_outcome
from mandoline_core.estimators.intervals import RowInfluence
from mandoline_core.estimators.mandoline import Mandoline
from mandoline_core.findings import Finding
from mandoline_core.weighting import Problem


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """Hold which rows of one sample a method looks at.

    Parameters
    ----------
    rows : array of bool, shape (n_all,)
        Of the sample's scored rows, or target rows.
    counted : array of float, shape (n_rows,), optional
        How much each of them counts, by design weight; 1 when left out.
    """

    rows: Bools
    counted: Floats | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        """Count the rows."""
        return int(self.rows.sum())

    @property
    def counts(self) -> Floats:
        """How much each row counts, shape (n_rows,)."""
        return np.ones(len(self)) if self.counted is None else self.counted

    @property
    def shares(self) -> Floats:
        """The same, as shares of the total."""
        return self.counts / self.counts.sum()

    def mean(self, values: Floats) -> float:
        """Average the rows' values."""
        return float(self.counts @ values / self.counts.sum())

    def spread_out(self, values: Floats) -> Floats:
        """Put the rows' values back among all rows, 0 elsewhere."""
        out = np.zeros(len(self.rows))
        out[self.rows] = values
        return out


R = TypeVar("R", bound=ChosenRows)


class UsableRows(NamedTuple, Generic[R]):
    """Hold what is known of both samples' usable rows, and what to say about the others."""

    source: R
    target: R
    classes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


class Expectation(NamedTuple):
    """Hold the expected metric on the target, and its derivatives.

    Parameters
    ----------
    means : array of float, shape (n_statistics,)
    by_target : array of float, shape (n_target,)
        How far each target row moves the value, the weights staying as they are; a row that counts for more does more.
    by_weight : array of float, shape (n_source,), optional
        Derivative by each source row's weight; weighted, 0.
    by_source : array of float, shape (n_source,), optional
        How far each source row moves the value otherwise than by its weight.
    pooled : float
        How far the value may be off because scores were pooled.
    """

    value: float
    means: Floats
    by_target: Floats
    by_weight: Floats | None = None
    by_source: Floats | None = None
    pooled: float = 0.0
    findings: tuple[Finding, ...] = ()

    def turned_round(self) -> Expectation:
        """Return the same for one minus the share."""
        by_weight, by_source = (None if moved is None else -moved for moved in (self.by_weight, self.by_source))
        return self._replace(
            value=1 - self.value,
            means=1 - self.means,
            by_target=-self.by_target,
            by_weight=by_weight,
            by_source=by_source,
        )


class OnExpectation(Estimator, Generic[R]):
    """Run a method that says what to expect of new rows; a subclass says of which in `usable`, and how in `expect`.

    One that needs slices gets source rows that Mandoline weights; for the others they all count the same.
    """

    later = True
    weights_rows = False

    @abstractmethod
    def usable(self, problem: Problem, kept: Bools | None = None) -> UsableRows[R]:
        """Take the rows that the method can use; of the target, only those of patterns that are kept."""

    @abstractmethod
    def expect(self, problem: Problem, rows: UsableRows[R], weights: Floats) -> Expectation:
        """Compute the metric to expect from the usable rows, those of the source weighted, shape (n_source,)."""

    def estimate(self, problem: Problem) -> Outcome:
        """Estimate the metric on the target, with its sampling error."""
        self.check(problem)
        if self.uses_slices:
            return self._estimate_weighted(problem)
        rows = self.usable(problem)
        shares = rows.source.shares
        expected = self._expect(problem, rows, shares)
        by_source = np.zeros(len(shares)) if expected.by_source is None else expected.by_source
        if expected.by_weight is not None:
            by_source = by_source + expected.by_weight * shares  # a row that counts once more weighs so much more
        influence = RowInfluence(
            rows.source.spread_out(by_source),
            rows.target.spread_out(expected.by_target),
            pooled=expected.pooled,
            designed=problem.designed,
        )
        findings = (*rows.findings, *expected.findings)
        return complete_outcome(problem, expected.value, expected.means, influence, findings=findings)

    def _estimate_weighted(self, problem: Problem) -> Outcome:
        """Estimate the metric with Mandoline's weights, with influence through them."""
        # A target row has a prediction of its own: it counts or not, and no pattern is kept in part.
        problem = replace(problem, whole_patterns=True)
        first = Mandoline().weigh(problem)
        rows = self.usable(problem, first.kept > 0)
        weights = first.weights(problem.members)[rows.source.rows]
        if not weights.any():
            raise MandolineError(
                "No labelled row that this method can use has a positive weight. Use method mandoline."
            )
        expected = self._expect(problem, rows, weights)
        by_weight = np.zeros(len(weights)) if expected.by_weight is None else expected.by_weight
        # The value moves with the weights like the weighted mean of its derivatives by them.
        second = Mandoline().weigh(problem, rows.source.spread_out(by_weight), first.delta)
        through = RowInfluence.of(second.influence.pieces(problem.members), problem.designed)
        source, target, pooled = through.source, through.target, math.hypot(through.pooled, expected.pooled)
        if expected.by_source is not None:
            source = source + rows.source.spread_out(expected.by_source)
        return replace(
            second,
            value=expected.value,
            means=expected.means,
            influence=replace(
                through, source=source, target=target + rows.target.spread_out(expected.by_target), pooled=pooled
            ),
            findings=(*second.findings, *rows.findings, *expected.findings),
        )

    def _expect(self, problem: Problem, rows: UsableRows[R], weights: Floats) -> Expectation:
        return self.expect(problem, rows, weights)
