"""`mandoline backtest`, `labels` and `plan`, and the verdict of `estimate`: the library's numbers in a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.cli.main import main
from tests.core.projects import LONG, REVIEWS, refused, run, run_json, small_frames, write_project

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
    assert flat.count("There are only 12 labels.") == 1
    for name, said in words.items():
        assert flat.count(said) == flat.count(f"{name}: {said}") == 1
        assert f"{name}: There are only 12 labels." not in flat


def test_labels_without_any_are_refused_in_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    """There is nothing to combine."""
    project = write_project(tmp_path, {"target": {"path": "target.csv"}})
    assert "label" in refused(capsys, project, command="labels")


def test_a_plan_lists_rows_to_label_once_each(tmp_path: Path, capsys: Captured) -> None:
    """Rows that have a label are not proposed; the file and the terminal hold the same plan."""
    project = with_some_labels(tmp_path, 40)
    _, text, _ = run(capsys, "plan", project, "--rows", 25)
    plan = pd.read_csv(io.StringIO(text))
    contents = ["text", "n_words", "channel", "prediction_checksum", "label"]
    assert list(plan.columns) == ["row", "in_slices", "weight", "reason", *contents]
    assert plan["label"].isna().all()
    assert len(plan) == plan["row"].nunique() == 25
    assert plan["row"].min() > 40
    out = tmp_path / "plan.csv"
    code, told, _ = run(capsys, "plan", project, "--rows", 25, "--out", out)
    assert code == 0
    assert told.startswith(f"Wrote {out}: 25 rows to label. Fill in the last column, then run: ")
    assert f"mandoline labels {project} --plan {out}" in told
    assert "The margin of error is then about" in " ".join(told.split())
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
    assert "None of the 20 planned rows has a label. Check that labels are in the rows that the plan names" in error


def test_labels_that_contradict_the_estimate_turn_the_verdict_red(tmp_path: Path, capsys: Captured) -> None:
    """Labels of some rows test the slices in every report; those that agree pass. A whole truth is not looked at."""
    _, target, labels = small_frames()
    wrong = target["pred_lr"].map({"bad": "good", "good": "bad"})
    for given, state in ((wrong, "failed"), (labels["label"], "passed")):
        some = target.assign(label=given.where(given.index < 60))
        project = write_project(tmp_path, {"target": {"path": "target.csv"}}, target=some)
        verdict = run_json(capsys, "estimate", project)["verdict"]
        assert {check["name"]: check["state"] for check in verdict["checks"]}["labels"] == state
        assert (verdict["level"] == "red") == (state == "failed")
    project = write_project(tmp_path, {"target": {"path": "target.csv"}}, target=target.assign(label=wrong))
    assert "labels" not in {check["name"] for check in run_json(capsys, "estimate", project)["verdict"]["checks"]}


def test_probabilities_that_cannot_be_read_leave_a_check_undone(tmp_path: Path, capsys: Captured) -> None:
    """The estimate stands without them, and the verdict says that the model's answers were not compared."""
    source, target, _ = small_frames()
    frames = [frame.assign(bad=0.3, good=0.3) for frame in (source, target)]
    models = [{"name": "lr", "prediction": "pred_lr", "probabilities": {"bad": "bad", "good": "good"}}]
    project = write_project(tmp_path, {"models": models}, source=frames[0], target=frames[1])
    verdict = run_json(capsys, "estimate", project)["verdict"]
    (answers,) = [check for check in verdict["checks"] if check["name"] == "answers"]
    assert answers["state"] == "not run"
    assert "do not sum to 1 in 400 of 400 rows of source.csv" in answers["words"]
    assert verdict["level"] != "green"


def test_a_bound_without_an_upper_end_is_none_in_json(tmp_path: Path, capsys: Captured) -> None:
    """An error has no largest value, so rows set aside leave it open above."""
    rng = np.random.default_rng(0)
    source = pd.DataFrame({"a": rng.random(200) < 0.5, "y": rng.normal(size=200), "p": rng.normal(size=200)})
    source["b"] = source["a"]
    target = pd.DataFrame({"a": True, "b": rng.random(100) < 0.9, "p": rng.normal(size=100)})
    changes = {
        "task": {"label": "y"},
        "metric": {"name": "mae"},
        "models": [{"name": "m", "prediction": "p"}],
        "slices": [{"name": name, "kind": "flag", "column": name} for name in "ab"],
    }
    project = write_project(tmp_path, changes, source=source, target=target)
    found = run_json(capsys, "estimate", project)
    assert 0 < found["set_aside"] < 1
    assert found["bounds"] == [pytest.approx((1 - found["set_aside"]) * found["estimate"]), None]
    _, text, _ = run(capsys, "estimate", project)
    assert "the mae is at least " in " ".join(text.split())


@pytest.mark.parametrize("rows", ["0", "-3", "many"])
def test_a_number_of_rows_that_cannot_be_is_refused_at_once(rows: str, capsys: Captured) -> None:
    """Before the project is even looked for."""
    with pytest.raises(SystemExit) as stopped:
        main(["plan", "nowhere.toml", f"--rows={rows}"])
    assert stopped.value.code == 2
    assert f"--rows: must be a whole number, 1 or more. Got {rows!r}." in capsys.readouterr().err


def test_slices_that_overlap_are_named_once(tmp_path: Path, capsys: Captured) -> None:
    """The overlap is that of the pair: rows in both, out of the rows in either."""
    slices = [{**LONG, "name": name} for name in ("long", "long again")]
    _, text, _ = run(capsys, "slices", write_project(tmp_path, {"slices": slices}))
    assert text.count("overlap") == text.count("Slices for model") == 2
    assert "'long' and 'long again' overlap: 100.0% of the rows in either are in both." in text


def test_without_a_command_the_commands_are_listed(capsys: Captured) -> None:
    with pytest.raises(SystemExit):
        run(capsys)
    assert "Write a project file for your data" in capsys.readouterr().err
