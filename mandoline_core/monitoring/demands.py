"""What a job demands of every model's estimate, and what is met."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from mandoline_core.checks import ModelReport
from mandoline_core.errors import MandolineError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.metrics import Metric
from mandoline_core.report import Report

LEVELS = ("green", "amber", "red")  # of a verdict, the best first
AGAINST = ("estimate", "interval")
BEYOND = {"higher": "below", "lower": "above", "near 0": "further from 0 than"}  # what is worse, by what is better
_NO_ESTIMATE = "no estimate", "there is no estimate: the weights did not converge"
_MOST_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class Demands:
    """Hold what every model must meet; without any, no verdict may be red.

    A model without an estimate, because its weights did not converge, meets nothing.

    Parameters
    ----------
    worst : float, optional
        The worst score that will do: the least where more is better, the most where less is, and the furthest from 0
        for a metric that should be near it.
    max_drop : float, optional
        How much worse than on the source it may be: in points for shares, else in the metric's own unit.
    verdict : {"green", "amber", "red"}, optional
        The worst verdict that will do.
    against : {"estimate", "interval"}
        Whether the estimate must meet this, or the worse end of its interval.

    Examples
    --------
    >>> Demands(verdict="yellow")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: --verdict must be one of green, amber, red. Got 'yellow'.
    """

    worst: float | None = None
    max_drop: float | None = None
    verdict: str | None = None
    against: str = "estimate"

    def __post_init__(self) -> None:
        """Refuse what no estimate, or every estimate, would meet."""
        for option, value, choices in (("verdict", self.verdict, LEVELS), ("against", self.against, AGAINST)):
            if value is not None and value not in choices:
                hint = did_you_mean(value, choices)
                raise MandolineError(f"--{option} must be one of {listed(choices)}. Got {value!r}.{hint}")
        if self.max_drop is not None and not 0 <= self.max_drop < math.inf:
            raise MandolineError(f"--max-drop must be a number, 0 or above. Got {self.max_drop:g}.")
        if self.worst is None and self.max_drop is None and self.verdict is None:
            object.__setattr__(self, "verdict", "amber")  # a check that demands nothing would pass whatever happens


@dataclass(frozen=True)
class DemandResult:
    """Hold whether a model meets one rule.

    Parameters
    ----------
    rule : {"min", "max-drop", "verdict"}
    demand : str
        What is demanded, in a few words.
    found : str
        What there is instead.
    message : str
        What is met, or not, in one sentence.
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
    """Hold every model of a report against what is demanded.

    Examples
    --------
    >>> from mandoline_core import estimate_from_codes
    >>> report = estimate_from_codes([[1], [-1], [-1], [-1]], [0.0, 1.0, 1.0, 1.0], [[1], [-1]])
    >>> for result in check_demands(report, Demands(worst=0.6, max_drop=30)):
    ...     print(result.met, result.message)
    False score: the estimate 50% is below 60%.
    True score: the estimate 50% is 25 points worse than the source's 75%, at most 30.
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
    limit = {"higher": "at least", "lower": "at most", "near 0": "no further from 0 than"}[metric.better]
    demand = f"{limit} {_shown(worst, metric)}"
    if not model.converged:
        return _missed(name, "min", demand, *_NO_ESTIMATE)
    value, what = _judged_value(model, against)
    met = not is_worse(value, worst, metric)
    found, bound = _apart(value, worst, metric)
    beyond = BEYOND[metric.better]
    said = f"is {f'not {beyond}' if met else beyond} {bound}"
    return DemandResult(name, "min", met, demand, found, f"{name}: {what} {found} {said}.")


def _hold_drop(name: str, model: ModelReport, most: float, against: str) -> DemandResult:
    metric = model.problem.metric
    unit = " points" if metric.share else ""
    demand = f"at most {most:g}{unit} worse than on the source"
    if not model.converged:
        return _missed(name, "max-drop", demand, *_NO_ESTIMATE)
    value, what = _judged_value(model, against)
    drop = (badness(value, metric) - badness(model.source, metric)) * (100 if metric.share else 1)
    met = drop <= most
    found, bound = _digits(abs(drop), most)
    way = "worse" if drop > 0 else "better"
    said = f"{found}{unit} {way} than the source's {_shown(model.source, metric)}"
    end = f"at most {bound}" if met else f"more than {bound}"
    return DemandResult(
        name,
        "max-drop",
        met,
        demand,
        f"{found}{unit} {way}",
        f"{name}: {what} {_shown(value, metric)} is {said}, {end}.",
    )


def _hold_verdict(name: str, model: ModelReport, worst: str) -> DemandResult:
    demand = worst if worst == LEVELS[0] else f"{worst} or better"
    if model.verdict is None:
        return _missed(name, "verdict", demand, "none", "there is no verdict")
    level = model.verdict.level
    met = LEVELS.index(level) <= LEVELS.index(worst)
    said = f"the verdict is {level}" + ("" if met else f", worse than {worst}")
    why = f" {model.verdict.doubts}" if model.verdict.doubts and not met else ""
    return DemandResult(name, "verdict", met, demand, level, f"{name}: {said}.{why}")


def is_worse(value: float, worst: float, metric: Metric) -> bool:
    """Tell whether a score is worse than the worst that will do, whichever way the metric is better.

    >>> from mandoline_core.metrics import get_metric
    >>> [is_worse(0.2, 0.1, get_metric(name)) for name in ("accuracy", "error", "bias")]
    [False, True, True]
    """
    return not badness(value, metric) <= badness(worst, metric)  # so that no number (NaN) is worse, too


def badness(value: float, metric: Metric) -> float:
    """Turn a score into a number that is larger where the score is worse."""
    return {"higher": -value, "lower": value, "near 0": abs(value)}[metric.better]


def check_worst(option: str, worst: float, metric: Metric) -> None:
    """Refuse a bound that no estimate, or every estimate, would meet.

    >>> from mandoline_core.metrics import get_metric
    >>> check_worst("--min", 80, get_metric("accuracy"))
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: --min must be between 0 and 1. Got 80. Did you mean 0.8?
    """
    least, most = metric.bounds or (-math.inf, math.inf)
    least = max(least, 0.0) if metric.better == "near 0" else least
    if math.isfinite(worst) and least <= worst <= most:
        return
    if not math.isfinite(most):
        expected = "a number" if math.isinf(least) else f"a number, {least:g} or above"
        raise MandolineError(f"{option} must be {expected}. Got {worst:g}.")
    hint = f" Did you mean {worst / 100:g}?" if 1 < worst <= 100 else ""
    raise MandolineError(f"{option} must be between {least:g} and {most:g}. Got {worst:g}.{hint}")


def _missed(name: str, rule: str, demand: str, found: str, why: str) -> DemandResult:
    return DemandResult(name, rule, met=False, demand=demand, found=found, message=f"{name}: {why}.")


def _judged_value(model: ModelReport, against: str) -> tuple[float, str]:
    """Return the score that must meet the rules, and what it is."""
    if against == "estimate":
        return model.estimate, "the estimate"
    metric = model.problem.metric
    return max(model.interval, key=lambda end: badness(end, metric)), "the interval's worse end"


def _shown(value: float, metric: Metric) -> str:
    return f"{round(100 * value, 2):g}%" if metric.share else f"{value:.4g}"


def _apart(value: float, bound: float, metric: Metric) -> tuple[str, str]:
    """Write two scores with the digits that tell them apart."""
    if not metric.share:
        return _digits(value, bound)
    found, limit = _digits(100 * value, 100 * bound)
    return f"{found}%", f"{limit}%"


def _digits(value: float, bound: float) -> tuple[str, str]:
    """Write two numbers with the digits that tell them apart.

    >>> _digits(79.41234, 90), _digits(89.99996, 90)
    (('79.41', '90'), ('89.99996', '90'))
    """
    for digits in range(4, _MOST_DIGITS):
        shown = f"{value:.{digits}g}", f"{bound:.{digits}g}"
        if shown[0] != shown[1] or value == bound:
            break
    return shown
