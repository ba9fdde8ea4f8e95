"""Logistic regression on counted points agrees with scikit-learn on rows, and knows what one more row changes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from mandoline_core.domain_classifier.logistic import MOST_FACTORED, LogisticFit, fit_logistic


def counted_points(seed: int, n_points: int = 40, n_columns: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw points with counts of both classes, some of them 0."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_points, n_columns))
    chance = expit(points[:, 0] - 0.5 * points[:, 1] - 0.5)
    rows = rng.integers(0, 8, n_points)
    ones = rng.binomial(rows, chance)
    return points, (rows - ones).astype(float), ones.astype(float)


def words(seed: int, n_rows: int, n_columns: int) -> tuple[csr_matrix, np.ndarray]:
    """Draw sparse rows of length 1, and a class of each that depends on them."""
    rng = np.random.default_rng(seed)
    points = csr_matrix(random(n_rows, n_columns, density=30 / n_columns, random_state=rng, format="csr"))
    points.data /= np.sqrt(np.asarray(points.multiply(points).sum(axis=1)).ravel())[
        np.repeat(range(n_rows), np.diff(points.indptr))
    ]
    lean = points @ rng.normal(0, 4, n_columns)
    return points, (rng.random(n_rows) < expit(lean)).astype(float)


def repeated(points: Any, zeros: np.ndarray, ones: np.ndarray) -> tuple[Any, np.ndarray]:
    """Write out every row that the counts stand for, with its class."""
    index = np.concatenate([np.repeat(np.arange(len(zeros)), counts.astype(int)) for counts in (zeros, ones)])
    return points[index], np.repeat([0, 1], [int(zeros.sum()), int(ones.sum())])


def by_scikit_learn(points: Any, classes: np.ndarray, C: float = 1.0) -> LogisticRegression:  # noqa: N803
    """Fit scikit-learn's own to rows, as closely as it goes."""
    return LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=10_000).fit(points, classes)


def gradient_of(fit: LogisticFit) -> np.ndarray:
    """Write out the gradient of the objective, row by row."""
    points = fit.loss.points
    design = np.column_stack([np.ones(len(points)), points])
    total = np.concatenate([[0.0], fit.coefficients])
    for x, zero, one in zip(design, fit.loss.zeros, fit.loss.ones, strict=True):
        chance = expit(x[0] * fit.intercept + x[1:] @ fit.coefficients)
        total += (zero * chance - one * (1 - chance)) * x
    return total


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("sparse", [False, True])
def test_counts_give_what_scikit_learn_gives_on_repeated_rows(C: float, sparse: bool) -> None:  # noqa: N803
    """Rows that all count C times are scikit-learn's C."""
    points, zeros, ones = counted_points(1)
    given_points = csr_matrix(points) if sparse else points
    fit = fit_logistic(given_points, C * zeros, C * ones)
    oracle = by_scikit_learn(*repeated(given_points, zeros, ones), C)
    assert fit.converged
    assert fit.log_odds() == pytest.approx(oracle.decision_function(given_points), abs=1e-6)
    assert fit.intercept == pytest.approx(oracle.intercept_[0], abs=1e-6)
    assert fit.coefficients == pytest.approx(oracle.coef_[0], abs=1e-6)


@pytest.mark.parametrize("n_columns", [400, MOST_FACTORED + 200])
def test_many_sparse_columns_give_what_scikit_learn_gives(n_columns: int) -> None:
    points, classes = words(2, 1500, n_columns)
    fit = fit_logistic(points, 1 - classes, classes)
    oracle = by_scikit_learn(points, classes)
    assert fit.converged
    assert expit(fit.log_odds()) == pytest.approx(oracle.predict_proba(points)[:, 1], abs=1e-6)


