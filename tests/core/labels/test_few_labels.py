"""Few target labels: alone, combined with predicted scores of all rows, and as a test of the slices."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom, norm, t

from mandoline_core import (
    DataError,
    EstimatorSettings,
    Fit,
    Flag,
    MandolineError,
    MetricSettings,
    Model,
    Sample,
    prepare,
    report_model,
)
from mandoline_core.labels.few_labels import FewLabels, use_labels
from mandoline_core.labels.prediction_powered import (
    LabelledRows,
    best_weight,
    from_all,
    from_labels,
    predict_scores,
    regress,
)
from mandoline_core.labels.rows import has_label, score_labelled, share_out
from mandoline_core.metrics.registry import get_metric
from mandoline_core.pipeline import score_truth
from tests.core.answered import random_answers
from tests.core.labelled_worlds import LabelWorld, repeat

REPETITIONS = 100


def labelled(truth: list[float], guess: list[float], average: float, n_target: int, **changes: Any) -> LabelledRows:
    """Hold one statistic of rows that count the same."""
    columns = (np.array(values)[:, None] for values in (truth, guess))
    known = LabelledRows(*columns, np.full(len(truth), 1 / len(truth)), np.array([average]), n_target, indicators=True)
    return known._replace(**changes)


def gaps(frame: pd.DataFrame, n: int, seed: int = 0) -> pd.DataFrame:
    """Keep the labels of n rows drawn at random."""
    kept = np.random.default_rng(seed).permutation(len(frame)) < n
    return frame.assign(label=frame["label"].where(kept, None))


def prepared_with(
    n_labels: int = 60, metric: str = "accuracy", n_classes: int = 2, *, probabilities: bool = True, **more: Any
) -> tuple[Fit, Sample]:
    """Prepare a project on random answers with two slices; the target has some labels."""
    rng = np.random.default_rng(5)
    source = random_answers(rng, 400, n_classes)
    target = gaps(random_answers(rng, 300, n_classes, tilt=0.2), n_labels)
    columns = {name[2:]: name for name in source.columns if name.startswith("p_")} if probabilities else {}
    model = Model("m", "pred", columns)
    samples = (
        Sample(source, label="label", models=[model], name="source.csv"),
        Sample(target, models=[model], name="target.csv"),
    )
    settings = MetricSettings(metric, **more)
    rules = [Flag("z", column="z"), Flag("u", column="u")]
    return prepare(*samples, rules, model=model, metric=settings), samples[1]


def use(n_labels: int = 60, metric: str = "accuracy", n_classes: int = 2, **more: Any) -> FewLabels:
    """Use some labels of random answers."""
    fit, target = prepared_with(n_labels, metric, n_classes, **more)
    return use_labels(fit, EstimatorSettings(), target)


# --- By hand ---


def test_labels_alone_get_the_exact_binomial_interval() -> None:
    """16 of 20 right: the beta quantiles, whatever the predictions say."""
    found = from_labels(get_metric("accuracy"), labelled([1] * 16 + [0] * 4, [0.3] * 20, 0.9, 500), confidence=0.9)
    assert found.value == pytest.approx(0.8)
    assert found.interval == pytest.approx((beta.ppf(0.05, 16, 5), beta.ppf(0.95, 17, 4)))
    assert (found.weight, found.worth) == (0.0, pytest.approx(20))


def test_all_labels_right_still_leave_doubt() -> None:
    """20 of 20: the interval reaches down to 0.025 ** (1 / 20), with predictions or without."""
    known = labelled([1] * 20, list(np.linspace(0.2, 0.9, 20)), 0.5, 500)
    for found in (from_labels, from_all):
        one = found(get_metric("accuracy"), known, confidence=0.95)
        assert (one.value, one.interval[1]) == (pytest.approx(1), 1.0)
        assert one.interval[0] == pytest.approx(0.025 ** (1 / 20))


def test_combination_by_hand() -> None:
    """Four labels: lambda is their regression on the predictions, and moves the mean with all rows' predictions."""
    known = labelled([1, 1, 0, 1], [0.9, 0.7, 0.1, 0.5], 0.6, 100)
    # Centred: truth (.25 .25 -.75 .25), guess (.35 .15 -.45 -.05); products .45, squares .35: 9/7, cut to 1.
    assert best_weight(known, np.ones(1)) == 1.0
    assert from_all(get_metric("accuracy"), known, confidence=0.95).value == pytest.approx(0.6 + 0.75 - 0.55)
    steep = labelled([1, 1, 0, 1], [0.9, 0.2, 0.1, 0.4], 0.6, 100)
    # Guess centred: (.5 -.2 -.3 0); products .25 * .5 - .25 * .2 + .75 * .3 = .3, squares .38.
    assert best_weight(steep, np.ones(1)) == pytest.approx(0.3 / 0.38)
    expected = 0.75 + 0.3 / 0.38 * (0.6 - 0.4)
    assert from_all(get_metric("accuracy"), steep, confidence=0.95).value == pytest.approx(expected)


