"""Capped weights: what they give, how sure it is, and what they cost."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.checks.trimming import caps, trim
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.weighting.problem import Problem
from tests.core.estimators.test_influence import derivative, mix_source, mix_target, only

NAMES = ("a", "b")
NOISE = md.Noise(md.Correction(inside=0.9, outside=0.15))


def frames(seed: int = 0, n: int = 400, blank: float = 0.0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw two samples with two slices that shift, labels, predictions and a score outside [0, 1]."""
    rng = np.random.default_rng(seed)
    made = []
    for rates in ((0.25, 0.4), (0.6, 0.55)):
        frame = pd.DataFrame((rng.random((n, 2)) < rates).astype(float), columns=NAMES)
        frame["label"] = rng.integers(0, 2, n)
        right = rng.random(n) < 0.85 - 0.3 * frame["a"] * (1 - 0.5 * frame["b"])
        frame["prediction"] = np.where(right, frame["label"], 1 - frame["label"])
        frame["score"] = 2.0 * right
        frame.loc[rng.random(n) < blank, "a"] = np.nan
        made.append(frame)
    return made[0], made[1].drop(columns=["label", "score"])


def report_of(
    *, metric: str | md.MetricSettings = "accuracy", noise: md.Noise | None = None, blank: float = 0.0, **settings
) -> md.ModelReport:
    """Estimate on both samples."""
    source, target = frames(blank=blank)
    rules = [md.Flag("a", column="a", noise=noise), md.Flag("b", column="b")]
    sample = md.Sample(source, label="label", prediction="prediction")
    return md.estimate(sample, md.Sample(target), rules, metric=metric, **settings).first


def numerical_error(problem: Problem, value: Callable[[Problem], float]) -> float:
    """Differentiate by the share of every kind of row in either sample, and add up."""
    members, total = problem.members, 0.0
    kinds = np.column_stack([members.groups, members.source, members.statistics])
    for kind, count in zip(*np.unique(kinds, axis=0, return_counts=True), strict=True):
        group, pattern, statistics = int(kind[0]), only(int(kind[1]), len(problem.patterns)), kind[2:]
        slope = derivative(lambda share, g=group, p=pattern, s=statistics: value(mix_source(problem, g, p, s, share)))
        total += count * (slope / problem.groups[group].n_source) ** 2
    for pattern, count in zip(*np.unique(members.target, return_counts=True), strict=True):
        there = only(pattern, len(problem.patterns))
        slope = derivative(lambda share, p=there: value(mix_target(problem, p, share)))
        total += count * (slope / problem.patterns.n_target) ** 2
    return math.sqrt(total)


def capped_value(problem: Problem, cap: float, estimator: str) -> float:
    """Refit, cap the ratios and average, on patterns."""
    weights = get_estimator(estimator).estimate(problem).row_weights
    counts, sums = (np.array([getattr(group, what) for group in problem.groups]) for what in ("source", "sums"))
    n = counts[(weights * counts).any(axis=1)].sum()
    ratios = np.minimum(weights * n, cap)
    return problem.metric.combine(np.einsum("gp,gps->s", ratios, sums) / (ratios * counts).sum())


MEAN = md.MetricSettings(name="mean", column="score")
F1 = md.MetricSettings(name="f1", positive=1)


OPTIONS = {
    "mean": {},
    "f1": {"metric": F1},
    "ridge": {"ridge": 0.05},
    "edge": {"edges": [("a", "b")]},
    "half": {"split": "half"},
    "crossfit": {"split": "crossfit"},
    "noise": {"noise": NOISE},
    "noise and blanks": {"noise": NOISE, "blank": 0.2},
    "simple": {"estimator": "simple"},
}


@pytest.mark.parametrize(
    ("name", "cap"),
    [
        *((name, 1.4) for name in OPTIONS if name != "noise and blanks"),
        pytest.param("noise and blanks", 1.4, marks=pytest.mark.slow),
        ("mean", 0.9),
        ("crossfit", 0.9),
        ("f1", math.inf),
    ],
)
def test_the_standard_error_is_that_of_a_numerical_derivative(name, cap):
    """Through scores, weights below the cap, their scale, and corrections that follow from rates; in both samples."""
    options = {"metric": MEAN, **OPTIONS[name]}
    report = report_of(**options)
    problem = replace(report.problem, metric=replace(report.problem.metric, bounds=None))
    report = replace(report, fit=replace(report.fit, problem=problem))
    method = options.get("estimator", "mandoline")
    found = trim(report, cap)
    assert (0 < found.rows_capped < report.n_source) == math.isfinite(cap)
    assert found.estimate == pytest.approx(capped_value(problem, cap, method), abs=1e-10)
    expected = numerical_error(problem, lambda changed: capped_value(changed, cap, method))
    width = (found.interval[1] - found.interval[0]) / (2 * norm.ppf(0.975))
    assert width == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("metric", ["accuracy", F1, "rmse", MEAN], ids=str)
