"""Dates and times on a cluster: codes are those of Python's own dates, and numbers those of CSV in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

import mandoline_core as md
from mandoline_core.data import open_data
from tests.core.data.test_dates import ROWS, RULES, Row, anchors, counted_codes, expected_codes, write_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Hours that New York skips in March and has twice in November, and rows with gaps.
CHANGES = (datetime(2024, 3, 10, 5), datetime(2024, 11, 3, 4))
HOURS = [start + timedelta(minutes=30 * step) for start in CHANGES for step in range(8)]
AROUND = [*((when.date(), when, when) for when in HOURS), (None, HOURS[0], None), (HOURS[0].date(), None, HOURS[0])]
WAYS = (("csv", "pandas"), ("parquet", "spark"))


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(AROUND, AROUND[:6])
@given(ROWS, ROWS)
def test_codes_and_estimates_are_those_of_csv_in_memory(
    session: SparkSession, source: Sequence[Row], target: Sequence[Row]
) -> None:
    given_rows = {"source": [*anchors(), *source], "target": [*anchors()[:20], *target]}
    expected = {side: np.array(sorted(map(expected_codes, rows))) for side, rows in given_rows.items()}
    estimates = []
    with TemporaryDirectory() as name:
        for side, rows in given_rows.items():
            write_rows(rows, Path(name) / f"{side}.csv", Path(name) / f"{side}.parquet")
        for ending, engine in WAYS:
            options = {"session": session} if engine == "spark" else {}
            opened = [open_data(Path(name) / f"{side}.{ending}", engine=engine, **options) for side in given_rows]
            samples = md.Sample(opened[0], label="label", prediction="prediction"), md.Sample(opened[1])
            for side, sample in zip(given_rows, samples, strict=True):
                assert np.array_equal(counted_codes(sample), expected[side]), (ending, engine, side)
            report = md.estimate(*samples, RULES[:4])
            estimates.append((report.estimate, *report.interval))
    for found in estimates:
        assert found == pytest.approx(estimates[0], abs=1e-12)
