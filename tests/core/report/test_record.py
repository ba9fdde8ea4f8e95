"""What a report is for, how to make it again, and what has changed since an earlier one."""

from __future__ import annotations

import html
import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import mandoline_core as md
from mandoline_core import MandolineError, ProjectError, Report
from mandoline_core.project import parse_project
from mandoline_core.report import gather_parts, read_report
from tests.core.projects import LONG, NEGATION, run, write_project

Captured = pytest.CaptureFixture[str]

DECISION = {"threshold": 0.6, "owner": "<b>Ada</b>", "version": "2.1", "sign_off": ["Head of risk", "<i>Audit</i>"]}


def report(folder: Path, **changes: object) -> Report:
    return md.estimate(md.load_project(write_project(folder, changes)))


def section(page: str, name: str) -> str:
    found = re.search(rf'<section aria-labelledby="{name}">.*?</section>', page, re.DOTALL)
    return "" if found is None else found[0]


def project_of(page: str) -> str:
    found = re.search(r'<pre id="project-file"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def test_the_project_file_inside_makes_the_same_report_again(tmp_path: Path) -> None:
    """With what the caller overrode, files by their names, and the model that comes first."""
    first = report(tmp_path, note="<script>", estimator={"ridge": 0.01})
    page = first.to_html()
    assert str(tmp_path) not in page
    again = md.estimate(parse_project(tomllib.loads(project_of(page)), tmp_path))
    assert again.without_truth().as_dict() == first.without_truth().as_dict()
    assert again.to_html() == page
    overridden = md.estimate(md.load_project(tmp_path / "project.toml"), confidence=0.9)
    again = md.estimate(parse_project(tomllib.loads(project_of(overridden.to_html())), tmp_path))
    assert again.interval == overridden.interval
    other = replace(first, models=dict(reversed(first.models.items())))
    assert md.estimate(parse_project(tomllib.loads(project_of(other.to_html())), tmp_path)).first.model == "nb"


def test_a_report_without_a_project_has_no_project_file(tmp_path: Path) -> None:
    request = report(tmp_path).asked
    page = md.estimate(request.source, request.target, list(request.slices)).to_html()
    assert "project-file" not in page
    assert not section(page, "decision")
    assert not section(page, "sign-off")
    assert not section(page, "since")


def test_every_rule_is_there_in_full(tmp_path: Path) -> None:
    words = [f"word{i}" for i in range(12)]
    page = report(tmp_path, slices=[LONG, {**NEGATION, "words": words}]).to_html()
    assert all(f"&quot;{word}&quot;" in section(page, "slices") for word in words)


def test_the_decision_and_who_signs_are_there(tmp_path: Path) -> None:
    page = report(tmp_path, decision=DECISION).to_html()
    told = section(page, "decision")
    assert "&lt;b&gt;Ada&lt;/b&gt;" in told
    assert "accuracy of at least 60.0%" in told
    assert re.search("Threshold met|Threshold missed|Too close to call", told)
    assert section(page, "sign-off").count("signature") == 3  # its head, and a name of the column in both lines
    assert "&lt;i&gt;Audit&lt;/i&gt;" in section(page, "sign-off")
    assert "Decision: " in str(report(tmp_path, decision=DECISION))


def test_a_later_report_says_what_has_changed(tmp_path: Path) -> None:
    old = report(tmp_path)
    new = report(tmp_path, slices=[NEGATION], models=[{"name": "lr", "prediction": "pred_lr"}])
    told = section(new.to_html(since=old.to_html()), "since")
    for said in (
        f"{old.estimate:.1%}",
        f"{new.estimate:.1%}",
        "The labelled data are the same.",
        "The new data are the same.",
        "Slices removed: long.",
        "Models that are gone: nb.",
    ):
        assert said in told
    assert "Settings have changed" not in told
    assert "Settings have changed" in section(
        md.estimate(old.asked, confidence=0.9).to_html(since=old.to_html()), "since"
    )


def test_an_earlier_report_may_say_anything_and_does_no_harm(tmp_path: Path) -> None:
    page = report(tmp_path).to_html()
    numbers = {"models": {"lr": {"estimate": "<script>", "verdict": {"level": "<b>"}}, "<i>": 3}, "made": "x"}
    fake = f'<script type="application/json" id="numbers">{json.dumps(numbers)}</script>'
    told = section(report(tmp_path).to_html(since=fake), "since")
    assert "&lt;b&gt;" in told
    assert "<b>" not in told
    assert "<i>" not in told
    for wrong in ("", page[:2000], fake.replace('"models"', '"others"'), fake.replace("}</script>", "</script>")):
        with pytest.raises(MandolineError, match="This is not a report of Mandoline"):
            read_report(wrong)


def test_a_backtest_that_was_run_is_in_the_report(tmp_path: Path) -> None:
    found = report(tmp_path)
    tried = found.backtest(draws=2, estimators=["mandoline", "source"]).models["lr"]
    page = gather_parts(found, backtest=tried).to_html()
    assert "Error of every method where the truth is known" in section(page, "backtest")
    assert not section(found.to_html(), "backtest")


def test_the_command_compares_with_an_earlier_report(tmp_path: Path, capsys: Captured) -> None:
    project, old, new = write_project(tmp_path), tmp_path / "old.html", tmp_path / "new.html"
    assert run(capsys, "report", project, "--out", old)[0] == 0
    assert run(capsys, "report", project, "--out", new, "--since", old)[0] == 0
    assert "Change since the last report" in new.read_text(encoding="utf-8")
    code, _, err = run(capsys, "report", project, "--out", new, "--since", project)
    assert code == 2
    assert "This is not a report of Mandoline" in err


def test_a_threshold_that_cannot_be_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="threshold"):
        md.load_project(write_project(tmp_path, {"decision": {"threshold": [0.8]}}))
