"""Attribution: the effect of each slice, its part of the difference between estimate and source score."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import numpy as np

from mandoline_core.arrays import Index, Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import (
    ESTIMATORS,
    EffectPath,
    Estimator,
    Influence,
    Outcome,
    SourcePart,
    get_estimator,
    normal_reach,
)
from mandoline_core.pipeline.ablation import steps
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings
from mandoline_core.results import Tabular, ends
from mandoline_core.weighting import NOT_FITTED, Problem

NOISE_CORRECTION = "noise correction"
ROWS_LEFT_OUT = "rows left out"
_NOTHING = 1e-12


@dataclass(frozen=True)
class AttributionPart:
    """Hold the effect of one rule.

    Parameters
    ----------
    rule : str
        A slice rule, its slices together; an edge as "a and b"; "noise correction" or "rows left out".
    value : float
        How far it moves the metric.
    interval : pair of floats, or None
        None for several rules together.
    """

    rule: str
    value: float
    interval: Interval | None


@dataclass(frozen=True, repr=False)
class Attribution(Tabular):
    """Hold the difference between estimate and source score, and the effect of each slice.

    Parameters
    ----------
    parts : tuple of AttributionPart
        In the project's order; their values sum to the total.
    """

    total: float
    total_interval: Interval
    parts: tuple[AttributionPart, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the attribution as plain data."""
        return asdict(self)

    def records(self) -> list[dict[str, Any]]:
        """List the effects, and their sum."""
        parts = [{"slice": part.rule, "effect": part.value, **ends(part.interval)} for part in self.parts]
        return [*parts, {"slice": "total", "effect": self.total, **ends(self.total_interval)}]


def attribute(fit: Fit, settings: EstimatorSettings) -> Attribution:
    """Divide the difference between estimate and source score among the slices, whatever their order.

    The effect of a slice is what it adds to the estimate, averaged over which other slices are in use before it. The
    exact average (the Shapley value) takes an estimate for every set of slices. This lets all slices in together
    instead, little by little (`estimators/effects.py`), which costs a few estimates and comes close. Effects do not
    depend on the order of the slices or on which side of a slice is called inside, and sum to the difference exactly.

    Intervals come from influence functions; those of single slices take corrections as known.

    Two more parts belong to no slice. "noise correction" is what the regression of the denoised method adds. "rows
    left out" comes from source rows that were used for fitting only.

    Parameters
    ----------
    settings : EstimatorSettings
        Its method must be "mandoline" or "denoised".

    Examples
    --------
    >>> import numpy as np
    >>> from mandoline_core.report import estimate_from_codes
    >>> source, target = np.array([[1], [1], [-1], [-1]] * 50), np.array([[1], [1], [1], [-1]] * 50)
    >>> scores = np.array([1.0, 1.0, 0.0, 1.0] * 50)
    >>> report = estimate_from_codes(source, scores, target)
    >>> found = attribute(report.first.fit, EstimatorSettings())
    >>> round(found.total, 6), [(part.rule, round(part.value, 6)) for part in found.parts]
    (0.125, [('0', 0.125)])
    """
    problem, method = fit.problem, get_estimator(settings.name)
    _check(problem, method)
    outcome = method.estimate(problem)
    if not outcome.converged:
        raise MandolineError(f"{NOT_FITTED} There are no effects. Use fewer slices.")
    labels, owners = _part_names(fit, problem)
    path = EffectPath(problem)
    source = problem.metric.combine(problem.patterns.sums.sum(axis=0) / problem.patterns.n_source)
    left_out, noise, total = path.start - source, outcome.value - path.end, outcome.value - source
    # The parts that are no slice's are left out where they are not at work.
    others = {ROWS_LEFT_OUT: abs(left_out) > _NOTHING, NOISE_CORRECTION: method.denoises}
    values = np.array([*np.bincount(owners, weights=path.effects), left_out, noise, total])
    reach = normal_reach(settings.confidence) * np.array(_standard_errors(problem, outcome, path, owners))
    *intervals, total_interval = zip((values - reach).tolist(), (values + reach).tolist(), strict=True)
    parts = tuple(
        AttributionPart(label, value, interval)
        for label, value, interval in zip((*labels, *others), values[:-1].tolist(), intervals, strict=True)
        if others.get(label, True)
    )
    return Attribution(total, total_interval, parts)


