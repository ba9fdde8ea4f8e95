"""Projects whose rows stay in tables, and pages that wait for what goes on in the background."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from streamlit.testing.v1 import AppTest

from mandoline_core import load_project, read_table, save_project
from tests.app.pages import run
from tests.core.projects import REVIEWS

PATIENCE = 60.0  # seconds


def write_tables(folder: Path, copies: int = 1) -> Path:
    """Write the reviews sample as a project on two tables, each of so many files."""
    project = load_project(REVIEWS)
    for side in ("source", "target"):
        frame = read_table(project.base / getattr(project, f"{side}_path"))
        for number in range(copies):
            frame.to_parquet(folder / f"{side}{number}.parquet")
    tables = replace(
        project,
        base=folder,
        source_path=Path("source*.parquet"),
        target_path=Path("target*.parquet"),
        source_engine="polars",
        target_engine="polars",
        target_labels=None,
    )
    save_project(tables, folder / "tables.toml")
    return folder / "tables.toml"


def is_working(app: AppTest) -> bool:
    """Tell whether a page shows work that can be stopped."""
    return any(str(button.key).startswith("stop_") for button in app.button)


def settle(app: AppTest) -> AppTest:
    """Wait until what goes on in the background is done."""
    deadline = time.monotonic() + PATIENCE
    while is_working(app):
        assert time.monotonic() < deadline
        time.sleep(0.1)
        run(app)
    return app
