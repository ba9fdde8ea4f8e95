"""One calling convention: what belongs to an estimate is a method of its report, and a function of the same samples."""

from __future__ import annotations

import inspect
import json
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.pipeline import Options, option_defaults

FUNCTIONS = (md.estimate, md.compare, md.suggest, md.spread, md.backtest)
THIN = (md.slice_table, md.ablation, md.attribute, md.plan_labels, md.use_labels)


@pytest.fixture(scope="module")
def samples() -> tuple[md.Sample, md.Sample, list[md.Slice]]:
    rng = np.random.default_rng(3)
    source = pd.DataFrame({"place": rng.choice(["a", "b"], 400, p=[0.8, 0.2]), "y": rng.integers(0, 2, 400)})
    wrong = rng.random(400) < np.where(source["place"] == "b", 0.4, 0.1)
    source["p"] = np.where(wrong, 1 - source["y"], source["y"])
    source["q"] = source["y"]
    target = pd.DataFrame({"place": rng.choice(["a", "b"], 300), "p": 1, "q": 1})
    models = [md.Model("first", "p"), md.Model("second", "q")]
    rules: list[md.Slice] = [md.Category("b", column="place", values=("b",))]
    return md.Sample(source, label="y", models=models), md.Sample(target), rules


@pytest.fixture(scope="module")
def report(samples: tuple[md.Sample, md.Sample, list[md.Slice]]) -> md.Report:
    return md.estimate(*samples)


@pytest.mark.parametrize("model", [None, "second"])
def test_functions_of_samples_say_what_the_report_says(
    report: md.Report, samples: tuple[md.Sample, md.Sample, list[md.Slice]], model: str | None
) -> None:
    labels = [1 if i % 3 else None for i in range(300)]
    assert md.slice_table(*samples, model=model) == report.slices(model)
    assert md.ablation(*samples, model=model) == report.ablation(model)
    assert md.attribute(*samples, model=model) == report.attribution(model)
    assert md.plan_labels(*samples, n=20, model=model).rows == report.plan(20, model).rows
    few = report.use_labels(labels, model)
    assert md.use_labels(*samples, labels=labels, model=model).combined == few.combined
    assert few.n_labelled == 200


def test_functions_of_a_fit_say_the_same(report: md.Report) -> None:
    fit, settings = report.first.fit, report.settings
    assert md.slice_table(fit) == report.slices()
    assert md.ablation(fit, settings) == report.ablation()
    assert md.plan_labels(fit, settings, 20, report.asked.target).rows == report.plan(20).rows


def test_methods_on_all_models_say_what_functions_say(
    report: md.Report, samples: tuple[md.Sample, md.Sample, list[md.Slice]]
) -> None:
    methods = ["source", "mandoline"]
    assert report.compare(methods).as_dict() == md.compare(*samples, estimators=methods).as_dict()
    tested = report.backtest(3, estimators=methods).as_dict()
    assert tested == md.backtest(*samples, draws=3, estimators=methods).as_dict()
    assert report.suggest(3).as_dict() == md.suggest(*samples, most=3).as_dict()
    assert report.spread("second").as_dict() == md.spread(*samples)["second"].as_dict()


def test_options_of_the_estimate_reach_what_is_built_on_it(
    samples: tuple[md.Sample, md.Sample, list[md.Slice]],
) -> None:
    report = md.estimate(*samples, confidence=0.5)
    assert report.ablation().cumulative[-1].interval == md.ablation(*samples, confidence=0.5).cumulative[-1].interval
    wide, narrow = md.ablation(*samples).cumulative[-1].interval, report.ablation().cumulative[-1].interval
    assert wide is not None
    assert narrow is not None
    assert narrow[1] - narrow[0] < wide[1] - wide[0]


def test_bounds_widen_with_a_stronger_hidden_change(report: md.Report) -> None:
    none, some = report.sensitivity([1, 2])
    assert none.low == pytest.approx(report.estimate)
    assert some.low < none.low < some.high


@pytest.mark.parametrize("function", [*FUNCTIONS, *THIN])
def test_options_are_named_in_the_signature(function: object) -> None:
    """What `help()` shows and a console completes."""
    named = inspect.signature(function).parameters  # type: ignore[arg-type]
    assert set(option_defaults()) <= set(named)
    assert not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in named.values())


