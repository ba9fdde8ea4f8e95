"""The backtest: that it finds methods right where they are right, wrong where they are wrong, and counts honestly."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

import mandoline_core as md
from mandoline_core.comparison.backtests.backtest import backtest, backtest_model
from mandoline_core.comparison.backtests.results import Backtest, ModelBacktest, Trial, judge
from mandoline_core.estimators.registry import ESTIMATORS
from tests.core.projects import write_project
from tests.core.weighted_rows import draw_rows, flags, prepare_rows, samples

FAST = ("source", "simple", "mandoline", "cbpe", "bbse", "pape", "doubly_robust", "atc", "doc")
REVIEWS = Path(__file__).parents[4] / "sample_data" / "reviews" / "project.toml"


def made_rows(seed: int, n: int, rates: tuple[float, float], *, yes: float = 0.5) -> pd.DataFrame:
    """Trial rows with two slices: `matters` decides how often the model is right, `idle` has nothing to do with it.

    Apart from that the model is better at one class than at the other. Every row is there inside and outside of
    `idle` alike, so that not even luck ties it to anything.
    """
    rng = np.random.default_rng(seed)
    n_each = n // 10
    matters, truth = rng.random(n_each) < rates[0], rng.random(n_each) < yes
    right = rng.random(n_each) < 0.95 - 0.3 * matters - 0.25 * truth
    classes = np.array(["no", "yes"])
    said = np.where(right, truth, ~truth).astype(int)
    once = pd.DataFrame({"matters": matters.astype(int), "label": classes[truth.astype(int)], "pred": classes[said]})
    parts = [once.assign(idle=int(i < 10 * rates[1])) for i in range(10)]
    return pd.concat(parts, ignore_index=True).assign(when=np.arange(10 * n_each))


@cache
def made(
    draws: int,
    kinds: tuple[str, ...],
    *,
    yes: float = 0.5,
    estimators: tuple[str, ...] = ("source", "mandoline", "bbse"),
    columns: tuple[str, ...] | None = None,
) -> ModelBacktest:
    """Run a backtest on made rows whose target has more of both slices, and perhaps more of one class."""
    source, target = made_rows(0, 3000, (0.2, 0.3)), made_rows(1, 1500, (0.5, 0.6), yes=yes)
    before = md.Sample(source, label="label", prediction="pred")
    after = md.Sample(target.drop(columns="label"), models=before.models)
    rules = flags("matters", "idle")
    return backtest(before, after, rules, draws=draws, estimators=estimators, columns=columns, kinds=kinds).models[
        "model"
    ]


def band(n: int, share: float = 0.95) -> tuple[float, float]:
    """Compute where a share of n draws lies with a chance of 99.9%."""
    low, high = binom.ppf([0.0005, 0.9995], n, share)
    return low / n, high / n


def test_where_slices_carry_the_shift_mandoline_is_right_and_covers():
    """Errors are of the size of luck, intervals hold the truth as often as they say; the source score is far off."""
    found = made(400, ("slices",)).kinds["slices"]
    low, high = band(400)
    assert low <= found["mandoline"].coverage <= high
    assert abs(found["mandoline"].mean_error) < 4 * found["mandoline"].rmse / math.sqrt(400)
    assert found["source"].mean_error > 0.08
    assert found["source"].coverage == 0
    assert found["mandoline"].mean_absolute_error < 0.2 * found["source"].mean_absolute_error
    assert found["mandoline"].direction_right == 1
    assert (found["source"].direction_right, found["source"].n_directions) == (None, 0)


def test_intervals_are_of_the_rows_drawn_and_hold_their_score_as_often_as_they_say():
    """Of 150 new rows the score varies more than the interval of their population allows for."""
    source, target = made_rows(0, 3000, (0.2, 0.3)), made_rows(1, 150, (0.5, 0.6)).drop(columns="label")
    before = md.Sample(source, label="label", prediction="pred")
    rules, options = flags("matters", "idle"), {"estimators": ("mandoline",), "columns": None, "kinds": ("slices",)}
    found = backtest(before, md.Sample(target, models=before.models), rules, draws=200, **options).models["model"]
    low, high = band(200)
    assert low <= found.kinds["slices"]["mandoline"].coverage <= high
    assert len({one.truth for one in found.draws}) > 20
    real = md.estimate(before, md.Sample(target, models=before.models), rules).first
    length = np.mean([one.interval[1] - one.interval[0] for one in found.draws])
    assert real.prediction_interval is not None
    assert length == pytest.approx(np.ptp(real.prediction_interval), rel=0.15)
    assert length > 1.5 * np.ptp(real.interval)


def test_errors_scatter_by_as_much_as_the_standard_error_says():
    """Half the length of an interval, over its quantile, is the spread of the errors."""
    draws = [one for one in made(400, ("slices",)).draws if one.method == "mandoline"]
    widths = [one.interval[1] - one.interval[0] for one in draws]
    spread = np.std([one.error for one in draws])
    assert np.mean(widths) / (2 * norm.ppf(0.975)) == pytest.approx(spread, rel=4 / math.sqrt(2 * 400))


def test_a_held_out_slice_that_matters_shows_and_one_that_does_not_does_not():
    """Without `matters` Mandoline is as wrong as the source score; without `idle` it is as right as ever."""
    parts = made(400, ("held-out slice",)).details("held-out slice")
    assert set(parts) == {"matters", "idle"}
    blind, fine = parts["matters"]["mandoline"], parts["idle"]["mandoline"]
    assert blind.mean_error > 0.08
    assert blind.coverage < 0.05
    low, high = band(fine.n)
    assert low <= fine.coverage <= high
    assert abs(fine.mean_error) < 4 * fine.rmse / math.sqrt(fine.n)


def test_under_a_class_tilt_bbse_is_right_and_slices_are_not():
    """Only the label moves: no slice sees it, predictions do."""
    found = made(300, ("class",), yes=0.9).kinds["class"]
    low, high = band(300)
    assert low <= found["bbse"].coverage <= high
    assert abs(found["bbse"].mean_error) < 0.005
    assert found["mandoline"].mean_error > 0.02
    assert found["mandoline"].coverage < 0.5
    assert found["bbse"].mean_absolute_error < 0.5 * found["mandoline"].mean_absolute_error


def test_splits_by_a_column_are_tried_once_each_and_both_ways():
    """By a number the upper half is foretold from the lower and the other way round; the rows are as they are."""
    found = made(1, ("column",), columns=("when",))
    draws = [one for one in found.draws if one.kind == "column" and one.method == "source"]
    assert [one.detail for one in draws] == ["'when' from 1500", "'when' below 1500"]
    assert draws[0].source == pytest.approx(draws[1].truth)
    assert draws[0].truth == pytest.approx(draws[1].source)
    assert found.kinds["column"]["mandoline"].n == 2


def test_later_rows_are_foretold_from_earlier_ones():
    """What changed with time is what the source score misses."""
    first, second = made_rows(3, 1000, (0.2, 0.3)), made_rows(4, 1000, (0.6, 0.3))
    days = pd.date_range("2024-01-01", periods=2000, freq="h")
    source = pd.concat([first, second]).assign(when=days.astype(str))
    before = md.Sample(source, label="label", prediction="pred")
    after = md.Sample(made_rows(1, 500, (0.5, 0.6)).drop(columns="label").assign(when="2024-05-01"))
    model = backtest(before, after, flags("matters"), draws=1, estimators=["source", "mandoline"]).models["model"]
    (plain,) = [one for one in model.draws if one.kind == "column" and one.method == "source"]
    (found,) = [one for one in model.draws if one.kind == "column" and one.method == "mandoline"]
    assert plain.detail.startswith("'when' from 2024-02-11 16")
    assert plain.error > 0.1
    assert abs(found.error) < 0.05
    assert (found.direction_right, found.covered) == (True, True)


def test_the_seed_decides_everything():
    """The same seed repeats every number, another does not."""
    fit = prepare_rows(draw_rows(1, 500), draw_rows(2, 300, 0.2))
    one, again, other = (
        backtest_model(fit, md.EstimatorSettings(seed=seed), draws=3, estimators=FAST).draws for seed in (0, 0, 1)
    )
    assert one == again
    tilted = [drawn.estimate for drawn in one if drawn.kind == "slices"]
    assert tilted != [drawn.estimate for drawn in other if drawn.kind == "slices"]


def test_a_draw_does_not_depend_on_the_others():
    """More draws, or fewer methods, leave the first draws as they were."""
    fit = prepare_rows(draw_rows(1, 500), draw_rows(2, 300, 0.2))
    settings = md.EstimatorSettings()
    many = backtest_model(fit, settings, draws=6, estimators=FAST).draws
    few = backtest_model(fit, settings, draws=3, estimators=["mandoline"]).draws
    assert set(few) <= set(many)


def test_progress_rises_to_one_and_may_stop_the_work():
    """A caller is told what is done, and can end it by raising."""
    told: list[float] = []
    before, after = samples(draw_rows(1, 300), draw_rows(2, 200, 0.2))
    backtest(
        before, after, flags("a", "b"), draws=2, estimators=["source"], progress=lambda _, share: told.append(share)
    )
    assert told[0] == 0
    assert told[-1] == 1
    assert told == sorted(told)

    class StopError(Exception):
        """Say that a person has had enough."""

    def stop(_: str, share: float) -> None:
        if share > 0.5:
            raise StopError

    with pytest.raises(StopError):
        backtest(before, after, flags("a", "b"), draws=2, estimators=["source"], progress=stop)


def test_failures_are_counted_and_not_raised():
    """Where all target rows lie beyond the source's reach, the draw fails and the source score does not."""
    rows = made_rows(0, 400, (0.3, 0.4))
    source = rows.assign(place=np.where(np.arange(400) % 2, "a", "b"))
    before = md.Sample(source, label="label", prediction="pred")
    after = md.Sample(source.drop(columns="label").iloc[:200], models=before.models)
    rules = [md.Category("in_a", column="place", values=("a",)), *flags("matters")]
    found = backtest(before, after, rules, draws=1, estimators=["source", "mandoline"], columns=["place"])
    judged = found.models["model"].kinds["column"]
    assert (judged["mandoline"].n, judged["mandoline"].failures) == (0, 2)
    assert judged["mandoline"].mean_absolute_error is None
    assert (judged["source"].n, judged["source"].failures) == (2, 0)
    failed = [one for one in found.models["model"].draws if one.reason is not None]
    assert all("No new row matches a labelled row" in one.reason for one in failed)
    assert json.dumps(found.as_dict(draws=True), allow_nan=False)
    assert "2 of" in str(found)


