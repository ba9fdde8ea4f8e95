"""The map on the Slices page, and figures that answer: what is pointed at gets a rule, and a button that was tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from app import compute
from app.compute import row_maps
from app.compute.jobs import jobs, results
from app.views import parts
from app.views.parts import Selection
from mandoline_core import Category, Expression, Prediction, Range, load_project, map_rows
from mandoline_core.discovery import FEWEST
from tests.app.pages import current, labels, offered, open_app, press, run, said
from tests.core.projects import small_frames, write_project

SLICES, DATA = "views/slices/slices.py", "views/data/data.py"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget earlier maps, lay out few rows, and end what lays them out."""
    monkeypatch.setattr(row_maps, "map_rows", partial(map_rows, most_rows=160))
    results.clear()
    jobs.clear()
    yield
    for left in jobs().values():
        left.stop()
        left.wait(30)


@pytest.fixture
def pointed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Selection], None]:
    """Let somebody select something in the figure of some key: a page test has no mouse."""
    plain = parts.chart
    chosen: dict[str, Selection] = {}

    def chart(figure: Any, key: str, **more: Any) -> Selection:
        plain(figure, key, **more)
        return chosen.get(key, Selection())

    monkeypatch.setattr(parts, "chart", chart)
    return chosen.__setitem__


def open_map(path: Path) -> tuple[AppTest, compute.DrawnMap]:
    """Open the map, and wait until it is laid out."""
    app = open_app(path, SLICES, "Map")
    next(iter(jobs().values())).wait(60)
    (found,) = results().values()
    return run(app), found


def selection_of(found: compute.DrawnMap, inside: np.ndarray) -> Selection:
    """Select the dots of new rows."""
    return Selection(tuple((1, place) for place, row in enumerate(found.rows.target_rows) if inside[row]))


def test_nothing_is_laid_out_before_the_map_is_opened(folder: Path) -> None:
    open_app(write_project(folder), SLICES)
    assert not list(jobs().values())
    assert not list(results().values())


def test_a_lassoed_cloud_gets_a_rule_that_becomes_a_slice(
    folder: Path, pointed: Callable[[str, Selection], None]
) -> None:
    """The rule is the planted one, says what it would do, and opens for editing once it is added."""
    path = write_project(folder)
    app, found = open_map(path)
    target = load_project(path).read()[1]
    web = (target.series("channel").to_numpy() == "web") & (target.series("n_words").to_numpy() < 8)
    pointed("map", selection_of(found, web))
    run(app)
    assert f"{web[found.rows.target_rows].sum()} new rows selected" in said(app).replace("**", "")
    assert (
        "It matches 100.0% of your selection, and 100.0% of the new rows it matches on the map are selected."
        in said(app)
    )
    label = offered(app, "Add: n_words below 8 and channel is web, ")
    press(app, label)
    rule = current(app).slices[-1]
    assert rule == Expression("n_words below 8 and channel is web", text='n_words < 8 and channel == "web"')
    assert app.session_state["kept:editing"] == rule.name
    assert "already a slice" in said(app)
    assert label.split()[-1] in said(app)


def test_a_few_dots_are_no_cloud(folder: Path, pointed: Callable[[str, Selection], None]) -> None:
    app, _ = open_map(write_project(folder))
    pointed("map", Selection(((1, 0), (1, 1))))
    run(app)
    assert f"Select at least {FEWEST} rows. Got 2." in said(app)


def test_rows_like_no_labelled_row_are_named_and_not_offered(
    folder: Path, pointed: Callable[[str, Selection], None]
) -> None:
    source, target, _ = small_frames()
    target.loc[:40, "channel"] = "phone"
    app, found = open_map(write_project(folder, target=target, source=source))
    pointed("map", selection_of(found, (target["channel"] == "phone").to_numpy()))
    run(app)
    assert "channel is phone: it matches no labelled row" in said(app)
    assert not [label for label in labels(app) if label.startswith("Add: channel is phone")]


@pytest.mark.parametrize("colour", ["score", "weight"])
def test_other_colours_keep_the_selection(folder: Path, pointed: Callable[[str, Selection], None], colour: str) -> None:
    """The figure is another one, in which nothing was selected yet; what was said stays."""
    app, found = open_map(write_project(folder))
    chosen = selection_of(found, np.arange(found.rows.n_target) % 2 == 0)
    pointed("map", chosen)
    run(app)
    pointed("map", Selection())
    app.segmented_control(key="map_colour").set_value(colour)
    run(app)
    assert f"**{len(chosen.points)} new rows** selected" in said(app)


def test_a_table_without_columns_to_lay_out_says_so(folder: Path) -> None:
    source, target, _ = small_frames()
    kept = ["pred_lr", "pred_nb"]
    path = write_project(folder, {"slices": []}, source=source[[*kept, "label"]], target=target[kept])
    app = open_app(path, SLICES, "Map")
    next(iter(jobs().values())).wait(60)
    run(app)
    assert "There is no column to place the rows by" in said(app)


def test_a_brushed_range_and_a_clicked_bar_become_slices(
    folder: Path, pointed: Callable[[str, Selection], None]
) -> None:
    app = open_app(write_project(folder), DATA)
    app.selectbox(key="looked_at").set_value("n_words")
    pointed("column:n_words", Selection(stretch=(11.6, 20.4)))
    run(app)
    press(app, offered(app, "Add: n_words from 12 to 20"))
    assert current(app).slices[-1] == Range("n_words from 12 to 20", column="n_words", low=12, high=20)
    app.selectbox(key="looked_at").set_value("channel")
    pointed("column:channel", Selection(names=("mail",)))
    run(app)
    press(app, offered(app, "Add: channel is mail"))
    assert current(app).slices[-1] == Category("channel is mail", column="channel", values=("mail",))
    pointed("answers", Selection(names=("good",)))
    run(app)
    press(app, offered(app, "Add: the model predicts good"))
    assert current(app).slices[-1] == Prediction("predicts good", value="good")


def test_hovering_shows_rows_escaped(folder: Path) -> None:
    source, target, _ = small_frames()
    target["channel"] = "<img src=x onerror=alert(1)>"
    _, found = open_map(write_project(folder, source=source, target=target))
    assert "&lt;img" in found.hover[1][0]
    assert "<img" not in "".join(found.hover[1])


def test_columns_that_still_differ_are_offered_above_the_map(folder: Path) -> None:
    """On request, with what adding each as a slice would do; one click adds it."""
    app = open_app(page="views/slices/slices.py", view="Map")
    app.session_state["columns_open"] = True
    run(app)
    assert "could move the estimate by" in said(app)
    assert app.button(key="model:0").label.startswith("Add: text contains dollars")
    app.button(key="model:0").click()
    run(app)
    assert current(app).slices[-1].name == "text contains dollars"
