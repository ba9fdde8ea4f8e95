"""Coverage of kernel mean matching, on slices and on columns: 150 worlds each, held to bands of sampling error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.registry import get_metric
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.pipeline.diagnostics import interval_of
from mandoline_core.pipeline.fits import make_problem
from mandoline_core.project.settings import EstimatorSettings


def check(what: str, hits: list[bool], errors: list[float], record_property) -> None:
    """Record a coverage, and hold it to what sampling error leaves of 95%: no interval may do with less."""
    band = norm.ppf(0.9995) * np.sqrt(0.95 * 0.05 / len(hits))
    said = f"{what}: {np.mean(hits):.1%} of {len(hits)} intervals cover; the estimate is off by {np.std(errors):.3f}"
    record_property("measured", said)
    assert np.mean(hits) >= 0.95 - band, said


@pytest.mark.slow
@pytest.mark.parametrize("n_slices", [2, 5])
def test_intervals_of_kernel_matching_on_slices_cover(n_slices, record_property):
    """500 rows a sample, slices that shift and matter."""
    rng, hits, errors, n, metric = np.random.default_rng(101), [], [], 500, get_metric("accuracy")
    for _ in range(150):
        rates = rng.uniform(0.25, 0.5, n_slices), rng.uniform(0.4, 0.75, n_slices)
        effect = rng.uniform(-0.2, 0.2, n_slices) / n_slices
        source, target = (np.where(rng.random((n, n_slices)) < rate, 1, -1).astype(np.int8) for rate in rates)
        scores = (rng.random(n) < 0.7 + source @ effect).astype(float)[:, None]
        problem = make_problem(count_patterns(source, target, scores), scores, metric, EstimatorSettings())
        outcome = get_estimator("kmm_slices").estimate(problem)
        low, high = interval_of(problem, outcome, 0.95)
        truth = 0.7 + (2 * rates[1] - 1) @ effect
        hits.append(low <= truth <= high)
        errors.append(outcome.value - truth)
    check(f"kernel matching, {n_slices} slices", hits, errors, record_property)


@pytest.mark.slow
@pytest.mark.parametrize("n_columns", [2, 5])
def test_intervals_of_kernel_matching_on_columns_cover(n_columns, record_property):
    """300 rows a sample, normal columns whose means shift; without a ridge the estimate is off three times as far."""
    rng, hits, errors, n = np.random.default_rng(102), [], [], 300
    for _ in range(150):
        shift, effect = rng.uniform(-0.6, 0.6, n_columns), rng.uniform(-0.15, 0.15, n_columns) / n_columns
        drawn = (0.0, n), (shift, n), (shift, 50_000)
        source, target, many = (rng.normal(mean, 1, (rows, n_columns)) for mean, rows in drawn)
        right = rng.random(n) < np.clip(0.7 + source @ effect, 0, 1)
        names = [f"x{i}" for i in range(n_columns)]
        known = md.Sample(
            pd.DataFrame(source, columns=names).assign(y=1, p=right.astype(int)), label="y", prediction="p"
        )
        new = md.Sample(pd.DataFrame(target, columns=names).assign(p=1), prediction="p")
        slices = [md.Threshold("high", column="x0", above=0.0)]
        found = md.estimate(known, new, slices, estimator="kmm_features").first
        truth = float(np.clip(0.7 + many @ effect, 0, 1).mean())
        hits.append(found.interval[0] <= truth <= found.interval[1])
        errors.append(found.estimate - truth)
    check(f"kernel matching, {n_columns} columns", hits, errors, record_property)
    assert np.std(errors) < 0.05