def test_a_sparse_and_a_dense_matrix_give_the_same() -> None:
    points, classes = words(3, 300, MOST_FACTORED + 50)
    sparse, dense = (fit_logistic(matrix, 1 - classes, classes) for matrix in (points, points.toarray()))
    assert sparse.log_odds() == pytest.approx(dense.log_odds(), abs=1e-8)
    gradient = np.random.default_rng(0).normal(size=points.shape[1] + 1)
    for one, other in zip(sparse.influence(gradient), dense.influence(gradient), strict=True):
        assert one == pytest.approx(other, abs=1e-7 * np.abs(other).max())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 10.0]))
def test_the_gradient_vanishes_at_the_fit(seed: int, C: float) -> None:  # noqa: N803
    points, zeros, ones = counted_points(seed)
    fit = fit_logistic(points, C * zeros, C * ones)
    assert fit.converged
    assert np.abs(gradient_of(fit)).max() < 2e-8


def test_counts_are_repeated_rows() -> None:
    points, zeros, ones = counted_points(4)
    rows, classes = repeated(points, zeros, ones)
    fit, spread = fit_logistic(points, zeros, ones), fit_logistic(rows, 1 - classes, classes)
    assert fit.intercept == pytest.approx(spread.intercept, abs=1e-9)
    assert fit.coefficients == pytest.approx(spread.coefficients, abs=1e-9)
    gradient = np.arange(5.0)
    for one, other in zip(fit.influence(gradient), spread.influence(gradient), strict=True):
        index = [np.flatnonzero((rows == point).all(axis=1)) for point in points]
        for value, found in zip(one, index, strict=True):
            assert other[found] == pytest.approx(np.full(len(found), value), abs=1e-10)


def test_the_order_of_points_and_columns_does_not_matter() -> None:
    points, zeros, ones = counted_points(5)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(points)), rng.permutation(points.shape[1])
    fit = fit_logistic(points, zeros, ones)
    moved = fit_logistic(points[rows][:, columns], zeros[rows], ones[rows])
    assert moved.coefficients == pytest.approx(fit.coefficients[columns], abs=1e-9)
    assert moved.intercept == pytest.approx(fit.intercept, abs=1e-9)
    assert moved.log_odds() == pytest.approx(fit.log_odds()[rows], abs=1e-9)


def test_swapping_the_classes_flips_the_log_odds() -> None:
    points, zeros, ones = counted_points(6)
    fit, swapped = fit_logistic(points, zeros, ones), fit_logistic(points, ones, zeros)
    assert swapped.log_odds() == pytest.approx(-fit.log_odds(), abs=1e-9)


