"""Logistic regression on counted points: source against target, and what one more row would change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags, issparse
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit

from mandoline_core.arrays import Floats
from mandoline_core.errors import MandolineError
from mandoline_core.weighting import Step, no_step

Points: TypeAlias = Floats | csr_matrix

MOST_FACTORED = 1500  # with more columns the Hessian is applied, not stored
_FEW_COLUMNS = 300  # up to so many, Newton steps from zero are cheaper than a start by L-BFGS
_TOLERANCE = 1e-8
_MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Hold a fitted logistic regression and the counted points that it was fitted to.

    The log odds of a point x are `intercept + x . coefficients`. They minimise

        L = C * sum_i (zeros_i * log(1 + exp(z_i)) + ones_i * log(1 + exp(-z_i))) + |coefficients|^2 / 2

    with z_i the log odds of point i, which is scikit-learn's objective on the repeated rows.

    Parameters
    ----------
    intercept : float
        Not penalised.
    coefficients : array of float, shape (n_columns,)
    converged : bool
        Whether the gradient of L vanishes, up to rounding.
    steps : int
        Newton steps taken.
    points : array of float or csr_matrix, shape (n_points, n_columns)
    zeros, ones : array of float, shape (n_points,)
        Rows of class 0 and of class 1 at each point.
    C : float
        How much the rows count against the penalty.
    """

    intercept: float
    coefficients: Floats
    converged: bool
    steps: int
    points: Points
    zeros: Floats
    ones: Floats
    C: float = 1.0

    def log_odds(self, points: Points | None = None) -> Floats:
        """Return the log odds of class 1, fitted to these counts, at each point.

        Parameters
        ----------
        points : array of float or csr_matrix, shape (n, n_columns), optional
            The points of the fit when not given.

        Returns
        -------
        array of float, shape (n,)

        Examples
        --------
        >>> fit = fit_logistic(np.array([[-1.0], [1.0]]), [3, 1], [1, 3])
        >>> fit.log_odds(np.array([[1.0], [2.0]])).round(3).tolist()
        [0.684, 1.367]
        """
        return _log_odds(self.points if points is None else points, self._theta)

    def influence(self, gradient: ArrayLike) -> tuple[Floats, Floats]:
        """Return how much one more row at each point moves a quantity that depends on the fit.

        With u the solution of H u = gradient, H the Hessian of L (penalty included) at the fit, p the probability of
        class 1 and x' the point with a 1 put before it: -C p (x' . u) for a row of class 0, C (1 - p) (x' . u) for
        a row of class 1. These are the derivatives of the quantity by `zeros` and by `ones`, by way of the fit alone;
        a part of the quantity that depends on the counts directly is the caller's to add.

        Parameters
        ----------
        gradient : array of float, shape (1 + n_columns,)
            Derivatives of the quantity by the intercept, then by the coefficients.

        Returns
        -------
        zeros, ones : array of float, shape (n_points,)
            Per row: not multiplied by the counts, and not divided by their sum.

        Examples
        --------
        >>> fit = fit_logistic(np.array([[-1.0], [1.0]]), [3, 1], [1, 3])
        >>> zeros, ones = fit.influence([0.0, 1.0])  # of the coefficient
        >>> zeros.round(3).tolist(), ones.round(3).tolist()
        ([0.121, -0.239], [-0.239, 0.121])
        """
        wanted = np.asarray(gradient, dtype=float)
        if wanted.shape != self._theta.shape:
            raise MandolineError(f"gradient has shape {wanted.shape}. Expected {self._theta.shape}: intercept first.")
        along = _log_odds(self.points, self._solve(wanted))
        chance = expit(self.log_odds())
        return -self.C * chance * along, self.C * (1 - chance) * along

    @cached_property
    def _theta(self) -> Floats:
        return np.concatenate([[self.intercept], self.coefficients])

    @cached_property
    def _solve(self) -> Callable[[Floats], Floats]:
        """Solve with the Hessian at the fit; kept, because several quantities rest on one fit."""
        return _Loss(self.points, self.zeros, self.ones, self.C).solver(self._theta, 1e-11)


def fit_logistic(
    points: Points,
    zeros: ArrayLike,
    ones: ArrayLike,
    *,
    C: float = 1.0,  # noqa: N803 - as scikit-learn has it
    step: Step = no_step,
) -> LogisticFit:
    """Fit a logistic regression with a squared penalty to counted points.

    Parameters
    ----------
    points : array of float or csr_matrix, shape (n_points, n_columns)
        Points may be repeated, in which case their counts add up.
    zeros, ones : array of float, shape (n_points,)
        How many rows of class 0 (the source) and of class 1 (the target) each point stands for; either may be 0.
    C : float
        The inverse of the penalty's strength, as scikit-learn has it.
    step : callable
        Called whenever the loss is computed; may raise to stop.

    Examples
    --------
    >>> fit = fit_logistic(np.array([[0.0], [1.0]]), [30, 10], [10, 30])
    >>> round(fit.intercept, 3), fit.coefficients.round(3).tolist(), fit.converged
    (-0.877, [1.754], True)
    """
    matrix = csr_matrix(points, dtype=float) if issparse(points) else np.asarray(points, dtype=float)
    source, target = np.asarray(zeros, dtype=float), np.asarray(ones, dtype=float)
    _check(matrix, source, target, C)
    loss = _Loss(matrix, source, target, C, step)
    theta = np.zeros(matrix.shape[1] + 1)
    # With all coefficients zero, this intercept is the best: no step is spent on unequal sample sizes.
    theta[0] = np.log(target.sum()) - np.log(source.sum())
    if len(theta) > _FEW_COLUMNS:
        options = {"maxiter": 1000, "gtol": 1e-3, "ftol": 0.0, "maxcor": 20}
        theta = minimize(loss.value_and_gradient, theta, jac=True, method="L-BFGS-B", options=options).x
    theta, converged, steps = _newton(loss, theta)
    return LogisticFit(float(theta[0]), theta[1:], converged, steps, matrix, source, target, float(C))


