"""Settings that the app's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.project import state


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep projects in a folder of the test's own."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "store"))
    state.store.clear()
    return tmp_path
