"""Alerts: when the estimate on one of several targets calls for a person, and the line that it must not cross."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import Sentence, listed, show_difference, show_value, together
from mandoline_core.metrics import Metric
from mandoline_core.monitoring.demands import BEYOND, badness, is_worse

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


def find_alerts(
    points: Sequence[tuple[str, Point]], model: str, rule: AlertRule, metric: Metric
) -> dict[str, Sentence]:
    """Say which of a model's estimates call for a person, in one sentence each, by target."""
    share, alerts = metric.share, {}
    for target, point, against, where in _with_base(points, rule.base):
        value, said = point["estimate"], list[Sentence]()
        parts = {"name": target, "model": model, "value": show_value(value, share=share)}
        if rule.worst is not None and is_worse(value, rule.worst, metric):
            said.append(
                Sentence(
                    "{name}: the estimate of {model}, {value}, is {beyond} {worst}.",
                    **parts,
                    beyond=BEYOND[metric.better],
                    worst=show_value(rule.worst, share=share),
                )
            )
        drop = 0.0 if against is None else badness(value, metric) - badness(against, metric)
        if against is not None and rule.drop is not None and drop * (100 if share else 1) > rule.drop:
            base = "{where}" if where else "the {source}"
            said.append(
                Sentence(
                    "{name}: the estimate of {model}, {value}, is {drop} worse than the {against} on "
                    f"{base}, more than {{most:g}}.",
                    **parts,
                    drop=show_difference(drop, share=share),
                    against=show_value(against, share=share),
                    where=where,
                    most=rule.drop,
                )
            )
        if said:
            alerts[target] = together(said) if len(said) > 1 else said[0]
    return alerts


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
    limits = {}
    for target, _, against, _ in _with_base(points, rule.base):
        bounds = [] if rule.worst is None else [badness(rule.worst, metric)]
        if rule.drop is not None and against is not None:
            bounds.append(badness(against, metric) + rule.drop / (100 if metric.share else 1))
        if bounds:
            strictest = min(bounds)
            ends = {"higher": (-strictest,), "lower": (strictest,), "near 0": (strictest, -strictest)}
            limits[target] = ends[metric.better]
    return limits


def _with_base(points: Sequence[tuple[str, Point]], base: str) -> Iterator[tuple[str, Point, float | None, str]]:
    """Go through a model's estimates, each with what it is compared with and where that is from.

    The first of several is compared with nothing; a name of "" is the source's.
    """
    before: tuple[str, float] | None = None
    for target, point in points:
        if not point["converged"]:  # no estimate to judge, or to be judged by
            continue
        if base == "source":
            yield target, point, point["source"], ""
        else:
            where, against = before or ("", None)
            yield target, point, against, where
        if before is None or base == "previous":
            before = target, point["estimate"]
