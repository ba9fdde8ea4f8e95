"""Elasticity: how sensitive the estimate is to each correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import fit_folds, get_estimator
from mandoline_core.formatting import show_points
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings
from mandoline_core.weighting import ABSTAIN, IN, OUT, Corrections, Problem

KEYS = {"inside": IN, "outside": OUT, "abstain": ABSTAIN}
_STEP = 1e-4


@dataclass(frozen=True)
class CorrectionSlope:
    """Hold how fast the estimate moves with one correction.

    Parameters
    ----------
    side : {"source", "target"}
    key : {"inside", "outside", "abstain"}
    value : float
        The correction as it is: p(truly in | what the slice says).
    slope : float or None
        Change of the estimate per unit of the probability; None where a small step already changes which rows
        the estimate is about, or leaves nothing to estimate.
    """

    slice: str
    side: str
    key: str
    value: float
    slope: float | None
    words: str

    def as_dict(self) -> dict[str, Any]:
        """Return the slope as plain data."""
        return asdict(self)


def correction_slopes(fit: Fit, settings: EstimatorSettings) -> tuple[CorrectionSlope, ...]:
    """Compute how sensitive the estimate is to each correction.

    Those are the source's corrections of each slice, and the target's where they were set separately; target
    corrections that are derived from the source's, or the same, move along. Abstention counts where the slice
    abstains in the sample; where nothing was stated for it, the slope is that of stating it next to what is taken
    now. Differences of re-solved estimates: central ones, and one-sided at 0 and 1.

    Parameters
    ----------
    settings : EstimatorSettings
        Its name says which estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from mandoline_core.report import estimate_from_codes
    >>> source, target = np.array([[1], [-1]] * 100), np.array([[1], [1], [-1]] * 50)
    >>> noise = np.array([[0.1, 0.5, 0.9]])
    >>> report = estimate_from_codes(source, [1.0, 0.0] * 100, target, noise=(noise, noise))
    >>> found = correction_slopes(report.first.fit, EstimatorSettings())
    >>> [(slope.side, slope.key) for slope in found]
    [('source', 'inside'), ('source', 'outside'), ('target', 'inside'), ('target', 'outside')]
    >>> found[2].words
    '1 point less reliable when the rule says yes (new data): -0.5 points.'
    """
    problem = fit.problem
    estimator = get_estimator(settings.name)
    why = estimator.why_not(problem)
    if why is None and not estimator.uses_slices:
        why = "It does not use slices."
    if why is not None:
        raise MandolineError(f"Method {settings.name!r} does not apply. {why}")
    outcome = estimator.estimate(problem)
    if not outcome.converged:
        raise MandolineError("The weights could not be fitted. Use fewer slices.")
    problem = replace(problem, start=outcome.delta)
    corrections, kept = problem.corrections(), outcome.kept
    return tuple(_slope(problem, settings.name, corrections, kept, *which) for which in _movable(problem))


def _movable(problem: Problem) -> Iterator[tuple[int, str, str]]:
    """List slice, side and key of every correction that can be set."""
    rates = {side: problem.patterns.rates(side) for side in ("source", "target")}
    for i in range(len(problem.patterns.names)):
        for side in ("source", "target"):
            if side == "target" and problem.rule.follows[i]:
                continue
            # What an abstention means in the source is carried over to a target that follows it.
            heard = (
                rates["source"][i] + rates["target"][i] * problem.rule.follows[i]
                if side == "source"
                else rates[side][i]
            )
            yield from ((i, side, key) for key, code in KEYS.items() if key != "abstain" or heard[code] > 0)


def _slope(
    problem: Problem,
    name: str,
    corrections: Corrections,
    kept: Floats,
    i: int,
    side: str,
    key: str,
) -> CorrectionSlope:
    """Differentiate the estimate by one number."""
    value = float(getattr(corrections, side)[i, KEYS[key]])

    def at(probability: float) -> float:
        return _estimate(_with(problem, i, side, key, probability), name, kept)

    try:
        slope = _difference(at, value)
    except MandolineError:  # a step away nothing can be estimated, or something else
        slope = None
    share = problem.metric.share
    return CorrectionSlope(problem.patterns.names[i], side, key, value, slope, _words(key, side, slope, share=share))


def _difference(at: Callable[[float], float], value: float) -> float:
    """Differentiate by differences: central, or one-sided of second order where a probability ends."""
    if value < 2 * _STEP or value > 1 - 2 * _STEP:
        step = _STEP if value < 0.5 else -_STEP
        return (-3 * at(value) + 4 * at(value + step) - at(value + 2 * step)) / (2 * step)
    return (at(value + _STEP) - at(value - _STEP)) / (2 * _STEP)


def _with(problem: Problem, i: int, side: str, key: str, probability: float) -> Problem:
    """State one correction otherwise."""
    rule = problem.rule
    table = (rule.source if side == "source" else rule.own_target).copy()
    table[i, KEYS[key]] = probability
    return replace(problem, rule=rule.with_source(table) if side == "source" else replace(rule, own_target=table))


def _estimate(problem: Problem, name: str, kept: Floats) -> float:
    """Estimate again; refuse if other target rows are left out, since a jump is no slope."""
    estimator = get_estimator(name)
    if estimator.tilts_slices and not problem.metric.ranked:
        # The influence of every row, which takes most of the time, is not asked for.
        now = fit_folds(problem, problem.corrections())[0].kept
        value = problem.metric.combine(estimator.means(problem))
    else:
        outcome = estimator.estimate(problem)
        now, value = outcome.kept, outcome.value
    if any(((now == end) != (kept == end)).any() for end in (0, 1)):  # parts of patterns may grow and shrink
        raise MandolineError("Other new rows are left out.")
    return value


def _words(key: str, side: str, slope: float | None, *, share: bool) -> str:
    """Say what one point less of reliability does."""
    what = {
        "inside": "1 point less reliable when the rule says yes",
        "outside": "1 point less reliable when the rule says no",
        "abstain": "1 point more often yes when the rule abstains",
    }[key]
    where = " (new data)" if side == "target" else ""
    if slope is None:
        return f"{what}{where}: other rows are left out."
    # Less reliable at yes is a lower probability of being in the slice; less reliable at no, a higher one.
    return f"{what}{where}: {show_points((-0.01 if key == 'inside' else 0.01) * slope, share=share)}."
