"""`mandoline suggest`: the contract of its JSON, the project it writes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import mandoline_core as md
from tests.core.projects import LONG, refused, run, run_json, write_project

Captured = pytest.CaptureFixture[str]
KEYS = ("rule", "words", "source", "target", "estimate", "interval", "effect", "z", "effective_sample_size", "reason")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a project whose only slice is on length; its models err on negated texts, which became frequent."""
    return write_project(tmp_path, {"slices": [LONG]})


def test_auto_prints_the_contract_and_writes_the_project(project: Path, capsys: Captured) -> None:
    """The project that it writes gives the estimate that it prints, with a note that says why a slice is there."""
    out = project.parent / "more" / "grown.toml"
    out.parent.mkdir()
    found = run_json(capsys, "suggest", project, "--auto", "--most", 3, "--out", out)
    assert 1 <= len(found["suggestions"]) <= 3
    for one in found["suggestions"]:
        assert all(key in one for key in KEYS)
    assert found["accepted"]
    assert set(found["estimate"]) == set(found["interval"]) == set(found["verdict"]) == {"lr", "nb"}
    grown = md.load_project(out)
    assert [rule.name for rule in grown.slices] == ["long", *found["accepted"]]
    assert all(rule.enabled for rule in grown.slices)
    report = md.estimate(grown)
    for name, model in report.models.items():
        assert found["estimate"][name] == pytest.approx(model.estimate)
        assert found["interval"][name] == pytest.approx(model.interval, rel=1e-3)  # which allows for choosing
        assert found["verdict"][name]["level"] == model.verdict.level


def test_without_auto_the_project_has_the_suggestions_switched_off(project: Path, capsys: Captured) -> None:
    out = project.parent / "grown.toml"
    code, text, _ = run(capsys, "suggest", project, "--out", out)
    assert code == 0
    assert "suggested slices" in text
    grown = md.load_project(out)
    new = [rule for rule in grown.slices if rule.name != "long"]
    assert new
    assert not any(rule.enabled for rule in new)
    assert all(rule.note for rule in new)
    assert md.estimate(grown).estimate == md.estimate(md.load_project(project)).estimate


def test_what_is_never_wanted_is_not_suggested(project: Path, capsys: Captured) -> None:
    first = run_json(capsys, "suggest", project, "--most", 1)["suggestions"][0]["rule"]["name"]
    again = run_json(capsys, "suggest", project, "--most", 1, "--never", first)["suggestions"]
    assert all(one["rule"].get("name") != first for one in again)


def test_it_refuses_to_write_over_its_own_project(project: Path, capsys: Captured) -> None:
    assert "would be overwritten" in refused(capsys, project, "--out", project, command="suggest")


def test_a_place_that_is_not_there_is_said_in_a_sentence(project: Path, capsys: Captured) -> None:
    place = project.parent / "nowhere" / "grown.toml"
    assert "Cannot write" in refused(capsys, project, "--most", 1, "--out", place, command="suggest")
