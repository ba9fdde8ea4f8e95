"""The results of a backtest: by draw, by method and kind of shift, and average errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.comparison.backtests.pseudo_targets import CLASS, HELD_OUT, SLICES
from mandoline_core.metrics import Metric
from mandoline_core.results import Tabular

EXPECTED_KINDS = (SLICES, HELD_OUT, CLASS)  # the kinds behind the average error


@dataclass(frozen=True)
class Trial:
    """Hold one method's estimate on one simulated target.

    Parameters
    ----------
    kind, detail : str
        The kind of shift; the slice held out, the part of a column, or "".
    number : int
        Of the draw, within its kind: methods with the same number saw the same rows.
    truth : float
        The metric on the pseudo-target's rows; on their population where the metric has no prediction interval.
    source : float or None
        The metric on the pseudo-source's rows.
    interval : pair of floats or None
        Of the truth: the prediction interval, where the metric has one.
    covered : bool or None
        Whether the interval holds the truth.
    direction_right : bool or None
        Whether the sign of the change is right; None where truth and source score are too close to tell,
        and for the source score itself, which takes no side.
    reason : str or None
        Why the method failed.
    """

    kind: str
    detail: str
    number: int
    method: str
    truth: float
    source: float | None
    estimate: float | None = None
    interval: Interval | None = None
    covered: bool | None = None
    direction_right: bool | None = None
    reason: str | None = None

    @property
    def error(self) -> float | None:
        """Estimate minus truth."""
        return None if self.estimate is None else self.estimate - self.truth


@dataclass(frozen=True)
class MethodRecord:
    """Hold one method's errors over many simulated targets; None if it never succeeded.

    Parameters
    ----------
    n : int
        Number of test samples with an estimate.
    mean_error, mean_absolute_error, max_absolute_error, rmse : float or None
        Computed from estimate minus truth.
    coverage : float or None
        Share of intervals that contain the truth.
    direction_right : float or None
        Share of estimates that move the labelled score towards the truth.
    n_directions : int
        Number of test samples whose truth is far enough from the labelled score to have a direction.
    """

    n: int
    mean_error: float | None
    mean_absolute_error: float | None
    max_absolute_error: float | None
    rmse: float | None
    coverage: float | None
    direction_right: float | None
    n_directions: int
    failures: int


@dataclass(frozen=True, eq=False, repr=False)
class ModelBacktest(Tabular):
    """Hold the backtest of one model.

    Parameters
    ----------
    estimator : str
        The method that the settings choose.
    kinds : dict of str to dict of str to MethodRecord
        By kind of shift and method.
    draws : tuple of Trial
        Every single result.
    left_out : dict of str to str
        Methods that were not tried, and why.
    skipped : dict of str to str
        Kinds of shift, or parts of them, that could not be made, and why.
    n_source, n_target : int
        Rows drawn for each pseudo-source and pseudo-target, where the source is tilted and not split.
    confidence : float
        What intervals aim to cover.
    words : tuple of str
        What all this proves, and what not.
    """

    model: str
    metric: Metric
    estimator: str
    kinds: dict[str, dict[str, MethodRecord]]
    draws: tuple[Trial, ...]
    left_out: dict[str, str]
    skipped: dict[str, str]
    n_source: int
    n_target: int
    confidence: float
    words: tuple[str, ...]

    def expected_error(self, method: str) -> float | None:
        """Average a method's mean absolute error over the kinds except 'column'; None if it never succeeded.

        It is of shifts made from the labelled data. Natural shifts are often larger, so it is not the error to expect.

        Splits by columns are left out: how many there are is accident, and each may be of any strength.
        """
        records = [self.kinds[kind].get(method) for kind in EXPECTED_KINDS if kind in self.kinds]
        errors = [record.mean_absolute_error for record in records if record is not None]
        present = [error for error in errors if error is not None]
        return float(np.mean(present)) if present else None

    def details(self, kind: str) -> dict[str, dict[str, MethodRecord]]:
        """Judge the methods on each part of a kind: each held-out slice, each part of a column."""
        trials = [trial for trial in self.draws if trial.kind == kind]
        return {
            detail: judge(trial for trial in trials if trial.detail == detail)
            for detail in dict.fromkeys(trial.detail for trial in trials)
        }

    def as_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return the backtest as plain data; single draws on request."""
        methods = dict.fromkeys(trial.method for trial in self.draws)
        return {
            "metric": self.metric.name,
            "n_source": self.n_source,
            "n_target": self.n_target,
            "confidence": self.confidence,
            "average_error": {method: self.expected_error(method) for method in methods},
            "expected_error": {method: self.expected_error(method) for method in methods},  # the key's old name
            "kinds": {
                kind: {
                    "methods": _plain(records),
                    "details": {detail: _plain(part) for detail, part in self.details(kind).items() if detail},
                }
                for kind, records in self.kinds.items()
            },
            "left_out": dict(self.left_out),
            "skipped": dict(self.skipped),
            "words": list(self.words),
        } | ({"draws": [asdict(trial) for trial in self.draws]} if draws else {})

    def records(self) -> list[dict[str, Any]]:
        """List every method by kind of shift."""
        return [
            {"shift": kind, "method": method, **asdict(record)}
            for kind, records in self.kinds.items()
            for method, record in records.items()
        ]


def _plain(records: dict[str, MethodRecord]) -> dict[str, dict[str, Any]]:
    return {method: asdict(record) for method, record in records.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Backtest(Tabular):
    """Hold the backtests of all models. Prints as text in a terminal."""

    name: str
    models: dict[str, ModelBacktest]

    def as_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return the backtest as plain data: what `mandoline backtest --json` prints."""
        return {"models": {name: model.as_dict(draws=draws) for name, model in self.models.items()}}

    def records(self) -> list[dict[str, Any]]:
        """List every method by model and kind of shift."""
        return [{"model": name, **line} for name, model in self.models.items() for line in model.records()]

    def __str__(self) -> str:
        from mandoline_core.comparison.backtests.text import render_backtest

        return render_backtest(self)


def judge(trials: Iterable[Trial]) -> dict[str, MethodRecord]:
    """Summarise the trials of each method, in order of first appearance.

    Examples
    --------
    >>> first = Trial("slices", "", 0, "m", 0.5, 0.6, 0.5, (0.4, 0.55), covered=True, direction_right=True)
    >>> second = Trial("slices", "", 1, "m", 0.5, 0.6, 0.4, (0.35, 0.45), covered=False, direction_right=True)
    >>> record = judge([first, second])["m"]
    >>> round(record.mean_absolute_error, 3), record.coverage, record.direction_right
    (0.05, 0.5, 1.0)
    """
    by_method: dict[str, list[Trial]] = {}
    for trial in trials:
        by_method.setdefault(trial.method, []).append(trial)
    return {method: _judge(own) for method, own in by_method.items()}


def _judge(trials: list[Trial]) -> MethodRecord:
    errors = np.array([trial.error for trial in trials if trial.error is not None])
    covered = [trial.covered for trial in trials if trial.covered is not None]
    sides = [trial.direction_right for trial in trials if trial.direction_right is not None]
    some = len(errors) > 0
    return MethodRecord(
        n=len(errors),
        mean_error=float(errors.mean()) if some else None,
        mean_absolute_error=float(np.abs(errors).mean()) if some else None,
        max_absolute_error=float(np.abs(errors).max()) if some else None,
        rmse=float(np.sqrt(np.mean(errors**2))) if some else None,
        coverage=float(np.mean(covered)) if covered else None,
        direction_right=float(np.mean(sides)) if sides else None,
        n_directions=len(sides),
        failures=len(trials) - len(errors),
    )
