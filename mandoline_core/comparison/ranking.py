"""How models rank by every method, how far they are apart, and how right each method was once the truth is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, zip_longest

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.comparison.results import Comparison, Difference, ModelComparison, Ranking
from mandoline_core.estimators import normal_reach


def summarise(name: str, models: Mapping[str, ModelComparison], confidence: float) -> Comparison:
    """Rank the models by every method, compare them in pairs, and judge the methods where the truth is known."""
    methods = list(dict.fromkeys(method for model in models.values() for method in model.entries))
    rankings: dict[str, Ranking] = {}
    differences: list[Difference] = []
    for method in methods:
        entries = {model: one.entries[method] for model, one in models.items() if method in one.entries}
        found = {model: entry.estimate for model, entry in entries.items() if entry.estimate is not None}
        rankings[method] = _rank(method, found, models) if found else Ranking(method, ())
        for first, second in combinations(found, 2):
            value = found[first] - found[second]
            error = paired_error(entries[first].pieces, entries[second].pieces)
            interval = normal_interval(value, error, confidence)
            differences.append(Difference(method, first, second, value, interval))
    return Comparison(name, dict(models), rankings, tuple(differences))


def _rank(method: str, found: Mapping[str, float], models: Mapping[str, ModelComparison]) -> Ranking:
    better = next(iter(models.values())).metric.better
    distance = {"higher": lambda value: -value, "lower": lambda value: value, "near 0": abs}[better]
    order = sorted(found, key=lambda name: distance(found[name]))
    pairs = [(estimate, truth) for name, estimate in found.items() if (truth := models[name].truth) is not None]
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
    from scipy.stats import kendalltau  # takes half a second to import, and is needed once the truth is known

    found = kendalltau(estimates, truths)
    return float(found.statistic), float(found.pvalue)


def paired_error(one: Sequence[Floats], other: Sequence[Floats]) -> float:
    """Compute the standard error of the difference of two estimates from the pieces of their luck, which line up.

    Pieces that one of them does not have are 0.

    >>> paired_error([np.array([0.3, 0.1])], [np.array([0.0, 0.1])])
    0.3
    """
    gaps = [a - b for a, b in zip_longest(one, other, fillvalue=np.zeros(()))]
    return math.sqrt(sum(float(gap @ gap) for gap in gaps))


def normal_interval(value: float, error: float, confidence: float) -> Interval:
    """Put a symmetric interval around a difference."""
    half = normal_reach(confidence) * error
    return value - half, value + half
