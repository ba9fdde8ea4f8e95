"""The self-test of methods: half of the labelled rows estimate the score of the other half, where nothing shifts."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators import get_estimator
from mandoline_core.pipeline import SelfTest, prepare, self_test
from tests.core.checks.test_second_opinion import MODEL, RULES, draw_world


def draw_frame(seed: int, n: int) -> pd.DataFrame:
    """Draw labelled rows of a calibrated model."""
    return draw_world(np.random.default_rng(seed), n, hard=0.3, place=0.4)


def source_of(frame: pd.DataFrame) -> md.Sample:
    """Give a frame its roles."""
    return md.Sample(frame, label="label", models=[MODEL])


def tried(frame: pd.DataFrame, method: str, target: pd.DataFrame | None = None) -> SelfTest:
    """Test a method on a labelled frame."""
    source = source_of(frame)
    new = source if target is None else md.Sample(target.drop(columns="label"), models=[MODEL])
    found = self_test(prepare(source, new, RULES, model=MODEL), get_estimator(method))
    assert isinstance(found, SelfTest), found
    return found


def test_the_bias_is_what_estimates_on_halves_are_off_by() -> None:
    """Recomputed from frames: each half estimates the other, over the stated splits."""
    frame = draw_frame(0, 300)
    right = (frame["pred"] == frame["label"]).to_numpy()
    for method in ("simple", "mandoline", "doubly_robust", "cbpe", "atc", "cot", "bbse"):
        off = []
        for split in range(2):
            order = np.random.default_rng((0, split)).permutation(300)
            for one, other in ((order[:150], order[150:]), (order[150:], order[:150])):
                halves = source_of(frame.iloc[one]), md.Sample(frame.iloc[other].drop(columns="label"), models=[MODEL])
                off.append(md.estimate(*halves, RULES, estimator=method).estimate - right[other].mean())
        assert tried(frame, method).bias == pytest.approx(np.mean(off), abs=1e-9), method


@pytest.mark.parametrize("method", ["cbiw_features", "ulsif_features", "dle", "doubly_robust"])
def test_methods_on_columns_see_the_columns_of_the_halves(method: str) -> None:
    """Recomputed from frames, with the columns that the real new data has: the labelled rows alone have a secret."""
    rng, metric, model = np.random.default_rng(1), "accuracy", MODEL
    frame = draw_frame(0, 240).assign(size=rng.normal(size=240), secret=np.arange(240) % 7)
    if method in ("dle", "doubly_robust"):  # of numbers
        metric, model = "mae", md.Model("m", "guess")
        frame["label"] = frame["size"] + rng.normal(size=240)
        frame["guess"] = 0.8 * frame["size"]
        frame = frame.drop(columns=["pred", "p_no", "p_yes"])
    new = frame.drop(columns=["label", "secret"])[:90]
    scores = (frame["guess"] - frame["label"]).abs() if metric == "mae" else frame["pred"] == frame["label"]
    off = []
    for split in range(2):
        order = np.random.default_rng((0, split)).permutation(240)
        for one, other in ((order[:120], order[120:]), (order[120:], order[:120])):
            half = md.Sample(frame.iloc[one], label="label", models=[model])
            told = md.Sample(frame.iloc[other].drop(columns=["label", "secret"]), models=[model])
            off.append(
                md.estimate(half, told, RULES, estimator=method, metric=metric).estimate - scores.iloc[other].mean()
            )
    source, target = md.Sample(frame, label="label", models=[model]), md.Sample(new, models=[model])
    found = self_test(
        prepare(source, target, RULES, model=model, metric=md.MetricSettings(metric)), get_estimator(method)
    )
    assert isinstance(found, SelfTest), found
    assert found.bias == pytest.approx(np.mean(off), abs=1e-9)
    assert 0 < found.standard_error < 0.2


def test_the_bias_of_confidence_has_the_textbooks_standard_error() -> None:
    """Mean confidence minus accuracy over all labelled rows, whatever the split."""
    frame = draw_frame(1, 400)
    gap = frame[["p_no", "p_yes"]].max(axis=1) - (frame["pred"] == frame["label"])
    found = tried(frame, "average_confidence")
    assert found.bias == pytest.approx(gap.mean(), abs=1e-12)
    assert found.standard_error == pytest.approx(gap.std(ddof=0) / math.sqrt(400), rel=0.01)
    assert found.n_rows == 400


def test_rows_that_belong_together_count_as_one() -> None:
    """Every row is there twice: halves keep the two together, and the standard error is that of the single rows."""
    frame = draw_frame(8, 400).assign(user=range(400))
    single = tried(frame, "average_confidence")
    twice = pd.concat([frame, frame], ignore_index=True)
    source = md.Sample(twice, label="label", models=[MODEL], group="user")
    found = self_test(prepare(source, source, RULES, model=MODEL), get_estimator("average_confidence"))
    assert isinstance(found, SelfTest)
    assert found.bias == pytest.approx(single.bias, abs=1e-12)
    assert found.standard_error == pytest.approx(single.standard_error, rel=0.01)


def test_new_rows_do_not_move_it() -> None:
    """It is of the labelled rows alone."""
    frame = draw_frame(2, 200)
    assert tried(frame, "mandoline", draw_frame(3, 90)) == tried(frame, "mandoline", draw_frame(4, 500))


def test_probabilities_of_0_and_1_are_caught() -> None:
    """They make confidence certain of everything: intervals of no width, and no other finding."""
    rng = np.random.default_rng(5)
    frame = draw_frame(5, 1000)
    frame["label"] = np.where(rng.random(1000) < 0.635, frame["pred"], np.where(frame["pred"] == "yes", "no", "yes"))
    yes = (frame["pred"] == "yes").astype(float)
    frame = frame.assign(p_yes=yes, p_no=1 - yes)
    source, target = source_of(frame), md.Sample(frame.drop(columns="label"), models=[MODEL])
    names = ["mandoline", "average_confidence", "cot", "cot_weighted", "doubly_robust", "cbpe", "second_opinion"]
    found = md.compare(source, target, RULES, estimators=names)
    entries = found.models["m"].entries
    assert entries["average_confidence"].estimate == 1
    assert [name for name in names if entries[name].failed] == ["average_confidence", "cot", "cot_weighted"]
    text = " ".join(str(found).split())
    assert "average_confidence, cot, cot_weighted fail the self-test (!)" in text
    assert found.models["m"].second_opinion is not None
    assert "cot" not in found.models["m"].second_opinion
    plain = found.as_dict()["models"]["m"]["estimators"]
    assert plain["cot"]["self_test"]["failed"] is True
    assert plain["cot"]["self_test"]["bias"] > 0.3
    assert plain["second_opinion"]["self_test"] is None
    assert plain["second_opinion"]["not_self_tested"] == "It follows other methods."


@pytest.mark.parametrize(
    ("bias", "error", "interval", "failed"),
    [
        (0.05, 0.001, (0.76, 0.84), True),  # 0.75 would be outside
        (0.03, 0.001, (0.76, 0.84), False),
        (0.05, 0.03, (0.76, 0.84), False),  # by chance
        (-0.05, 0.001, (0.76, 0.84), True),
        (0.05, 0.001, (0.70, 0.84), False),
    ],
)
def test_a_method_fails_whose_bias_its_interval_does_not_hold(
    bias: float, error: float, interval: tuple[float, float], failed: bool
) -> None:
    """Beyond the sampling error of the self-test itself."""
    assert SelfTest(bias, error, 100).judged(0.8, interval).failed is failed


def test_what_cannot_be_tested_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence; of many rows, so many are drawn."""
    source = source_of(draw_frame(6, 400))
    fit = prepare(source, source, RULES, model=MODEL)
    reasons = {name: self_test(fit, get_estimator(name)) for name in ("kmm_slices", "cbiw_finetuned", "cbiw_scores")}
    assert reasons == {
        "kmm_slices": "It is slow, and a test takes 4 estimates.",
        "cbiw_finetuned": "It is slow, and a test takes 4 estimates.",
        "cbiw_scores": "Its column distinguishes labelled from new rows, not halves of the labelled rows.",
    }
    assert self_test(fit, get_estimator("kmm_features")).startswith("Its sampling error is known by redraws only")
    many = source_of(draw_frame(6, 4000))
    reason = self_test(prepare(many, many, RULES, model=MODEL), get_estimator("kmm_features"))
    assert reason == "It is slow, and a test takes 4 estimates."
    few = source_of(draw_frame(6, 59))
    few_rows = self_test(prepare(few, few, RULES, model=MODEL), get_estimator("mandoline"))
    assert few_rows == "It needs 60 labelled rows."
    one_number = prepare(source, source, RULES, model=MODEL, metric=md.MetricSettings("auroc"))
    found = self_test(one_number, get_estimator("mandoline"))
    assert isinstance(found, SelfTest)
    bare = prepare(source, source, RULES, model=replace(MODEL, probabilities={}))
    assert isinstance(self_test(bare, get_estimator("bbse")), SelfTest)
    monkeypatch.setattr(import_module("mandoline_core.pipeline.self_test"), "MOST_ROWS", 80)
    assert tried(draw_frame(7, 120), "mandoline").n_rows == 80
