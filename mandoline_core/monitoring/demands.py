"""The rules that every estimate must meet, and whether it does."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from mandoline_core.checks import ModelReport
from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import listed, show_value
from mandoline_core.metrics import (
    BEYOND,
    Metric,
    apart,
    badness,
    check_worst,
    digits_apart,
    exact,
    is_worse,
    show_limit,
)
from mandoline_core.report import Report

LEVELS = ("confirmed", "green", "amber", "red")  # of a verdict, the best first
AGAINST = ("estimate", "interval")
_NO_ESTIMATE = "no estimate", "there is no estimate: the weights did not converge"


@dataclass(frozen=True, kw_only=True)
class Demands:
    """Hold the rules that every model must meet; without any, no verdict may be red.

    A model whose weights did not converge has no estimate and meets no rule.

    Parameters
    ----------
    worst : float, optional
        Worst acceptable score: a minimum; a maximum where lower is better; the largest distance from 0 for bias.
    max_drop : float, optional
        Largest acceptable drop from the score on the labelled data, in percentage points or in the metric's unit.
    verdict : {"confirmed", "green", "amber", "red"}, optional
        Worst acceptable verdict.
    against : {"estimate", "interval"}
        Whether the rules apply to the estimate, or to the worse end of its interval.

    Examples
    --------
    >>> Demands(verdict="yellow")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: --verdict must be one of confirmed, green, amber, red. Got 'yellow'.
    """

    worst: float | None = None
    max_drop: float | None = None
    verdict: str | None = None
    against: str = "estimate"

    def __post_init__(self) -> None:
        """Check the rules."""
        for option, value, choices in (("verdict", self.verdict, LEVELS), ("against", self.against, AGAINST)):
            if value is not None and value not in choices:
                hint = did_you_mean(value, choices)
                raise MandolineError(f"--{option} must be one of {listed(choices)}. Got {value!r}.{hint}")
        if self.max_drop is not None and not 0 <= self.max_drop < math.inf:
            raise MandolineError(f"--max-drop must be a number, 0 or more. Got {self.max_drop:g}.")
        if self.worst is None and self.max_drop is None and self.verdict is None:
            object.__setattr__(self, "verdict", "amber")  # a check without rules would always pass


@dataclass(frozen=True)
class DemandResult:
    """Hold whether a model meets one rule.

    Parameters
    ----------
    rule : {"min", "max-drop", "verdict"}
    demand : str
        What the rule requires.
    found : str
        What was found.
    message : str
        The result in one sentence.
    """

    model: str
    rule: str
    met: bool
    demand: str
    found: str
    message: str

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def check_demands(report: Report, demands: Demands) -> tuple[DemandResult, ...]:
    """Check every model of a report against the rules.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1], [-1], [-1]], [0.0, 1.0, 1.0, 1.0], [[1], [-1]])
    >>> for result in check_demands(report, Demands(worst=0.6, max_drop=30)):
    ...     print(result.met, result.message)
    False score: the estimate 50.0% is below 60.0%.
    True score: the estimate 50.0% is 25.0 points worse than on the labelled data (75.0%). The limit is 30.0 points.
    """
    if demands.worst is not None:
        check_worst("--min", demands.worst, report.first.problem.metric)
    results = []
    for name, model in report.models.items():
        if demands.worst is not None:
            results.append(_hold_worst(name, model, demands.worst, demands.against))
        if demands.max_drop is not None:
            results.append(_hold_drop(name, model, demands.max_drop, demands.against))
        if demands.verdict is not None:
            results.append(_hold_verdict(name, model, demands.verdict))
    return tuple(results)


def _hold_worst(name: str, model: ModelReport, worst: float, against: str) -> DemandResult:
    metric = model.problem.metric
    limit = {"higher": "at least", "lower": "at most", "near 0": "no farther from 0 than"}[metric.better]
    demand = f"{limit} {show_limit(worst, metric)}"
    if not model.converged:
        return _missed(name, "min", demand, *_NO_ESTIMATE)
    value, what = _judged_value(model, against)
    met = not is_worse(value, worst, metric)
    found, bound = apart(value, worst, metric)
    beyond = BEYOND[metric.better]
    said = f"is {f'not {beyond}' if met else beyond} {bound}"
    return DemandResult(name, "min", met, demand, found, f"{name}: {what} {found} {said}.")


def _hold_drop(name: str, model: ModelReport, most: float, against: str) -> DemandResult:
    metric = model.problem.metric
    unit = " points" if metric.share else ""
    limit = f"{exact(most) if metric.share else f'{most:,.12g}'}{unit}"
    demand = f"at most {limit} worse"
    if not model.converged:
        return _missed(name, "max-drop", demand, *_NO_ESTIMATE)
    value, what = _judged_value(model, against)
    drop = (badness(value, metric) - badness(model.source, metric)) * (100 if metric.share else 1)
    met = drop <= most
    number, _ = digits_apart(abs(drop), most, share=metric.share)
    found = f"{number}{unit} {'worse' if drop > 0 else 'better'}"
    shown, before = (show_value(score, share=metric.share) for score in (value, model.source))
    said = f"{name}: {what} {shown} is {found} than on the labelled data ({before}). The limit is {limit}."
    return DemandResult(name, "max-drop", met, demand, found, said)


def _hold_verdict(name: str, model: ModelReport, worst: str) -> DemandResult:
    demand = worst if worst == LEVELS[0] else f"{worst} or better"
    if model.verdict is None:
        return _missed(name, "verdict", demand, "none", "there is no verdict")
    level = model.verdict.level
    met = LEVELS.index(level) <= LEVELS.index(worst)
    said = f"the verdict is {level} ({MEANINGS[level]})" + ("" if met else f", worse than {worst}")
    why = f" {model.verdict.doubts}" if model.verdict.doubts and not met else ""
    return DemandResult(name, "verdict", met, demand, level, f"{name}: {said}.{why}")


def drop_hint(option: str, drop: float | None, metric: Metric) -> str:
    """Ask whether a drop below one percentage point was meant as a share; empty where it was not.

    >>> from mandoline_core.metrics import get_metric
    >>> drop_hint("--max-drop", 0.03, get_metric("accuracy"))
    '--max-drop 0.03 means 0.03 percentage points. Did you mean 3?'
    """
    if drop is None or not metric.share or not 0 < drop < 1:
        return ""
    return f"{option} {drop:g} means {drop:g} percentage points. Did you mean {100 * drop:g}?"


def _missed(name: str, rule: str, demand: str, found: str, why: str) -> DemandResult:
    return DemandResult(name, rule, met=False, demand=demand, found=found, message=f"{name}: {why}.")


def _judged_value(model: ModelReport, against: str) -> tuple[float, str]:
    """Return the score that must meet the rules, and its name."""
    if against == "estimate":
        return model.estimate, "the estimate"
    metric = model.problem.metric
    return max(model.interval, key=lambda end: badness(end, metric)), "the interval's worse end"
