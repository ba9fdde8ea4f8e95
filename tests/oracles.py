"""Slow and obvious answers to compare with: every truth of every row enumerated, every row resampled.

Written from the definitions alone; nothing here calls the package.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog, nnls
from scipy.special import logsumexp


@dataclass(frozen=True, eq=False)
class Answer:
    """Hold what enumeration found.

    Parameters
    ----------
    delta : array, shape (n_potentials,)
    weights : array, shape (n_source_rows,)
    moments : array, shape (n_potentials,)
        Potentials of the reweighted source.
    target_moments : array, shape (n_potentials,)
    estimate, denoised : float
    gradient : float
        Largest component left at the maximum.
    curvature : float
        Smallest eigenvalue of the Hessian that is not zero for lack of variation.
    redundant : bool
        Some direction of delta makes no difference.
    denoisable : bool
        The regression reaches everything that shifts.
    """

    delta: np.ndarray
    weights: np.ndarray
    moments: np.ndarray
    target_moments: np.ndarray
    estimate: float
    denoised: float
    gradient: float
    curvature: float
    redundant: bool
    denoisable: bool

    @property
    def well_posed(self) -> bool:
        """Tell whether a maximum exists and rounding leaves ten digits of it."""
        return self.gradient < 1e-12 and self.curvature > 1e-3


def answer(
    source: np.ndarray,
    scores: np.ndarray,
    target: np.ndarray,
    tables: tuple[np.ndarray, np.ndarray],
    edges: Sequence[tuple[int, int]] = (),
    ridge: float = 0.0,
) -> Answer:
    """Estimate by enumerating every truth of every row.

    Parameters
    ----------
    source, target : array of -1, 0, 1, shape (n_rows, n_slices)
    scores : array, shape (n_source_rows,)
    tables : pair of arrays, shape (n_slices, 3)
        p(g = 1 | code) for the codes -1, 0, 1, in each sample.
    """
    potentials = phi(all_truths(source.shape[1]), edges)
    at_source = truth_given_codes(source, tables[0])
    goal = truth_given_codes(target, tables[1]).mean(axis=0) @ potentials
    chance = at_source.mean(axis=0)
    delta, gradient = maximise(chance, potentials, goal, ridge)
    tilt = np.exp(potentials @ delta - (potentials @ delta).max())
    weights = at_source @ tilt / (at_source @ tilt).sum()
    tilted = chance * tilt / (chance @ tilt)
    hessian = covariance(potentials, tilted) + ridge * np.eye(len(delta))
    varies = np.linalg.eigvalsh(covariance(potentials, (chance > 0) / (chance > 0).sum())) > 1e-10
    expected = at_source @ potentials
    denoised, denoisable = denoise(expected, scores, weights, goal)
    return Answer(
        delta=delta,
        weights=weights,
        moments=tilted @ potentials,
        target_moments=goal,
        estimate=float(weights @ scores),
        denoised=denoised,
        gradient=gradient,
        curvature=float(np.linalg.eigvalsh(hessian)[0 if ridge else (~varies).sum() :].min(initial=1.0)),
        redundant=not varies.all(),
        denoisable=denoisable,
    )


def all_truths(n_slices: int) -> np.ndarray:
    """List {-1, 1}^k."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=n_slices))).reshape(-1, n_slices)


