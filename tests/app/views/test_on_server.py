"""Data on the server, from the Projects page to an estimate; and what uploads may not bring."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.project import server_files, state, uploads
from mandoline_core import load_project
from mandoline_core.project import pack_project
from tests.app.pages import MAIN, current, labels, open_app, press, project_id, run, said
from tests.app.tables import settle, write_tables
from tests.app.uploads import upload


@pytest.fixture
def data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Allow a folder with tables."""
    found = folder / "data"
    for side in ("source", "target"):
        (found / side).mkdir(parents=True)
    monkeypatch.setenv(server_files.VARIABLE, str(found))
    path = write_tables(found, copies=2)
    for file in found.glob("*.parquet"):
        file.rename(found / file.stem[:-1] / file.name)
    path.write_text(path.read_text().replace("source*", "source/*").replace("target*", "target/*"))
    return found


def projects_page() -> AppTest:
    return open_app(page="views/projects/projects.py")


def choose(app: AppTest, side: str, path: str) -> AppTest:
    app.selectbox(key=f"server_{side}").set_value(path)
    return run(app)


def type_path(side: str, path: str) -> AppTest:
    """Type what is not in the list, which the framework's own test widget cannot once it is drawn."""
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    app.switch_page("views/projects/projects.py")
    app.session_state[f"server_{side}"] = path
    return run(app)


def test_without_an_allowed_folder_nothing_is_offered() -> None:
    assert "Use data on the server" not in [tab.label for tab in projects_page().tabs]


def test_tables_on_the_server_lead_to_an_estimate(data: Path) -> None:
    app = projects_page()
    assert "Use data on the server" in [tab.label for tab in app.tabs]
    app.selectbox(key="server_engine").set_value("polars")
    settle(choose(app, "source", "source/*.parquet"))
    settle(choose(app, "target", "target/*.parquet"))
    press(app, "Use this data")
    project = current(settle(app))
    assert (project.source_path, project.source_engine) == (data / "source" / "*.parquet", "polars")
    assert "The project starts with one slice" in said(app)
    assert "effective rows" in said(app)
    document = state.store().head(project_id(app)).document
    assert document["server"] == ["source", "target"]
    assert document["names"] == {"source": "source/*.parquet", "target": "target/*.parquet"}


@pytest.mark.parametrize("path", ["../secret.csv", "/etc/passwd", "link.csv"])
def test_a_path_that_leads_out_is_refused_beside_its_box(data: Path, path: str) -> None:
    (data.parent / "secret.csv").write_text("x\n1\n")
    (data / "link.csv").symlink_to(data.parent / "secret.csv")
    app = type_path("source", path)
    (error,) = app.error
    assert path.rsplit("/", 1)[-1] in error.value.replace("\\", "")
    assert "Use this data" not in labels(app)


@pytest.mark.long
def test_a_link_that_comes_later_is_refused_when_the_project_is_opened(data: Path) -> None:
    app = projects_page()
    choose(choose(app, "source", "source/source0.parquet"), "target", "target/target0.parquet")
    press(settle(app), "Use this data")
    (data.parent / "secret.parquet").write_bytes((data / "target" / "target0.parquet").read_bytes())
    (data / "target" / "target0.parquet").unlink()
    (data / "target" / "target0.parquet").symlink_to(data.parent / "secret.parquet")
    app.switch_page("views/result/result.py")
    run(app)
    assert "target0.parquet is a link to a place outside the allowed folders" in said(app)


def test_engines_and_paths_in_an_uploaded_project_file_count_for_nothing(folder: Path) -> None:
    text = (
        write_tables(folder).read_text().replace('engine = "polars"', 'engine = "spark"\nmaster = "spark://evil:7077"')
    )
    app = upload(projects_page(), UPLOADER, "tables.toml", text.encode())
    assert "The project also needs source*.parquet, target*.parquet" in said(app)
    assert "Open this project" not in labels(app)


@pytest.mark.long
def test_a_project_file_may_name_data_that_the_server_allows(data: Path) -> None:
    app = upload(projects_page(), UPLOADER, "tables.toml", (data / "tables.toml").read_bytes())
    press(settle(app), "Open this project")
    project = current(settle(app))
    assert project.source_path == data / "source" / "*.parquet"
    assert project.source_engine is None


@pytest.mark.long
def test_a_zip_brings_no_engine(folder: Path) -> None:
    packed = pack_project(load_project(write_one_file_each(folder)))
    app = upload(projects_page(), UPLOADER, "tables.zip", packed)
    press(app, "Open this project")
    project = current(app)
    assert project.source_engine is None
    assert project.source_path.is_relative_to(state.store().files)


def test_an_upload_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 2**20)
    bomb = gzip.compress(b"text,label\n" + b"a" * 2**22)
    app = upload(projects_page(), "Labelled data", "bomb.csv.gz", bomb)
    assert "bomb.csv.gz unpacks to more than" in said(app)
    assert list(state.store().incoming.rglob("*.gz")) == []


UPLOADER = "Project file (.toml) with its data files, or a .zip of both"


def write_one_file_each(folder: Path) -> Path:
    path = write_tables(folder)
    path.write_text(path.read_text().replace("*.parquet", "0.parquet"))
    return path
