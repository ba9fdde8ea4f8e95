"""Reports: one function behind the app, the command line and the library."""

from __future__ import annotations

import platform
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from tests.core.projects import DIGITS, REVIEWS, small_frames, write_project

SLICES = (
    md.Keyword("negation", column="text", words=("not", "never")),
    md.Threshold("long", column="n_words", above=10),
)
HOSTILE = "<img src=x onerror=alert(1)>"
IDENTITY = np.array([[0.0, 0.5, 1.0], [0.0, 0.5, 1.0]])


def samples(source: pd.DataFrame | None = None, **settings: Any) -> tuple[md.Sample, md.Sample]:
    """Make samples of the small frames, for one model unless told otherwise."""
    plain, target, _ = small_frames()
    settings = settings or {"prediction": "pred_lr"}
    return md.Sample(plain if source is None else source, label="label", name="source", **settings), md.Sample(target)


def small_codes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the codes and scores of the small frames with plain pandas."""
    source, target, _ = small_frames()
    codes = [
        np.where(np.column_stack([frame["text"].str.contains(r"\bnot\b"), frame["n_words"] > 10]), 1, -1)
        for frame in (source, target)
    ]
    return codes[0], (source["label"] == source["pred_lr"]).to_numpy(float), codes[1]


def test_a_project_and_its_samples_give_the_same_report(tmp_path: Path) -> None:
    """The file says what the arguments say."""
    changes = {"edges": [["negation", "long"]], "estimator": {"confidence": 0.9, "split": "crossfit", "seed": 3}}
    project = md.load_project(write_project(tmp_path, changes))
    models = [md.Model("lr", "pred_lr"), md.Model("nb", "pred_nb")]
    edges = [("negation", "long")]
    report = md.estimate(*samples(models=models), SLICES, edges=edges, confidence=0.9, split="crossfit", seed=3)
    assert md.estimate(project).as_dict() == report.as_dict()


def test_an_estimator_may_be_given_as_settings() -> None:
    """Fields that follow it override its own."""
    settings = md.EstimatorSettings(name="simple", confidence=0.8)
    whole = md.estimate(*samples(), SLICES, estimator=settings, confidence=0.9)
    assert whole.as_dict() == md.estimate(*samples(), SLICES, estimator="simple", confidence=0.9).as_dict()


def test_settings_beside_a_project_take_the_place_of_its_own_and_the_report_says_so(tmp_path: Path) -> None:
    """As if the project said so itself; neither is one ignored, nor is it silent."""
    project = md.load_project(write_project(tmp_path))
    for name, asked, changed in (
        ("estimator", {"estimator": "source"}, {"estimator": md.EstimatorSettings(name="source")}),
        ("metric", {"metric": "error"}, {"metric": md.MetricSettings("error")}),
        ("ridge", {"ridge": 0.1}, {"estimator": md.EstimatorSettings(ridge=0.1)}),
    ):
        report, expected = md.estimate(project, **asked), md.estimate(replace(project, **changed))
        assert report.estimate == expected.estimate
        assert report.estimate != md.estimate(project).estimate
        (said,) = [finding for finding in report.findings if finding.code == "settings_overridden"]
        assert name in said.message
        assert "settings_overridden" not in {finding.code for finding in expected.findings}
    assert list(md.compare(project, metric="error", estimators=["source"]).models) == ["lr", "nb"]
    with pytest.raises(md.ProjectError, match="Change the project"):
        md.estimate(project, *samples()[1:], [])
    with pytest.raises(md.MandolineError, match="needs a project, or labelled data, new data and slices"):
        md.estimate(samples()[0])


def test_codes_give_the_same_numbers_as_samples() -> None:
    """Codes that someone already has are as good as rules."""
    source, scores, target = small_codes()
    found = md.estimate_from_codes(source, scores, target, edges=[(0, 1)], names=["negation", "long"]).first
    expected = md.estimate(*samples(), SLICES, edges=[("negation", "long")]).first
    for key in ("estimate", "interval", "source", "source_interval", "delta", "effective_sample_size", "set_aside"):
        assert getattr(found, key) == getattr(expected, key), key
    assert np.array_equal(found.weights, expected.weights)


def test_noise_arrays_are_in_the_order_outside_abstained_inside() -> None:
    """Each row holds p(truly in | code) for the codes -1, 0, 1; the identity changes nothing."""
    source, scores, target = small_codes()
    plain = md.estimate_from_codes(source, scores, target)
    same = md.estimate_from_codes(source, scores, target, noise=(IDENTITY, IDENTITY))
    assert same.estimate == pytest.approx(plain.estimate, abs=1e-12)
    matrices = [np.array([[0.1, 0.4, 0.9], [0.05, 0.5, 0.8]]), np.array([[0.2, 0.4, 0.95], [0.1, 0.5, 0.85]])]
    noises = [
        md.Noise(*(md.Correction(outside=m[i, 0], abstain=m[i, 1], inside=m[i, 2]) for m in matrices)) for i in range(2)
    ]
    slices = [type(rule)(**{**vars(rule), "noise": noise}) for rule, noise in zip(SLICES, noises, strict=True)]
    expected = md.estimate(*samples(), slices)
    found = md.estimate_from_codes(source, scores, target, noise=tuple(matrices))
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-12)
    assert found.estimate != pytest.approx(plain.estimate, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[2]], [1.0], [[1]]), r"source_codes must be 1 \(inside\), -1 \(outside\) or 0 \(abstained\). Got 2"),
        (([1, -1], [1.0, 0.0], [[1]]), r"source_codes must have one row per example .* Got shape \(2,\)"),
        (([[1], [-1]], [1.0], [[1]]), "There are 2 labelled rows and 1 scores"),
        (([[1], [-1]], [1.0, np.nan], [[1]]), "scores has 1 missing or infinite value, the first in row 2"),
        (([[1], [-1]], [1.0, 0.0], [[1, 1]]), "The labelled data has 1 slices, the new data 2"),
        (([[1]], [1.0], [[1]]), "needs at least 2 labelled rows with a score"),
    ],
)
def test_codes_are_checked_at_the_door(arguments: tuple[Any, ...], message: str) -> None:
    """Codes, scores and shapes."""
    with pytest.raises(md.MandolineError, match=message):
        md.estimate_from_codes(*arguments)


def test_noise_arrays_are_checked_at_the_door() -> None:
    """A pair of tables of probabilities, one row a slice."""
    source, scores, target = small_codes()
    for noise, message in (
        ((IDENTITY,), "must be a pair"),
        ((IDENTITY[:1], IDENTITY), r"The source's noise must have shape \(2, 3\). Got \(1, 3\)"),
        ((IDENTITY, IDENTITY * 2), "The target's noise must contain probabilities between 0 and 1"),
    ):
        with pytest.raises(md.DataError, match=message):
            md.estimate_from_codes(source, scores, target, noise=noise)  # type: ignore[arg-type]


def test_each_model_gets_its_own_patterns() -> None:
    """Slices on the model's own probabilities differ from model to model."""
    report = md.estimate(md.load_project(REVIEWS))
    lr, nb = (report.models[name].problem.patterns for name in ("lr", "nb"))
    assert (lr.rates("target") != nb.rates("target")).any()
    assert np.array_equal(lr.rates("target")[:3], nb.rates("target")[:3])  # keywords and length speak of the text only
    assert not np.array_equal(report.models["lr"].weights, report.models["nb"].weights)


