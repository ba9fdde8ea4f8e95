"""What a job demands: the same for every way a metric can be better."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import mandoline_core as md
from mandoline_core.metrics import get_metric
from mandoline_core.monitoring import Demands, check_demands, check_worst, is_worse
from mandoline_core.report import Report


def report_of(metric: str = "mean") -> Report:
    """Estimate 0.5 on the target from 0.75 on the source, as a value of any metric that is a mean."""
    report = md.estimate_from_codes([[1], [-1], [-1], [-1]] * 50, [0.0, 1.0, 1.0, 1.0] * 50, [[1], [-1]] * 50)
    model = report.first
    how = replace(model.problem.metric, better=get_metric(metric).better)
    problem = replace(model.problem, metric=how)
    return replace(report, models={"score": replace(model, fit=replace(model.fit, problem=problem))})


@pytest.mark.parametrize(
    ("metric", "met", "missed", "words"),
    [
        ("accuracy", 0.5, 0.51, "score: the estimate 50.0% is below 51.0%."),
        ("error", 0.5, 0.49, "score: the estimate 50.0% is above 49.0%."),
        ("bias", 0.5, 0.49, "score: the estimate 50.0% is farther from 0 than 49.0%."),
    ],
)
def test_min_is_the_worst_score_that_will_do(metric: str, met: float, missed: float, words: str) -> None:
    """The least where more is better, the most where less is, the furthest from 0 else; the bound itself will do."""
    report = replace(report_of(metric))
    report = replace(report, models={"score": replace(report.first, estimate=0.5)})
    assert [result.met for result in check_demands(report, Demands(worst=met))] == [True]
    (result,) = check_demands(report, Demands(worst=missed))
    assert (result.met, result.message) == (False, words)


def test_a_bias_below_zero_is_as_bad_as_one_above() -> None:
    bias = get_metric("bias")
    assert is_worse(-0.5, 0.4, bias)
    assert not is_worse(-0.3, 0.4, bias)


@pytest.mark.parametrize(("metric", "met"), [("accuracy", False), ("error", True)])
def test_a_drop_is_what_became_worse(metric: str, met: bool) -> None:
    """From 75% to 50% is 25 points lost where more is better, and 25 won where less is."""
    (result,) = check_demands(report_of(metric), Demands(max_drop=3))
    assert result.met is met
    assert ("25.0 points worse" in result.message) is not met
    (result,) = check_demands(report_of(metric), Demands(max_drop=25.0001))
    assert result.met


def test_the_interval_is_harder_to_meet_than_the_estimate() -> None:
    report = report_of()
    low = report.interval[0]
    (by_estimate,) = check_demands(report, Demands(worst=0.45))
    (by_interval,) = check_demands(report, Demands(worst=0.45, against="interval"))
    assert low < 0.45
    assert (by_estimate.met, by_interval.met) == (True, False)
    assert "the interval's worse end" in by_interval.message


def test_a_verdict_must_be_at_least_as_good() -> None:
    report = report_of()
    level = report.first.verdict
    assert level is not None
    for worst in ("green", "amber", "red"):
        (result,) = check_demands(report, Demands(verdict=worst))
        assert result.met is (("green", "amber", "red").index(level.level) <= ("green", "amber", "red").index(worst))


def test_without_an_estimate_no_bound_is_met() -> None:
    report = report_of()
    report = replace(report, models={"score": replace(report.first, converged=False)})
    for result in check_demands(report, Demands(worst=0.0, max_drop=100)):
        assert not result.met
        assert result.message == "score: there is no estimate: the weights did not converge."


def test_no_rule_means_that_no_verdict_may_be_red() -> None:
    assert Demands().verdict == "amber"
    assert Demands(worst=0.5).verdict is None


@pytest.mark.parametrize(
    ("metric", "bound", "words"),
    [
        ("accuracy", 90, "--min must be between 0 and 1. Got 90. Did you mean 0.9?"),
        ("accuracy", math.nan, "--min must be between 0 and 1. Got nan."),
        ("rmse", -1, "--min must be a number, 0 or more. Got -1."),
        ("bias", -1, "--min must be a number, 0 or more. Got -1."),
        ("mean", math.inf, "--min must be a number. Got inf."),
    ],
)
def test_an_impossible_bound_is_refused(metric: str, bound: float, words: str) -> None:
    with pytest.raises(md.MandolineError) as refused:
        check_worst("--min", bound, get_metric(metric))
    assert str(refused.value) == words


@pytest.mark.parametrize(("key", "value"), [("max_drop", -1.0), ("max_drop", math.nan), ("against", "truth")])
def test_impossible_demands_are_refused(key: str, value: object) -> None:
    with pytest.raises(md.MandolineError, match="must be"):
        Demands(**{key: value})  # type: ignore[arg-type]
