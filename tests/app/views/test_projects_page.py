"""The Projects page: three ways to a new project, and what is there to open, copy, rename, put away and delete."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from app.project import documents, state
from app.project.store import default_folder
from mandoline_core import estimate, load_project, pack_project
from tests.app.pages import current, labels, numbers, open_app, press, project_id, run, said
from tests.app.uploads import csv, parquet, upload
from tests.core.projects import small_frames, write_project

Write = Callable[[pd.DataFrame], bytes]
SOURCE, TARGET, _ = small_frames()


def projects_page(path: Path | None = None) -> AppTest:
    """Open the Projects page."""
    return open_app(path, "views/projects/projects.py")


def upload_both(app: AppTest, source: tuple[str, bytes], target: tuple[str, bytes]) -> AppTest:
    """Upload a source and a target."""
    upload(app, "Labelled data", *source)
    return upload(app, "New data", *target)


def draft(app: AppTest, kind: str) -> Any:
    """Find a control of the files that are not in use yet."""
    (found,) = [one for one in app.get(kind) if str(one.key).startswith("draft_")]
    return found


def test_a_sample_opens_as_a_project_of_its_own(folder: Path) -> None:
    """What was open stays where its link leads."""
    app = projects_page()
    before = project_id(app)
    press(app, "Open digits")
    assert current(app).name == "digits"
    assert project_id(app) != before
    assert state._project(state.store().head(before).document).name == "reviews"
    assert "On the new data this model is probably right" in said(app)


@pytest.mark.parametrize(
    ("name", "write"),
    [("mine.csv", csv), ("mine.csv.gz", lambda frame: gzip.compress(csv(frame))), ("mine.parquet", parquet)],
)
def test_two_files_become_a_project_with_guessed_roles(folder: Path, name: str, write: Write) -> None:
    app = upload_both(projects_page(), (name, write(SOURCE)), (f"new_{name}", write(TARGET)))
    assert draft(app, "selectbox").value == "label"
    assert draft(app, "multiselect").value == ["pred_lr", "pred_nb"]
    assert current(app).name == "reviews"
    press(app, "Use these files")
    project = current(app)
    assert (project.name, project.label) == ("mine", "label")
    assert [model.name for model in project.models] == ["lr", "nb"]
    assert numbers(app)["Labelled rows"] == "400"
    app.switch_page("views/result/result.py")
    assert numbers(run(app))["New data, true value"] == "not known"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("notes.docx", b"PK", "notes.docx has an unknown file type"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "Line 3 of ragged.csv has 3 fields"),
        ("empty.csv", b"", "empty.csv is empty"),
        ("photo.csv", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "photo.csv is not a text file"),
        ("bad.parquet", b"PAR1 no", "bad.parquet cannot be read as Parquet"),
        ("cut.csv.gz", gzip.compress(b"a,b\n" * 500, mtime=0)[:30], "cut.csv.gz is a damaged gzip file"),
    ],
    ids=["kind", "ragged", "empty", "photo", "parquet", "gzip"],
)
def test_a_wrong_file_is_explained_and_nothing_is_lost(folder: Path, name: str, content: bytes, message: str) -> None:
    app = upload(projects_page(), "Labelled data", name, content)
    assert message in said(app)
    assert current(app).name == "reviews"
    assert "Use these files" not in labels(app)
    upload_both(app, ("good.csv", csv(SOURCE)), ("new.csv", csv(TARGET)))
    assert message not in said(app)
    assert "Use these files" in labels(app)


def test_files_without_a_label_say_what_to_choose(folder: Path) -> None:
    app = upload_both(projects_page(), ("a.csv", csv(TARGET[["text", "n_words"]])), ("b.csv", csv(TARGET)))
    assert "No label is chosen" in said(app)
    assert "Use these files" not in labels(app)


def test_the_same_file_twice_is_noticed(folder: Path) -> None:
    app = upload_both(projects_page(), ("a.csv", csv(SOURCE)), ("b.csv", csv(SOURCE)))
    assert "Both files contain the same rows" in said(app)


def test_guessed_roles_can_be_changed_before_the_files_are_used(folder: Path) -> None:
    app = upload_both(projects_page(), ("a.csv", csv(SOURCE)), ("b.csv", csv(TARGET)))
    draft(app, "multiselect").set_value(["pred_nb"])
    press(run(app), "Use these files")
    assert [model.name for model in current(app).models] == ["nb"]


def test_files_of_numbers_become_a_project_with_a_metric_of_numbers(folder: Path) -> None:
    """It has no slices yet, and every page opens."""
    rows = pd.DataFrame({"size": np.arange(300.0), "price": 7.5 * np.arange(300)})
    rows["prediction"] = rows["price"] + 0.1
    app = upload_both(projects_page(), ("a.csv", csv(rows)), ("b.csv", csv(rows[:90].drop(columns="price"))))
    press(app, "Use these files")
    project = current(app)
    assert (project.label, project.metric.name, project.slices) == ("price", "mae", ())
    assert "The project starts with no slices. Add your own on the Slices page." in said(app)
    app.switch_page("views/result/result.py")
    assert not run(app).exception


def test_uploaded_files_survive_a_change_of_page(folder: Path) -> None:
    app = upload_both(projects_page(), ("a.csv", csv(SOURCE)), ("b.csv", csv(TARGET)))
    app.switch_page("views/result/result.py")
    run(app).switch_page("views/projects/projects.py")
    assert "Use these files" in labels(run(app))


def open_files(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Upload a project file with data files."""
    (uploader,) = [one for one in app.get("file_uploader") if one.label.startswith("Project file")]
    uploader.set_value([(name, content, "") for name, content in files])
    return run(app)