def test_rows_without_a_label_are_left_out_with_a_finding() -> None:
    """They get no weight, and the rest are as if they had never been there."""
    source, _, _ = small_frames()
    gaps = source.assign(label=source["label"].where(source.index >= 50))
    report = md.estimate(*samples(gaps), SLICES)
    rest = md.estimate(*samples(source[50:]), SLICES)
    assert report.estimate == rest.estimate
    assert report.first.n_source == 350
    assert len(report.weights) == 400
    assert not report.weights[:50].any()
    (finding,) = [finding for finding in report.findings if finding.code == "rows_without_score"]
    assert finding.severity == "warning"
    assert finding.message == "50 of 400 rows of source have no label or prediction and are left out."


def test_truth_comes_from_the_targets_own_labels_only() -> None:
    """A target with every label has a truth; one gap and it has none; the estimate never changes."""
    source, target, labels = small_frames()
    plain = md.estimate(*samples(), SLICES)
    labelled = target.assign(label=labels["label"])
    first = md.Sample(source, label="label", prediction="pred_lr")
    report = md.estimate(first, md.Sample(labelled, label="label"), SLICES)
    assert plain.truth is None
    assert report.truth == pytest.approx((labelled["pred_lr"] == labelled["label"]).mean(), rel=1e-13)
    assert report.estimate == plain.estimate
    gap = labelled.assign(label=labelled["label"].where(labelled.index > 0))
    assert md.estimate(first, md.Sample(gap, label="label"), SLICES).truth is None


