"""Outcome models of losses: right where columns tell the loss, with influence, and the same by any route."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.estimators import get_estimator
from mandoline_core.estimators.outcome_model import combine, describe_by_columns, split_rows
from mandoline_core.metrics import get_metric
from mandoline_core.weighting import Problem
from tests.core.loss_rows import LOSS_SLICES, draw_losses

MODEL = md.Model("m", "guess")


def samples(source: pd.DataFrame, target: pd.DataFrame) -> tuple[md.Sample, md.Sample]:
    """Give frames their roles."""
    return md.Sample(source, label="y", models=[MODEL]), md.Sample(target.drop(columns="y"), models=[MODEL])


def state(source: pd.DataFrame, target: pd.DataFrame, metric: str = "mae", **options: object) -> Problem:
    """State the problem of a metric of numbers."""
    return md.prepare(
        *samples(source, target), LOSS_SLICES, model=MODEL, metric=md.MetricSettings(metric), **options
    ).problem


def frames(n: int = 1500, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw labelled and new rows."""
    rng = np.random.default_rng(seed)
    return draw_losses(rng, n, new=False), draw_losses(rng, n, new=True)


@pytest.mark.parametrize("name", ["dle", "doubly_robust"])
@pytest.mark.parametrize("metric", ["mae", "rmse", "bias", "pinball"])
def test_the_truth_is_in_reach_where_the_labelled_score_is_not(name: str, metric: str) -> None:
    """Within four standard errors, on 1,500 rows."""
    source, target = frames()
    many = draw_losses(np.random.default_rng(1), 200_000, new=True)
    truth = md.estimate(*samples(many, many), LOSS_SLICES, metric=metric).source
    report = md.estimate(*samples(source, target), LOSS_SLICES, metric=metric, estimator=name)
    assert abs(report.estimate - truth) < 4 * report.first.standard_error
    assert metric == "bias" or abs(report.source - truth) > 4 * report.first.standard_error


@pytest.mark.parametrize("name", ["dle", "doubly_robust"])
def test_a_loss_that_columns_tell_is_predicted_without_error(name: str) -> None:
    """A loss linear in a column leaves nothing to weight: only the new rows drawn move the estimate."""
    source, target = frames(400)
    source = source.assign(y=source["guess"] + 5 + source["z"])
    outcome = get_estimator(name).estimate(state(source, target, "bias"))
    assert outcome.value == pytest.approx(-(5 + target["z"]).mean(), abs=1e-9)
    by_source, by_target = outcome.influence.pieces(None)  # type: ignore[arg-type]
    assert np.abs(by_source).max() < 1e-9
    assert float(by_target @ by_target) == pytest.approx(target["z"].var(ddof=0) / len(target))


def test_influence_is_the_derivative() -> None:
    """Of rows of both samples, through the lines of all folds; the terms and folds stay as they are."""
    problem = state(*frames(300))
    rows, scores = describe_by_columns(problem), problem.members.statistics
    folds, times = split_rows(300, 0), 200

    def at(side: int = 0, row: int = 0, more: int = 0) -> tuple[float, np.ndarray, np.ndarray]:
        counts = [np.full(300, times), np.full(300, times)]
        counts[side][row] += more
        n = counts[0].sum()
        before, after = (np.repeat(one.columns, count, axis=0) for one, count in zip(rows[:2], counts, strict=True))
        many = np.repeat(scores, counts[0], axis=0)
        found = combine(get_metric("rmse"), many, before, after, np.full(n, 1 / n), np.repeat(folds, counts[0]))
        assert found.by_source is not None
        assert found.by_weight is not None
        return found.value, found.by_source + found.by_weight / n, found.by_target

    _, *pieces = at()
    for side, row in ((0, 0), (0, 17), (0, 123), (1, 0), (1, 44)):
        expected = (at(side, row, 1)[0] - at(side, row, -1)[0]) / 2
        assert pieces[side][row * times] == pytest.approx(expected, rel=2e-3, abs=1e-9), (side, row)


def test_the_column_to_be_averaged_does_not_predict_itself() -> None:
    source, target = frames(400)
    old, new = md.Sample(source), md.Sample(target)
    report = md.estimate(old, new, LOSS_SLICES, metric=md.MetricSettings("mean", column="y"), estimator="dle")
    assert report.first.standard_error > 0.5 * source["y"].std() / np.sqrt(400)


def test_text_and_many_columns_are_crossed_by_their_main_directions() -> None:
    """Also few rows: the terms are never more than a twentieth of them."""
    rng = np.random.default_rng(3)
    words = np.array(["good", "bad", "cheap", "late", "kind", "slow", "fast", "new"])
    source, target = (side.assign(text=[" ".join(rng.choice(words, 5)) for _ in range(300)]) for side in frames(300))
    rows = describe_by_columns(state(source, target))
    assert rows.source.columns.shape == (300, 16)
    assert np.isfinite(get_estimator("dle").estimate(state(source, target)).value)


def test_library_and_comparison_agree_and_say_where_they_do_not_apply() -> None:
    source, target = frames(500)
    report = md.estimate(*samples(source, target), LOSS_SLICES, metric="mae", estimator="dle")
    table = md.estimate(*samples(source, target), LOSS_SLICES, metric="mae").compare().to_frame().set_index("method")
    assert table.loc["dle", "estimate"] == report.estimate
    assert np.isfinite(table.loc["doubly_robust", "estimate"])
    few = md.estimate(*samples(source[:9], target), LOSS_SLICES[:1], metric="mae").compare().to_frame()
    assert "needs at least 10 labelled rows" in few.set_index("method").loc["dle", "reason"]
    classes = source.assign(y=source["y"] > 10, guess=source["guess"] > 10)
    found = md.estimate(*samples(classes, target.assign(guess=True)), LOSS_SLICES).compare().to_frame()
    assert "This method is for numbers" in found.set_index("method").loc["dle", "reason"]
