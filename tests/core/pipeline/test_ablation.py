"""The ablation curves: where they start and end, and what each point is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators.registry import get_estimator

NAMES = ("a", "b", "c")
RULES = [md.Flag(name, column=name) for name in NAMES]


def samples(seed: int = 0, n: int = 500) -> tuple[md.Sample, md.Sample]:
    """Make two samples with three slices that shift."""
    rng = np.random.default_rng(seed)
    frames = []
    for rates in ((0.3, 0.5, 0.4), (0.6, 0.4, 0.6)):
        frame = pd.DataFrame((rng.random((n, 3)) < rates).astype(int), columns=NAMES)
        chance = 0.5 + 0.2 * frame["a"] + 0.15 * frame["b"] * frame["c"]
        frames.append(frame.assign(label=1, prediction=(rng.random(n) < chance).astype(int)))
    source, target = frames
    return md.Sample(source, label="label", prediction="prediction"), md.Sample(target.drop(columns="label"))


def fit(settings: md.EstimatorSettings, rules=RULES, edges=(("b", "c"),)) -> md.Fit:
    """Count the patterns of both samples."""
    source, target = samples()
    return md.prepare(source, target, rules, model=source.models[0], edges=edges, settings=settings)


@pytest.mark.parametrize("estimator", ["mandoline", "denoised", "simple"])
@pytest.mark.parametrize("split", ["none", "crossfit"])
def test_the_curve_leads_from_the_source_score_to_the_estimate(estimator, split):
    """The first entry has no slice and is the source score; the last is the estimate with all slices."""
    settings = md.EstimatorSettings(name=estimator, split=split)
    source, target = samples()
    report = md.estimate(source, target, RULES, edges=[("b", "c")], estimator=settings)
    curve = md.ablation(fit(settings), settings).cumulative
    assert [point.slice for point in curve] == [None, *NAMES]
    assert curve[0].estimate == report.source
    assert curve[0].interval == report.first.source_interval
    assert curve[0].effective_sample_size == pytest.approx(500)
    assert curve[-1].estimate == pytest.approx(report.estimate, abs=1e-12)
    assert curve[-1].interval == pytest.approx(report.interval, abs=1e-9)
    assert curve[-1].effective_sample_size == pytest.approx(report.first.effective_sample_size)


def test_each_point_equals_estimating_with_these_slices_alone():
    """Edges stay in when both their slices are in."""
    settings = md.EstimatorSettings()
    curves = md.ablation(fit(settings), settings)
    source, target = samples()

    def alone(*chosen: str) -> float:
        edges = [("b", "c")] if {"b", "c"} <= set(chosen) else []
        rules = [rule for rule in RULES if rule.name in chosen]
        return md.estimate(source, target, rules, edges=edges).estimate

    for i, point in enumerate(curves.cumulative[1:], 1):
        assert point.estimate == pytest.approx(alone(*NAMES[:i]), abs=1e-10)
    for point in curves.leave_one_out:
        assert point.estimate == pytest.approx(alone(*(name for name in NAMES if name != point.slice)), abs=1e-10)
    assert [point.slice for point in curves.leave_one_out] == list(NAMES)


def test_the_order_is_the_callers_choice():
    """Slices are added in the order asked for; the end is the same."""
    settings = md.EstimatorSettings()
    ready = fit(settings)
    curve = md.ablation(ready, settings, order=["c", "a", "b"]).cumulative
    assert [point.slice for point in curve] == [None, "c", "a", "b"]
    expected = get_estimator("mandoline").estimate(ready.problem.select([0, 2])).value
    assert curve[2].estimate == pytest.approx(expected, abs=1e-12)
    assert curve[-1].estimate == pytest.approx(md.ablation(ready, settings).cumulative[-1].estimate, abs=1e-10)


def test_leaving_the_only_slice_out_leaves_the_source_score():
    """There is nothing to reweight by."""
    settings = md.EstimatorSettings()
    curves = md.ablation(fit(settings, RULES[:1], ()), settings)
    assert curves.leave_one_out[0].estimate == curves.cumulative[0].estimate


def test_a_point_that_cannot_be_computed_says_why():
    """The others are still there."""
    settings = md.EstimatorSettings(overlap="strict")
    ready = fit(settings, edges=())
    table = ready.problem.patterns
    inside = table.codes[:, 0] == 1
    emptied = replace(table.only(~inside), target=table.target)
    curves = md.ablation(replace(ready, problem=replace(ready.problem, patterns=emptied, groups=(emptied,))), settings)
    lost = curves.cumulative[1]
    assert (lost.estimate, lost.interval, lost.effective_sample_size) == (None, None, None)
    assert "match no labelled row (slices a)" in lost.reason
    assert curves.leave_one_out[0].estimate is not None
    assert curves.as_dict()["leave_one_out"][0]["slice"] == "a"


def test_progress_ends_at_one():
    """One step a point."""
    told = []
    settings = md.EstimatorSettings()
    md.ablation(fit(settings), settings, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
