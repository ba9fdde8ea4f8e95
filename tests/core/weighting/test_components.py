"""Components: how patterns are parted before truths are added up changes no number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.weighting import components, weights
from mandoline_core.weighting.potentials import build_tilt
from tests.strategies import Case, cases, random_case

MIXED = {"kinds": ("identity", "own"), "abstain": True, "edges": True, "min_slices": 3, "max_slices": 5}


def tilt_at_cost(case: Case, cost: float):
    """Build the tilt of all patterns as if one more component cost so much."""
    patterns, table = case.count.patterns, case.problem().corrections().source
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(components, "_COMPONENT_COST", cost)
        return build_tilt(patterns.codes, table, case.edges, patterns.names)


@given(cases(**MIXED), st.integers(0, 2**16))
def test_summing_apart_equals_summing_together(case: Case, seed):
    """Slices that are uncertain in a pattern only, or all that hang together there: the same scales and moments."""
    rng = np.random.default_rng(seed)
    delta = rng.normal(0, 1, case.source.shape[1] + len(case.edges))
    weights = rng.dirichlet(np.ones(len(case.count.patterns)))
    apart, together = (tilt_at_cost(case, cost).evaluate(delta) for cost in (0.0, 1e18))
    np.testing.assert_allclose(apart.log_scale, together.log_scale, atol=1e-12)
    np.testing.assert_allclose(apart.mean, together.mean, atol=1e-12)
    np.testing.assert_allclose(apart.covariance(weights), together.covariance(weights), atol=1e-12)


def test_a_slice_that_seldom_abstains_is_summed_over_where_it_does():
    """Of three slices with two edges, in 2,000 rows, each abstains in 1%."""
    case = random_case(np.random.default_rng(0), n=2000, abstain=0.01, edges=((0, 1), (1, 2)))
    patterns = case.count.patterns
    tilt = tilt_at_cost(case, 0.0)
    assert {i for part in tilt.components for i in part.rows} == set(np.flatnonzero((patterns.codes == 0).any(axis=1)))
    assert (
        max(
            sum(len(cluster.inner) for cluster in part.clusters)
            for part in tilt.components
            if (patterns.codes[part.rows] == 0).sum(axis=1).max() == 1
        )
        == 1
    )


@pytest.mark.parametrize("edges", [(), ((0, 1), (1, 2))], ids=["no edges", "edges"])
def test_a_side_that_the_target_lacks_needs_no_linear_programme(edges, monkeypatch):
    """Its source rows are left without use at once, also where the slice abstains in some rows."""
    case = random_case(np.random.default_rng(1), n=1500, abstain=0.02, edges=edges)
    case = replace(case, target=case.target[case.target[:, 1] == -1])
    monkeypatch.setattr(weights, "find_beyond", None)
    fitted = case.problem().fitted
    patterns = case.count.patterns
    assert fitted.solution.converged
    assert (fitted.unused == ((patterns.codes[:, 1] == 1) & (patterns.source > 0))).all()
    np.testing.assert_allclose(fitted.solution.mean, fitted.target_mean, atol=1e-10)
