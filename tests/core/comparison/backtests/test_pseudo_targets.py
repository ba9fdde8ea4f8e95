"""Pseudo-targets: what their truth is, and that drawn samples pose the problem that real samples of the rows would."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import mandoline_core as md
from mandoline_core.comparison.backtests.column_splits import find_columns, split_column
from mandoline_core.comparison.backtests.pseudo_samples import draw, most_rows
from mandoline_core.comparison.backtests.pseudo_targets import N_RANDOM, pseudo_targets
from mandoline_core.estimators.registry import ESTIMATORS
from mandoline_core.pipeline import read_predictions
from mandoline_core.pipeline.diagnostics import interval_of
from tests.core.weighted_rows import MODELS, draw_rows, flags, prepare_rows, samples

SOURCE, TARGET = draw_rows(1, 900), draw_rows(2, 400, 0.2)
RIGHT = (SOURCE["label"] == SOURCE["pred"]).to_numpy().astype(float)
ON_ROWS = ("average_confidence", "doc", "atc", "atc_entropy", "cbpe", "pape", "doubly_robust", "bbse")
ON_SLICES = ("source", "simple", "mandoline", "denoised", "cbiw_slices", "kmm_slices", "ulsif_slices")


def test_the_tilt_by_slices_has_the_target_s_rates_and_their_truth():
    """With one slice the truth is the scores inside and outside, mixed as in the target."""
    kinds, skipped = pseudo_targets(prepare_rows(SOURCE, TARGET, slices=("a",)))
    (pseudo,) = kinds["slices"]
    inside, rate = SOURCE["a"].to_numpy() == 1, TARGET["a"].mean()
    assert pseudo.weights @ inside == pytest.approx(rate, abs=1e-8)
    assert pseudo.truth == pytest.approx(rate * RIGHT[inside].mean() + (1 - rate) * RIGHT[~inside].mean(), abs=1e-8)
    assert "held-out slice" in skipped


def test_a_held_out_slice_moves_alone_and_estimators_do_not_get_it():
    """Each rule in turn goes to the target's rate; the problem keeps the other slices."""
    made = pseudo_targets(prepare_rows(SOURCE, TARGET))[0]["held-out slice"]
    assert [pseudo.detail for pseudo in made] == ["a", "b"]
    assert [pseudo.problem.patterns.names for pseudo in made] == [("b",), ("a",)]
    for pseudo in made:
        inside = SOURCE[pseudo.detail].to_numpy() == 1
        ratios = pseudo.weights * len(SOURCE)
        assert pseudo.weights @ inside == pytest.approx(TARGET[pseudo.detail].mean(), abs=1e-8)
        assert np.ptp(ratios[inside]) < 1e-8
        assert np.ptp(ratios[~inside]) < 1e-8


def test_a_family_is_held_out_as_one():
    """All slices of a rule go together."""
    before, after = samples(SOURCE, TARGET)
    rules = [md.Category("place", column="place"), *flags("a")]
    fit = md.prepare(before, after, rules, model=MODELS[0])
    made = pseudo_targets(fit)[0]["held-out slice"]
    assert [(pseudo.detail, len(pseudo.problem.patterns.names)) for pseudo in made] == [("place", 1), ("a", 3)]
    for place in ("north", "south", "west"):
        share = made[0].weights @ (SOURCE["place"] == place).to_numpy()
        assert share == pytest.approx((TARGET["place"] == place).mean(), abs=1e-7)


def test_classes_are_tilted_as_their_predictions_shift():
    """A class that is predicted so many times more often becomes so many times more frequent."""
    target = TARGET.assign(pred=np.where(np.arange(len(TARGET)) % 4 == 0, "no", "yes"))
    (pseudo,) = pseudo_targets(prepare_rows(SOURCE, target))[0]["class"]
    yes = (SOURCE["label"] == "yes").to_numpy()
    said = (SOURCE["pred"] == "yes").mean()
    odds = (0.75 / said) / (0.25 / (1 - said)) * yes.mean() / (1 - yes.mean())
    assert pseudo.weights @ yes == pytest.approx(odds / (1 + odds), abs=0.002)  # one row more in each class
    assert pseudo.truth == pytest.approx((odds * RIGHT[yes].mean() + RIGHT[~yes].mean()) / (1 + odds), abs=0.002)


