"""Settings that the app's tests share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from app.project import state

# Every AppTest asks all installed packages whether they bring components, which takes as long as drawing a page; what
# is installed does not change while tests run.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep projects in a folder of the test's own."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "store"))
    state.store.clear()
    return tmp_path