def test_judging_is_averaging():
    """Each number is the plain average, share, root or largest of the draws'."""
    errors = [0.1, -0.2, 0.0]
    draws = [
        Trial("slices", "", i, "m", 0.5, 0.4, 0.5 + error, (0.0, 1.0), covered=i > 0, direction_right=side)
        for i, (error, side) in enumerate(zip(errors, (True, False, None), strict=True))
    ]
    found = judge([*draws, Trial("slices", "", 3, "m", 0.5, 0.4, reason="no")])["m"]
    assert (found.n, found.failures, found.n_directions) == (3, 1, 2)
    assert found.mean_error == pytest.approx(-0.1 / 3)
    assert found.mean_absolute_error == pytest.approx(0.1)
    assert found.max_absolute_error == pytest.approx(0.2)
    assert found.rmse == pytest.approx(math.sqrt(0.05 / 3))
    assert found.coverage == pytest.approx(2 / 3)
    assert found.direction_right == 0.5


def test_directions_count_only_where_the_change_exceeds_its_noise():
    """A truth that the pseudo-source's own luck may explain has no side."""
    found = made(40, ("slices", "held-out slice", "class"))
    z = norm.ppf(0.975)
    for one in found.draws:
        if one.method != "mandoline" or one.kind == "column":
            continue
        noise = math.sqrt(one.source * (1 - one.source) / found.n_source)
        assert (one.direction_right is None) == (abs(one.truth - one.source) <= z * noise)
        if one.direction_right is not None:
            assert one.direction_right == (np.sign(one.estimate - one.source) == np.sign(one.truth - one.source))