@dataclass(frozen=True, eq=False)
class _Loss:
    """Compute the penalised loss, its gradient and its Hessian; parameters are the intercept and the coefficients."""

    points: Points
    zeros: Floats
    ones: Floats
    C: float
    step: Step = no_step

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        self.step()
        z = _log_odds(self.points, theta)
        losses = self.zeros @ np.logaddexp(0.0, z) + self.ones @ np.logaddexp(0.0, -z)
        # Two terms that cancel in neither tail, unlike (zeros + ones) * p - ones.
        pull = self.C * (self.zeros * expit(z) - self.ones * expit(-z))
        gradient = _transposed(self.points, pull)
        gradient[1:] += theta[1:]
        return float(self.C * losses + 0.5 * theta[1:] @ theta[1:]), gradient

    def tolerance(self) -> float:
        """Return the gradient that counts as zero: 1e-8, or what rounding leaves of points with large values."""
        size = self.C * float(np.max(_transposed(abs(self.points), self.zeros + self.ones)))
        return _TOLERANCE * max(1.0, 1e-6 * size)

    def solver(self, theta: Floats, accuracy: float) -> Callable[[Floats], Floats]:
        """Return the function that solves with the Hessian: by Cholesky, or by conjugate gradients when it is large."""
        z = _log_odds(self.points, theta)
        curve = self.C * (self.zeros + self.ones) * expit(z) * expit(-z)
        if len(theta) <= MOST_FACTORED + 1:
            # Rounding may leave points far from the origin without a factor; a fit to those may say converged = False.
            with suppress(LinAlgError):
                factor = cho_factor(_hessian(self.points, curve), overwrite_a=True, check_finite=False)
                return lambda right: cho_solve(factor, right, check_finite=False)
        return _conjugate_gradients(self.points, curve, accuracy)


def _newton(loss: _Loss, theta: Floats) -> tuple[Floats, bool, int]:
    """Take Newton steps, shortened until the loss falls, until the gradient vanishes."""
    tolerance = loss.tolerance()
    value, gradient = loss.value_and_gradient(theta)
    for step in range(_MOST_STEPS):
        size = float(np.abs(gradient).max())
        if size <= tolerance:
            return theta, True, step
        direction = loss.solver(theta, 1e-2 if size > 1 else 1e-6)(-gradient)
        slope, length = float(gradient @ direction), 1.0
        while length > 1e-10:
            tried = theta + length * direction
            new_value, new_gradient = loss.value_and_gradient(tried)
            # Near the minimum the loss no longer changes in its last digit, but the gradient still does.
            flat = abs(new_value - value) <= 1e-13 * abs(value) and np.abs(new_gradient).max() < size
            if flat or new_value <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            return theta, size <= 100 * tolerance, step
        theta, value, gradient = tried, new_value, new_gradient
    return theta, False, _MOST_STEPS


def _log_odds(points: Points, theta: Floats) -> Floats:
    return np.asarray(points @ theta[1:]) + theta[0]


def _transposed(points: Points, values: Floats) -> Floats:
    """Multiply by the transposed points, with a column of ones put before them."""
    return np.concatenate([[values.sum()], np.asarray(points.T @ values)])


def _hessian(points: Points, curve: Floats) -> Floats:
    root = np.sqrt(curve)
    scaled: Any = diags(root) @ points if issparse(points) else points * root[:, None]
    product = scaled.T @ scaled
    inner = product.toarray() if issparse(product) else product
    inner.flat[:: len(inner) + 1] += 1.0
    edge = _transposed(points, curve)
    # The intercept has no penalty, and its curvature may underflow when every row is told apart.
    edge[0] = max(edge[0], 1e-300)
    return np.block([[edge[:1, None], edge[None, 1:]], [edge[1:, None], inner]])


def _conjugate_gradients(points: Points, curve: Floats, accuracy: float) -> Callable[[Floats], Floats]:
    squared: Any = csr_matrix(points).power(2) if issparse(points) else points**2
    diagonal = _transposed(squared, curve)
    diagonal[1:] += 1.0
    n = len(diagonal)

    def multiply(theta: Floats) -> Floats:
        product = _transposed(points, curve * _log_odds(points, theta))
        product[1:] += theta[1:]
        return product

    matrix = LinearOperator((n, n), matvec=multiply, dtype=float)
    scaled = LinearOperator((n, n), matvec=lambda right: right / diagonal, dtype=float)
    return lambda right: cg(matrix, right, rtol=accuracy, maxiter=10 * n, M=scaled)[0]


def _check(points: Points, zeros: Floats, ones: Floats, C: float) -> None:  # noqa: N803
    if points.ndim != 2 or zeros.shape != points.shape[:1] or ones.shape != points.shape[:1]:
        shapes = f"points {points.shape}, zeros {zeros.shape} and ones {ones.shape}"
        raise MandolineError(f"{shapes} do not go together. Expected (n, d), (n,) and (n,).")
    if not np.isfinite(points.data if issparse(points) else points).all():
        raise MandolineError("points hold a value that is missing or infinite. Expected numbers.")
    for name, counts in (("zeros", zeros), ("ones", ones)):
        if not (np.isfinite(counts).all() and (counts >= 0).all() and counts.sum() > 0):
            raise MandolineError(f"{name} must be counts, none below 0 and not all 0. Got a sum of {counts.sum():g}.")
    if not (np.isfinite(C) and C > 0):
        raise MandolineError(f"C must be above 0. Got {C}.")
