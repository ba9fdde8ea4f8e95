"""`mandoline track`: one target after the other, those done before kept, alerts, and labels that arrive later."""

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
from mandoline_core.project import project_hits
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
    """A second time nothing is estimated; a new target or a changed file is; a changed project starts again."""
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


def point(estimate: float, verdict: str = "amber", **more: Any) -> dict[str, Any]:
    """Make what is kept of an estimate."""
    ends = [estimate - 0.02, estimate + 0.02]
    return {
        "estimate": estimate,
        "interval": ends,
        "source": 0.9,
        "converged": True,
        "verdict": verdict,
        "doubts": f"{verdict} for a reason.",
        "n_target": 100,
        "errors": {"source_in_estimate": 0.006, "source_in_change": 0.002, "target": 0.005},
        "slices": {"short": [0.2, 0.3]},
        "realised": None,
    } | more


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
    assert "75.0%" in track.alert_sentences[0]
    earlier = [target for target in alerts if target != "d"]
    assert track.alert_sentences[1].endswith(f": {', '.join(earlier)}.")


def test_every_target_counts_for_the_exit_code(tmp_path: Path, capsys: Captured) -> None:
    """A bad week in the past is not forgotten; the newest is described in full."""
    project = write_weeks(tmp_path, [0.2, 0.9, 0.2])
    pattern = str(tmp_path / "weekly" / "*")
    code, out, err = run(capsys, "track", project, "--targets", pattern, "--alert-drop", "8")
    assert code == 1
    assert out.count("ALERT") >= 1
    assert "Alerts on 1 earlier batch: week-9.parquet." in err
    (tmp_path / "weekly" / "week-10.parquet").unlink()
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-drop", "8")
    assert code == 1
    assert "worse than on the labelled data (73.0%), more than the limit of 8.0 points." in err


def test_a_rule_on_verdicts_alerts_at_that_level_and_worse(tmp_path: Path) -> None:
    """Also where there is no estimate. The worst light is named with its reason, whatever the last one is."""
    project = md.load_project(write_project(tmp_path))
    levels = {"a": "green", "b": "red", "c": "amber"}
    targets = tuple(TargetEstimates(name, name, {"lr": point(0.9, level)}) for name, level in levels.items())
    lost = point(0.9, "red", interval=None, converged=False) | {"estimate": None}
    targets = (*targets, TargetEstimates("d", "d", {"lr": lost}), TargetEstimates("e", "e", {"lr": point(0.9)}))
    track = Track(project, targets, AlertRule(verdict="red"))
    assert [target for target, _ in track.alerts] == ["b", "d"]
    assert [target for target, _ in Track(project, targets, AlertRule(verdict="amber")).alerts] == list("bcde")
    assert track.alerts["b", "lr"] == "b: the verdict of lr is red (Do not quote yet). red for a reason."
    said = "Worst verdict: Do not quote yet, on 2 of 5 batches, last on d. red for a reason."
    assert track.worst_light() == ("red", said)
    assert said in str(track)
    assert said in track.to_html()
    assert track.as_dict()["worst_verdict"] == {"level": "red", "message": said}
    both = Track(project, targets, AlertRule(worst=0.95, verdict="red")).alerts["b", "lr"]
    assert both == (
        "b: the estimate of lr is 90.0%, below 95.0%. The verdict of lr is red (Do not quote yet). red for a reason."
    )


def test_red_weeks_end_with_1(tmp_path: Path, capsys: Captured) -> None:
    """Every batch here is so far from the labelled data that its verdict is red."""
    project = write_weeks(tmp_path, [0.2])
    frame = small_frame(300, share_negated=0.5, share_long=0.5, seed=3).drop(columns="label")
    frame.assign(n_words=frame["n_words"] + 20).to_parquet(tmp_path / "weekly" / "week-7.parquet")
    pattern = str(tmp_path / "weekly" / "*")
    code, out, _ = run(capsys, "track", project, "--targets", pattern)
    assert (code, "Worst verdict: Do not quote yet" in out) == (0, True)
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-verdict", "red")
    assert code == 1
    assert "week-7.parquet" in err
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-verdict", "yellow")
    assert code == 2
    assert "--alert-verdict must be one of" in err


