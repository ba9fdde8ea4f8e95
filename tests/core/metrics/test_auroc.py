"""AUROC on weighted rows: against counting pairs, against scikit-learn, and its slopes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from sklearn.metrics import roc_auc_score

from mandoline_core.errors import DataError
from mandoline_core.estimators.intervals import influence_interval
from mandoline_core.metrics.auroc import auroc, mean_auroc, smaller_class


def rows(seed: int, n: int, levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw classes (both there), scores with ties, and weights that sum to 1."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    positive[:2] = [True, False]
    weights = rng.exponential(size=n)
    return positive, rng.integers(0, levels, n) / levels + 0.3 * positive, weights / weights.sum()


def pairs(positive: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> float:
    """Count every pair of a row of the class and one of the others; a tie is half a win."""
    won = total = 0.0
    for i, j in itertools.product(np.flatnonzero(positive), np.flatnonzero(~positive)):
        total += weights[i] * weights[j]
        won += weights[i] * weights[j] * (1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0)
    return won / total


@given(st.integers(0, 2**16), st.integers(2, 30), st.sampled_from([1, 3, 10, 1000]))
def test_the_area_is_the_share_of_pairs_in_order(seed, n, levels):
    """With ties and weights; scikit-learn's curve says the same."""
    positive, scores, weights = rows(seed, n, levels)
    value, slopes = auroc(positive, scores, weights, "yes")
    assert value == pytest.approx(pairs(positive, scores, weights), abs=1e-12)
    assert value == pytest.approx(roc_auc_score(positive, scores, sample_weight=weights), abs=1e-12)
    assert weights @ slopes == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("levels", [3, 1000])
def test_slopes_are_derivatives_by_each_weight(levels):
    """Of rows of the class and of the others, with and without ties."""
    positive, scores, weights = rows(5, 30, levels)
    _, slopes = auroc(positive, scores, weights, "yes")
    for i, shift in enumerate(1e-6 * np.eye(30)):
        up, down = (auroc(positive, scores, weights + sign * shift, "yes")[0] for sign in (1, -1))
        assert slopes[i] == pytest.approx((up - down) / 2e-6, abs=1e-7)


def test_several_classes_are_averaged():
    """Each against the rest, values and slopes alike."""
    rng = np.random.default_rng(2)
    truth, scores, weights = rng.integers(0, 3, 50), rng.random((50, 3)), np.full(50, 0.02)
    positive = truth[:, None] == np.arange(3)
    value, slopes = mean_auroc(positive, scores, weights, ["a", "b", "c"])
    alone = [auroc(positive[:, i], scores[:, i], weights, "x") for i in range(3)]
    assert value == pytest.approx(np.mean([area for area, _ in alone]), abs=1e-15)
    np.testing.assert_allclose(slopes, sum(slope for _, slope in alone) / 3, rtol=0, atol=1e-15)
    chances = scores / scores.sum(axis=1, keepdims=True)
    expected = roc_auc_score(truth, chances, multi_class="ovr", average="macro")
    assert mean_auroc(positive, chances, weights, ["a", "b", "c"])[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("inside", "which"), [(False, "No row"), (True, "Every row")])
def test_one_class_has_no_area(inside, which):
    """Rows that count for nothing are no help."""
    positive, weights = np.array([inside, inside, not inside]), np.array([0.5, 0.5, 0.0])
    with pytest.raises(DataError) as caught:
        auroc(positive, np.arange(3.0), weights, "yes")
    assert str(caught.value) == (
        f"{which} with a weight has the label 'yes', so AUROC is undefined. Choose another class or metric."
    )


def test_the_smaller_class_is_counted_in_effective_rows():
    """Weighted 2 1 1 the three rows of a class are worth 16 / 6; of three classes, the smallest counts."""
    weights = np.array([2, 1, 1, 3, 3, 3, 3]) / 16
    for of_class in (np.arange(7) < 3, np.arange(7) >= 3):
        assert smaller_class(np.column_stack([of_class, np.zeros(7)]), weights) == pytest.approx(16 / 6)
    classes = np.repeat([0, 1, 2], [20, 4, 16])[:, None] == np.arange(3)
    assert smaller_class(np.column_stack([classes, np.zeros((40, 3))]), np.full(40, 1 / 40)) == pytest.approx(4)
    absent = np.column_stack([np.arange(7) < 3, np.zeros(7)])
    assert smaller_class(absent, np.where(np.arange(7) < 3, 0.0, 0.25)) == 0


RARE, OTHERS, WORLDS = 5, 200, 1000


def intervals(area: float, draw: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rank five rows among many in a thousand worlds of this true area.

    Return where the ranking was perfect, and whether the interval held the truth: with the smaller class's rows, and
    with all rows.
    """
    rng, n = np.random.default_rng(18), RARE + OTHERS
    positive, weights, found = np.arange(n) < RARE, np.full(n, 1 / n), []
    for _ in range(WORLDS):
        if draw == "normal":
            rare = rng.normal(norm.ppf(area) * np.sqrt(2), size=RARE)
        else:
            rare = np.where(rng.random(RARE) < area, 100.0, -100.0)
        scores = np.concatenate([rare, rng.normal(size=OTHERS)])
        value, slopes = auroc(positive, scores, weights, "yes")
        error, few = np.linalg.norm(weights * slopes), smaller_class(np.column_stack([positive, scores]), weights)
        ends = [
            influence_interval(value, error, confidence=0.95, bounds=(0, 1), effective_rows=rows, student=rows < n)
            for rows in (few, n)
        ]
        found.append([value > 1 - 1e-9, *(low <= area <= high for low, high in ends)])
    perfect, right, wrong = np.array(found).T
    return perfect, right, wrong


@pytest.mark.parametrize("area", [0.47, 0.9])
def test_a_perfect_ranking_of_few_rows_misses_no_more_often_than_said(area):
    """At worst: a row of the class beats all others or none. Five rows in order say little, whatever the others."""
    perfect, right, wrong = intervals(area, "all or none")
    assert (perfect & ~right).sum() <= binom.ppf(0.9995, WORLDS, 0.025)
    assert not wrong[perfect].any()  # the control: counted by all rows, a perfect ranking is always missed
    assert perfect.sum() >= binom.ppf(0.0005, WORLDS, area**RARE)


@pytest.mark.parametrize("area", [0.7, 0.9, 0.97])
def test_intervals_of_few_rows_of_a_class_hold_the_truth(area):
    """With normal scores, also where the ranking is not perfect; guessed as from many rows they would not."""
    _, right, wrong = intervals(area, "normal")
    assert right.sum() >= binom.ppf(0.0005, WORLDS, 0.93)
    assert wrong.sum() < binom.ppf(0.0005, WORLDS, 0.9)
