"""Sheets of labels: what a plan writes comes back filled in, from files, frames and the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mandoline_core as md
from mandoline_core.labels import read_sheet
from tests.core.projects import refused, run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]
_, TARGET, LABELS = small_frames()
KEYED = TARGET.assign(id=[f"@{i:03d}" for i in range(len(TARGET))])  # a spreadsheet would compute these
TRUTH = LABELS["label"].to_numpy()


def keyed(folder: Path, **target: str) -> Path:
    """Write the small project whose new rows have a key."""
    return write_project(folder, {"target": {"path": "target.csv", "key": "id", **target}}, target=KEYED)


def filled(path: Path) -> pd.DataFrame:
    """Fill in the label column of a plan's file, as people do, and return what it was."""
    sheet = pd.read_csv(path)
    sheet.assign(label=TRUTH[sheet["row"] - 1]).to_csv(path, index=False)
    return sheet


def in_rows(folder: Path, rows: np.ndarray) -> Path:
    """Write the small project with labels of some rows in the new data: how it is done without a sheet."""
    folder.mkdir()
    some = KEYED.assign(label=LABELS["label"].where(LABELS.index.isin(rows)))
    return write_project(folder, {"target": {"path": "target.csv"}}, target=some)


def test_a_plan_carries_its_rows_and_comes_back_filled_in(tmp_path: Path, capsys: Captured) -> None:
    """The key first, contents without predictions, an empty label; the numbers are those of labels in the new data."""
    project, plan = keyed(tmp_path), tmp_path / "plan.csv"
    code, said, _ = run(capsys, "plan", project, "--rows", 60, "--out", plan)
    assert (code, said.startswith(f"Wrote {plan}: 60 rows to label.")) == (0, True)
    sheet = filled(plan)
    assert list(sheet)[:4] == ["row", "in_slices", "weight", "reason"]
    assert list(sheet)[4:] == ["id", "text", "n_words", "channel", "prediction_checksum", "label"]
    assert sheet["label"].isna().all()
    assert (sheet["id"].str.removeprefix("'") == KEYED["id"].to_numpy()[sheet["row"] - 1]).all()
    assert (sheet["text"] == KEYED["text"].to_numpy()[sheet["row"] - 1]).all()
    found = run_json(capsys, "labels", project, "--plan", plan)
    assert found["models"]["lr"]["n_labelled"] == 60
    other = in_rows(tmp_path / "in rows", sheet["row"] - 1)
    assert found == run_json(capsys, "labels", other, "--plan", plan)


def test_a_filled_sheet_is_a_file_of_labels_by_key(tmp_path: Path, capsys: Captured) -> None:
    """Named in [target], it needs no plan to be found; then its rows count as a random draw."""
    plan = tmp_path / "plan.csv"
    run(capsys, "plan", keyed(tmp_path), "--rows", 40, "--out", plan)
    sheet = filled(plan)
    found = run_json(capsys, "labels", keyed(tmp_path, labels="plan.csv"))["models"]["lr"]
    right = TRUTH[sheet["row"] - 1] == TARGET["pred_lr"].to_numpy()[sheet["row"] - 1]
    assert found["labels_only"]["value"] == pytest.approx(right.mean(), abs=1e-12)
    assert run_json(capsys, "estimate", keyed(tmp_path, labels="plan.csv"), "--reveal")["truth"] is None


def test_answers_in_any_order_reveal_the_same_truth(tmp_path: Path, capsys: Captured) -> None:
    """As the labels in the order of rows do; shuffled, as Parquet, with a key."""
    expected = run_json(capsys, "estimate", write_project(tmp_path), "--reveal")["truth"]
    answers = KEYED[["id"]].assign(label=TRUTH).sample(frac=1, random_state=0)
    answers.to_parquet(tmp_path / "answers.parquet", index=False)
    project = keyed(tmp_path, labels="answers.parquet")
    assert run_json(capsys, "estimate", project, "--reveal")["truth"] == pytest.approx(expected, rel=1e-13)


def test_labels_that_are_known_stay_and_those_of_a_sheet_are_added(tmp_path: Path, capsys: Captured) -> None:
    """A second plan leaves out what has a label; a whole truth that is kept aside has no part in it."""
    some = KEYED.assign(label=LABELS["label"].where(LABELS.index < 50))
    project = write_project(tmp_path, {"target": {"path": "target.csv"}}, target=some)
    plan = tmp_path / "plan.csv"
    run(capsys, "plan", project, "--rows", 30, "--out", plan)
    assert filled(plan)["row"].min() > 50
    assert run_json(capsys, "labels", project, "--plan", plan)["models"]["lr"]["n_labelled"] == 80
    whole = write_project(tmp_path)
    assert run_json(capsys, "labels", whole, "--plan", plan)["models"]["lr"]["n_labelled"] == 30