def test_a_report_says_how_it_was_made() -> None:
    """Settings, fingerprints of both samples and versions: enough to make it again."""
    both = samples()
    made = md.estimate(*both, SLICES, confidence=0.9, seed=7).made
    assert made["settings"] == md.EstimatorSettings(confidence=0.9, seed=7).as_dict()
    assert made["fingerprints"] == {"source": both[0].fingerprint, "target": both[1].fingerprint}
    assert made["versions"]["python"] == platform.python_version()
    assert made["versions"]["pandas"] == pd.__version__


def test_a_report_prints_as_text_and_as_escaped_html(tmp_path: Path) -> None:
    """In a terminal its text, in a console its short form; in a notebook a table in which names are text."""
    changes = {"name": HOSTILE, "models": [{"name": HOSTILE, "prediction": "pred_lr"}]}
    report = md.estimate(md.load_project(write_project(tmp_path, changes)))
    assert repr(report).splitlines()[0] == str(report).splitlines()[0]
    assert f"{report.estimate:.1%}" in repr(report)
    assert f"{report.estimate:.1%}" in str(report)
    html = report._repr_html_()
    assert f"{report.estimate:.1%}" in html
    assert "<table>" in html
    assert "<img" not in html
    assert html.count("&lt;img") == 2


def finding(code: str, text: str, **numbers: Any) -> md.Finding:
    """Make a finding that is a warning."""
    return md.Finding("rows", code, "warning", text, numbers=numbers)


def test_findings_that_differ_only_in_numbers_are_written_once() -> None:
    """With the models named; those of one kind in one model, or about other columns, are all written."""
    report = md.estimate(*samples(models=[md.Model("lr", "pred_lr"), md.Model("nb", "pred_nb")]), SLICES)
    found = {
        "lr": (finding("a", "Off by 1.", off=1), finding("b", "x is off.", column="x"), finding("c", "All.")),
        "nb": (finding("a", "Off by 2.", off=2), finding("b", "y is off.", column="y"), finding("c", "All.")),
    }
    found["lr"] = (*found["lr"], finding("a", "Off by 3.", off=3))
    text = str(
        replace(report, models={name: replace(report.models[name], findings=some) for name, some in found.items()})
    )
    for line in ("lr (similar for nb): Off by 1.", "lr: x is off.", "nb: y is off.", "!  All.", "lr: Off by 3."):
        assert line in text
    assert "Off by 2" not in text


def test_a_red_report_begins_with_its_verdict() -> None:
    report = md.estimate(*samples(), SLICES)
    red = md.Verdict("red", "1 check failed.", ())
    text = str(replace(report, models={"pred_lr": replace(report.first, verdict=red)}))
    assert text.index("RED. Do not quote yet: 1 check failed.") < text.index(f"{report.estimate:.1%}")


