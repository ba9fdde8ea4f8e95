"""What other methods and other models say: every estimator that applies, every model, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import kendalltau, norm

from mandoline_core.assemble import Prepared
from mandoline_core.comparison_text import render_comparison
from mandoline_core.diagnostics import diagnose, find, interval_of
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import ESTIMATORS, Outcome, get_estimator
from mandoline_core.findings import Finding, worst_first
from mandoline_core.intervals import Interval, Redraws
from mandoline_core.metrics import Metric
from mandoline_core.model_report import Progress, interval_by_settings
from mandoline_core.patterns import Floats
from mandoline_core.settings import EstimatorSettings

ROUNDING = 1e-9  # of a score: a smaller change is none


@dataclass(frozen=True, eq=False)
class Entry:
    """Hold what one method says of one model.

    Parameters
    ----------
    estimator : str
    available : bool
        False where the method does not apply, or failed.
    reason : str or None
        Why it is not available.
    estimate, interval, standard_error
        None where it is not available.
    change, change_interval : float, pair of floats, or None
        Estimate minus source score. The same rows make both, so its interval is its own.
    direction : {"up", "down", "unchanged"} or None
        Which way the method adjusts the source score; "unchanged" where luck alone would do.
    effective_sample_size, set_aside : float or None
    findings : tuple of Finding
    """

    estimator: str
    available: bool
    reason: str | None = None
    estimate: float | None = None
    interval: Interval | None = None
    standard_error: float | None = None
    change: float | None = None
    change_interval: Interval | None = None
    direction: str | None = None
    effective_sample_size: float | None = None
    set_aside: float | None = None
    findings: tuple[Finding, ...] = ()
    pieces: tuple[Floats, ...] = field(default=(), repr=False)

    def as_dict(self, truth: float | None) -> dict[str, Any]:
        """Return the entry as plain data."""
        return {
            "estimate": self.estimate,
            "interval": None if self.interval is None else list(self.interval),
            "available": self.available,
            "reason": self.reason,
            "change": self.change,
            "change_interval": None if self.change_interval is None else list(self.change_interval),
            "direction": self.direction,
            "effective_sample_size": self.effective_sample_size,
            "set_aside": self.set_aside,
            "error": None if self.estimate is None or truth is None else self.estimate - truth,
            "findings": [finding.as_dict() for finding in self.findings],
        }


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Hold what every method says of one model.

    Parameters
    ----------
    model : str
    metric : Metric
    source, source_interval : float, pair of floats
        The score on the labelled source.
    truth : float or None
        The score on the target's own labels, if they are known.
    n_source, n_target : int
    entries : dict of str to Entry
        By name of the method, in the registry's order.
    """

    model: str
    metric: Metric
    source: float
    source_interval: Interval
    truth: float | None
    n_source: int
    n_target: int
    entries: dict[str, Entry]

    @property
    def disagreement(self) -> float | None:
        """The largest estimate minus the least, the source score aside; None with fewer than two methods."""
        found = [e.estimate for name, e in self.entries.items() if e.estimate is not None and name != "source"]
        return max(found) - min(found) if len(found) > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "source": self.source,
            "source_interval": list(self.source_interval),
            "truth": self.truth,
            "disagreement": self.disagreement,
            "estimators": {name: entry.as_dict(self.truth) for name, entry in self.entries.items()},
        }


@dataclass(frozen=True)
class Difference:
    """Hold how far two models are apart by one method: the first's estimate minus the second's.

    Both are estimated on the same rows, so the interval is far tighter than two single intervals suggest.
    """

    estimator: str
    first: str
    second: str
    value: float
    interval: Interval