def test_a_sheet_without_labels_is_refused_in_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    """As long as there are none elsewhere."""
    project, plan = keyed(tmp_path), tmp_path / "plan.csv"
    run(capsys, "plan", project, "--rows", 30, "--out", plan)
    expected = "Column 'label' of plan.csv is empty. Fill in the labels you have."
    assert refused(capsys, project, "--plan", plan, command="labels") == expected
    whole = write_project(tmp_path)
    assert run_json(capsys, "labels", whole, "--plan", plan)["models"]["lr"]["n_labelled"] == 300


def test_a_plan_of_labelled_rows_is_refused_in_a_sentence(tmp_path: Path, capsys: Captured) -> None:
    project = in_rows(tmp_path / "all", np.arange(300))
    expected = "Every row of target.csv has a label, so there is nothing left to plan."
    assert refused(capsys, project, command="plan") == expected


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> md.Report:
    return md.estimate(md.load_project(keyed(tmp_path_factory.mktemp("keyed"))))


def test_the_library_takes_the_same_sheet(report: md.Report, tmp_path: Path) -> None:
    """As a file, a path, a frame of either engine: each gives what a column of labels and the plan give."""
    plan = report.plan(60)
    assert plan.to_csv(tmp_path / "plan.csv") == (tmp_path / "plan.csv").read_text(encoding="utf-8") == plan.to_csv()
    sheet = plan.to_frame()
    assert list(sheet)[-6:] == ["id", "text", "n_words", "channel", "prediction_checksum", "label"]
    sheet["label"] = TRUTH[sheet["row"] - 1]
    filled(tmp_path / "plan.csv")
    expected = report.use_labels([*LABELS["label"].where(LABELS.index.isin(sheet["row"] - 1))], plan=plan)
    assert expected.n_labelled == 60
    for given in (sheet, pl.from_pandas(sheet), tmp_path / "plan.csv", str(tmp_path / "plan.csv")):
        assert report.use_labels(given) == expected
    assert "contents" not in plan.to_dict()


def test_the_library_takes_answers_by_key(report: md.Report) -> None:
    """By the project's key, or by the one that is named; without a key, in order or not at all."""
    answers = KEYED[["id"]].assign(label=TRUTH).sample(n=80, random_state=1)
    expected = report.use_labels([*LABELS["label"].where(LABELS.index.isin(answers.index))])
    assert report.use_labels(answers) == expected
    source, target = report.asked.source, md.Sample(KEYED)
    slices = report.asked.slices
    assert md.use_labels(source, target, slices, labels=answers, key="id").combined == expected.combined
    assert md.use_labels(source, target, slices, labels=answers).combined == expected.combined
    with pytest.raises(md.DataError, match=r"The sheet has 80 rows, but new\.csv has 300\. Give one row for each"):
        md.use_labels(source, md.Sample(KEYED, name="new.csv"), slices, labels=answers[["label"]])


def test_columns_called_as_those_of_a_plan_are_left_out() -> None:
    """The plan's own keep their meaning, so that the sheet comes back."""
    source, target = small_frames()[0], TARGET.assign(row=5, weight=9.0)
    rules = [md.Keyword("negation", column="text", words=("not",))]
    models = [md.Model("lr", "pred_lr")]
    made = md.estimate(md.Sample(source, label="label", models=models), md.Sample(target, models=models), rules)
    sheet = made.plan(40).to_frame()
    assert sheet["row"].nunique() == 40
    assert made.use_labels(sheet.assign(label=TRUTH[sheet["row"] - 1])).n_labelled == 40


def test_a_sheet_in_order_needs_no_key() -> None:
    """One line for each new row; labels that are known already stay where it has none."""
    new = md.Sample(pd.DataFrame({"x": [1, 2, 3], "y": ["a", None, None]}))
    found, plan = read_sheet(md.Sample(pd.DataFrame({"y": [None, "b", None]})), new, "y")
    assert found.series("y").to_list()[:2] == ["a", "b"]
    assert found.series("y").is_null().to_list() == [False, False, True]
    assert plan is None
