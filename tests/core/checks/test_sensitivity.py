"""Hidden shift: sharp bounds, the strength that crosses a threshold, and slices as a yardstick."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.checks import sensitivity
from mandoline_core.checks.sensitivity import crossing, sensitivity_bounds, sensitivity_curve, slice_strengths
from mandoline_core.estimators import Mandoline, get_estimator
from tests.core.checks.test_trimming import MEAN, NOISE, frames, numerical_error, report_of

CORNERS = np.array(list(itertools.product((-1, 1), repeat=2)), dtype=np.int8)
KINDS = {
    "binary": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "few": lambda rng, n: rng.choice([-2.0, 0.5, 3.0], n),
    "any": lambda rng, n: rng.standard_normal(n),
    "constant": lambda rng, n: np.full(n, 0.7),
}


def linear_programme(weights: np.ndarray, scores: np.ndarray, gamma: float) -> tuple[float, float]:
    """Bound sum w u s / sum w u over the box: with y = t u and sum w y = 1 it is linear in (y, t)."""
    n = len(weights)
    above = np.column_stack([np.eye(n), np.full(n, -gamma)])
    below = np.column_stack([-np.eye(n), np.full(n, 1 / gamma)])
    ends = [
        sign
        * linprog(
            sign * np.append(weights * scores, 0.0),
            A_ub=np.vstack([above, below]),
            b_ub=np.zeros(2 * n),
            A_eq=np.append(weights, 0.0)[None],
            b_eq=[1.0],
        ).fun
        for sign in (1, -1)
    ]
    return ends[0], ends[1]


def small_report(seed: int, kind: str, split: str = "none") -> md.ModelReport:
    """Estimate on a few dozen rows in two slices, all of whose patterns occur."""
    rng = np.random.default_rng(seed)
    source, target = (np.repeat(CORNERS, rng.integers(2, 8, 4), axis=0) for _ in range(2))
    return md.estimate_from_codes(source, KINDS[kind](rng, len(source)), target, split=split, ridge=0.05).first


@given(
    seed=st.integers(0, 2**16),
    kind=st.sampled_from(sorted(KINDS)),
    gamma=st.sampled_from([1.0, 1.1, 1.7, 4.0, 30.0]),
    split=st.sampled_from(["none", "half", "crossfit"]),
)
@settings(max_examples=60, deadline=None)
def test_bounds_are_those_of_a_linear_programme(seed, kind, gamma, split):
    """For scores of all kinds, tied or not, and weights fitted on all rows or on halves."""
    report = small_report(seed, kind, split)
    expected = linear_programme(report.weights, report.cells.statistics[:, 0], gamma)
    assert sensitivity_bounds(report, gamma) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_hidden_shift_gives_the_estimate_and_more_widens_the_bounds(kind):
    """At gamma = 1 both bounds are the estimate; they never turn back."""
    report = small_report(3, kind)
    bounds = np.array([sensitivity_bounds(report, gamma) for gamma in (1, 1.01, 1.5, 2, 5, 100)])
    assert bounds[0] == pytest.approx([report.estimate] * 2, abs=1e-12)
    assert (np.diff(bounds[:, 0]) <= 1e-12).all()
    assert (np.diff(bounds[:, 1]) >= -1e-12).all()


def test_the_curve_starts_at_the_reports_interval():
    """Without hidden shift sampling error is all there is."""
    report = report_of()
    point = sensitivity_curve(report, [1.0], 0.95)[0]
    assert point.interval == pytest.approx(report.interval, abs=1e-9)
    points = sensitivity_curve(report, [1.0, 1.5, 3.0], 0.9)
    for low, high in itertools.pairwise(points):
        assert high.interval[0] < low.interval[0] < low.low <= low.high < low.interval[1] < high.interval[1]


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "accuracy"},
        {"metric": "accuracy", "split": "crossfit"},
        pytest.param({"metric": "accuracy", "noise": NOISE, "blank": 0.1}, marks=pytest.mark.slow),
        {},
        {"split": "crossfit"},
        pytest.param({"noise": NOISE}, marks=pytest.mark.slow),
        {"estimator": "simple"},
        {"scores": "many"},
    ],
    ids=["0 or 1", "0 or 1, crossfit", "0 or 1, noise", "0 or 2", "crossfit", "noise", "simple", "four scores"],
)
def test_the_sampling_error_of_a_bound_is_that_of_a_numerical_derivative(options):
    """With u chosen anew for every change of the rows, so that holding it fixed is tested as well."""
    options = dict(options)
    many = options.pop("scores", None)
    if many:
        rng = np.random.default_rng(5)
        source, target = (np.repeat(CORNERS, counts, axis=0) for counts in ([20, 15, 10, 5], [10, 10, 20, 20]))
        report = md.estimate_from_codes(source, rng.choice([-1.0, 0.3, 0.6, 2.0], 50), target).first
    else:
        report = report_of(**{"metric": MEAN, **options})
    problem = replace(report.problem, metric=replace(report.problem.metric, bounds=None))
    report = replace(report, fit=replace(report.fit, problem=problem))
    name, gamma, scores = options.get("estimator", "mandoline"), 1.6, problem.members.statistics[:, 0]
    values = np.unique(scores)
    # Statistics that tell which score a row has, so that a table of patterns still knows the scores.
    one_hot = problem.with_statistics((scores[:, None] == values).astype(float), problem.metric)

    def bound(changed, end):
        weights = get_estimator(name).estimate(changed).row_weights
        mass = np.einsum("gp,gps->s", weights, np.array([group.sums for group in changed.groups]))
        means = [
            (mass * u) @ values / (mass @ u)
            for u in itertools.product((gamma, 1 / gamma), repeat=len(values))  # every corner of the box
        ]
        return min(means) if end == 0 else max(means)

    plain = replace(one_hot, metric=replace(one_hot.metric, slope=np.ones_like))
    point = sensitivity_curve(report, [gamma], 0.95)[0]
    for end, value in enumerate((point.low, point.high)):
        assert value == pytest.approx(bound(plain, end), abs=1e-10)
        expected = numerical_error(plain, lambda changed, e=end: bound(changed, e))
        assert abs(point.interval[end] - value) / norm.ppf(0.975) == pytest.approx(expected, rel=1e-5)


@given(seed=st.integers(0, 2**16), kind=st.sampled_from(["binary", "few", "any"]), place=st.floats(0.01, 0.99))
@settings(max_examples=60, deadline=None)
def test_a_bound_reaches_the_threshold_where_it_is_said_to_cross(seed, kind, place):
    """Above the estimate it is the upper bound, below it the lower one."""
    report = small_report(seed, kind)
    scores = report.problem.members.statistics[:, 0]
    threshold = float(scores.min() + place * np.ptp(scores))
    gamma = crossing(report, threshold)
    if np.ptp(scores) == 0:
        assert gamma == 1.0
    else:
        assert gamma >= 1
        end = 0 if threshold < report.estimate else 1
        assert sensitivity_bounds(report, gamma)[end] == pytest.approx(threshold, abs=1e-7)


def test_thresholds_no_row_lies_beyond_are_never_crossed():
    """Reweighting stays within the scores seen, and does not even reach the outermost."""
    report = small_report(0, "binary")
    assert 0 < report.estimate < 1
    assert [crossing(report, threshold) for threshold in (-0.1, 0.0, 1.0, 1.1)] == [None] * 4
    assert crossing(report, report.estimate) == pytest.approx(1.0)
    assert crossing(small_report(0, "constant"), 0.7) == 1.0


class HiddenWorld:
    """Hold whole populations of two slices g and a hidden h, given as numbers of rows."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.wrong, self.right, self.target = rng.integers(1, 30, (3, 4, 2))
        source = self.wrong + self.right
        self.truth = float((self.target * self.right / source).sum() / self.target.sum())
        given = [table / table.sum(axis=1, keepdims=True) for table in (self.target, source)]
        factors = given[0] / given[1]  # p_t(h | g) / p_s(h | g)
        self.gamma = float(max(factors.max(), 1 / factors.min()))

    def report(self, rng: np.random.Generator | None = None, n: int = 0) -> md.ModelReport:
        """Estimate from the populations themselves, or from samples; the slices' model is saturated."""
        source = np.stack([self.wrong, self.right], axis=-1)
        target = self.target
        if rng is not None:
            source, target = (rng.multinomial(n, t.ravel() / t.sum()).reshape(t.shape) for t in (source, target))
        codes = np.repeat(np.repeat(CORNERS, 4, axis=0), source.ravel(), axis=0)
        scores = np.repeat(np.tile([0.0, 1.0], 8), source.ravel())
        rows = np.repeat(CORNERS, target.sum(axis=1), axis=0)
        return md.estimate_from_codes(codes, scores, rows, edges=[(0, 1)]).first


