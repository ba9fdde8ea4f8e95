"""The Data page reads text as numbers: a guess with a preview, an edit that undo takes back, kept in the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.pages import labels, open_app, press, said
from tests.german import german_export

PROJECT = """version = 1
[source]
path = "alt.csv"
[target]
path = "neu.csv"
[task]
label = "Ergebnis"
[[models]]
name = "m"
prediction = "Vorhersage"
[[slices]]
name = "here"
kind = "category"
column = "Ort"
values = ["Ulm"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Write a messy export, and a project that declares nothing."""
    for name, rows in zip(("alt", "neu"), german_export(), strict=True):
        rows.to_csv(tmp_path / f"{name}.csv", sep=";", index=False, encoding="cp1252")
    path = tmp_path / "project.toml"
    path.write_text(PROJECT, encoding="utf-8")
    return path


def test_text_that_reads_as_numbers_is_offered_with_a_preview_and_kept(project: Path) -> None:
    app = open_app(project, "views/data/data.py")
    assert "Alter: stored as text; 97.4% read as numbers" in said(app).replace("**", "")
    assert "would be missing (such as 'k.A.')" in said(app)
    press(app, "Treat Alter as numbers")
    assert "Alter: text read as numbers. " in said(app).replace("**", "")
    assert "are missing (such as 'k.A.')" in said(app)
    press(app, "Accept all")
    assert not [label for label in labels(app) if label.endswith(("as numbers", "as dates"))]
    press(app, "Treat Alter as text")
    assert "Treat Alter as numbers" in labels(app)
