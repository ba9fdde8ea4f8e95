"""A model with one column of probabilities and no predictions, in the app."""

from __future__ import annotations

from pathlib import Path

import pytest

import mandoline_core as md
from tests.app.pages import open_app, run, said
from tests.core.projects import REVIEWS


@pytest.fixture
def project_file(tmp_path: Path) -> Path:
    """Save the reviews sample with the probability of one class alone."""
    project = md.load_project(REVIEWS)
    text = md.dump_project(project)
    start, end = text.index("[[models]]"), text.index("[metric]") if "[metric]" in text else text.index("[[slices]]")
    model = '[[models]]\nname = "lr"\nprobabilities = { positive = "prob_lr_positive" }\n\n'
    for name in ("source.csv", "target.csv", "target_labels.csv"):
        (tmp_path / name).write_bytes((REVIEWS.parent / name).read_bytes())
    (tmp_path / "project.toml").write_text(text[:start] + model + text[end:], encoding="utf-8")
    return tmp_path / "project.toml"


def test_the_app_shows_the_librarys_number(project_file: Path, folder: Path) -> None:
    """On the first page; the pages about slices and data open, too."""
    report = md.estimate(md.load_project(project_file))
    app = open_app(project_file)
    assert report.estimate is not None
    shown = said(app)
    assert f"{100 * report.estimate:.1f}%" in shown
    for page in ("data/data", "slices/slices", "result/result", "share/share"):
        app.switch_page(f"views/{page}.py")
        run(app)
