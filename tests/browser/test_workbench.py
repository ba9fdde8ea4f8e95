"""The workbench: the number stays in sight, slices are worked on in their rows, and what is offered was tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import mandoline_core as md
from app.project import edits
from app.project.store import Store
from mandoline_core.formatting import show_interval, show_points, show_value
from tests.browser.conftest import Arrive
from tests.browser.server import Server
from tests.browser.visitor import CURVE, WEIGHTS, Visitor
from tests.core.projects import LONG, NEGATION, REVIEWS, write_project

PAGES = ("Data", "Slices", "Result")
HIGHEST = {1280: 60, 390: 90}  # pixels of the bar, by the width of the window


def scroll(visitor: Visitor) -> None:
    """Go to the end of the page."""
    visitor.page.get_by_test_id("stMain").evaluate("page => page.scrollTo(0, page.scrollHeight)")


def expect_in_sight(visitor: Visitor, width: int) -> None:
    """Expect the bar to be seen whole, low, and where nothing lies over it."""
    visitor.page.wait_for_function(
        """most => {
            const bar = document.querySelector(".st-key-live_summary");
            const {left, top, bottom, height} = bar.getBoundingClientRect();
            const seen = document.elementFromPoint(left + 20, (top + bottom) / 2);
            return top >= 0 && bottom < 160 && height <= most && bar.contains(seen);
        }""",
        arg=HIGHEST[width],
    )


def test_the_number_stays_in_sight_and_says_what_the_last_edit_did(arrive: Arrive, server: Server) -> None:
    """However far one scrolls, wide and narrow, in the work and on the pages that only read."""
    visitor = arrive(f"{server.url}/slices")
    project = md.load_project(REVIEWS)
    before, after = (md.estimate(one).first for one in (project, edits.switch_slice(project, "negation", on=False)))
    visitor.page.get_by_role("switch", name="Use negation").press("Space")
    moved = show_points(after.estimate - before.estimate, share=True)
    expect(visitor.summary).to_contain_text(f"negation off: {moved}")
    visitor.expect_estimate(after)
    visitor.edit("slang")
    visitor.page.set_viewport_size({"width": 390, "height": 700})
    scroll(visitor)
    expect_in_sight(visitor, 390)
    for width in HIGHEST:
        visitor.page.set_viewport_size({"width": width, "height": 700})
        visitor.open(visitor.link.replace("/slices", "/data"))
        scroll(visitor)
        expect_in_sight(visitor, width)
    expect(visitor.summary).to_contain_text(f"negation off: {moved}")


def test_a_slice_is_worked_on_in_its_row(arrive: Arrive, server: Server) -> None:
    """Its form is next to the list, on a phone right under its row; rename, copy, delete, undo and redo work."""
    visitor = arrive(f"{server.url}/slices")
    before = visitor.summary.inner_text()
    visitor.edit("negation")
    for width, axis in ((390, "y"), (1280, "x")):
        visitor.page.set_viewport_size({"width": width, "height": 800})
        visitor.settle()
        places = [one.bounding_box() for one in (visitor.row("negation"), visitor.name_field, visitor.row("short"))]
        row, field, below = [place for place in places if place is not None]
        assert row[axis] < field[axis]
        assert (field["y"] < below["y"]) == (width == 390)

    visitor.name_field.fill("denial")
    visitor.name_field.press("Enter")
    expect(visitor.row("denial")).to_be_visible()
    expect(visitor.summary).to_contain_text("rename negation: no change")
    visitor.settle()
    visitor.button("Duplicate").click()
    expect(visitor.row("denial (2)")).to_be_visible()
    visitor.settle()
    visitor.button("Delete").click()
    visitor.expect_message("Deleted denial. Undo restores it.")
    expect(visitor.row("denial")).to_have_count(0)
    visitor.settle()
    for said, name in (("delete denial", "denial"), ("duplicate denial", "denial"), ("rename negation", "negation")):
        visitor.button("Undo").click()
        visitor.expect_message(f"Undone: {said}")
        expect(visitor.row(name)).to_be_visible()
        visitor.settle()
    expect(visitor.summary).to_have_text(before)
    visitor.button("Redo").click()
    visitor.expect_message("Redone: rename negation")
    expect(visitor.row("denial")).to_be_visible()


def write_seasons(folder: Path) -> Path:
    """Write rows of spring and, without labels, of summer: no labelled row is of a later month than April."""
    rng = np.random.default_rng(0)
    for name, n, months, tilt in (("source", 1500, (2, 5), 0.3), ("target", 900, (5, 8), 0.6)):
        late, rush = rng.random(n) < tilt, rng.random(n) < tilt
        label = rng.choice(["late", "on time"], n)
        right = rng.random(n) < np.where(rush, 0.6, 0.9)
        frame = pd.DataFrame(
            {
                "month": rng.integers(*months, n),
                "origin": np.where(late, "north", "south"),
                "hour": np.where(rush, "rush", "calm"),
                "pred": np.where(right, label, np.where(label == "late", "on time", "late")),
            }
        )
        (frame.assign(label=label) if name == "source" else frame).to_csv(folder / f"{name}.csv", index=False)
    project = md.Project(
        name="seasons",
        source_path=Path("source.csv"),
        target_path=Path("target.csv"),
        label="label",
        models=(md.Model("model", "pred"),),
        slices=(md.Category("north", column="origin", values=("north",)),),
        base=folder,
    )
    path = folder / "project.toml"
    md.save_project(replace(project, path=path), path)
    return path


def test_only_what_was_tried_is_offered_and_gives_what_it_promised(
    arrive: Arrive, server: Server, folder: Path
) -> None:
    """A change that no labelled row shows is told, not offered; what is offered says where the estimate goes."""
    visitor = arrive(server.link_to(write_seasons(folder), "trust"))
    expect(visitor.main).to_contain_text("'month'")
    offered = visitor.main.get_by_role("button").all_inner_texts()
    assert not [name for name in offered if "month" in name and "as irrelevant" not in name]
    expect(visitor.main).not_to_contain_text("month above")
    visitor.turn("Checks")
    offer = visitor.main.get_by_role("button").filter(has_text="Add: hour").first
    now, promised = offer.inner_text().rpartition(", ")[2].split(" → ")
    expect(visitor.main).to_contain_text(now)
    offer.click()
    expect(visitor.summary).to_contain_text(f"→ {promised})")
    expect(visitor.summary).to_contain_text("add: hour")
    visitor.go("Slices")
    expect(visitor.page.locator(".st-key-slice_list").get_by_role("switch", name=re.compile("^Use "))).to_have_count(2)


def test_a_project_that_comes_broken_says_so_once_and_undo_mends_it(
    arrive: Arrive, server: Server, folder: Path
) -> None:
    """One error on every page, the last estimate marked as such, and a way back."""
    path = write_project(folder, {"slices": [NEGATION, LONG]})
    report = md.estimate(md.load_project(path)).first
    link = server.link_to(path, "slices")
    store, identity = Store(server.folder / "data"), link.partition("project=")[2]
    document = store.head(identity).document
    broken = {**document, "toml": document["toml"].replace('"n_words"', '"n_wrods"')}
    assert broken != document
    store.save(identity, broken, "edit long")
    visitor = arrive(link)
    alert = visitor.page.get_by_role("alert")
    each: list[Callable[[], None]] = [lambda title=title: visitor.go(title) for title in PAGES if title != "Slices"]
    for go in [lambda: None, *each]:
        go()
        expect(alert).to_have_count(1)
        expect(alert).to_contain_text("Did you mean 'n_words'?")
        last = show_interval(report.estimate, report.interval, share=True)
        expect(visitor.summary).to_contain_text(f"Last estimate: {last}, before: edit long")
    visitor.go("Slices")
    visitor.edit("long")
    expect(alert).to_have_count(1)
    visitor.button("Undo: edit long").click()
    expect(alert).to_have_count(0)
    expect(visitor.summary).to_contain_text(show_value(report.estimate, share=True))


IN_VIEW = """selector => {
    const {top, left, bottom, right, height} = document.querySelector(selector).getBoundingClientRect();
    return height > 40 && top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
}"""
SHOWN = (".st-key-live_summary", f'[aria-label="{WEIGHTS}"]', f'[aria-label="{CURVE}"]')


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1440, 900)])
def test_number_weights_and_curve_are_in_view_of_every_control(
    width: int, height: int, arrive: Arrive, server: Server
) -> None:
    """The page does not scroll; each view of a slice does, next to figures that stay."""
    visitor = arrive(f"{server.url}/slices")
    visitor.page.set_viewport_size({"width": width, "height": height})
    main = visitor.page.get_by_test_id("stMain")
    for name in ("negation", "entropy"):
        for title in ("Rule", "Rows", "Reliability", "Links"):
            visitor.view(name, title)
            assert main.evaluate("page => page.scrollHeight - page.clientHeight") <= 1, title
            for control in visitor.chosen.locator("input:visible, textarea:visible, button:visible").all():
                control.scroll_into_view_if_needed()
                hidden = [one for one in SHOWN if not visitor.page.evaluate(IN_VIEW, one)]
                assert not hidden, (title, control.get_attribute("aria-label"), hidden)


def test_the_add_line_says_what_a_rule_would_do_before_it_is_added(arrive: Arrive, server: Server) -> None:
    """What it promises while one types is what one gets; the new slice is chosen, and in sight on a low screen."""
    visitor = arrive(f"{server.url}/slices")
    visitor.page.set_viewport_size({"width": 1280, "height": 560})
    before = visitor.summary.inner_text()
    answer = visitor.page.locator(".st-key-add_tried [role=status]")
    visitor.line.press_sequentially("dollars")
    expect(answer).to_have_text(re.compile(r"^15\.\d% → 25\.9% of rows, accuracy .*; Enter adds$"))
    assert visitor.summary.inner_text() == before
    promised = re.findall(r"\d+\.\d%", answer.inner_text())[-1]
    visitor.line.press("Enter")
    expect(visitor.name_field).to_have_value("dollars")
    expect(visitor.summary).to_contain_text(promised)
    expect(answer).to_have_text("")
    expect(visitor.line).to_be_focused()
    for word in ("plot", "acting", "film"):
        visitor.add_line(word)
    visitor.page.wait_for_function(
        """() => {
            const row = document.querySelector(".st-key-slice_list button [data-testid=stIconMaterial]");
            const {top, bottom} = row.closest("button").getBoundingClientRect();
            const pane = document.querySelector(".st-key-list_pane").getBoundingClientRect();
            return top >= pane.top - 1 && bottom <= pane.bottom + 1;
        }"""
    )
    visitor.line.press_sequentially("<img src=x onerror=alert(1)>")
    expect(answer).to_contain_text("'<'")


def test_a_mark_for_every_edit_says_what_it_did_and_opens_the_comparison(arrive: Arrive, server: Server) -> None:
    """Kept ones have a star, undone ones stay; what is said in passing lies over nothing that is live."""
    visitor = arrive(f"{server.url}/slices")
    marks = visitor.page.locator(".st-key-history_strip button")
    expect(marks).to_have_count(0)
    project, said = md.load_project(REVIEWS), []
    for name in ("negation", "slang"):
        visitor.page.get_by_role("switch", name=f"Use {name}").press("Space")
        before, project = project, edits.switch_slice(project, name, on=False)
        then, now = (md.estimate(one, spread=False).first for one in (before, project))
        moved = show_points(now.estimate - then.estimate, share=True)
        said.append(f"{name} off: {show_interval(now.estimate, now.interval, share=True)} ({moved})")
        expect(visitor.summary).to_contain_text(f"{name} off: ")
    expect(marks).to_have_count(3)
    assert [mark.get_attribute("aria-label") for mark in marks.all()][1:] == said
    visitor.button("Keep").click()
    visitor.expect_message("Saved snapshot slang off.")
    visitor.button("Undo").first.click()
    visitor.expect_message("Undone: slang off")
    toast = visitor.page.get_by_test_id("stToastContainer").bounding_box()
    pane = visitor.page.locator(".st-key-live_pane").bounding_box()
    assert toast is not None
    assert pane is not None
    assert toast["x"] + toast["width"] <= pane["x"]
    expect(marks.nth(1)).to_have_attribute("aria-current", "true")
    expect(marks.nth(2)).to_have_text("\u2605")
    marks.nth(2).click()
    dialog = visitor.page.get_by_role("dialog")
    expect(dialog.get_by_role("combobox", name="First version")).to_have_value("slang off (slang off)")
    expect(dialog).to_contain_text(said[1].split(": ")[1].rpartition(" (")[0])
    visitor.close_dialog()
    visitor.view("short", "Reliability")
    slider = visitor.chosen.get_by_role("slider").first
    slider.focus()
    for _ in range(5):
        slider.press("ArrowLeft")
        visitor.page.wait_for_timeout(60)
    visitor.settle()
    expect(marks).to_have_count(4)
    assert "correct short" in str(marks.last.get_attribute("aria-label"))


def test_a_slice_is_dragged_to_its_place_and_several_are_changed_in_one_step(arrive: Arrive, server: Server) -> None:
    """The press that ends a drag opens no other slice; undo takes each back."""
    visitor = arrive(f"{server.url}/slices")
    rows = visitor.page.locator(".st-key-slice_list [class*=st-key-open-] strong")
    expect(rows).to_have_text(["negation", "short", "slang", "entropy"])
    first, third = (rows.nth(place).bounding_box() for place in (0, 2))
    assert first is not None
    assert third is not None
    mouse, x = visitor.page.mouse, first["x"] + 5
    mouse.move(x, first["y"] + 5)
    mouse.down()
    mouse.move(x, third["y"] + 30, steps=8)
    expect(visitor.page.locator(".order-line")).to_be_visible()
    mouse.up()
    expect(rows).to_have_text(["short", "slang", "negation", "entropy"])
    expect(visitor.page.locator(".order-line")).to_have_count(0)
    expect(visitor.name_field).to_have_value("negation")
    visitor.button("Several").click()
    for name in ("slang", "entropy"):
        visitor.page.get_by_role("combobox", name="Slices to change", exact=True).fill(name)
        visitor.page.keyboard.press("Enter")
    visitor.page.keyboard.press("Escape")
    visitor.button("Turn off").click()
    expect(visitor.summary).to_contain_text("turn off slang, entropy: ")
    switches = visitor.page.locator(".st-key-slice_list").get_by_role("switch", name=re.compile("^Use "))
    for place, on in enumerate((True, False, True, False)):
        expect(switches.nth(place)).to_be_checked(checked=on)
    visitor.button("Undo").first.click()
    expect(switches.nth(1)).to_be_checked()
    expect(switches.nth(3)).to_be_checked()
