"""`mandoline backtest`, `labels` and `plan`, and the verdict of `estimate`: the library's numbers in a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest

import mandoline_core as md
from tests.core.projects import REVIEWS, refused, run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]


def with_some_labels(folder: Path, n: int) -> Path:
    """Write the small project with labels for the first n target rows, in the target itself."""
    _, target, labels = small_frames()
    some = target.assign(label=labels["label"].where(labels.index < n))
    return write_project(folder, {"target": {"path": "target.csv"}}, target=some)


def test_estimate_prints_its_verdict(tmp_path: Path, capsys: Captured) -> None:
    """In words on the terminal, in full in the JSON, as the library says it."""
    project = write_project(tmp_path)
    expected = md.estimate(md.load_project(project)).verdict
    assert expected is not None
    found = run_json(capsys, "estimate", project)["verdict"]
    assert (found["level"], found["message"]) == (expected.level, expected.message)
    assert [check["name"] for check in found["checks"]] == [check.name for check in expected.checks]
    _, text, _ = run(capsys, "estimate", project)
    assert f"{expected.level.upper()}. {expected.message.split(':')[0]}" in text


def test_backtest_is_the_librarys(tmp_path: Path, capsys: Captured) -> None:
    """Digit for digit; the text names every kind of pseudo-target that was tried."""
    project = write_project(tmp_path)
    found = run_json(capsys, "backtest", project, "--draws", 5)
    expected = md.backtest(md.load_project(project), draws=5).as_dict()
    assert found == json.loads(json.dumps(expected, allow_nan=False))
    _, text, err = run(capsys, "backtest", project, "--draws", 5)
    assert err == ""
    for kind in found["models"]["lr"]["kinds"]:
        assert kind in text


def test_labels_of_a_few_rows_join_the_estimate(tmp_path: Path, capsys: Captured) -> None:
    """The labels alone are their plain score; the combined interval is no wider than theirs."""
    project = with_some_labels(tmp_path, 60)
    found = run_json(capsys, "labels", project)["models"]["lr"]
    frame = pd.read_csv(tmp_path / "target.csv").iloc[:60]
    assert found["n_labelled"] == 60
    assert found["labels_only"]["value"] == pytest.approx((frame["pred_lr"] == frame["label"]).mean(), abs=1e-12)
    alone, both = (found[key]["interval"] for key in ("labels_only", "combined"))
    assert both[1] - both[0] <= 1.05 * (alone[1] - alone[0])
    code, text, _ = run(capsys, "labels", project)
    assert code == 0
    assert text.startswith("60 of 300 new rows have a label")


def test_labels_name_the_model_and_say_each_thing_once(tmp_path: Path, capsys: Captured) -> None:
    """What one model alone has is said with its name, what all have once and without."""
    project = with_some_labels(tmp_path, 12)
    models = run_json(capsys, "labels", project)["models"]
    assert len(models) > 1
    words = {name: one["test"]["words"] for name, one in models.items()}
    assert len(set(words.values())) == len(words)
    _, text, _ = run(capsys, "labels", project)
    flat = " ".join(text.split())
    assert flat.count("There are 12 labels.") == 1
    for name, said in words.items():
        assert flat.count(said) == flat.count(f"{name}: {said}") == 1
        assert f"{name}: There are 12 labels." not in flat


def test_labels_without_any_are_refused_in_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    """There is nothing to combine."""
    project = write_project(tmp_path, {"target": {"path": "target.csv"}})
    assert "label" in refused(capsys, project, command="labels")


def test_a_plan_lists_rows_to_label_once_each(tmp_path: Path, capsys: Captured) -> None:
    """Rows that have a label are not proposed; the file and the terminal hold the same plan."""
    project = with_some_labels(tmp_path, 40)
    _, text, _ = run(capsys, "plan", project, "--rows", 25)
    plan = pd.read_csv(io.StringIO(text))
    assert list(plan.columns) == ["row", "in_slices", "weight", "reason"]
    assert len(plan) == plan["row"].nunique() == 25
    assert plan["row"].min() > 40
    out = tmp_path / "plan.csv"
    assert run(capsys, "plan", project, "--rows", 25, "--out", out)[:2] == (0, "")
    assert out.read_text(encoding="utf-8") == text


def test_a_plan_for_labels_kept_aside_starts_from_nothing(capsys: Captured) -> None:
    """The sample's truth is put aside; every row may still be proposed."""
    _, text, _ = run(capsys, "plan", REVIEWS, "--rows", 10)
    assert len(pd.read_csv(io.StringIO(text))) == 10


def test_labels_chosen_by_a_plan_are_weighted_back(tmp_path: Path, capsys: Captured) -> None:
    """A plan prefers some patterns; its weights undo that."""
    project = write_project(tmp_path, {"target": {"path": "target.csv"}})
    plan = tmp_path / "plan.csv"
    run(capsys, "plan", project, "--rows", 80, "--out", plan)
    rows = pd.read_csv(plan)["row"] - 1
    _, target, labels = small_frames()
    some = target.assign(label=labels["label"].where(labels.index.isin(rows)))
    some.to_csv(tmp_path / "target.csv", index=False)
    plain = run_json(capsys, "labels", project)["models"]["lr"]
    planned = run_json(capsys, "labels", project, "--plan", plan)["models"]["lr"]
    assert planned["n_labelled"] == plain["n_labelled"] == 80
    assert planned["labels_only"]["value"] != plain["labels_only"]["value"]


def test_a_plan_whose_rows_have_no_label_is_refused_in_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    """Whoever counts rows from 0 is told that a plan counts from 1."""
    project = with_some_labels(tmp_path, 40)
    plan = tmp_path / "plan.csv"
    run(capsys, "plan", project, "--rows", 20, "--out", plan)
    code, out, error = run(capsys, "labels", project, "--plan", plan)
    assert (code, out) == (2, "")
    assert "None of the 20 planned rows has a label. The plan's column row counts from 1" in error
