"""DuckDB: files beyond memory, tables of a database, and relations that a caller hands in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mandoline_core.data.conversion import as_parquet
from mandoline_core.data.engines.engine import Engine
from mandoline_core.data.engines.table import BATCH, Change, Table, first_line
from mandoline_core.data.files import Files, is_offset, time_zones, unreadable
from mandoline_core.data.progress import take_step, wait_for
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

    def __init__(
        self,
        relation: duckdb.DuckDBPyRelation,
        name: str,
        files: Files | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        super().__init__(name, files)
        self._relation, self._connection = relation, connection
        # Whoever opened a connection has its settings: see `DuckDB._connect` for what goes wrong with NaN otherwise.
        self.runs_expressions = connection is not None or not any(dtype.is_float() for dtype in self.schema.values())

    @property
    def lazy(self) -> nw.LazyFrame[Any]:
        """The relation."""
        return nw.from_native(self._relation)

    def changed(self, change: Change) -> Table:
        """Add columns when rows are read."""
        return DuckDBTable(nw.to_native(change(self.normalised)), self.name, self.files, self._connection)

    def reopened(self, files: Files) -> Table:
        """Open other files."""
        return DuckDB().scan(files)

    def collect(self, query: nw.LazyFrame[Any]) -> pa.Table:
        """Run a query."""
        return self._run(lambda: nw.to_native(query).to_arrow_table())

    def take(self, rows: NDArray[np.int64]) -> pa.Table:
        """Keep those rows while all go by."""
        # As one piece of text: DuckDB takes seconds to understand so many numbers one by one.
        numbers = f"unnest(string_split('{','.join(map(str, rows))}', ',')::BIGINT[])"
        chosen = self._relation.project("*, row_number() over () - 1 AS mandoline_row").filter(
            f"mandoline_row IN (SELECT {numbers})"
        )
        return self._run(chosen.order("mandoline_row").to_arrow_table).drop_columns(["mandoline_row"])

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Stream some columns of all rows."""
        names = ", ".join(map(_quoted, columns))
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


class DuckDB(Engine):
    """Leave files to DuckDB, and tables of its databases."""

    name = "duckdb"
    title = "by DuckDB"
    package = "duckdb"
    reads_databases = True
    implementation = nw.Implementation.DUCKDB
    table_type = DuckDBTable

    def scan(self, files: Files) -> Table:
        """Open Parquet files, or text files that become Parquet first."""
        connection = self._connect()
        import duckdb

        files = as_parquet(files)
        try:
            relation = _local_times(connection.read_parquet([str(path) for path in files.paths]), files)
        except duckdb.Error as error:
            raise unreadable(files.name, error) from None
        return DuckDBTable(relation, files.name, files, connection)

    def open_database(self, files: Files, table: str) -> Table:
        """Open a table of a database file, for reading only."""
        connection = self._connect()
        import duckdb

        quoted = str(files.paths[0]).replace("'", "''")
        try:
            connection.execute(f"ATTACH '{quoted}' AS data (READ_ONLY)")
            relation = connection.table(f"data.{table}")
        except duckdb.Error as error:
            raise DataError(f"Table {table!r} of {files.name} cannot be read: {first_line(error)}.") from None
        return DuckDBTable(relation, f"{table} of {files.name}", files, connection)

    def _connect(self) -> duckdb.DuckDBPyConnection:
        self.check_installed()
        import duckdb

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


def _local_times(relation: duckdb.DuckDBPyRelation, files: Files) -> duckdb.DuckDBPyRelation:
    """Take times as local ones: DuckDB itself forgets the zone that a file gives."""
    local = {}
    for column, zone in time_zones(files.paths[0]).items():
        name = _quoted(column)
        moved = f" + INTERVAL '{zone[0]}{zone[1:3]} hours {zone[0]}{zone[-2:]} minutes'" if is_offset(zone) else ""
        local[column] = f"timezone('{'UTC' if moved else zone}', {name}){moved} AS {name}"
    return relation.project(f"* REPLACE ({', '.join(local.values())})") if local else relation


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'


def _share(connection: duckdb.DuckDBPyConnection) -> float | None:
    share = connection.query_progress()
    return share / 100 if share > 0 else None