def test_the_error_to_expect_is_the_mean_over_tilts():
    """Columns do not count; a method that was not tried has none."""
    found = made(10, ("slices", "held-out slice", "class", "column"), columns=("when",))
    kinds = [found.kinds[kind]["mandoline"].mean_absolute_error for kind in ("slices", "held-out slice", "class")]
    assert found.expected_error("mandoline") == pytest.approx(np.mean(kinds))
    assert found.expected_error("atc") is None


def test_methods_that_are_left_out_say_why():
    """Methods on columns, slow ones, and ones that do not apply to the real target; a slow one runs if named."""
    source, target = made_rows(0, 300, (0.2, 0.3)), made_rows(1, 200, (0.5, 0.6))
    before = md.Sample(source, label="label", prediction="pred")
    after = md.Sample(target.drop(columns="label"), models=before.models)
    found = backtest(before, after, flags("matters"), draws=1, columns=None).models["model"]
    tried = {one.method for one in found.draws}
    assert tried | set(found.left_out) == set(ESTIMATORS)
    assert not tried & set(found.left_out)
    assert "uses columns" in found.left_out["kmm_features"]
    assert "has no class probabilities" in found.left_out["cbpe"]
    assert "slow" in found.left_out["kmm_slices"]
    named = backtest(before, after, flags("matters"), draws=1, columns=None, estimators=["kmm_slices"])
    assert named.models["model"].kinds["slices"]["kmm_slices"].n == 1


