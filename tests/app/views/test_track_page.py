"""The Track page: batches of new data, estimated as the command line does, kept, alerted on and taken out again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.project import allowed, state, tracking
from tests.app.pages import labels, open_app, press, project_id, run, said
from tests.app.tables import settle
from tests.app.uploads import csv
from tests.core.projects import run as command
from tests.core.projects import small_frame, write_project

TRACK = "views/track/track.py"
UPLOAD, OUT = "Files, one a batch", "Take out"
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


def test_an_empty_page_says_what_it_is_for(folder: Path) -> None:
    """The sample's weeks lead on, in a project of their own."""
    app = open_app(write_project(folder), TRACK)
    assert "New data keep coming" in said(app)
    before = project_id(app)
    settle(press(app, "Show it on the reviews sample"))
    assert project_id(app) != before
    assert list(table(app)) == [f"week-{number}.csv" for number in (6, 5, 4, 3, 2, 1)]
    assert "On the newest batch, **week-6.csv**" in said(app)
