"""Influence functions: equal to numerical derivatives, and the right size."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from mandoline_core.estimators.intervals import bootstrap_interval, influence_interval
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.metrics.metric import Metric
from mandoline_core.patterns.patterns import Patterns, count_patterns
from mandoline_core.slices.noise import Correction, Noise
from mandoline_core.weighting.problem import Problem
from tests.strategies import FOLDS, Case, covers, random_case, world_problem
from tests.worlds import random_world

STEP = 1e-5
N_DIRECTIONS = 2
CORRECTION, OTHER = Correction(inside=0.85, outside=0.2), Correction(inside=0.9, outside=0.15)
STATED = Correction(inside=0.85, outside=0.2, abstain=0.4)
KINDS = {
    "identity": None,
    "own": Noise(CORRECTION, OTHER),
    "same": Noise(CORRECTION, same=True),
    "derived": Noise(CORRECTION),
    "derived, abstention stated": Noise(STATED),
}


def only(pattern: int, n_patterns: int) -> np.ndarray:
    """Let all rows be of one pattern."""
    return (np.arange(n_patterns) == pattern).astype(float)


def mix(table: Patterns, patterns: np.ndarray, statistics: np.ndarray, share: float) -> Patterns:
    """Replace a share of the source rows by rows that are so distributed over patterns, with the given statistics."""
    return replace(
        table,
        source=(1 - share) * table.source + share * table.n_source * patterns,
        sums=(1 - share) * table.sums + share * table.n_source * patterns[:, None] * statistics,
    )


def mix_source(problem: Problem, group: int, patterns: np.ndarray, statistics: np.ndarray, share: float) -> Problem:
    """Replace a share of one group's rows; the whole is the sum of the groups."""
    groups = list(problem.groups)
    groups[group] = mix(groups[group], patterns, statistics, share)
    whole = replace(
        problem.patterns, source=sum(g.source for g in groups), sums=np.sum([g.sums for g in groups], axis=0)
    )
    return replace(problem, patterns=whole, groups=tuple(groups))


def mix_target(problem: Problem, patterns: np.ndarray, share: float) -> Problem:
    """Replace a share of the target rows by rows that are so distributed over patterns."""

    def moved(table: Patterns) -> Patterns:
        return replace(table, target=(1 - share) * table.target + share * table.n_target * patterns)

    return replace(problem, patterns=moved(problem.patterns), groups=tuple(map(moved, problem.groups)))


def derivative(value: Callable[[float], float]) -> float:
    """Differentiate by central differences of fourth order."""
    near, far = value(STEP) - value(-STEP), value(2 * STEP) - value(-2 * STEP)
    return (8 * near - far) / (12 * STEP)


def assert_influence_is_the_derivative(problem: Problem, name: str) -> None:
    """Compare influence with derivatives towards random rows, in every group and in the target.

    It is linear, so that what is wrong with the influence of any one pattern shows in every random mixture.
    """
    estimator, rng = get_estimator(name), np.random.default_rng(0)
    influence = estimator.estimate(problem).influence

    def value(changed: Problem) -> float:
        return changed.metric.combine(estimator.means(changed))

    def distribution(counts: np.ndarray) -> np.ndarray:
        drawn = np.where(counts > 0, rng.dirichlet(np.full(len(counts), 0.5)), 0.0)
        return drawn / drawn.sum()

    for _ in range(N_DIRECTIONS):
        for group, part in enumerate(influence.source):
            counts = part.patterns.source
            drawn = distribution(counts)
            statistics = part.patterns.sums / np.maximum(counts, 1)[:, None] + rng.random(part.patterns.sums.shape)
            expected = derivative(
                lambda share, g=group, p=drawn, s=statistics: value(mix_source(problem, g, p, s, share))
            )
            found = drawn @ ((part.slope * statistics).sum(axis=1) + part.constant)
            assert found == pytest.approx(expected, abs=2e-8), group
        drawn = distribution(problem.patterns.target)
        expected = derivative(lambda share, p=drawn: value(mix_target(problem, p, share)))
        assert drawn @ influence.target == pytest.approx(expected, abs=2e-8)


