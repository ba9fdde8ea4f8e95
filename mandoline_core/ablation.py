"""The slice-ablation curve: the estimate as slices are added one by one, and without each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mandoline_core.assemble import Prepared
from mandoline_core.diagnostics import diagnose, interval_of
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import Problem, get_estimator
from mandoline_core.intervals import Interval
from mandoline_core.settings import EstimatorSettings


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
    prepared: Prepared,
    settings: EstimatorSettings,
    *,
    order: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Ablation:
    """Estimate with the first slice, the first two and so on, and with each left out.

    Edges between the slices in use stay in; intervals are influence-function intervals.

    Parameters
    ----------
    prepared : Prepared
    settings : EstimatorSettings
    order : sequence of str, optional
        Order in which slices are added; the project's when left out.
    progress : callable, optional
        Called with the share done.
    """
    names = prepared.problem.patterns.names
    position = {name: i for i, name in enumerate(names)}
    sequence = list(range(len(names))) if order is None else [position[name] for name in order]
    n_points = 2 * len(sequence) + 1
    cumulative = [_point(None, prepared.problem, "source", settings)]
    for n in range(1, len(sequence) + 1):
        chosen = sorted(sequence[:n])
        cumulative.append(_point(names[sequence[n - 1]], prepared.problem.select(chosen), settings.name, settings))
        _tell(progress, (n + 1) / n_points)
    without = []
    for number, left_out in enumerate(sequence):
        chosen = sorted(i for i in sequence if i != left_out)
        if chosen:
            without.append(_point(names[left_out], prepared.problem.select(chosen), settings.name, settings))
        else:
            without.append(_point(names[left_out], prepared.problem, "source", settings))
        _tell(progress, (len(sequence) + number + 2) / n_points)
    return Ablation(tuple(cumulative), tuple(without))


def _point(name: str | None, problem: Problem, estimator: str, settings: EstimatorSettings) -> AblationPoint:
    try:
        outcome = get_estimator(estimator).estimate(problem)
    except MandolineError as error:
        return AblationPoint(name, None, None, None, str(error))
    if not outcome.converged:
        return AblationPoint(name, None, None, None, "The weights could not be fitted.")
    effective = diagnose(problem, outcome).effective_sample_size
    return AblationPoint(name, outcome.value, interval_of(problem, outcome, settings.confidence), effective)


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(share)
