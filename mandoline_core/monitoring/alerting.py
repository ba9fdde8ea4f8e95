"""Alerting: when the estimate on one of several targets calls for a person, and the line that it must not cross."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import Sentence, listed, show_difference, show_value, together
from mandoline_core.metrics import Metric
from mandoline_core.monitoring.demands import badness, is_worse

BASES = ("source", "first", "previous")
Point = Mapping[str, Any]  # what is kept of an estimate


@dataclass(frozen=True)
class AlertRule:
    """Say when an estimate calls for a person: more than `drop` worse than its base, or worse than `worst`.

    Parameters
    ----------
    drop : float, optional
        In points for shares, else in the metric's own unit.
    base : {"source", "first", "previous"}
        What it is compared with: the score on the source, the first target's estimate, or that of the target before.
    worst : float, optional
        The worst score that will do: the least where more is better, the most where less is, and the furthest from 0
        for a metric that should be near it.

    Examples
    --------
    >>> AlertRule(drop=-1)
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: --alert-drop must be a number, 0 or above. Got -1.
    """

    drop: float | None = None
    base: str = "source"
    worst: float | None = None

    def __post_init__(self) -> None:
        """Refuse what no number is."""
        if self.drop is not None and not 0 <= self.drop < math.inf:
            raise MandolineError(f"--alert-drop must be a number, 0 or above. Got {self.drop:g}.")
        if self.worst is not None and not math.isfinite(self.worst):
            raise MandolineError(f"--alert-under must be a number. Got {self.worst:g}.")
        if self.base not in BASES:
            hint = did_you_mean(self.base, BASES)
            raise MandolineError(f"--alert-against must be one of {listed(BASES)}. Got {self.base!r}.{hint}")


class _Judged(NamedTuple):
    """Hold a target's estimate of one model beside what it is compared with, and where that is from."""

    target: str
    point: Point
    against: float | None
    where: str


def find_alerts(
    points: Sequence[tuple[str, Point]], model: str, rule: AlertRule, metric: Metric
) -> dict[str, Sentence]:
    """Say which of a model's estimates call for a person, in one sentence each, by target."""
    found = {}
    for one in _judged(points, rule.base):
        said = [
            sentence for sentence in (_below(one, model, rule, metric), _drop(one, model, rule, metric)) if sentence
        ]
        if said:
            found[one.target] = together(said) if len(said) > 1 else said[0]
    return found


def find_limits(points: Sequence[tuple[str, Point]], rule: AlertRule, metric: Metric) -> dict[str, tuple[float, ...]]:
    """Return by target the value that its estimate must not be worse than: one, two around 0, or none.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> point = {"estimate": 0.8, "source": 0.9, "converged": True}
    >>> limits = find_limits([("a", point)], AlertRule(3), get_metric("accuracy"))
    >>> round(*limits["a"], 3)
    0.87
    """
    found = {}
    for one in _judged(points, rule.base):
        bounds = [] if rule.worst is None else [badness(rule.worst, metric)]
        if rule.drop is not None and one.against is not None:
            bounds.append(badness(one.against, metric) + rule.drop / (100 if metric.share else 1))
        if bounds:
            strictest = min(bounds)
            ends = {"higher": (-strictest,), "lower": (strictest,), "near 0": (strictest, -strictest)}
            found[one.target] = ends[metric.better]
    return found


def _judged(points: Sequence[tuple[str, Point]], base: str) -> Iterator[_Judged]:
    """Go through the estimates of a model, each with what it is compared with: nothing, for the first of several."""
    before: tuple[str, float] | None = None
    for target, point in points:
        if not point["converged"]:
            continue
        if base == "source":
            yield _Judged(target, point, point["source"], "")
        else:
            where, against = before or ("", None)
            yield _Judged(target, point, against, where)
        if before is None or base == "previous":
            before = target, point["estimate"]


def _drop(one: _Judged, model: str, rule: AlertRule, metric: Metric) -> Sentence | None:
    if rule.drop is None or one.against is None:
        return None
    drop = badness(one.point["estimate"], metric) - badness(one.against, metric)
    if drop * (100 if metric.share else 1) <= rule.drop:
        return None
    where = "{where}" if one.where else "the {source}"
    return Sentence(
        "{name}: the estimate of {model}, {value}, is {drop} worse than the {against} on "
        + where
        + ", more than {most:g}.",
        name=one.target,
        model=model,
        value=show_value(one.point["estimate"], share=metric.share),
        drop=show_difference(drop, share=metric.share),
        against=show_value(one.against, share=metric.share),
        where=one.where,
        most=rule.drop,
    )


def _below(one: _Judged, model: str, rule: AlertRule, metric: Metric) -> Sentence | None:
    if rule.worst is None or not is_worse(one.point["estimate"], rule.worst, metric):
        return None
    return Sentence(
        "{name}: the estimate of {model}, {value}, is {beyond} {worst}.",
        name=one.target,
        model=model,
        value=show_value(one.point["estimate"], share=metric.share),
        beyond={"higher": "below", "lower": "above", "near 0": "further from 0 than"}[metric.better],
        worst=show_value(rule.worst, share=metric.share),
    )