def test_worth_is_the_gain_in_variance() -> None:
    """With lambda 1: the variance of all labels, and of what predictions leave, over that of labels alone."""
    truth, guess = np.array([1.0] * 16 + [0.0] * 4), np.array([0.9] * 15 + [0.5] * 2 + [0.1] * 3)
    found = from_all(get_metric("accuracy"), labelled(list(truth), list(guess), 0.6, 400), confidence=0.95)
    assert found.weight == pytest.approx(1.0)
    left = truth - guess
    variance = truth.var() / 400 + (1 / 20 - 1 / 400) * left.var() * 19 / 18
    assert found.worth == pytest.approx(20 * (truth.var() / 20) / variance)
    value, n = found.value, found.worth
    ends = beta.ppf(0.025, value * n, (1 - value) * n + 1), beta.ppf(0.975, value * n + 1, (1 - value) * n)
    assert found.interval == pytest.approx(ends)


def test_labels_on_every_row_leave_nothing_to_predict() -> None:
    """The combined estimate is the mean, whatever was predicted."""
    rng = np.random.default_rng(0)
    truth, guess = (rng.random(50) < 0.7).astype(float), rng.random(50)
    known = labelled(list(truth), list(guess), float(guess.mean()), 50)
    assert from_all(get_metric("accuracy"), known, confidence=0.95).value == pytest.approx(truth.mean())


def test_unbounded_scores_get_students_interval() -> None:
    """Of scores on both sides of 0, as a textbook has it."""
    values = [-1.0, 0.5, 2.0, 3.0, -0.5, 1.0]
    known = labelled(values, [0.0] * 6, 0.0, 10**9, indicators=False)
    found = from_all(get_metric("bias"), known, confidence=0.95)
    half = t.ppf(0.975, 5) * np.std(values, ddof=1) / np.sqrt(6)
    assert found.interval == pytest.approx((np.mean(values) - half, np.mean(values) + half))


def test_metrics_of_several_means_are_linearised_where_they_are() -> None:
    """F1 combined equals F1 of the combined confusion counts; predictions of the truth give that of all rows."""
    rng = np.random.default_rng(1)
    f1 = get_metric("f1").fit(("no", "yes"), "yes")
    rows = rng.multinomial(1, [0.4, 0.2, 0.1, 0.3], size=400)[:, :3].astype(float)
    known = LabelledRows(rows[:40], rows[:40], np.full(40, 1 / 40), rows.mean(axis=0), 400, indicators=True)
    found = from_all(f1, known, confidence=0.95)
    assert found.weight == pytest.approx(1)
    assert found.value == pytest.approx(f1.combine(rows.mean(axis=0)))
    assert found.worth == pytest.approx(from_labels(f1, known, confidence=0.95).worth * 10, rel=0.35)


def test_regression_recovers_lines_and_keeps_to_the_range_seen() -> None:
    """Also where columns depend on each other, as one-hot slices do."""
    rng = np.random.default_rng(2)
    inside = rng.random((5000, 1)) < 0.5
    columns = np.hstack([inside, ~inside]).astype(float)
    statistics = 1 + 2 * columns[:, :1]
    found = regress(columns, statistics, rng.random(5000), np.array([[1.0, 0.0], [0.0, 1.0], [5.0, -4.0]]))
    assert found.ravel() == pytest.approx([3, 1, 3], abs=2e-3)


def test_without_noise_expected_scores_average_to_the_estimate() -> None:
    """Weighted regression on the slices is Mandoline's own estimate, but for the tiny penalty."""
    fit, _ = prepared_with(probabilities=False)
    outcome = report_model(fit, EstimatorSettings()).outcome
    by_slices, best = predict_scores(fit.problem, outcome)
    assert best is by_slices  # without probabilities there is no confidence to go by
    assert by_slices.mean() == pytest.approx(outcome.value, abs=1e-4)


