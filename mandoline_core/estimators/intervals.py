"""Intervals: what sampling error in both samples, and fitting the weights, add to an estimate's uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtri, stdtrit  # scipy.stats takes half a second to import

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.patterns import Membership, Patterns


class SamplingError(Protocol):
    """Describe the sampling error of an estimate."""

    def standard_error(self) -> float:
        """Return the standard error."""
        ...

    def pieces(self, membership: Membership) -> tuple[Floats, ...]:
        """Return independent pieces of sampling error whose squares add up to the variance.

        Pieces of two estimates from the same rows line up, so that the squares of their differences add up to
        the variance of the difference.
        """
        ...


@dataclass(frozen=True, eq=False)
class SourcePart:
    """Hold the influence of one group of source rows: slope[pattern] . statistics + constant[pattern].

    Parameters
    ----------
    patterns : Patterns
        Counts, sums and products of the group's rows.
    slope : array of float, shape (n_patterns, n_statistics)
    constant : array of float, shape (n_patterns,)
    """

    patterns: Patterns
    slope: Floats
    constant: Floats

    def by_row(self, index: Index, statistics: Floats) -> Floats:
        """Return how far each of the group's rows moves the estimate."""
        moved = np.einsum("ij,ij->i", self.slope[index], statistics) + self.constant[index]
        # A table may leave rows out, such as those outside a slice: they move nothing.
        return np.where(self.patterns.source[index] > 0, moved, 0.0) / self.patterns.n_source

    def variance(self) -> float:
        """Add up the squared influence of the rows, over the square of their number."""
        table = self.patterns
        squares = table.squares(self.slope).sum()
        cross = 2 * np.einsum("p,pi,pi->", self.constant, self.slope, table.sums)
        total = squares + cross + table.source @ self.constant**2
        return max(float(total), 0.0) / table.n_source**2


@dataclass(frozen=True, eq=False)
class AuditPart:
    """Hold how far rows of a sample move the estimate through corrections that were measured on them.

    Parameters
    ----------
    rows : array of int, shape (n_audited,)
        Among the scored source rows, or the target rows.
    moves : array of float, shape (n_audited,)
        The change when the row counts one more time, through the corrections alone.
    otherwise : array of float, shape (n_audited,)
        The same through everything else: a row that is counted and audited adds both.
    unseen : array of float
        How far each correction may have moved the estimate beyond what its rows show.
    """

    rows: Index
    moves: Floats
    otherwise: Floats
    unseen: Floats

    def variance(self) -> float:
        """Return what the audit adds to the variance; negative where its errors make up for others."""
        return float(self.moves @ self.moves + 2 * self.moves @ self.otherwise + self.unseen @ self.unseen)


@dataclass(frozen=True, eq=False)
class Influence:
    """Hold how much each row of either sample moves the estimate (M-estimation).

    Parameters
    ----------
    source : tuple of SourcePart
        One for each group of source rows.
    target : array of float, shape (n_patterns,)
        The influence of a target row of each pattern.
    audit : AuditPart, optional
        Where corrections were measured on source rows.
    target_audit : AuditPart, optional
        Where the target's own were measured on target rows.
    designed : Membership, optional
        The cells, where rows were drawn together or count differently.
    """

    source: tuple[SourcePart, ...]
    target: Floats
    audit: AuditPart | None = None
    target_audit: AuditPart | None = None
    designed: Membership | None = None

    def standard_error(self) -> float:
        """Combine the rows."""
        if self.designed is not None:
            return root_of_squares(self.designed.together(self.pieces(self.designed)))
        target = float(self._target_counts @ self.target**2) / self._n_target**2
        audits = sum(part.variance() for part in (self.audit, self.target_audit) if part is not None)
        return math.sqrt(max(sum(part.variance() for part in self.source) + target + audits, 0.0))

    def pieces(self, membership: Membership) -> tuple[Floats, ...]:
        """Return how far each source row and each target row moves the estimate; then, what an audit does not show.

        Rows of a cell move it alike, and independently: their squares add up to that of one piece.
        """
        of_source, of_target = membership.scales()
        source = np.zeros(len(membership.source))
        for number, part in enumerate(self.source):
            # A method that does not split the source has one part for all rows.
            rows = membership.groups == number if len(self.source) > 1 else np.ones(len(source), dtype=bool)
            source[rows] = part.by_row(membership.source[rows], membership.statistics[rows])
        source *= of_source
        target = self.target[membership.target] / self._n_target * of_target
        unseen = []
        for audit, moved in ((self.audit, source), (self.target_audit, target)):
            if audit is not None:
                moved[audit.rows] += audit.moves
                unseen.append(audit.unseen)
        return source, target, *unseen

    @property
    def _target_counts(self) -> Floats:
        return self.source[0].patterns.target

    @property
    def _n_target(self) -> float:
        return max(float(self._target_counts.sum()), 1.0)  # a table of one slice may hold no target row


