"""The slice-ablation curve: the estimate as slices are added one by one, and without each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mandoline_core.arrays import Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline.diagnostics import diagnose, interval_of
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import Problem


@dataclass(frozen=True)
class AblationPoint:
    """Hold the estimate with some of the slices.

    Parameters
    ----------
    slice : str or None
        The slice added last, or the one left out; None for the source score, before any slice.
    estimate, interval, effective_sample_size
        None where it could not be computed.
    reason : str or None
        Why it could not be.
    """

    slice: str | None
    estimate: float | None
    interval: Interval | None
    effective_sample_size: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Ablation:
    """Hold both curves."""

    cumulative: tuple[AblationPoint, ...]
    leave_one_out: tuple[AblationPoint, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return both curves as plain data."""
        return asdict(self)


def ablation(
    fit: Fit,
    settings: EstimatorSettings,
    *,
    order: Sequence[str] | None = None,
    leave_one_out: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Ablation:
    """Estimate with the first slice, the first two and so on, and with each left out.

    A family comes and goes as one: its members overlap so much that without one of them nothing changes.
    Edges between the slices in use stay in; intervals are influence-function intervals.

    Parameters
    ----------
    order : sequence of str, optional
        Order in which slices are added, by the names of their rules; the project's when left out.
    leave_one_out : bool
        Whether to leave slices out, too: half of the work.
    progress : callable, optional
        Called with the share done.
    """
    problem = fit.problem
    groups = steps(fit)
    sequence = list(groups) if order is None else list(order)
    n_points = 2 * len(sequence) + 1
    cumulative = [_point(None, problem, [], settings)]
    for n in range(1, len(sequence) + 1):
        chosen = [i for name in sequence[:n] for i in groups[name]]
        cumulative.append(_point(sequence[n - 1], problem, chosen, settings))
        _tell(progress, (n + 1) / n_points)
    without = []
    for number, left_out in enumerate(sequence if leave_one_out else ()):
        chosen = [i for name in sequence if name != left_out for i in groups[name]]
        without.append(_point(left_out, problem, chosen, settings))
        _tell(progress, (len(sequence) + number + 2) / n_points)
    return Ablation(tuple(cumulative), tuple(without))


def estimate_with(fit: Fit, settings: EstimatorSettings, rules: Sequence[str]) -> AblationPoint:
    """Estimate with some of the rules only; the point bears no name."""
    groups = steps(fit)
    return _point(None, fit.problem, sorted(i for rule in rules for i in groups[rule]), settings)


def estimate_without(fit: Fit, settings: EstimatorSettings, rule: str) -> float | None:
    """Estimate without one rule: the number alone, as fast as possible; None where there is none."""
    problem = fit.problem
    chosen = sorted(i for name, members in steps(fit).items() if name != rule for i in members)
    method = get_estimator(settings.name)
    if not chosen or not method.on_patterns or problem.metric.ranked:
        return _point(rule, problem, chosen, settings).estimate
    try:
        means = method.means(replace(problem, membership=None, audit=None).select(chosen))
    except MandolineError:
        return None
    low, high = problem.metric.bounds or (-math.inf, math.inf)
    return min(max(problem.metric.combine(means), low), high)


def steps(fit: Fit) -> dict[str, list[int]]:
    """List the steps of the curve in the project's order: the slices of each rule, by number."""
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(fit.problem.patterns.names):
        groups.setdefault(fit.cells.origins.get(name, name), []).append(i)
    return groups


def _point(name: str | None, problem: Problem, slices: list[int], settings: EstimatorSettings) -> AblationPoint:
    """Estimate with some slices; with none it is the source score."""
    estimator = settings.name if slices else "source"
    method = get_estimator(estimator)
    if method.on_patterns and not problem.metric.ranked and problem.audit is None:
        problem = replace(problem, membership=None)  # patterns are enough, and rows are many
    problem = problem.select(sorted(slices)) if slices else problem
    try:
        outcome = method.estimate(problem)
    except MandolineError as error:
        return AblationPoint(name, None, None, None, error.sentence)
    if not outcome.converged:
        return AblationPoint(name, None, None, None, "The weights could not be fitted.")
    effective = diagnose(problem, outcome).effective_sample_size
    return AblationPoint(name, outcome.value, interval_of(problem, outcome, settings.confidence), effective)


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)
