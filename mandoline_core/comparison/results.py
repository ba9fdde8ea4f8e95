"""What a comparison holds: what every method says of every model, side by side, and how models rank by it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from mandoline_core.arrays import Floats, Interval
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
        Which way the method adjusts the source score; "unchanged" where luck alone would do.
    pieces : tuple of arrays of float
        Independent pieces of the estimate's luck; those of two models line up.
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
        told = [item.name for item in fields(self) if item.name not in ("estimator", "standard_error", "pieces")]
        return {key: getattr(self, key) for key in told} | {
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
        found = [e.estimate for name, e in self.entries.items() if e.estimate is not None and name != "source"]
        return max(found) - min(found) if len(found) > 1 else None

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
        from mandoline_core.comparison.html import render_comparison_html

        return render_comparison_html(self)
