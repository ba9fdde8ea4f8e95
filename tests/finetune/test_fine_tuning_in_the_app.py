"""The app runs the method when asked to, shows how far it is, and stops it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import mandoline_core as md
from app import compute
from app.compute.jobs import jobs, results
from app.project import state
from mandoline_core.estimators.registry import ESTIMATORS
from tests.app.pages import labels, open_app, press, project_id, run
from tests.finetune.test_fine_tuned_estimates import write_project

PAGE = "views/result/result.py"
TITLE = "Fine-tuned classifier (CBIW-FT)"


@pytest.fixture
def project(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Write a project that names the tiny model; of the methods on columns only this one is there."""
    monkeypatch.setenv("MANDOLINE_DATA_DIR", str(tmp_path / "kept"))
    state.store.clear()
    results.clear()
    for name in [name for name in ESTIMATORS if compute.pace_of(name) == "slow" and name != "cbiw_finetuned"]:
        monkeypatch.delitem(ESTIMATORS, name)
    (tmp_path / "data").mkdir()
    yield write_project(tmp_path / "data", Path(os.path.realpath(folder)))
    for left in jobs().values():
        left.stop()
        left.wait(30)


def test_the_page_runs_it_when_asked_and_says_the_same(project: Path) -> None:
    """Not before; in the background, and with the library's number."""
    app = open_app(project, PAGE, tab="Methods")
    (button,) = [label for label in labels(app) if label.startswith("Run the methods on columns")]
    app = press(app, button)
    found = jobs().get(("slow", project_id(app)))
    assert found is not None
    shares = []
    while found.running:
        shares.append(found.share)
        time.sleep(0.02)
    assert any(0 < share < 1 for share in shares)
    assert shares == sorted(shares)
    app = run(app)
    table = next(frame.value for frame in app.dataframe if "assumes" in frame.value.columns).set_index("method")
    here = md.compare(md.load_project(project), estimators=["cbiw_finetuned"]).models["model"]
    assert table.loc[TITLE, "estimate"] == pytest.approx(100 * here.entries["cbiw_finetuned"].estimate)


def test_the_page_stops_it_within_a_step(project: Path) -> None:
    """It is then offered again."""
    app = open_app(project, PAGE, tab="Methods")
    (button,) = [label for label in labels(app) if label.startswith("Run the methods on columns")]
    app = press(app, button)
    found = jobs().get(("slow", project_id(app)))
    assert found is not None
    while found.running and not found.share:
        time.sleep(0.01)
    found.stop()
    found.wait(30)
    assert found.stopped
    assert found.done == 0
    assert any(label.startswith("Run the methods on columns") for label in labels(run(app)))
