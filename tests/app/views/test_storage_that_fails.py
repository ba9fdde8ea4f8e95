"""Storage that fails is said on the page, once, and nothing else is drawn."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.project import state
from app.project.store import Store
from app.project.store.database import Database
from tests.app.pages import current, open_app, press, project_id, run, said
from tests.core.projects import REVIEWS

FULL = "The disk is full. Nothing was saved."
CLOSED = "Cannot open the saved projects: attempt to write a readonly database. Nothing was saved."
Trouble = Callable[[str], None]


@pytest.fixture(autouse=True)
def _no_store_is_kept() -> None:
    st.cache_resource.clear()


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback, no second error from a page that goes on without its projects."""
    (tmp_path / "data").write_text("")
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "data"))
    app = run(open_app())
    assert not app.exception
    assert len(app.error) == 1
    assert "Cannot save projects in 'data': there is a file where the folder should be." in said(app)
    st.cache_resource.clear()


def test_a_database_set_aside_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of projects says where the damaged file is."""
    Store(tmp_path).close()
    (tmp_path / "projects.sqlite").write_bytes(b"damaged" * 1000)
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path))
    app = open_app()
    app.switch_page("views/projects/projects.py")
    run(app)
    assert not app.exception
    aside = state.store().set_aside
    assert aside is not None
    assert any(aside.name in warning.value for warning in app.warning)
    st.cache_resource.clear()


@pytest.fixture
def trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trouble:
    """Let the database refuse what it would refuse on a disk that is full or closed, until told otherwise."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path))
    opened = Database._open
    state.store()

    def begin(setting: str) -> None:
        def troubled(self: Database) -> sqlite3.Connection:
            database = opened(self)
            if setting:
                database.execute(f"PRAGMA {setting}")
            return database

        monkeypatch.setattr(Database, "_open", troubled)
        state.store().close()  # whoever asks next gets a new connection

    return begin


def toasts(app: AppTest) -> list[str]:
    return [toast.value.replace("\\", "") for toast in app.toast]


def rename(app: AppTest, name: str) -> AppTest:
    app.text_input(key="project_name").set_value(name)
    return run(app)


@pytest.mark.parametrize(("setting", "sentence"), [("max_page_count = 1", FULL), ("query_only = ON", CLOSED)])
def test_an_edit_that_cannot_be_saved_is_said_and_made_once_there_is_room(
    trouble: Trouble, setting: str, sentence: str
) -> None:
    """The page stays as it is, with its numbers; the same edit works as soon as the disk does."""
    app = open_app(REVIEWS)
    before = current(app)
    trouble(setting)
    app.text_area(key="project_note").set_value("to remember " * 2000)  # as much as needs a page of its own
    run(app)
    assert [toast.startswith(sentence) for toast in toasts(app)] == [True]
    assert not app.error
    assert app.metric
    trouble("")
    assert current(app) == before
    rename(app, "by another name")
    assert current(app).name == "by another name"


def test_whatever_is_pressed_while_nothing_can_be_written_gets_a_sentence(trouble: Trouble) -> None:
    """Undo, another model, the truth, the archive and a copy: all are refused in words, none is done."""
    app = rename(open_app(REVIEWS), "first")
    trouble("query_only = ON")
    for act in (
        lambda: press(app, "Undo"),
        lambda: run(_choose(app)),
        lambda: press(app, "Reveal truth"),
    ):
        act()
        assert [toast.startswith(CLOSED) for toast in toasts(app)] == [True]
        assert not app.error
    app.switch_page("views/projects/projects.py")
    run(app)
    key = project_id(app)
    for button in ("archive", "duplicate"):
        app.button(key=f"{button}:{key}").click()
        run(app)
        assert [toast.startswith(CLOSED) for toast in toasts(app)] == [True]
    trouble("")
    assert current(app).name == "first"
    run(app)
    assert not app.error


def _choose(app: AppTest) -> AppTest:
    box = app.selectbox(key="model")
    box.select(next(option for option in box.options if option != box.value))
    return app


def test_a_visitor_who_cannot_have_a_project_is_told_once(trouble: Trouble) -> None:
    """There is nothing to show without one."""
    trouble("query_only = ON")
    app = run(open_app())
    assert len(app.error) == 1
    assert CLOSED in said(app)
    trouble("")
    assert run(app).metric


def test_damage_that_comes_to_light_on_a_page_is_one_sentence(trouble: Trouble, tmp_path: Path) -> None:
    """No traceback on any page."""
    trouble("")
    app = open_app(REVIEWS)
    path = tmp_path / "projects.sqlite"
    state.store().close()
    path.write_bytes(path.read_bytes()[:4096] + bytes(path.stat().st_size - 4096))
    for page in ("result", "slices", "projects", "share"):
        app.switch_page(f"views/{page}/{page}.py")
        run(app)
        assert len(app.error) == 1
        assert "The file of saved projects is damaged: " in said(app)


def test_a_state_that_was_damaged_can_be_left(trouble: Trouble, tmp_path: Path) -> None:
    """The page says what is wrong, and Undo leads to the state before."""
    trouble("")
    app = rename(open_app(REVIEWS), "damaged")
    with state.store()._transaction() as database:
        database.execute("UPDATE revision SET document = substr(document, 2) WHERE number = 1")
    run(app)
    assert "The saved project was damaged on the disk and cannot be read." in said(app)
    press(app, "Undo")
    assert not app.error
    assert app.metric
