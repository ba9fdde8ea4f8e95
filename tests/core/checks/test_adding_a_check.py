"""Adding a check: its file and a line in the list, and every face shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

import mandoline_core as md
from app.project import state
from mandoline_core.checks.check import CheckRule, NotRun
from mandoline_core.checks.checks import CHECKS
from mandoline_core.findings import Finding
from mandoline_core.pipeline import Estimate
from tests.app.pages import open_app, said
from tests.core.made_worlds import sound


class LeapCheck(CheckRule):
    """Ask about the leap day."""

    name = "leap"
    question = "Is the leap day left out?"

    def find(self, estimate: Estimate) -> Iterator[Finding]:
        """Find one row."""
        if estimate.problem.patterns.n_source > 1:
            text, detail = "1 labelled row fell on the leap day.", "No new row did."
            yield Finding("leap", "leap_day", "warning", text, "Leave 1 row out.", detail, numbers={"n": 1})


class SilentCheck(CheckRule):
    """Ask what cannot be asked."""

    name = "silent"
    question = "Can it be asked?"

    def look(self, report: md.ModelReport) -> Iterator[Finding | NotRun]:
        """Say why not."""
        yield NotRun(f"Not of {report.model}.")


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put both checks in the list, and take them out again."""
    for rule in (LeapCheck(), SilentCheck()):
        CHECKS.append(rule)
    yield
    del CHECKS[-2:]


def test_a_new_check_is_in_the_verdict_the_data_and_the_text(listed: None) -> None:
    world = sound(0)
    report = md.estimate(world.source, world.target, world.slices)
    assert report.verdict is not None
    states = {check.name: (check.state, check.words) for check in report.verdict.checks}
    assert states["leap"] == ("doubtful", "1 labelled row fell on the leap day. No new row did.")
    assert states["silent"][0] == "not run"
    assert report.verdict.message.endswith("1 labelled row fell on the leap day. 1 more check did not run.")
    data = json.loads(json.dumps(report.as_dict()))
    (found,) = [finding for finding in data["findings"] if finding["code"] == "leap_day"]
    assert (found["check"], found["numbers"], found["remedy"]) == ("leap", {"n": 1}, "Leave 1 row out.")
    assert "Is the leap day left out?" in [check["question"] for check in data["verdict"]["checks"]]
    assert "fell on the leap day" in " ".join(str(report).split())


def test_a_new_check_is_on_the_trust_page(listed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "store"))
    state.store.clear()
    st.cache_resource.clear()
    text = said(open_app(page="views/result/result.py"))
    st.cache_resource.clear()
    assert "Is the leap day left out?" in text
    assert "1 labelled row fell on the leap day. No new row did." in text
