"""Confusion counts: values against scikit-learn, slopes against differences."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from mandoline_core.errors import DataError
from mandoline_core.metrics.confusion import OF_ALL, RATIOS, one_class_rows, ratio_of_one, table_rows

SCORES = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score}


def answers(seed: int, n: int, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw labels, predictions and weights that sum to 1."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=n)
    truth = rng.integers(0, n_classes, n)
    predicted = np.where(rng.random(n) < 0.5, truth, rng.integers(0, n_classes, n))
    return truth, predicted, weights / weights.sum()


def derivative(value, at: np.ndarray) -> np.ndarray:
    """Differentiate by central differences, entry by entry."""
    step = 1e-6
    found = np.zeros_like(at)
    for i in np.ndindex(at.shape):
        shift = np.zeros_like(at)
        shift[i] = step
        found[i] = (value(at + shift) - value(at - shift)) / (2 * step)
    return found


@given(st.integers(0, 2**16), st.integers(1, 40), st.integers(2, 5))
def test_averages_over_classes_equal_scikit_learn_also_with_classes_that_lack_support(seed, n, n_classes):
    """Few rows of many classes: some have no label, some no prediction, and count as 0; some are not there at all."""
    truth, predicted, weights = answers(seed, n, n_classes)
    table = (weights @ table_rows(truth, predicted, n_classes)).reshape(n_classes, n_classes)
    assert table.sum() == pytest.approx(1)
    for name, score in SCORES.items():
        expected = score(truth, predicted, sample_weight=weights, average="macro", zero_division=0)
        assert OF_ALL[name](table)[0] == pytest.approx(expected, abs=1e-12), name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of predicted classes that have no label
        expected = sk.balanced_accuracy_score(truth, predicted, sample_weight=weights)
    assert OF_ALL["balanced_accuracy"](table)[0] == pytest.approx(expected, abs=1e-12)
    if len(set(truth)) > 1 and len(set(predicted)) > 1:
        expected = sk.matthews_corrcoef(truth, predicted, sample_weight=weights)
        assert OF_ALL["mcc"](table)[0] == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 2**16), st.integers(10, 40), st.integers(2, 4))
def test_metrics_of_one_class_equal_scikit_learn(seed, n, n_classes):
    """Hits, false alarms and misses are enough."""
    truth, predicted, weights = answers(seed, n, n_classes)
    truth[0] = predicted[0] = 1
    means = weights @ one_class_rows(truth, predicted, 1)
    for name, score in SCORES.items():
        expected = score(truth, predicted, sample_weight=weights, labels=[1], average="macro")
        assert ratio_of_one(RATIOS[name], means, "1")[0] == pytest.approx(expected, abs=1e-12), name


@pytest.mark.parametrize("name", OF_ALL)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_slopes_of_averages_are_derivatives(name, n_classes):
    """By every cell, also off the plane where shares add up to 1."""
    truth, predicted, weights = answers(1, 200, n_classes)
    table = (weights @ table_rows(truth, predicted, n_classes)).reshape(n_classes, n_classes)
    found = OF_ALL[name](table)[1]
    np.testing.assert_allclose(found, derivative(lambda at: OF_ALL[name](at)[0], table), rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["precision", "recall", "f1"])
def test_slopes_of_one_class_are_derivatives(name):
    """By hits, false alarms and misses."""
    means = np.array([0.3, 0.1, 0.2])
    found = ratio_of_one(RATIOS[name], means, "yes")[1]
    np.testing.assert_allclose(
        found, derivative(lambda at: ratio_of_one(RATIOS[name], at, "yes")[0], means), rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("table", [[[0.4, 0.6], [0.0, 0.0]], [[0.4, 0.0], [0.6, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
def test_mcc_is_0_where_labels_or_predictions_do_not_vary(table):
    """As scikit-learn has it, with no slope and no warning."""
    value, slope = OF_ALL["mcc"](np.array(table))
    assert value == 0.0
    assert not slope.any()


@pytest.mark.parametrize(
    ("name", "means", "message"),
    [
        ("precision", [0.0, 0.0, 0.4], "The model never predicts class 'yes', so its precision is"),
        ("recall", [0.0, 0.4, 0.0], "No label is 'yes', so its recall is"),
        ("f1", [0.0, 0.0, 0.0], "Class 'yes' is neither a label nor a prediction, so its F1 is"),
    ],
)
def test_what_is_not_defined_is_said(name, means, message):
    """With what to do."""
    with pytest.raises(DataError) as caught:
        ratio_of_one(RATIOS[name], np.array(means), "yes")
    assert str(caught.value) == f"{message} undefined. Choose another class or metric."
