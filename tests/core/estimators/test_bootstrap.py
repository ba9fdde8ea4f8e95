"""The bootstrap: redraws follow rows, batches equal single refits, and its spread is the right one."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from scipy.stats import binom, chisquare

import mandoline_core as md
from mandoline_core.estimators.bootstrap import bootstrap, draw_problem
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.patterns.patterns import count_patterns
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.problem import Problem
from tests import oracles
from tests.strategies import Case, random_case

NOISY = Noise(Correction(inside=0.9, outside=0.15))
SIGMAS = 4  # a band of four standard errors: one fixed seed in 16,000 would miss it by chance

module = import_module("mandoline_core.estimators.bootstrap")  # the door has a function of that name


def run(problem: Problem, name: str = "mandoline", *, replicates: int = 100, seed: int = 0):
    """Bootstrap an estimator."""
    estimator = get_estimator(name)
    rng = np.random.default_rng(seed)
    return bootstrap(problem, estimator, estimator.estimate(problem), replicates=replicates, rng=rng)


def spread_band(*replicates: int) -> float:
    """Bound the log ratio of standard deviations of nearly normal values: each has variance 1 / 2n."""
    return SIGMAS * np.sqrt(sum(1 / (2 * n) for n in replicates))


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
@pytest.mark.parametrize("n", [40, 1000], ids=["few rows", "many rows"])
def test_a_batch_equals_refitting_each_draw(name, n, monkeypatch):
    """Solving all refits at once changes no number, also where draws lose a pattern or leave the reach."""
    rng = np.random.default_rng(1)
    problem = random_case(rng, n_slices=3, n=n, edges=((0, 1),)).problem()
    outcome = get_estimator(name).estimate(problem)
    assert (outcome.kept == 1).all()
    assert not outcome.unused.any()
    together = run(problem, name, replicates=300)
    monkeypatch.setattr(module, "_solve_together", lambda problem, source, target, sums: [None] * len(source))
    one_by_one = run(problem, name, replicates=300)
    assert len(together) == len(one_by_one)
    np.testing.assert_allclose(together, one_by_one, rtol=0, atol=1e-9)


def test_most_refits_are_solved_together():
    """The batch is used, not only its fallback."""
    problem = random_case(np.random.default_rng(2), n=500, edges=((0, 1),)).problem()
    drawn = module._redraw(problem, 50, np.random.default_rng(0), together=True)
    assert all(means is not None for _, means in drawn)


def explicit_spread(case: Case, replicates: int) -> float:
    """Resample rows of both samples, enumerate, and take the standard deviation."""
    rng = np.random.default_rng(3)
    values = []
    for _ in range(replicates):
        rows, others = (oracles.resample(len(sample), rng) for sample in (case.source, case.target))
        drawn = replace(case, source=case.source[rows], scores=case.scores[rows], target=case.target[others])
        values.append(drawn.answer().estimate)
    return float(np.std(values))


@pytest.mark.slow
@pytest.mark.parametrize(
    "binary", [True, pytest.param(False, marks=pytest.mark.long)], ids=["right or wrong", "any score"]
)
@pytest.mark.parametrize("noises", [(), (NOISY, None)], ids=["exact", "noisy"])
def test_spread_equals_that_of_resampled_rows_and_of_the_influence(binary, noises):
    """Redrawing patterns is redrawing rows, and both agree with the influence-function standard error."""
    case = random_case(
        np.random.default_rng(4), n_slices=2, n=400, noises=noises, abstain=0.1 * bool(noises), binary=binary
    )
    problem = case.problem()
    n, n_explicit = (300, 300) if noises else (2000, 400)
    found = run(problem, replicates=n)
    assert len(found) == n
    spread, error = np.std(found), get_estimator("mandoline").estimate(problem).influence.standard_error()
    explicit = explicit_spread(case, n_explicit)
    assert abs(np.log(spread / explicit)) < spread_band(n, n_explicit)
    # The influence is the first-order spread; what it leaves out is of the order of 1 / rows.
    assert abs(np.log(spread / error)) < spread_band(n) + 4 / 400
    centre = get_estimator("mandoline").means(problem)[0]
    assert abs(found.mean() - centre) < SIGMAS * spread / np.sqrt(n) + spread**2


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_split_sources_are_redrawn_half_by_half(split):
    """Each half keeps its number of rows, and the spread agrees with the influence."""
    problem = random_case(np.random.default_rng(5), n_slices=2, n=600).problem(split)
    redrawn = draw_problem(problem, np.random.default_rng(0))
    for before, after in zip(problem.groups, redrawn.groups, strict=True):
        assert after.n_source == before.n_source
    np.testing.assert_array_equal(redrawn.patterns.source, sum(group.source for group in redrawn.groups))
    spread = np.std(run(problem, replicates=400))
    error = get_estimator("mandoline").estimate(problem).influence.standard_error()
    assert abs(np.log(spread / error)) < spread_band(400) + 8 / 600


def one_pattern(statistics: np.ndarray) -> Problem:
    """State a problem in which all rows look alike."""
    codes = np.ones((len(statistics), 1), dtype=np.int8)
    patterns = count_patterns(codes, codes[:3], statistics).patterns
    return Case(codes, statistics[:, 0], codes[:3]).problem(patterns=patterns, groups=(patterns,))


def test_sums_of_indicators_are_redrawn_exactly():
    """Right-or-wrong scores of n rows add up to a binomial number, always whole."""
    problem = one_pattern(np.array([[1.0], [1.0], [1.0], [0.0], [0.0]]))
    rng = np.random.default_rng(0)
    sums = [draw_problem(problem, rng).patterns.sums[0, 0] for _ in range(2000)]
    counts = Counter(sums)
    assert set(counts) <= set(range(6))
    expected = 2000 * binom.pmf(np.arange(6), 5, 0.6)
    assert chisquare([counts[i] for i in range(6)], expected).pvalue > 1e-4


def test_exclusive_indicators_are_redrawn_together():
    """Two statistics of which at most one is 1 never add up to more than the rows; their covariance is negative."""
    rows = np.repeat(np.eye(3)[:, :2], [4, 3, 5], axis=0)
    rng = np.random.default_rng(0)
    sums = np.array([draw_problem(one_pattern(rows), rng).patterns.sums[0] for _ in range(2000)])
    assert (sums == sums.round()).all()
    assert (sums.sum(axis=1) <= 12).all()
    expected = 12 * (np.diag([4 / 12, 3 / 12]) - np.outer([4 / 12, 3 / 12], [4 / 12, 3 / 12]))
    # Entries of a sample covariance have a standard error of at most sqrt(2 / n) times the product of deviations.
    np.testing.assert_allclose(np.cov(sums.T), expected, atol=SIGMAS * np.sqrt(2 / 2000) * expected.max())


def test_sums_of_other_scores_have_the_moments_of_redrawn_rows():
    """Mean n m, covariance n times the rows' covariance, for two correlated statistics."""
    rng = np.random.default_rng(6)
    first = rng.standard_normal(50)
    rows = np.column_stack([first, first + rng.random(50)])
    sums = np.array([draw_problem(one_pattern(rows), rng).patterns.sums[0] for _ in range(4000)])
    covariance = 50 * np.cov(rows.T, bias=True)
    spread = np.sqrt(np.diag(covariance))
    assert (np.abs(sums.mean(axis=0) - rows.sum(axis=0)) < SIGMAS * spread / np.sqrt(4000)).all()
    np.testing.assert_allclose(np.cov(sums.T), covariance, atol=SIGMAS * np.sqrt(2 / 4000) * covariance.max())


