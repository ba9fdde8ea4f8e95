"""The frame around every page: undo that nothing takes away, what to take home, and links for looking."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app import compute
from app.project import state
from app.project.documents import save_edit
from app.views import frame
from mandoline_core import estimate, load_project
from mandoline_core.cli.main import main as command
from tests.app.pages import add, current, labels, numbers, open_app, press, project_id, run, said
from tests.core.projects import run_json, write_project

SLICES = "views/slices/slices.py"


def is_off(app: AppTest, label: str) -> bool:
    """Tell whether a button is there but does nothing yet."""
    (button,) = [one for one in app.button if one.label == label]
    return bool(button.disabled)


def test_undo_and_redo_are_there_when_there_is_something_to_undo(folder: Path) -> None:
    app = open_app(page=SLICES)
    assert (is_off(app, "Undo"), is_off(app, "Redo")) == (True, True)
    press(app, "Delete")
    assert (is_off(app, "Undo"), is_off(app, "Redo")) == (False, True)
    press(app, "Undo")
    assert (is_off(app, "Undo"), is_off(app, "Redo")) == (True, False)


@pytest.mark.parametrize(
    "breaks",
    [
        lambda text: text.replace('kind = "keyword"', 'kind = "no such kind"', 1),  # cannot be read at all
        lambda text: text.replace('label = "label"', 'label = "lable"'),  # cannot be estimated
        lambda text: text.replace("source.csv", "gone.csv"),  # the data cannot be read
    ],
)
def test_whatever_breaks_undo_brings_it_back(folder: Path, breaks: object) -> None:
    """A state that no page can show says why, once, and is left with Undo."""
    app = open_app(write_project(folder))
    document = state.store().head(project_id(app)).document
    broken = {**document, "toml": breaks(document["toml"])}  # type: ignore[operator]
    assert broken != document
    state.store().save(project_id(app), broken, "break it")
    run(app)
    assert app.error
    assert not is_off(app, "Undo")
    press(app, "Undo")
    assert not app.error
    assert current(app).name == "small"
    assert "Raw result" in said(app) or "On the new data" in said(app)


def test_a_note_goes_with_the_project(folder: Path) -> None:
    app = open_app(write_project(folder))
    (note,) = [one for one in app.text_area if one.label == "Project note"]
    note.set_value("for Monday")
    run(app)
    assert current(app).note == "for Monday"
    assert 'note = "for Monday"' in str(state.exporter(workspace(app), frame._as_text)())


def workspace(app: AppTest) -> state.Workspace:
    """Return what is open."""
    return state._workspace(project_id(app), state.store().head(project_id(app)))


def test_what_is_taken_home_has_the_command_lines_digits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Zip, JSON and weights: the zip runs on the command line and gives what the app gives, to the last digit."""
    app = open_app(write_project(folder))
    shown = workspace(app)
    packed = state.exporter(shown, frame._as_zip)()
    assert packed == state.exporter(shown, frame._as_zip)()
    assert zipfile.ZipFile(io.BytesIO(packed)).namelist() == [  # type: ignore[arg-type]
        "project.toml",
        "source.csv",
        "target.csv",
        "target_labels.csv",
    ]
    path = folder / "home.zip"
    path.write_bytes(packed)  # type: ignore[arg-type]
    assert json.loads(state.exporter(shown, compute.estimate_json)()) == run_json(capsys, "estimate", path)
    assert command(["estimate", str(path), "--weights", str(folder / "weights.csv")]) == 0
    weights = [line.partition(",") for line in str(state.exporter(shown, compute.weights_csv)()).splitlines()]
    assert [rest for _, _, rest in weights] == (folder / "weights.csv").read_text().splitlines()
    assert [number for number, _, _ in weights[:3]] == ["row", "1", "2"]
    assert len(pd.read_csv(folder / "weights.csv")) == 400


