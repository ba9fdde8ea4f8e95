"""Pairs: moments of products, worked out some patterns at a time, equal those of the products written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mandoline_core.weighting import pair_tests
from mandoline_core.weighting.pair_tests import GivenPairs, ProductPairs


@pytest.mark.parametrize("at_once", [1, 50, 2**16])
def test_moments_do_not_depend_on_how_many_products_are_written_out(at_once, monkeypatch):
    """Averages, products with potentials and squares of residuals."""
    monkeypatch.setattr(pair_tests, "_AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    slices, chosen = rng.uniform(-1, 1, (37, 5)), list(itertools.combinations(range(5), 2))
    written = np.column_stack([slices[:, i] * slices[:, j] for i, j in chosen])
    weights, lines, offset = rng.random(37), rng.normal(size=(5, 10)), rng.normal(size=10)
    for found in (ProductPairs(slices, chosen), GivenPairs(written)):
        np.testing.assert_allclose(found.average(weights), weights @ written, atol=1e-13)
        np.testing.assert_allclose(found.cross(slices), slices.T @ written, atol=1e-13)
        squares = weights @ (written - slices @ lines - offset) ** 2
        np.testing.assert_allclose(found.residual_squares(weights, slices, lines, offset), squares, rtol=1e-12)
