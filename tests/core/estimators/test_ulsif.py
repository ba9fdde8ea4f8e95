"""Least-squares ratio fitting: leave-one-out against refitting, influence against numerical derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from mandoline_core.errors import MandolineError, OverlapError
from mandoline_core.estimators.ulsif import RatioFit, fit_ratio, leave_one_out_scores

RIDGES = (0.001, 0.1, 3.0)


def draw(seed: int, n: int = 9) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw points and counts of both samples."""
    rng = np.random.default_rng(seed)
    source, target = rng.standard_normal((n, 2)), 0.6 + 0.7 * rng.standard_normal((n + 2, 2))
    return source, rng.integers(1, 4, n).astype(float), target, rng.integers(1, 4, n + 2).astype(float)


def plain_alpha(
    source: np.ndarray, source_counts: np.ndarray, target: np.ndarray, target_counts: np.ndarray, ridge: float
) -> np.ndarray:
    """Fit from features by the definition."""
    gram = (source.T * source_counts) @ source / source_counts.sum()
    mean = target_counts @ target / target_counts.sum()
    return np.maximum(np.linalg.solve(gram + ridge * np.eye(len(gram)), mean), 0.0)


def refitted_score(
    source: np.ndarray, source_counts: np.ndarray, target: np.ndarray, target_counts: np.ndarray, ridge: float
) -> float:
    """Leave out one row after the other, and fit again each time."""
    left = right = 0.0
    for i, count in enumerate(source_counts):
        fewer = source_counts - (np.arange(len(source_counts)) == i)
        left += count * (source[i] @ plain_alpha(source, fewer, target, target_counts, ridge)) ** 2
    for j, count in enumerate(target_counts):
        fewer = target_counts - (np.arange(len(target_counts)) == j)
        right += count * (target[j] @ plain_alpha(source, source_counts, target, fewer, ridge))
    return left / (2 * source_counts.sum()) - right / target_counts.sum()


def features_of(points: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    return np.exp(-cdist(points, centres, "sqeuclidean") / (2 * width**2))


@given(seed=st.integers(0, 1000), width=st.sampled_from([0.3, 1.0, 3.0]))
def test_leave_one_out_in_closed_form_is_refitting(seed, width):
    """Each score equals that of explicit refits, clipping included, for points with counts."""
    source, source_counts, target, target_counts = draw(seed)
    sides = [features_of(points, target[:6], width) for points in (source, target)]
    found = leave_one_out_scores(sides[0], source_counts, sides[1], target_counts, RIDGES)
    expected = [refitted_score(sides[0], source_counts, sides[1], target_counts, ridge) for ridge in RIDGES]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), sparse=st.booleans())
def test_counts_are_repeated_rows(seed, sparse):
    """With the same centres, a point with a count is fitted as its rows are."""
    source, source_counts, target, target_counts = draw(seed)
    source_counts[0] = target_counts[1] = 0.0
    kind = csr_matrix if sparse else np.asarray
    rng = np.random.default_rng(0)
    short = fit_ratio(
        kind(source), source_counts, kind(target), target_counts, rng=rng, centres=kind(target[2:]), ridges=RIDGES
    )
    rows, target_rows = (
        np.repeat(points, counts.astype(int), 0)
        for points, counts in ((source, source_counts), (target, target_counts))
    )
    ones = np.ones(len(rows)), np.ones(len(target_rows))
    long = fit_ratio(rows, ones[0], target_rows, ones[1], rng=rng, centres=target[2:], ridges=RIDGES)
    assert short.width == pytest.approx(long.width)
    assert short.ridge == long.ridge
    assert short.score == pytest.approx(long.score, rel=1e-9)
    np.testing.assert_allclose(np.repeat(short.ratios, source_counts.astype(int)), long.ratios, rtol=1e-7, atol=1e-10)


