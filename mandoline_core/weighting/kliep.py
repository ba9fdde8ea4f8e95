"""The solver: damped Newton for the concave noise-aware LL-KLIEP objective, on patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.weighting.potentials import Tilt, TiltValue

_Point = tuple[float, TiltValue, Floats]
_Climb = Callable[[Floats], _Point]

GRADIENT_TOLERANCE = 1e-12
ACCEPTABLE_GRADIENT = 1e-9
MAX_STEPS = 60
POLISHING_GAIN = 1e-11
# A step may change the log of a ratio by so much: where a slice is rare in the source the curvature is small, and
# a full Newton step would jump to if absent left.
LONGEST_STEP = 6.0
# No sound problem tilts this far: exp(60) rows would have to stand behind one.
MAX_LOG_RATIO = 60.0
# Directions along which the source's potentials vary less than this are redundant.
RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class KliepSolution:
    """Hold the fitted parameters and what the source looks like under them.

    Parameters
    ----------
    delta : array of float, shape (n_potentials,)
    weights : array of float, shape (n_patterns,)
        Share of the reweighted source in each pattern; sums to 1.
    ratios : array of float, shape (n_patterns,)
        How much each row of a pattern counts; averages 1 over the source.
    mean : array of float, shape (n_potentials,)
        Potentials of the reweighted source.
    inverse : array of float, shape (n_potentials, n_potentials)
        Pseudo-inverse of the (negative) Hessian, ridge included.
    """

    delta: Floats
    weights: Floats
    ratios: Floats
    mean: Floats
    tilted: TiltValue
    inverse: Floats
    converged: bool
    steps: int


def varying_directions(tilt: Tilt, present: NDArray[np.bool_]) -> Floats:
    """Find an orthonormal basis of the directions in which the source's potentials vary.

    One-hot and duplicate slices leave some directions without variation; the weights do not depend
    on them, and leaving them out gives the parameters of minimum norm.

    Parameters
    ----------
    present : array of bool, shape (n_patterns,)

    Returns
    -------
    array of float, shape (n_potentials, rank)
    """
    # Every possible configuration is given the same probability: rank does not depend on how likely it is.
    even = tilt.with_logs(np.where(np.isneginf(log), -np.inf, 0.0) for log in tilt.logs)
    share = present / present.sum()
    values, vectors = np.linalg.eigh(even.evaluate(np.zeros(tilt.fixed.shape[1])).covariance(share))
    return vectors[:, values > RANK_TOLERANCE * max(1.0, values[-1] if len(values) else 1.0)]


def solve(
    tilt: Tilt,
    counts: Floats,
    target_mean: Floats,
    *,
    ridge: float | Floats = 0.0,
    start: Floats | None = None,
    basis: Floats | None = None,
) -> KliepSolution:
    """Maximise F(delta) = delta . mu_t - log E_s[E_s[exp(delta . phi(g)) | codes]] - sum_j ridge_j delta_j^2 / 2.

    Parameters
    ----------
    counts : array of float, shape (n_patterns,)
        Source rows of each pattern.
    target_mean : array of float, shape (n_potentials,)
        mu_t, the target's potentials.
    ridge : float or array of float, shape (n_potentials,)
        The penalty on all parameters, or on each.
    start : array of float, shape (n_potentials,), optional
        Where to start, from an earlier solution.
    basis : array of float, shape (n_potentials, rank), optional
        From `varying_directions`.

    Returns
    -------
    KliepSolution
        `converged` is False when no finite maximum was found; nothing else in it is then to be trusted.
    """
    penalty = np.broadcast_to(np.asarray(ridge, dtype=float), tilt.fixed.shape[1])
    if penalty.any():
        basis = np.eye(tilt.fixed.shape[1])  # the ridge alone settles redundant directions
    elif basis is None:
        basis = varying_directions(tilt, counts > 0)
    with np.errstate(divide="ignore"):
        log_share = np.log(counts / counts.sum())
    delta = np.zeros(tilt.fixed.shape[1]) if start is None else basis @ (basis.T @ start)

    def climb(delta: Floats) -> tuple[float, TiltValue, Floats]:
        tilted = tilt.evaluate(delta)
        log_weights = log_share + tilted.log_scale
        log_total = _log_sum_exp(log_weights)
        value = float(delta @ target_mean) - log_total - 0.5 * float(penalty @ delta**2)
        return value, tilted, log_weights - log_total

    value, tilted, log_weights = climb(delta)
    converged, steps, smallest = False, 0, np.inf
    for steps in range(MAX_STEPS + 1):
        weights = np.exp(log_weights)
        hessian = basis.T @ (tilted.covariance(weights) + np.diag(penalty)) @ basis
        gradient = basis.T @ (target_mean - weights @ tilted.mean - penalty * delta)
        inverse = _inverse(hessian)
        size = float(np.abs(gradient).max(initial=0.0))
        converged = size <= ACCEPTABLE_GRADIENT
        if size <= GRADIENT_TOLERANCE or steps == MAX_STEPS:
            break
        # Moves within the basis alone: of all parameters with the same weights, those of minimum norm. Any other
        # choice would let a duplicate slice drift without bound.
        step = basis @ (inverse @ gradient)
        gain = float(gradient @ inverse @ gradient)
        if gain <= POLISHING_GAIN:
            # The objective can no longer tell better from worse; the gradient still can.
            if size >= smallest:
                break
            smallest, scale, moved = size, 1.0, climb(delta + step)
        else:
            # The objective is concave, so a step in this direction always rises; only its length may be too much.
            step *= LONGEST_STEP / max(_reach(tilt, tilted, step, counts > 0), LONGEST_STEP)
            gain = float(gradient @ (basis.T @ step))
            scale, moved = _search(climb, delta, step, value, gain)
            if scale == 0.0:
                break
        delta = delta + scale * step
        value, tilted, log_weights = moved
        if np.ptp(tilted.log_scale[counts > 0]) > MAX_LOG_RATIO:
            converged = False
            break
    weights = np.exp(log_weights)
    ratios = np.exp(tilted.log_scale - _log_sum_exp(log_share + tilted.log_scale))
    return KliepSolution(
        delta=delta,
        weights=weights,
        ratios=ratios,
        mean=weights @ tilted.mean,
        tilted=tilted,
        inverse=basis @ inverse @ basis.T,
        converged=converged,
        steps=steps,
    )


def _search(climb: _Climb, delta: Floats, step: Floats, value: float, gain: float) -> tuple[float, _Point]:
    """Halve the step until the objective rises enough (Armijo's rule); scale 0 when it never does."""
    scale = 1.0
    while scale > 1e-10:
        moved = climb(delta + scale * step)
        if moved[0] >= value + 1e-4 * scale * gain:
            return scale, moved
        scale /= 2
    return 0.0, moved


def _log_sum_exp(values: Floats) -> float:
    """Return log sum exp; SciPy's takes longer than all the rest of a step on a few hundred patterns."""
    largest = float(values.max())
    return largest + float(np.log(np.exp(values - largest).sum()))


def _reach(tilt: Tilt, tilted: TiltValue, step: Floats, present: NDArray[np.bool_]) -> float:
    """Bound how much a step changes log-ratios, between patterns and between the truths behind one."""
    groups = [tilt.lone[:, None], *(component.potentials[None] for component in tilt.components)]
    between_truths = max((2 * float(np.abs(step[group]).sum(axis=1).max(initial=0.0)) for group in groups), default=0.0)
    return max(float(np.ptp(tilted.mean[present] @ step)), between_truths)


def _inverse(matrix: Floats) -> Floats:
    """Invert a symmetric matrix, leaving out directions that have lost all curvature."""
    if not len(matrix):
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    keep = values > 1e-14 * values[-1]
    return (vectors[:, keep] / values[keep]) @ vectors[:, keep].T