def phi(truths: np.ndarray, edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """Compute [g_1 .. g_k, g_i g_j for each edge] of each truth."""
    return np.array([[*g, *(g[i] * g[j] for i, j in edges)] for g in truths])


def truth_given_codes(codes: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Compute p(g | codes) for every row and every truth, shape (n_rows, 2 ** n_slices)."""
    truths = all_truths(codes.shape[1])
    chance = np.ones((len(codes), len(truths)))
    for i, column in enumerate(codes.T):
        p_in = np.array([table[i][code + 1] for code in column])[:, None]
        chance *= np.where(truths[:, i] == 1, p_in, 1 - p_in)
    return chance


def covariance(values: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Compute the covariance of rows that occur with some chance."""
    centred = values - chance @ values
    return (chance[:, None] * centred).T @ centred


def maximise(
    chance: np.ndarray, potentials: np.ndarray, goal: np.ndarray, ridge: float = 0.0
) -> tuple[np.ndarray, float]:
    """Maximise delta . goal - log sum_g chance(g) exp(delta . phi(g)) - ridge |delta|^2 / 2 from zero.

    Minimum-norm Newton steps. Returns delta and the largest component of the gradient there.
    """
    potentials, log_chance = potentials[chance > 0], np.log(chance[chance > 0])

    def objective(delta: np.ndarray) -> float:
        return delta @ goal - logsumexp(log_chance + potentials @ delta) - ridge / 2 * delta @ delta

    def slope(delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logits = log_chance + potentials @ delta
        weights = np.exp(logits - logsumexp(logits))
        return goal - weights @ potentials - ridge * delta, weights

    delta, best, size = np.zeros(len(goal)), np.zeros(len(goal)), np.inf
    for _ in range(100):
        gradient, weights = slope(delta)
        if np.abs(gradient).max() < size:
            best, size = delta, float(np.abs(gradient).max())
        hessian = covariance(potentials, weights) + ridge * np.eye(len(goal))
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-13)[0]
        scale = min(1.0, 2 / max(np.ptp(potentials @ step), 2))  # far steps end where nothing is curved
        while scale > 1e-6 and objective(delta + scale * step) < objective(delta) - 1e-12:
            scale /= 2
        delta = delta + scale * step
        if size < 1e-15 or np.abs(potentials @ delta).max() > 100:
            break
    return best, size


def denoise(expected: np.ndarray, scores: np.ndarray, weights: np.ndarray, goal: np.ndarray) -> tuple[float, bool]:
    """Regress scores on expected potentials over rows; predict at the goal, weight what is left."""
    design = np.column_stack([np.ones(len(scores)), expected])
    line = np.linalg.lstsq(design, scores, rcond=1e-9)[0]
    basis = np.linalg.svd(design - [1, *expected.mean(axis=0)], full_matrices=False)
    varies = basis.S / np.sqrt(len(scores)) > 1e-5
    span = basis.Vh[varies, 1:]
    gap = goal - expected.mean(axis=0)
    value = line @ np.append(1.0, goal) + weights @ (scores - design @ line)
    return float(value), bool(np.abs(gap - span.T @ (span @ gap)).max() < 1e-8)


def correction_tables(noises: Sequence[Any], source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute p(g = 1 | code) in both samples from what people stated, one slice at a time.

    Each noise is None or has `source`, `target` (None, or `inside`, `outside`, `abstain`) and `same`.
    """
    pairs = []
    for noise, s, t in zip(noises, source.T, target.T, strict=True):
        stated = _stated(noise and noise.source)
        at_source = _with_abstention(stated, s)
        if noise is not None and (noise.same or noise.target is not None):
            pairs.append((at_source, _with_abstention(_stated(noise.target or noise.source), t)))
        elif stated == [0.0, None, 1.0]:
            pairs.append((at_source, _with_abstention(stated, t)))
        else:
            pairs.append((at_source, _carried_over(stated, at_source, s, t)))
    return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])


def _stated(correction: Any) -> list[float | None]:
    return [0.0, None, 1.0] if correction is None else [correction.outside, correction.abstain, correction.inside]


def _with_abstention(stated: list[float | None], codes: np.ndarray) -> list[float]:
    """Fill in an unstated chance: the average over the rows where the slice speaks."""
    speaking = [stated[code + 1] for code in codes if code != 0]
    return [*stated[:1], np.mean(speaking) if stated[1] is None else stated[1], *stated[2:]]


def _carried_over(
    stated: list[float | None], at_source: list[float], source: np.ndarray, target: np.ndarray
) -> list[float]:
    """Carry p(code | truth) over from the source: solve for the target's rate, then Bayes."""
    codes = [-1, 1] if stated[1] is None else [-1, 0, 1]
    heard = source[np.isin(source, codes)]
    joint = {(code, g): np.mean(heard == code) * _chance(at_source, code, g) for code in codes for g in (0, 1)}
    totals = [sum(joint[code, g] for code in codes) for g in (0, 1)]
    if min(totals) == 0:  # the source never shows one of the truths: the same matrix
        return _with_abstention(stated, target)
    says = [np.array([joint[code, g] for code in codes]) / totals[g] for g in (0, 1)]
    if np.allclose(says[0], says[1]):  # its answers do not depend on the truth: the same matrix
        return _with_abstention(stated, target)
    seen = np.array([np.mean(target[np.isin(target, codes)] == code) for code in codes])
    rate = float(np.clip(np.linalg.lstsq((says[1] - says[0])[:, None], seen - says[0], rcond=None)[0][0], 0, 1))
    found = {0: rate}
    for code, if_in, if_out in zip(codes, says[1], says[0], strict=True):
        total = rate * if_in + (1 - rate) * if_out
        found[code] = rate * if_in / total if total > 0 else (rate if code == 0 else at_source[code + 1])
    return [found[-1], found[0], found[1]]


def _chance(table: list[float], code: int, g: int) -> float:
    return table[code + 1] if g else 1 - table[code + 1]


def hull_margin(source: np.ndarray, goal: np.ndarray, table: np.ndarray, edges: Sequence[tuple[int, int]]) -> str:
    """Tell where the goal lies by non-negative least squares on every possible truth: no linear programme.

    Returns
    -------
    {"inside", "edge", "outside"}
        "inside" when the goal could be pushed a little further away from the centre and still be reached.
    """
    chance = truth_given_codes(source, table).mean(axis=0)
    vertices = phi(all_truths(source.shape[1])[chance > 0], edges)
    centre = vertices.mean(axis=0)
    return (
        "inside"
        if _reaches(vertices, goal + 1e-3 * (goal - centre))
        else ("edge" if _reaches(vertices, goal) else "outside")
    )


def _reaches(vertices: np.ndarray, goal: np.ndarray) -> bool:
    equations = np.column_stack([vertices, np.ones(len(vertices))]).T
    return bool(nnls(equations, np.append(goal, 1.0))[1] < 1e-8)


def resample(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw n row numbers with replacement."""
    return rng.integers(0, n, n)


def transport(probabilities: np.ndarray, shares: np.ndarray) -> float:
    """Carry rows to one-hot labels with such shares at the least mean cost, the largest difference of a coordinate.

    A linear programme with a variable for every row and label.
    """
    n, k = probabilities.shape
    costs = np.abs(probabilities[:, None, :] - np.eye(k)[None]).max(axis=2)
    rows, labels = np.repeat(np.eye(n), k, axis=1), np.tile(np.eye(k), n)
    found = linprog(
        costs.ravel(),
        A_eq=np.vstack([rows, labels[1:]]),  # the last share follows from the others
        b_eq=np.concatenate([np.full(n, 1 / n), shares[1:]]),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert found.success, found.message
    return float(found.fun)
