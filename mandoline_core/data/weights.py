"""Design weights: how much each row counts, read off a column, and refused where that makes no sense."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from mandoline_core.arrays import Floats
from mandoline_core.data.cache import SAMPLE_CACHE
from mandoline_core.data.classes import kind_of
from mandoline_core.data.engines import Table
from mandoline_core.errors import DataError
from mandoline_core.formatting import counted

_WRONG = {"missing": "is missing", "negative": "is negative", "infinite": "is infinite"}


def read_weights(values: nw.Series[Any], where: str) -> Floats:
    """Read design weights off a column: one number of 0 or more for each row.

    Parameters
    ----------
    where : str
        What messages call the column.

    Examples
    --------
    >>> import pandas as pd
    >>> read_weights(nw.from_native(pd.Series([1, 0, 2]), series_only=True), "Column 'w' of a.csv").tolist()
    [1.0, 0.0, 2.0]
    >>> read_weights(nw.from_native(pd.Series([1, -1]), series_only=True), "Column 'w' of a.csv")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: Column 'w' of a.csv (the weight) is negative in 1 row. Expected a number of 0 or
    more in each row.
    """
    _check_kind(values.dtype, where)
    weights = np.asarray(values.cast(nw.Float64()).to_arrow().to_numpy(zero_copy_only=False), dtype=float)
    _refuse(_faults(weights), where)
    return weights


def check_weights(table: Table, column: str, where: str) -> None:
    """Refuse design weights of a table as of rows in memory; one pass over their column, once."""
    _check_kind(table.schema[column], where)

    def look(batch: pa.Table) -> pa.Table:
        numbers = batch[column].cast(pa.float64()).to_numpy(zero_copy_only=False)
        return pa.table({name: [n] for name, n in _faults(np.asarray(numbers, dtype=float)).items()})

    def together(parts: list[pa.Table]) -> pa.Table:
        whole = pa.concat_tables(parts)
        return pa.table({name: [sum(whole[name].to_pylist())] for name in whole.column_names})

    key = ("faults of weights", column)
    found = SAMPLE_CACHE.of((table,), key, lambda: table.reduce([column], look, together).to_pylist()[0])
    _refuse(found, where)


def _faults(weights: Floats) -> dict[str, int]:
    """Count what no weight may be, and the weights above 0."""
    missing = np.isnan(weights)
    marks = {"missing": missing, "negative": weights < 0, "infinite": np.isposinf(weights), "positive": weights > 0}
    return {name: int(np.count_nonzero(mark)) for name, mark in marks.items()}


def _check_kind(dtype: nw.dtypes.DType, where: str) -> None:
    if not dtype.is_numeric():
        raise DataError(f"{where} (the weight) holds {kind_of(dtype)}. Expected a number of 0 or more in each row.")


def _refuse(faults: dict[str, int], where: str) -> None:
    for name, words in _WRONG.items():
        if n := faults[name]:
            rows = counted(n, "row")
            raise DataError(f"{where} (the weight) {words} in {rows}. Expected a number of 0 or more in each row.")
    if not faults["positive"]:
        raise DataError(f"{where} (the weight) is 0 in all rows. Expected a weight above 0 in at least one.")
