"""DuckDB: files beyond memory, tables of a database, and relations that a caller hands in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.data.stopping import take_step
from mandoline_core.data.tables.files import Files, unreadable
from mandoline_core.data.tables.table import (
    BATCH,
    Combine,
    Reduce,
    Table,
    first_line,
    missing_engine,
    reduce_batches,
)
from mandoline_core.data.tables.waiting import wait_for
from mandoline_core.data.tables.writing import write_batches
from mandoline_core.errors import DataError

if TYPE_CHECKING:
    import duckdb

T = TypeVar("T")


class DuckDBTable(Table):
    """Go over a relation of DuckDB.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection, optional
        That the relation belongs to, to stop its work; a caller's own relation comes without.
    """

    engine = "duckdb"

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        name: str,
        files: Files | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        super().__init__(name, files)
        self._relation, self._connection = relation, connection
        # Whoever opened a connection has its settings: see `_connect` for what goes wrong with NaN otherwise.
        self.runs_expressions = connection is not None or not any(dtype.is_float() for dtype in self.schema.values())

    @classmethod
    def scan(cls, files: Files) -> DuckDBTable:
        """Open Parquet files."""
        connection = _connect()
        import duckdb

        try:
            relation = connection.read_parquet([str(path) for path in files.paths])
        except duckdb.Error as error:
            raise unreadable(files.name, error) from None
        return cls(relation, files.name, files, connection)

    @classmethod
    def of_database(cls, files: Files, table: str) -> DuckDBTable:
        """Open a table of a database file, for reading only."""
        connection = _connect()
        import duckdb

        try:
            connection.execute(f"ATTACH '{_quoted(str(files.paths[0]))}' AS data (READ_ONLY)")
            relation = connection.table(f"data.{table}")
        except duckdb.Error as error:
            raise DataError(f"Table {table!r} of {files.name} cannot be read: {first_line(error)}.") from None
        return cls(relation, f"{table} of {files.name}", files, connection)

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The relation."""
        return nw.from_native(self._relation)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query."""
        return self._run(lambda: nw.to_native(query).to_arrow_table())

    def reduce(self, columns: Sequence[str], function: Reduce, combine: Combine) -> pa.Table:
        """Reduce batch by batch, here."""
        found = reduce_batches(self._batches(columns), self.n_rows, function, combine)
        self.check_unchanged()
        return found

    def draw(self, most: int, seed: int) -> pa.Table:
        """Choose row numbers, and keep those rows while all go by."""
        if self.n_rows <= most:
            return self._run(self._relation.to_arrow_table)
        rows = np.sort(np.random.default_rng(seed).choice(self.n_rows, most, replace=False))
        # As one piece of text: DuckDB takes seconds to understand so many numbers one by one.
        numbers = f"unnest(string_split('{','.join(map(str, rows))}', ',')::BIGINT[])"
        chosen = self._relation.project("*, row_number() over () - 1 AS mandoline_row").filter(
            f"mandoline_row IN (SELECT {numbers})"
        )
        found = self._run(chosen.order("mandoline_row").to_arrow_table)
        return found.drop_columns(["mandoline_row"])

    def write(self, path: Path, columns: Sequence[str], function: Reduce) -> None:
        """Write what becomes of each batch, in order."""
        write_batches(path, (function(batch) for batch in self._batches(columns)))
        self.check_unchanged()

    def _batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        names = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        reader = self._run(lambda: self._relation.project(names).to_arrow_reader(BATCH))
        while True:
            try:
                batch = self._run(reader.read_next_batch)
            except StopIteration:
                return
            yield pa.Table.from_batches([batch])

    def _run(self, work: Callable[[], T]) -> T:
        connection = self._connection
        with self.reading():
            if connection is None:
                take_step()
                return work()
            return wait_for(work, cancel=connection.interrupt, share=lambda: _share(connection))

    def errors(self) -> tuple[type[BaseException], ...]:
        """Name what DuckDB raises."""
        import duckdb

        return duckdb.Error, OSError


def _share(connection: duckdb.DuckDBPyConnection) -> float | None:
    share = connection.query_progress()
    return share / 100 if share > 0 else None


def _connect() -> duckdb.DuckDBPyConnection:
    try:
        import duckdb
    except ImportError:
        raise missing_engine("duckdb", "duckdb") from None
    settings = {
        "enable_progress_bar": "true",
        "enable_progress_bar_print": "false",
        "TimeZone": "UTC",
        # It takes the largest number that a Parquet file states for the largest there is, so that it sees no NaN.
        "disabled_optimizers": "statistics_propagation",
    }
    connection = duckdb.connect(config={})
    for key, value in settings.items():
        connection.execute(f"SET {key} = '{value}'")
    return connection


def _quoted(text: str) -> str:
    return text.replace("'", "''")