def test_the_truth_of_a_population_lies_within_the_bounds_in_every_world():
    """Where hidden shift multiplies no weight by more than gamma; and without the bounds it does not."""
    rng = np.random.default_rng(11)
    off = []
    for _ in range(100):
        world = HiddenWorld(rng)
        report = world.report()
        low, high = sensitivity_bounds(report, world.gamma)
        assert low - 1e-9 <= world.truth <= high + 1e-9
        assert crossing(report, world.truth) <= world.gamma + 1e-9
        off.append(abs(world.truth - report.estimate))
    assert np.mean(off) > 0.02


@pytest.mark.slow
def test_the_interval_of_a_sample_covers_the_truth_at_least_as_often_as_it_says():
    """In samples of 400 rows, within the band that luck in 200 worlds allows."""
    rng = np.random.default_rng(12)
    hits = []
    for _ in range(200):
        world = HiddenWorld(rng)
        low, high = sensitivity_curve(world.report(rng, 400), [world.gamma], 0.95)[0].interval
        hits.append(low <= world.truth <= high)
    assert np.mean(hits) >= 0.95 - norm.ppf(0.999) * math.sqrt(0.95 * 0.05 / 200)


@pytest.mark.parametrize("split", ["none", "half", "crossfit"])
def test_a_slice_is_as_strong_as_leaving_it_out_changes_the_rows(split):
    """Row by row, against estimates with fewer rules."""
    source, target = frames()
    samples = md.Sample(source, label="label", prediction="prediction"), md.Sample(target)
    rules = [md.Flag("a", column="a"), md.Flag("b", column="b")]
    report = md.estimate(*samples, rules, split=split).first
    for found, other in zip(slice_strengths(report), (1, 0), strict=True):
        without = md.estimate(*samples, [rules[other]], split=split).weights
        used = report.weights > 0
        ratio = report.weights[used] / without[used]
        factors = np.maximum(ratio, 1 / ratio)
        assert found.reason is None
        assert found.largest == pytest.approx(factors.max())
        below = report.weights[used][factors < found.typical * (1 - 1e-9)].sum()
        upto = report.weights[used][factors <= found.typical * (1 + 1e-9)].sum()
        assert below <= 0.9 <= upto + 1e-9


