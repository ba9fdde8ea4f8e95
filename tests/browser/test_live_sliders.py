"""Sliders on Slices: the estimate moves with the hand, a drag is one step of undo, and no move is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

import mandoline_core as md
from app.project.state import _project
from app.project.store import Store
from mandoline_core.formatting import show_value
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import Visitor
from tests.core.projects import LONG, NEGATION, write_project

HOLD = 2500  # milliseconds: longer than between two edits that count as one
CUT, SURE = "Above", "When the rule says yes, how often is it right? (labelled data)"


def saved(visitor: Visitor, server: Server) -> md.Project:
    """Read the project as it is saved."""
    return _project(Store(server.folder / "data").head(visitor.link.partition("project=")[2]).document)


def value_in(project: md.Project, view: str) -> float:
    """Read what a view's slider sets."""
    rule = project.slices[1]
    assert isinstance(rule, md.Threshold)
    if view == "Rule":
        return float(rule.above or 0)
    return 100.0 if rule.noise is None or rule.noise.source is None else 100 * rule.noise.source.inside


@pytest.mark.parametrize(("view", "label"), [("Rule", CUT), pytest.param("Reliability", SURE, marks=pytest.mark.long)])
def test_the_estimate_moves_during_a_drag_which_is_one_step(
    view: str, label: str, arrive: Arrive, server: Server, folder: Path
) -> None:
    """Also where the hand rests; on release, rule, slider and estimate agree, and one undo takes it all back."""
    visitor = arrive(server.link_to(write_project(folder, {"slices": [NEGATION, LONG]}), "slices"))
    visitor.view("long", view)
    slider, group = visitor.slider(label), visitor.page.get_by_role("group", name=label, exact=True)
    group.scroll_into_view_if_needed()
    start, before = value_in(saved(visitor, server), view), visitor.summary.inner_text()
    box, low, high = group.bounding_box(), *(float(slider.get_attribute(end) or 0) for end in ("min", "max"))
    assert box is not None
    assert float(slider.input_value()) == start
    x, y = box["x"] + 8 + (start - low) / (high - low) * (box["width"] - 16), box["y"] + box["height"] - 10
    visitor.page.mouse.move(x, y)
    visitor.page.mouse.down()
    for step in (15, 30):
        visitor.page.mouse.move(x - step, y)
        visitor.page.wait_for_timeout(HOLD)
    expect(visitor.summary).not_to_have_text(before)
    during = float(slider.input_value())
    assert during != start
    assert value_in(saved(visitor, server), view) == pytest.approx(during)
    assert show_value(md.estimate(saved(visitor, server)).estimate, share=True) in visitor.summary.inner_text()
    visitor.page.mouse.move(x - 60, y)
    visitor.page.mouse.up()
    visitor.page.wait_for_timeout(500)
    visitor.settle()
    end = value_in(saved(visitor, server), view)
    assert float(slider.input_value()) == pytest.approx(end)
    assert end < during
    visitor.button("Undo").click()
    expect(slider).to_have_value(f"{start:g}")
    assert value_in(saved(visitor, server), view) == start


@pytest.mark.parametrize(("view", "label"), [("Rule", CUT), pytest.param("Reliability", SURE, marks=pytest.mark.long)])
def test_quick_keys_on_a_busy_machine_all_count(
    view: str, label: str, arrive: Arrive, server: Server, folder: Path
) -> None:
    """Moves that come before the answer to the last one are neither lost nor taken back."""
    visitor = arrive(server.link_to(write_project(folder, {"slices": [NEGATION, LONG]}), "slices"))
    visitor.view("long", view)
    slider = visitor.slider(label)
    start, step = float(slider.input_value()), float(slider.get_attribute("step") or 0)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        slider.focus()
        for _ in range(8):
            visitor.page.keyboard.press("ArrowLeft")
            visitor.page.wait_for_timeout(50)
        visitor.page.wait_for_timeout(2000)
        visitor.settle()
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert float(slider.input_value()) == pytest.approx(start - 8 * step)
    assert value_in(saved(visitor, server), view) == pytest.approx(start - 8 * step)
