"""The Report page: whatever the project, the file that the library would write, and what it says when there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mandoline_core as md
from app.project import state
from tests.app.pages import open_app, project_id, run, said
from tests.core.projects import LONG, NEGATION, small_frames, write_project

PAGE = "views/share/share.py"


def numeric() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make samples that hold nothing but numbers."""
    rng = np.random.default_rng(0)
    source, target = (pd.DataFrame({"a": rng.normal(shift, 1, 300), "b": rng.random(300)}) for shift in (0.0, 0.5))
    label = (rng.random(300) < 0.5).astype(int)
    right = rng.random(300) < 0.8
    return source.assign(label=label, pred_lr=np.where(right, label, 1 - label)), target.assign(pred_lr=1)


def with_gaps() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make samples with values missing, labels and predictions among them."""
    source, target, _ = small_frames()
    holes = np.random.default_rng(0).random(400) < 0.1
    columns = ["text", "n_words", "channel", "label", "pred_lr"]
    source.loc[holes, columns] = None
    target.loc[holes[:300], columns[:3]] = None
    return source, target


def far_off() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make new rows of which hardly any is like a labelled one."""
    source, target, _ = small_frames()
    return source, target.assign(n_words=np.where(np.arange(300) < 290, 500, target["n_words"]))


ONE = {"models": [{"name": "lr", "prediction": "pred_lr"}]}
PROJECTS: dict[str, tuple[dict[str, Any], Any]] = {
    "several models": ({"note": "why", "slices": [{**NEGATION, "note": "as said"}, LONG]}, None),
    "numbers": (ONE | {"slices": [{"name": "high", "kind": "threshold", "column": "a", "above": 0.5}]}, numeric),
    "gaps": (ONE, with_gaps),
    "mean": ({"metric": {"name": "mean", "column": "n_words"}, "models": None, "task": None}, None),
    "red": ({"slices": [{**LONG, "above": 39}, NEGATION]}, far_off),
}


def parts_of(app: AppTest, kind: str) -> Iterator[Any]:
    for element in app.main.children.values():
        yield from _parts_of(element, kind)


def _parts_of(element: Any, kind: str) -> Iterator[Any]:
    if getattr(element, "type", "") == kind:
        yield element.proto
    for child in getattr(element, "children", {}).values():
        yield from _parts_of(child, kind)


def shown(app: AppTest) -> str:
    (frame,) = parts_of(app, "iframe")
    return frame.srcdoc


@pytest.mark.parametrize("name", list(PROJECTS))
def test_the_page_shows_the_librarys_file(folder: Path, name: str) -> None:
    """To the last byte, for projects of every sort."""
    changes, make = PROJECTS[name]
    source, target = (None, None) if make is None else make()
    path = write_project(folder, changes, source=source, target=target)
    app = open_app(path, PAGE)
    expected = md.estimate(md.load_project(path)).without_truth()
    assert shown(app) == expected.to_html()
    assert expected.verdict is not None
    assert (expected.verdict.level == "red") == (name == "red")
    assert "without the truth" in said(app)


def test_the_model_on_show_comes_first_and_the_truth_once_revealed(folder: Path) -> None:
    path = write_project(folder)
    app = open_app(path, PAGE)
    assert "The true value is" not in shown(app)
    state.store().amend(project_id(app), {"model": "nb", "revealed": True})
    written = shown(run(app))
    numbers = json.loads(written.partition('id="numbers">')[2].partition("</script>")[0])
    expected = md.estimate(md.load_project(path), reveal=True)
    assert list(numbers["models"]) == ["nb", "lr"]
    assert numbers["estimate"] == expected.models["nb"].estimate
    assert numbers["truth"] == expected.models["nb"].truth
    assert "The true value is" in written


def test_without_an_estimate_the_page_says_why_and_leads_on(folder: Path) -> None:
    app = open_app(write_project(folder, {"slices": []}), PAGE)
    assert len(app.error) == 1
    assert not list(parts_of(app, "iframe"))
    assert [link.label for link in parts_of(app, "page_link")] == ["Go to Result"]


def test_the_chosen_format_is_that_of_every_figure(folder: Path) -> None:
    """Under the names of the project and of the figure."""
    app = open_app(write_project(folder, {"name": "My reviews"}), PAGE)
    app.segmented_control(key="figure_format").set_value("png")
    run(app)
    app.switch_page("views/result/result.py")
    run(app)
    saved = [json.loads(figure.config)["toImageButtonOptions"] for figure in parts_of(app, "plotly_chart")]
    assert {"format": "png", "filename": "My-reviews-strip", "scale": 2} in saved
    assert {one["format"] for one in saved} == {"png"}


def test_the_format_of_figures_can_be_changed_again_and_again(folder: Path) -> None:
    app = open_app(write_project(folder), PAGE)
    for image in ("png", "svg", "png"):
        app.segmented_control(key="figure_format").set_value(image)
        assert run(app).segmented_control(key="figure_format").value == image
