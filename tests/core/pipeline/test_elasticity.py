"""Elasticity: slopes by correction equal those of re-run projects, and say so in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.errors import MandolineError
from mandoline_core.estimators.registry import get_estimator
from mandoline_core.pipeline import prepare
from mandoline_core.pipeline.elasticity import CorrectionSlope, correction_slopes
from mandoline_core.project.settings import EstimatorSettings, MetricSettings
from mandoline_core.slices.noise import Correction, Noise

STEP = 1e-3
NOISES = {
    "derived": Noise(Correction(0.9, 0.15)),
    "derived, abstention stated": Noise(Correction(0.9, 0.15, 0.4)),
    "same": Noise(Correction(0.9, 0.15), same=True),
    "own": Noise(Correction(0.9, 0.15), target=Correction(0.8, 0.2, 0.5)),
}


def frame(seed: int, n: int, rate: float, abstain: float = 0.0) -> pd.DataFrame:
    """Draw two flags, one of which may be empty, labels and predictions."""
    rng = np.random.default_rng(seed)
    a, b = rng.random(n) < rate, rng.random(n) < rate + 0.1
    right = rng.random(n) < 0.9 - 0.3 * a - 0.2 * (a & b)
    columns = {
        "a": pd.array(np.where(rng.random(n) < abstain, None, a), dtype="boolean"),
        "b": b,
        "label": 1,
        "pred": right.astype(int),
        "y": right + rng.standard_normal(n),
    }
    return pd.DataFrame(columns)


def problem_of(noise: Noise | None, name: str, *, abstain: float = 0.1, **how):
    """Prepare a project whose first slice has the noise; two slices and an edge."""
    source = md.Sample(frame(1, 600, 0.3, abstain), label="label", prediction="pred")
    target = md.Sample(frame(2, 500, 0.5, abstain).drop(columns="label"))
    rules = [md.Flag("a", column="a", noise=noise), md.Flag("b", column="b")]
    settings = EstimatorSettings(name=name)
    edges = [("a", "b")]
    return prepare(source, target, rules, model=source.models[0], edges=edges, settings=settings, **how)


def rerun(noise: Noise, name: str, side: str, key: str, value: float) -> float:
    """Estimate a project with one number changed."""
    changed = replace(noise, **{side: replace(getattr(noise, side) or Correction(), **{key: value})})
    return get_estimator(name).estimate(problem_of(changed, name).problem).value


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
@pytest.mark.parametrize("kind", NOISES)
def test_slopes_equal_those_of_re_run_projects(kind, name):
    """Every number of the noisy slice, changed in the project and prepared anew."""
    noise = NOISES[kind]
    found = {
        (slope.side, slope.key): slope
        for slope in correction_slopes(problem_of(noise, name), EstimatorSettings(name=name))
        if slope.slice == "a"
    }
    keys = {(side, key) for side in ("source", "target") for key in ("inside", "outside", "abstain")}
    assert set(found) == (keys if kind == "own" else {pair for pair in keys if pair[0] == "source"})
    for (side, key), slope in found.items():
        stated = getattr(getattr(noise, side), key)
        assert stated is None or slope.value == stated
        at = {d: rerun(noise, name, side, key, slope.value + d * STEP) for d in (-2, -1, 1, 2)}
        expected = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * STEP)
        assert slope.slope == pytest.approx(expected, abs=2e-5), (side, key)


@pytest.mark.parametrize("name", ["mandoline", "denoised"])
def test_at_the_ends_slopes_are_one_sided(name):
    """A slice taken at its word can only become less sure."""
    fit = problem_of(None, name, abstain=0.0)
    found = {s.key: s for s in correction_slopes(fit, EstimatorSettings(name=name)) if s.slice == "a"}
    assert set(found) == {"inside", "outside"}
    for key, end, sign in (("inside", 1.0, -1), ("outside", 0.0, 1)):
        assert found[key].value == end
        values = []
        for steps in (0, 1, 2):
            noise = Noise(replace(Correction(), **{key: end + sign * steps * STEP}))
            values.append(get_estimator(name).estimate(problem_of(noise, name, abstain=0.0).problem).value)
        expected = sign * (-3 * values[0] + 4 * values[1] - values[2]) / (2 * STEP)
        assert found[key].slope == pytest.approx(expected, abs=5e-5)


def test_words_say_what_one_point_does():
    """Less sure inside lowers the chance, less sure outside raises it; numbers of a metric have no points."""
    found = correction_slopes(problem_of(NOISES["own"], "denoised"), EstimatorSettings(name="denoised"))
    by_key = {(slope.side, slope.key): slope for slope in found if slope.slice == "a"}
    for which, what, sign in (
        (("source", "inside"), "1 point less reliable when the rule says yes", -1),
        (("source", "outside"), "1 point less reliable when the rule says no", 1),
        (("target", "inside"), "1 point less reliable when the rule says yes (new data)", -1),
        (("target", "abstain"), "1 point more often yes when the rule abstains (new data)", 1),
    ):
        moved = f"{sign * by_key[which].slope:+.1f}"
        assert by_key[which].words == f"{what}: {'0.0' if float(moved) == 0 else moved} points."
    numbers = problem_of(NOISES["own"], "mandoline", metric=MetricSettings("mean", column="y"))
    slope = correction_slopes(numbers, EstimatorSettings())[0]
    assert slope.words == f"1 point less reliable when the rule says yes: {-0.01 * slope.slope:+.4g}."


def test_a_slice_that_does_not_matter_moves_nothing():
    """The score and the other slices have nothing to do with it."""
    slope = CorrectionSlope("a", "source", "inside", 0.9, 0.0, "")
    assert slope.as_dict()["slope"] == 0.0
    codes = np.array([[1], [-1]] * 50)
    fit = md.estimate_from_codes(codes, np.ones(100), codes).first.fit
    for slope in correction_slopes(fit, EstimatorSettings()):
        assert slope.slope == pytest.approx(0, abs=1e-9)
        assert slope.words.endswith(": 0.0 points.")


def test_a_step_that_changes_which_rows_are_set_aside_has_no_slope():
    """A slice never seen in the source, taken at its word: a little doubt brings the target's rows within reach."""
    rng = np.random.default_rng(3)
    source = np.column_stack([-np.ones(200), rng.choice([-1, 1], 200)]).astype(int)
    target = rng.choice([-1, 1], (200, 2))
    fit = md.estimate_from_codes(source, rng.random(200), target).first.fit
    found = {(s.slice, s.side, s.key): s for s in correction_slopes(fit, EstimatorSettings())}
    jump = next(s for (name, side, key), s in found.items() if (side, key) == ("source", "outside") and name == "0")
    assert jump.slope is None
    assert jump.words == "1 point less reliable when the rule says no: other rows are left out."


def test_methods_that_do_not_look_at_slices_are_refused():
    """No correction moves them."""
    fit = problem_of(NOISES["same"], "mandoline")
    with pytest.raises(MandolineError, match=r"Method 'source' does not apply\. It does not use slices"):
        correction_slopes(fit, EstimatorSettings(name="source"))