# --- On samples ---


@pytest.mark.parametrize("metric", ["accuracy", "error", "f1", "brier", "log_loss", "balanced_accuracy"])
def test_every_metric_of_means_can_be_used(metric: str) -> None:
    """Labels alone equal the metric on the labelled rows; everything else is near and finite."""
    fit, target = prepared_with(60, metric)
    found = use_labels(fit, EstimatorSettings(), target)
    some = nw_filter(target, has_label(fit, target))
    model = fit.cells.rows.model  # type: ignore[union-attr]
    alone = Sample(some, label="label", models=[model])
    rules = [Flag("z", column="z"), Flag("u", column="u")]
    cells = prepare(alone, alone, rules, model=model, metric=MetricSettings(metric)).cells
    truth, _ = score_truth(cells, alone)
    assert found.labels_only.value == pytest.approx(truth)
    assert found.labels_only.interval[0] < found.labels_only.value < found.labels_only.interval[1]
    assert found.combined.interval[0] < found.combined.value < found.combined.interval[1]
    assert found.mandoline.value == pytest.approx(report_model(fit, EstimatorSettings()).estimate)
    assert found.n_labelled == 60
    assert 0 <= found.weight <= 1
    json.dumps(found.as_dict(), allow_nan=False)


def nw_filter(sample: Sample, rows: np.ndarray) -> pd.DataFrame:
    """Keep some rows of a sample's frame."""
    return sample.frame.filter(rows.tolist()).to_pandas()


@pytest.mark.parametrize("metric", ["mae", "rmse", "mean"])
def test_numbers_with_gaps_are_scored_where_they_are(metric: str) -> None:
    """Labels, or the column to average, may be empty in the target."""
    rng = np.random.default_rng(3)

    def frame(n: int, rate: float) -> pd.DataFrame:
        inside, said = rng.random(n) < rate, rng.normal(0, 1, n)
        return pd.DataFrame({"a": inside, "pred": said, "label": said + rng.normal(0, 1 + inside, n)})

    source, target = frame(300, 0.3), frame(200, 0.6)
    target.loc[rng.permutation(200)[40:], "label"] = None
    model = Model("m", "pred")
    settings = MetricSettings(metric, column="label" if metric == "mean" else None)
    samples = Sample(source, label="label", models=[model]), Sample(target, models=[model])
    fit = prepare(*samples, [Flag("a", column="a")], model=model, metric=settings)
    found = use_labels(fit, EstimatorSettings(), samples[1])
    known = target["label"].dropna()
    gap = target["pred"][known.index] - known
    expected = {"mae": gap.abs().mean(), "rmse": np.sqrt((gap**2).mean()), "mean": known.mean()}[metric]
    assert found.n_labelled == 40
    assert found.labels_only.value == pytest.approx(expected)
    assert found.test is not None


def test_words_say_how_much_the_slices_leave_out() -> None:
    """Agreement with the change that would have shown; disagreement with its size, direction and z."""
    agrees = use(60)
    assert agrees.test is not None
    error = (agrees.test.interval[1] - agrees.test.interval[0]) / 2 / norm.ppf(0.975)
    assert agrees.test.detectable >= (norm.ppf(0.975) + norm.ppf(0.8)) * error
    assert agrees.test.words.startswith(
        f"60 labels agree, but a hidden drop below {100 * agrees.test.detectable:.1f} points could go unnoticed. "
    )
    fit, target = prepared_with(150)
    wrong = target.frame.to_pandas().copy()
    wrong["label"] = wrong["label"].mask(wrong["label"].notna(), np.where(wrong["pred"] == "a", "b", "a"))
    wrong.loc[wrong["label"].dropna().index[:20], "label"] = wrong["pred"]
    found = use_labels(fit, EstimatorSettings(), Sample(wrong, models=target.models))
    assert found.test is not None
    assert found.test.difference < -0.3
    assert found.test.p_value == pytest.approx(2 * norm.sf(abs(found.test.z)))
    assert f"points lower than the slices explain (z = {found.test.z:.1f})." in found.test.words
    assert "slices_do_not_explain" in {finding.code for finding in found.findings}


def test_labels_that_are_no_random_draw_are_noticed() -> None:
    """Only rows inside a slice were labelled; with the plan's weights for them there is nothing to notice."""
    fit, target = prepared_with(300)
    frame = target.frame.to_pandas().copy()
    frame["label"] = frame["label"].where((frame["z"] == 1) & (np.arange(300) < 120))
    found = use_labels(fit, EstimatorSettings(), Sample(frame, models=target.models))
    assert found.findings[0].code == "labels_not_random"
    assert found.findings[0].slices == ("z",)
    assert "labels_not_random" not in {finding.code for finding in use(60).findings}


