"""Calibration: steps equal to scikit-learn's isotonic regression, and derivatives through them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from mandoline_core.estimators.calibration import fit_blocks, fit_calibration

ROWS = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=30).filter(
    lambda rows: any(weight for _, _, weight in rows)
)


@given(ROWS)
def test_steps_equal_isotonic_regression_on_weighted_rows(rows: list[tuple[int, int, int]]) -> None:
    """Rows without weight count for nothing; rows with one score share a value."""
    score, outcome, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    blocks = fit_blocks(score / 10, outcome, weight)
    used = weight > 0
    expected = IsotonicRegression().fit(score[used], outcome[used], weight[used]).predict(score[used])
    assert blocks.values[blocks.place(score[used] / 10)] == pytest.approx(expected, abs=1e-12)
    assert (np.diff(blocks.values) > 0).all()
    assert blocks.weights.sum() == pytest.approx(weight.sum())


@given(ROWS)
def test_a_blocks_value_is_the_weighted_mean_of_its_rows(rows: list[tuple[int, int, int]]) -> None:
    """The spread rests on it."""
    score, outcome, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    blocks = fit_blocks(score, outcome, weight)
    place = blocks.place(score)
    for block, value in enumerate(blocks.values):
        here = place == block
        assert value == pytest.approx(np.average(outcome[here], weights=weight[here]))


def test_a_score_between_two_blocks_goes_to_the_nearer() -> None:
    """Also where no number lies between two scores."""
    blocks = fit_blocks(np.array([0.2, 0.6]), np.array([0.0, 1.0]), np.ones(2))
    assert blocks.place(np.array([-1.0, 0.2, 0.39, 0.41, 0.6, 2.0])).tolist() == [0, 0, 0, 1, 1, 1]
    near = np.array([0.5, np.nextafter(0.5, 1)])
    assert fit_blocks(near, np.array([0.0, 1.0]), np.ones(2)).place(near).tolist() == [0, 1]
    near = np.array([np.nextafter(0.5, 0), 0.5])
    assert fit_blocks(near, np.array([0.0, 1.0]), np.ones(2)).place(near).tolist() == [0, 1]


def test_two_classes_are_calibrated_alike_whichever_is_fitted() -> None:
    """One step function is enough: the other class's mirrors it."""
    rng = np.random.default_rng(0)
    given_ = rng.dirichlet([1, 1], 200)
    truth = (rng.random(200) < given_[:, 1]).astype(np.int32)
    calibrated = fit_calibration(given_, truth, np.ones(200)).apply(given_)[0]
    turned = fit_calibration(given_[:, ::-1], 1 - truth, np.ones(200)).apply(given_[:, ::-1])[0]
    assert calibrated == pytest.approx(turned[:, ::-1], abs=1e-12)


def test_probabilities_of_many_classes_are_the_normalised_steps() -> None:
    """Each class is fitted against the rest; where every step is 0 the probabilities stay."""
    probabilities = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6], [0.5, 0.4, 0.1]])
    truth = np.array([0, 1, 2, 1], dtype=np.int32)
    calibration = fit_calibration(np.repeat(probabilities, 9, axis=0), np.repeat(truth, 9), np.ones(36))
    found, _, _ = calibration.apply(probabilities)
    # Class a, by its probability: 0.1, 0.2, 0.5 -> 0, 0.8 -> 1. Class b: 0.1 and 0.3 -> 0, 0.4 and 0.7 -> 1.
    assert found == pytest.approx(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]))
    nowhere, _, totals = calibration.apply(np.array([[0.35, 0.34, 0.31]]))
    assert totals.tolist() == [0.0]
    assert nowhere.tolist() == [[0.35, 0.34, 0.31]]


