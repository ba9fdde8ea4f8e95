"""Attribution: how much of the way from the source score to the estimate each slice rule accounts for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Interval
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
    prepared: Fit,
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
    problem, method = prepared.problem, get_estimator(settings.name)
    _check(problem, method)
    outcome = method.estimate(problem)
    if not outcome.converged:
        raise MandolineError("Nothing can be attributed: the weights could not be fitted. Use fewer slices.")
    problem = replace(problem, start=outcome.delta)
    names = _part_names(prepared, problem)
    source = get_estimator("source").estimate(problem).value
    values = _parts(problem, names, method, outcome.value)
    fewest = fewest_replicates(settings.confidence)
    replicates = max(replicates, fewest) if replicates else 0
    drawn = _redraw(problem, names, method, replicates, settings.seed, progress)
    enough = len(drawn) >= max(fewest, replicates // 2)

    def interval(redrawn: Floats, value: float) -> Interval | None:
        return bootstrap_interval(redrawn, confidence=settings.confidence, estimate=value) if enough else None

    total = outcome.value - source
    total_interval = interval(drawn.sum(axis=1), total)
    labels = [*names.labels, ROWS_LEFT_OUT, NOISE_CORRECTION]
    parts = tuple(
        AttributionPart(labels[i], float(values[i]), interval(drawn[:, i], float(values[i])))
        for i in _present(values, method.denoises)
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


class _Names(NamedTuple):
    """Hold what each part is called, and which part each potential belongs to."""

    labels: tuple[str, ...]
    owner: tuple[int, ...]


def _part_names(prepared: Fit, problem: Problem) -> _Names:
    """Name the parts: rules with all their slices, then edges."""
    groups, slices = steps(prepared), problem.patterns.names
    position = {i: number for number, members in enumerate(groups.values()) for i in members}
    edges = [f"{slices[i]} and {slices[j]}" for i, j in problem.edges]
    owner = [position[i] for i in range(len(slices))] + [len(groups) + e for e in range(len(edges))]
    return _Names((*groups, *edges), tuple(owner))


def _parts(problem: Problem, names: _Names, method: Estimator, estimate: float | None = None) -> Floats:
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
    values = np.zeros(len(names.labels) + 2)
    np.add.at(values, list(names.owner), _integrate(problem, fits, end - start))
    values[-2] = start - source if abs(start - source) > _NOTHING else 0.0
    values[-1] = estimate - end if method.denoises else 0.0
    return _share_out(values, estimate - source - float(values.sum()))


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


def _share_out(values: Floats, remainder: float) -> Floats:
    """Add a tiny remainder to the parts in proportion to their sizes; to all alike where they are nothing."""
    size = np.abs(values)
    return values + remainder * (size / size.sum() if size.sum() > 0 else np.full(len(values), 1 / len(values)))


def _present(values: Floats, denoise: bool) -> list[int]:
    """Leave out the parts that are no slice's where they are not at work."""
    n = len(values) - 2
    return [*range(n), *([n] if values[n] else []), *([n + 1] if denoise else [])]


def _redraw(
    problem: Problem,
    names: _Names,
    method: Estimator,
    replicates: int,
    seed: int,
    progress: Callable[[float], None] | None,
) -> Floats:
    """Attribute again on redrawn samples, shape (n_succeeded, n_parts)."""
    rng, found = np.random.default_rng(seed), []
    for number in range(replicates):
        redrawn = draw_problem(problem, rng)
        try:
            found.append(_parts(redrawn, names, method))
        except MandolineError:  # the draw lost a class, or all overlap
            continue
        finally:
            if progress is not None:
                progress((number + 1) / replicates)
    return np.array(found).reshape(len(found), len(names.labels) + 2)


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
