"""The spread: other plausible slices widen the interval, and it says so where that is much."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.discovery import search_state
from mandoline_core.discovery.spread import MOST_TRIED, MUCH_WIDER, SUBSETS, _choices
from mandoline_core.discovery.suggest import start_states
from mandoline_core.estimators import folds, mandoline
from tests.core.projects import LONG, run_json, write_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> md.Project:
    """Write a project that says nothing of a word on which the model does worse."""
    return md.load_project(write_project(tmp_path_factory.mktemp("spread"), {"slices": [LONG], "edges": None}))


@pytest.fixture(scope="module")
def suggestions(project: md.Project) -> md.Suggestions:
    """Find what could be chosen."""
    return md.suggest(project)


def test_the_interval_moves_outwards_by_as_far_as_the_furthest_choice(
    project: md.Project, suggestions: md.Suggestions
) -> None:
    report = md.estimate(project, spread=False)
    for name, found in md.spread(project, suggestions=suggestions).items():
        model = report.models[name]
        alone = [abs(one.trials[name].effect) for one in suggestions.suggestions]
        assert found.moved >= max(alone) - 1e-12
        low, high = model.interval
        assert found.interval == pytest.approx((low - found.moved, high + found.moved))
        assert found.times == pytest.approx((high - low + 2 * found.moved) / (high - low))


def test_without_other_choices_it_is_the_interval(project: md.Project, suggestions: md.Suggestions) -> None:
    found = md.spread(project, suggestions=replace(suggestions, suggestions=()))["lr"]
    assert found.interval == found.sampling == pytest.approx(md.estimate(project, spread=False).interval)
    assert (found.tried, found.moved, found.finding) == (0, 0.0, None)


def test_the_same_choices_are_tried_again(project: md.Project, suggestions: md.Suggestions) -> None:
    assert md.spread(project, suggestions=suggestions) == md.spread(project, suggestions=suggestions)


def test_other_choices_cost_one_fit_each_and_no_sampling_error(
    project: md.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is counted, not seconds, which depend on the machine."""
    report = md.estimate(project)
    done: Counter[str] = Counter()

    def counted(module: ModuleType, name: str) -> None:
        run = getattr(module, name)

        def step(*args: Any, **settings: Any) -> Any:
            done[name] += 1
            return run(*args, **settings)

        monkeypatch.setattr(module, name, step)

    counted(folds, "fit_folds")
    counted(mandoline, "linearise")
    counted(search_state, "codes")
    md.spread(replace(report.asked, edges=()))  # choosing pairs needs the estimate as well
    models = len(report.models)
    assert done["fit_folds"] <= models * (1 + MOST_TRIED + SUBSETS + 1)
    assert done["linearise"] == models  # of the estimate that the others are compared with
    assert done["codes"] <= 2 * models * MOST_TRIED  # of either sample; rules on columns are shared by models


def test_a_spread_much_wider_than_the_interval_is_a_finding() -> None:
    narrow = md.Spread((0.7, 0.8), (0.71, 0.79), 0.01, "text contains not", 5, times=MUCH_WIDER)
    wide = replace(narrow, times=MUCH_WIDER + 0.01)
    assert narrow.finding is None
    assert wide.finding is not None
    assert wide.finding.text == "The estimate is sensitive to your slices: text contains not moves it by 1.0 points."


def test_the_quoted_interval_allows_for_it_unless_the_interval_is_to_be_plain(
    project: md.Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """The library, its method and the command line agree; both intervals are wider by the same."""
    report, found = md.estimate(project), md.spread(project)["lr"]
    narrow, plain = md.estimate(project, spread=False), md.estimate(project, spread=False, edges=())
    assert found.moved > 0
    assert report.interval == found.interval == report.spread("lr").interval
    assert (
        report.first.sampling_interval == found.sampling == pytest.approx(md.estimate(project, spread=False).interval)
    )
    assert report.prediction_interval == pytest.approx(
        (narrow.prediction_interval[0] - found.moved, narrow.prediction_interval[1] + found.moved)
    )
    path = Path(str(project.path))
    shown = run_json(capsys, "estimate", path)
    assert shown["interval"] == shown["spread"]["interval"] == list(report.interval)
    assert shown["sampling_interval"] == shown["spread"]["sampling"] == list(found.sampling)
    shown = run_json(capsys, "estimate", path, "--plain")
    assert (shown["interval"], shown["sampling_interval"], shown["spread"]) == (list(plain.interval), None, None)


def test_sets_are_of_rules_that_keep_every_new_row() -> None:
    """One that leaves new rows without a labelled one is tried alone: what it moves is of other rows."""
    rng = np.random.default_rng(0)
    frames = [
        pd.DataFrame({"a": rng.random(n) < share, "b": rng.random(n) < share, "far": rng.random(n) * reach})
        for n, share, reach in ((900, 0.3, 1.0), (600, 0.5, 1.2))
    ]
    source = md.Sample(frames[0].assign(y=1, p=rng.integers(0, 2, 900)), label="y", prediction="p")
    target = md.Sample(frames[1].assign(p=1))
    _, (start,) = start_states("spread", source, target, [])
    rules = [md.Flag("a", column="a"), md.Flag("b", column="b"), md.Threshold("beyond", column="far", above=1.0)]
    words = [words for words, _ in _choices(start, rules, np.ones((1, 3), dtype=bool))]
    assert len(words) == 4
    assert words[2] == rules[2].describe()
    assert words[3] == f"{rules[0].describe()} and {rules[1].describe()}"
