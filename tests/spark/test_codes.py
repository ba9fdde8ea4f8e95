"""Rules mean the same on a cluster: every kind, over nasty rows, compared row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import open_data
from tests.nasty import N_ROWS, ROW, nasty_model, nasty_table
from tests.nasty_rules import codes_in, nasty_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the rows in several files, so that they lie in several places."""
    folder = tmp_path_factory.mktemp("nasty")
    table = nasty_table()
    for number in range(4):
        start = number * N_ROWS // 4
        pq.write_table(table.slice(start, N_ROWS // 4), folder / f"{number}.parquet")
    return folder / "*.parquet"


def test_codes_are_identical_row_by_row(path: Path, session: SparkSession) -> None:
    rules = nasty_rules()
    expected = codes_in(md.Sample(nasty_table(), models=[nasty_model()]), rules)
    found = codes_in(md.Sample(open_data(path, engine="spark", session=session), models=[nasty_model()]), rules)
    odd = {rule.name: np.flatnonzero(found[:, i] != expected[:, i])[:5].tolist() for i, rule in enumerate(rules)}
    assert {name: rows for name, rows in odd.items() if rows} == {}


def test_the_time_zone_of_the_session_changes_nothing(path: Path, session: SparkSession) -> None:
    table = open_data(path, engine="spark", session=session)
    rules = [
        md.Missing("moment", column="moment"),
        md.Expression("zoned", text="is_missing(zoned) or is_missing(date)"),
    ]
    found = []
    for zone in ("Pacific/Auckland", "America/Los_Angeles"):
        session.conf.set("spark.sql.session.timeZone", zone)
        found.append(codes_in(md.Sample(table, models=[nasty_model()]), rules))
    session.conf.unset("spark.sql.session.timeZone")
    assert np.array_equal(found[0], found[1])
    assert set(np.unique(found[0])) == {-1, 1}


def test_a_draw_is_the_same_each_time(path: Path, session: SparkSession) -> None:
    table = open_data(path, engine="spark", session=session)
    first, second = (table.draw(500, 0)[ROW].to_pylist() for _ in range(2))
    assert first == second
    assert len(set(first)) == 500
    # The mean of 500 of 2,400 rows without replacement lies within four standard errors of the middle.
    error = N_ROWS / np.sqrt(12 * 500) * np.sqrt(1 - 500 / N_ROWS)
    assert abs(np.mean(first) - (N_ROWS - 1) / 2) < 4 * error
