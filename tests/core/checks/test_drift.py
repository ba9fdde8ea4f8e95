"""Signs that classes changed, against the same numbers on rows; and what cannot be known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mandoline_core import (
    Category,
    Model,
    ModelReport,
    Prediction,
    Sample,
    Threshold,
    estimate,
    estimate_from_codes,
    load_project,
)
from mandoline_core.checks.drift import Drift, drift
from mandoline_core.checks.predictions import drift_findings
from mandoline_core.pipeline import MeanShift
from mandoline_core.project.settings import MetricSettings
from tests.core.projects import REVIEWS

PLACE = Category("b", column="place", values=("b",))
CHANCES = {"no": "p_no", "yes": "p_yes"}


def draw(n_rows: int, share: float, seed: int, *, yes: float = 0.0, sure: float = 0.0) -> pd.DataFrame:
    """Draw rows; place "b" says yes more often. `yes` and `sure` shift answers and confidence on their own."""
    rng = np.random.default_rng(seed)
    there = rng.random(n_rows) < share
    says_yes = rng.random(n_rows) < 0.3 + 0.3 * there + yes
    confidence = rng.uniform(0.6, 0.8, n_rows) + 0.1 * ~there + sure
    chance = np.where(says_yes, confidence, 1 - confidence)
    right = rng.random(n_rows) < np.where(there, 0.55, 0.9)
    return pd.DataFrame(
        {
            "place": np.where(there, "b", "a"),
            "pred": np.where(says_yes, "yes", "no"),
            "p_yes": chance,
            "p_no": 1 - chance,
            "label": np.where(right == says_yes, "yes", "no"),
        }
    )


def make(source: Any, target: Any, *, chances: bool = True, **settings: Any) -> ModelReport:
    models = [Model("m", "pred", CHANCES if chances else {})]
    samples = Sample(source, label="label", models=models), Sample(target, models=models)
    return estimate(*samples, [PLACE], **settings).first


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a source, and a target with more yes and less confidence than its places explain."""
    return draw(3000, 0.2, 1), draw(2000, 0.6, 2, yes=0.1, sure=-0.05).drop(columns="label")


@pytest.mark.parametrize("settings", [{}, {"split": "half"}, {"split": "crossfit"}, {"estimator": "cbiw_features"}])
def test_shares_and_confidence_equal_those_of_rows(
    frames: tuple[pd.DataFrame, pd.DataFrame], settings: dict[str, Any]
) -> None:
    source, target = (frame.assign(size=np.arange(len(frame)) % 7) for frame in frames)
    report = make(source, target, **settings)
    found = drift(report)
    assert [share.name for share in found.predicted] == ["no", "yes"]
    for share in found.predicted:
        said = (source["pred"] == share.name).to_numpy()
        assert share.source == pytest.approx(said.mean())
        assert share.weighted == pytest.approx(report.weights[said].sum())
        assert share.target == pytest.approx((target["pred"] == share.name).mean())
    here, there = (np.maximum(frame["p_yes"], frame["p_no"]).to_numpy() for frame in (source, target))
    assert found.confidence is not None
    assert found.confidence.source == pytest.approx(here.mean())
    assert found.confidence.weighted == pytest.approx(report.weights @ here)
    assert found.confidence.target == pytest.approx(there.mean())