def test_a_link_for_looking_shows_everything_and_changes_nothing(folder: Path) -> None:
    """Models and truth can be looked at, by this visitor alone; a copy can be edited."""
    path = write_project(folder)
    project = state.store().create(state._document(load_project(path)))
    state.store().save(project, state.store().head(project).document, "an edit")
    before = state.store().head(project)
    app = AppTest.from_file(str(Path(frame.__file__).parents[1] / "main.py"), default_timeout=60)
    app.query_params["view"] = state.store().sharing.share(project, "view")
    run(app)
    assert "project" not in app.query_params
    assert not {"Undo", "Redo"} & set(labels(app))
    assert project not in "".join(code.value for code in app.code)
    (model,) = [one for one in app.selectbox if one.label == "Model"]
    model.set_value("nb")
    run(app)
    report = estimate(load_project(path), reveal=True)
    assert f"{report.models['nb'].estimate:.1%}" in said(app)
    press(app, "Reveal truth")
    assert numbers(app)["New data, true value"] == f"{report.models['nb'].truth:.1%}"
    app.switch_page(SLICES)
    app.session_state["kept:editing"] = "negation"
    run(app)
    press(app, "Delete")
    add(app, "keyword")
    assert "Restore this version" not in labels(press(app, "History"))
    assert state.store().head(project).document == before.document
    assert state.store().head(project).number == before.number
    press(app, "Make my own copy")
    assert project_id(app) != project
    assert "view" not in app.query_params
    assert current(app).name == "small (copy)"
    assert not {"Make my own copy"} & set(labels(app))


def test_a_wrong_link_for_looking_says_so(folder: Path) -> None:
    app = AppTest.from_file(str(Path(frame.__file__).parents[1] / "main.py"), default_timeout=60)
    app.query_params["view"] = "nothing"
    assert "The project of this link no longer exists." in said(run(app))
    assert [title.value for title in app.title] == ["Projects"]
    assert not {"view", "project"} & set(app.query_params)  # and no project is made for it


def test_an_edit_in_another_tab_is_noticed(folder: Path) -> None:
    """The next time that the page is drawn; one's own edits are not."""
    app = open_app(write_project(folder))
    project = project_id(app)
    app.switch_page(SLICES)
    run(app)
    app.session_state["kept:editing"] = "negation"
    press(run(app), "Delete")
    assert not [one for one in app.toast if "Changed in another tab" in one.value]
    save_edit(state.store(), project, "rename project", lambda found: replace(found, name="other"))
    app.switch_page("views/result/result.py")
    noticed = [one.value for one in run(app).toast]
    assert any("Changed in another tab or by someone else" in one and "rename project" in one for one in noticed)


def test_an_edit_on_an_older_state_is_brought_together_or_refused(folder: Path) -> None:
    """Two tabs on one link: other slices are no matter; the same setting is refused once, and then seen."""
    first = open_app(write_project(folder), SLICES)
    second = AppTest.from_file(str(Path(frame.__file__).parents[1] / "main.py"), default_timeout=60)
    second.switch_page("views/data/data.py")
    second.query_params["project"] = project_id(first)
    run(second)
    press(first, "Delete")
    second.selectbox(key="role_metric").set_value("error")
    run(second)
    assert [rule.name for rule in current(first).slices] == ["long"]
    assert current(first).metric.name == "error"
    third = AppTest.from_file(str(Path(frame.__file__).parents[1] / "main.py"), default_timeout=60)
    third.switch_page("views/data/data.py")
    third.query_params["project"] = project_id(first)
    run(third)
    second.selectbox(key="role_metric").set_value("accuracy")
    run(second)
    third.selectbox(key="role_metric").set_value("recall")
    run(third)
    assert current(first).metric.name == "accuracy"
    assert third.selectbox(key="role_metric").value == "accuracy"
    third.selectbox(key="role_metric").set_value("recall")
    run(third)
    assert current(first).metric.name == "recall"
    press(second, "Undo")
    assert current(first).metric.name == "recall"
