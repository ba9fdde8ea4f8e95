"""Trimming: cap the weights of rows, and see what that gains in precision and costs in balance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mandoline_core.arrays import Bools, Floats, Interval
from mandoline_core.checks.weights import NOT_CONVERGED
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Influence, RowInfluence, get_estimator, influence_interval
from mandoline_core.metrics import get_metric
from mandoline_core.patterns import add_up
from mandoline_core.pipeline import Estimate, slice_balance

_STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # of every power of ten


@dataclass(frozen=True)
class Trimming:
    """Hold the estimate with capped weights.

    Parameters
    ----------
    cap : float
        How many times a row may count before all rows are scaled up again to average 1.
    change : float
        The estimate less the one without a cap.
    rows_capped : int
        Rows that would have counted more.
    weight_removed : float
        Share of all weight that lay above the cap, and was spread over all rows in proportion.
    largest_gap : float or None
        The largest standardised gap between target and weighted source that is left in the share of a modelled
        slice (target minus source, over the pooled standard deviation); None without slices.
    gap_slice : str or None
        The slice with that gap.
    """

    cap: float
    estimate: float
    interval: Interval
    change: float
    effective_sample_size: float
    rows_capped: int
    weight_removed: float
    largest_gap: float | None
    gap_slice: str | None


def trim(report: Estimate, cap: float, *, confidence: float = 0.95) -> Trimming:
    """Cap the ratios, scale them to average 1 again, and estimate.

    The interval allows for sampling error in the scores, in the weights below the cap, and in how they are scaled; at
    the cap a ratio is what it is. Without a cap it is the report's influence-function interval.

    Parameters
    ----------
    cap : float
        Above 0; infinity for no cap.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> codes = [[1]] * 10 + [[-1]] * 90
    >>> scores = [0.0, 1.0] * 5 + [1.0] * 90
    >>> report = estimate_from_codes(codes, scores, [[1], [-1]]).first
    >>> found = trim(report, 3)
    >>> round(report.estimate, 3), round(found.estimate, 3), found.rows_capped, round(found.weight_removed, 3)
    (0.75, 0.812, 10, 0.2)
    """
    problem = report.problem
    if problem.metric.ranked:
        raise MandolineError(
            f"Weights can be capped only for means over rows. Metric {problem.metric.name!r} depends on all rows "
            "together. Choose a metric such as accuracy or f1."
        )
    if not cap > 0:
        raise MandolineError(f"cap must be above 0. Got {cap!r}.")
    members = problem.members
    weights = weights_of(report)
    n, rows = _n_evaluated(report, weights), members.source_rows
    capped = weights * n > cap * rows
    ratios = np.where(capped, cap * rows, weights * n)
    left = float(ratios.sum()) / n
    kept = ratios / (n * left)
    means = kept @ members.statistics
    estimate = problem.metric.combine(means)
    slope = problem.metric.slope(means)
    excess = (members.statistics @ slope - float(means @ slope)) / left
    error = _standard_error(report, excess, capped, ratios / n)
    effective = members.design[0]._replace(clusters=None).effective(kept, rows)
    gap, gap_slice = _largest_gap(report, kept)
    return Trimming(
        cap=float(cap),
        estimate=estimate,
        interval=influence_interval(
            estimate, error, confidence=confidence, bounds=problem.metric.bounds, effective_rows=effective
        ),
        change=estimate - report.estimate,
        effective_sample_size=effective,
        rows_capped=round(members.counts()[0][capped].sum()),
        weight_removed=1 - left if capped.any() else 0.0,
        largest_gap=gap,
        gap_slice=gap_slice,
    )


def caps(report: Estimate) -> tuple[float, ...]:
    """List caps worth trying, for a slider: round numbers from 1 up to the largest ratio, then no cap.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> codes, scores = [[1]] * 10 + [[-1]] * 90, [1.0] * 100
    >>> caps(estimate_from_codes(codes, scores, [[1], [-1]]).first)
    (1.0, 1.5, 2.0, 3.0, inf)
    """
    powers = range(max(0, math.ceil(math.log10(max(report.largest_ratio, 1.0)))) + 1)
    grid = [step * 10.0**power for power in powers for step in _STEPS]
    return (*(cap for cap in grid if cap < report.largest_ratio * (1 - 1e-9)), math.inf)


def weights_can_change(report: Estimate) -> bool:
    """Tell whether an estimate is a mean of weighted rows, so that other weights say something about it.

    With a metric that ranks rows no method gives such a mean, so its own weights are as good as others.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> weights_can_change(estimate_from_codes([[1], [-1]] * 5, [1.0, 0.0] * 5, [[1], [-1]]).first)
    True
    """
    if get_estimator(report.estimator).weighted_mean or report.problem.metric.ranked:
        return True
    try:
        trim(report, math.inf)
    except MandolineError:
        return False
    return True


def weights_of(report: Estimate) -> Floats:
    """Return the scored rows' weights, shape (n_scored,), where the estimate is their weighted mean; else refuse.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1], [-1], [-1]], [0.0, 1.0, 1.0, 1.0], [[1], [-1]]).first
    >>> weights_of(report).round(3).tolist()
    [0.5, 0.167, 0.167, 0.167]
    """
    problem, outcome = report.problem, report.outcome
    if not outcome.converged:
        raise MandolineError(f"The weights could not be fitted, so they cannot be changed. {NOT_CONVERGED.remedy}")
    weights = outcome.weights(problem.members)
    if not np.allclose(weights @ problem.members.statistics, outcome.means, rtol=1e-9, atol=1e-12):
        raise MandolineError(
            "This estimate is not a weighted mean of labelled rows, so other weights say nothing about it. "
            'Use a method such as "mandoline".'
        )
    return weights


def mean_influence(report: Estimate, values: Floats) -> Influence | RowInfluence:
    """Find how every row of both samples moves the weighted mean of other numbers, the weights being fitted.

    Parameters
    ----------
    values : array of float, shape (n_scored,)
        A number for each scored row.
    """
    mean = replace(get_metric("mean"), bounds=None)
    # The weights are the report's own, so the fit starts where it ends.
    problem = replace(report.problem.with_statistics(values[:, None], mean), start=report.outcome.delta)
    influence = get_estimator(report.estimator).estimate(problem).influence
    if not isinstance(influence, (Influence, RowInfluence)):
        raise MandolineError(
            f"Estimator {report.estimator!r} has a bootstrap interval, which does not apply to changed weights. "
            'Use a method such as "mandoline".'
        )
    return influence


def _n_evaluated(report: Estimate, weights: Floats) -> float:
    """Count the rows evaluated; where the source is split, some only serve to fit."""
    members, n_groups = report.problem.members, len(report.problem.groups)
    groups = members.groups.astype(np.intp)
    used = add_up(groups, weights, n_groups) > 0
    return float(add_up(groups, members.source_rows, n_groups)[used].sum())


def _standard_error(report: Estimate, excess: Floats, capped: Bools, weights: Floats) -> float:
    """Linearise the capped estimate in every row of both samples.

    Below the cap, rows move it as they move the weighted mean of their excess over it, the weights being fitted;
    at the cap, each row adds its own excess and no weight changes.

    Parameters
    ----------
    excess : array of float, shape (n_scored,)
        A row's statistics less their means, in the metric's direction, over the weight that is left.
    capped : array of bool, shape (n_scored,)
    weights : array of float, shape (n_scored,)
        Of each cell with all its rows; capped, and not scaled up again.
    """
    below = np.where(capped, 0.0, excess)
    influence, members = mean_influence(report, below), report.problem.members
    pieces = influence.pieces(members._replace(statistics=below[:, None]))
    by_row = RowInfluence.of(pieces, report.problem.designed)
    direct = np.where(capped, weights * excess, 0.0)
    split = isinstance(influence, Influence) and len(influence.source) > 1
    # Where the source is split, each part was drawn on its own.
    part = members.groups.astype(np.intp) if split else np.zeros(len(direct), dtype=np.intp)
    rows = members.source_rows
    n_rows = np.maximum(add_up(part, rows, len(report.problem.groups)), 1)
    average = add_up(part, direct, len(report.problem.groups)) / n_rows
    # Of a cell, the rows share what it adds; as pieces of sampling error their squares add up.
    moved = (np.divide(direct, rows, out=np.zeros(len(rows)), where=rows > 0) - average[part]) * members.scales()[0]
    return replace(by_row, source=by_row.source + moved).standard_error()


def _largest_gap(report: Estimate, weights: Floats) -> tuple[float | None, str | None]:
    table = report.problem.patterns
    if not table.names:
        return None, None
    by_pattern = add_up(report.problem.members.source, weights, len(table))
    ratios = by_pattern / np.where(table.source > 0, table.source, 1.0) * table.n_source
    worst = max(slice_balance(replace(report, ratios=ratios)), key=lambda line: abs(line.after))
    return worst.after, worst.name
