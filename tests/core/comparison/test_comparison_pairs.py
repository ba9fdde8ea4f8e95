"""Differences between models: both are estimated on the same rows, and so is how sure their difference is."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import mandoline_core as md
from mandoline_core.comparison.results import Difference
from mandoline_core.estimators.registry import ESTIMATORS
from mandoline_core.project.settings import MethodSettings
from tests.core.weighted_rows import MODELS, draw_rows, flags, samples

Frames = tuple[pd.DataFrame, pd.DataFrame]
OWN = md.Confidence("unsure", below=0.7)  # each model's own: patterns differ between the models
Z = float(norm.ppf(0.975))


def nearly_alike(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Give the second model the first's answers, but for 4% of the rows, and slightly other probabilities."""
    rng = np.random.default_rng(seed)
    flip = rng.random(len(frame)) < 0.04
    other = frame["pred"].map({"no": "yes", "yes": "no"})
    chance = (frame["p_yes"] + rng.uniform(-0.03, 0.03, len(frame))).clip(0.001, 0.999)
    chance = chance.where(~flip, 1 - chance)
    return frame.assign(pred2=frame["pred"].where(~flip, other), q_yes=chance, q_no=1 - chance)


def draw_pair(seed: int, n_source: int = 400, n_target: int = 300) -> Frames:
    """Draw both samples, with models that are nearly alike."""
    return nearly_alike(draw_rows(seed, n_source), seed), nearly_alike(draw_rows(seed + 50, n_target, 0.25), seed + 1)


def compare(frames: Frames, *, models: Any = MODELS, metric: str = "accuracy", **settings: Any) -> md.Comparison:
    """Compare on two shared slices and one of each model's own."""
    methods = settings.pop("methods", MethodSettings(features=("x", "place"), scores="new", redraws=40))
    rules = [*flags("a", "b"), OWN]
    return md.compare(*samples(*frames, models), rules, methods=methods, metric=metric, **settings)


def error(difference: Difference) -> float:
    """Read the standard error off an interval."""
    return (difference.interval[1] - difference.interval[0]) / 2 / Z


def test_differences_are_of_all_pairs_of_models() -> None:
    """First minus second, for every method, in the order of the models."""
    models = (*MODELS, md.Model("third", "pred", {"no": "q_no", "yes": "q_yes"}))
    found = compare(draw_pair(1), models=models, estimators=["source", "mandoline", "cbpe"])
    assert [(d.estimator, d.first, d.second) for d in found.differences] == [
        (method, *pair)
        for method in ("source", "mandoline", "cbpe")
        for pair in combinations(("first", "second", "third"), 2)
    ]
    for d in found.differences:
        one, other = (found.models[name].entries[d.estimator].estimate for name in (d.first, d.second))
        assert one is not None
        assert other is not None
        assert d.value == one - other
        assert sum(d.interval) / 2 == pytest.approx(d.value, abs=1e-12)


def test_a_model_does_not_differ_from_its_twin() -> None:
    """Two names for the same columns: every method says 0, and is sure of it."""
    twins = (MODELS[0], md.Model("twin", MODELS[0].prediction, MODELS[0].probabilities))
    found = compare(draw_pair(2), models=twins)
    assert len(found.differences) == len(ESTIMATORS) - 2  # no model to fine-tune, and no numbers
    for d in (one for one in found.differences if ESTIMATORS[one.estimator].ranks):
        assert (d.value, *d.interval) == pytest.approx((0, 0, 0), abs=1e-12), d.estimator


def test_models_that_are_nearly_alike_differ_by_little_for_sure() -> None:
    """The paired error is far below what two independent intervals would make of it, by every method."""
    found = compare(draw_pair(3, 800, 600))
    assert len(found.differences) == len(ESTIMATORS) - 2  # no model to fine-tune, and no numbers
    for d in (one for one in found.differences if ESTIMATORS[one.estimator].ranks):
        singles = [found.models[name].entries[d.estimator].standard_error for name in (d.first, d.second)]
        apart = math.hypot(*(single or 0.0 for single in singles))
        assert 0 < error(d) < 0.6 * apart, d.estimator


def test_source_difference_is_the_textbook_paired_one() -> None:
    """The standard error of the mean of the rows' differences."""
    frames = draw_pair(4)
    gaps = sum(
        sign * (frames[0][name] == frames[0]["label"]).astype(float) for name, sign in (("pred", 1), ("pred2", -1))
    )
    (d,) = compare(frames, estimators=["source"]).differences
    assert d.value == pytest.approx(np.mean(gaps), abs=1e-12)
    assert error(d) == pytest.approx(np.std(gaps) / math.sqrt(len(frames[0])), rel=1e-6)


@pytest.mark.parametrize("method", ["mandoline", "kmm_slices", "cbiw_features"])
def test_models_with_answers_on_different_rows_are_paired_on_the_common_ones(method: str) -> None:
    """Where a few predictions are missing, the rest still lines up."""
    source, target = draw_pair(5)
    whole = compare((source, target), estimators=[method])
    source = source.copy()
    source.loc[[5, 17, 200], "pred2"] = None
    found = compare((source, target), estimators=[method])
    assert error(found.differences[0]) == pytest.approx(error(whole.differences[0]), rel=0.5)
    singles = [model.entries[method].standard_error for model in found.models.values()]
    assert error(found.differences[0]) < 0.7 * math.hypot(*(single or 0.0 for single in singles))


def test_confidence_sets_the_width_of_differences_and_changes() -> None:
    """By the normal distribution's quantiles."""
    frames = draw_pair(6)
    wide, narrow = (compare(frames, estimators=["mandoline"], confidence=c) for c in (0.99, 0.8))
    expected = norm.ppf(0.995) / norm.ppf(0.9)
    for one, other in (
        (wide.differences[0].interval, narrow.differences[0].interval),
        *((found.models["first"].entries["mandoline"].change_interval for found in pair) for pair in [(wide, narrow)]),
    ):
        assert one is not None
        assert other is not None
        assert (one[1] - one[0]) / (other[1] - other[0]) == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("methods", "metric", "times"),
    [
        (("mandoline", "cbpe", "kmm_slices"), "accuracy", 40),
        (("mandoline",), "f1", 40),
    ],
)
@pytest.mark.long
def test_the_paired_error_is_a_bootstraps(methods: tuple[str, ...], metric: str, times: int) -> None:
    """Rows of both samples drawn anew, both models estimated on them, and their difference taken."""
    frames, rng = draw_pair(7, 600, 500), np.random.default_rng(8)
    settings = {"estimators": list(methods), "metric": metric}
    found = compare(frames, **settings, methods=MethodSettings(width=2.0, redraws=times)).differences
    few = MethodSettings(width=2.0, redraws=10)  # whose own interval nobody reads
    values = []
    for _ in range(times):
        drawn = [frame.iloc[rng.integers(0, len(frame), len(frame))].reset_index(drop=True) for frame in frames]
        redrawn = compare((drawn[0], drawn[1]), **settings, methods=few)
        values.append([difference.value for difference in redrawn.differences])
    assert [difference.estimator for difference in found] == list(methods)
    for difference, spread in zip(found, np.std(values, axis=0, ddof=1), strict=True):
        # The standard deviation of so many values is off by 1 / sqrt(2 times), one standard error; redraws are, too.
        luck = math.sqrt((2 if difference.estimator == "kmm_slices" else 1) / (2 * times))
        assert error(difference) == pytest.approx(spread, rel=4 * luck), difference.estimator
