"""Alerts: which estimates dropped too far or have too bad a verdict, and the limit of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import listed, show_difference, show_value
from mandoline_core.metrics import BEYOND, Metric, apart, badness, exact
from mandoline_core.monitoring.demands import LEVELS
from mandoline_core.monitoring.false_alarms import Excess, margins

BASES = ("source", "first", "previous")
Point = Mapping[str, Any]  # what is kept of an estimate
Points = Sequence[tuple[str, Point]]  # a model's, in order, each with its target


@dataclass(frozen=True)
class AlertRule:
    """Define when to alert: an estimate that is too bad, or a verdict that is.

    Parameters
    ----------
    drop : float, optional
        Largest drop from the base without an alert, in percentage points, or in the metric's unit.
    base : {"source", "first", "previous"}
        What to compare with: the score on the labelled data, the first estimate, or the previous one.
    worst : float, optional
        Worst acceptable score: a minimum; a maximum where lower is better; the largest distance from 0 for bias.
    verdict : str, optional
        Alert at this level of the verdict, and at worse ones.
    false_alarms : float, optional
        The probability that a stable run ever alerts, in any number of batches. Estimates then alert only when they
        are beyond their limit by more than sampling error; without a limit, beyond the score on the labelled data.

    Examples
    --------
    >>> AlertRule(drop=-1)
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: --alert-drop must be a number, 0 or more. Got -1.
    """

    drop: float | None = None
    base: str = "source"
    worst: float | None = None
    verdict: str | None = None
    false_alarms: float | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        if self.drop is not None and not 0 <= self.drop < math.inf:
            raise MandolineError(f"--alert-drop must be a number, 0 or more. Got {self.drop:g}.")
        if self.worst is not None and not math.isfinite(self.worst):
            raise MandolineError(f"--alert-under must be a number. Got {self.worst:g}.")
        for option, value, choices in (("against", self.base, BASES), ("verdict", self.verdict, LEVELS)):
            if value is not None and value not in choices:
                hint = did_you_mean(value, choices)
                raise MandolineError(f"--alert-{option} must be one of {listed(choices)}. Got {value!r}.{hint}")
        if self.false_alarms is None:
            return
        if not 0 < self.false_alarms < 1:
            raise MandolineError(
                f"--false-alarms must be between 0% and 100%, such as 5%. Got {100 * self.false_alarms:g}%."
            )
        if self.base != "source":
            raise MandolineError(
                "--false-alarms compares with the score on the labelled data. Leave out --alert-against."
            )

    @property
    def bounded(self) -> bool:
        """Whether estimates have a limit."""
        return any(value is not None for value in (self.drop, self.worst, self.false_alarms))


def find_alerts(runs: Mapping[str, Points], rule: AlertRule, metric: Metric) -> dict[tuple[str, str], str]:
    """Describe by target and model what calls for an alert.

    Parameters
    ----------
    runs : mapping of str to sequence
        By model: its estimates in order, each with its target.
    """
    alerts = {}
    for model, points in runs.items():
        limits = dict[str, dict[str, _Limit]]()
        if rule.bounded:
            limits = _limits(points, rule, metric, n_models=len(runs))
        for target, point in points:
            said = [_said(point["estimate"], limit, metric) for limit in limits.get(target, {}).values()]
            reasons = [reason for reason in said if reason]
            sentence = ""
            if reasons:
                shown = show_value(point["estimate"], share=metric.share)
                if rule.worst is not None:
                    shown, _ = apart(point["estimate"], rule.worst, metric)
                sentence = f"the estimate of {model} is {shown}, {' and '.join(reasons)}."
            if _is_bad(point["verdict"], rule.verdict):
                level = f"verdict of {model} is {point['verdict']} ({MEANINGS[point['verdict']]}). {point['doubts']}"
                sentence = f"{sentence} The {level}" if sentence else f"the {level}"
            sentence = sentence.strip()
            if sentence:
                alerts[target, model] = f"{target}: {sentence}"
    return alerts


def find_limits(points: Points, rule: AlertRule, metric: Metric, *, n_models: int = 1) -> dict[str, tuple[float, ...]]:
    """Return the worst estimate without an alert by target: one value, two around 0, or none.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> point = {"estimate": 0.8, "source": 0.9, "converged": True}
    >>> limits = find_limits([("a", point)], AlertRule(3), get_metric("accuracy"))
    >>> round(*limits["a"], 3)
    0.87
    """
    found = {}
    for target, limits in _limits(points, rule, metric, n_models=n_models).items():
        if limits:
            strictest = min(limit.bound + limit.margin for limit in limits.values())
            ends = {"higher": (-strictest,), "lower": (strictest,), "near 0": (strictest, -strictest)}
            found[target] = ends[metric.better]
    return found


class _Limit(NamedTuple):
    """Hold the worst estimate without an alert, as a badness; `margin` more where sampling error is allowed for.

    `against` is what a drop is compared with, `where` its target, "" for the source; None where the score has a limit.
    """

    bound: float
    margin: float
    drop: float = 0.0
    against: float | None = None
    where: str = ""
    allows: bool = False


def _limits(points: Points, rule: AlertRule, metric: Metric, *, n_models: int) -> dict[str, dict[str, _Limit]]:
    """List the limits of a model's estimates by target, and by what they limit."""
    drop = rule.drop
    if drop is None and rule.worst is None and rule.false_alarms is not None:
        drop = 0.0  # any fall counts
    found: dict[str, dict[str, _Limit]] = {}
    for target, _, against, where in _with_base(points, rule.base):
        found[target] = {}
        if rule.worst is not None:
            found[target]["estimate"] = _Limit(badness(rule.worst, metric), 0.0)
        if drop is not None and against is not None:
            bound = badness(against, metric) + drop / (100 if metric.share else 1)
            found[target]["change"] = _Limit(bound, 0.0, drop, against, where)
    if rule.false_alarms is not None:
        n_promises = n_models * ((rule.worst is not None) + (drop is not None))
        for what in ("estimate", "change"):
            _allow_for_chance(points, found, what, rule.false_alarms, n_promises, metric)
    return found