def test_hidden_slices_stay_within_their_own_strength():
    """The estimate with a slice lies within the bounds, at its strength, of the estimate without it."""
    source, target = frames()
    samples = md.Sample(source, label="label", prediction="prediction"), md.Sample(target)
    full = md.estimate(*samples, [md.Flag("a", column="a"), md.Flag("b", column="b")]).first
    without = md.estimate(*samples, [md.Flag("b", column="b")]).first
    low, high = sensitivity_bounds(without, slice_strengths(full)[0].largest)
    assert low <= full.estimate <= high


def test_the_only_slice_is_compared_with_no_weights_and_a_family_counts_as_one():
    """Ten of a hundred rows become half: 5 times; a category of three values is one entry."""
    codes = np.repeat([[1], [-1]], [10, 90], axis=0)
    found = slice_strengths(md.estimate_from_codes(codes, np.arange(100) % 2, [[1], [-1]], names=["rare"]).first)
    assert [(one.name, one.largest, one.typical) for one in found] == [("rare", pytest.approx(5), pytest.approx(5))]
    frame = pd.DataFrame({"place": list("abc") * 30, "on": [0, 1] * 45, "y": 1, "p": 1})
    new = pd.DataFrame({"place": list("abbb") * 10, "on": [0, 1] * 20, "p": 1})
    rules = [md.Category("where", column="place"), md.Flag("on", column="on")]
    report = md.estimate(md.Sample(frame, label="y", prediction="p"), md.Sample(new), rules).first
    assert [one.name for one in slice_strengths(report)] == ["where", "on"]


def test_rows_that_a_slice_rules_out_make_it_infinitely_strong():
    """The target has no row inside it, so that source rows inside count for nothing; typical rows still compare."""
    target = CORNERS[CORNERS[:, 0] == -1]
    report = md.estimate_from_codes(np.repeat(CORNERS, 10, axis=0), np.arange(40) % 2, target).first
    first, second = slice_strengths(report)
    assert (first.largest, first.typical) == (math.inf, pytest.approx(2.0))
    assert second.largest == pytest.approx(1.0)


@pytest.mark.parametrize("how", ["raises", "does not converge"])
def test_slices_that_cannot_be_left_out_are_named_with_the_reason(monkeypatch, how):
    """The others are still measured."""
    report = report_of()

    class Stubborn(Mandoline):
        def estimate(self, problem):
            outcome = super().estimate(problem)
            if problem.patterns.names != ("b",):
                return outcome
            if how == "raises":
                raise md.OverlapError("Nothing is left.")
            return replace(outcome, converged=False)

    monkeypatch.setattr(sensitivity, "get_estimator", lambda name: Stubborn())
    found = slice_strengths(report)
    assert [(one.name, one.largest is None) for one in found] == [("a", True), ("b", False)]
    assert "fitted without it" in found[0].reason
    assert ("Nothing is left." in found[0].reason) == (how == "raises")


@pytest.mark.parametrize("gamma", [0.5, 0.0, math.inf, math.nan])
def test_a_strength_below_one_is_refused(gamma):
    """1 is no hidden shift."""
    with pytest.raises(md.MandolineError, match="gamma must be a number, 1 or more"):
        sensitivity_bounds(small_report(0, "binary"), gamma)


@pytest.mark.parametrize("metric", ["f1", "rmse"])
def test_metrics_that_are_not_means_are_refused(metric):
    """Bounds, curve and crossing say so in a sentence."""
    report = report_of(metric=metric)
    for ask in (
        lambda: sensitivity_bounds(report, 2),
        lambda: sensitivity_curve(report, [2]),
        lambda: crossing(report, 0.5),
    ):
        with pytest.raises(
            md.MandolineError, match=f"need a metric that is a mean over rows, such as accuracy. Got '{metric}'"
        ):
            ask()


def test_methods_without_slice_weights_have_no_slice_strengths():
    """The source score uses no slice."""
    with pytest.raises(md.MandolineError, match="does not weight slices"):
        slice_strengths(report_of(estimator="source"))
