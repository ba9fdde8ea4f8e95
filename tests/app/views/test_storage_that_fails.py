"""Storage that fails is said on the page, once, and nothing else is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st

from app.project import state
from app.project.store import Store
from tests.app.pages import open_app, run, said


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
    assert "Projects cannot be kept in 'data': there is a file where the folder should be." in said(app)
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