@pytest.mark.parametrize(
    "split", [pytest.param(name, marks=pytest.mark.long) if name == "half" else name for name in sorted(FOLDS)]
)
@pytest.mark.parametrize("abstain", [0.0, 0.2], ids=["speaking", "abstaining"])
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_influence_of_weighted_estimators_is_their_derivative(name, kind, abstain, split):
    """Source and target rows, through weights, regression, parameters, and corrections that follow from rates."""
    rng = np.random.default_rng(5)
    noises = (KINDS[kind], KINDS[kind])
    case = random_case(rng, n_slices=2, n=300, edges=((0, 1),), noises=noises, abstain=abstain, binary=False)
    assert_influence_is_the_derivative(case.problem(split), name)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_influence_with_a_ridge_is_the_derivative(name, kind):
    """A ridge and a cycle of edges."""
    rng = np.random.default_rng(6)
    edges = tuple(itertools.combinations(range(3), 2))
    case = random_case(rng, n_slices=3, n=300, edges=edges, noises=(KINDS[kind], None, None), abstain=0.1, ridge=0.05)
    assert_influence_is_the_derivative(case.problem(), name)


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_influence_with_redundant_slices_is_the_derivative(name):
    """A slice that is another's twin, next to a noisy one."""
    case = random_case(np.random.default_rng(6), n_slices=2, n=300, noises=(None, None, KINDS["derived"]), binary=False)
    twin = replace(case, source=case.source[:, [0, 0, 1]], target=case.target[:, [0, 0, 1]])
    assert_influence_is_the_derivative(twin.problem(), name)


@pytest.mark.parametrize("name", ["simple", "source"])
def test_influence_of_baselines_is_their_derivative(name):
    """The pattern ratio moves with both samples, the source score with the source only."""
    case = random_case(np.random.default_rng(7), n_slices=3, n=100, binary=False)
    assert_influence_is_the_derivative(case.problem(), name)


@pytest.mark.parametrize("name", ["mandoline", "denoised", "simple", "source"])
def test_influence_of_a_ratio_of_means_is_its_derivative(name):
    """A metric that combines two statistics is linearised by its slope."""
    ratio = Metric(
        "ratio",
        "a ratio of two means",
        "column",
        None,
        combine=lambda means: float(means[0] / means[1]),
        slope=lambda means: np.array([1 / means[1], -means[0] / means[1] ** 2]),
    )
    rng = np.random.default_rng(8)
    case = random_case(rng, n_slices=2, n=300, noises=(KINDS["derived"], None))
    statistics = np.column_stack([case.scores, 1 + rng.random(len(case.scores))])
    patterns = count_patterns(case.source, case.target, statistics).patterns
    assert_influence_is_the_derivative(case.problem(patterns=patterns, groups=(patterns,), metric=ratio), name)


def test_influence_on_a_face_is_the_derivative_along_it():
    """With source rows of no use, the rows still in use move the estimate as an ordinary solution does."""
    case = random_case(np.random.default_rng(9), n_slices=3, n=300, binary=False)
    case = replace(case, target=case.target[case.target[:, 2] == -1])
    problem = case.problem()
    outcome = get_estimator("mandoline").estimate(problem)
    assert outcome.unused.any()
    assert_influence_is_the_derivative(problem, "mandoline")


@pytest.mark.parametrize("kind", ["own", "derived"])
def test_influence_on_a_face_of_uncertain_slices_is_the_derivative(kind):
    """The target is wholly inside a slice that is uncertain in the source: some truths are ruled out, no rows."""
    noise = Noise(CORRECTION, target=Correction(1.0, 0.0)) if kind == "own" else KINDS["derived"]
    case = random_case(np.random.default_rng(12), n_slices=2, n=300, noises=(noise, None), abstain=0.2, binary=False)
    target = case.target.copy()
    target[:, 0] = 1
    problem = replace(case, target=target).problem()
    outcome = get_estimator("mandoline").estimate(problem)
    assert not outcome.unused.any()
    assert np.abs(outcome.delta).max() < 5
    assert_influence_is_the_derivative(problem, "mandoline")


