"""What a comparison holds: what every method says of every model, how models rank by it, and how right it was."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import combinations, zip_longest
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.estimators import normal_reach
from mandoline_core.findings import Finding
from mandoline_core.formatting import Sentence
from mandoline_core.metrics import Metric


@dataclass(frozen=True, eq=False)
class Entry:
    """Hold what one method says of one model.

    Parameters
    ----------
    available : bool
        False where the method does not apply, or failed.
    reason : str or None
        Why it is not available.
    estimate, interval, standard_error
        None where it is not available.
    change, change_interval : float, pair of floats, or None
        Estimate minus source score. The same rows make both, so its interval is its own.
    direction : {"up", "down", "unchanged"} or None
        Which way the method adjusts the source score; "unchanged" where sampling error alone would do.
    pieces : tuple of arrays of float
        Independent pieces of the estimate's sampling error; those of two models line up.
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
        keys = [item.name for item in fields(self) if item.name not in ("estimator", "standard_error", "pieces")]
        return {key: getattr(self, key) for key in keys} | {
            "error": None if self.estimate is None or truth is None else self.estimate - truth,
            "findings": [finding.as_dict() for finding in self.findings],
        }


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Hold what every method says of one model.

    Parameters
    ----------
    source, source_interval : float, pair of floats
        The score on the labelled source.
    truth : float or None
        The score on the target's own labels, if they are known.
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
        values = [e.estimate for name, e in self.entries.items() if e.estimate is not None and name != "source"]
        return max(values) - min(values) if len(values) > 1 else None

    @property
    def second_opinion(self) -> Sentence | None:
        """What the model's own confidence says of the estimate by slices; None where it was not asked."""
        entry = self.entries.get("second_opinion")
        return None if entry is None else next((f.message for f in entry.findings if f.code == entry.estimator), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "source": self.source,
            "source_interval": self.source_interval,
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

    def as_dict(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Ranking:
    """Hold how one method ranks the models, and how right it was once the truth is known.

    Parameters
    ----------
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

    def as_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data."""
        return {key: value for key, value in asdict(self).items() if key != "estimator"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Hold models times methods. Prints as text in a terminal and as tables in a notebook."""

    name: str
    models: dict[str, ModelComparison]
    rankings: dict[str, Ranking]
    differences: tuple[Difference, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data: what `mandoline compare --json` prints."""
        return {
            "models": {name: model.as_dict() for name, model in self.models.items()},
            "rankings": {name: ranking.as_dict() for name, ranking in self.rankings.items()},
            "differences": [difference.as_dict() for difference in self.differences],
        }

    def __str__(self) -> str:
        from mandoline_core.comparison.text import render_comparison

        return render_comparison(self)

    def _repr_html_(self) -> str:
        from mandoline_core.comparison.text import render_comparison_html

        return render_comparison_html(self)


def summarise(name: str, models: Mapping[str, ModelComparison], confidence: float) -> Comparison:
    """Rank the models by every method, compare them in pairs, and judge the methods where the truth is known."""
    methods = list(dict.fromkeys(method for model in models.values() for method in model.entries))
    rankings: dict[str, Ranking] = {}
    differences: list[Difference] = []
    for method in methods:
        entries = {name: model.entries[method] for name, model in models.items() if method in model.entries}
        estimates = {name: entry.estimate for name, entry in entries.items() if entry.estimate is not None}
        rankings[method] = _rank(method, estimates, models) if estimates else Ranking(method, ())
        for first, second in combinations(estimates, 2):
            value = estimates[first] - estimates[second]
            error = paired_error(entries[first].pieces, entries[second].pieces)
            interval = normal_interval(value, error, confidence)
            differences.append(Difference(method, first, second, value, interval))
    return Comparison(name, dict(models), rankings, tuple(differences))


def _rank(method: str, estimates: Mapping[str, float], models: Mapping[str, ModelComparison]) -> Ranking:
    better = next(iter(models.values())).metric.better
    # Small is good: how far a value is from the best there is, or would be.
    distance = {"higher": lambda value: -value, "lower": lambda value: value, "near 0": abs}[better]
    order = sorted(estimates, key=lambda name: distance(estimates[name]))
    pairs = [(estimate, truth) for name, estimate in estimates.items() if (truth := models[name].truth) is not None]
    if len(pairs) < len(estimates):
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
    from scipy.stats import kendalltau  # takes half a second to import, and is needed once the truth is known

    tau = kendalltau(estimates, truths)
    return float(tau.statistic), float(tau.pvalue)


def paired_error(first: Sequence[Floats], second: Sequence[Floats]) -> float:
    """Compute the standard error of the difference of two estimates from the pieces of their sampling errors.

    Pieces line up: the same rows make both, so that what they share cancels. Pieces that one of them does not have
    are 0.

    >>> paired_error([np.array([0.3, 0.1])], [np.array([0.0, 0.1])])
    0.3
    """
    gaps = [a - b for a, b in zip_longest(first, second, fillvalue=np.zeros(()))]
    return math.sqrt(sum(float(gap @ gap) for gap in gaps))


def normal_interval(value: float, error: float, confidence: float) -> Interval:
    """Put a symmetric interval around a difference."""
    half = normal_reach(confidence) * error
    return value - half, value + half