def test_plan_weights_count_rows_as_often_as_they_stand_for() -> None:
    """Planned rows by their weight, others evenly; each part by its number of labels."""
    rows = np.array([True, True, True, False, True])
    assert share_out(rows, None).tolist() == [0.25] * 4
    shares = share_out(rows, np.array([1.0, 3.0, np.nan, 5.0, np.nan]))
    assert shares.tolist() == pytest.approx([0.125, 0.375, 0.25, 0.25])


def test_weighted_labels_balance_an_uneven_draw() -> None:
    """All rows inside a slice are labelled, and every third outside: weights 1 and 3 give the whole's mean."""
    fit, target = prepared_with(300)
    frame = target.frame.to_pandas().copy()
    right = (frame["label"] == frame["pred"]).to_numpy()
    inside = frame["z"].to_numpy() == 1
    chosen = inside | (np.cumsum(~inside) % 3 == 0)
    frame["label"] = frame["label"].where(chosen)
    weights = np.where(inside, 1.0, 3.0)
    found = use_labels(fit, EstimatorSettings(), Sample(frame, models=target.models), plan=weights)
    expected = (weights[chosen] @ right[chosen]) / weights[chosen].sum()
    assert found.labels_only.value == pytest.approx(expected)
    assert "labels_not_random" not in {finding.code for finding in found.findings}


def test_a_plan_without_a_label_at_its_rows_is_refused() -> None:
    """The labels stand one row too high, as when rows are counted from 0."""
    fit, target = prepared_with(300)
    frame = target.frame.to_pandas().copy()
    planned = np.arange(10, 210, 10)
    plan = np.full(300, np.nan)
    plan[planned] = 15.0
    labels = frame["label"]
    shifted = Sample(frame.assign(label=labels.where(labels.index.isin(planned - 1))), models=target.models)
    with pytest.raises(MandolineError, match=r"None of the 20 planned rows has a label\. .* row 1 is the first row"):
        use_labels(fit, EstimatorSettings(), shifted, plan=plan)


@pytest.mark.parametrize(
    ("at", "others", "severity", "words"),
    [
        (20, 0, None, ""),
        (15, 0, "info", "5 of 20 planned rows have no label."),
        (15, 1, "warning", "5 of 20 planned rows have no label. Labels outside the plan: 1."),
        (2, 18, "serious", "18 of 20 planned rows have no label. Labels outside the plan: 18."),
    ],
)
def test_planned_rows_without_a_label_are_counted(at: int, others: int, severity: str | None, words: str) -> None:
    """Labels elsewhere make it worse: they may be the planned ones, at the wrong rows."""
    fit, target = prepared_with(300)
    frame = target.frame.to_pandas().copy()
    plan = np.full(300, np.nan)
    plan[:20] = 15.0
    kept = [*range(at), *range(100, 100 + others)]
    some = Sample(frame.assign(label=frame["label"].where(frame.index.isin(kept))), models=target.models)
    found = use_labels(fit, EstimatorSettings(), some, plan=plan).findings
    said = [one for one in found if one.code == "planned_rows_without_label"]
    assert [one.severity for one in said] == [severity] * bool(severity)
    assert all(one.message == words for one in said)


def test_rows_set_aside_are_left_to_the_labels() -> None:
    """Labels speak of all rows; the test only of those that the estimate speaks of."""
    rng = np.random.default_rng(4)
    source = random_answers(rng, 300, 2).assign(new=0)
    target = gaps(random_answers(rng, 200, 2).assign(new=np.arange(200) % 4 == 0), 80)
    model = Model("m", "pred")
    samples = Sample(source, label="label", models=[model]), Sample(target, models=[model])
    rules = [Flag("z", column="z"), Flag("new", column="new")]
    fit = prepare(*samples, rules, model=model)
    found = use_labels(fit, EstimatorSettings(), samples[1])
    assert "labels_speak_of_all" in {finding.code for finding in found.findings}
    right = (target["label"] == target["pred"])[target["label"].notna()]
    assert found.labels_only.value == pytest.approx(right.mean())
    only = target.assign(label=target["label"].where(target["new"]))
    assert use_labels(fit, EstimatorSettings(), Sample(only, models=[model])).test is None


