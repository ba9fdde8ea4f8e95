"""The Track page: batches of new data, estimated as the command line does, kept, alerted on and taken out again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app import compute
from app.compute.jobs import jobs
from app.project import Batch, Workspace, server_files, state, track_plan
from mandoline_core.monitoring import AlertRule
from tests.app.pages import labels, open_app, press, project_id, run, said
from tests.app.tables import settle
from tests.app.uploads import csv
from tests.app.views.test_vocabulary import CODE_WORDS, texts
from tests.core.projects import run as command
from tests.core.projects import small_frame, write_project

TRACK, SLICES = "views/track/track.py", "views/slices/slices.py"
UPLOAD = "Files, one per batch"
Captured = pytest.CaptureFixture[str]


def week(share: float, seed: int) -> bytes:
    """Make a batch in which a share of the texts is negated, where models err more often."""
    return csv(small_frame(200, share_negated=share, share_long=0.4, seed=seed).drop(columns="label"))


WEEKS = {"week-10.csv": week(0.8, 3), "week-9.csv": week(0.3, 2), "week-8.csv": week(0.2, 1)}


def give(app: AppTest, files: dict[str, bytes]) -> AppTest:
    """Upload files at once, and wait until they are estimated on."""
    (uploader,) = [one for one in app.get("file_uploader") if one.label == UPLOAD]
    uploader.set_value([(name, content, "") for name, content in files.items()])
    return settle(run(app))


def table(app: AppTest) -> dict[str, str]:
    """Return what the table says of each batch, from the top."""
    found = app.dataframe[0].value
    return dict(zip(found["batch"], found["estimate"], strict=True))


def workspace(app: AppTest) -> Workspace:
    return state._workspace(project_id(app), state.store().head(project_id(app)))


def n_estimated(app: AppTest) -> int:
    """Count the batches that the last run was for."""
    found = jobs().get(("track", project_id(app)))
    assert found is not None
    return len(found.tasks)


def again(app: AppTest, page: str = TRACK) -> AppTest:
    """Open the project's link anew, as after a refresh or a restart."""
    found = AppTest.from_file(str(app._script_path), default_timeout=60)
    found.switch_page(page)
    found.query_params["project"] = project_id(app)
    return settle(run(found))


def test_an_empty_page_says_what_it_is_for_and_offers_the_sample(folder: Path) -> None:
    """The sample's weeks come in a project of their own, in their order."""
    app = open_app(write_project(folder), TRACK)
    assert "Upload one file per batch" in said(app)
    before = project_id(app)
    press(app, "Try the reviews sample")
    assert project_id(app) != before
    assert list(table(app)) == [f"week-{number}.csv" for number in (6, 5, 4, 3, 2, 1)]
    if "Cancel" in labels(app):
        press(app, "Cancel")


