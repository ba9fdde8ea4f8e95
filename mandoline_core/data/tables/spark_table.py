"""Spark: tables on a cluster. Workers reduce their own rows with the same code; only counts and a draw come here."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.data.doors import check_names, door_expressions
from mandoline_core.data.tables.files import Files, read_schema
from mandoline_core.data.tables.spark_session import TOGETHER
from mandoline_core.data.tables.table import Combine, Reduce, Table, first_line
from mandoline_core.data.tables.waiting import wait_for
from mandoline_core.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
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
        schema = read_schema(files.paths[0]) if files is not None else pa.schema([])
        self._unsigned = tuple(field.name for field in schema if field.type == pa.uint64())

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
            raise DataError(f"Spark has no table {table!r}: {first_line(error)}.") from None

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The frame."""
        return nw.from_native(self._frame)

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The type of each column in the batches that rules are evaluated on."""
        check_names(self._frame.columns, self.name)
        none = nw.from_native(_as_written(self._run(self._frame.limit(0).toArrow), self._unsigned), eager_only=True)
        expressions = door_expressions(none.schema)
        return (none.with_columns(*expressions) if expressions else none).schema

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._run(self._frame.count)

    def head(self, columns: Sequence[str], n: int) -> pa.Table:
        """Bring some rows here, whichever come first."""
        return _as_written(self._run(self._frame.select(*_quoted(columns)).limit(n).toArrow), self._unsigned)

    def _distinct(self, column: str, most: int) -> nw.Series[Any]:
        # Each worker lists its own, so that none is sent twice.
        def values(rows: pa.Table) -> pa.Table:
            frame = nw.from_native(rows, eager_only=True)
            expressions = door_expressions(frame.schema)
            found = (frame.with_columns(*expressions) if expressions else frame)[column].unique().drop_nulls()
            return pa.table({column: found.head(most).to_arrow()})

        def together(parts: list[pa.Table]) -> pa.Table:
            whole = pa.concat_tables(parts)
            return pa.table({column: whole[column].unique()[:most]})

        return nw.from_native(self.reduce([column], values, together)[column], series_only=True)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query whose result is small."""
        return self._run(lambda: nw.to_native(query).toArrow())

    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce every partition where it lies; what comes here is one small table each."""
        query = self.reduction(columns, function, combine)
        found = self._run(lambda: [_unpacked(row[_FOUND]) for row in query.collect()])
        self.check_unchanged()
        return combine(found)

    def reduction(self, columns: Sequence[str], function: Reduce, combine: Combine) -> DataFrame:
        """Say what workers do: each partition becomes one line, which holds its small table."""
        names, unsigned = list(columns), self._unsigned

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            found = [function(_as_written(rows.rename_columns(names), unsigned)) for rows in _together(batches)]
            if found:
                yield pa.record_batch({_FOUND: pa.array([_packed(combine(found))], pa.binary())})

        return self._numbered(columns).mapInArrow(on_worker, f"{_FOUND} binary")

    def _numbered(self, columns: Sequence[str]) -> DataFrame:
        """Name columns by their places: on the way to workers Spark reads dots and quotes in names as its own."""
        return self._frame.select(*_quoted(columns)).toDF(*(f"c{place}" for place in range(len(columns))))

    def draw(self, most: int, seed: int) -> pa.Table:
        """Give every row a number by chance, from where it lies; keep the lowest."""
        if self.n_rows <= most:
            return _as_written(self._run(self._frame.toArrow), self._unsigned)
        # A few more than asked for leave next to no chance of too few; the rows beyond are cut off below.
        share = min(1.0, (most + 8 * np.sqrt(most)) / self.n_rows)
        names = self._frame.columns

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context, start = TaskContext.get(), 0
            place = 0 if context is None else context.partitionId()
            for batch in batches:
                numbers = chances(seed, place, start, len(batch))
                start += len(batch)
                kept = np.flatnonzero(numbers < share)
                rows = pa.Table.from_batches([batch.take(pa.array(kept))]).rename_columns(names)
                yield pa.record_batch({_FOUND: pa.array([_packed(_with_chances(rows, numbers[kept]))], pa.binary())})

        query = self._numbered(names).mapInArrow(on_worker, f"{_FOUND} binary")
        found = pa.concat_tables(self._run(lambda: [_unpacked(row[_FOUND]) for row in query.collect()]))
        drawn = found.sort_by("\0chance")[:most].drop_columns(["\0chance"])
        return _as_written(drawn, self._unsigned)

    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write every row with what becomes of it: a cluster keeps no order of rows that could say which is which."""
        from pyspark.sql.types import DoubleType, StructField, StructType

        names, unsigned = self._frame.columns, self._unsigned
        new = function(self.head(columns, 1)).column_names
        numbered = self._numbered(names)
        schema = StructType(
            [*numbered.schema.fields, *(StructField(f"new{place}", DoubleType()) for place in range(len(new)))]
        )

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                rows = pa.Table.from_batches([batch])
                made = function(_as_written(rows.rename_columns(names).select(list(columns)), unsigned))
                for place, name in enumerate(made.column_names):
                    rows = rows.append_column(f"new{place}", made[name].cast(pa.float64()))
                yield from rows.to_batches()

        written = numbered.mapInArrow(on_worker, schema).toDF(*names, *new)
        self._run(lambda: written.write.mode("overwrite").parquet(str(path.resolve())))
        self.check_unchanged()

    def _run(self, work: Callable[[], T]) -> T:
        context = self._frame.sparkSession.sparkContext
        group = f"mandoline-{uuid.uuid4().hex}"

        def within() -> T:
            context.setJobGroup(group, self.name, interruptOnCancel=True)
            return work()

        with self.reading():
            return wait_for(within, cancel=lambda: context.cancelJobGroup(group), share=lambda: _share(context, group))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say in a sentence what Spark cannot do: in our own words, where a worker found them."""
        try:
            yield
        except self.errors() as error:
            self.check_unchanged()
            raise DataError(f"{self.name} cannot be read by Spark: {_reason(error)}.") from None

    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what Spark raises."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError


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


def _quoted(columns: Sequence[str]) -> list[str]:
    """Write names so that Spark takes dots and quotes in them for what they are."""
    return [f"`{column.replace('`', '``')}`" for column in columns]


def _together(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Put small batches together, so that few results leave a worker."""
    kept: list[pa.RecordBatch] = []
    for batch in batches:
        kept.append(batch)
        if sum(len(one) for one in kept) >= TOGETHER:
            yield pa.Table.from_batches(kept)
            kept = []
    if kept:
        yield pa.Table.from_batches(kept)


def _as_written(rows: pa.Table, unsigned: Sequence[str]) -> pa.Table:
    """Give whole numbers back the type they have in files; Spark, which has none, reads them as decimals."""
    for column in unsigned:
        if column in rows.column_names:
            place = rows.column_names.index(column)
            rows = rows.set_column(place, column, rows[column].cast(pa.uint64()))
    return rows


def _with_chances(rows: pa.Table, numbers: np.ndarray) -> pa.Table:
    return rows.append_column("\0chance", pa.array(numbers))


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


def _reason(error: BaseException) -> str:
    """Find our own sentence in what a worker sent back, else take Spark's first line."""
    marks = ("SliceError: ", "DataError: ", "MandolineError: ")
    for line in str(error).split("\n"):
        for mark in marks:
            if mark in line:
                return line.split(mark, 1)[1].strip().rstrip(".")
    return first_line(error)
