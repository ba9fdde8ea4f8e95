"""Comparing methods and models: the contract, what stands in a method's way, directions, rankings."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import mandoline_core as md
from mandoline_core.comparison.results import Entry, ModelComparison, summarise
from mandoline_core.estimators.registry import ESTIMATORS
from mandoline_core.findings import Finding
from mandoline_core.metrics.registry import get_metric
from mandoline_core.project.settings import MethodSettings
from tests.core.projects import small_frames, write_project
from tests.core.weighted_rows import MODELS, draw_rows, flags, samples

Frames = tuple[pd.DataFrame, pd.DataFrame]
ON_SLICES = ("simple", "mandoline", "denoised", "cbiw_slices", "kmm_slices", "ulsif_slices")
QUICK = MethodSettings(features=("x", "place"), redraws=10)
OWN = md.Confidence("unsure", below=0.7)  # each model's own
UNTUNED = "cbiw_finetuned"  # it needs PyTorch: tests/finetune
OF_NUMBERS = "dle"
APPLYING = [name for name in ESTIMATORS if name not in (UNTUNED, OF_NUMBERS)]


def compare(frames: Frames, slices: Any = None, *, revealed: bool = False, **settings: Any) -> md.Comparison:
    """Compare on frames, by every method unless told otherwise."""
    rules = flags("a", "b") if slices is None else slices
    return md.compare(*samples(*frames, revealed=revealed), rules, **({"methods": QUICK} | settings))


def printed(found: md.Comparison) -> Any:
    """Return a comparison as strict JSON would bring it back."""
    return json.loads(json.dumps(found.as_dict(), allow_nan=False))


def entry(found: md.Comparison, method: str, model: str = "first") -> Any:
    """Return what a method says of a model."""
    return found.models[model].entries[method]


@pytest.fixture(scope="module")
def frames() -> Frames:
    """Draw a source, and a target on which both models do worse."""
    return draw_rows(1, 400), draw_rows(2, 300, 0.3)


@pytest.fixture(scope="module")
def everything(frames: Frames) -> md.Comparison:
    """Compare every method with everything that one may need, truth included."""
    methods = replace(QUICK, scores="new")
    return compare(frames, [*flags("a", "b"), OWN], methods=methods, revealed=True)


# The contract.


def test_every_method_is_in_the_contract(everything: md.Comparison) -> None:
    """Models, their source score and truth, and for every name in the registry the four keys."""
    found = printed(everything)
    assert list(found["models"]) == ["first", "second"]
    for model in found["models"].values():
        assert isinstance(model["source"], float)
        assert isinstance(model["truth"], float)
        assert list(model["estimators"]) == list(ESTIMATORS)
        for name, said in model["estimators"].items():
            assert {"estimate", "interval", "available", "reason"} <= set(said), name
            if name not in APPLYING:
                reasons = {
                    UNTUNED: "No model to fine-tune. Set transformer in [methods]",
                    OF_NUMBERS: "This method is for",
                }
                assert said["reason"].startswith(reasons[name])
                continue
            assert said["available"] is True, (name, said["reason"])
            assert said["reason"] is None
            low, high = said["interval"]
            assert 0 <= low < said["estimate"] < high <= 1, name
            assert said["error"] == said["estimate"] - model["truth"]
            assert said["direction"] in ("up", "down", "unchanged")
    assert set(found["rankings"]) == set(ESTIMATORS)
    assert len(found["differences"]) == len(APPLYING)


def test_source_and_truth_are_the_plain_scores(everything: md.Comparison, frames: Frames) -> None:
    """Shares of right answers on either side; disagreement is the widest range of methods with one assumption."""
    for model in MODELS:
        found = everything.models[model.name]
        for frame, score in zip(frames, (found.source, found.truth), strict=True):
            assert score == pytest.approx((frame[model.prediction] == frame["label"]).mean(), rel=1e-12)
        ranges = []
        for premise in ("slices", "confidence", "transport"):
            passing = [one for name, one in found.entries.items() if ESTIMATORS[name].premise == premise]
            values = [one.estimate for one in passing if one.self_test is not None and not one.self_test.failed]
            ranges.append(max(values, default=0) - min(values, default=0))
        assert found.disagreement == max(ranges)
        assert found.entries["source"].estimate == found.source
        assert found.entries["source"].change == 0
        assert found.entries["source"].direction == "unchanged"


@pytest.mark.parametrize("interval", ["influence", "bootstrap"])
@pytest.mark.parametrize("method", ["mandoline", "simple", "cbiw_slices"])
def test_entries_are_what_estimate_reports(frames: Frames, interval: str, method: str) -> None:
    """The very same number and interval for every model, in slices of its own, with an edge and a split."""
    settings: dict[str, Any] = {
        "interval": interval,
        "replicates": 50,
        "edges": [("a", "b")],
        "seed": 3,
        "spread": False,
    }
    settings |= {"split": "crossfit"} if method == "mandoline" else {}
    rules = [*flags("a", "b"), OWN]
    found = compare(frames, rules, estimators=[method], **settings)
    report = md.estimate(*samples(*frames), rules, estimator=method, **settings)
    for name, model in report.models.items():
        said = entry(found, method, name)
        assert (said.estimate, said.interval) == (model.estimate, model.interval)
        assert said.standard_error == model.standard_error
        assert said.effective_sample_size == model.effective_sample_size
        assert (found.models[name].source, found.models[name].source_interval) == (model.source, model.source_interval)


def test_rows_in_memory_are_not_said_to_be_drawn_from_a_table(everything: md.Comparison) -> None:
    """What a method learns of the verdict is no draw of rows."""
    for model in everything.models.values():
        told = {name: {finding.code for finding in entry.findings} for name, entry in model.entries.items()}
        assert "second_opinion" in told
        assert [name for name, codes in told.items() if "on_a_draw" in codes] == []


def test_only_methods_asked_for_are_run(frames: Frames) -> None:
    """In the order given; an unknown one is refused before any work."""
    found = compare(frames, estimators=["kmm_slices", "source"])
    assert list(found.models["first"].entries) == ["kmm_slices", "source"]
    with pytest.raises(md.MandolineError, match=r"Unknown method 'mandolin'.*Did you mean 'mandoline'"):
        compare(frames, estimators=["mandolin"])


def test_settings_beside_a_project_take_the_place_of_its_own(tmp_path: Path) -> None:
    """As if the project said so itself."""
    project = md.load_project(write_project(tmp_path))
    for settings in ({"metric": "error"}, {"ridge": 0.5}, {"edges": [("negation", "long")]}):
        changed = {
            "metric": replace(project, metric=md.MetricSettings("error")),
            "ridge": replace(project, estimator=md.EstimatorSettings(ridge=0.5)),
            "edges": replace(project, edges=(("negation", "long"),)),
        }[next(iter(settings))]
        asked, said, plain = (
            found.models["lr"].entries["mandoline"].estimate
            for found in (
                md.compare(project, estimators=["mandoline"], **settings),
                md.compare(changed, estimators=["mandoline"]),
                md.compare(project, estimators=["mandoline"]),
            )
        )
        assert asked == said != plain


@pytest.mark.parametrize("function", [md.estimate, md.compare, md.backtest])
def test_a_bare_frame_is_no_sample(function: Callable[..., object], frames: Frames) -> None:
    """It would not say which column is the label."""
    source = md.Sample(frames[0], label="label", prediction="pred")
    for given in ((frames[0], md.Sample(frames[1])), (source, frames[1])):
        with pytest.raises(md.MandolineError, match=r"needs samples\. Got DataFrame\. Use Sample\(frame"):
            function(*given, [])


def test_the_text_says_what_not_to_quote_and_each_reason_once(frames: Frames) -> None:
    """A number in a table looks like any other: what is wrong with it stands below."""
    found = compare(frames, estimators=["source", "simple", "cbiw_slices", "cbpe", "pape"], metric="f1")
    model = next(iter(found.models.values()))
    model = replace(
        model,
        entries=model.entries
        | {name: Entry(name, available=False, reason="No probabilities.") for name in ("cbpe", "pape")},
    )
    few = Finding("weights", "few_rows", "serious", "It rests on 8 rows.", "Label more.")
    entries = {name: replace(one, findings=[few] * one.available) for name, one in model.entries.items()}
    one = replace(found, models={model.model: replace(model, entries=entries)})
    text = " ".join(str(one).split())
    assert text.count("It rests on 8 rows.") == 1
    assert "Do not quote source, simple, cbiw_slices. It rests" in text
    assert "cbpe, pape do not apply: No probabilities." in text
    assert "Do not quote" not in str(replace(found, models={model.model: model}))


def test_progress_rises_from_method_to_method(frames: Frames) -> None:
    """Shares of the whole, over both models; a call that raises stops the work."""
    said: list[tuple[str, float]] = []
    compare(frames, estimators=["source", "simple"], progress=lambda what, share: said.append((what, share)))
    assert [share for _, share in said] == [0, 0, 0.25, 0.5, 0.5, 0.75]
    assert [said[0][0], said[3][0], said[5][0]] == [
        "model first",
        "model second",
        "Post-stratification on slices (Simple) for second",
    ]


# What stands in a method's way.


def assert_says_why(found: md.Comparison, *methods: str, said: str = "") -> None:
    """Check that these methods, and no others that may apply, are not available, each with a sentence."""
    for name, model in found.models.items():
        missing = {one for one, e in model.entries.items() if not e.available}
        assert missing - {UNTUNED, OF_NUMBERS} == set(methods) - {OF_NUMBERS}, name
        for method in methods:
            out = model.entries[method]
            assert (out.estimate, out.interval, out.change, out.direction) == (None,) * 4
            assert out.reason is not None
            assert out.reason.endswith(".")
            assert "\n" not in out.reason
            assert said in out.reason
    printed(found)


def test_without_slices_methods_on_rows_still_compare(frames: Frames) -> None:
    """Methods on slices say that there are none."""
    found = compare(frames, [], methods=replace(QUICK, scores="new"))
    with_more = [name for name, e in ESTIMATORS.items() if {"slices", "probabilities"} <= set(e.needs)]
    assert_says_why(found, *ON_SLICES, *with_more, said="There are no slices")
    auto = compare(frames, [], edges="auto", estimators=["source", "mandoline", "cbpe"])
    assert_says_why(auto, "mandoline")


def test_without_probabilities_or_scores_methods_say_what_they_miss(frames: Frames) -> None:
    """Only predictions: everything on slices and on columns, and label shift, still applies."""
    models = [replace(model, probabilities={}) for model in MODELS]
    source, target = (
        md.Sample(f, label=label, models=models) for f, label in zip(frames, ("label", None), strict=True)
    )
    needing = [name for name, e in ESTIMATORS.items() if "probabilities" in e.needs or "scores" in e.needs]
    assert_says_why(md.compare(source, target, flags("a"), methods=QUICK), *needing)


@pytest.mark.parametrize(
    ("change", "methods", "out", "said"),
    [
        ({"p_yes": 0.9, "q_yes": 0.9}, {}, None, ""),
        ({"place": "north", "x": 1.0}, {}, ("cbiw_features", "kmm_features", "ulsif_features"), "same value"),
        ({"new": "likely"}, {"scores": "new"}, ("cbiw_scores",), "contains text"),
        ({"new": 1.0}, {"scores": "new"}, ("cbiw_scores",), "has 1 in row 1"),
        ({}, {"scores": "nowhere"}, ("cbiw_scores",), "'nowhere'"),
        ({}, {"box": 0.5, "tolerance": 0.0}, ("kmm_slices", "kmm_features"), "No weights satisfy both"),
    ],
    ids=["probabilities that do not add up", "constant columns", "text", "scores of 1", "no column", "no ratios"],
)
def test_bad_data_for_one_method_leaves_the_others(
    frames: Frames, change: dict[str, Any], methods: dict[str, Any], out: tuple[str, ...] | None, said: str
) -> None:
    """What a method cannot use becomes its reason; the numbers of the others do not move."""
    tuning = replace(QUICK, **({"scores": "new"} | methods))
    found = compare((frames[0].assign(**change), frames[1].assign(**change)), methods=tuning)
    if out is None:
        out, said = tuple(name for name, e in ESTIMATORS.items() if "probabilities" in e.needs), "sum to 1"
    assert_says_why(found, *out, said=said)
    plain = compare(frames, estimators=["mandoline", "cbiw_slices"])
    for method in ("mandoline", "cbiw_slices"):
        assert entry(found, method).estimate == entry(plain, method).estimate


def test_a_target_beyond_reach_is_a_reason(frames: Frames) -> None:
    """Strict overlap: Mandoline refuses, the source score does not."""
    beyond = frames[0].assign(c=0), frames[1].assign(c=[1, *[0] * (len(frames[1]) - 1)])
    found = compare(beyond, flags("c"), overlap="strict")
    reasons = {name: e.reason for name, e in found.models["first"].entries.items()}
    assert reasons["mandoline"]
    assert reasons["source"] is None
    assert reasons["cbpe"] is None
    printed(found)


def test_without_a_model_the_mean_of_a_column_is_compared(frames: Frames) -> None:
    """Methods that need answers say so; the others agree with the source plus what the shift explains."""
    source, target = (md.Sample(frame.drop(columns="label"), name="rows") for frame in frames)
    metric = md.MetricSettings("mean", column="x")
    found = md.compare(source, target, flags("a"), metric=metric, methods=MethodSettings(features=("place",)))
    needing = {"predictions", "probabilities", "scores"}
    assert_says_why(found, *(name for name, e in ESTIMATORS.items() if needing & set(e.needs_for(get_metric("mean")))))
    assert list(found.models) == ["x"]
    assert found.models["x"].source == pytest.approx(frames[0]["x"].mean())
    assert found.models["x"].truth == pytest.approx(frames[1]["x"].mean())


# Directions.


@pytest.mark.parametrize(("better", "expected"), [(0.9, "up"), (0.1, "down")])
def test_directions_follow_the_slice_that_grows(better: float, expected: str) -> None:
    """The slice is twice as frequent in the target; rows in it are right more often, or less, than the half outside."""
    rng = np.random.default_rng(0)
    sides = []
    for n, rate in ((2000, 0.3), (1500, 0.6)):
        a = rng.random(n) < rate
        right = rng.random(n) < np.where(a, better, 0.5)
        sides.append(pd.DataFrame({"a": a, "label": 1, "p": right.astype(int)}))
    source, target = md.Sample(sides[0], label="label", prediction="p"), md.Sample(sides[1].drop(columns=["label"]))
    found = md.compare(source, target, flags("a"), methods=replace(QUICK, features=("a",)))
    for method in (*ON_SLICES, "cbiw_features", "kmm_features", "ulsif_features"):
        said = entry(found, method, "model")
        assert said.direction == expected, method
        assert said.estimate - found.models["model"].source == said.change
        assert said.change_interval[0] < said.change < said.change_interval[1]
        assert (said.change_interval[0] > 0) == (expected == "up")
        assert (said.change_interval[1] < 0) == (expected == "down")


def test_a_change_that_luck_explains_is_unchanged() -> None:
    """Both samples drawn alike: no method on slices moves the score for sure."""
    found = compare((draw_rows(3, 400), draw_rows(4, 400)), estimators=[*ON_SLICES, "cbiw_features"])
    for method in found.models["first"].entries:
        said = entry(found, method)
        assert said.direction == "unchanged", method
        assert said.change_interval[0] <= 0 <= said.change_interval[1]


def test_a_change_that_rounding_explains_is_unchanged(frames: Frames) -> None:
    """Every labelled row is right: whatever the weights, their sum is the score, but for its last digit."""
    source = frames[0].assign(label=frames[0]["pred"])
    for said in compare((source, frames[1])).models["first"].entries.values():
        if not said.available or "probabilities" in ESTIMATORS[said.estimator].needs:
            continue
        assert said.estimate == pytest.approx(1)
        assert said.direction == "unchanged", said.estimator


def test_the_error_of_a_change_is_not_that_of_the_estimate(frames: Frames) -> None:
    """The same rows make both, so by how much the score changes is better known than either, on one slice."""
    found = compare(frames, flags("a"), estimators=["mandoline", "kmm_slices"], methods=replace(QUICK, redraws=200))
    errors = {}
    for method in ("mandoline", "kmm_slices"):
        said = entry(found, method)
        errors[method] = (said.change_interval[1] - said.change_interval[0]) / 2 / 1.959964
        assert errors[method] < said.standard_error
    # Both are the same estimate on one slice: influence against 200 redraws, whose luck is 5%.
    assert errors["kmm_slices"] == pytest.approx(errors["mandoline"], rel=4 / math.sqrt(2 * 200))


# Rankings.


def summary(estimates: list[float], truths: list[float | None], metric: str = "accuracy") -> Any:
    """Summarise made-up estimates of one method."""
    models = {
        f"m{i}": ModelComparison(
            f"m{i}",
            get_metric(metric),
            0.5,
            (0.4, 0.6),
            truth,
            10,
            10,
            {"mandoline": Entry("mandoline", available=True, estimate=value, pieces=(np.zeros(2),))},
        )
        for i, (value, truth) in enumerate(zip(estimates, truths, strict=True))
    }
    return summarise("made up", models, 0.95)


@pytest.mark.parametrize(
    ("metric", "values", "order"),
    [
        ("accuracy", [0.7, 0.9, 0.8], ("m1", "m2", "m0")),
        ("error", [0.3, 0.1, 0.2], ("m1", "m2", "m0")),
        ("rmse", [3.0, 1.0, 2.0], ("m1", "m2", "m0")),
        ("bias", [-0.5, 0.6, -0.1], ("m2", "m0", "m1")),
    ],
)
def test_models_are_ranked_best_first(metric: str, values: list[float], order: tuple[str, ...]) -> None:
    """Higher, lower, or nearer to 0 is better, as the metric has it; without the truth nothing is judged."""
    found = summary(values, [None] * 3, metric).rankings["mandoline"]
    assert found.order == order
    assert (found.tau, found.p_value, found.mean_absolute_error, found.max_absolute_error) == (None,) * 4


def test_rankings_are_judged_by_kendalls_tau_and_errors() -> None:
    """Equal to SciPy's, ties included; errors over models."""
    rng = np.random.default_rng(5)
    for metric, sign in (("accuracy", 1), ("error", 1), ("bias", 0)):
        estimates, truths = rng.normal(0, 1, 6).round(1).tolist(), rng.normal(0, 1, 6).round(1).tolist()
        found = summary(estimates, truths, metric).rankings["mandoline"]
        pairs = (estimates, truths) if sign else (np.abs(estimates), np.abs(truths))
        expected = kendalltau(*pairs)
        assert found.tau == pytest.approx(expected.statistic, rel=1e-12)
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
        errors = np.abs(np.subtract(estimates, truths))
        assert (found.mean_absolute_error, found.max_absolute_error) == pytest.approx((errors.mean(), errors.max()))