def test_numbers_are_those_of_the_command(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """CSV and JSON are the same to the last byte, with the same rule; one more batch is the only one estimated."""
    project = write_project(folder)
    app = give(open_app(project, TRACK), {name: WEEKS[name] for name in ("week-10.csv", "week-8.csv")})
    assert list(table(app)) == ["week-10.csv", "week-8.csv"]
    assert n_estimated(app) == 2
    give(app, {"week-9.csv": WEEKS["week-9.csv"]})
    assert n_estimated(app) == 1
    app.number_input(key="alert_drop").set_value(4.0)
    run(app)
    assert "worse than on the labelled data (80.8%), more than the limit of 4.0 points." in app.warning[
        0
    ].value.replace("\\", "")
    assert [text for text in texts(app) if CODE_WORDS.search(text)] == []

    (folder / "weekly").mkdir()
    monkeypatch.chdir(folder / "weekly")
    for name, content in WEEKS.items():
        Path(name).write_bytes(content)
    options = ["--targets", "*.csv", "--alert-drop", "4", "--csv", folder / "track.csv", "--json"]
    code, out, _ = command(capsys, "track", project, *options)
    assert code == 1
    found = compute.track_state(workspace(app))
    assert compute.track_json(found) == out.rstrip("\n")
    assert found.track.to_csv() == (folder / "track.csv").read_text(encoding="utf-8")
    assert found.track.alerts


def test_later_labels_and_rules_are_those_of_the_command(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels named like their batch, a rule on verdicts and on false alarms: the same JSON, to the last byte."""
    project = write_project(folder)
    app = give(open_app(project, TRACK), WEEKS)
    shown = small_frame(200, share_negated=0.3, share_long=0.4, seed=2)[["label"]]
    (uploader,) = [one for one in app.get("file_uploader") if one.label == "Labels that arrived later"]
    uploader.set_value([("week-9.csv", csv(shown), ""), ("stray.csv", b"label\npositive\n", "")])
    settle(run(app))
    assert "stray.csv is not named like a batch" in said(app).replace("\\", "")
    assert app.dataframe[0].value["by labels"].tolist()[1].endswith(")")
    assert "2 of 2 true values were inside the interval" in said(app)  # of two models
    app.multiselect(key="track_out").set_value(["stray.csv (labels)"])
    press(run(app), "Remove")
    settle(app)
    assert "stray" not in said(app).replace("Removed stray.csv", "")
    app.selectbox(key="alert_verdict").set_value("amber")
    app.number_input(key="alert_false").set_value(5.0)
    run(app)
    assert "Worst verdict: " in said(app)
    assert [text for text in texts(app) if CODE_WORDS.search(text)] == []

    for name in ("weekly", "labels"):
        (folder / name).mkdir()
    for name, content in WEEKS.items():
        (folder / "weekly" / name).write_bytes(content)
    (folder / "labels" / "week-9.csv").write_bytes(csv(shown))
    monkeypatch.chdir(folder)
    options = ["--alert-verdict", "amber", "--false-alarms", "5%", "--labels", "labels/*.csv", "--json"]
    _, out, _ = command(capsys, "track", project, "--targets", "weekly/*.csv", *options)
    assert compute.track_json(compute.track_state(workspace(app))) == out.rstrip("\n")


def test_batches_survive_refresh_and_undo_and_can_be_taken_out(folder: Path) -> None:
    """An edit of the slices estimates anew, undo takes the old numbers back; who takes one out can undo that, too."""
    app = give(open_app(write_project(folder), TRACK), WEEKS)
    first = table(app)
    assert table(again(app)) == first
    other = again(app, SLICES)
    other.session_state["kept:editing"] = "negation"
    press(run(other), "Delete")
    assert table(again(app)) != first
    press(other, "Undo")
    assert table(again(app)) == first
    app = again(app)
    app.multiselect(key="track_out").set_value(["week-9.csv"])
    press(run(app), "Remove")
    assert list(table(app)) == ["week-10.csv", "week-8.csv"]
    press(app, "Undo")
    assert table(app) == first


def test_a_bad_file_gets_its_sentence_and_spoils_no_other(folder: Path) -> None:
    """What is no table is not kept; what lacks a column is named and stays until it is taken out."""
    name = "week-99 <b>$x$.csv"
    files = {"week-8.csv": WEEKS["week-8.csv"], "notes.csv": b"", name: b"a,b\n1,2\n"}
    app = give(open_app(write_project(folder), TRACK), files)
    found = table(app)
    assert list(found) == [name, "week-8.csv"]
    assert found[name] == "unusable"
    assert found["week-8.csv"].endswith(")")
    errors = [error.value for error in app.error]
    assert [error.replace("\\", "").split(".")[0] for error in errors] == [
        f"Column 'pred_lr' is not in {name.removesuffix('.csv')}",
        "notes",
    ]
    assert "\\<b>" in errors[0]
    assert "No estimate on the newest batch" in said(app)
    assert list(state.store().incoming.rglob("*.csv")) == []


MEAN = {"metric": {"name": "mean", "column": "n_words"}, "models": None, "task": None}


@pytest.mark.parametrize(
    ("changes", "label", "worst"),
    [
        ({"metric": {"name": "error"}}, "Alert when above (%)", 5.0),
        (MEAN, "Alert when below (mean)", 1000.0),
    ],
    ids=["error", "mean"],
)
def test_alerts_mean_what_the_metric_means(folder: Path, changes: dict[str, Any], label: str, worst: float) -> None:
    app = give(open_app(write_project(folder, changes), TRACK), {"week-8.csv": WEEKS["week-8.csv"]})
    assert app.number_input(key="alert_worst").label == label
    app.number_input(key="alert_worst").set_value(worst)
    run(app)
    assert app.dataframe[0].value["alert"].tolist() == ["alert"]


def test_the_projects_threshold_alerts_unless_another_score_is_given(folder: Path) -> None:
    app = give(open_app(write_project(folder, {"decision": {"threshold": 0.85}}), TRACK), {"w.csv": week(0.9, 1)})
    assert app.dataframe[0].value["alert"].tolist() == ["alert"]
    field = app.number_input(key="alert_worst")
    assert (field.value, field.placeholder) == (None, "85 (threshold)")
    field.set_value(10.0)
    run(app)
    assert app.dataframe[0].value["alert"].tolist() == [""]
    app.number_input(key="alert_worst").set_value(None)
    run(app)
    assert app.dataframe[0].value["alert"].tolist() == ["alert"]


def test_a_worst_score_of_another_metric_is_left_out(folder: Path) -> None:
    """It would be no accuracy: nobody is alerted by it, and the page can be used."""
    app = open_app(write_project(folder), TRACK)
    (folder / "week-8.csv").write_bytes(WEEKS["week-8.csv"])
    plan = track_plan.TrackPlan((Batch("week-8.csv", folder / "week-8.csv"),), AlertRule(worst=1000.0))
    track_plan.save_plan(state.store(), project_id(app), "track", lambda _: plan)
    settle(run(app))
    assert app.number_input(key="alert_worst").value is None
    assert app.dataframe[0].value["alert"].tolist() == [""]


def test_a_promise_that_a_metric_cannot_keep_is_said(folder: Path) -> None:
    """The page stays usable: the estimates are there, without that rule."""
    frame = small_frame(400, share_negated=0.2, share_long=0.3, seed=1)
    frame = frame.assign(guess=frame["n_words"] + [0, 1] * 200)
    numbers = {
        "metric": {"name": "bias"},
        "task": {"label": "n_words"},
        "models": [{"name": "lr", "prediction": "guess"}],
        "slices": [{"name": "negation", "kind": "keyword", "column": "text", "words": ["not"]}],
        "edges": None,
    }
    app = open_app(write_project(folder, numbers, source=frame, target=frame.drop(columns=["label", "n_words"])), TRACK)
    frame.drop(columns=["label", "n_words"]).to_csv(folder / "week-8.csv", index=False)
    plan = track_plan.TrackPlan((Batch("week-8.csv", folder / "week-8.csv"),), AlertRule(false_alarms=0.05))
    track_plan.save_plan(state.store(), project_id(app), "track", lambda _: plan)
    settle(run(app))
    assert "does not support metric 'bias'" in said(app)
    assert app.dataframe[0].value["alert"].tolist() == [""]


def test_what_is_wrong_for_all_is_said_once(folder: Path) -> None:
    broken = {"name": "gone", "kind": "threshold", "column": "no_such", "above": 1}
    app = give(open_app(write_project(folder, {"slices": [broken]}), TRACK), WEEKS)
    (error,) = app.error
    assert error.value.replace("\\", "").startswith("week-8.csv, week-9.csv, week-10.csv: Slice 'gone'")


def test_a_batch_opens_as_a_project_of_its_own(folder: Path) -> None:
    """With the same numbers; the project that tracks it stays as it is."""
    app = give(open_app(write_project(folder), TRACK), WEEKS)
    first, tracks = table(app), project_id(app)
    press(app, "Open as a project")
    assert project_id(app) != tracks
    opened = workspace(app)
    assert (opened.project.name, opened.names["target"]) == ("small, week-10", "week-10.csv")
    app.switch_page("views/data/data.py")
    assert first["week-10.csv"].split(" ")[0] in said(run(app))


def test_a_link_for_looking_shows_and_offers_nothing(folder: Path) -> None:
    app = give(open_app(write_project(folder), TRACK), {"week-8.csv": WEEKS["week-8.csv"]})
    app.number_input(key="alert_worst").set_value(85.0)
    run(app)
    other = AppTest.from_file(str(app._script_path), default_timeout=60)
    other.switch_page(TRACK)
    other.query_params["view"] = state.store().sharing.share(project_id(app), "view")
    settle(run(other))
    assert table(other) == table(app)
    assert "Alerts: below 85.0%." in said(other)
    assert not other.get("file_uploader")
    assert not other.number_input
    assert not other.multiselect


def test_files_on_the_server_are_tracked_as_they_come(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern stands for a batch a file, also for those that come later; what leads out is refused."""
    data = folder / "data"
    data.mkdir()
    monkeypatch.setenv(server_files.VARIABLE, str(data))
    for name in ("week-8.csv", "week-10.csv"):
        (data / name).write_bytes(WEEKS[name])
    app = open_app(write_project(folder), TRACK)
    app.selectbox(key="track_server:0").set_value("*.csv")
    settle(run(app))
    assert list(table(app)) == ["week-10.csv", "week-8.csv"]
    (data / "week-9.csv").write_bytes(WEEKS["week-9.csv"])
    settle(run(app))
    assert list(table(app)) == ["week-10.csv", "week-9.csv", "week-8.csv"]
    assert n_estimated(app) == 1
    (folder / "secret.csv").write_bytes(WEEKS["week-9.csv"])
    (data / "week-9.csv").unlink()
    (data / "week-9.csv").symlink_to(folder / "secret.csv")
    settle(run(app))
    assert "week-9.csv is a link to a place outside the allowed folders" in said(app)


def test_who_stopped_it_goes_on_when_they_like(folder: Path) -> None:
    """A page that is opened again does not start what was stopped."""
    app = open_app(write_project(folder), TRACK)
    batches = [Batch(name, folder / name) for name in WEEKS]
    for batch in batches:
        batch.path.write_bytes(WEEKS[batch.name])
    track_plan.save_plan(state.store(), project_id(app), "track", lambda plan: track_plan.add_batches(plan, batches))
    stopped = compute.start_track(workspace(app))
    stopped.stop()
    stopped.wait()
    assert list(table(run(app)).values()).count("running") >= 2
    assert "Cancel" not in labels(app)
    settle(press(app, "Resume"))
    assert "running" not in table(app).values()
