"""The examples beside the samples: the workflow's commands and the scikit-learn session do what they say."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.core.projects import REVIEWS, SAMPLE_DATA


def test_the_session_runs_and_its_interval_holds_the_truth(capsys: pytest.CaptureFixture[str]) -> None:
    """The metric weighted by scikit-learn is the estimate."""
    names = runpy.run_path(str(SAMPLE_DATA / "scikit_learn_session.py"))
    out = capsys.readouterr().out
    weighted, estimate = re.findall(r"(?:score|estimate): (0\.\d+)", out)
    assert weighted == estimate
    truth = float(re.findall(r"truth: (0\.\d+)", out)[0])
    low, high = names["report"].interval
    assert low <= truth <= high
    assert names["report"].verdict.level != "red"
    for shown in ("report", "table", "comparison"):
        assert "<table>" in names[shown]._repr_html_()


def test_the_workflows_commands_run(tmp_path: Path) -> None:
    """As a job would run them, in a folder with the sample in the place of the project."""
    shutil.copytree(REVIEWS.parent, tmp_path / "reviews")
    text = (SAMPLE_DATA / "github_workflow.yml").read_text(encoding="utf-8")
    commands = [line for line in re.findall(r"run: (.+)", text) if not line.startswith("pip ")]
    assert [line.split()[:2] for line in commands] == [
        ["mandoline", "check"],
        ["cat", "summary.md"],
        ["mandoline", "report"],
    ]
    folder = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    environment["GITHUB_STEP_SUMMARY"] = str(tmp_path / "shown.md")
    for command in commands[:2]:  # the report is tested where it is made
        done = subprocess.run(
            ["bash", "-ec", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert ET.parse(tmp_path / "junit.xml").getroot().get("failures") == "0"  # noqa: S314 - we wrote it
    assert "every rule is met" in (tmp_path / "shown.md").read_text(encoding="utf-8")
    kept = re.findall(r"^ {12}(\S+)$", text, flags=re.MULTILINE)
    assert kept == ["junit.xml", "report.html"]