@dataclass(frozen=True)
class Ranking:
    """Hold how one method ranks the models, and how right it was once the truth is known.

    Parameters
    ----------
    estimator : str
    order : tuple of str
        Models, best first; those that the method has no estimate for are left out.
    tau, p_value : float or None
        Kendall's rank correlation with the truth.
    mean_absolute_error, max_absolute_error : float or None
        Over models.
    """

    estimator: str
    order: tuple[str, ...]
    tau: float | None = None
    p_value: float | None = None
    mean_absolute_error: float | None = None
    max_absolute_error: float | None = None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Hold models times methods. Prints as text in a terminal."""

    name: str
    models: dict[str, ModelComparison]
    rankings: dict[str, Ranking]
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data: what `mandoline compare --json` prints."""
        return {
            "models": {name: model.as_dict() for name, model in self.models.items()},
            "rankings": {
                name: {
                    "order": list(ranking.order),
                    "tau": ranking.tau,
                    "p_value": ranking.p_value,
                    "mean_absolute_error": ranking.mean_absolute_error,
                    "max_absolute_error": ranking.max_absolute_error,
                }
                for name, ranking in self.rankings.items()
            },
            "differences": [
                {
                    "estimator": found.estimator,
                    "first": found.first,
                    "second": found.second,
                    "value": found.value,
                    "interval": list(found.interval),
                }
                for found in self.differences
            ],
        }

    def __str__(self) -> str:
        return render_comparison(self)