def test_without_slices_only_what_needs_none_is_tried():
    """Classes can still be tilted, and methods on probabilities judged."""
    before, after = samples(draw_rows(1, 400), draw_rows(2, 300, 0.2))
    found = backtest(before, after, [], draws=2, columns=None).models["first"]
    assert list(found.kinds) == ["class"]
    assert found.kinds["class"]["cbpe"].n == 2
    assert "mandoline" in found.left_out
    assert set(found.skipped) == {"slices", "held-out slice", "column"}


def test_a_mean_needs_no_model():
    """The metric "mean" is backtested on slices, and on random tilts of the label."""
    rows = draw_rows(1, 400)
    before = md.Sample(rows, label="label")
    after = md.Sample(draw_rows(2, 300, 0.2).drop(columns="label"))
    metric = md.MetricSettings("mean", column="x")
    found = backtest(before, after, flags("a", "b"), draws=20, metric=metric).models["x"]
    assert found.kinds["class"]["mandoline"].n == 20
    assert "bbse" in found.left_out
    assert "the metric's units" in str(Backtest("x", {"x": found}))


@pytest.mark.parametrize("metric", ["f1", "auroc", "log_loss"])
def test_metrics_that_are_no_shares_of_rows_are_judged_too(metric):
    """Mandoline's errors stay below the source score's where slices carry the shift."""
    before, after = samples(draw_rows(1, 1500), draw_rows(2, 800, 0.3))
    found = backtest(before, after, flags("a", "b"), draws=20, metric=metric, estimators=["source", "mandoline"])
    judged = found.models["first"].kinds["slices"]
    assert judged["mandoline"].n == 20
    assert judged["mandoline"].mean_absolute_error < judged["source"].mean_absolute_error


def test_a_project_is_backtested_for_each_model_and_prints(tmp_path):
    """The text names every kind and method, what is proved and what not; plain data hold the same."""
    project = md.load_project(write_project(tmp_path))
    found = backtest(project, draws=2)
    assert list(found.models) == [model.name for model in project.models]
    text, plain = str(found), found.as_dict()
    for model in found.models.values():
        assert all(kind in text for kind in model.kinds)
        assert plain["models"][model.model]["average_error"]["source"] == model.expected_error("source")
        assert "draws" not in plain["models"][model.model]
    flat = " ".join(text.split())
    assert "It shows how methods perform under shifts of this kind and size, not what to expect: natural shifts" in flat
    assert "It cannot show shifts that the labelled data do not contain" in flat
    json.dumps(plain, allow_nan=False)


def test_noisy_slices_come_with_a_warning():
    """Tilts follow what slices say, so that methods which correct them are at a disadvantage: that is said."""
    source, target = samples(draw_rows(1, 300), draw_rows(2, 200, 0.2))
    plain = flags("a", "b")
    noisy = [replace(rule, noise=md.Noise(md.Correction(0.9, 0.1))) for rule in plain]
    for rules, said in ((plain, False), (noisy, True)):
        found = backtest(source, target, rules, draws=1, estimators=["source"], columns=None).models["first"]
        assert any("'denoised'" in sentence for sentence in found.words) == said


def test_bad_requests_are_refused_in_words(tmp_path):
    """No draws, an unknown method or column, a project with settings of its own."""
    project = md.load_project(write_project(tmp_path))
    with pytest.raises(md.ProjectError, match=r"draws must be a whole number, 1 or more\. Got 0\."):
        backtest(project, draws=0)
    with pytest.raises(md.ProjectError, match="Did you mean 'slices'"):
        backtest(project, kinds=["slice"])
    with pytest.raises(md.ProjectError, match="Unknown method 'mandolin'"):
        backtest(project, estimators=["mandolin"])
    with pytest.raises(md.DataError, match="Column 'wen' is not in"):
        backtest(project, draws=1, columns=["wen"])
    with pytest.raises(md.ProjectError, match="already defines"):
        backtest(project, project.read()[1])
    with pytest.raises(md.MandolineError, match="needs a project"):
        backtest(project.read()[0])


def test_on_the_sample_reviews_mandoline_may_be_expected_to_do_best_of_the_paper_s_methods():
    """There slices carry the shift: the expected error is a fraction of the source score's."""
    project = md.load_project(REVIEWS)
    found = backtest(project, draws=8, estimators=["source", "mandoline", "bbse"], columns=None).models["lr"]
    assert found.expected_error("mandoline") < 0.5 * found.expected_error("source")
