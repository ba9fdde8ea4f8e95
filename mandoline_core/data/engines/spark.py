"""Spark: tables on a cluster. Workers reduce their own rows with the same code; only counts and a draw come here."""

from __future__ import annotations

import os
import socket
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.data.engines.engine import Engine
from mandoline_core.data.engines.table import Combine, Reduce, Table, first_line
from mandoline_core.data.files import Files, check_alike, files_at, read_schema
from mandoline_core.data.fingerprint import mix
from mandoline_core.data.frames import check_names, normalise
from mandoline_core.data.progress import wait_for
from mandoline_core.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

T = TypeVar("T")
TOGETHER = 100_000  # rows that a worker looks at together
_PATIENCE = 10.0  # seconds, until a master that does not answer is none
_PART = "part"
_DRAW = "\0draw"


class SparkTable(Table):
    """Go over a DataFrame of Spark.

    Rules are evaluated on Arrow batches where the rows are, by the same code as everywhere: Java's regular expressions
    mean other things, and some take time without bound. Workers need this package.
    """

    runs_expressions = False

    def __init__(self, frame: DataFrame, name: str, files: Files | None = None) -> None:
        super().__init__(name, files)
        self._frame = frame
        schema = read_schema(files.paths[0]) if files is not None else pa.schema([])
        self._changed = {
            field.name: field.type
            for field in schema
            if field.type == pa.uint64() or getattr(field.type, "tz", None) is not None
        }

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The frame."""
        return nw.from_native(self._frame)

    @cached_property
    def schema(self) -> Mapping[str, nw.dtypes.DType]:
        """The type of each column in the batches that rules are evaluated on."""
        check_names(self._frame.columns, self.name)
        none = _as_written(self._run(self._frame.limit(0).toArrow), self._changed)
        return normalise(nw.from_native(none, eager_only=True)).schema

    @cached_property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._run(self._frame.count)

    def head(self, columns: Sequence[str], n: int) -> pa.Table:
        """Bring some rows here, whichever come first."""
        return _as_written(self._run(self._frame.select(*_quoted(columns)).limit(n).toArrow), self._changed)

    def _distinct(self, column: str, most: int) -> nw.Series[Any]:
        # Each worker lists its own, so that none is sent twice.
        def values(rows: pa.Table) -> pa.Table:
            distinct = normalise(nw.from_native(rows, eager_only=True))[column].unique().drop_nulls()
            return pa.table({column: distinct.head(most).to_arrow()})

        def together(parts: list[pa.Table]) -> pa.Table:
            whole = pa.concat_tables(parts)
            return pa.table({column: whole[column].unique()[:most]})

        return nw.from_native(self.reduce([column], values, together)[column], series_only=True)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query whose result is small."""
        return self._run(lambda: nw.to_native(query).toArrow())

    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce every partition on its worker, which returns one small table."""
        parts = self._collect_parts(self.reduction(columns, function, combine))
        self.check_unchanged()
        return combine(parts)

    def _collect_parts(self, query: DataFrame) -> list[pa.Table]:
        return self._run(lambda: [_deserialised(row[_PART]) for row in query.collect()])

    def reduction(self, columns: Sequence[str], function: Reduce, combine: Combine) -> DataFrame:
        """Say what workers do: each partition becomes one line, which holds its small table."""
        names, changed = list(columns), self._changed

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            parts = [function(_as_written(rows.rename_columns(names), changed)) for rows in _together(batches)]
            if parts:
                yield _serialised(combine(parts))

        return self._numbered(columns).mapInArrow(on_worker, f"{_PART} binary")

    def _numbered(self, columns: Sequence[str]) -> DataFrame:
        """Call columns by numbers: on the way to workers Spark reads dots and quotes in names as its own."""
        return self._frame.select(*_quoted(columns)).toDF(*(f"c{number}" for number in range(len(columns))))

    def draw(self, most: int, seed: int) -> pa.Table:
        """Give every row a random number from its position; keep the lowest."""
        if self.n_rows <= most:
            return _as_written(self._run(self._frame.toArrow), self._changed)
        # Eight standard deviations more than asked for are as good as never too few; the rows beyond are cut off below.
        share = min(1.0, (most + 8 * np.sqrt(most)) / self.n_rows)
        names = self._frame.columns

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context, start = TaskContext.get(), 0
            partition = 0 if context is None else context.partitionId()
            for batch in batches:
                numbers = random_numbers(seed, partition, start, len(batch))
                start += len(batch)
                kept = np.flatnonzero(numbers < share)
                rows = pa.Table.from_batches([batch.take(pa.array(kept))]).rename_columns(names)
                yield _serialised(rows.append_column(_DRAW, pa.array(numbers[kept])))

        parts = self._collect_parts(self._numbered(names).mapInArrow(on_worker, f"{_PART} binary"))
        drawn = pa.concat_tables(parts).sort_by(_DRAW)[:most].drop_columns([_DRAW])
        return _as_written(drawn, self._changed)

    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write every row with what becomes of it: a cluster keeps no order of rows that could say which is which."""
        from pyspark.sql.types import DoubleType, StructField, StructType

        names, changed = self._frame.columns, self._changed
        new = function(self.head(columns, 1)).column_names
        numbered = self._numbered(names)
        schema = StructType(
            [*numbered.schema.fields, *(StructField(f"new{number}", DoubleType()) for number in range(len(new)))]
        )

        def on_worker(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                rows = pa.Table.from_batches([batch])
                made = function(_as_written(rows.rename_columns(names).select(list(columns)), changed))
                for number, name in enumerate(made.column_names):
                    rows = rows.append_column(f"new{number}", made[name].cast(pa.float64()))
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

    def explain(self, error: BaseException) -> str:
        """Find our own error in what a worker sent back, otherwise take Spark's first line."""
        for line in str(error).split("\n"):
            for mark in ("SliceError: ", "DataError: ", "MandolineError: "):
                if mark in line:
                    return f"{self.name} cannot be read by Spark: {line.split(mark, 1)[1].strip().rstrip('.')}."
        return f"{self.name} cannot be read by Spark: {first_line(error)}."

    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what Spark raises."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        return PySparkException, Py4JError


class Spark(Engine):
    """Leave rows to a cluster."""

    name = "spark"
    title = "by Spark"
    package = "pyspark"
    knows_tables = True
    implementation = nw.Implementation.PYSPARK
    table_type = SparkTable

    def open(
        self,
        path: Path | None,
        table: str | None = None,
        *,
        master: str | None = None,
        session: SparkSession | None = None,
        **_where: Any,
    ) -> Table:
        """Open Parquet files that every worker can reach, or a table that the session knows by name."""
        session = session or self.connect(master)
        if table is not None:
            from pyspark.errors import PySparkException

            try:
                return SparkTable(session.table(table), table)
            except PySparkException as error:
                raise DataError(f"Spark has no table {table!r}: {first_line(error)}.") from None
        if path is None:
            raise DataError("Set path to Parquet files, or table to a table that Spark knows.")
        files = files_at(path)
        if not files.are_parquet:
            raise DataError(
                f"Engine 'spark' reads only Parquet files and tables, and {path.name} is text. Convert it to "
                "Parquet first."
            )
        check_alike(files)
        frame = session.read.parquet(*(str(file.resolve()) for file in files.paths))
        return SparkTable(frame, files.name, files)

    def connect(self, master: str | None) -> SparkSession:
        """Connect to a cluster, or start Spark locally if none is named."""
        self.check_installed()
        from pyspark.sql import SparkSession

        master = master or "local[*]"
        running = SparkSession.getActiveSession()
        if running is not None and running.sparkContext.master != master:
            raise DataError(
                f"Spark already runs at {running.sparkContext.master} in this program, which can have only one "
                f"master. Got {master}. Use one master, or pass a session."
            )
        if master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        _check_reachable(master)
        # No row goes through pandas there.
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        builder = SparkSession.builder.appName("mandoline").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", str(TOGETHER))
        try:
            return builder.master(master).getOrCreate()
        except Exception as error:  # noqa: BLE001 - whatever the gateway to Java raises
            raise _unreachable(master, first_line(error)) from None


def _check_reachable(master: str) -> None:
    """Refuse a master where nobody listens: Spark itself would try for a minute."""
    scheme, _, rest = master.partition("://")
    if scheme != "spark":
        return
    reason = "the address must look like spark://host:7077"
    for address in rest.split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            continue
        try:
            with socket.create_connection((host, int(port)), timeout=_PATIENCE):
                return
        except OSError as error:
            reason = error.strerror or str(error)
    raise _unreachable(master, reason)


def _unreachable(master: str, reason: str) -> DataError:
    return DataError(
        f"Spark could not be reached at {master}: {reason}. It needs Java 17 or newer and a running master."
    )


def random_numbers(seed: int, partition: int, start: int, n: int) -> np.ndarray:
    """Give n rows random numbers between 0 and 1, from their position only (SplitMix64).

    >>> random_numbers(0, 1, 0, 3).round(3).tolist() == random_numbers(0, 1, 0, 3).round(3).tolist()
    True
    """
    with np.errstate(over="ignore"):
        state = np.arange(start, start + n, dtype=np.uint64) + (np.uint64(partition) << np.uint64(40))
        state = (state + np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return mix(state).astype(float) / 2.0**64


def _quoted(columns: Sequence[str]) -> list[str]:
    """Write names so that Spark takes dots and quotes in them for what they are."""
    return [f"`{column.replace('`', '``')}`" for column in columns]


def _together(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Put small batches together, so that few results leave a worker."""
    kept: list[pa.RecordBatch] = []
    for batch in batches:
        kept.append(batch)
        if sum(map(len, kept)) >= TOGETHER:
            yield pa.Table.from_batches(kept)
            kept = []
    if kept:
        yield pa.Table.from_batches(kept)


def _as_written(rows: pa.Table, changed: Mapping[str, pa.DataType]) -> pa.Table:
    """Give back the types that Spark does not have: it reads whole numbers as decimals, and times in its own zone."""
    for column, dtype in changed.items():
        if column in rows.column_names:
            rows = rows.set_column(rows.column_names.index(column), column, rows[column].cast(dtype))
    return rows


def _serialised(table: pa.Table) -> pa.RecordBatch:
    """Put a table on its way from a worker: one line, which holds it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.record_batch({_PART: pa.array([sink.getvalue().to_pybytes()], pa.binary())})


def _deserialised(content: bytes) -> pa.Table:
    with pa.ipc.open_stream(content) as reader:
        return reader.read_all()


def _share(context: Any, group: str) -> float | None:
    tracker = context.statusTracker()
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        job_info = tracker.getJobInfo(job)
        for stage in job_info.stageIds if job_info is not None else ():
            info = tracker.getStageInfo(stage)
            if info is not None:
                done, total = done + info.numCompletedTasks, total + info.numTasks
    return done / total if total else None