def test_influence_adds_up_to_nothing():
    """Over the rows of each sample, influence averages zero."""
    case = random_case(np.random.default_rng(10), noises=(KINDS["derived"], KINDS["own"], None), abstain=0.2)
    for name, split in itertools.product(("mandoline", "denoised"), FOLDS):
        influence = get_estimator(name).estimate(case.problem(split)).influence
        for part in influence.source:
            total = (part.slope * part.patterns.sums).sum() + part.constant @ part.patterns.source
            assert total == pytest.approx(0, abs=1e-6)
        assert influence.source[0].patterns.target @ influence.target == pytest.approx(0, abs=1e-6)


def test_a_slice_whose_speaking_rows_agree_has_a_standard_error():
    """Abstention filled in with 0 or 1 sits on the border of what a probability can be."""
    rng = np.random.default_rng(11)
    codes = np.where(rng.random((200, 2)) < 0.5, 1, -1).astype(np.int8)
    codes[:, 1] = np.where(rng.random(200) < 0.3, 0, -1)
    case = Case(codes, rng.random(200), codes[:150], (), (None, None))
    problem = case.problem()
    outcome = get_estimator("mandoline").estimate(problem)
    alone = get_estimator("mandoline").estimate(problem.select([0]))
    assert outcome.influence.standard_error() == pytest.approx(alone.influence.standard_error(), rel=1e-9)


def test_intervals_stay_within_bounds_and_widen_with_confidence():
    """Log-odds intervals are inside (0, 1); unbounded metrics get the symmetric one."""
    for estimate, error in itertools.product((0.02, 0.5, 0.99), (0.001, 0.2, 3.0)):
        wide, narrow = (
            influence_interval(estimate, error, confidence=c, bounds=(0, 1), effective_rows=50) for c in (0.99, 0.9)
        )
        assert 0 <= wide[0] <= narrow[0] <= estimate <= narrow[1] <= wide[1] <= 1
    low, high = influence_interval(2.0, 0.5, confidence=0.95, bounds=None, effective_rows=50)
    assert (low, high) == pytest.approx((2 - 0.5 * norm.ppf(0.975), 2 + 0.5 * norm.ppf(0.975)))


@pytest.mark.parametrize("n", [40, 200, 1000])
def test_percentile_intervals_cut_off_the_tails_asked_for(n):
    """On average over draws, whatever their number: the expected mass below and above is 5% each."""
    rng = np.random.default_rng(0)
    ends = np.array([bootstrap_interval(rng.random(n), confidence=0.9, estimate=0.5) for _ in range(2000)])
    # An end is close to an order statistic of n uniform values, with a standard deviation of sqrt(0.05 * 0.95 / n).
    band = 4 * np.sqrt(0.05 * 0.95 / n / 2000)
    assert ends.mean(axis=0) == pytest.approx([0.05, 0.95], abs=band)


def test_intervals_at_a_bound_are_the_exact_binomial_ones():
    """All rows right: the rule of three, 1 - tail ** (1 / n)."""
    low, high = influence_interval(1.0, 0.0, confidence=0.95, bounds=(0, 1), effective_rows=40)
    assert (low, high) == (pytest.approx(0.025 ** (1 / 40)), 1.0)
    low, high = influence_interval(0.0, 0.0, confidence=0.95, bounds=(0, 1), effective_rows=40)
    assert (low, high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 40)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "accuracy", "corrections", "edges"),
    [
        ("mandoline", 1.0, "none", ((0, 1),)),
        ("denoised", 0.8, "true", ((0, 1),)),
        ("denoised", 0.8, "derived", ()),
    ],
)
@pytest.mark.long
def test_intervals_cover_as_often_as_they_say(name, accuracy, corrections, edges):
    """In 200 simulated worlds the 95% interval misses the truth about 5% of the time."""
    rng = np.random.default_rng(77)
    n = 200
    hits = []
    for _ in range(n):
        world = random_world(rng, n_slices=4, edges=edges, accuracy=accuracy)
        hits.append(covers(world_problem(world, 2000, rng, corrections), name, world.score("target")))
    band = norm.ppf(0.9995) * np.sqrt(0.95 * 0.05 / n)
    assert abs(np.mean(hits) - 0.95) <= band, f"covered {np.mean(hits):.3f}, expected 0.95 +- {band:.3f}"