def test_chosen_width_and_ridge_have_the_lowest_score_of_all():
    """The choice is the minimum over the whole grid, scored by refitting."""
    source, source_counts, target, target_counts = draw(4)
    widths = (0.3, 1.0, 2.5)
    fit = fit_ratio(
        source, source_counts, target, target_counts, rng=np.random.default_rng(0), widths=widths, ridges=RIDGES
    )
    one = fit_ratio(
        source, source_counts, target, target_counts, rng=np.random.default_rng(0), widths=(1.0,), ridges=(1.0,)
    )
    scores = {}
    for width in widths:
        sides = [features_of(points, target, width * one.width) for points in (source, target)]
        for ridge in RIDGES:
            scores[width, ridge] = refitted_score(sides[0], source_counts, sides[1], target_counts, ridge)
    width, ridge = min(scores, key=lambda key: scores[key])
    assert (fit.width, fit.ridge) == (pytest.approx(width * one.width), ridge)
    assert fit.score == pytest.approx(scores[width, ridge], abs=1e-9)
    expected = plain_alpha(fit.source_features, source_counts, fit.target_features, target_counts, ridge)
    np.testing.assert_allclose(fit.alpha, expected, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(fit.ratios, features_of(source, target, fit.width) @ expected, rtol=1e-8)


def clipped_fit(seed: int) -> tuple[RatioFit, np.ndarray, np.ndarray]:
    """Fit with a small ridge and wide kernels, which make some coefficients negative before clipping."""
    source, source_counts, target, target_counts = draw(seed)
    fit = fit_ratio(
        source, source_counts, target, target_counts, rng=np.random.default_rng(0), widths=(0.7,), ridges=(0.01,)
    )
    return fit, source_counts, target_counts


@pytest.mark.parametrize("seed", range(4))
def test_influence_is_the_derivative_by_fractional_counts(seed):
    """A little more of a row moves alpha by its influence over the number of rows; clipped coefficients stay."""
    fit, source_counts, target_counts = clipped_fit(seed)
    assert 0 < (fit.alpha > 0).sum() < len(fit.alpha)
    influences = fit.alpha_influence()
    step = 1e-5
    for side, counts in enumerate((source_counts, target_counts)):
        for i in range(len(counts)):
            ends = []
            for sign in (1, -1):
                moved = [source_counts.copy(), target_counts.copy()]
                moved[side][i] += sign * step
                ends.append(plain_alpha(fit.source_features, moved[0], fit.target_features, moved[1], fit.ridge))
            slope = (ends[0] - ends[1]) / (2 * step)
            np.testing.assert_allclose(influences[side][i] / counts.sum(), slope, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_influences_add_up_to_nothing(seed):
    """Over the rows of a sample the influence averages to 0."""
    fit, source_counts, target_counts = clipped_fit(seed)
    for influence, counts in zip(fit.alpha_influence(), (source_counts, target_counts), strict=True):
        np.testing.assert_allclose(counts @ influence, 0.0, atol=1e-9 * np.abs(influence).max() * counts.sum())


def test_order_of_points_does_not_matter():
    """Shuffling either sample shuffles the ratios and changes nothing else."""
    source, source_counts, target, target_counts = draw(8, 30)
    fit = fit_ratio(source, source_counts, target, target_counts, rng=np.random.default_rng(0))
    order, target_order = (np.random.default_rng(1).permutation(len(points)) for points in (source, target))
    other = fit_ratio(
        source[order], source_counts[order], target[target_order], target_counts[target_order],
        rng=np.random.default_rng(5),
    )  # fmt: skip
    assert other.score == pytest.approx(fit.score, rel=1e-9)
    np.testing.assert_allclose(other.ratios, fit.ratios[order], rtol=1e-6)


def test_fit_is_close_to_a_known_ratio():
    """Between two normal samples the fit explains most of the true ratio's variation."""
    rng = np.random.default_rng(0)
    source, target = rng.standard_normal((3000, 2)), 0.7 + 0.7 * rng.standard_normal((3000, 2))
    truth = np.exp(-((source - 0.7) ** 2).sum(axis=1) / (2 * 0.49) + (source**2).sum(axis=1) / 2) / 0.49
    fit = fit_ratio(source, np.ones(3000), target, np.ones(3000), rng=rng)
    assert len(fit.alpha) == 100
    assert np.mean((fit.ratios - truth) ** 2) < 0.1 * np.var(truth)
    assert fit.ratios.mean() == pytest.approx(1, abs=0.1)


def test_centres_are_target_points_that_have_rows():
    """Centres are drawn among the points with rows, each at most once."""
    rng = np.random.default_rng(0)
    target, counts = rng.standard_normal((400, 1)), np.ones(400)
    counts[:250] = 0
    fit = fit_ratio(rng.standard_normal((50, 1)), np.ones(50), target, counts, rng=rng)
    assert len(np.unique(fit.centres)) == 100
    assert np.isin(fit.centres, target[250:]).all()


def test_samples_with_nothing_in_common_are_an_error():
    """Where every ratio is 0 there is nothing to weight with, and the message says so."""
    source, target = np.array([[0.0], [0.1]]), np.array([[1000.0], [1000.1]])
    with pytest.raises(OverlapError, match="labelled and new rows do not overlap"):
        fit_ratio(source, np.ones(2), target, np.ones(2), rng=np.random.default_rng(0), widths=(0.01,))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"widths": ()}, "widths must be one or more positive numbers"),
        ({"ridges": (0.0,)}, "ridges must be one or more positive numbers. Got \\(0.0,\\)"),
        ({"source_counts": np.array([1.0, 0.0])}, "Leave-one-out needs at least 2 rows. The labelled data has 1"),
        ({"target": np.ones((2, 3))}, "The labelled data has 1 features, the new data 3"),
    ],
)
def test_bad_settings_are_refused(change, message):
    """Each mistake has its own message."""
    points = np.array([[0.0], [1.0]])
    settings = {"source": points, "source_counts": np.ones(2), "target": points, "target_counts": np.ones(2)} | change
    with pytest.raises(MandolineError, match=message):
        fit_ratio(**settings, rng=np.random.default_rng(0))
