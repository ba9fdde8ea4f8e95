"""Ablation: the estimate as slices are added one by one, and with each left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mandoline_core.arrays import Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Estimator, PointEstimate, get_estimator
from mandoline_core.pipeline.diagnostics import diagnose, interval_of
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings
from mandoline_core.results import Tabular, ends
from mandoline_core.weighting import NOT_FITTED, Problem


@dataclass(frozen=True)
class AblationPoint:
    """Hold the estimate with some of the slices.

    Parameters
    ----------
    slice : str or None
        The slice added last, or the one left out; None for the labelled score, before any slice.
    estimate, interval, effective_sample_size
        None if it could not be computed.
    reason : str or None
        Why there is no estimate.
    """

    slice: str | None
    estimate: float | None
    interval: Interval | None
    effective_sample_size: float | None
    reason: str | None = None


@dataclass(frozen=True, repr=False)
class Ablation(Tabular):
    """Hold the cumulative and leave-one-out estimates."""

    cumulative: tuple[AblationPoint, ...]
    leave_one_out: tuple[AblationPoint, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return both curves as plain data."""
        return asdict(self)

    def records(self) -> list[dict[str, Any]]:
        """List the points of both curves."""
        return [
            {"curve": curve, "slice": point.slice, "estimate": point.estimate, **ends(point.interval)}
            | {"effective_rows": point.effective_sample_size}
            for curve, points in (("cumulative", self.cumulative), ("leave one out", self.leave_one_out))
            for point in points
        ]


def ablation(
    fit: Fit,
    settings: EstimatorSettings,
    *,
    order: Sequence[str] | None = None,
    leave_one_out: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Ablation:
    """Run an ablation: add slices one by one, and leave each one out.

    A family is added or left out as a whole, because its members overlap. Edges between the slices in use stay;
    intervals come from the influence function.

    Parameters
    ----------
    order : sequence of str, optional
        Order in which slices are added, by rule name. Default: the project's order.
    leave_one_out : bool
        Whether to run the leave-one-out part as well.
    progress : callable, optional
        Called with the share done, from 0 to 1.
    """
    problem = fit.problem
    groups = steps(fit)
    sequence = list(groups) if order is None else list(order)
    n_points = 2 * len(sequence) + 1
    cumulative = [_point(None, problem, [], settings)]
    for n in range(1, len(sequence) + 1):
        chosen = [i for name in sequence[:n] for i in groups[name]]
        cumulative.append(_point(sequence[n - 1], problem, chosen, settings, fit.choice_error))
        _tell(progress, (n + 1) / n_points)
    without = []
    for number, left_out in enumerate(sequence if leave_one_out else ()):
        chosen = [i for name in sequence if name != left_out for i in groups[name]]
        without.append(_point(left_out, problem, chosen, settings, fit.choice_error))
        _tell(progress, (len(sequence) + number + 2) / n_points)
    return Ablation(tuple(cumulative), tuple(without))


def estimate_with(fit: Fit, settings: EstimatorSettings, rules: Sequence[str]) -> PointEstimate | None:
    """Estimate with some of the rules only, and without an interval; None where that cannot be done."""
    groups = steps(fit)
    slices = [i for rule in rules for i in groups[rule]]
    method, problem = _reduced(fit.problem, slices, settings)
    try:
        point = method.point(problem)
    except MandolineError:
        return None
    return point if point.converged else None


def steps(fit: Fit) -> dict[str, list[int]]:
    """List the steps of the curve in the project's order: the slices of each rule, by number."""
    groups: dict[str, list[int]] = {}
    for i, name in enumerate(fit.problem.patterns.names):
        groups.setdefault(fit.cells.origins.get(name, name), []).append(i)
    return groups


def _point(
    name: str | None, problem: Problem, slices: list[int], settings: EstimatorSettings, choice_error: float = 0.0
) -> AblationPoint:
    """Estimate with some slices; with none it is the source score, for which nothing was chosen."""
    method, problem = _reduced(problem, slices, settings)
    try:
        outcome = method.estimate(problem)
    except MandolineError as error:
        return AblationPoint(name, None, None, None, str(error))
    if not outcome.converged:
        return AblationPoint(name, None, None, None, NOT_FITTED)
    effective = diagnose(problem, outcome).effective_sample_size
    added = choice_error if method.uses_slices else 0.0
    interval = interval_of(problem, outcome, settings.confidence, choice_error=added)
    return AblationPoint(name, outcome.value, interval, effective)


def _reduced(problem: Problem, slices: list[int], settings: EstimatorSettings) -> tuple[Estimator, Problem]:
    """State the problem with some of the slices; without any, the labelled score stands for it."""
    method = get_estimator(settings.name if slices else "source")
    if method.on_patterns and not problem.metric.ranked and (problem.audit, problem.designed) == (None, None):
        problem = replace(problem, membership=None)  # patterns are enough, and rows are many
    return method, problem.select(sorted(slices)) if slices else problem


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)