def test_redraws_keep_the_numbers_of_rows():
    """Both samples keep their size, and target rows fall only where there were some."""
    problem = random_case(np.random.default_rng(7), n=300).problem()
    redrawn = draw_problem(problem, np.random.default_rng(0)).patterns
    assert redrawn.n_source == problem.patterns.n_source
    assert redrawn.n_target == problem.patterns.n_target
    assert not redrawn.target[problem.patterns.target == 0].any()


@pytest.mark.parametrize("noises", [(), (NOISY, None, None)], ids=["exact", "noisy"])
def test_the_same_seed_gives_the_same_values(noises):
    """And another seed gives others."""
    problem = random_case(np.random.default_rng(8), noises=noises).problem()
    assert (run(problem) == run(problem)).all()
    assert (run(problem) != run(problem, seed=1)).any()


def test_redraws_that_fail_are_counted():
    """A draw that loses every pattern the samples share is a failure, not a number."""
    codes = np.array([[1]] + [[-1]] * 3, dtype=np.int8)
    case = Case(codes, np.arange(4.0), np.array([[1]] * 2, dtype=np.int8))
    problem = case.problem()
    found = run(problem, "simple", replicates=400)
    lost = 0.75**4  # the one source row inside is not drawn
    assert abs(400 - len(found) - 400 * lost) < SIGMAS * np.sqrt(400 * lost * (1 - lost))


def test_progress_is_told_in_shares_that_end_at_one():
    """A caller can show how far it is."""
    told = []
    problem = random_case(np.random.default_rng(9)).problem()
    estimator = get_estimator("mandoline")
    rng = np.random.default_rng(0)
    bootstrap(problem, estimator, estimator.estimate(problem), replicates=600, rng=rng, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_the_interval_holds_its_estimate_and_stays_within_bounds():
    """A denoised value beyond the bounds is shown at the bound; redrawn values beyond it do not leave it behind."""
    rng = np.random.default_rng(64)
    source, target = (np.where(rng.random((60, 2)) < rates, 1, -1) for rates in ([0.15, 0.2], [0.8, 0.7]))
    scores = (rng.random(60) < 0.97).astype(float)
    noise = (np.tile([0.15, 0.5, 0.8], (2, 1)),) * 2
    found = md.estimate_from_codes(
        source, scores, target, estimator="denoised", interval="bootstrap", replicates=60, noise=noise
    ).first
    assert "denoised_outside_bounds" in {finding.code for finding in found.findings}
    assert found.interval[0] <= found.estimate == found.interval[1] == 1.0


def test_redraws_to_one_side_are_found_and_the_interval_holds_its_estimate(monkeypatch):
    """Percentiles alone would leave the estimate out."""
    values = np.linspace(0.2, 0.4, 60)
    module = sys.modules["mandoline_core.pipeline.estimates"]
    monkeypatch.setattr(module, "bootstrap", lambda *_, **__: values)
    codes = [[1], [-1]] * 50
    found = md.estimate_from_codes(codes, [1.0, 1.0, 0.0, 1.0] * 25, codes, interval="bootstrap", replicates=60).first
    assert found.estimate == pytest.approx(0.75)
    assert found.interval[1] == found.estimate
    assert "one_sided_redraws" in {finding.code for finding in found.findings}