def _check(problem: Problem, method: Estimator) -> None:
    if not method.tilts_slices:
        able = [name for name, other in ESTIMATORS.items() if other.tilts_slices]
        raise MandolineError(
            f"Attribution is not available for method {method.name!r}. Choose {' or '.join(map(repr, able))}."
        )
    why = method.why_not(problem)
    if why is not None:
        raise MandolineError(f"Method {method.name!r} does not apply. {why}")
    if problem.metric.ranked:
        raise MandolineError(
            f"Attribution needs a metric made of means over rows, unlike {problem.metric.name!r}. Choose another."
        )


def _part_names(fit: Fit, problem: Problem) -> tuple[list[str], Index]:
    """Name the parts, rules with all their slices, then edges; also say which part each potential belongs to."""
    groups, slices = steps(fit), problem.patterns.names
    position = {i: number for number, members in enumerate(groups.values()) for i in members}
    edges = [f"{slices[i]} and {slices[j]}" for i, j in problem.edges]
    owners = [*(position[i] for i in range(len(slices))), *(len(groups) + e for e in range(len(edges)))]
    return [*groups, *edges], np.array(owners, dtype=np.intp)


def _standard_errors(problem: Problem, outcome: Outcome, path: EffectPath, owners: Index) -> list[float]:
    """Compute the standard errors of the slices' effects, of what is left out, of the regression, and of the total."""
    groups, n_folds = problem.groups, len(problem.folds)
    everything = _plain(problem, [group.n_source / problem.patterns.n_source for group in groups])
    evaluated = _plain(problem, [sum(e == i for _, e in problem.folds) / n_folds for i in range(len(groups))])
    parts = [*path.influences(owners), _sum((1, evaluated), (-1, everything))]
    whole = cast("Influence", outcome.influence)  # as of any method on slices' weights
    total = _sum((1, whole), (-1, everything))
    regression = _sum((1, total), *((-1, part) for part in parts))
    if whole.audit is not None:  # audited rows are among those that the source score averages
        known = everything.pieces(problem.members)[0][whole.audit.rows]
        audit = replace(whole.audit, otherwise=whole.audit.otherwise - known)
        total = replace(total, audit=audit, target_audit=whole.target_audit)
    return [one.standard_error() for one in (*parts, regression, total)]


def _plain(problem: Problem, shares: list[float]) -> Influence:
    """Linearise the metric on unweighted groups of source rows, each with its share."""
    means = [group.sums.sum(axis=0) / group.n_source for group in problem.groups]
    gradient = problem.metric.slope(np.average(means, axis=0, weights=shares))
    n = len(problem.patterns)
    parts = (
        SourcePart(group, np.tile(share * gradient, (n, 1)), np.full(n, -share * float(gradient @ mean)))
        for group, share, mean in zip(problem.groups, shares, means, strict=True)
    )
    return Influence(tuple(parts), np.zeros(n), designed=problem.designed)


def _sum(*terms: tuple[float, Influence]) -> Influence:
    """Add influences up, each times a number."""
    first, factors = terms[0][1], [factor for factor, _ in terms]
    parts = []
    for i, part in enumerate(first.source):
        slope = np.tensordot(factors, [one.source[i].slope for _, one in terms], axes=1)
        constant = np.tensordot(factors, [one.source[i].constant for _, one in terms], axes=1)
        parts.append(replace(part, slope=slope, constant=constant))
    target = np.tensordot(factors, [one.target for _, one in terms], axes=1)
    return Influence(tuple(parts), target, designed=first.designed)
