"""Logistic regression on counted points: source against target, and what one more row would change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, diags, issparse
from scipy.sparse.linalg import LinearOperator, cg
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from mandoline_core.arrays import Floats

Points: TypeAlias = Floats | csr_matrix

MOST_FACTORED = 1500  # with more columns the Hessian is applied, not stored
_FEW_COLUMNS = 300  # up to so many, Newton steps from zero are cheaper than a start by L-BFGS
_TOLERANCE = 1e-8
_MOST_STEPS = 100
_ROUGH = {"maxiter": 60, "gtol": 1e-2}


@dataclass(frozen=True, eq=False)
class Loss:
    """Compute the penalised loss, its gradient and its Hessian; parameters are the intercept and the coefficients."""

    points: Points
    zeros: Floats
    ones: Floats
    step: Callable[[], None] = lambda: None

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """Compute the loss and its derivatives, shape (1 + n_columns,)."""
        self.step()
        z = _log_odds(self.points, theta)
        losses = self.zeros @ np.logaddexp(0.0, z) + self.ones @ np.logaddexp(0.0, -z)
        # Two terms that cancel in neither tail, unlike (zeros + ones) * p - ones.
        gradient = _transposed(self.points, self.zeros * expit(z) - self.ones * expit(-z))
        gradient[1:] += theta[1:]
        return float(losses + 0.5 * theta[1:] @ theta[1:]), gradient

    def tolerance(self) -> float:
        """Return the gradient that counts as zero: 1e-8, or what rounding leaves of points with large values."""
        size = float(np.max(_transposed(abs(self.points), self.zeros + self.ones)))
        return _TOLERANCE * max(1.0, 1e-6 * size)

    def solver(self, theta: Floats, accuracy: float) -> Callable[[Floats], Floats]:
        """Return the function that solves with the Hessian: by Cholesky, or by conjugate gradients when it is large."""
        z = _log_odds(self.points, theta)
        curve = (self.zeros + self.ones) * expit(z) * expit(-z)
        if len(theta) <= MOST_FACTORED + 1:
            # Rounding may leave points far from the origin without a factor; a fit to those may say converged = False.
            with suppress(LinAlgError):
                factor = cho_factor(_hessian(self.points, curve), overwrite_a=True, check_finite=False)
                return lambda right: cho_solve(factor, right, check_finite=False)
        return _conjugate_gradients(self.points, curve, accuracy)


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Hold a fitted logistic regression and the counted points that it was fitted to.

    The log odds of a point x are `intercept + x . coefficients`. They minimise

        L = sum_i (zeros_i * log(1 + exp(z_i)) + ones_i * log(1 + exp(-z_i))) + |coefficients|^2 / 2

    with z_i the log odds of point i, which is scikit-learn's objective on the repeated rows, with C = 1.

    Parameters
    ----------
    intercept : float
        Not penalised.
    coefficients : array of float, shape (n_columns,)
    converged : bool
        Whether the gradient of L vanishes, up to rounding.
    loss : Loss
        With the points.
    """

    intercept: float
    coefficients: Floats
    converged: bool
    loss: Loss

    def log_odds(self) -> Floats:
        """Return the log odds of class 1, fitted to the counts, at each point, shape (n_points,).

        Examples
        --------
        >>> fit = fit_logistic(np.array([[-1.0], [1.0]]), np.array([3, 1]), np.array([1, 3]))
        >>> fit.log_odds().round(3).tolist()
        [-0.684, 0.684]
        """
        return _log_odds(self.loss.points, self._theta)

    def influence(self, gradient: Floats) -> tuple[Floats, Floats]:
        """Return how much one more row at each point moves a quantity that depends on the fit.

        With u the solution of H u = gradient, H the Hessian of L (penalty included) at the fit, p the probability of
        class 1 and x' the point with a 1 put before it: -p (x' . u) for a row of class 0, (1 - p) (x' . u) for a
        row of class 1. These are the derivatives of the quantity by `zeros` and by `ones`, by way of the fit alone;
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
        >>> fit = fit_logistic(np.array([[-1.0], [1.0]]), np.array([3, 1]), np.array([1, 3]))
        >>> zeros, ones = fit.influence(np.array([0.0, 1.0]))  # of the coefficient
        >>> zeros.round(3).tolist(), ones.round(3).tolist()
        ([0.121, -0.239], [-0.239, 0.121])
        """
        along = _log_odds(self.loss.points, self._solve(gradient))
        probability = expit(self.log_odds())
        return -probability * along, (1 - probability) * along

    @cached_property
    def _theta(self) -> Floats:
        return np.concatenate([[self.intercept], self.coefficients])

    @cached_property
    def _solve(self) -> Callable[[Floats], Floats]:
        """Solve with the Hessian at the fit; kept, because several quantities rest on one fit."""
        return self.loss.solver(self._theta, 1e-11)


