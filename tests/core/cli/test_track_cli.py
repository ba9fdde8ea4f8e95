"""`mandoline track`: one target after the other, those done before kept, alerts for the last."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import mandoline_core as md
from mandoline_core.monitoring import AlertRule, TargetEstimates, Track, find_targets, track_targets
from mandoline_core.schemas import read_schema
from tests.core.projects import REVIEWS, run, run_json, small_frame, write_project

Captured = pytest.CaptureFixture[str]


def write_weeks(folder: Path, shares: list[float]) -> Path:
    """Write the small project, and a target for each share of negated texts, in which models err more often."""
    project = write_project(folder)
    (folder / "weekly").mkdir()
    for week, share in enumerate(shares, start=8):
        frame = small_frame(300, share_negated=share, share_long=0.5, seed=week).drop(columns="label")
        frame.to_parquet(folder / "weekly" / f"week-{week}.parquet")
    return project


def test_every_target_is_as_estimated_alone(tmp_path: Path, capsys: Captured) -> None:
    """In the order of their numbers, 8 and 9 before 10; as published."""
    project = write_weeks(tmp_path, [0.2, 0.4, 0.6])
    pattern = str(tmp_path / "weekly" / "*.parquet")
    found = run_json(capsys, "track", project, "--targets", pattern)
    assert [Path(one["target"]).stem for one in found["targets"]] == ["week-8", "week-9", "week-10"]
    jsonschema.Draft202012Validator(json.loads(read_schema("track"))).validate(found)
    alone = tmp_path / "alone.toml"
    alone.write_text(
        project.read_text(encoding="utf-8").replace("target.csv", "weekly/week-10.parquet"), encoding="utf-8"
    )
    report = md.estimate(md.load_project(alone))
    last = found["targets"][-1]["models"]
    assert {name: last[name]["estimate"] for name in last} == {n: m.estimate for n, m in report.models.items()}
    assert last["lr"]["verdict"] == report.first.verdict.level  # type: ignore[union-attr]


def test_what_was_done_is_kept(tmp_path: Path) -> None:
    """A second time nothing is estimated; a new target or a changed file is; a changed project starts anew."""
    path = write_weeks(tmp_path, [0.2, 0.6])
    memory, pattern = tmp_path / "memory.json", str(tmp_path / "weekly" / "*")

    def kept() -> list[bool]:
        found = track_targets(md.load_project(path), find_targets(pattern), memory=memory)
        assert all(one.error is None for one in found.targets)
        return [one.kept for one in found.targets]

    assert kept() == [False, False]
    first = json.loads(memory.read_text(encoding="utf-8"))
    assert kept() == [True, True]
    assert json.loads(memory.read_text(encoding="utf-8")) == first
    frame = small_frame(300, share_negated=0.5, share_long=0.5, seed=99).drop(columns="label")
    frame.to_parquet(tmp_path / "weekly" / "week-9.parquet")
    assert kept() == [True, False]
    path.write_text(path.read_text(encoding="utf-8").replace("above = 10", "above = 12"), encoding="utf-8")
    assert kept() == [False, False]
    memory.write_text('{"format": 1, "project": "x", "done": {"a": [[[', encoding="utf-8")
    assert kept() == [False, False]


def point(estimate: float) -> dict[str, Any]:
    """Make what is kept of an estimate."""
    ends = [estimate - 0.02, estimate + 0.02]
    return {
        "estimate": estimate,
        "interval": ends,
        "source": 0.9,
        "converged": True,
        "verdict": "amber",
        "n_target": 100,
    }


@pytest.mark.parametrize(
    ("base", "alerts"),
    [("source", ["b", "c", "d"]), ("first", ["b", "c", "d"]), ("previous", ["b", "d"])],
)
def test_alerts_are_for_drops_from_their_base(base: str, alerts: list[str], tmp_path: Path) -> None:
    """From 0.89 to 0.84, 0.83, 0.75: each 3 points below the source and the first, two below the one before."""
    project = md.load_project(write_project(tmp_path))
    values = {"a": 0.89, "b": 0.84, "c": 0.83, "d": 0.75}
    targets = tuple(TargetEstimates(name, name, {"lr": point(value)}) for name, value in values.items())
    track = Track(project, targets, AlertRule(3, base))
    assert [target for target, _ in track.alerts] == alerts
    assert len(track.newest_alerts) == 1
    assert "75.0%" in track.newest_alerts[0]


def test_only_the_last_target_sets_the_exit_code(tmp_path: Path, capsys: Captured) -> None:
    project = write_weeks(tmp_path, [0.2, 0.9, 0.2])
    pattern = str(tmp_path / "weekly" / "*")
    code, out, err = run(capsys, "track", project, "--targets", pattern, "--alert-drop", "8")
    assert (code, err) == (0, "")
    assert out.count("ALERT") >= 1
    (tmp_path / "weekly" / "week-10.parquet").unlink()
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-drop", "8")
    assert code == 1
    assert "on the source, more than 8." in err


def test_a_target_that_cannot_be_used_is_named(tmp_path: Path, capsys: Captured) -> None:
    """The others are estimated, and it ends with 2."""
    project = write_weeks(tmp_path, [0.2])
    (tmp_path / "weekly" / "week-9.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    table = tmp_path / "track.csv"
    code, out, err = run(capsys, "track", project, "--targets", str(tmp_path / "weekly" / "*"), "--csv", table)
    assert code == 2
    assert "week-9.csv: " in err
    assert "week-8.parquet" in out
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert [row["model"] for row in rows] == ["lr", "nb", ""]
    assert float(rows[0]["low"]) < float(rows[0]["estimate"]) < float(rows[0]["high"])
    assert "pred_lr" in rows[2]["error"]


def test_a_worst_score_alerts_whichever_way_is_better(tmp_path: Path, capsys: Captured) -> None:
    """Alone, and beside a drop; it must be a score that there can be."""
    project = write_weeks(tmp_path, [0.2, 0.9])
    pattern = str(tmp_path / "weekly" / "*")
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-under", "0.75", "--alert-drop", "8")
    assert code == 1
    (lr,) = [line for line in err.splitlines() if "of lr" in line]
    assert "is below 75.0%." in lr
    assert "more than 8." in lr
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-under", "75")
    assert code == 2
    assert "--alert-under must be between 0 and 1. Got 75. Did you mean 0.75?" in err


def test_limits_are_where_alerts_begin(tmp_path: Path) -> None:
    """Level against the source, one step behind the estimates against the target before; the stricter of two."""
    project = md.load_project(write_project(tmp_path))
    values = {"a": 0.89, "b": 0.84, "c": 0.83}
    targets = tuple(TargetEstimates(name, name, {"lr": point(value)}) for name, value in values.items())

    def limits(rule: AlertRule) -> list[list[float]]:
        return [[round(end, 6) for end in one.limits] for one in Track(project, targets, rule).points("lr")]

    assert limits(AlertRule(3)) == [[0.87]] * 3
    assert limits(AlertRule(3, "previous")) == [[], [0.86], [0.81]]
    assert limits(AlertRule(3, "previous", worst=0.85)) == [[0.85], [0.86], [0.85]]


def test_no_match_is_said(tmp_path: Path, capsys: Captured) -> None:
    code, _, err = run(capsys, "track", write_project(tmp_path), "--targets", str(tmp_path / "none*.csv"))
    assert code == 2
    assert "No file matches" in err


def test_the_page_escapes_and_asks_for_nothing(tmp_path: Path) -> None:
    """A chart a model with its table; names are text; no request is allowed."""
    project = md.load_project(write_project(tmp_path, {"name": "<script>alert(1)</script>"}))
    targets = tuple(TargetEstimates(f"<b>{name}", name, {"<i>m": point(0.8)}) for name in "ab")
    page = Track(project, targets, AlertRule(3)).to_html()
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert page.count("<figure") == 1


def test_numbers_below_zero_are_numbers_in_csv() -> None:
    """What begins with a minus is a formula only where it is text."""
    numbers = {"estimate": -0.25, "interval": (-0.5, 0.0), "source": -0.1}
    point = {**numbers, "converged": True, "verdict": None, "n_target": 3}
    found = Track(md.load_project(REVIEWS), (TargetEstimates("-week", "a", {"=lr": point}),))
    _, line = found.to_csv().splitlines()
    assert line == "'-week,'=lr,-0.25,-0.5,0.0,-0.1,,3,0,"