def _allow_for_chance(
    points: Points,
    found: Mapping[str, dict[str, _Limit]],
    what: str,
    promise: float,
    n_promises: int,
    metric: Metric,
) -> None:
    """Add to each limit the margin that keeps the promise, shared out among models and limits."""
    run = [(target, point) for target, point in points if what in found.get(target, {})]
    if run and metric.better == "near 0":
        raise MandolineError(f"--false-alarms does not support metric {metric.name!r}, which should be near 0.")
    for _, point in run:
        if point["errors"] is None:
            raise MandolineError(
                "--false-alarms needs a method that separates the errors of both samples, such as mandoline."
            )
    excesses = [
        Excess(badness(point["estimate"], metric) - found[target][what].bound, *_errors(point, what))
        for target, point in run
    ]
    for (target, _), margin in zip(run, margins(excesses, promise / n_promises), strict=True):
        found[target][what] = found[target][what]._replace(margin=margin, allows=True)


def _errors(point: Point, what: str) -> tuple[float, float]:
    return point["errors"][f"source_in_{what}"], point["errors"]["target"]


def _said(value: float, limit: _Limit, metric: Metric) -> str:
    """Say how far an estimate is beyond a limit; nothing where it is not."""
    share = metric.share
    if badness(value, metric) <= limit.bound + limit.margin:  # so that no number (NaN) is beyond it, too
        return ""
    sure = ", beyond sampling error" if limit.allows else ""
    if limit.against is None:
        worst = {"higher": -limit.bound, "lower": limit.bound, "near 0": limit.bound}[metric.better]
        return f"{BEYOND[metric.better]} {apart(value, worst, metric)[1]}{sure}"
    fall = badness(value, metric) - badness(limit.against, metric)
    most = f"{exact(limit.drop)} points" if share else f"{limit.drop:,.12g}"
    than = f"{show_difference(fall, share=share)} worse than on {limit.where or 'the labelled data'}"
    allowed = f", more than the limit of {most}" if limit.drop or not limit.allows else ""
    return f"{than} ({show_value(limit.against, share=share)}){allowed}{sure}"


def _is_bad(level: str | None, worst: str | None) -> bool:
    return None not in (level, worst) and LEVELS.index(str(level)) >= LEVELS.index(str(worst))


def _with_base(points: Points, base: str) -> Iterator[tuple[str, Point, float | None, str]]:
    """Yield a model's estimates, each with the value to compare with and its target.

    The first has nothing to compare with, unless that is the source; the source is named "".
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