@pytest.mark.parametrize(("estimates", "truths"), [([0.8], [0.7]), ([0.8, 0.8], [0.7, 0.6]), ([0.8, 0.7], [0.6, 0.6])])
def test_nothing_to_rank_has_no_tau(estimates: list[float], truths: list[float | None]) -> None:
    """One model, or all alike: errors are still known."""
    found = summary(estimates, truths).rankings["mandoline"]
    assert (found.tau, found.p_value) == (None, None)
    assert found.max_absolute_error is not None


def test_errors_are_of_estimates_against_the_truth(everything: md.Comparison) -> None:
    """Over the two models, for every method; the order is by estimate."""
    for method in APPLYING:
        ranking = everything.rankings[method]
        errors = [abs(entry(everything, method, name).estimate - m.truth) for name, m in everything.models.items()]
        assert ranking.mean_absolute_error == pytest.approx(np.mean(errors))
        assert ranking.max_absolute_error == max(errors)
        ranked = [entry(everything, method, name).estimate for name in ranking.order]
        assert ranked == sorted(ranked, reverse=True)
        assert ranking.tau in ((1.0, -1.0) if ESTIMATORS[method].ranks else (None,))


def test_a_model_that_a_method_cannot_judge_is_left_out_of_its_ranking(frames: Frames) -> None:
    """The second model has no probabilities: one model is ranked, and no difference is taken."""
    models = (MODELS[0], replace(MODELS[1], probabilities={}))
    source, target = (
        md.Sample(f, label=label, models=models) for f, label in zip(frames, ("label", None), strict=True)
    )
    found = md.compare(source, target, flags("a"), estimators=["mandoline", "cbpe"])
    assert found.rankings["cbpe"].order == ("first",)
    assert len(found.rankings["mandoline"].order) == 2
    assert [difference.estimator for difference in found.differences] == ["mandoline"]


def test_truth_is_shown_only_when_it_is_revealed(tmp_path: Path) -> None:
    """Labels in a file of their own are read with reveal alone, and change no estimate."""
    project = md.load_project(write_project(tmp_path))
    _, target, labels = small_frames()
    hidden, shown = (md.compare(project, estimators=["mandoline"], reveal=reveal) for reveal in (False, True))
    for name in ("lr", "nb"):
        assert hidden.models[name].truth is None
        assert shown.models[name].truth == pytest.approx((target[f"pred_{name}"] == labels["label"]).mean(), rel=1e-12)
        assert entry(hidden, "mandoline", name).estimate == entry(shown, "mandoline", name).estimate
    assert hidden.rankings["mandoline"].tau is None
    assert shown.rankings["mandoline"].tau is not None
    assert "Truth" not in str(hidden)
    assert "Truth" in str(shown)
