"""A project whose rows stay in tables: every page works, counts run in the background, and what is a draw says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app import compute
from app.compute import counting
from app.compute.jobs import jobs
from app.project import Workspace
from mandoline_core.data import take_step
from tests.app.pages import choose, current, labels, open_app, press, run, said, type_line
from tests.app.tables import PATIENCE, is_working, settle, write_tables

PAGES = ("data", "slices", "result", "track", "share", "present", "projects")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Hold every count until it is let go, as a large table would."""
    gate, count = threading.Event(), counting.count_tables

    def slow(*given: object) -> object:
        while not gate.wait(0.02):
            take_step(0.4)
        return count(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(counting, "count_tables", slow)
    yield gate
    gate.set()


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_every_page_works_on_tables(folder: Path, page: str) -> None:
    app = settle(open_app(write_tables(folder), page=f"views/{page}/{page}.py"))
    assert not app.error
    assert "6,000 labelled rows, 1,000 new rows" in said(app)


@pytest.mark.long
def test_the_estimate_is_that_of_rows_in_memory(folder: Path) -> None:
    in_memory = said(open_app(page="views/result/result.py"))
    (shown,) = [line for line in in_memory.splitlines() if line.startswith("#### ")]
    assert shown in said(settle(open_app(write_tables(folder), page="views/result/result.py")))


def test_while_rows_are_counted_a_draw_is_shown_and_the_page_answers(folder: Path, held: threading.Event) -> None:
    app = open_app(write_tables(folder, copies=4), page="views/slices/slices.py")
    app = wait_for(app, lambda: "updating" in said(app))
    assert is_working(app)
    assert "a sample of 20,000 of 24,000 labelled rows" in said(app)
    press(app, "Duplicate")  # the page answers
    assert len(current(app).slices) == 5
    assert "updating" in said(app)
    held.set()
    assert "updating" not in said(settle(app))


def test_a_count_that_ends_while_the_page_is_drawn_is_shown(
    folder: Path, held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between what is drawn and what would draw it again there is no gap to be stuck in."""
    ask = compute.still_counting

    def late(workspace: Workspace) -> object:
        held.set()
        deadline = time.monotonic() + PATIENCE
        while ask(workspace) is not None and time.monotonic() < deadline:
            time.sleep(0.02)
        return ask(workspace)

    monkeypatch.setattr(compute, "still_counting", late)
    assert "updating" not in said(open_app(write_tables(folder), page="views/slices/slices.py"))


@pytest.mark.long
def test_the_last_estimate_stays_marked(folder: Path, held: threading.Event) -> None:
    held.set()
    app = settle(open_app(write_tables(folder), page="views/slices/slices.py"))
    assert "79.4%" in said(app)
    held.clear()
    type_line(app, "cheap: cheap, price")
    assert "79.4%" in said(app)
    assert "updating" in said(app)
    held.set()
    assert "add cheap: " in said(settle(app))


def test_a_count_can_be_stopped_and_taken_up_again(folder: Path, held: threading.Event) -> None:
    app = open_app(write_tables(folder), page="views/slices/slices.py")
    app = wait_for(app, lambda: "updating" in said(app))
    app.button(key="stop_count").click()
    run(app)
    assert "Cancelled: Counting 7,000 rows" in said(app)
    assert not is_working(app)
    held.set()
    press(app, "Resume")
    assert "effective rows" in said(settle(app))


@pytest.mark.long
def test_an_edit_stops_the_count_that_nobody_needs_any_more(folder: Path, held: threading.Event) -> None:
    app = open_app(write_tables(folder), page="views/slices/slices.py")
    app = wait_for(app, lambda: "updating" in said(app))
    (first,) = [one for one in jobs().values() if one.running]
    type_line(app, "cheap: cheap, price")
    assert first.stopped
    held.set()
    assert "add cheap: " in said(settle(app))


def test_switching_a_slice_off_counts_nothing_anew(folder: Path, held: threading.Event) -> None:
    held.set()
    app = settle(open_app(write_tables(folder), page="views/slices/slices.py"))
    held.clear()
    app.toggle(key="on:negation").set_value(False)
    run(app)
    assert "updating" not in said(app)
    assert "negation off: " in said(app)


def test_what_cannot_work_on_tables_says_so(folder: Path) -> None:
    app = settle(open_app(write_tables(folder), page="views/slices/slices.py"))
    type_line(app, "classifier")
    assert "works on rows in memory only" in said(app)
    assert len(current(app).slices) == 4
    settle(choose(app, "negation", "Reliability"))
    assert "No audit" in said(app)
    assert not [label for label in labels(app) if label.startswith("Audit rows")]
    assert "--weights FILE.parquet" in said(app)


@pytest.mark.long
def test_a_file_that_is_gone_is_said_in_a_sentence(folder: Path) -> None:
    path = write_tables(folder)
    for file in folder.glob("target*.parquet"):
        file.unlink()
    app = settle(open_app(path, page="views/result/result.py"))
    (error,) = app.error
    assert "No file matches" in error.value.replace("\\", "")


def wait_for(app: AppTest, there: Callable[[], bool]) -> AppTest:
    """Look at a page until it shows something."""
    for _ in range(100):
        if there():
            return app
        run(app)
    raise AssertionError(said(app))