def compare_model(
    prepared: Prepared,
    settings: EstimatorSettings,
    *,
    estimators: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> ModelComparison:
    """Run every method on one model's problem.

    Parameters
    ----------
    prepared : Prepared
    settings : EstimatorSettings
        Its name is not used.
    estimators : sequence of str, optional
        Names in the registry; all when left out.
    progress : callable, optional
        Called with what is being done and the share done; may raise to stop.
    """
    names = list(ESTIMATORS if estimators is None else estimators)
    entries = {}
    for number, name in enumerate(names):
        if progress is not None:
            progress(f"{get_estimator(name).title} for {prepared.model}", number / len(names))
        entries[name] = run_estimator(prepared, name, settings)
    return gather(prepared, settings, entries)


def gather(prepared: Prepared, settings: EstimatorSettings, entries: Mapping[str, Entry]) -> ModelComparison:
    """Put what methods say of one model together with its source score."""
    plain = get_estimator("source").estimate(prepared.problem)
    table = prepared.problem.patterns
    return ModelComparison(
        model=prepared.model,
        metric=prepared.problem.metric,
        source=plain.value,
        source_interval=interval_of(prepared.problem, plain, settings.confidence),
        truth=prepared.counted.truth,
        n_source=round(table.n_source),
        n_target=round(table.n_target),
        entries=dict(entries),
    )


def run_estimator(prepared: Prepared, name: str, settings: EstimatorSettings) -> Entry:
    """Run one method; what stands in its way becomes its reason, not an error."""
    problem, estimator = prepared.problem, get_estimator(name)
    settings = replace(settings, name=name)
    try:
        why = estimator.reason(problem)
        if why is not None:
            return Entry(name, available=False, reason=why)
        outcome = estimator.estimate(problem)
        interval, more = interval_by_settings(prepared, settings, outcome)
    except MandolineError as error:
        return Entry(name, available=False, reason=str(error))
    if not outcome.converged or not math.isfinite(outcome.value):
        return Entry(name, available=False, reason="The weights could not be fitted: no solution was found.")
    numbers = diagnose(problem, outcome)
    plain = get_estimator("source").estimate(problem)
    change = outcome.value - plain.value
    change_interval = _normal_interval(change, _change_error(prepared, outcome, plain), settings.confidence)
    findings = [*more, *find(problem, outcome, numbers, uses_slices="slices" in estimator.needs)]
    return Entry(
        name,
        available=True,
        estimate=outcome.value,
        interval=interval,
        standard_error=outcome.influence.standard_error(),
        change=change,
        change_interval=change_interval,
        direction=_direction(change_interval, plain.value),
        effective_sample_size=numbers.effective_sample_size,
        set_aside=numbers.set_aside,
        findings=worst_first([finding for finding in findings if not finding.slices]),
        pieces=_pieces(prepared, outcome),
    )


def _direction(change: Interval, score: float) -> str:
    """Say which way a change goes for sure: beyond luck, and beyond rounding."""
    rounding = ROUNDING * max(1.0, abs(score))
    return "up" if change[0] > rounding else "down" if change[1] < -rounding else "unchanged"


def _change_error(prepared: Prepared, outcome: Outcome, plain: Outcome) -> float:
    """Compute the standard error of estimate minus source score."""
    if isinstance(outcome.influence, Redraws):
        return float(np.nanstd(outcome.influence.values - outcome.influence.plain, ddof=1))
    members = prepared.problem.members
    gaps = [
        one - other
        for one, other in zip(outcome.influence.pieces(members), plain.influence.pieces(members), strict=True)
    ]
    return math.sqrt(sum(float(gap @ gap) for gap in gaps))


def _pieces(prepared: Prepared, outcome: Outcome) -> tuple[Floats, ...]:
    """Line luck up with the rows of the samples, so that models with scores on different rows can be compared."""
    pieces = outcome.influence.pieces(prepared.problem.members)
    if isinstance(outcome.influence, Redraws):
        return pieces
    source = np.zeros(len(prepared.counted.scored))
    source[prepared.counted.scored] = pieces[0]
    return source, *pieces[1:]


def _normal_interval(value: float, error: float, confidence: float) -> Interval:
    half = float(norm.ppf(0.5 + confidence / 2)) * error
    return value - half, value + half


def summarise(name: str, models: Mapping[str, ModelComparison], confidence: float) -> Comparison:
    """Rank the models by every method, compare them in pairs, and judge the methods where the truth is known."""
    methods = list(dict.fromkeys(method for model in models.values() for method in model.entries))
    rankings = {method: _rank(method, models) for method in methods}
    differences = [
        found
        for method in methods
        for one, other in combinations(models.values(), 2)
        if (found := _difference(method, one, other, confidence)) is not None
    ]
    return Comparison(name, dict(models), rankings, tuple(differences))


def _difference(method: str, one: ModelComparison, other: ModelComparison, confidence: float) -> Difference | None:
    first, second = one.entries.get(method), other.entries.get(method)
    if first is None or second is None or first.estimate is None or second.estimate is None:
        return None
    gaps = [a - b for a, b in zip(first.pieces, second.pieces, strict=True)]
    error = math.sqrt(sum(float(gap @ gap) for gap in gaps))
    value = first.estimate - second.estimate
    return Difference(method, one.model, other.model, value, _normal_interval(value, error, confidence))


def _rank(method: str, models: Mapping[str, ModelComparison]) -> Ranking:
    entries = {name: model.entries.get(method) for name, model in models.items()}
    found = {name: e.estimate for name, e in entries.items() if e is not None and e.estimate is not None}
    if not found:
        return Ranking(method, ())
    better = next(iter(models.values())).metric.better
    distance = {"higher": lambda value: -value, "lower": lambda value: value, "near 0": abs}[better]
    order = sorted(found, key=lambda name: distance(found[name]))
    truths = {name: models[name].truth for name in found}
    pairs = [(found[name], truth) for name, truth in truths.items() if truth is not None]
    if len(pairs) < len(found):
        return Ranking(method, tuple(order))
    errors = [abs(estimate - truth) for estimate, truth in pairs]
    # How far from the best: where values near 0 are good, their sign says nothing about the order.
    tau, p_value = _tau([(distance(estimate), distance(truth)) for estimate, truth in pairs])
    return Ranking(method, tuple(order), tau, p_value, float(np.mean(errors)), max(errors))


def _tau(pairs: list[tuple[float, float]]) -> tuple[float | None, float | None]:
    """Compute Kendall's tau between estimates and truths; None where ties leave nothing to rank."""
    estimates, truths = zip(*pairs, strict=True)
    if len(pairs) < 2 or len(set(estimates)) < 2 or len(set(truths)) < 2:
        return None, None
    found = kendalltau(estimates, truths)
    return float(found.statistic), float(found.pvalue)