@dataclass(frozen=True, eq=False)
class RowInfluence:
    """Hold how far each row of either sample moves the estimate, for methods that do not work on patterns.

    Parameters
    ----------
    source : array of float, shape (n_scored,)
    target : array of float, shape (n_target,)
        Influence over the number of rows: the change when the row counts one more time.
    pooled : float
        How far the estimate may be off for another reason than these rows, such as evening them out. That pulls
        estimates of two models the same way, unlike sampling error, so it is not among the pieces.
    designed : Membership, optional
        The cells, where rows were drawn together or count differently.
    """

    source: Floats
    target: Floats
    pooled: float = field(default=0.0, kw_only=True)
    designed: Membership | None = field(default=None, kw_only=True)

    @classmethod
    def of(cls, pieces: Sequence[Floats], designed: Membership | None) -> RowInfluence:
        """Take pieces of sampling error by row, and the pooled rest."""
        source, target, *others = pieces
        return cls(source, target, pooled=root_of_squares(others), designed=designed)

    def standard_error(self) -> float:
        """Combine the rows, and what else may have moved the estimate."""
        rows = self.source, self.target
        return math.hypot(root_of_squares(rows if self.designed is None else self.designed.together(rows)), self.pooled)

    def pieces(self, membership: Membership) -> tuple[Floats, ...]:  # noqa: ARG002 - rows are what it holds
        """Return the rows' influence."""
        return self.source, self.target


@dataclass(frozen=True, eq=False)
class Redraws:
    """Hold estimates on redrawn rows, for methods with no influence function worth the name.

    Parameters
    ----------
    values : array of float, shape (n_redraws,)
        The same redraws for every model, so that two models' values line up; NaN where one failed. Only how they
        vary matters.
    plain : array of float, shape (n_redraws,)
        The unweighted source score on the same redraws.
    """

    values: Floats
    plain: Floats

    def standard_error(self) -> float:
        """Take the standard deviation over redraws."""
        return float(np.nanstd(self.values, ddof=1))

    def pieces(self, membership: Membership) -> tuple[Floats, ...]:  # noqa: ARG002 - redraws have no rows
        """Return the deviations, scaled so that their squares add up to the variance."""
        apart = self.values - np.nanmean(self.values)
        return (np.nan_to_num(apart) / math.sqrt(np.isfinite(self.values).sum() - 1),)


def root_of_squares(pieces: Sequence[Floats]) -> float:
    """Combine independent pieces of sampling error into a standard error.

    >>> root_of_squares([np.array([3.0, 0.0]), np.array([4.0])])
    5.0
    """
    return math.sqrt(sum(float(piece @ piece) for piece in pieces))