@given(ROWS, st.integers(1, 40))
def test_outermost_blocks_are_not_a_few_rows(rows: list[tuple[int, int, int]], least: int) -> None:
    """At the ends at least half as much, unless all rows together weigh less; values stay block means."""
    score, outcome, weight = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    blocks = fit_blocks(score, outcome, weight, least=least)
    assert blocks.weights[[0, -1]].min() >= min(least / 2, weight.sum()) - 1e-9
    assert blocks.weights.sum() == pytest.approx(weight.sum())
    assert (np.diff(blocks.values) > 0).all()
    for block, value in enumerate(blocks.values):
        here = blocks.place(score) == block
        assert value == pytest.approx(np.average(outcome[here], weights=weight[here]))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_row_slopes_are_derivatives_by_the_rows_weights(n_classes: int) -> None:
    """With the blocks held fixed, a linear function of the probabilities is differentiated through its block means."""
    rng = np.random.default_rng(1)
    source, target = rng.dirichlet(np.ones(n_classes), 60), rng.dirichlet(np.ones(n_classes), 40)
    truth = (source.cumsum(axis=1) < rng.random((60, 1))).sum(axis=1).astype(np.int32)
    weights, slopes = rng.uniform(0.5, 2, 60), rng.normal(size=(40, n_classes))
    calibration = fit_calibration(source, truth, weights)
    found, _ = calibration.influence(target, calibration.apply(target), slopes)

    def value(moved: np.ndarray) -> float:
        again = fit_calibration(source, truth, moved)
        for before, after in zip(calibration.fits, again.fits, strict=True):
            assert before.edges.tolist() == after.edges.tolist()  # so small a step moves no block
        return float((again.apply(target)[0] * slopes).sum() / 40)

    for row in range(0, 60, 7):
        step = np.zeros(60)
        step[row] = 1e-6
        expected = (value(weights + step) - value(weights - step)) / 2e-6
        assert found[row] == pytest.approx(expected, abs=1e-7)
    assert weights @ found == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ((10, 0), 0.5),  # bins would give an accuracy of 0, their pool gives 1/2: far beyond luck, so the gap
        ((6, 5), 0.05 * np.sqrt(11 * 0.45**2 + 9 * 0.55**2)),  # a gap of 0.05 only: the luck of rows around 0.55
        ((0, 10), 0.0),  # nothing is pooled
    ],
)
def test_pooling_error_by_hand(right: tuple[int, int], expected: float) -> None:
    """Two bins of ten rows, of which so many are b; one target row in each, the first predicted a, the second b."""
    given_ = np.repeat([[0.8, 0.2], [0.2, 0.8]], 10, axis=0)
    truth = np.concatenate([np.arange(10) < n for n in right]).astype(np.int32)
    weights, target = np.full(20, 0.05), np.array([[0.8, 0.2], [0.2, 0.8]])
    calibration = fit_calibration(given_, truth, weights)
    _, found = calibration.influence(target, calibration.apply(target), np.eye(2))
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pooling_error_beyond_sampling_error_is_the_gap_to_unpooled_bins(n_classes: int) -> None:
    """To first order: step values are those of the pool, and move a little of the way to the bins' own means."""
    rng = np.random.default_rng(3)
    source, target = rng.dirichlet(np.ones(n_classes), 400), rng.dirichlet(np.ones(n_classes), 300)
    truth = source.argmin(axis=1).astype(np.int32)  # the wrong way round, so that the gap is no luck
    weights, slopes = rng.uniform(0.5, 2, 400) / 400, rng.normal(size=(300, n_classes)) + 5 * target
    calibration = fit_calibration(source, truth, weights)
    applied = _, blocks, _ = calibration.apply(target)
    pooled = np.column_stack([fit.values[blocks[:, i]] for i, fit in enumerate(calibration.fits)])
    unpooled = np.empty_like(pooled)
    for i, (fit, column) in enumerate(zip(calibration.fits, calibration.columns, strict=True)):
        place = fit.bins.place(source[:, column])
        means = np.bincount(place, weights * (truth == column)) / np.bincount(place, weights)
        unpooled[:, i] = means[fit.bins.place(target[:, column])]

    def mean(steps: np.ndarray) -> float:
        calibrated = np.column_stack([1 - steps, steps]) if n_classes == 2 else steps / steps.sum(axis=1, keepdims=True)
        return float((calibrated * slopes).sum() / 300)

    gap = (mean(pooled + 1e-6 * (unpooled - pooled)) - mean(pooled - 1e-6 * (unpooled - pooled))) / 2e-6
    _, found = calibration.influence(target, applied, slopes)
    assert abs(gap) > 0.05
    assert found == pytest.approx(abs(gap), rel=1e-6)