def test_merged_classes_give_the_papers_binary_accuracy() -> None:
    """Merging before scoring equals scoring merged columns."""
    rng = np.random.default_rng(0)
    names = ["entailment", "neutral", "contradiction"]
    source = pd.DataFrame({"y": rng.choice(names, 300), "p": rng.choice(names, 300), "x": rng.random(300)})
    target = pd.DataFrame({"x": rng.random(200) ** 2})
    slices = [md.Threshold("high", column="x", above=0.5)]
    merge = {"non-entailment": ["neutral", "contradiction"]}
    found = md.estimate(
        md.Sample(source, label="y", prediction="p"), md.Sample(target), slices, metric=md.MetricSettings(merge=merge)
    )
    binary = source.assign(y=source["y"] == "entailment", p=source["p"] == "entailment")
    expected = md.estimate(md.Sample(binary, label="y", prediction="p"), md.Sample(target), slices)
    assert found.estimate == expected.estimate
    assert found.source == (binary["y"] == binary["p"]).mean()


@pytest.mark.parametrize("write", [int, float, str, bool, lambda value: str(bool(value))])
def test_labels_may_be_written_in_any_type(write: Any) -> None:
    """1, 1.0, "1" and true in the label column are the prediction 1."""
    source, target, _ = small_frames()
    coded = source.assign(
        label=(source["label"] == "good").astype(int), pred_lr=(source["pred_lr"] == "good").astype(int)
    )
    changed = coded.assign(label=[write(value) for value in coded["label"]])
    expected = md.estimate(*samples(source), SLICES)
    found = md.estimate(md.Sample(changed, label="label", prediction="pred_lr"), md.Sample(target), SLICES)
    assert found.estimate == expected.estimate


def test_error_is_one_minus_accuracy() -> None:
    """The interval too, the other way round."""
    accuracy, error = (md.estimate(*samples(), SLICES, metric=name) for name in ("accuracy", "error"))
    assert error.estimate == pytest.approx(1 - accuracy.estimate, abs=1e-12)
    assert error.interval == pytest.approx([1 - end for end in reversed(accuracy.interval)], abs=1e-9)


def test_the_bootstrap_interval_is_near_the_instant_one() -> None:
    """The same seed gives the same interval; it differs from the influence interval only by luck."""
    instant = md.estimate(*samples(), SLICES)
    found = md.estimate(*samples(), SLICES, interval="bootstrap", replicates=2000, seed=1)
    again = md.estimate(*samples(), SLICES, interval="bootstrap", replicates=2000, seed=1)
    assert found.estimate == instant.estimate
    assert found.interval == again.interval != instant.interval
    assert found.interval == pytest.approx(instant.interval, abs=0.02)


def test_the_bootstrap_is_not_certain_where_every_row_is_right() -> None:
    """Redraws of right rows are all right; that says nothing about rows not drawn."""
    source, _, _ = small_frames()
    right = source.assign(pred_lr=source["label"])
    instant, found = (md.estimate(*samples(right), SLICES, interval=name) for name in ("influence", "bootstrap"))
    assert found.estimate == pytest.approx(1.0)
    assert found.interval == instant.interval
    assert found.interval[0] < 0.99


@pytest.mark.parametrize("split", ["half", "crossfit"])
def test_splits_weight_rows_they_did_not_fit_on(split: str) -> None:
    """Weights sum to 1; in a half split the rows that fitted count for nothing."""
    report = md.estimate(*samples(), SLICES, split=split, seed=5)
    assert report.weights.sum() == pytest.approx(1, abs=1e-12)
    assert (report.weights > 0).sum() == (200 if split == "half" else 400)
    other = md.estimate(*samples(), SLICES, split=split, seed=6)
    assert other.estimate != report.estimate


@pytest.mark.parametrize("project", [REVIEWS, DIGITS], ids=["reviews", "digits"])
def test_samples_hit_the_truth(project: Path) -> None:
    """On both sample projects every interval covers the truth, and the estimate is far nearer to it than the source."""
    report = md.estimate(md.load_project(project), reveal=True)
    for model in report.models.values():
        assert model.interval[0] < model.truth < model.interval[1]
        assert abs(model.estimate - model.truth) < (model.source - model.truth) / 4