@pytest.mark.parametrize("cap", [math.inf, 1e6])
def test_without_a_cap_nothing_changes(metric, cap):
    """Estimate, interval and effective rows are the report's, for means and what is made of them."""
    report = report_of(metric=metric)
    found = trim(report, cap)
    assert found.estimate == pytest.approx(report.estimate, abs=1e-12)
    assert found.interval == pytest.approx(report.interval, abs=1e-9)
    assert found.effective_sample_size == pytest.approx(report.effective_sample_size)
    assert (found.change, found.rows_capped, found.weight_removed) == (pytest.approx(0, abs=1e-12), 0, 0.0)
    assert found.largest_gap == pytest.approx(0, abs=1e-8)


def test_a_low_cap_gives_the_source_score():
    """Where every row is capped all count the same again."""
    report = report_of()
    found = trim(report, 0.01)
    assert found.estimate == pytest.approx(report.source, abs=1e-12)
    assert found.rows_capped == report.n_source == pytest.approx(found.effective_sample_size)
    source, target = frames()
    gaps = {
        name: (target[name].mean() - source[name].mean())
        / math.sqrt((source[name].var(ddof=0) + target[name].var(ddof=0)) / 2)
        for name in NAMES
    }
    assert found.gap_slice == max(gaps, key=lambda name: abs(gaps[name]))
    assert found.largest_gap == pytest.approx(gaps[found.gap_slice])


def test_a_lower_cap_buys_certainty_with_balance():
    """Along the slider effective rows fall, gaps close and less weight is removed, to none at the end."""
    report = report_of()
    found = [trim(report, cap) for cap in caps(report)]
    for low, high in itertools.pairwise(found):
        assert low.effective_sample_size >= high.effective_sample_size
        assert abs(low.largest_gap) >= abs(high.largest_gap) - 1e-9
        assert low.rows_capped >= high.rows_capped
        assert low.weight_removed > high.weight_removed or low.rows_capped == 0
    assert found[0].weight_removed > 0
    assert found[-1].change == pytest.approx(0, abs=1e-12)


def test_rows_and_weight_are_counted_by_row():
    """Against the report's own weights, row by row."""
    report = report_of()
    ratios = report.weights * report.n_source
    found = trim(report, 1.5)
    assert found.rows_capped == (ratios > 1.5).sum()
    assert found.weight_removed == pytest.approx(np.maximum(ratios - 1.5, 0).sum() / ratios.sum())


def test_caps_are_round_and_end_without_one():
    """They start at 1 and stay below the largest ratio; where all rows count the same there is only no cap."""
    report = report_of()
    heavy = replace(report, diagnostics=replace(report.diagnostics, largest_ratio=31.0))
    assert caps(heavy) == (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, math.inf)
    codes = [[1], [-1]] * 20
    assert caps(md.estimate_from_codes(codes, [1.0] * 40, codes).first) == (math.inf,)


def test_ranking_metrics_are_refused():
    """AUROC is not made of means of rows."""
    source, target = frames()
    for frame in (source, target):
        frame["yes"] = 0.2 + 0.6 * frame["prediction"]
        frame["no"] = 1 - frame["yes"]
    model = md.Model("m", prediction="prediction", probabilities={0: "no", 1: "yes"})
    samples = md.Sample(source, label="label", models=(model,)), md.Sample(target, models=(model,))
    report = md.estimate(*samples, [md.Flag("a", column="a")], metric="auroc").first
    with pytest.raises(md.MandolineError, match="'auroc' depends on all rows together"):
        trim(report, 2)


@pytest.mark.parametrize("cap", [0.0, -1.0, math.nan])
def test_a_cap_must_be_positive(cap):
    """Nothing can count no times at most."""
    with pytest.raises(md.MandolineError, match="cap must be above 0"):
        trim(report_of(), cap)


def test_estimates_that_are_no_weighted_means_are_refused():
    """The denoised estimate adds a regression to the weights."""
    with pytest.raises(md.MandolineError, match="not a weighted mean of labelled rows"):
        trim(report_of(noise=NOISE, estimator="denoised"), 2)


def test_weights_that_were_not_found_are_not_capped():
    """A fit that did not converge has no weights."""
    report = report_of()
    report = replace(report, outcome=replace(report.outcome, converged=False))
    with pytest.raises(md.MandolineError, match="could not be fitted"):
        trim(report, 2)
