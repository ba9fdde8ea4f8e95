"""Opening data that a project names: into memory where they fit, else by an engine that leaves them where they are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from mandoline_core.data.reading import check_path, read_table
from mandoline_core.data.tables.duckdb_table import DuckDBTable
from mandoline_core.data.tables.files import PARQUET, Files, find_files
from mandoline_core.data.tables.polars_table import PolarsTable
from mandoline_core.data.tables.spark_session import connect
from mandoline_core.data.tables.spark_table import SparkTable
from mandoline_core.data.tables.table import Table
from mandoline_core.data.tables.unpacking import unpack_text
from mandoline_core.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINES = ("auto", "pandas", "polars", "duckdb", "spark")
# Files larger than this share of the machine's memory stay where they are. Parquet counts four times: so much smaller
# than in memory it usually is.
SHARE_OF_MEMORY = 0.1
PACKED = 4
_DATABASES = (".duckdb", ".db")


def open_data(
    path: Path | None,
    *,
    engine: str = "auto",
    table: str | None = None,
    master: str | None = None,
    session: SparkSession | None = None,
) -> pd.DataFrame | Table:
    r"""Open a file, all files that match a pattern, or a table.

    Parameters
    ----------
    path : Path, optional
        A CSV or Parquet file, a pattern of such, or a database file of DuckDB's; none for a table that Spark knows.
    engine : {"auto", "pandas", "polars", "duckdb", "spark"}
        "pandas" reads into memory, the others leave the data where they are; "auto" reads small files into memory, and
        leaves others to Polars.
    table : str, optional
        The name of a table in a database.
    master, session : str, SparkSession, optional
        Where Spark runs.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("a", "b"):
    ...     _ = (folder / f"{name}.csv").write_text("n\n1\n")
    >>> len(open_data(folder / "*.csv"))
    2
    """
    if engine not in ENGINES:
        raise DataError(f"engine must be one of {', '.join(ENGINES)}. Got {engine!r}.{did_you_mean(engine, ENGINES)}")
    if engine == "spark":
        return _open_spark(path, table, session or connect(master))
    if path is None:
        raise DataError("Engine 'spark' alone knows tables without a file. Name the file in path.")
    if table is not None or path.suffix.lower() in _DATABASES:
        return _open_database(path, table, engine)
    paths = find_files(path)
    for one in paths:
        check_path(one)
    files = Files.of(path.name, paths)
    if engine == "pandas" or (engine == "auto" and fits_in_memory(files)):
        return _read(files)
    packed = files if paths[0].suffix.lower() in PARQUET else unpack_text(files)
    packed.check_alike()
    return DuckDBTable.scan(packed) if engine == "duckdb" else PolarsTable.scan(packed)


def columns_of(data: pd.DataFrame | Table) -> list[str]:
    """Name the columns of data that were opened."""
    return list(data.schema) if isinstance(data, Table) else list(data.columns)


def fits_in_memory(files: Files) -> bool:
    """Tell whether files are small enough to be read whole."""
    times = PACKED if files.paths[0].suffix.lower() in PARQUET else 1
    return files.n_bytes * times <= SHARE_OF_MEMORY * _memory()


def _memory() -> int:
    """Ask the machine for its memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _read(files: Files) -> pd.DataFrame:
    """Read all files into memory, one below the other."""
    if len(files.paths) == 1:
        return read_table(files.paths[0])
    if files.paths[0].suffix.lower() not in PARQUET:
        converted = unpack_text(files)  # held, and so its folder, until it has been read
        return read_table(converted.paths[0])
    files.check_alike()
    return pd.concat([read_table(path) for path in files.paths], ignore_index=True)


def _open_database(path: Path, table: str | None, engine: str) -> Table:
    if engine not in ("auto", "duckdb"):
        raise DataError(f"{path.name} is a database, which engine 'duckdb' alone reads. Got engine {engine!r}.")
    if not path.is_file():
        raise DataError(f"File {path.name!r} is not in {path.parent}.")
    if table is None:
        raise DataError(f"{path.name} is a database. Add table, the name of the table in it.")
    return DuckDBTable.of_database(Files.of(path.name, (path,)), table)


def _open_spark(path: Path | None, table: str | None, session: SparkSession) -> Table:
    if table is not None:
        return SparkTable.of_catalogue(table, session)
    if path is None:
        raise DataError("Name the Parquet files in path, or a table that Spark knows in table.")
    paths = find_files(path)
    if paths[0].suffix.lower() not in PARQUET:
        raise DataError(
            f"Engine 'spark' reads Parquet and tables, and {path.name} is text: Spark would type its columns otherwise "
            "than the other engines. Write it as Parquet first."
        )
    for one in paths:
        check_path(one)
    files = Files.of(path.name, paths)
    files.check_alike()
    return SparkTable.scan(files, session)