def test_equal_samples_give_even_log_odds() -> None:
    points, rows, _ = counted_points(7)
    fit = fit_logistic(points, rows, 3 * rows)
    assert fit.coefficients == pytest.approx(np.zeros(4), abs=1e-9)
    assert fit.intercept == pytest.approx(np.log(3), abs=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_classes_that_are_told_apart_for_certain_are_no_trouble(scale: float) -> None:
    """The penalty keeps the coefficients finite, and the answer is still scikit-learn's."""
    rng = np.random.default_rng(8)
    points = rng.normal(size=(500, 3))
    classes = (points[:, 0] > 0).astype(float)
    points[:, 0] += 2 * classes - 1
    points *= scale
    fit = fit_logistic(points, 1 - classes, classes)
    assert fit.converged
    assert ((fit.log_odds() > 0) == (classes == 1)).all()
    if scale == 1:
        oracle = by_scikit_learn(points, classes)
        assert fit.log_odds() == pytest.approx(oracle.decision_function(points), abs=1e-6)


def test_points_without_rows_change_nothing_and_have_an_influence() -> None:
    points, zeros, ones = counted_points(9)
    more = np.vstack([points, [[5.0, 5.0, 5.0, 5.0]]])
    fit, same = fit_logistic(points, zeros, ones), fit_logistic(more, np.append(zeros, 0), np.append(ones, 0))
    assert same.coefficients == pytest.approx(fit.coefficients, abs=1e-9)
    assert same.influence(np.ones(5))[0][-1] != 0


def numerical(points: Any, zeros: np.ndarray, ones: np.ndarray, gradient: np.ndarray) -> list[np.ndarray]:
    """Refit with a hundredth of a row more and less at each point."""

    def quantity(zeros: np.ndarray, ones: np.ndarray) -> float:
        fit = fit_logistic(points, zeros, ones)
        return float(gradient[0] * fit.intercept + gradient[1:] @ fit.coefficients)

    change, found = 0.01, []
    for unit in np.eye(len(zeros)) * change:
        by_zero = (quantity(zeros + unit, ones) - quantity(zeros - unit, ones)) / (2 * change)
        by_one = (quantity(zeros, ones + unit) - quantity(zeros, ones - unit)) / (2 * change)
        found.append((by_zero, by_one))
    return list(np.array(found).T)


@pytest.mark.parametrize(("times", "sparse"), [(20, False), (20, True), (4, False)])
def test_influence_is_the_derivative_by_the_counts(times: int, sparse: bool) -> None:
    points, zeros, ones = counted_points(10, n_points=30)
    zeros, ones = times * (zeros + 0.5), times * (ones + 0.5)
    matrix = csr_matrix(points) if sparse else points
    gradient = np.random.default_rng(1).normal(size=5)
    found = fit_logistic(matrix, zeros, ones).influence(gradient)
    for one, other in zip(found, numerical(matrix, zeros, ones, gradient), strict=True):
        assert one == pytest.approx(other, rel=1e-5, abs=1e-5 * np.abs(other).max())


def test_influence_by_conjugate_gradients_is_the_derivative_too() -> None:
    points, classes = words(11, 60, MOST_FACTORED + 10)
    zeros, ones = 5 - 3 * classes, 2 + 3 * classes
    gradient = np.random.default_rng(2).normal(size=points.shape[1] + 1)
    found = fit_logistic(points, zeros, ones).influence(gradient)
    some = [0, 17, 59]
    unit = 0.01
    for row in some:
        step = np.where(np.arange(60) == row, unit, 0.0)
        both = [fit_logistic(points, zeros, ones + sign * step) for sign in (1, -1)]
        values = [gradient[0] * fit.intercept + gradient[1:] @ fit.coefficients for fit in both]
        assert found[1][row] == pytest.approx((values[0] - values[1]) / (2 * unit), rel=1e-5)


def test_influences_of_the_rows_undo_the_penalty_alone() -> None:
    """At the fit, rows pull as hard as the penalty pushes: C sum (p - y) x' = -(0, w)."""
    points, zeros, ones = counted_points(12)
    fit = fit_logistic(points, zeros, ones)
    gradient = np.arange(1.0, 6.0)
    by_zero, by_one = fit.influence(gradient)
    design = np.column_stack([np.ones(len(points)), points])
    chance = expit(fit.log_odds())
    hessian = (design * ((zeros + ones) * chance * (1 - chance))[:, None]).T @ design + np.diag([0, 1, 1, 1, 1])
    expected = np.linalg.solve(hessian, gradient) @ np.append(0, fit.coefficients)
    assert zeros @ by_zero + ones @ by_one == pytest.approx(expected, abs=1e-8)


def test_twenty_thousand_texts_take_seconds_and_patterns_no_time() -> None:
    """The bounds are many times what was measured, so that a busy machine passes."""
    points, classes = words(14, 20_000, 2_000)
    start = time.perf_counter()
    fit = fit_logistic(points, 1 - classes, classes)
    fit.influence(np.ones(2_001))
    assert fit.converged
    assert time.perf_counter() - start < 10
    patterns, zeros, ones = counted_points(15, 256, 10)
    start = time.perf_counter()
    fit_logistic(np.sign(patterns), zeros, ones)
    assert time.perf_counter() - start < 0.5
