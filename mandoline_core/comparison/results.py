"""The results of a comparison: estimates by model and method, rankings and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import combinations, zip_longest
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.estimators import get_estimator, normal_reach, root_of_squares
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed
from mandoline_core.metrics import Metric
from mandoline_core.pipeline import SelfTest
from mandoline_core.results import Tabular, ends


@dataclass(frozen=True, eq=False)
class Entry:
    """Hold the result of one method for one model.

    Parameters
    ----------
    available : bool
        False if the method does not apply, or failed.
    reason : str or None
        Why it is not available.
    estimate, interval, standard_error
        None if not available.
    change, change_interval : float, pair of floats, or None
        Estimate minus the labelled score, with its own interval, because both use the same rows.
    direction : {"up", "down", "unchanged"} or None
        Direction in which the method moves the labelled score; "unchanged" if that is within sampling error.
    interval_note : str
        What the interval leaves out, where the method's assumption cannot be tested.
    self_test : SelfTest or None
        How far the method is off on halves of the labelled data, where nothing shifts.
    not_self_tested : str or None
        Why it was not tested so.
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
    interval_note: str = ""
    self_test: SelfTest | None = None
    not_self_tested: str | None = None
    pieces: tuple[Floats, ...] = field(default=(), repr=False)

    @property
    def failed(self) -> bool:
        """Whether the method fails its self-test."""
        return self.self_test is not None and self.self_test.failed

    def as_dict(self, truth: float | None) -> dict[str, Any]:
        """Return the entry as plain data."""
        keys = [item.name for item in fields(self) if item.name not in ("estimator", "standard_error", "pieces")]
        return {key: getattr(self, key) for key in keys} | {
            "error": None if self.estimate is None or truth is None else self.estimate - truth,
            "findings": [finding.as_dict() for finding in self.findings],
            "self_test": None if self.self_test is None else asdict(self.self_test),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ModelComparison(Tabular):
    """Hold the results of every method for one model.

    Parameters
    ----------
    source, source_interval : float, pair of floats
        The score on the source.
    truth : float or None
        The true score on the target, if its labels are known.
    entries : dict of str to Entry
        By name of the method, in the registry's order.
    verdict : str or None
        The light of Mandoline's estimate; None if it was not asked for.
    """

    model: str
    metric: Metric
    source: float
    source_interval: Interval
    truth: float | None
    n_source: int
    n_target: int
    entries: dict[str, Entry]
    verdict: str | None = None

    @property
    def furthest(self) -> tuple[Entry, Entry] | None:
        """The two methods with one assumption whose estimates differ most, lower first; None if there are not two.

        Methods that assume different things are not expected to agree; one that does not pass its self-test is left
        out.
        """
        groups: dict[str, list[tuple[float, str]]] = {}
        for name, entry in self.entries.items():
            premise = get_estimator(name).premise
            if entry.estimate is not None and premise and entry.self_test is not None and not entry.failed:
                groups.setdefault(premise, []).append((entry.estimate, name))
        pairs = [(min(group), max(group)) for group in groups.values() if len(group) > 1]
        if not pairs:
            return None
        lowest, highest = max(pairs, key=lambda pair: pair[1][0] - pair[0][0])
        return self.entries[lowest[1]], self.entries[highest[1]]

    @property
    def disagreement(self) -> float | None:
        """How much methods differ that share an assumption and pass their self-test; None if there are not two."""
        if self.furthest is None:
            return None
        lowest, highest = (entry.estimate for entry in self.furthest)
        return None if lowest is None or highest is None else highest - lowest

    @property
    def second_opinion(self) -> str | None:
        """The second opinion on the estimate; None if not available."""
        entry = self.entries.get("second_opinion")
        return None if entry is None else next((f.message for f in entry.findings if f.code == entry.estimator), None)

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {
            "source": self.source,
            "source_interval": self.source_interval,
            "truth": self.truth,
            "verdict": self.verdict,
            "disagreement": self.disagreement,
            "estimators": {name: entry.as_dict(self.truth) for name, entry in self.entries.items()},
        }

    def records(self) -> list[dict[str, Any]]:
        """List the methods."""
        return [
            {"method": name, "estimate": entry.estimate, **ends(entry.interval), "change": entry.change}
            | {"reason": entry.reason}
            for name, entry in self.entries.items()
        ]


@dataclass(frozen=True)
class Difference:
    """Hold the difference between two models by one method: the first estimate minus the second.

    Both use the same rows (a paired comparison), so the interval is narrower than two single intervals suggest.

    Parameters
    ----------
    value, interval : float, pair of floats, or None
        None if held back.
    held_back : str or None
        Why it is held back.
    """

    estimator: str
    first: str
    second: str
    value: float | None
    interval: Interval | None
    held_back: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the difference as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Ranking:
    """Hold the ranking of the models by one method, and its accuracy if the truth is known.

    Parameters
    ----------
    order : tuple of str
        Models with an estimate, best first; empty if held back.
    tau, p_value : float or None
        Kendall's rank correlation with the truth.
    mean_absolute_error, max_absolute_error : float or None
        Over models.
    held_back : str or None
        Why there is no order.
    """

    estimator: str
    order: tuple[str, ...]
    tau: float | None = None
    p_value: float | None = None
    mean_absolute_error: float | None = None
    max_absolute_error: float | None = None
    held_back: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data."""
        return {key: value for key, value in asdict(self).items() if key != "estimator"}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Tabular):
    """Hold the results by model and method. Prints as text in a terminal and as tables in a notebook.

    Parameters
    ----------
    held_back : str or None
        Why estimates do not rank the models; the ranking on labelled data stays.
    """

    name: str
    models: dict[str, ModelComparison]
    rankings: dict[str, Ranking]
    differences: tuple[Difference, ...]
    held_back: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data: what `mandoline compare --json` prints."""
        return {
            "models": {name: model.as_dict() for name, model in self.models.items()},
            "rankings": {name: ranking.as_dict() for name, ranking in self.rankings.items()},
            "differences": [difference.as_dict() for difference in self.differences],
            "held_back": self.held_back,
        }

    def records(self) -> list[dict[str, Any]]:
        """List the methods of every model."""
        return [{"model": name, **line} for name, model in self.models.items() for line in model.records()]

    def __str__(self) -> str:
        from mandoline_core.comparison.text import render_comparison

        return render_comparison(self)

    def _repr_html_(self) -> str:
        from mandoline_core.comparison.text import render_comparison_html

        return render_comparison_html(self)


def summarise(name: str, models: Mapping[str, ModelComparison], confidence: float) -> Comparison:
    """Rank the models by every method, compare them in pairs, and compute errors if the truth is known."""
    methods = list(dict.fromkeys(method for model in models.values() for method in model.entries))
    red = [name for name, model in models.items() if model.verdict == "red" and model.truth is None]
    rankings: dict[str, Ranking] = {}
    differences: list[Difference] = []
    for method in methods:
        entries = {name: model.entries[method] for name, model in models.items() if method in model.entries}
        estimates = {name: entry.estimate for name, entry in entries.items() if entry.estimate is not None}
        rankings[method] = _rank(method, estimates, models) if estimates else Ranking(method, ())
        if why := _why_held_back(method, [name for name in red if name in estimates]):
            rankings[method] = replace(rankings[method], order=(), tau=None, p_value=None, held_back=why)
        for first, second in combinations(estimates, 2):
            if why := _why_held_back(method, [name for name in red if name in (first, second)]):
                differences.append(Difference(method, first, second, None, None, why))
                continue
            value = estimates[first] - estimates[second]
            error = paired_error(entries[first].pieces, entries[second].pieces)
            interval = normal_interval(value, error, confidence)
            differences.append(Difference(method, first, second, value, interval))
    held_back = _why_held_back("", red) if len(models) > 1 else None
    return Comparison(name, dict(models), rankings, tuple(differences), held_back)


def _why_held_back(method: str, red: Sequence[str]) -> str | None:
    """Say why a method does not rank models, some of which have a red light; None if it may.

    The score on labelled data is a fact, whatever the light. How right rankings were is measured on real shifts.
    """
    if method and not get_estimator(method).ranks:
        return "Optimal transport does not rank models: its bias differs from model to model."
    if not red or method == "source":
        return None
    return (
        f"The verdict on {listed(red)} is red. On real shifts with a red verdict, the ranking on labelled data was as "
        "good (Kendall's tau 0.36 to 0.48, by estimates 0.30), and 95 of 263 differences beyond sampling error had the "
        "wrong sign."
    )


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
    gaps = []
    for pair in zip_longest(first, second, fillvalue=np.zeros(1)):
        n = max(map(len, pair))
        a, b = (np.pad(piece, (0, n - len(piece))) for piece in pair)
        gaps.append(a - b)
    return root_of_squares(gaps)


def normal_interval(value: float, error: float, confidence: float) -> Interval:
    """Compute a symmetric interval around a difference."""
    half = normal_reach(confidence) * error
    return value - half, value + half
