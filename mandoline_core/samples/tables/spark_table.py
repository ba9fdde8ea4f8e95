"""Spark: tables on a cluster. Workers reduce their own rows with the same code; only counts and a draw come here."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.errors import DataError
from mandoline_core.samples.tables.files import Files
from mandoline_core.samples.tables.table import Combine, Reduce, Table, missing_engine
from mandoline_core.samples.tables.waiting import wait_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
_TOGETHER = 100_000  # rows that a worker looks at together
_FOUND = "found"


class SparkTable(Table):
    """Go over a DataFrame of Spark.

    Rules are evaluated on Arrow batches where the rows are, by the same code as everywhere: Java's regular expressions
    mean other things, and some take time without bound. Workers need this package.
    """

    engine = "spark"
    runs_expressions = False

    def __init__(self, frame: DataFrame, name: str, files: Files | None = None) -> None:
        super().__init__(name, files)
        self._frame = frame

    @classmethod
    def scan(cls, files: Files, session: SparkSession) -> SparkTable:
        """Open Parquet files that every worker can reach."""
        frame = session.read.parquet(*(str(path.resolve()) for path in files.paths))
        return cls(frame, files.name, files)

    @classmethod
    def of_catalogue(cls, table: str, session: SparkSession) -> SparkTable:
        """Open a table that the session knows by name."""
        from pyspark.errors import PySparkException

        try:
            return cls(session.table(table), table)
        except PySparkException as error:
            raise DataError(f"Spark has no table {table!r}: {_first_line(error)}.") from None

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The frame."""
        return nw.from_native(self._frame)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query whose result is small."""
        return self._run(lambda: nw.to_native(query).toArrow())

    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce every partition where it lies; what comes here is one small table each."""

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            found = [function(rows) for rows in _together(batches)]
            if found:
                yield pa.record_batch({_FOUND: pa.array([_packed(combine(found))], pa.binary())})

        names = [f"`{column.replace('`', '``')}`" for column in columns]
        query = self._frame.select(*names).mapInArrow(on_worker, f"{_FOUND} binary")
        found = self._run(lambda: [_unpacked(row[_FOUND]) for row in query.collect()])
        self.check_unchanged()
        return combine(found)

    def draw(self, most: int, seed: int) -> pa.Table:
        """Give every row a number by chance, from where it lies; keep the lowest."""
        if self.n_rows <= most:
            return self._run(self._frame.toArrow)
        # A few more than asked for leave next to no chance of too few; the rows beyond are cut off below.
        share = min(1.0, (most + 8 * np.sqrt(most)) / self.n_rows)

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context, start = TaskContext.get(), 0
            place = 0 if context is None else context.partitionId()
            for batch in batches:
                numbers = chances(seed, place, start, len(batch))
                start += len(batch)
                kept = np.flatnonzero(numbers < share)
                rows = batch.take(pa.array(kept))
                yield pa.record_batch({_FOUND: pa.array([_packed(_numbered(rows, numbers[kept]))], pa.binary())})

        query = self._frame.mapInArrow(on_worker, f"{_FOUND} binary")
        found = pa.concat_tables(self._run(lambda: [_unpacked(row[_FOUND]) for row in query.collect()]))
        return found.sort_by("\0chance")[:most].drop_columns(["\0chance"])

    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write every row with what becomes of it: a cluster keeps no order of rows that could say which is which."""
        from pyspark.sql.types import DoubleType, StructType

        sample = function(self._run(self._frame.limit(1).toArrow))
        schema = StructType([*self._frame.schema.fields])
        for name in sample.column_names:
            schema = schema.add(name, DoubleType())

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                made = function(pa.Table.from_batches([batch]).select(list(columns)))
                merged = pa.Table.from_batches([batch])
                for name in made.column_names:
                    merged = merged.append_column(name, made[name].cast(pa.float64()))
                yield from merged.to_batches()

        written = self._frame.mapInArrow(on_worker, schema)
        self._run(lambda: written.write.mode("overwrite").parquet(str(path.resolve())))
        self.check_unchanged()

    def _run(self, work: Callable[[], T]) -> T:
        from pyspark.errors import PySparkException

        context = self._frame.sparkSession.sparkContext
        group = f"mandoline-{uuid.uuid4().hex}"

        def within() -> T:
            context.setJobGroup(group, self.name, interruptOnCancel=True)
            return work()

        try:
            return wait_for(within, cancel=lambda: context.cancelJobGroup(group), share=lambda: _share(context, group))
        except PySparkException as error:
            raise DataError(f"{self.name} cannot be read by Spark: {_reason(error)}.") from None


def connect(master: str | None) -> SparkSession:
    """Reach a cluster, or start Spark here where none is named."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise missing_engine("spark", "pyspark") from None
    builder = SparkSession.builder.appName("mandoline").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(_TOGETHER))
    try:
        return builder.master(master or "local[*]").getOrCreate()
    except Exception as error:  # noqa: BLE001 - whatever the gateway to Java raises
        where = f"at {master}" if master else "here"
        raise DataError(
            f"Spark could not be reached {where}: {_first_line(error)}. It needs Java 17 or newer and a running master."
        ) from None


def chances(seed: int, place: int, start: int, n: int) -> np.ndarray:
    """Give n rows numbers between 0 and 1, from where they lie alone (SplitMix64).

    >>> chances(0, 1, 0, 3).round(3).tolist() == chances(0, 1, 0, 3).round(3).tolist()
    True
    """
    with np.errstate(over="ignore"):
        state = np.arange(start, start + n, dtype=np.uint64) + (np.uint64(place) << np.uint64(40))
        state = (state + np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return state.astype(float) / 2.0**64


def _together(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Put small batches together, so that few results leave a worker."""
    kept: list[pa.RecordBatch] = []
    for batch in batches:
        kept.append(batch)
        if sum(len(one) for one in kept) >= _TOGETHER:
            yield pa.Table.from_batches(kept)
            kept = []
    if kept:
        yield pa.Table.from_batches(kept)


def _numbered(rows: pa.RecordBatch, numbers: np.ndarray) -> pa.Table:
    return pa.Table.from_batches([rows]).append_column("\0chance", pa.array(numbers))


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def _unpacked(found: bytes) -> pa.Table:
    with pa.ipc.open_stream(found) as reader:
        return reader.read_all()


def _share(context: Any, group: str) -> float | None:
    tracker = context.statusTracker()
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        known = tracker.getJobInfo(job)
        for stage in known.stageIds if known is not None else ():
            told = tracker.getStageInfo(stage)
            if told is not None:
                done, total = done + told.numCompletedTasks, total + told.numTasks
    return done / total if total else None


def _reason(error: Exception) -> str:
    """Find our own sentence in what a worker sent back, else take Spark's first line."""
    marks = ("SliceError: ", "DataError: ", "MandolineError: ")
    for line in str(error).split("\n"):
        for mark in marks:
            if mark in line:
                return line.split(mark, 1)[1].strip().rstrip(".")
    return _first_line(error)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".")
