"""Attribution: how much of the way from the source score to the estimate each slice rule accounts for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from mandoline_core.arrays import Floats, Index, Interval
from mandoline_core.errors import MandolineError
from mandoline_core.estimators import ESTIMATORS, Estimator, bootstrap_interval, draw_problem, fit_folds, get_estimator
from mandoline_core.formatting import show_points, show_value
from mandoline_core.metrics import Metric
from mandoline_core.pipeline.ablation import steps
from mandoline_core.pipeline.fits import Fit
from mandoline_core.project import EstimatorSettings, fewest_replicates
from mandoline_core.weighting import Problem, WeightFit

NOISE_CORRECTION = "noise correction"
ROWS_LEFT_OUT = "rows left out"
_NODES = (8, 16, 32, 64, 128)
_CLOSE_ENOUGH = 1e-10  # of the integral along the path, before its remainder is shared out
_NOTHING = 1e-12


@dataclass(frozen=True)
class AttributionPart:
    """Hold one rule's part.

    Parameters
    ----------
    rule : str
        A slice rule, its slices together; an edge as "a and b"; "noise correction" or "rows left out".
    value : float
        How far it moves the metric.
    interval : pair of floats, or None
        None where too few redraws could be refitted.
    """

    rule: str
    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Attribution:
    """Hold estimate minus source score, and the parts that add up to it.

    Parameters
    ----------
    parts : tuple of AttributionPart
        In the project's order; their values sum to the total.
    words : str
        Whether the weighting mattered, and what did it.
    """

    total: float
    total_interval: Interval | None
    parts: tuple[AttributionPart, ...]
    words: str

    def as_dict(self) -> dict[str, Any]:
        """Return the attribution as plain data."""
        return asdict(self)


def attribute(
    fit: Fit,
    settings: EstimatorSettings,
    *,
    replicates: int = 200,
    progress: Callable[[float], None] | None = None,
) -> Attribution:
    """Share the difference between estimate and source score out among the slice rules.

    The weights are turned on little by little: at t between 0 and 1 a row counts in proportion to
    E_s[exp(t delta . phi(g)) | codes]. On the way the metric moves by the sum, over potentials j, of
    delta_j times the weighted covariance of the linearised score with potential j; each term, added up along the
    way, is that potential's part (Aumann and Shapley's value). Parts do not depend on the order of the slices nor on
    which side of a slice is called inside, and twins share theirs. The integral is computed by Gauss-Legendre
    quadrature; what it leaves, less than 1e-10 as a rule, is shared out in proportion to the parts' sizes, so that
    they sum to the difference exactly.

    Two more parts are not any slice's: "noise correction", what the denoised estimator's regression adds, and
    "rows left out", what comes from averaging over fewer source rows before any weighting: the half that only
    fits, and rows that the target has nothing like. Target rows set aside do not enter, as in the estimate.

    Parameters
    ----------
    settings : EstimatorSettings
        Its method must tilt slices, as "mandoline" does; its seed starts the redraws.
    replicates : int
        How often both samples are redrawn and attributed again, for percentile intervals; 0 for none.
    progress : callable, optional
        Called with the share done.

    Examples
    --------
    >>> import numpy as np
    >>> from mandoline_core.report import estimate_from_codes
    >>> source, target = np.array([[1], [1], [-1], [-1]] * 50), np.array([[1], [1], [1], [-1]] * 50)
    >>> scores = np.array([1.0, 1.0, 0.0, 1.0] * 50)
    >>> report = estimate_from_codes(source, scores, target)
    >>> found = attribute(report.first.fit, EstimatorSettings(), replicates=0)
    >>> round(found.total, 6), [(part.rule, round(part.value, 6)) for part in found.parts]
    (0.125, [('0', 0.125)])
    """
    problem, method = fit.problem, get_estimator(settings.name)
    _check(problem, method)
    outcome = method.estimate(problem)
    if not outcome.converged:
        raise MandolineError("Nothing can be attributed: the weights could not be fitted. Use fewer slices.")
    problem = replace(problem, start=outcome.delta)
    labels, owners = _part_names(fit, problem)
    source = get_estimator("source").estimate(problem).value
    values = _parts(problem, owners, method, outcome.value)
    fewest = fewest_replicates(settings.confidence)
    replicates = max(replicates, fewest) if replicates else 0
    rng, redrawn = np.random.default_rng(settings.seed), []
    for number in range(replicates):
        redraw = draw_problem(problem, rng)
        with suppress(MandolineError):  # the draw lost a class, or all overlap
            redrawn.append(_parts(redraw, owners, method))
        if progress is not None:
            progress((number + 1) / replicates)
    drawn = np.array(redrawn).reshape(len(redrawn), len(values))
    enough = len(drawn) >= max(fewest, replicates // 2)

    def interval(draws: Floats, value: float) -> Interval | None:
        return bootstrap_interval(draws, confidence=settings.confidence, estimate=value) if enough else None

    total = outcome.value - source
    total_interval = interval(drawn.sum(axis=1), total)
    # The parts that are no slice's are left out where they are not at work.
    present = [True] * len(labels) + [bool(values[-2]), method.denoises]
    parts = tuple(
        AttributionPart(label, float(values[i]), interval(drawn[:, i], float(values[i])))
        for i, label in enumerate((*labels, ROWS_LEFT_OUT, NOISE_CORRECTION))
        if present[i]
    )
    words = _words(problem.metric, source, total, total_interval, parts)
    return Attribution(total, total_interval, parts, words)


def _check(problem: Problem, method: Estimator) -> None:
    if not method.tilts_slices:
        able = [name for name, other in ESTIMATORS.items() if other.tilts_slices]
        raise MandolineError(
            f"Estimator {method.name!r} has no weights that build up slice by slice, so nothing can be attributed. "
            f"Choose {' or '.join(map(repr, able))}."
        )
    why = method.reason(problem)
    if why is not None:
        raise MandolineError(f"Estimator {method.name!r} does not apply here. {why}")
    if problem.metric.ranked:
        raise MandolineError(
            f"Metric {problem.metric.name!r} ranks rows and is not made of means, so no slice has a part in it. "
            "Choose another metric."
        )


def _part_names(fit: Fit, problem: Problem) -> tuple[list[str], Index]:
    """Name the parts, rules with all their slices, then edges; also say which part each potential belongs to."""
    groups, slices = steps(fit), problem.patterns.names
    position = {i: number for number, members in enumerate(groups.values()) for i in members}
    edges = [f"{slices[i]} and {slices[j]}" for i, j in problem.edges]
    owners = [*(position[i] for i in range(len(slices))), *(len(groups) + e for e in range(len(edges)))]
    return [*groups, *edges], np.array(owners, dtype=np.intp)


def _parts(problem: Problem, owners: Index, method: Estimator, estimate: float | None = None) -> Floats:
    """Compute all parts, those that are no slice's last; they sum to estimate minus source score.

    Parameters
    ----------
    estimate : float, optional
        Where it is known.
    """
    metric = problem.metric
    source = metric.combine(problem.patterns.sums.sum(axis=0) / problem.patterns.n_source)
    fits = fit_folds(problem, problem.corrections())
    start, end = (metric.combine(_along(problem, fits, t)[0]) for t in (0.0, 1.0))
    if estimate is None:
        estimate = metric.combine(method.means(problem)) if method.denoises else end
    left_out = start - source if abs(start - source) > _NOTHING else 0.0
    noise = estimate - end if method.denoises else 0.0
    values = np.append(np.bincount(owners, weights=_integrate(problem, fits, end - start)), [left_out, noise])
    # A tiny remainder goes to the parts in proportion to their sizes; to all alike where they are nothing.
    size, remainder = np.abs(values), estimate - source - float(values.sum())
    return values + remainder * (size / size.sum() if size.sum() > 0 else np.full(len(values), 1 / len(values)))


def _along(problem: Problem, fits: list[WeightFit], t: float) -> tuple[Floats, Floats]:
    """Evaluate the path at one t.

    Returns
    -------
    means : array of float, shape (n_statistics,)
    slopes : array of float, shape (n_statistics, n_potentials)
        delta_j times the weighted covariance of each statistic with potential j; they sum to d means / dt.
    """
    means, slopes = [], []
    for (_, evaluate_group), fitted in zip(problem.folds, fits, strict=True):
        group, rows, delta = problem.groups[evaluate_group], fitted.rows, fitted.solution.delta
        tilted = fitted.tilt.evaluate(t * delta)
        usable = ~fitted.unused[rows]
        scale = np.where(usable, np.exp(tilted.log_scale - tilted.log_scale[usable].max()), 0.0)
        scale = scale / (group.source[rows] @ scale)
        mean = scale @ group.sums[rows]
        centred = group.sums[rows] - group.source[rows][:, None] * mean
        means.append(mean)
        slopes.append((scale[:, None] * centred).T @ tilted.mean * delta)
    return np.mean(means, axis=0), np.mean(slopes, axis=0)


def _integrate(problem: Problem, fits: list[WeightFit], total: float) -> Floats:
    """Add up each potential's part along the path, with as many nodes as it takes; shape (n_potentials,)."""
    for n in _NODES:
        points, weights = np.polynomial.legendre.leggauss(n)
        parts = np.zeros(len(fits[0].solution.delta))
        for t, weight in zip((points + 1) / 2, weights / 2, strict=True):
            means, slopes = _along(problem, fits, float(t))
            parts += weight * (problem.metric.slope(means) @ slopes)
        if abs(total - parts.sum()) <= _CLOSE_ENOUGH:
            break
    return parts


def _words(
    metric: Metric, source: float, total: float, interval: Interval | None, parts: tuple[AttributionPart, ...]
) -> str:
    """Say whether the weighting mattered, and which parts did most of it."""
    share = metric.share
    moved = show_points(total, share=share)
    if interval is not None:
        low, high = (show_points(end, share=share, unit=False) for end in interval)
        moved += f" ({low} to {high})"
        if interval[0] <= 0 <= interval[1]:
            return f"Weighting moves the score by {moved}, no more than luck would."
    ends = f"from {show_value(source, share=share)} to {show_value(source + total, share=share)}"
    said = f"Weighting moves the score by {moved}, {ends}."
    ranked = sorted(parts, key=lambda part: -round(abs(part.value), 12))  # twins stay in order
    most = [part for part in ranked if abs(part.value) > max(0.25 * abs(ranked[0].value), _NOTHING)][:3]
    if not most:
        return said
    listing = ", ".join(f"{part.rule} {show_points(part.value, share=share)}" for part in most)
    return f"{said} Most of it comes from: {listing}."
