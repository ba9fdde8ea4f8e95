"""How a command ends: a bug, bad input and a rule that is not met are distinct, whatever the terminal can write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core.cli.main import COMMANDS, main
from tests.core.projects import NEGATION, refused, run, run_json, small_frames, write_project

Captured = pytest.CaptureFixture[str]
ON_A_PROJECT = sorted(set(COMMANDS) - {"app", "init", "sample", "help", "reproduce", "schema", "completion"})
NAME = "Größe 😀"


def asked(command: str, project: Path) -> list[str]:
    """Return the arguments of a command on a project."""
    return [command, str(project), *(["--targets", f"{project.parent}/target.csv"] if command == "track" else [])]


@pytest.mark.parametrize("command", ON_A_PROJECT)
def test_bad_input_ends_with_two_and_a_bug_with_seventy(
    command: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In every command that takes a project: one sentence for the first, a traceback for the second."""
    project = write_project(tmp_path)
    code, out, err = run(capsys, *asked(command, tmp_path / "projct.toml"))
    assert (code, out) == (2, "")
    assert err == f"mandoline: Project file 'projct.toml' is not in {tmp_path}. Did you mean 'project.toml'?\n"

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("mandoline_core.project.load_project", fail)
    code, out, err = run(capsys, *asked(command, project))
    assert (code, out) == (70, "")
    assert "ZeroDivisionError" in err
    assert err.endswith("mandoline: this is a bug in Mandoline. Please report it with the text above.\n")


@pytest.mark.parametrize(
    "rule", [("check", "--min", "0.99"), ("estimate", "--fail-under", "0.99"), ("track", "--alert-under", "0.99")]
)
def test_a_rule_that_is_not_met_ends_with_one(rule: tuple[str, ...], tmp_path: Path, capsys: Captured) -> None:
    """And nothing else does."""
    command, *options = rule
    assert run(capsys, *asked(command, write_project(tmp_path)), *options)[0] == 1


def written_in(encoding: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command whose standard output has an encoding."""
    return subprocess.run(
        [sys.executable, "-m", "mandoline_core.cli", *arguments],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        encoding="ascii",
        check=False,
    )


def test_names_that_standard_output_cannot_write_are_escaped(tmp_path: Path) -> None:
    """As JSON does, so that JSON stays JSON; the exit code is that of any other name."""
    project = str(write_project(tmp_path, {"slices": [{**NEGATION, "name": NAME}]}))
    text = written_in("ascii", "slices", project)
    assert (text.returncode, text.stderr) == (0, "")
    assert r"Gr\u00f6\u00dfe \ud83d\ude00" in text.stdout
    plain = written_in("ascii", "slices", project, "--json")
    assert plain.returncode == 0
    assert NAME in str(json.loads(plain.stdout))


def test_an_encoding_that_replaces_is_left_to_do_so(tmp_path: Path) -> None:
    """Who says how to write what cannot be written is asked for nothing else."""
    project = str(write_project(tmp_path, {"slices": [{**NEGATION, "name": NAME}]}))
    found = written_in("ascii:replace", "slices", project)
    assert found.returncode == 0
    assert "Gr??e ?" in found.stdout


def test_a_missing_file_of_the_current_folder_is_said_in_a_sentence(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with a dot for the folder and a full stop behind it."""
    write_project(tmp_path, {"source": {"path": "sorce.csv"}})
    monkeypatch.chdir(tmp_path)
    expected = "Project file 'projct.toml' is not in the current folder. Did you mean 'project.toml'?"
    assert refused(capsys, Path("projct.toml")) == expected
    expected = "File 'sorce.csv' is not in the current folder. Did you mean 'source.csv'?"
    assert refused(capsys, Path("project.toml")) == expected
    assert main(["init", "*.parquet", "target.csv", "--out", "other.toml"]) == 2
    assert "No file matches '*.parquet' in the current folder." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        (("check", "--max-drop", "0.03"), "--max-drop 0.03 means 0.03 percentage points. Did you mean 3?"),
        (("track", "--alert-drop", "0.5"), "--alert-drop 0.5 means 0.5 percentage points. Did you mean 50?"),
        (("check", "--max-drop", "3"), ""),
        (("check", "--max-drop", "0"), ""),
    ],
)
def test_a_drop_below_a_point_gets_a_hint(option: tuple[str, ...], hint: str, tmp_path: Path, capsys: Captured) -> None:
    """It may be meant, so it is not refused; in a log of JSON lines it is an event."""
    command, *options = option
    project = write_project(tmp_path)
    code, _, err = run(capsys, *asked(command, project), *options)
    assert code in (0, 1)
    assert [line for line in err.splitlines() if "Did you mean" in line] == ([f"mandoline: {hint}"] if hint else [])
    if command == "check" and hint:
        lines = run(capsys, "check", project, *options, "--log", "jsonl")[2].splitlines()
        assert [one["message"] for one in map(json.loads, lines) if one["event"] == "hint"] == [hint]


def test_a_metric_in_its_own_unit_gets_no_hint(tmp_path: Path, capsys: Captured) -> None:
    """A drop of 0.03 in a loss is 0.03."""
    source, target, _ = small_frames()
    changes = {"metric": {"name": "mean", "column": "loss"}, "models": None, "task": None}
    project = write_project(tmp_path, changes, source=source.assign(loss=range(len(source))), target=target)
    assert "Did you mean" not in run(capsys, "check", project, "--max-drop", "0.03")[2]


def test_labels_in_the_new_data_are_shown_only_when_revealed(tmp_path: Path, capsys: Captured) -> None:
    """As those of a file of their own: in text, JSON, HTML and the comparison; the library does the same."""
    _, target, labels = small_frames()
    project = write_project(tmp_path, {"target": {"path": "target.csv"}}, target=target.assign(label=labels["label"]))
    truth = float((target["pred_lr"] == labels["label"]).mean())
    for command in ("estimate", "compare"):
        assert run_json(capsys, command, project)["models"]["lr"]["truth"] is None
        assert run_json(capsys, command, project, "--reveal")["models"]["lr"]["truth"] == pytest.approx(truth)
        assert "rue value" not in run(capsys, command, project)[1]
    html = tmp_path / "report.html"
    for options, shown in (((), False), (("--reveal",), True)):
        assert run(capsys, "report", project, "--out", html, *options)[0] == 0
        assert ("The true value is " in html.read_text(encoding="utf-8")) == shown
    report = md.estimate(md.load_project(project))
    assert report.truth is None
    assert report.compare(["source"]).models["lr"].truth is None
    revealed = md.estimate(md.load_project(project), reveal=True)
    assert revealed.compare(["source"]).models["lr"].truth == revealed.truth == pytest.approx(truth)


def test_labels_of_every_row_leave_nothing_to_predict(tmp_path: Path, capsys: Captured) -> None:
    """That is said in place of advice to label more."""
    project = write_project(tmp_path)
    text = " ".join(run(capsys, "labels", project)[1].split())
    assert "Every new row has a label, so there is nothing to predict: the labels alone give the score." in text
    assert "Label more rows" not in text
