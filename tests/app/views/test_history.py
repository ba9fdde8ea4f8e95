"""The history beside the slices: what each edit did, names, comparison of two states, and the way back."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

from app.project import state
from mandoline_core import estimate, load_project
from mandoline_core.formatting import show_interval, show_points
from tests.app.pages import current, open_app, press, project_id, said
from tests.core.projects import write_project

SLICES = "views/slices/slices.py"


def versions(app: AppTest) -> pd.DataFrame:
    """Return the table of versions."""
    return next(frame.value for frame in app.dataframe if "edit" in frame.value.columns)


def test_the_way_of_the_number_is_told_edit_by_edit(folder: Path) -> None:
    """Each line has the library's number, and how far the edit moved it; states are named, compared and restored."""
    path = write_project(folder)
    start = current(app := open_app(path, SLICES))
    press(app, "Delete")
    press(app, "History")
    reports = [estimate(one, spread=False) for one in (load_project(path), current(app))]
    table = versions(app)
    assert table["edit"].tolist() == ["delete negation", "start"]
    written = [show_interval(one.estimate, one.interval, share=True) for one in reports]
    assert table["estimate"].tolist() == written[::-1]
    moved = show_points(reports[1].estimate - reports[0].estimate, share=True)
    assert table["change"].tolist() == [moved, ""]
    assert "negation removed: text contains" in said(app).replace("*", "")
    assert [metric.value for metric in app.metric if metric.label == "Estimate"] == written

    (name,) = [one for one in app.text_input if one.label == "Name of this version"]
    name.set_value("without <b>negation</b>")
    press(app, "Save snapshot")
    assert versions(app)["snapshot"].tolist() == ["without <b>negation</b>", ""]
    press(app, "Restore this version")
    assert current(app) == start
    press(app, "History")
    assert versions(app)["edit"].tolist()[0] == "restore 0: start"
    press(app, "Undo")
    assert [rule.name for rule in current(app).slices] == ["long"]
    assert versions(app)["edit"].tolist() == ["restore 0: start (undone)", "delete negation", "start"]
    kept = state.store().history(project_id(app))
    assert [sorted(one.summaries) for one in kept] == [["lr"]] * 3


def test_one_state_alone_says_what_to_do(folder: Path) -> None:
    app = press(open_app(write_project(folder), SLICES), "History")
    assert "No edits yet." in said(app)