def test_a_project_file_opens_with_its_data(folder: Path) -> None:
    path = write_project(folder)
    names = ("project.toml", "source.csv", "target.csv", "target_labels.csv")
    app = open_files(projects_page(), *((name, (folder / name).read_bytes()) for name in names))
    press(app, "Open this project")
    assert current(app).name == "small"
    app.switch_page("views/result/result.py")
    assert f"{estimate(load_project(path)).estimate:.1%}" in said(run(app))
    assert "Reveal truth" in labels(app)


def test_a_project_file_without_its_data_says_which_files_it_needs(folder: Path) -> None:
    text = write_project(folder, {"source": {"path": "data/mine.csv"}}).read_bytes()
    app = open_files(projects_page(), ("project.toml", text))
    assert "The project also needs mine.csv. Add it to the files above." in said(app)
    assert current(app).name == "reviews"


@pytest.mark.parametrize("bring", [(), ("source.csv",)])
def test_files_of_the_same_name_but_of_another_project_are_asked_for(folder: Path, bring: tuple[str, ...]) -> None:
    """The reviews have a source.csv and a target.csv, too; columns of this project are not in them."""
    source, target = (frame.rename(columns={"pred_lr": "pred_logreg"}) for frame in (SOURCE, TARGET))
    models = [{"name": "logreg", "prediction": "pred_logreg"}]
    path = write_project(folder, {"models": models}, source=source, target=target)
    app = open_files(projects_page(), *((name, (folder / name).read_bytes()) for name in (path.name, *bring)))
    missing = "target.csv. Add it" if bring else "source.csv, target.csv. Add them"
    assert f"The project also needs {missing} to the files above." in said(app)
    assert "The open project's" in said(app)
    assert "Did you mean" not in said(app)
    assert "Open this project" not in labels(app)


def test_labels_in_use_are_not_taken_for_those_of_another_target(folder: Path) -> None:
    """Labels belong to rows: with a target of its own a project does not get the labels of the one in use."""
    (folder / "other").mkdir()
    path = write_project(folder / "other")
    app = projects_page(write_project(folder))
    open_files(app, *((name, (path.parent / name).read_bytes()) for name in ("project.toml", "target.csv")))
    assert "From the open project small: source.csv (400 rows)." in said(app)
    press(app, "Open this project")
    assert current(app).target_labels is None


def test_an_exported_project_opens_on_the_data_in_use(folder: Path) -> None:
    app = projects_page()
    document = state.store().head(project_id(app)).document
    text = documents.project_text(current(app), document["names"]).replace('name = "reviews"', 'name = "second"')
    open_files(app, ("project.toml", text.encode()))
    assert "From the open project reviews: source.csv (6,000 rows), target.csv (1,000 rows)" in said(app)
    assert "To use other files, add them above." in said(app)
    press(app, "Open this project")
    assert current(app).name == "second"
    assert "6,000 labelled rows, 1,000 new rows" in said(app)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([("project.toml", b"name = ")], "project.toml is not valid TOML"),
        ([("a.csv", b"x\n1\n")], "Expected one .toml file or one .zip file. Got 0 .toml and 0 .zip files."),
        ([("project.toml", b"version = 2")], "Expected version = 1"),
    ],
)
def test_a_wrong_project_file_is_explained(folder: Path, files: list[tuple[str, bytes]], message: str) -> None:
    app = open_files(projects_page(), *files)
    assert message in said(app)
    assert current(app).name == "reviews"


def test_a_project_whose_roles_do_not_fit_its_data_is_not_opened(folder: Path) -> None:
    write_project(folder, {"task": {"label": "lable"}})
    names = ("project.toml", "source.csv", "target.csv")
    app = open_files(projects_page(), *((name, (folder / name).read_bytes()) for name in names))
    assert "Column 'lable' is not in source.csv" in said(app)
    assert "Open this project" not in labels(app)


