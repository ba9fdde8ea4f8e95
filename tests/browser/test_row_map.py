"""Pointing: a lasso around a cloud on the map, a range brushed and a bar clicked become slices, in a real browser."""

from __future__ import annotations

import math
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

import mandoline_core as md
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import Visitor
from tests.core.projects import DIGITS, REVIEWS

MAP = "Map of labelled and new rows"
LAID_OUT = 240_000  # milliseconds; many rows on a machine that does other things too


def write_numbers(folder: Path, n: int, m: int) -> Path:
    """Write two tables of numbers alone; a cloud at large x is mostly new, and the model is often wrong in it."""
    rng = np.random.default_rng(3)
    for name, size, share in (("source", n, 0.1), ("target", m, 0.4)):
        far = rng.random(size) < share
        x, z = rng.normal(np.where(far, 12.0, 0.0), 1.0).round(2), rng.normal(0.0, 1.0, size).round(2)
        y = rng.integers(0, 2, size)
        p = np.where(rng.random(size) < np.where(far, 0.6, 0.9), y, 1 - y)
        frame = pd.DataFrame({"x": x, "z": z, "p": p, "y": y})
        frame.drop(columns=[] if name == "source" else ["y"]).to_csv(folder / f"{name}.csv", index=False)
    path = folder / "numbers.toml"
    path.write_text(
        'version = 1\nname = "numbers"\n[source]\npath = "source.csv"\n[target]\npath = "target.csv"\n'
        '[task]\nlabel = "y"\n[[models]]\nname = "m"\nprediction = "p"\n'
        '[[slices]]\nname = "high"\nkind = "threshold"\ncolumn = "z"\nabove = 0.5\n'
        '[[slices]]\nname = "low"\nkind = "threshold"\ncolumn = "z"\nbelow = -1\n',
        encoding="utf-8",
    )
    return path


def open_map(visitor: Visitor) -> Locator:
    """Open the map, and wait until it is drawn."""
    visitor.page.get_by_role("radio", name="Map", exact=True).click()
    figure = visitor.page.get_by_role("figure", name=MAP)
    figure.locator(".main-svg").first.wait_for(timeout=LAID_OUT)
    visitor.settle()
    return figure


def lasso(visitor: Visitor, figure: Locator, where: str, share: float = 0.5) -> None:
    """Drag a lasso around the new rows for which hovering would show what `where` matches.

    The lasso is a circle around the middle one of them, as far as a share of them lie.
    """
    area = figure.locator(".nsewdrag").first
    area.scroll_into_view_if_needed()
    places = figure.evaluate(
        """(found, where) => {
            const plot = found.querySelector(".js-plotly-plot"), {xaxis, yaxis} = plot._fullLayout;
            const dots = plot.calcdata[1], pattern = new RegExp(where);
            return plot.data[1].hovertext.flatMap((text, i) =>
                pattern.test(text) ? [[xaxis.c2p(dots[i].x), yaxis.c2p(dots[i].y)]] : []);
        }""",
        where,
    )
    spots, box = np.array(places), area.bounding_box()
    assert box is not None
    middle = spots[np.abs(spots - np.median(spots, axis=0)).sum(axis=1).argmin()]
    radius = float(np.quantile(np.hypot(*(spots - middle).T), share)) + 6.0
    centre, mouse = middle + np.array([box["x"], box["y"]]), visitor.page.mouse
    mouse.move(*(centre + np.array([radius, 0.0])))
    mouse.down()
    for step in range(1, 25):
        angle = step * math.pi / 12
        mouse.move(*(centre + radius * np.array([math.cos(angle), math.sin(angle)])))
    mouse.up()
    expect(visitor.main.get_by_text(re.compile(r"rows selected"))).to_be_visible()
    visitor.settle()


def offers(visitor: Visitor) -> Locator:
    return visitor.main.get_by_role("button", name=re.compile(r"^Add: "))


def take_first(visitor: Visitor) -> str:
    """Press the first offer, expect the estimate that it promised, and return its rule."""
    words = offers(visitor).first.inner_text().replace("\u2060", "")  # which keeps signs from becoming arrows
    rule, promised = re.fullmatch(r"Add: (.*), (?:stays |.* → )(\S+)", words).groups()
    offers(visitor).first.click()
    expect(visitor.summary).to_contain_text(f"add: {rule}")
    expect(visitor.summary).to_contain_text(promised)
    visitor.settle()
    return rule