def test_options_are_the_settings() -> None:
    """Type checkers read `Options`, everybody else the settings."""
    own = {"estimator", "edges", "metric", "methods", "harmless"}
    settings = {one.name for one in fields(md.EstimatorSettings)} - {"name"}
    assert set(Options.__annotations__) == own | settings == set(option_defaults())


def test_an_unknown_model_is_named(report: md.Report) -> None:
    with pytest.raises(
        md.MandolineError, match=r"Unknown model 'frist'\. Models: first, second\. Did you mean 'first'\?"
    ):
        report.slices("frist")


def test_a_report_from_codes_says_that_rows_are_needed() -> None:
    report = md.estimate_from_codes([[1], [-1]] * 50, [1.0, 0.0] * 50, [[1]] * 9 + [[-1]])
    with pytest.raises(md.MandolineError, match="made from slice codes"):
        report.compare()
    assert report.slices()[0].source == 0.5


def test_labels_in_the_order_of_rows_must_be_as_many(report: md.Report) -> None:
    with pytest.raises(md.DataError, match=r"There are 2 labels and 300 new rows\."):
        report.use_labels([1, 0])


def test_public_names_are_what_dir_lists() -> None:
    assert set(dir(md)) == {*md.__all__, "__version__"}
    assert md.__version__[0].isdigit()


def results(report: md.Report) -> dict[str, Any]:
    labels = [1 if i % 3 else None for i in range(300)]
    return {
        "report": report,
        "model": report.first,
        "fit": report.first.fit,
        "slices": report.slices(),
        "ablation": report.ablation(),
        "attribution": report.attribution(),
        "sensitivity": report.sensitivity(),
        "compare": report.compare(["source", "mandoline"]),
        "backtest": report.backtest(3, estimators=["source", "mandoline"]),
        "suggest": report.suggest(3),
        "spread": report.spread(),
        "plan": report.plan(60),
        "labels": report.use_labels(labels),
        "groups": report.by("place"),
    }


def test_results_show_in_at_most_twelve_lines(report: md.Report) -> None:
    for name, result in results(report).items():
        shown = repr(result)
        assert len(shown.splitlines()) <= 12, name
        assert max(map(len, shown.splitlines())) <= 240, name
        assert "array(" not in shown, name


def test_results_are_tables_and_plain_data(report: md.Report) -> None:
    for name, result in results(report).items():
        if name in ("model", "fit"):
            continue
        frame = result.to_frame()
        assert isinstance(frame, pd.DataFrame), name
        assert len(frame) >= (name != "suggest"), name
        assert json.loads(json.dumps(result.to_dict())) == json.loads(json.dumps(result.as_dict())), name
        assert "<table>" in result._repr_html_() or not len(frame), name


def test_tables_hold_the_numbers_of_the_results(report: md.Report) -> None:
    assert report.to_frame()["estimate"].tolist() == [one.estimate for one in report.models.values()]
    assert report.slices().to_frame()["target"].tolist() == [row.target for row in report.slices()]
    parts = report.attribution().to_frame()
    assert parts["effect"].iloc[-1] == pytest.approx(parts["effect"].iloc[:-1].sum()) == report.estimate - report.source


def test_a_group_is_new_data_of_its_own(
    report: md.Report, samples: tuple[md.Sample, md.Sample, list[md.Slice]]
) -> None:
    source, target, rules = samples
    groups = report.by("place")
    frame = target.frame.to_native()
    for place in ("a", "b"):
        alone = md.estimate(source, md.Sample(frame[frame["place"] == place]), rules)
        assert groups[place].estimate == pytest.approx(alone.estimate, abs=1e-12)
    assert groups.to_frame()["rows"].sum() == 2 * 300


def test_small_groups_are_left_out(report: md.Report) -> None:
    with pytest.raises(md.DataError, match="No value of 'place' has 400 new rows or more"):
        report.by("place", fewest=400)


@pytest.mark.parametrize("what", ["estimate", "weights", "ablation", "leave_one_out", "attribution", "balance"])
def test_pictures_are_drawn_by_name(report: md.Report, what: str) -> None:
    figure = report.plot(what, "second")
    assert figure.layout.title.text
    assert figure.data


def test_an_unknown_picture_is_named(report: md.Report) -> None:
    with pytest.raises(md.MandolineError, match=r"Unknown plot 'wieghts'\. .* Did you mean 'weights'\?"):
        report.plot("wieghts")