def test_a_perfect_source_does_not_make_one_error_impossible() -> None:
    """Every source row is right, so slices expect no error; labels with some still give a finite z."""
    source = pd.DataFrame({"a": [0, 1] * 50, "pred": "x", "label": "x"})
    target = pd.DataFrame({"a": [0, 1, 1] * 20, "pred": "x", "label": ["x"] * 25 + ["y"] * 5 + [None] * 30})
    samples = Sample(source, label="label", prediction="pred"), Sample(target, prediction="pred")
    fit = prepare(*samples, [Flag("a", column="a")], model=samples[0].models[0])
    found = use_labels(fit, EstimatorSettings(), samples[1])
    assert found.test is not None
    assert np.isfinite(found.test.z)
    assert found.test.z < -2
    assert found.combined == found.labels_only  # predictions are all the same and cannot help


def test_what_is_refused() -> None:
    """Rankings, missing or empty columns, too few labels, other rows, classes the source never shows."""
    fit, target = prepared_with(60, "auroc")
    with pytest.raises(MandolineError, match=r"metric made of means, .* Got 'auroc'"):
        use_labels(fit, EstimatorSettings(), target)
    fit, target = prepared_with(4)
    with pytest.raises(MandolineError, match="has 4 rows with a label and a prediction"):
        use_labels(fit, EstimatorSettings(), target)
    frame = target.frame.to_pandas().copy()
    with pytest.raises(DataError, match=r"Column 'label' is not in target\.csv"):
        use_labels(fit, EstimatorSettings(), Sample(frame.drop(columns="label"), name="target.csv"))
    with pytest.raises(MandolineError, match="is empty"):
        use_labels(fit, EstimatorSettings(), Sample(frame.assign(label=None), models=target.models))
    with pytest.raises(DataError, match="has 10 rows, but the estimate was prepared on 300"):
        use_labels(fit, EstimatorSettings(), Sample(frame[:10], models=target.models))
    fit, target = prepared_with(60, "f1")
    strange = target.frame.to_pandas().copy()
    strange.loc[strange["label"].first_valid_index(), "label"] = "new"
    with pytest.raises(MandolineError, match=r"Class 'new' of sample does not occur in source\.csv"):
        use_labels(fit, EstimatorSettings(), Sample(strange, models=target.models))
    with pytest.raises(MandolineError, match="plan has weights for 3 rows"):
        use_labels(fit, EstimatorSettings(), target, plan=np.ones(3))


def test_labels_without_a_prediction_count_for_nothing() -> None:
    """They are counted and said, not scored as wrong."""
    fit, target = prepared_with(60)
    frame = target.frame.to_pandas().copy()
    frame.loc[frame["label"].dropna().index[:7], "pred"] = None
    changed = Sample(frame, models=target.models)
    assert score_labelled(fit, changed)[1].sum() == 53
    found = use_labels(fit, EstimatorSettings(), changed)
    assert "labels_without_prediction" in {finding.code for finding in found.findings}


# --- In many worlds; the long version is in tests/calibration ---


@pytest.mark.slow
@pytest.mark.parametrize("n_labels", [20, 50, 200])
@pytest.mark.parametrize("kind", ["good", "useless", "wrong"])
def test_combined_intervals_cover_whatever_the_predictions_are(kind: str, n_labels: int) -> None:
    """At least 93%, within luck; never much wider than labels alone, and narrower where slices tell the score."""
    found = repeat(LabelWorld(kind), n_labels, REPETITIONS, np.random.default_rng(7))
    assert found.combined.sum() >= binom.ppf(0.001, REPETITIONS, 0.93)
    ratio = found.combined_width.mean() / found.alone_width.mean()
    assert ratio <= (0.9 if kind == "good" else 1.05)


@pytest.mark.slow
def test_slice_test_has_its_size_and_notices_hidden_shift() -> None:
    """About 5% false alarms; a fall by 10 points that slices do not see is mostly noticed with 200 labels."""
    calm = repeat(LabelWorld("good"), 100, REPETITIONS, np.random.default_rng(8)).rejected
    low, high = binom.ppf([0.001, 0.999], REPETITIONS, 0.05)
    assert low <= calm.sum() <= high
    shifted = repeat(LabelWorld("good", hidden=0.1), 200, REPETITIONS, np.random.default_rng(9)).rejected
    assert shifted.mean() > 0.7
