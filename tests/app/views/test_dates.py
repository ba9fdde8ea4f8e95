"""Dates on the pages: a calendar in the form, a figure of a column, a rule typed into the line."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mandoline_core as md
from tests.app.pages import add, current, open_app, run, said, type_line
from tests.core.projects import small_frames, write_project

pytestmark = pytest.mark.usefixtures("folder")
SPRING = {"name": "spring", "kind": "range", "column": "day", "low": "2024-03-01", "high": date(2024, 5, 31)}
LATE = {"name": "late", "kind": "threshold", "column": "at", "above": "2024-02-10 09:30"}


def dated(folder: Path, *rules: dict[str, Any], page: str = "views/slices/slices.py") -> AppTest:
    """Open a project whose rows have a day and a time."""
    frames = []
    for frame in small_frames()[:2]:
        days = pd.Timestamp("2024-01-01") + pd.to_timedelta([row % 150 for row in range(len(frame))], unit="D")
        times = [f"{day:%Y-%m-%d}T{row % 24:02}:30:00+02:00" for row, day in enumerate(days)]
        frames.append(frame.assign(day=days.strftime("%Y-%m-%d"), at=times))
    path = write_project(folder, {"slices": list(rules)}, source=frames[0], target=frames[1])
    return open_app(path, page)


def test_a_range_of_dates_has_two_calendars(folder: Path) -> None:
    """Each writes its end; one that is past the other is refused beside them."""
    app = dated(folder, SPRING)
    low, high = app.date_input
    assert (low.label, low.value, high.value) == ("From", date(2024, 3, 1), date(2024, 5, 31))
    low.set_value(date(2024, 4, 1))
    assert current(run(app)).slices[0] == md.Range("spring", column="day", low="2024-04-01", high="2024-05-31")
    app.date_input[1].set_value(date(2024, 2, 1))
    assert "low = 2024-04-01 is above high = 2024-02-01. Swap them." in said(run(app))
    assert current(app).slices[0].describe() == "day from 2024-04-01 to 2024-05-31"


def test_a_time_of_day_is_set_with_a_clock_and_taken_away(folder: Path) -> None:
    """A day alone means all of it, so that the clock starts at its end."""
    app = dated(folder, LATE)
    (clock,) = app.datetime_input
    assert clock.value == datetime(2024, 2, 10, 9, 30)
    clock.set_value(datetime(2024, 2, 11, 8, 0))
    assert current(run(app)).slices[0] == md.Threshold("late", column="at", above="2024-02-11 08:00")
    (switch,) = [one for one in app.toggle if one.label == "Set the time of day"]
    switch.set_value(False)
    assert current(run(app)).slices[0] == md.Threshold("late", column="at", above="2024-02-11")
    assert app.date_input[0].value == date(2024, 2, 11)
    (switch,) = [one for one in app.toggle if one.label == "Set the time of day"]
    switch.set_value(True)
    assert current(run(app)).slices[0] == md.Threshold("late", column="at", above="2024-02-11 23:59")


def test_a_rule_moves_between_numbers_and_dates(folder: Path) -> None:
    """A new column brings its own bounds."""
    app = add(dated(folder), "threshold")
    (column,) = [one for one in app.selectbox if one.label == "Column"]
    assert {"day", "at"} <= set(column.options)
    column.set_value("day")
    rule = current(run(app)).slices[0]
    assert rule.describe().startswith("day after 2024-0")
    assert rule.describe() == f"day after {app.date_input[0].value}"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("day >= 2024-03-01", md.Threshold("day from 2024-03-01", column="day", at_least="2024-03-01")),
        (
            "day between 2024-01-01 and 2024-03-31",
            md.Range("day from 2024-01-01 to 2024-03-31", column="day", low="2024-01-01", high="2024-03-31"),
        ),
        ("late: at after 2024-02-01 09:30", md.Threshold("late", column="at", above="2024-02-01 09:30")),
        ("day = 2024-03-01", md.Category("day is 2024-03-01", column="day", values=("2024-03-01",))),
        ("weekday(day) = 6", md.Expression("day on Saturday", text="weekday(day) == 6")),
    ],
)
def test_a_line_says_dates(folder: Path, line: str, rule: md.Slice) -> None:
    """As people write them, without quotes."""
    assert current(type_line(dated(folder), line)).slices == (rule,)


@pytest.mark.parametrize("column", ["day", "at"])
def test_a_column_of_dates_has_a_figure(folder: Path, column: str) -> None:
    """Its axis is one of dates, and no number of milliseconds is written."""
    app = dated(folder, page="views/data/data.py")
    app.selectbox(key="looked_at").set_value(column)
    run(app)
    assert "No figure for a column" not in said(app)
    assert "Drag across a range" in said(app)
