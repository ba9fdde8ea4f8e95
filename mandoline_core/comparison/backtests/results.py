"""What a backtest found: every single draw, how methods did by kind of shift, and what to expect of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mandoline_core.arrays import Interval
from mandoline_core.comparison.backtests.pseudo_targets import CLASS, HELD_OUT, SLICES
from mandoline_core.metrics import Metric

EXPECTED_KINDS = (SLICES, HELD_OUT, CLASS)  # whose errors a person may expect, whatever columns there are


@dataclass(frozen=True)
class Draw:
    """Hold what one method said on one pseudo-target.

    Parameters
    ----------
    kind, detail : str
        The kind of shift; the slice held out, the part of a column, or "".
    number : int
        Of the draw, within its kind: methods with the same number saw the same rows.
    truth : float
        The metric on the pseudo-target's population.
    source : float or None
        The metric on the pseudo-source's rows.
    covered : bool or None
        Whether the interval holds the truth.
    direction_right : bool or None
        Whether the estimate lies on the truth's side of the source score; None where the two are too near to tell,
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
    """Hold how one method did over many pseudo-targets; numbers are None where it never succeeded.

    Parameters
    ----------
    n : int
        Pseudo-targets on which it succeeded.
    mean_error, mean_absolute_error, max_absolute_error, rmse : float or None
        Of estimate minus truth.
    coverage : float or None
        Share of intervals that hold the truth.
    direction_right : float or None
        Share of estimates on the truth's side of the source score.
    n_directions : int
        Pseudo-targets where the truth was far enough from the source score to have a side.
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


@dataclass(frozen=True, eq=False)
class ModelBacktest:
    """Hold how every method did for one model.

    Parameters
    ----------
    estimator : str
        The method that the settings choose.
    kinds : dict of str to dict of str to MethodRecord
        By kind of shift and method.
    draws : tuple of Draw
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
    draws: tuple[Draw, ...]
    left_out: dict[str, str]
    skipped: dict[str, str]
    n_source: int
    n_target: int
    confidence: float
    words: tuple[str, ...]

    def expected_error(self, method: str) -> float | None:
        """Average a method's mean absolute error over the kinds that tilt the source; None where it never succeeded.

        Splits by columns are left out: how many there are is chance, and each may be of any strength.
        """
        judged = [self.kinds[kind].get(method) for kind in EXPECTED_KINDS if kind in self.kinds]
        errors = [one.mean_absolute_error for one in judged if one is not None and one.mean_absolute_error is not None]
        return float(np.mean(errors)) if errors else None

    def details(self, kind: str) -> dict[str, dict[str, MethodRecord]]:
        """Judge the methods on every part of a kind by itself: by slice held out, by part of a column."""
        chosen = [drawn for drawn in self.draws if drawn.kind == kind]
        return {
            detail: judge(drawn for drawn in chosen if drawn.detail == detail)
            for detail in dict.fromkeys(drawn.detail for drawn in chosen)
        }

    def as_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return the backtest as plain data, every single draw only if asked for."""
        methods = dict.fromkeys(drawn.method for drawn in self.draws)
        return {
            "metric": self.metric.name,
            "n_source": self.n_source,
            "n_target": self.n_target,
            "confidence": self.confidence,
            "expected_error": {method: self.expected_error(method) for method in methods},
            "kinds": {
                kind: {
                    "methods": _plain(judged),
                    "details": {detail: _plain(part) for detail, part in self.details(kind).items() if detail},
                }
                for kind, judged in self.kinds.items()
            },
            "left_out": dict(self.left_out),
            "skipped": dict(self.skipped),
            "words": list(self.words),
        } | ({"draws": [asdict(drawn) for drawn in self.draws]} if draws else {})


def _plain(judged: dict[str, MethodRecord]) -> dict[str, dict[str, Any]]:
    return {method: asdict(one) for method, one in judged.items()}


@dataclass(frozen=True, eq=False)
class Backtest:
    """Hold the backtests of all models. Prints as text in a terminal."""

    name: str
    models: dict[str, ModelBacktest]

    def as_dict(self, *, draws: bool = False) -> dict[str, Any]:
        """Return the backtest as plain data: what `mandoline backtest --json` prints."""
        return {"models": {name: model.as_dict(draws=draws) for name, model in self.models.items()}}

    def __str__(self) -> str:
        from mandoline_core.comparison.backtests.text import render_backtest

        return render_backtest(self)


def judge(draws: Iterable[Draw]) -> dict[str, MethodRecord]:
    """Sum up how each method did, in the order in which methods first appear.

    Examples
    --------
    >>> one = Draw("slices", "", 0, "m", 0.5, 0.6, 0.5, (0.4, 0.55), covered=True, direction_right=True)
    >>> other = Draw("slices", "", 1, "m", 0.5, 0.6, 0.4, (0.35, 0.45), covered=False, direction_right=True)
    >>> found = judge([one, other])["m"]
    >>> round(found.mean_absolute_error, 3), found.coverage, found.direction_right
    (0.05, 0.5, 1.0)
    """
    by_method: dict[str, list[Draw]] = {}
    for drawn in draws:
        by_method.setdefault(drawn.method, []).append(drawn)
    return {method: _judge(found) for method, found in by_method.items()}


def _judge(draws: list[Draw]) -> MethodRecord:
    errors = np.array([drawn.error for drawn in draws if drawn.error is not None])
    covered = [drawn.covered for drawn in draws if drawn.covered is not None]
    sides = [drawn.direction_right for drawn in draws if drawn.direction_right is not None]
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
        failures=len(draws) - len(errors),
    )