def test_false_alarms_bound_the_whole_run(tmp_path: Path) -> None:
    """A fall within sampling error alerts only once several batches agree; the chart's limit is where alerts begin."""
    project = md.load_project(write_project(tmp_path))
    rule = AlertRule(false_alarms=0.05)

    def alerts(values: list[float], rule: AlertRule = rule, **more: Any) -> list[str]:
        targets = [TargetEstimates(f"{i}", "", {"lr": point(value, **more)}) for i, value in enumerate(values)]
        track = Track(project, tuple(targets), rule)
        beyond = [one.estimate < one.limits[0] for one in track.points("lr")]
        assert beyond == [(target.target, "lr") in track.alerts for target in targets]
        return [target for target, _ in track.alerts]

    assert alerts([0.9] * 20) == []
    assert alerts([0.885] * 5) == ["2", "3", "4"]
    assert alerts([0.9] * 10 + [0.86]) == ["10"]
    assert alerts([0.86] * 3 + [0.91]) == ["0", "1", "2"]  # what is as good as before never alerts
    assert alerts([0.885] * 20, AlertRule(drop=1, false_alarms=0.05)) == []  # one point is allowed
    assert alerts([0.78] * 3, AlertRule(worst=0.8, false_alarms=0.05)) == []  # the source's own error counts here
    assert alerts([0.77] * 3, AlertRule(worst=0.8, false_alarms=0.05)) != []
    # However many batches agree, they do not outvote the error of the rows they share.
    shared = {"source_in_estimate": 0.02, "source_in_change": 0.01, "target": 0.001}
    assert alerts([0.885] * 200, errors=shared) == []
    with pytest.raises(md.MandolineError, match="--alert-against"):
        AlertRule(base="first", false_alarms=0.05)
    with pytest.raises(md.MandolineError, match="such as mandoline"):
        alerts([0.8], errors=None)


def test_false_alarms_are_read_as_percentages(tmp_path: Path, capsys: Captured) -> None:
    project = write_weeks(tmp_path, [0.3, 0.9])
    pattern = str(tmp_path / "weekly" / "*")
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--false-alarms", "5%")
    assert code == 1
    assert "beyond sampling error." in err
    for wrong in ("5", "often"):
        code, _, err = run(capsys, "track", project, "--targets", pattern, "--false-alarms", wrong)
        assert code == 2
        assert "such as 5%" in err


def write_labels(folder: Path) -> tuple[Path, list[Path]]:
    """Write three weeks with an id; labels of the first in a file of its name, of the second in one by key."""
    project = write_project(folder)
    (folder / "weekly").mkdir()
    (folder / "labels").mkdir()
    for week in (1, 2, 3):
        frame = small_frame(300, share_negated=0.3, share_long=0.5, seed=week)
        frame = frame.assign(id=[f"{week}-{row}" for row in range(len(frame))])
        frame.drop(columns="label").to_csv(folder / "weekly" / f"week-{week}.csv", index=False)
        if week == 1:
            frame[["label"]].to_csv(folder / "labels" / "week-1.csv", index=False)
        if week == 2:
            frame[["id", "label"]].sample(60, random_state=1).to_csv(folder / "labels" / "later.csv", index=False)
    return project, sorted((folder / "labels").iterdir())


def test_labels_that_arrive_later_are_laid_beside(tmp_path: Path, capsys: Captured) -> None:
    """In the batch's row order, or by key; with the project's record, in every output; estimates stay as they were."""
    project, _ = write_labels(tmp_path)
    targets = ["--targets", str(tmp_path / "weekly" / "*")]
    before = run_json(capsys, "track", project, *targets)
    assert before["hits"] is None
    found = run_json(capsys, "track", project, *targets, "--labels", str(tmp_path / "labels" / "*"))
    jsonschema.Draft202012Validator(json.loads(read_schema("track"))).validate(found)
    one, two, three = (target["models"]["lr"] for target in found["targets"])
    assert [target["models"]["lr"]["estimate"] for target in before["targets"]] == [
        target["models"]["lr"]["estimate"] for target in found["targets"]
    ]
    frame = small_frame(300, share_negated=0.3, share_long=0.5, seed=1)
    assert one["realised"]["value"] == pytest.approx((frame["label"] == frame["pred_lr"]).mean())
    assert one["realised"]["interval"][0] < one["realised"]["value"] < one["realised"]["interval"][1]
    assert [one["realised"]["n_labels"], two["realised"]["n_labels"], three["realised"]] == [300, 60, None]
    assert found["hits"]["n"] == 4  # two batches, two models
    page, table = tmp_path / "track.html", tmp_path / "track.csv"
    _, out, _ = run(capsys, "track", project, *targets, "--html", page, "--csv", table)
    assert "by labels" not in out.splitlines()[3]  # nobody gave the labels this time
    assert found["hits"]["message"] in out  # but what they showed is kept
    _, out, _ = run(
        capsys, "track", project, *targets, "--labels", str(tmp_path / "labels" / "*"), "--html", page, "--csv", table
    )
    assert ", 60 labels" in out
    assert found["hits"]["message"] in out
    assert found["hits"]["message"] in page.read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table.read_text(encoding="utf-8"))))
    assert float(rows[0]["realised"]) == one["realised"]["value"]
    assert rows[-1]["n_labels"] == ""


def test_labels_in_the_column_of_a_batch_count(tmp_path: Path) -> None:
    """Of all its rows or of some, and without a file."""
    project = md.load_project(write_project(tmp_path))
    frame = small_frame(300, share_negated=0.3, share_long=0.5, seed=1)
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.assign(label=frame["label"].where(frame.index < 40)).to_csv(tmp_path / "some.csv", index=False)
    frame.drop(columns="label").to_csv(tmp_path / "none.csv", index=False)
    track = track_targets(project, [tmp_path / f"{name}.csv" for name in ("all", "some", "none")])
    shown = [one.models["lr"]["realised"] for one in track.targets]
    assert [one and one["n_labels"] for one in shown] == [300, 40, None]
    right = (frame["label"] == frame["pred_lr"])[:40].mean()
    assert shown[1]["value"] == pytest.approx(right)


