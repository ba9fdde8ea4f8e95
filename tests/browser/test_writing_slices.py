"""Writing slices by hand: a line, a number, a list of words; and what is refused leaves everything else alone."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

import mandoline_core as md
from app.project.store import Store
from tests.browser.conftest import Arrive
from tests.browser.server import ROOT, Server
from tests.browser.visitor import Visitor
from tests.core.projects import write_project

REVIEWS = ROOT / "sample_data" / "reviews" / "project.toml"
NOT_YET = "Not applied: the estimate uses the last valid value."


def numbers(folder: Path) -> Path:
    """Write a project whose data are numbers only."""
    rng = np.random.default_rng(0)
    frames = []
    for shift in (0, 8):
        temp = np.round(rng.normal(60 + shift, 15, 400), 3)
        right = rng.random(400) < np.where(temp > 75, 0.6, 0.9)
        label = rng.integers(0, 2, 400)
        rows = {"temp": temp, "month": rng.integers(1, 13, 400), "pred": np.where(right, label, 1 - label)}
        frames.append(pd.DataFrame({**rows, "label": label}))
    changes = {
        "slices": [{"name": "warm", "kind": "threshold", "column": "temp", "above": 75.092}],
        "models": [{"name": "m", "prediction": "pred"}],
        "target": {"path": "target.csv"},
    }
    return write_project(folder, changes, source=frames[0], target=frames[1].drop(columns="label"))


def saved(server: Server, visitor: Visitor) -> list[dict[str, Any]]:
    """Read the slices of the project as the server keeps it: the file that a person can take away."""
    document = Store(server.folder / "data").head(visitor.link.rpartition("=")[2]).document
    return tomllib.loads(document["toml"])["slices"]


def errors(visitor: Visitor) -> Locator:
    """Find what the page says is wrong."""
    return visitor.main.get_by_test_id("stAlertContentError")


@pytest.mark.long
def test_a_number_is_typed_beside_its_slider_and_a_list_of_words_is_pasted(
    arrive: Arrive, server: Server, folder: Path
) -> None:
    """What is drawn is what was saved; what is typed is what is saved, without a digit more."""
    visitor = arrive(server.link_to(numbers(folder), "slices"))
    visitor.edit("warm")
    box, slider = visitor.page.get_by_label("Above, as a number"), visitor.slider("Above")
    expect(box).to_have_value("75.092")
    expect(slider).to_have_attribute("step", "0.5")
    assert saved(server, visitor)[0]["above"] == 75.092  # drawing it has not changed it
    box.fill("75")
    box.press("Enter")
    visitor.settle()
    expect(box).to_have_value("75")
    expect(visitor.page.get_by_role("figure", name="Values of temp")).to_contain_text("above 75: in slice")
    assert saved(server, visitor)[0] == {"name": "warm", "kind": "threshold", "column": "temp", "above": 75}
    assert visitor.nudge("Above", "ArrowRight") == 75.5
    visitor.page.get_by_role("radio", name="at least").check(force=True)
    visitor.settle()
    assert saved(server, visitor)[0] == {"name": "warm", "kind": "threshold", "column": "temp", "at_least": 75.5}
    exported = tomllib.loads(visitor.export(folder).read_text(encoding="utf-8"))["slices"]
    assert exported == saved(server, visitor)

    visitor.open(server.link_to(REVIEWS, "slices"))
    visitor.edit("negation")
    visitor.add_word("actor, plot, cast, xyzzy")
    visitor.settle()
    for word in ("actor", "plot", "cast"):
        expect(visitor.button(f"Remove {word}")).to_be_visible()
    expect(visitor.main.get_by_text("Rows with each word")).to_contain_text("actor 412 labelled, 35 new")
    expect(visitor.main.get_by_text("Rows with each word")).to_contain_text("xyzzy matches nothing")
    visitor.button("Paste a list").click()
    visitor.page.get_by_label("Words, one per line or separated by commas").fill("sound track\nset")
    visitor.page.keyboard.press("Control+Enter")
    expect(visitor.button("Remove sound track")).to_be_visible()
    visitor.button("Paste a list").click()
    assert saved(server, visitor)[0]["words"][-6:] == ["actor", "plot", "cast", "xyzzy", "sound track", "set"]


def test_what_is_refused_is_told_once_and_breaks_nothing(arrive: Arrive, server: Server) -> None:
    """Patterns that an engine refuses, a column that is not there: the number, Undo and the sidebar stay."""
    visitor = arrive(server.link_to(REVIEWS, "slices"))
    visitor.add_line("digits: /[0-9]+/")
    before, written = visitor.summary.inner_text(), saved(server, visitor)
    pattern = visitor.page.get_by_role("textbox", name="Pattern")
    for refused in ("a{99999999999}", r"\w{500}", "(" * 700 + ")" * 700, "(?=a)b"):
        pattern.fill(refused)
        pattern.press("Enter")
        expect(visitor.main.get_by_text(NOT_YET)).to_be_visible()
        visitor.settle()
        expect(errors(visitor)).to_have_count(1)
        expect(errors(visitor)).to_contain_text("Pattern")
        expect(pattern).to_have_value(refused)
        expect(visitor.summary).to_have_text(before)
        expect(visitor.button("Undo")).to_be_enabled()
    assert saved(server, visitor) == written

    started = time.monotonic()
    pattern.fill("(a+)+$|x")
    pattern.press("Enter")
    expect(errors(visitor)).to_have_count(0)
    visitor.settle()
    assert time.monotonic() - started < 20
    assert saved(server, visitor)[-1]["pattern"] == "(a+)+$|x"

    before = visitor.summary.inner_text()
    visitor.add_line("long: words(text) * 2 > 100")
    box = visitor.page.get_by_role("textbox", name="Expression")
    expect(box).to_have_value("words(text) * 2 > 100")
    expect(visitor.summary).not_to_have_text(before)
    visitor.settle()
    before = visitor.summary.inner_text()
    box.fill("wrds > 100")
    box.press("Control+Enter")
    expect(visitor.main.get_by_text(NOT_YET)).to_be_visible()
    visitor.settle()
    expect(errors(visitor)).to_have_count(1)
    expect(errors(visitor)).to_contain_text("unknown column 'wrds'")
    expect(visitor.main.get_by_test_id("stCode")).to_contain_text("^")
    expect(box).to_have_value("wrds > 100")
    expect(visitor.summary).to_have_text(before)
    visitor.button("Undo").click()
    visitor.expect_message("Undone: add long")


@pytest.mark.long
def test_six_kinds_are_added_by_keyboard_alone(arrive: Arrive, server: Server) -> None:
    """Each line is a slice, which opens; what cannot be read stays in the line with a reason below."""
    visitor = arrive(server.link_to(REVIEWS, "slices"))
    visitor.line.focus()
    lines = {
        "movie: actor, plot": "keyword",
        "n_words >= 30": "threshold",
        "channel = app": "category",
        "20 < n_words < 40": "range",
        "confidence < 60%": "confidence",
        "movie and short": "all",
    }
    opened = visitor.name_field
    names = []
    for line in lines:
        visitor.page.keyboard.type(line)
        visitor.page.keyboard.press("Enter")
        expect(visitor.line).to_have_value("")
        visitor.settle()
        expect(visitor.line).to_be_focused()
        names.append(opened.input_value())
    slices = saved(server, visitor)[-len(lines) :]
    assert [rule["kind"] for rule in slices] == list(lines.values())
    assert [rule["name"] for rule in slices] == names
    assert names[:3] == ["movie", "n_words at least 30", "channel is app"]
    visitor.line.fill("n_wrds > 3")
    visitor.line.press("Enter")
    expect(errors(visitor)).to_contain_text("Did you mean 'n_words'?")
    expect(visitor.line).to_have_value("n_wrds > 3")
    assert len(saved(server, visitor)) == len(md.load_project(REVIEWS).slices) + len(lines)
