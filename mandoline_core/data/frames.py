"""Frames: a frame of any engine with one type per meaning and one name per column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.errors import DataError
from mandoline_core.formatting import listed

F = TypeVar("F", nw.DataFrame[Any], nw.LazyFrame[Any])
_EXACT = 2**53  # beyond it, floats cannot hold every whole number
_WHOLE = {pa.int64(): pd.Int64Dtype(), pa.uint64(): pd.UInt64Dtype()}
_TEXT = pd.StringDtype("pyarrow", na_value=float("nan"))


def check_names(columns: Iterable[str], name: str) -> None:
    """Refuse columns of the same name."""
    repeated = [str(column) for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise DataError(
            f"{name} has more than one column called {listed(map(repr, repeated))}. Give each column its own name."
        )


def normalise(frame: F, schema: Mapping[str, nw.dtypes.DType] | None = None) -> F:
    """Bring columns to the few types that rules know: text, whole numbers, floats, true/false, times.

    Parameters
    ----------
    frame : narwhals.DataFrame or narwhals.LazyFrame
    schema : mapping of str to type, optional
        Of the columns to look at, where that is not all.

    Examples
    --------
    >>> frame = nw.from_native(pd.DataFrame({"a": pd.Categorical(["x"]), "b": [1]}))
    >>> [str(dtype) for dtype in normalise(frame).schema.values()]
    ['String', 'Int64']
    """
    casts = []
    for column, dtype in (frame.collect_schema() if schema is None else schema).items():
        if dtype in (nw.Categorical, nw.Enum):
            casts.append(nw.col(column).cast(nw.String))
        elif dtype in (nw.Decimal, nw.Int128, nw.UInt128):
            casts.append(nw.col(column).cast(nw.Float64))
        elif dtype.is_float():
            # Floats are of one width, for engines that compare a narrow one with 0.1 disagree on how wide 0.1 is; and
            # they have one way of being missing.
            number = nw.col(column) if dtype == nw.Float64 else nw.col(column).cast(nw.Float64)
            casts.append(number.fill_nan(None))
    return frame.with_columns(*casts) if casts else frame


def normalise_frame(given: Any, name: str) -> nw.DataFrame[Any]:
    """Take a frame in memory, of any engine, with its columns normalised."""
    native = nw.to_native(given, pass_through=True)
    try:
        frame = nw.from_native(native)
    except nw.exceptions.DuplicateError:
        check_names(getattr(native, "column_names", native.columns), name)
        raise
    except TypeError:
        raise DataError(
            f"{name} is of type {type(given).__name__}, which is not a frame. Expected pandas, Polars or PyArrow."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        raise DataError(f"{name} is a lazy frame of {frame.implementation}, which no engine here runs. Collect it.")
    schema = None
    if frame.implementation.is_pandas():
        native = _typed_pandas(nw.to_native(frame), name)
        frame = nw.from_native(native)
        # NumPy's floats are as they should be: of one width, and with one way of being missing.
        schema = {name: dtype for name, dtype in frame.schema.items() if native.dtypes[name] != np.float64}
    check_names(frame.columns, name)
    return normalise(frame, schema)


def to_pandas(rows: pa.Table) -> pd.DataFrame:
    """Make a frame of pandas of rows in Arrow's form; whole numbers that floats cannot hold stay whole.

    >>> to_pandas(pa.table({"id": [2**53 + 1, None], "n": [1, None]})).dtypes.astype(str).tolist()
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


def _typed_pandas(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    frame = frame.set_axis([str(column) for column in frame.columns], axis="columns").reset_index(drop=True)
    check_names(frame.columns, name)
    changed = {}
    for column, dtype in frame.dtypes.items():
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            continue  # numbers, true/false or times, of which there may be thousands
        series = frame[column]
        if isinstance(dtype, pd.CategoricalDtype):
            series = series.astype(dtype.categories.dtype if len(dtype.categories) else object)
        if series.dtype == object:
            series = _typed_objects(series)
        elif isinstance(series.dtype, pd.StringDtype) and series.dtype.storage != "pyarrow":
            series = series.astype(_TEXT)
        if series.dtype != dtype:
            changed[column] = series
    return frame.assign(**changed) if changed else frame


def _typed_objects(series: pd.Series) -> pd.Series:
    """Give a pandas object column the type of what it holds; a mixture becomes text."""
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return series.map(str, na_action="ignore").astype(_TEXT)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return series.astype(_TEXT)
    if pa.types.is_boolean(array.type):
        return series.astype("boolean")
    if pa.types.is_null(array.type) or pa.types.is_floating(array.type) or pa.types.is_decimal(array.type):
        return series.astype("float64")
    if pa.types.is_integer(array.type):
        return series.astype("Int64")
    return pd.Series(array.to_pandas(types_mapper=pd.ArrowDtype), index=series.index)