def test_without_predictions_classes_are_tilted_at_random_as_strongly_as_slices():
    """The variance of the ratios is that of the tilt by slices, on average."""
    before = md.Sample(SOURCE.assign(score=RIGHT), label="label")
    after = md.Sample(TARGET.drop(columns="label"))
    metric = md.MetricSettings("mean", column="score")
    kinds = pseudo_targets(md.prepare(before, after, flags("a"), model=None, metric=metric))[0]
    strength = len(SOURCE) * (kinds["slices"][0].weights ** 2).sum() - 1
    found = [len(SOURCE) * (pseudo.weights**2).sum() - 1 for pseudo in kinds["class"]]
    assert len(found) == N_RANDOM
    assert 0.4 * strength < np.mean(found) < 2.5 * strength
    assert len({pseudo.truth for pseudo in kinds["class"]}) == N_RANDOM


def test_kinds_that_cannot_be_made_say_why():
    """No slices, no label, only codes: each is a sentence, not an error."""
    kinds, skipped = pseudo_targets(prepare_rows(SOURCE, TARGET, slices=()), columns=None)
    assert list(kinds) == ["class"]
    assert set(skipped) == {"slices", "held-out slice", "column"}
    before = md.Sample(SOURCE.assign(score=RIGHT).drop(columns="label"))
    metric = md.MetricSettings("mean", column="score")
    real = md.prepare(before, md.Sample(TARGET), flags("a"), model=None, metric=metric)
    _, skipped = pseudo_targets(real, columns=None)
    assert skipped["class"] == "There are no labels."


def test_numbers_split_at_the_median_both_ways_and_times_forward_only():
    """Rows without a value are on neither side."""
    n = 100
    frame = pd.DataFrame(
        {
            "size": [None, *range(1, n)],
            "day": pd.date_range("2024-01-01", periods=n),
            "month": [f"2024-{1 + i // 10:02d}" for i in range(n)],
        }
    )
    sample, scored = md.Sample(frame), np.ones(n, dtype=bool)
    up, down = split_column(sample, "size", scored)
    assert (up[0], down[0]) == ("'size' from 50", "'size' below 50")
    assert np.flatnonzero(up[1]).tolist() == list(range(1, 50))
    assert np.flatnonzero(up[2]).tolist() == list(range(50, 100))
    assert (down[1] == up[2]).all()
    for column, first in (("day", "2024-02-20"), ("month", "2024-06")):
        ((detail, source, _),) = split_column(sample, column, scored)
        assert detail == f"{column!r} from {first}"
        assert np.flatnonzero(source).tolist() == list(range(50))
    scored[:50] = False
    assert split_column(sample, "day", scored) == []  # too few on either side


def test_groups_are_foretold_one_by_one_from_the_others():
    """The largest groups in turn; parts of a few rows are left out; a missing group is in no part."""
    place = ["a"] * 60 + ["b"] * 50 + ["c"] * 5 + [None] * 5
    splits = split_column(md.Sample(pd.DataFrame({"place": place})), "place", np.ones(120, dtype=bool))
    assert [(detail, source.sum(), target.sum()) for detail, source, target in splits] == [
        ("'place' is a", 55, 60),
        ("'place' is b", 65, 50),
    ]


def test_columns_are_found_that_look_like_times_or_groups():
    """Neither answers nor free text nor measurements are."""
    before, after = samples(SOURCE.assign(day="2024-01-02"), TARGET.assign(day="2024-01-03"))
    assert find_columns(before, after) == ["day", "place"]
    with pytest.raises(md.DataError, match="Column 'plaice' is not in source"):
        pseudo_targets(prepare_rows(SOURCE, TARGET), columns=["plaice"])


def test_a_split_by_a_column_takes_the_rows_as_they_are():
    """Its truth is the score of the rows on the target's side."""
    fit = prepare_rows(SOURCE, TARGET)
    for pseudo in pseudo_targets(fit, columns=["place"])[0]["column"]:
        inside = (SOURCE["place"] == pseudo.detail.removeprefix("'place' is ")).to_numpy()
        _, drawn_source, drawn_target = draw(pseudo, md.EstimatorSettings(), np.random.default_rng(0))
        assert (drawn_target == np.flatnonzero(inside)).all()
        assert (drawn_source == np.flatnonzero(~inside)).all()
        assert pseudo.truth == pytest.approx(RIGHT[inside].mean())