def test_the_record_keeps_the_estimates_that_stood(tmp_path: Path) -> None:
    """A later change of the slices estimates anew, but does not polish the record; more labels replace fewer."""
    path, labels = write_labels(tmp_path)
    memory, targets = tmp_path / "memory.json", find_targets(str(tmp_path / "weekly" / "*"))

    def entries() -> dict[tuple[str, str], Any]:
        track = track_targets(md.load_project(path), targets, labels=labels, memory=memory)
        return {(one["target"], one["model"]): one for one in track.record}

    first = entries()
    assert set(first) == {(week, model) for week in ("week-1", "week-2") for model in ("lr", "nb")}
    path.write_text(path.read_text(encoding="utf-8").replace("above = 10", "above = 12"), encoding="utf-8")
    assert entries() == first
    more = small_frame(300, share_negated=0.3, share_long=0.5, seed=2)
    more = more.assign(id=[f"2-{row}" for row in range(300)])[["id", "label"]]
    more.head(200).to_csv(tmp_path / "labels" / "later.csv", index=False)
    second = entries()["week-2", "lr"]
    assert second["n_labels"] == 200
    assert second["estimate"] == first["week-2", "lr"]["estimate"]
    hits = project_hits(memory, "accuracy")
    assert hits is not None
    assert hits.n == 4
    assert project_hits(memory, "accuracy", level="no such level") is None
    assert project_hits(memory, "f1") is None


def test_labels_that_fit_no_batch_are_said(tmp_path: Path, capsys: Captured) -> None:
    """The estimates are there all the same, and it ends with 2."""
    project, _ = write_labels(tmp_path)
    (tmp_path / "labels" / "week-1.csv").write_text("label\npositive\n", encoding="utf-8")
    (tmp_path / "labels" / "later.csv").write_text("label\npositive\n", encoding="utf-8")
    labels = str(tmp_path / "labels" / "*")
    code, out, err = run(capsys, "track", project, "--targets", str(tmp_path / "weekly" / "*"), "--labels", labels)
    assert code == 2
    assert out.count("%") >= 6
    assert "week-1.csv has 1 rows, but week-1.csv has 300" in err
    assert "later.csv is not named like a batch and has no column of row IDs." in err


def test_no_path_of_the_machine_is_told(tmp_path: Path, capsys: Captured) -> None:
    """Batches are called what they are below their common folder, wherever that is."""
    project, _ = write_labels(tmp_path)
    outputs = [tmp_path / "track.html", tmp_path / "track.csv"]
    options = ["--alert-drop", "0", "--html", outputs[0], "--csv", outputs[1], "--json"]
    pattern = str(tmp_path / "weekly" / "*")
    _, out, err = run(capsys, "track", project, "--targets", pattern, *options)
    written = [out, err, *(path.read_text(encoding="utf-8") for path in outputs)]
    assert all(str(tmp_path) not in text for text in written)
    assert [one["target"] for one in json.loads(out)["targets"]] == ["week-1.csv", "week-2.csv", "week-3.csv"]


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
    assert "%, below 75.0% and " in lr
    assert "more than the limit of 8.0 points." in lr
    code, _, err = run(capsys, "track", project, "--targets", pattern, "--alert-under", "75")
    assert code == 2
    assert "--alert-under must be between 0 and 1. Got 75. Did you mean 0.75?" in err


def test_the_projects_threshold_alerts_unless_told_otherwise(tmp_path: Path, capsys: Captured) -> None:
    project = write_weeks(tmp_path, [0.2, 0.9])
    project.write_text(f"{project.read_text(encoding='utf-8')}\n[decision]\nthreshold = 0.75\n", encoding="utf-8")
    pattern = str(tmp_path / "weekly" / "*")
    code, _, err = run(capsys, "track", project, "--targets", pattern)
    assert code == 1
    assert "%, below 75.0%." in err
    assert run(capsys, "track", project, "--targets", pattern, "--alert-under", "0.1")[0] == 0
    project.write_text(project.read_text(encoding="utf-8").replace("= 0.75", "= 75"), encoding="utf-8")
    code, _, err = run(capsys, "track", project, "--targets", pattern)
    assert code == 2
    assert "threshold must be between 0 and 1. Got 75. Did you mean 0.75?" in err


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
    assert page.count("<figure") == 2


def test_numbers_below_zero_are_numbers_in_csv() -> None:
    """What begins with a minus is a formula only where it is text."""
    shown = {"value": -0.2, "interval": [-0.3, -0.1], "n_labels": 3}
    below = point(-0.25, interval=(-0.5, 0.0), source=-0.1, verdict=None, n_target=3, realised=shown)
    found = Track(md.load_project(REVIEWS), (TargetEstimates("-week", "a", {"=lr": below}),))
    _, line = found.to_csv().splitlines()
    assert line == "'-week,'=lr,-0.25,-0.5,0.0,-0.1,,3,0,,-0.2,-0.3,-0.1,3"
