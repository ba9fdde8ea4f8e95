"""Engines read and count rows. Each is declared in its own file and listed here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from mandoline_core.data.engines.duckdb import DuckDB
from mandoline_core.data.engines.engine import ENGINES, Engine
from mandoline_core.data.engines.memory import Pandas, read_table
from mandoline_core.data.engines.polars import Polars
from mandoline_core.data.engines.spark import Spark
from mandoline_core.data.engines.table import (
    DRAWN,
    SQUARE_SUM,
    WEIGHT_SUM,
    Reduce,
    Table,
    add_up_tables,
    add_up_within,
    check_cells,
    share_kept,
)
from mandoline_core.data.files import Files, fits_in_memory
from mandoline_core.data.frames import to_pandas
from mandoline_core.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SEED = 0
# In a sample. Polars and pandas take the same time at about 200,000; at two million, Polars took 0.57 of the time and
# 0.27 of the memory. Not sooner than it pays well: some results need rows in memory, see the guide on large data.
MANY_ROWS = 2_000_000


class Auto(Engine):
    """Leave the choice to the size of the files."""

    name = "auto"
    title = "by size"
    scans_files = False
    reads_databases = True

    def scan(self, files: Files) -> pd.DataFrame | Table:
        """Read small files into memory, and leave others where they are."""
        return choose_engine(files).scan(files)

    def open_database(self, files: Files, table: str) -> Table:
        """Leave it to the engine whose database it is."""
        others = (engine for engine in ENGINES.values() if engine.reads_databases and engine is not self)
        return next(others).open_database(files, table)


# In the order in which they are offered, and chosen where several could do it.
for _engine in (
    Auto(),
    Pandas(),
    Polars(),
    DuckDB(),
    Spark(),
):
    ENGINES[_engine.name] = _engine


def choose_engine(files: Files, limit: int | None = None) -> Engine:
    """Choose an engine by the size of the files: memory if they fit, otherwise the first engine beyond it.

    Where that engine is installed, it takes Parquet files of many rows, too: the numbers are the same, sooner, and in
    a fraction of the memory.

    Parameters
    ----------
    limit : int, optional
        The memory limit in bytes. By default, a share of the machine's.
    """
    able = [engine for engine in ENGINES.values() if engine.scans_files]
    beyond = next(engine for engine in able if not engine.in_memory)
    if not fits_in_memory(files, limit) or (beyond.is_installed and files.n_rows >= MANY_ROWS):
        return beyond
    return next(engine for engine in able if engine.in_memory)


def open_data(
    path: Path | None,
    *,
    engine: str = "auto",
    table: str | None = None,
    master: str | None = None,
    session: SparkSession | None = None,
    codes: tuple[str, ...] = (),
) -> pd.DataFrame | Table:
    r"""Open a file, all files that match a pattern, or a table.

    Parameters
    ----------
    path : Path, optional
        A CSV or Parquet file, a pattern of such, or a database file of DuckDB's; none for a table that Spark knows.
    engine : {"auto", "pandas", "polars", "duckdb", "spark"}
        "pandas" reads into memory, the others leave the data where they are; "auto" reads small files into memory, and
        leaves others to Polars: see `choose_engine`.
    table : str, optional
        The name of a table in a database.
    master, session : str, SparkSession, optional
        Where Spark runs.
    codes : tuple of str
        Columns of text files that are read as text though they hold numbers: see `find_codes`.

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
    return ENGINES[engine].open(path, table, master=master, session=session, codes=codes)


def rows_in_memory(given: Any, name: str) -> tuple[Any, Table | None]:
    """Return rows that are in memory, and the table they were drawn from where there is one.

    An opened table stays a table; a small lazy frame is read into memory.
    """
    table = given if isinstance(given, Table) else _table_of(given, name)
    if table is None:
        return given, None
    rows = table.draw(DRAWN, _SEED)  # the same each time
    return (to_pandas(rows), table) if table is given or table.n_rows > DRAWN else (rows, None)


def _table_of(given: Any, name: str) -> Table | None:
    try:
        frame = nw.from_native(nw.to_native(given, pass_through=True))
    except (TypeError, nw.exceptions.NarwhalsError):
        return None
    if not isinstance(frame, nw.LazyFrame):
        return None
    return next((table for engine in ENGINES.values() if (table := engine.adapt(frame, name)) is not None), None)