def test_a_zip_opens_with_its_data_and_wrong_ones_are_refused(folder: Path) -> None:
    """The files in it are kept with the project; the numbers are the library's."""
    path = write_project(folder)
    app = open_files(projects_page(), ("project.zip", b"PK no"))
    assert "project.zip cannot be unpacked" in said(app)
    with zipfile.ZipFile(large := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("source.csv", b"n\n" + b"1\n" * 100_000)
    open_files(app, ("large.zip", large.getvalue()))
    assert "large.zip must contain one project file" in said(app)
    assert not [*(default_folder() / "incoming").rglob("*.*")]  # nothing that was unpacked is left
    open_files(app, ("small.zip", pack_project(load_project(path), {"source": "mine.csv"})))
    press(app, "Open this project")
    project = current(app)
    assert project.name == "small"
    assert {one.parent for one in (project.source_path, project.target_path)} == {state.store().files}
    assert state.store().head(project_id(app)).document["names"]["source"] == "mine.csv"
    assert f"{estimate(load_project(path)).estimate:.1%}" in said(app)


@pytest.fixture
def local() -> Iterator[None]:
    """Let the server listen to this computer only."""
    before = st.get_option("server.address")
    config.set_option("server.address", "127.0.0.1")
    yield
    config.set_option("server.address", before)


def act(app: AppTest, what: str, on: str) -> AppTest:
    """Press a button of a project's card."""
    app.button(key=f"{what}:{on}").click()
    return run(app)


def names(app: AppTest) -> list[str]:
    """List the projects on the page, the last changed first."""
    found = [str(one.value) for one in app.markdown if str(one.value).startswith("**")]
    return [one.removeprefix("**").removesuffix("**").replace("\\", "") for one in found[:-2]]


@pytest.mark.usefixtures("local")
def test_projects_are_listed_opened_copied_renamed_put_away_and_deleted(folder: Path) -> None:
    """A project is listed from its first edit on; a copy has its data and outlives it."""
    app = open_app(page="views/slices/slices.py")
    first = project_id(app)
    assert state.store().entries() == []
    app.switch_page("views/projects/projects.py")
    assert names(run(app)) == ["reviews"]  # it is open, whether it was edited or not
    app.switch_page("views/slices/slices.py")
    press(run(app), "Delete")
    app.switch_page("views/projects/projects.py")
    run(app)
    value = f"{estimate(current(app)).estimate:.1%}"
    assert names(app) == ["reviews"]
    assert f"accuracy **{value}" in said(app)
    assert "source.csv and target.csv: 6,000 labelled rows, 1,000 new rows" in said(app)
    assert "Changed just now" in said(app)

    act(app, "duplicate", first)
    assert names(app) == ["reviews (copy)", "reviews"]
    assert current(app).name == "reviews (copy)"
    copy = next(entry.id for entry in state.store().entries() if entry.id != first)
    app.text_input(key=f"rename:{copy}").set_value("*second*")
    run(app)
    assert names(app)[0] == "*second*"
    act(app, "archive", copy)
    assert names(app) == ["reviews"]
    app.toggle(key="show_archived").set_value(True)
    assert len(names(run(app))) == 2
    act(app, "archive", copy)
    act(app, "delete", first)
    assert "This cannot be undone." in said(app)
    assert state.store().exists(first)
    state.store().delete(first)
    assert [entry.id for entry in state.store().entries()] == [copy]
    act(app, "open", copy)
    assert project_id(app) == copy
    assert value in said(app)


def test_on_a_shared_server_everyone_sees_their_own(folder: Path) -> None:
    """Others' projects are not listed; who comes without a link starts on the sample, which is listed while open."""
    other = state.store().create(state._document(load_project(write_project(folder))))
    app = projects_page()
    assert names(app) == ["reviews"]
    press(app, "Open digits")
    app.switch_page("views/projects/projects.py")
    assert names(run(app)) == ["digits"]
    assert "Projects of this visit." in said(app)
    assert "On the new data this model is probably right" in said(open_app())
    assert state.store().exists(other)


@pytest.mark.usefixtures("local")
def test_who_comes_without_a_link_chooses_among_the_projects(folder: Path) -> None:
    """Nothing is made for them until they do."""
    one = state.store().create(state._document(load_project(write_project(folder))))
    app = open_app()
    assert [title.value for title in app.title] == ["Projects"]
    assert names(app) == ["small"]
    assert "Undo" not in labels(app)
    act(app, "open", one)
    assert current(app).name == "small"


def test_the_app_starts_on_a_zip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its data are kept in the store: what was unpacked goes when the server ends."""
    path = write_project(folder)
    (folder / "small.zip").write_bytes(pack_project(load_project(path)))
    monkeypatch.setattr("sys.argv", ["main.py", str(folder / "small.zip")])
    app = open_app()
    assert current(app).source_path.parent == state.store().files
    assert f"{estimate(load_project(path)).estimate:.1%}" in said(app)