def fit_logistic(
    points: Points,
    zeros: Floats,
    ones: Floats,
    *,
    exact: bool = True,
    step: Callable[[], None] = lambda: None,
) -> LogisticFit:
    """Fit a logistic regression with a squared penalty to counted points.

    Parameters
    ----------
    points : array of float or csr_matrix, shape (n_points, n_columns)
        Points may be repeated, in which case their counts add up.
    zeros, ones : array of float, shape (n_points,)
        How many rows of class 0 (the source) and of class 1 (the target) each point represents; either may be 0.
    exact : bool
        Go on until the gradient vanishes; else stop where more steps would hardly change the order of the points.
    step : callable
        Called at every step; it may raise to stop the fit.

    Examples
    --------
    >>> fit = fit_logistic(np.array([[0.0], [1.0]]), np.array([30, 10]), np.array([10, 30]))
    >>> round(fit.intercept, 3), fit.coefficients.round(3).tolist(), fit.converged
    (-0.877, [1.754], True)
    """
    loss = Loss(points, zeros, ones, step)
    theta = np.zeros(points.shape[1] + 1)
    # With all coefficients zero, this intercept is the best: no step is spent on unequal sample sizes.
    theta[0] = np.log(ones.sum()) - np.log(zeros.sum())
    if not exact:
        rough = minimize(loss.value_and_gradient, theta, jac=True, method="L-BFGS-B", options=_ROUGH)
        return LogisticFit(float(rough.x[0]), rough.x[1:], converged=False, loss=loss)
    if len(theta) > _FEW_COLUMNS:
        options = {"maxiter": 1000, "gtol": 1e-3, "ftol": 0.0, "maxcor": 20}
        theta = minimize(loss.value_and_gradient, theta, jac=True, method="L-BFGS-B", options=options).x
    theta, converged = _newton(loss, theta)
    return LogisticFit(float(theta[0]), theta[1:], converged, loss)


def _newton(loss: Loss, theta: Floats) -> tuple[Floats, bool]:
    """Take Newton steps, shortened until the loss falls, until the gradient vanishes."""
    tolerance = loss.tolerance()
    value, gradient = loss.value_and_gradient(theta)
    for _ in range(_MOST_STEPS):
        size = float(np.abs(gradient).max())
        if size <= tolerance:
            return theta, True
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
            return theta, size <= 100 * tolerance
        theta, value, gradient = tried, new_value, new_gradient
    return theta, False


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


def one_thread() -> AbstractContextManager[object]:
    """Let numerical libraries use one thread for as long as the `with` block lasts.

    For many small matrix products, whose threads would mostly wait for each other.

    Examples
    --------
    >>> with one_thread():
    ...     {pool["num_threads"] for pool in ThreadpoolController().info()} <= {1}
    True
    """
    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(_n_modules: int) -> ThreadpoolController:
    """Look for the libraries, again only after something was imported: it takes as long as a small fit."""
    return ThreadpoolController()
