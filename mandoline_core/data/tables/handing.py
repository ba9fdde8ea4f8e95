"""What a caller hands in as rows: a frame that is in memory, or a lazy one whose rows stay where they are."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd

from mandoline_core.data.doors import frame_of
from mandoline_core.data.tables.duckdb_table import DuckDBTable
from mandoline_core.data.tables.polars_table import PolarsTable
from mandoline_core.data.tables.spark_table import SparkTable
from mandoline_core.data.tables.table import DRAWN, Table

_SEED = 0


def leave_or_take(given: Any, name: str) -> tuple[Any, Table | None]:
    """Return rows that are in memory, and the table they were drawn from where there is one.

    A table that was opened stays one however small; a lazy frame with no more rows than a draw is taken whole.
    """
    if isinstance(given, Table):
        return _drawn(given), given
    table = _as_table(given, name)
    if table is None:
        return given, None
    return (_drawn(table), table) if table.n_rows > DRAWN else (table.draw(DRAWN, _SEED), None)


def _drawn(table: Table) -> pd.DataFrame:
    """Draw rows, the same each time, as a frame that everything here knows best."""
    return frame_of(table.draw(DRAWN, _SEED))


def _as_table(given: Any, name: str) -> Table | None:
    try:
        known = nw.from_native(nw.to_native(given, pass_through=True))
    except (TypeError, nw.exceptions.NarwhalsError):
        return None
    if not isinstance(known, nw.LazyFrame):
        return None
    native = nw.to_native(known)
    if known.implementation.is_polars():
        return PolarsTable(native, name)
    if known.implementation.is_duckdb():
        return DuckDBTable(native, name)
    return SparkTable(native, name) if known.implementation.is_pyspark() else None
