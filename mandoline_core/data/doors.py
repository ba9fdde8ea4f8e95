"""At the door: one type per meaning, and one name per column, in a frame of any engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import narwhals as nw
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

_EXACT = 2**53  # beyond it, floats cannot hold every whole number
_WHOLE = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}


def check_names(columns: Iterable[str], name: str) -> None:
    """Refuse columns of the same name."""
    repeated = [str(column) for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise DataError(
            f"{name} has more than one column called {listed(map(repr, repeated))}. Give each column its own name."
        )


def door_expressions(schema: Mapping[str, nw.dtypes.DType]) -> list[nw.Expr]:
    """List what brings columns to the few types that rules know: text, whole numbers, floats, true/false, times.

    Floats are of one width: engines that compare a narrow one with 0.1 disagree on how wide 0.1 is.

    >>> len(door_expressions({"a": nw.Categorical(), "b": nw.Int64()}))
    1
    """
    found = []
    for column, dtype in schema.items():
        if dtype in (nw.Categorical, nw.Enum):
            found.append(nw.col(column).cast(nw.String))
        elif dtype in (nw.Decimal, nw.Int128, nw.UInt128):
            found.append(nw.col(column).cast(nw.Float64))
        elif dtype.is_float():
            # One way of being missing.
            number = nw.col(column) if dtype == nw.Float64 else nw.col(column).cast(nw.Float64)
            found.append(number.fill_nan(None))
    return found


def frame_of(rows: pa.Table) -> pd.DataFrame:
    """Make a frame of pandas of rows in Arrow's form; whole numbers that floats cannot hold stay whole.

    >>> frame_of(pa.table({"id": [2**53 + 1, None], "n": [1, None]})).dtypes.astype(str).tolist()
    ['Int64', 'float64']
    """
    frame: pd.DataFrame = rows.to_pandas()
    for column in frame.columns:
        values = rows[column]
        if pa.types.is_integer(values.type) and values.null_count and values.null_count < len(values):
            ends = pc.min_max(values).as_py()
            if max(abs(ends["min"]), abs(ends["max"])) > _EXACT:
                frame[column] = values.to_pandas(types_mapper=_WHOLE.get).array
    return frame