def influence_interval(
    estimate: float,
    standard_error: float,
    *,
    confidence: float,
    bounds: Interval | None,
    effective_rows: float,
    student: bool = False,
    degrees: float | None = None,
) -> Interval:
    """Compute an interval around an estimate, within the metric's bounds.

    On a bounded metric the interval is symmetric in log-odds. At a bound itself (all rows right, say) the
    influence is zero and says nothing; there the exact binomial interval for the effective number of rows is used.
    On a metric that is only bounded below, such as an error in the label's units, it is symmetric in logarithms.

    Parameters
    ----------
    student : bool
        Whether so few rows may be behind the standard error that it needs an allowance for being guessed: Student's
        quantile instead of the normal one.
    degrees : float, optional
        Degrees of freedom of a standard error by clusters: Student's quantile for them.

    Examples
    --------
    >>> low, high = influence_interval(0.9, 0.02, confidence=0.95, bounds=(0, 1), effective_rows=500)
    >>> round(low, 3), round(high, 3)
    (0.853, 0.933)
    >>> low, high = influence_interval(1.0, 0.0, confidence=0.95, bounds=(0, 1), effective_rows=100)
    >>> round(low, 3), high
    (0.964, 1.0)
    """
    z = _student(effective_rows, confidence) if student else normal_reach(confidence)
    if degrees is not None:
        z = float(stdtrit(max(degrees, 1.0), 0.5 + confidence / 2))
    if bounds is None:
        return estimate - z * standard_error, estimate + z * standard_error
    low, high = bounds
    if math.isinf(high):
        above = estimate - low
        if above <= 0 or standard_error == 0:
            return max(low, estimate - z * standard_error), max(low, estimate + z * standard_error)
        factor = math.exp(min(z * standard_error / above, 50.0))
        return low + above / factor, low + above * factor
    # Log-odds have no bounds, and their standard error is the share's over its slope, unit (1 - unit).
    unit = (estimate - low) / (high - low)
    spread = standard_error / (high - low)
    if not 1e-9 < unit < 1 - 1e-9 or spread == 0.0:
        inner = exact_interval(unit, max(effective_rows, 1.0), confidence)
    else:
        half = z * spread / (unit * (1 - unit))
        inner = (float(expit(logit(unit) - half)), float(expit(logit(unit) + half)))
    return low + (high - low) * inner[0], low + (high - low) * inner[1]


def normal_reach(confidence: float) -> float:
    """Return how many standard errors a two-sided interval reaches, by the normal distribution.

    >>> round(normal_reach(0.95), 3)
    1.96
    """
    return float(ndtri(0.5 + confidence / 2))


def _student(rows: float, confidence: float) -> float:
    """Return the half-width of an interval in standard errors, by Student's t distribution for a number of rows."""
    # A standard error computed from n rows without dividing by n - 1 is too small by the root.
    rows = max(rows, 2.0)
    return float(stdtrit(rows - 1, 0.5 + confidence / 2)) * math.sqrt(rows / (rows - 1))


def bootstrap_interval(values: Sequence[float] | Floats, *, confidence: float, estimate: float) -> Interval:
    """Take the percentiles of the refitted estimates, and the estimate itself where they leave it out.

    The k-th of n values in order has k / (n + 1) of the distribution below it, on average; percentiles that
    count from 0 to n - 1 would cut off more than the tails asked for, 1% too much with 200 values.

    Examples
    --------
    >>> bootstrap_interval(np.arange(1.0, 100), confidence=0.5, estimate=120.0)
    (25.0, 120.0)
    """
    tails = [0.5 - confidence / 2, 0.5 + confidence / 2]
    low, high = np.quantile(np.asarray(values, float), tails, method="weibull")
    return min(float(low), estimate), max(float(high), estimate)


def exact_interval(share: float, n: float, confidence: float) -> Interval:
    """Compute the Clopper-Pearson interval for a share of n rows; n need not be whole.

    >>> low, high = exact_interval(0.9, 10, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.555, 0.997)
    """
    share = min(max(share, 0.0), 1.0)
    tail = (1 - confidence) / 2
    inside, outside = share * n, (1 - share) * n
    low = 0.0 if inside <= 0 else float(betaincinv(inside, outside + 1, tail))
    high = 1.0 if outside <= 0 else float(betaincinv(inside + 1, outside, 1 - tail))
    return low, high