def test_calibration_by_slice_equals_that_of_rows(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    source, _ = frames
    found = drift(make(*frames))
    assert [line.slice for line in found.calibration] == [None, "b"]
    inside = source[source["place"] == "b"]
    sure, right = inside[["p_yes", "p_no"]].max(axis=1), inside["pred"] == inside["label"]
    line = found.calibration[1]
    assert (line.n, line.confidence, line.accuracy) == pytest.approx((len(inside), sure.mean(), right.mean()))
    half = 1.959964 * (sure - right).std(ddof=1) / math.sqrt(len(inside))
    assert line.gap == pytest.approx(sure.mean() - right.mean())
    assert line.interval == pytest.approx((line.gap - half, line.gap + half))
    assert any("The model is overconfident in slice 'b'" in sentence for sentence in found.words)


def test_a_change_beyond_the_slices_is_found(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    found = drift(make(*frames))
    codes = {finding.code: finding for finding in drift_findings(found)}
    assert set(codes) == {"predicted_classes_shift", "confidence_shift"}
    assert {finding.severity for finding in codes.values()} == {"warning"}
    assert "class 'yes' is predicted for" in codes["predicted_classes_shift"].message
    assert "harder" in codes["confidence_shift"].message


def test_a_change_that_the_slices_explain_is_not_found() -> None:
    """Answers change a lot with the place; after weighting nothing is left, but for luck (z has a spread of 1)."""
    values = []
    for seed in range(40):
        report = make(draw(600, 0.2, 2 * seed), draw(500, 0.6, 2 * seed + 1).drop(columns="label"))
        found = drift(report)
        assert found.confidence is not None
        values.append((found.predicted[0].z, found.confidence.z))
    assert np.std(values, axis=0) == pytest.approx(1, abs=4 / math.sqrt(2 * 40))
    assert np.mean(values, axis=0) == pytest.approx(0, abs=4 / math.sqrt(40))


def test_small_changes_are_not_worth_a_finding() -> None:
    """Beyond luck, but less than two points."""
    predicted = (MeanShift("no", 0.5, 0.5, 0.515, 0.1, 0.1, 9.0), MeanShift("yes", 0.5, 0.5, 0.485, 0.1, 0.1, -9.0))
    assert list(drift_findings(Drift(predicted, MeanShift("confidence", 0.8, 0.8, 0.79, 0.1, 0.1, -9.0), (), ()))) == []


def test_luck_is_not_worth_a_finding() -> None:
    predicted = (MeanShift("no", 0.5, 0.5, 0.6, 0.1, 0.1, 2.0), MeanShift("yes", 0.5, 0.5, 0.4, 0.1, 0.1, -2.0))
    assert list(drift_findings(Drift(predicted, MeanShift("confidence", 0.8, 0.8, 0.7, 0.1, 0.1, -1.5), (), ()))) == []


def test_it_is_said_what_cannot_be_known(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    for report in (make(*frames), make(*frames, chances=False)):
        assert any(
            sentence.startswith("A change in the meaning of labels cannot be detected")
            for sentence in drift(report).words
        )


def test_without_probabilities_classes_are_still_compared(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    found = drift(make(*frames, chances=False))
    assert len(found.predicted) == 2
    assert (found.confidence, found.calibration) == (None, ())


def test_codes_alone_say_nothing_about_classes() -> None:
    found = drift(estimate_from_codes([[1], [-1], [-1]], [0.0, 1.0, 1.0], [[1], [-1]]).first)
    assert (found.predicted, found.confidence, found.calibration) == ((), None, ())
    assert found.words[0] == "There are no predicted classes to compare."
    assert list(drift_findings(found)) == []


def test_a_score_column_without_a_model_says_nothing_about_classes(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    source = Sample(frames[0][["place", "p_yes"]])
    report = estimate(
        source, Sample(frames[1][["place"]]), [PLACE], metric=MetricSettings("mean", column="p_yes")
    ).first
    assert drift(report).predicted == ()


def test_rows_without_a_prediction_do_not_enter(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    target = frames[1].assign(pred=frames[1]["pred"].mask(np.arange(len(frames[1])) < 500))
    found = drift(make(frames[0], target))
    assert found.predicted[1].target == pytest.approx((target["pred"].dropna() == "yes").mean())


def test_probabilities_that_contradict_predictions_are_passed_over(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """Estimating accuracy does not need them; nor does this break on them."""
    swapped = [frame.rename(columns={"p_yes": "p_no", "p_no": "p_yes"}) for frame in frames]
    found = drift(make(*swapped))
    assert len(found.predicted) == 2
    assert (found.confidence, found.calibration) == (None, ())


def test_engines_and_row_order_do_not_matter(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    one = drift(make(*frames))
    others = [
        drift(make(*map(pl.from_pandas, frames))),
        drift(make(*(frame.sample(frac=1, random_state=4).reset_index(drop=True) for frame in frames))),
    ]
    for other in others:
        for a, b in zip(one.predicted, other.predicted, strict=True):
            assert (a.weighted, a.target, a.z) == pytest.approx((b.weighted, b.target, b.z), abs=1e-6)
        assert one.words == other.words


def test_classes_that_are_slices_have_nothing_left() -> None:
    models = [Model("m", "pred", CHANCES)]
    source, target = draw(500, 0.2, 5), draw(400, 0.6, 6, yes=0.1).drop(columns="label")
    samples = Sample(source, label="label", models=models), Sample(target, models=models)
    found = drift(estimate(*samples, [PLACE, Prediction("says", value="yes")]).first)
    assert [share.gap for share in found.predicted] == pytest.approx([0, 0], abs=1e-7)
    assert abs(found.predicted[0].z) < 1e-3


def test_a_real_project_has_calibration_for_every_slice() -> None:
    report = estimate(load_project(REVIEWS)).first
    found = drift(report)
    assert [line.slice for line in found.calibration] == [None, *report.problem.patterns.names]
    assert all(line.n > 1 for line in found.calibration)


@pytest.mark.parametrize("method", ["average_confidence", "cot", "cot_weighted", "mandoline", "atc"])
def test_confidence_that_labels_contradict_is_not_taken_at_its_word(method: str) -> None:
    """A model that is always sure and often wrong was estimated at 100% without a doubt."""
    rng, n = np.random.default_rng(0), 2000
    label = rng.choice(["no", "yes"], n)
    predicted = np.where(rng.random(n) < 0.63, label, np.where(label == "no", "yes", "no"))
    frame = pd.DataFrame({"a": rng.random(n), "y": label, "p": predicted})
    frame = frame.assign(p_yes=(predicted == "yes").astype(float), p_no=(predicted == "no").astype(float))
    roles = {"prediction": "p", "probabilities": {"yes": "p_yes", "no": "p_no"}}
    target = Sample(frame.drop(columns="y").tail(1200), **roles)
    slices = [Threshold("s", column="a", above=0.5)]
    report = estimate(Sample(frame, label="y", **roles), target, slices, estimator=method).first
    found = [finding for finding in report.findings if finding.code == "confidence_contradicted"]
    assert bool(found) == (method not in ("mandoline", "atc"))
    if found:
        assert report.is_red
        assert found[0].numbers["accuracy"] == pytest.approx((predicted == label).mean())