@pytest.mark.long
def test_a_cloud_on_the_map_of_numbers_becomes_a_slice(arrive: Arrive, server: Server, folder: Path) -> None:
    """The lasso, the rule, the click, the estimate: as the library has it; and the new slice opens for editing."""
    path = write_numbers(folder, 300, 200)
    visitor = arrive(server.link_to(path, "slices"))
    figure = open_map(visitor)
    lasso(visitor, figure, r"x: (9|1\d)\.", share=0.95)
    rule = take_first(visitor)
    assert re.match("x (at least|>=) [3-9]", rule)
    expect(visitor.name_field).to_have_value(rule)
    saved = md.load_project(visitor.export(folder))
    assert saved.slices[-1].describe() == rule
    visitor.expect_estimate(md.estimate(saved).first)
    expect(visitor.main.get_by_text("already a slice").first).to_be_visible()
    # Under other colours the selection and what was said of it stay.
    before = visitor.main.get_by_text(re.compile("rows selected")).inner_text()
    visitor.page.locator(".st-key-map_colour").get_by_text("score", exact=True).click()
    visitor.settle()
    expect(visitor.main.get_by_text("are predicted wrong").first).to_be_visible()
    assert visitor.main.get_by_text(re.compile("rows selected")).inner_text() == before


@pytest.mark.long
def test_a_brushed_range_and_a_clicked_bar_become_slices(arrive: Arrive, server: Server, folder: Path) -> None:
    visitor = arrive(server.link_to(write_numbers(folder, 300, 200), "data"))
    visitor.choose("Compare a column", "x")
    area = visitor.page.get_by_role("figure", name="Values of x in labelled and new data").locator(".nsewdrag").first
    area.scroll_into_view_if_needed()
    visitor.settle()
    box = area.bounding_box()
    assert box is not None
    mouse, height = visitor.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + 0.7 * box["width"], height)
    mouse.down()
    mouse.move(box["x"] + 0.8 * box["width"], height, steps=5)
    mouse.move(box["x"] + 0.9 * box["width"], height, steps=5)
    mouse.up()
    rule = take_first(visitor)
    low, high = map(float, re.fullmatch(r"x from (\S+) to (\S+)", rule).groups())
    assert 6 < low < high < 16
    bars = visitor.page.get_by_role("figure", name="Share of each predicted class")
    bars.scroll_into_view_if_needed()
    bars.locator(".bars .point path").last.click(force=True)
    expect(visitor.main.get_by_role("button", name=re.compile("^Add: the model predicts [01], "))).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize(
    ("project", "where"), [(REVIEWS, r"category: gadget<br>channel: social"), (DIGITS, r"blurry: 1<br>")]
)
def test_a_cloud_on_the_map_of_a_sample_becomes_a_slice(
    arrive: Arrive, server: Server, folder: Path, project: Path, where: str
) -> None:
    visitor = arrive(server.link_to(project, "slices"))
    figure = open_map(visitor)
    lasso(visitor, figure, where)
    rule = take_first(visitor)
    slices = md.load_project(visitor.export(folder)).slices
    assert slices[-1].describe() == rule
    visitor.expect_estimate(md.estimate(replace(md.load_project(project), slices=slices)).first)


@pytest.mark.long
def test_the_page_stays_usable_with_sixty_thousand_rows(arrive: Arrive, server: Server, folder: Path) -> None:
    """While the map is laid out a switch answers; the map says how many rows it shows; a lasso gets its rule."""
    visitor = arrive(server.link_to(write_numbers(folder, 40_000, 20_000), "slices"))
    visitor.page.get_by_role("radio", name="Map", exact=True).click()
    begun = time.monotonic()
    visitor.page.get_by_role("switch", name="Use high").press("Space")
    expect(visitor.summary).to_contain_text("high off: ")
    answered = time.monotonic() - begun
    visitor.page.get_by_role("switch", name="Use high").press("Space")
    figure = visitor.page.get_by_role("figure", name=MAP)
    figure.locator(".main-svg").first.wait_for(timeout=LAID_OUT)
    visitor.settle()
    expect(figure).to_contain_text("1,500 of 40,000 labelled")
    begun = time.monotonic()
    lasso(visitor, figure, r"x: (9|1\d)\.")
    described = time.monotonic() - begun
    print(f"a switch while the map is laid out: {answered:.1f} s; a lasso to its rule: {described:.1f} s")
    assert "x" in take_first(visitor)
