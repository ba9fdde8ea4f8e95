"""The Gaussian kernel: exact in blocks and for sparse points, its width, and its low-rank factor."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from mandoline_core.errors import MandolineError
from mandoline_core.estimators import kernels
from mandoline_core.estimators.kernels import (
    check_points,
    factorise,
    gaussian_kernel,
    kernel_product,
    median_width,
    squared_distances,
    symmetric_product,
)

KINDS = pytest.mark.parametrize("kind", [np.asarray, csr_matrix])


def draw(seed: int, n: int, n_features: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, n_features))


@KINDS
def test_kernel_is_the_formula_for_every_pair(kind):
    """Blocks and products give what the definition gives, entry by entry."""
    x, y = draw(0, 7), draw(1, 5)
    expected = np.exp(-cdist(x, y, "sqeuclidean") / (2 * 1.3**2))
    np.testing.assert_allclose(gaussian_kernel(kind(x), kind(y), 1.3), expected, rtol=1e-12)


@KINDS
def test_products_in_blocks_equal_the_whole_product(kind, monkeypatch):
    """Neither product depends on how the kernel is cut into blocks."""
    monkeypatch.setattr(kernels, "_BLOCK_ENTRIES", 20)
    x, y = draw(0, 23), draw(1, 9)
    values, more = draw(2, 9)[:, 0], draw(3, 23)[:, 0]
    values[3] = 0.0
    whole = np.exp(-cdist(x, y, "sqeuclidean") / 2) @ values
    np.testing.assert_allclose(kernel_product(kind(x), kind(y), 1.0, values), whole, rtol=1e-12, atol=1e-14)
    own = np.exp(-cdist(x, x, "sqeuclidean") / 2) @ more
    np.testing.assert_allclose(symmetric_product(kind(x), 1.0, more), own, rtol=1e-12, atol=1e-14)


def test_product_with_nothing_is_nothing():
    """A vector of zeros gives zeros."""
    assert kernel_product(draw(0, 4), draw(1, 2), 1.0, np.zeros(2)).tolist() == [0.0] * 4


def test_equal_points_far_from_zero_are_at_distance_zero():
    """Rounding does not separate equal points, however large their features."""
    x = 1e6 + draw(0, 50, 10)
    assert (np.diag(squared_distances(x, x)) == 0).all()
    np.testing.assert_allclose(squared_distances(x, x), cdist(x, x, "sqeuclidean"), rtol=1e-6)


@KINDS
@given(seed=st.integers(0, 1000), whole=st.booleans())
def test_median_width_is_the_median_over_pairs_of_rows(kind, seed, whole):
    """Counts give the median that the repeated rows give, zeros left out."""
    rng = np.random.default_rng(seed)
    source, target = rng.integers(0, 3, (6, 2)).astype(float), rng.integers(0, 3, (5, 2)).astype(float)
    source[0] = 7.0  # something differs
    source_counts, target_counts = rng.integers(0, 4, 6).astype(float), rng.integers(0, 4, 5).astype(float)
    source_counts[0] = target_counts[0] = 1.0
    rows = np.concatenate(
        [np.repeat(source, source_counts.astype(int), 0), np.repeat(target, target_counts.astype(int), 0)]
    )
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(rows, 2)]
    expected = np.median([distance for distance in distances if distance > 0])
    found = median_width(kind(source), source_counts, kind(target), target_counts, rng)
    assert found == pytest.approx(expected, rel=1e-9)


def test_median_width_of_many_points_is_near_the_median_of_all():
    """A draw of 300 points among 1,600 is within a few per cent, and repeatable."""
    source, target, ones = draw(0, 800, 5), 1 + draw(1, 800, 5), np.ones(800)
    whole = median_width(source, ones, target, ones, np.random.default_rng(0), most=1600)
    found = [median_width(source, ones, target, ones, np.random.default_rng(0), most=300) for _ in range(2)]
    assert found[0] == found[1] == pytest.approx(whole, rel=0.03)


def test_median_width_refuses_points_that_are_all_equal():
    """Without a distance there is no width, and the message says so."""
    same, counts = np.ones((3, 2)), np.ones(3)
    with pytest.raises(MandolineError, match="All rows have the same features"):
        median_width(same, counts, same, counts, np.random.default_rng(0))


@KINDS
@pytest.mark.parametrize("width", [0.7, 3.0])
def test_factor_at_full_rank_is_the_kernel(kind, width):
    """With as many pivots as points the factor reproduces the kernel among and between samples."""
    x, y = draw(0, 120), draw(1, 80)
    source, target, _ = factorise(kind(x), kind(y), width, tolerance=1e-12)
    np.testing.assert_allclose(source @ source.T, gaussian_kernel(x, x, width), atol=1e-8)
    np.testing.assert_allclose(source @ target.T, gaussian_kernel(x, y, width), atol=1e-8)


def test_factor_residual_is_what_the_kernel_lacks():
    """The residual's diagonal is that of K - L L', whose trace is within reach of the best possible."""
    x, y = draw(0, 400, 6), draw(1, 300, 6)
    source, target, residual = factorise(x, y, 2.0, most=60)
    points, rows = np.concatenate([x, y]), np.concatenate([source, target])
    kernel = gaussian_kernel(points, points, 2.0)
    lacking = np.diag(kernel) - (rows**2).sum(axis=1)
    np.testing.assert_allclose(residual, lacking[:400], atol=1e-10)
    best = np.linalg.eigvalsh(kernel)[:-60].sum()
    assert best <= lacking.sum() < 3 * best


def test_factor_stops_at_its_tolerance():
    """A smooth kernel in one dimension needs few pivots."""
    x = draw(0, 300, 1)
    source, target, _ = factorise(x, x, 2.0, tolerance=1e-6)
    assert source.shape[1] < 60
    assert 600 - (source**2).sum() - (target**2).sum() <= 1e-6 * 600


@pytest.mark.parametrize(
    ("points", "counts", "message"),
    [
        (np.ones(3), np.ones(3), "2 dimensions"),
        (np.ones((3, 1)), np.ones(2), r"one value per point \(3\)\. Got shape"),
        (np.array([[np.nan]]), np.ones(1), "missing or infinite"),
        (np.ones((2, 1)), np.array([1.0, -1.0]), "non-negative"),
        (np.ones((2, 1)), np.zeros(2), "not all 0"),
    ],
)
def test_bad_points_are_refused_with_a_sentence(points, counts, message):
    """Each mistake has its own message, which names the sample."""
    with pytest.raises(MandolineError, match=message) as caught:
        check_points(points, counts, "target")
    assert "target" in str(caught.value)