def test_rows_are_drawn_by_their_weights():
    """Of many target rows drawn, so many are inside a slice as its tilted rate says; the source keeps its own."""
    fit = prepare_rows(SOURCE, pd.concat([TARGET] * 40))
    (pseudo,) = pseudo_targets(fit)[0]["slices"]
    _, drawn_source, drawn_target = draw(pseudo, md.EstimatorSettings(), np.random.default_rng(3))
    assert (len(drawn_source), len(drawn_target)) == most_rows(fit.problem) == (900, 16_000)
    inside = SOURCE["a"].to_numpy() == 1
    for rows, rate in ((drawn_source, inside.mean()), (drawn_target, pseudo.weights @ inside)):
        low, high = binom.ppf([0.0005, 0.9995], len(rows), rate)
        assert low <= inside[rows].sum() <= high


@pytest.mark.parametrize("kind", ["slices", "held-out slice", "class", "column"])
@pytest.mark.parametrize("metric", ["accuracy", "f1", "auroc"])
def test_drawn_problems_are_those_of_real_samples_of_the_rows(kind, metric):
    """Every method says the same of a draw as of samples that hold its rows, also the methods on single rows."""
    source = SOURCE.copy()
    source.loc[::50, "label"] = None  # rows without a score
    fit = prepare_rows(source, TARGET, metric)
    rows, settings = fit.cells.rows, md.EstimatorSettings()
    predictions = read_predictions(rows, probabilities=True)
    pseudo = pseudo_targets(fit, columns=["place"])[0][kind][0]
    problem, drawn_source, drawn_target = draw(pseudo, settings, np.random.default_rng(5), predictions)
    scored = source[source["label"].notna()].reset_index(drop=True)
    before, after = scored.iloc[drawn_source], scored.iloc[drawn_target]
    real = prepare_rows(before, after, metric, slices=pseudo.problem.patterns.names).problem
    compared = 0
    for name in (*ON_SLICES, *ON_ROWS):
        why = ESTIMATORS[name].reason(real)
        assert (ESTIMATORS[name].reason(problem) is None) == (why is None), name
        if why is not None:
            continue
        compared += 1
        expected, found = (ESTIMATORS[name].estimate(posed) for posed in (real, problem))
        assert found.value == pytest.approx(expected.value, abs=1e-9), name
        intervals = [interval_of(p, o, 0.95) for p, o in ((real, expected), (problem, found))]
        assert intervals[1] == pytest.approx(intervals[0], abs=1e-7), name
    assert compared >= {"accuracy": 15, "f1": 10, "auroc": 6}[metric]


def test_edges_corrections_and_splits_are_the_real_problem_s():
    """A draw is solved as the project says: noise, edges, cross-fitting, abstention."""
    settings = md.EstimatorSettings(split="crossfit")
    frames = [draw_rows(seed, n, shift, abstain=0.1) for seed, n, shift in ((1, 900, 0.0), (2, 400, 0.2))]
    rules = [replace(rule, noise=md.Noise(md.Correction(0.9, 0.1))) for rule in flags("a", "b")]

    def fit(before: pd.DataFrame, after: pd.DataFrame) -> md.Fit:
        return md.prepare(*samples(before, after), rules, model=MODELS[0], edges=[("a", "b")], settings=settings)

    (pseudo,) = pseudo_targets(fit(*frames))[0]["slices"]
    problem, drawn_source, drawn_target = draw(pseudo, settings, np.random.default_rng(6))
    real = fit(frames[0].iloc[drawn_source], frames[0].iloc[drawn_target]).problem
    for name in ("mandoline", "denoised"):
        expected, found = (ESTIMATORS[name].estimate(posed) for posed in (real, problem))
        assert found.value == pytest.approx(expected.value, abs=1e-8)
        assert found.influence.standard_error() == pytest.approx(expected.influence.standard_error(), rel=1e-5)


def test_merged_classes_stay_merged_in_draws():
    """Methods on predictions see the classes that the metric sees."""
    source = SOURCE.assign(label=np.where(SOURCE["x"] > 0, SOURCE["label"], "never"))
    metric = md.MetricSettings("accuracy", merge={"no": ["never"]})
    fit = md.prepare(*samples(source, TARGET), flags("a"), model=MODELS[0], metric=metric)
    predictions = read_predictions(fit.cells.rows, probabilities=True)
    assert sorted(predictions.labels.classes) == ["no", "yes"]
    assert predictions.probabilities.shape == (len(source), 2)
