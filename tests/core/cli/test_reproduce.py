"""`mandoline reproduce`: the list, the contract, what it writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.cli.main import main
from mandoline_core.paper import EXPERIMENTS
from tests.core.projects import run, run_json

Captured = pytest.CaptureFixture[str]
QUICK = ("--quick", "--seeds", "1")


def test_without_a_name_all_are_listed(capsys: Captured) -> None:
    code, text, _ = run(capsys, "reproduce")
    assert code == 0
    for experiment in EXPERIMENTS.values():
        assert experiment.name in text
        assert experiment.title in text
    listed = run_json(capsys, "reproduce")["experiments"]
    assert [one["name"] for one in listed] == list(EXPERIMENTS)


def test_json_is_the_contract_and_the_librarys_numbers(capsys: Captured) -> None:
    found = run_json(capsys, "reproduce", "support-shift", *QUICK)
    assert set(found) == {"name", "title", "rows", "paper", "made"}
    ours = md.reproduce("support-shift", quick=True, seeds=1)
    assert found["rows"] == json.loads(json.dumps(list(ours.rows)))
    assert {"probability", "method", "value", "error"} == set(found["rows"][0])
    assert (found["made"]["seeds"], found["made"]["quick"]) == (1, True)


def test_out_gets_the_numbers_the_figures_and_a_project_that_runs(capsys: Captured, tmp_path: Path) -> None:
    _, text, _ = run(capsys, "reproduce", "support-shift", *QUICK, "--out", tmp_path / "new" / "folder")
    folder = tmp_path / "new" / "folder"
    assert "Figure 2, left" in text
    assert json.loads((folder / "support-shift.json").read_text(encoding="utf-8"))["name"] == "support-shift"
    page = (folder / "support-shift.html").read_text(encoding="utf-8")
    assert "A classifier on columns fails" in page
    assert md.estimate(md.load_project(folder / "project" / "project.toml")).estimate < 0.5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("support",), "Unknown experiment 'support'"),
        (("theorem", "--data", "."), "generates its data"),
        (("theorem", "--quick", "--out", "README.md/folder"), "Cannot write README.md/folder"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], sentence: str, capsys: Captured) -> None:
    assert main(["reproduce", *arguments]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert "Traceback" not in error


def test_seeds_must_be_a_number(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["reproduce", "theorem", "--seeds", "none"])
    assert stopped.value.code == 2
    assert "whole number" in capsys.readouterr().err
