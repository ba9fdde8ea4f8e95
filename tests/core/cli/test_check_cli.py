"""`mandoline check`: exit codes, what is printed where, and the files that jobs read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import mandoline_core as md
from tests.core.projects import PROJECT, run, run_json, write_project

Captured = pytest.CaptureFixture[str]
HOSTILE = '<img src=x onerror="alert(1)"> & | `a` *b* [c](javascript:1) \x1b\x00\n::error::d'


def hostile(folder: Path) -> Path:
    """Write the small project, with a model's name that would take effect wherever it is not escaped."""
    models = [PROJECT["models"][0], PROJECT["models"][1] | {"name": HOSTILE}]
    return write_project(folder, {"models": models, "name": "a <b> project"})


def test_every_model_is_checked_against_every_rule(tmp_path: Path, capsys: Captured) -> None:
    """The first passes, the second does not: 1, and one sentence on standard error for the rule that is not met."""
    project = write_project(tmp_path)
    report = md.estimate(md.load_project(project))
    between = (report.models["lr"].estimate + report.models["nb"].estimate) / 2
    code, out, err = run(capsys, "check", project, "--min", between, "--max-drop", "99")
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()[3:7]] == [
        ["lr", "min"],
        ["lr", "max-drop"],
        ["nb", "min"],
        ["nb", "max-drop"],
    ]
    assert out.endswith("1 rule not met.\n")
    assert re.fullmatch(r"mandoline: nb: the estimate [\d.]+% is below [\d.]+%\.\n", err)


def test_what_is_met_exits_with_zero(tmp_path: Path, capsys: Captured) -> None:
    code, out, err = run(capsys, "check", write_project(tmp_path), "--min", "0.1", "--verdict", "red")
    assert (code, err) == (0, "")
    assert out.endswith("Every rule is met.\n")


def test_quiet_says_nothing_but_what_is_not_met(tmp_path: Path, capsys: Captured) -> None:
    project = write_project(tmp_path)
    assert run(capsys, "check", project, "--min", "0.1", "--quiet") == (0, "", "")
    code, out, err = run(capsys, "check", project, "--min", "0.99", "--quiet")
    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--min", "90"], "--min must be between 0 and 1. Got 90. Did you mean 0.9?"),
        (["--max-drop", "-1"], "--max-drop must be a number, 0 or more. Got -1."),
        (
            ["--verdict", "ambre"],
            "--verdict must be one of confirmed, green, amber, red. Got 'ambre'. Did you mean 'amber'?",
        ),
        (["--junit", "{folder}/source.csv"], "is part of the project and would be overwritten"),
    ],
)
def test_bad_input_exits_with_two(options: list[str], words: str, tmp_path: Path, capsys: Captured) -> None:
    project = write_project(tmp_path)
    code, out, err = run(capsys, "check", project, *(option.format(folder=tmp_path) for option in options))
    assert (code, out) == (2, "")
    assert words in err


def test_json_has_every_rule_and_the_estimates(tmp_path: Path, capsys: Captured) -> None:
    project = write_project(tmp_path)
    found = run_json(capsys, "check", project, "--min", "0.1")
    report = md.estimate(md.load_project(project))
    assert found["passed"] is True
    assert {name: model["estimate"] for name, model in found["models"].items()} == {
        name: model.estimate for name, model in report.models.items()
    }
    assert [(rule["model"], rule["rule"], rule["met"]) for rule in found["rules"]] == [
        ("lr", "min", True),
        ("nb", "min", True),
    ]


def test_log_lines_are_json(tmp_path: Path, capsys: Captured) -> None:
    """Started, progress, a line a rule, finished; bad input, too."""
    project = write_project(tmp_path)
    code, _, err = run(capsys, "check", project, "--min", "0.99", "--log", "jsonl")
    lines = [json.loads(line) for line in err.splitlines()]
    assert code == 1
    assert [line["event"] for line in lines if line["event"] != "progress"] == ["started", "rule", "rule", "finished"]
    assert lines[-1]["passed"] is False
    code, out, err = run(capsys, "check", tmp_path / "none.toml", "--log", "jsonl")
    assert (code, out, json.loads(err)["event"]) == (2, "", "error")


def test_junit_has_a_case_a_model_and_rule(tmp_path: Path, capsys: Captured) -> None:
    """Well-formed whatever the names; failures say why."""
    place = tmp_path / "junit.xml"
    code, _, _ = run(capsys, "check", hostile(tmp_path), "--min", "0.99", "--verdict", "red", "--junit", place)
    suites = ET.parse(place).getroot()  # noqa: S314 - we wrote it
    (suite,) = suites
    assert code == 1
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "2", "0")
    cases = list(suite)
    assert [len(case) for case in cases] == [1, 0, 1, 0]
    assert str(cases[2].get("name")).startswith('<img src=x onerror="alert(1)">')
    assert "is below 99.0%" in str(cases[0][0].get("message"))


def test_no_name_starts_a_line_of_the_log(tmp_path: Path, capsys: Captured) -> None:
    """A build server takes lines for commands; a terminal takes control characters for them."""
    _, out, err = run(capsys, "check", hostile(tmp_path), "--min", "0.99")
    assert "::error::d" in out
    assert not [line for line in (out + err).splitlines() if line.startswith("::")]
    assert "\x1b" not in out + err


def test_markdown_shows_names_as_they_are(tmp_path: Path, capsys: Captured) -> None:
    """No name starts a tag, a link or a cell."""
    place = tmp_path / "summary.md"
    run(capsys, "check", hostile(tmp_path), "--min", "0.99", "--markdown", place)
    text = place.read_text(encoding="utf-8")
    assert "<" not in text
    assert "](" not in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 4
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {6}
    assert "2 of 2 rules not met" in text
