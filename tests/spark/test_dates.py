"""Dates and times on a cluster: slices and numbers are those of CSV in memory, which are tested with Python's dates."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.data import open_data
from tests.core.data.test_dates import RULES, anchors, write_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Hours that New York skips in March and has twice in November, and rows with gaps.
CHANGES = (datetime(2024, 3, 10, 5), datetime(2024, 11, 3, 4))
HOURS = [start + timedelta(minutes=30 * step) for start in CHANGES for step in range(8)]
ROWS = [*((when.date(), when, when) for when in HOURS), (None, HOURS[0], None), (HOURS[0].date(), None, HOURS[0])]


def test_slices_and_estimates_are_those_of_csv_in_memory(session: SparkSession, tmp_path: Path) -> None:
    tables, numbers = {}, {}
    given = {"source": [*anchors(), *ROWS], "target": [*anchors()[:20], *ROWS[:6]]}
    for side, rows in given.items():
        write_rows(rows, tmp_path / f"{side}.csv", tmp_path / f"{side}.parquet")
    for ending, engine in {"csv": "pandas", "parquet": "spark"}.items():
        options = {"session": session} if engine == "spark" else {}
        opened = [open_data(tmp_path / f"{side}.{ending}", engine=engine, **options) for side in given]
        samples = md.Sample(opened[0], label="label", prediction="prediction"), md.Sample(opened[1])
        tables[engine] = md.slice_table(*samples, RULES).to_frame()
        report = md.estimate(*samples, RULES[:4])
        numbers[engine] = (report.estimate, *report.interval)
    pd.testing.assert_frame_equal(tables["spark"], tables["pandas"], rtol=0, atol=1e-12)
    assert numbers["spark"] == pytest.approx(numbers["pandas"], abs=1e-12)
