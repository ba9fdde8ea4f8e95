"""Tails: whether the largest weights are small enough for a weighted mean to be stable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mandoline_core.arrays import Floats
from mandoline_core.formatting import counted, show_times
from mandoline_core.patterns import add_up
from mandoline_core.pipeline import Estimate

# The fit's standard error is about (1 + k) / sqrt(values); with fewer distinct values than this it exceeds 0.3, and
# k could not be told from any of the limits below.
FEWEST_VALUES = 20
# A tail's index means: below 1/2 finite variance; up to 0.7 still usable in practice; below 1 finite mean.
FINITE_VARIANCE, USABLE, FINITE_MEAN = 0.5, 0.7, 1.0
# A tail is one wherever it is cut off. Patterns' ratios come in steps, and a cut between two steps looks like a tail:
# with ten alike slices the index goes from 0 to 2 and back as rows are added.
_OTHER_CUTS = (0.5, 2**-0.5, 2**0.5, 2.0)  # times the length of the tail
_PRIOR_ROWS = 10  # Vehtari et al. add this many rows' worth of k = 0.5, which steadies short tails
# What an index below each limit means.
_MEANINGS = {
    FINITE_VARIANCE: "The weights have no heavy tail",
    USABLE: "The weights have a heavy tail, but the estimate is usable",
    FINITE_MEAN: "A few rows decide the result, and the interval is probably too short",
    math.inf: "A few rows decide the result; it is unstable",
}


@dataclass(frozen=True)
class Tail:
    """Hold how heavy the tail of the weights is.

    Parameters
    ----------
    k : float or None
        The Pareto index: the larger, the heavier.
    reason : str or None
        Why there is no index.
    words : str
        What it means, in a sentence or two.
    """

    k: float | None
    reason: str | None
    words: str


def pareto_k(ratios: Floats, counts: Floats) -> float | None:
    """Fit a generalised Pareto distribution to the largest ratios, and return its index (k-hat).

    As in Pareto-smoothed importance sampling (Vehtari et al.): of n rows, the tail is the ceil(min(0.2 n, 3 sqrt(n)))
    heaviest; what they exceed the next one by is fitted by the method of Zhang and Stephens (2009), and the index is
    drawn a little towards 0.5.

    Rows of a slice pattern share one ratio. Rows tied with the largest row outside the tail exceed it by nothing
    and do not belong to the tail; ties beyond it count as often as they occur. Where the tail holds fewer than 20
    distinct values there is no index: a few steps have no shape to fit, and ratios that take a few values only are
    bounded, with finite variance whatever a fit would say.

    Parameters
    ----------
    ratios : array of float, shape (n_values,)
        How many times a row counts; repeated values are allowed.
    counts : array of float, shape (n_values,)
        Rows with each ratio.

    Returns
    -------
    float or None
        None where the tail has too few distinct values.

    Examples
    --------
    >>> share = (np.arange(20_000) + 0.5) / 20_000
    >>> round(pareto_k(share**-0.8, np.ones(20_000)), 1)
    0.8
    >>> pareto_k(np.array([0.5, 2.0]), np.array([600.0, 300.0])) is None
    True
    """
    values, rows = _exceedances(*_distinct(ratios, counts))
    return _fit(values, rows) if len(values) >= FEWEST_VALUES else None


def tail_of(report: Estimate) -> Tail:
    """Say how heavy the tail of a report's ratios is.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> tail = tail_of(estimate_from_codes([[1], [-1]] * 50, [0.0, 1.0] * 50, [[1], [1], [-1]]).first)
    >>> tail.k is None, tail.reason
    (True, 'The largest weights have 0 distinct values; Pareto k needs at least 20.')
    """
    ratios, counts = _ratios(report)
    distinct = _distinct(ratios, counts)
    values, rows = _exceedances(*distinct)
    if len(values) < FEWEST_VALUES:
        distinct_values = counted(len(values), "distinct value")
        reason = f"The largest weights have {distinct_values}; Pareto k needs at least {FEWEST_VALUES}."
    else:
        lowest = k = _fit(values, rows)
        if k >= USABLE and report.outcome.scored_weights is None:  # weights of single rows do not come in steps
            tails = (_exceedances(*distinct, times) for times in _OTHER_CUTS)
            lowest = min([k, *(_fit(*tail) for tail in tails if len(tail[0]) >= FEWEST_VALUES)])
        if not k >= USABLE > lowest:
            means = next(meaning for limit, meaning in _MEANINGS.items() if k < limit)
            return Tail(k, None, f"{means} (Pareto k = {k:.2f}).")
        reason = f"The weights come in steps: with another cutoff, Pareto k is {lowest:.2f} instead of {k:.2f}."
    bounded = f"The weights are bounded: no row weighs more than {show_times(float(ratios.max()))}."
    return Tail(None, reason, f"{reason} {bounded} Look at the effective rows instead.")


def _ratios(report: Estimate) -> tuple[Floats, Floats]:
    """List the ratios of the rows that are evaluated, with their numbers."""
    problem, outcome = report.problem, report.outcome
    if outcome.scored_weights is not None:
        counts = problem.members.source_rows
        some = counts > 0
        weights, counts = outcome.scored_weights[some] / counts[some], counts[some]
    else:
        rows = np.array([group.source for group in problem.groups])
        used = np.where(rows > 0, outcome.row_weights, 0.0).any(axis=1)  # the others only serve to fit
        weights, counts = outcome.row_weights[used].ravel(), rows[used].ravel()
        weights, counts = weights[counts > 0], counts[counts > 0]
    return weights * counts.sum(), counts


def _distinct(ratios: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """List the distinct ratios over the largest, ascending, and the rows of each."""
    present = counts > 0
    scaled = ratios[present] / max(float(ratios[present].max(initial=0.0)), 1e-300)
    # Patterns with one ratio may differ in the last digit; the fit does not depend on the scale.
    values, index = np.unique(scaled.round(12), return_inverse=True)
    return values, add_up(index, counts[present], len(values))


def _exceedances(values: Floats, rows: Floats, times: float = 1.0) -> tuple[Floats, Floats]:
    """Find by how much the tail's rows exceed the next one: distinct values, ascending, and rows.

    Parameters
    ----------
    values, rows : array of float, shape (n_distinct,)
        Of `_distinct`.
    times : float
        By how much the tail is longer than usual.
    """
    n = float(rows.sum())
    length = math.ceil(times * min(0.2 * n, 3 * math.sqrt(n)))
    from_top = np.cumsum(rows[::-1])
    if not len(values) or from_top[-1] <= length:
        return np.zeros(0), np.zeros(0)
    first_outside = len(values) - 1 - int(np.searchsorted(from_top, length, side="right"))
    return values[first_outside + 1 :] - values[first_outside], rows[first_outside + 1 :]


def _fit(values: Floats, rows: Floats) -> float:
    """Estimate the index from exceedances, ascending, by the quasi-Bayesian method of Zhang and Stephens (2009).

    With the density's parameters written as (b, k), k = mean of log(1 - b x) maximises the likelihood for given b;
    b itself is averaged over a grid, weighted by its profile likelihood.
    """
    n = float(rows.sum())
    x, share = values / values[-1], rows / n
    quartile = x[int(np.searchsorted(np.cumsum(rows), math.floor(n / 4 + 0.5)))]
    n_grid = 30 + math.isqrt(round(n))
    grid = 1 + (1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))) / (3 * quartile)
    grid = np.where(grid == 0.0, 1e-12, grid)  # the exponential distribution is the limit there
    k = np.log1p(-np.outer(grid, x)) @ share
    profile = n * (np.log(-grid / k) - k - 1)
    weight = np.exp(profile - profile.max())
    b = float(grid @ weight / weight.sum())
    index = float(np.log1p(-b * x) @ share)
    return (n * index + _PRIOR_ROWS * 0.5) / (n + _PRIOR_ROWS)
