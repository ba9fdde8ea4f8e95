"""Counts on a cluster: as many as DuckDB's, with a worker killed too; no row leaves, and a stop ends the work."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import mandoline_core as md
from mandoline_core.data import Table, cancelled_by, open_data, progress_to
from mandoline_core.data.engines.spark import SparkTable
from mandoline_core.pipeline.table_cells import TableCells
from mandoline_core.pipeline.table_count import count_cells
from tests.spark.cluster import Cluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

N_ROWS, N_FILES = 20_000_000, 16
RULES = (
    md.Keyword("not", column="text", words=("not", "never")),
    md.Threshold("large", column="n", above=700),
    md.Category("west", column="place", values=("west",)),
)
MODEL = md.Model("m", "pred")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Write twenty million rows, and remove them after."""
    folder = tmp_path_factory.mktemp("large")
    ends = ("good", "bad", "so", "été")
    texts = dict(enumerate(f"{first} {last}" for first in ("it is", "it was", "never", "Not") for last in ends))
    places = {0: "west", 1: "east", 2: None}
    for number in range(N_FILES):
        rng = np.random.default_rng(number)
        n = N_ROWS // N_FILES
        frame = pl.DataFrame(
            {
                "text": pl.Series(rng.integers(0, len(texts), n, dtype=np.uint8)).replace_strict(texts),
                "n": rng.integers(0, 1_000, n, dtype=np.int16),
                "place": pl.Series(rng.integers(0, 3, n, dtype=np.uint8)).replace_strict(places),
                "label": rng.integers(0, 2, n, dtype=np.int8),
                "pred": rng.integers(0, 2, n, dtype=np.int8),
            }
        )
        frame.write_parquet(folder / f"{number:02}.parquet", compression="lz4", statistics=False)
    yield folder / "*.parquet"
    for path in folder.iterdir():
        path.unlink()


def sample_of(table: Table) -> md.Sample:
    """Give rows that lie somewhere their roles; no draw, which would read them once more."""
    return md.Sample(
        table.head(["text", "n", "place", "label", "pred"], 1_000), label="label", models=[MODEL], table=table
    )


def counts(cells: TableCells) -> dict[tuple[int, ...], float]:
    """Write cells so that their order says nothing."""
    assert cells.answers is not None
    columns = [cells.code(RULES), *(cells.answers.frame[c].to_numpy()[:, None] for c in ("label", "pred"))]
    keys = np.hstack(columns).astype(int)
    return {tuple(key): rows for key, rows in zip(keys.tolist(), cells.rows.tolist(), strict=True)}


def count(table: Table) -> dict[tuple[int, ...], float]:
    """Count a table's rows by slices and answers."""
    return counts(count_cells(sample_of(table), RULES, [MODEL], "label", md.MetricSettings()))


@pytest.fixture(scope="module")
def expected(files: Path) -> dict[tuple[int, ...], float]:
    """Let DuckDB count."""
    return count(open_data(files, engine="duckdb"))


def test_counts_are_those_of_duckdb(files: Path, session: SparkSession, expected: dict[tuple[int, ...], float]) -> None:
    found = count(open_data(files, engine="spark", session=session))
    assert found == expected
    assert sum(found.values()) == N_ROWS


def test_counts_are_the_same_with_a_worker_killed(
    files: Path, session: SparkSession, cluster: Cluster, expected: dict[tuple[int, ...], float]
) -> None:
    table = open_data(files, engine="spark", session=session)
    sample = sample_of(table)
    killed: list[float] = []

    def kill_one(_what: str, share: float) -> None:
        if 0 < share < 1 and not killed:
            killed.append(share)
            cluster.kill("worker1")

    # A partition for each file at least: Spark would make as many as there are workers, which may all end at once.
    session.conf.set("spark.sql.files.maxPartitionBytes", "4m")
    try:
        with progress_to(kill_one):
            found = counts(count_cells(sample, RULES, [MODEL], "label", md.MetricSettings()))
    finally:
        session.conf.unset("spark.sql.files.maxPartitionBytes")
        if killed:
            cluster.start_worker("worker1")
    assert killed
    assert found == expected


def test_no_row_leaves_the_cluster(files: Path, session: SparkSession) -> None:
    """The plan has a scan and our own step; what comes back is a line a partition, and small; nothing is shuffled."""
    table = open_data(files, engine="spark", session=session)
    assert isinstance(table, SparkTable)
    sample = sample_of(table)
    before = last_stage(session)
    plans: list[str] = []
    make = table.reduction

    def remember(*asked: object) -> object:
        query = make(*asked)  # type: ignore[arg-type]
        plans.append(query._jdf.queryExecution().executedPlan().toString())
        return query

    table.reduction = remember  # type: ignore[method-assign, assignment]
    count_cells(sample, RULES, [MODEL], "label", md.MetricSettings())
    (plan,) = plans
    steps = [line.strip(" +-:*()0123456789").split(" ")[0] for line in plan.strip().split("\n")]
    assert set(steps) <= {"MapInArrow", "Project", "ColumnarToRow", "FileScan", "Scan"}
    assert "MapInArrow" in steps
    stages = [stage for stage in stages_of(session) if stage.stageId() > before]
    assert sum(stage.inputRecords() for stage in stages) == N_ROWS
    assert sum(stage.shuffleWriteBytes() for stage in stages) == 0
    assert sum(stage.resultSize() for stage in stages) < 20_000 * sum(stage.numTasks() for stage in stages)


def stages_of(session: SparkSession) -> list:
    """List what Spark knows of the stages that it ran."""
    context = session.sparkContext
    none = context._gateway.new_array(context._jvm.double, 0)
    found = context._jsc.sc().statusStore().stageList(None, False, False, none, None)  # noqa: FBT003 - Java's
    return [found.apply(place) for place in range(found.size())]


def last_stage(session: SparkSession) -> int:
    """Return the number of the latest stage."""
    return max((stage.stageId() for stage in stages_of(session)), default=-1)


class NobodyWaits(Exception):  # noqa: N818 - nothing went wrong
    """Say that nobody waits any more."""


def test_a_stop_ends_the_job_on_the_cluster(files: Path, session: SparkSession) -> None:
    sample = sample_of(open_data(files, engine="spark", session=session))
    tracker, seen = session.sparkContext.statusTracker(), []

    def stop() -> None:
        seen.append(tracker.getActiveJobsIds())
        if seen[-1] and len(seen) > 20:
            raise NobodyWaits

    with pytest.raises(NobodyWaits), cancelled_by(stop):
        count_cells(sample, RULES, [MODEL], "label", md.MetricSettings())
    until = time.monotonic() + 30
    while tracker.getActiveJobsIds():
        assert time.monotonic() < until, "The job goes on."
        time.sleep(0.1)
