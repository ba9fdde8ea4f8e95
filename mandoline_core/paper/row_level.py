"""Mandoline's weights solved for on rows, as the authors' released code does it: to compare costs with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from mandoline_core.arrays import Codes, Floats


def row_level_estimate(source: Codes, scores: Floats, target: Codes, edges: Sequence[tuple[int, int]] = ()) -> float:
    """Minimise n_t log sum exp(Phi_s d) - sum Phi_t d over all rows by BFGS, with numerical gradients, from zero.

    The released code starts from a random point instead; from zero it needs no more steps.

    Examples
    --------
    >>> source, target = np.array([[1], [-1], [-1], [-1]]), np.array([[1], [-1]])
    >>> round(row_level_estimate(source, np.array([0.0, 1.0, 1.0, 1.0]), target), 4)
    0.5
    """
    source_potentials, target_potentials = (_potentials(codes, edges) for codes in (source, target))

    def loss(delta: Floats) -> float:
        return float(len(target) * logsumexp(source_potentials @ delta) - (target_potentials @ delta).sum())

    delta = minimize(loss, np.zeros(source_potentials.shape[1]), method="BFGS").x
    return float(softmax(source_potentials @ delta) @ scores)


def _potentials(codes: Codes, edges: Sequence[tuple[int, int]]) -> Floats:
    potentials = np.hstack([codes, *(codes[:, [i]] * codes[:, [j]] for i, j in edges)])
    return np.ascontiguousarray(potentials, dtype=float)
