"""Intervals: what both samples' luck, and fitting the weights, add to an estimate's uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from scipy.stats import beta, norm

from mandoline_core.patterns import Floats, Patterns

Interval = tuple[float, float]


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

    def variance(self) -> float:
        """Add up the squared influence of the rows, over the square of their number."""
        table = self.patterns
        squares = np.einsum("pi,pij,pj->", self.slope, table.products, self.slope)
        cross = 2 * np.einsum("p,pi,pi->", self.constant, self.slope, table.sums)
        total = squares + cross + table.source @ self.constant**2
        return max(float(total), 0.0) / table.n_source**2


@dataclass(frozen=True, eq=False)
class TargetPart:
    """Hold the influence of target rows: one value a pattern.

    Parameters
    ----------
    counts, values : array of float, shape (n_patterns,)
    """

    counts: Floats
    values: Floats

    def variance(self) -> float:
        """Add up the squared influence of the rows, over the square of their number."""
        return float(self.counts @ self.values**2) / float(self.counts.sum()) ** 2


@dataclass(frozen=True, eq=False)
class Influence:
    """Hold how much each row of either sample moves the estimate (M-estimation)."""

    source: tuple[SourcePart, ...]
    target: TargetPart | None = None

    def standard_error(self) -> float:
        """Combine the independent parts."""
        target = self.target.variance() if self.target is not None else 0.0
        return math.sqrt(sum(part.variance() for part in self.source) + target)


def influence_interval(
    estimate: float, standard_error: float, *, confidence: float, bounds: Interval | None, effective_rows: float
) -> Interval:
    """Put an interval around an estimate; inside the bounds of a bounded metric.

    On a bounded metric the interval is symmetric in log-odds. At a bound itself (all rows right, say) the
    influence is zero and says nothing; there the exact binomial interval for the effective number of rows is used.

    Examples
    --------
    >>> low, high = influence_interval(0.9, 0.02, confidence=0.95, bounds=(0, 1), effective_rows=500)
    >>> round(low, 3), round(high, 3)
    (0.853, 0.933)
    >>> low, high = influence_interval(1.0, 0.0, confidence=0.95, bounds=(0, 1), effective_rows=100)
    >>> round(low, 3), high
    (0.964, 1.0)
    """
    z = float(norm.ppf(0.5 + confidence / 2))
    if bounds is None:
        return estimate - z * standard_error, estimate + z * standard_error
    low, high = bounds
    unit = (estimate - low) / (high - low)
    spread = standard_error / (high - low)
    if not 1e-9 < unit < 1 - 1e-9 or spread == 0.0:
        inner = _exact_interval(unit, max(effective_rows, 1.0), confidence)
    else:
        half = z * spread / (unit * (1 - unit))
        inner = (float(expit(logit(unit) - half)), float(expit(logit(unit) + half)))
    return low + (high - low) * inner[0], low + (high - low) * inner[1]


def bootstrap_interval(values: Sequence[float] | Floats, *, confidence: float) -> Interval:
    """Take the percentiles of the refitted estimates.

    The k-th of n values in order has k / (n + 1) of the distribution below it, on average; percentiles that
    count from 0 to n - 1 would cut off more than the tails asked for, 1% too much with 200 values.
    """
    tails = [0.5 - confidence / 2, 0.5 + confidence / 2]
    low, high = np.quantile(np.asarray(values, float), tails, method="weibull")
    return float(low), float(high)


def _exact_interval(share: float, n: float, confidence: float) -> Interval:
    """Compute the Clopper-Pearson interval for a share of n rows; n need not be whole."""
    share = min(max(share, 0.0), 1.0)
    tail = (1 - confidence) / 2
    inside, outside = share * n, (1 - share) * n
    low = 0.0 if inside <= 0 else float(beta.ppf(tail, inside, outside + 1))
    high = 1.0 if outside <= 0 else float(beta.ppf(1 - tail, inside + 1, outside))
    return low, high
