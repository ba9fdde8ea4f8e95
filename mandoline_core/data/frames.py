"""Frames: a frame of any engine with one type per meaning and one name per column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from inspect import signature
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
_TIME = pa.timestamp("us")
# Text that lies in Arrow's memory: regular expressions run in its engine, in linear time. pandas 3 takes it by itself;
# before 2.3, it has another name.
_TEXT = (
    pd.StringDtype("pyarrow", na_value=float("nan"))
    if "na_value" in signature(pd.StringDtype).parameters
    else pd.StringDtype("pyarrow_numpy")
)
# Before pandas 3, `str.contains` has Python's re read a pattern, which does not know RE2's classes; in 3.0.0, some.
PANDAS_READS_RE2 = int(pd.__version__.split(".")[0]) >= 3 and pd.__version__ != "3.0.0"
_TYPES = {pa.string(): _TEXT, pa.large_string(): _TEXT, pa.date32(): pd.ArrowDtype(pa.date32())}


def check_names(columns: Iterable[str], name: str) -> None:
    """Refuse columns of the same name."""
    repeated = [str(column) for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise DataError(f"{name} has duplicate columns: {listed(map(repr, repeated))}. Give each column its own name.")


def normalise(frame: F, schema: Mapping[str, nw.dtypes.DType] | None = None) -> F:
    """Bring columns to the few types that rules know: text, whole numbers, floats, true/false, dates, local times.

    Parameters
    ----------
    frame : narwhals.DataFrame or narwhals.LazyFrame
    schema : mapping of str to type, optional
        The columns to normalise. By default, all.

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
        elif isinstance(dtype, nw.Datetime) and (dtype.time_zone is not None or dtype.time_unit != "us"):
            local = nw.col(column) if dtype.time_zone is None else nw.col(column).dt.replace_time_zone(None)
            casts.append(local.cast(nw.Datetime("us")))
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
            f"{name} must be a data frame of pandas, Polars or PyArrow. Got {type(given).__name__}."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        raise DataError(f"{name} is a lazy frame of {frame.implementation}, which is not supported. Collect it first.")
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
    for number, field in enumerate(rows.schema):  # PyArrow 17 reads no categories that Polars counted without a sign
        if pa.types.is_dictionary(field.type) and pa.types.is_unsigned_integer(field.type.index_type):
            signed = pa.dictionary(pa.int64(), field.type.value_type)
            rows = rows.set_column(number, field.name, rows[number].cast(signed))
    frame: pd.DataFrame = rows.to_pandas(types_mapper=_TYPES.get)
    for column in frame.columns:
        values = rows[column]
        if pa.types.is_integer(values.type) and values.null_count and values.null_count < len(values):
            ends = pc.min_max(values).as_py()
            if max(abs(ends["min"]), abs(ends["max"])) > _EXACT:
                frame[column] = values.to_pandas(types_mapper=_WHOLE.get).array
    return frame


def pandas_dates(values: pa.Array, like: pd.Series) -> pd.Series:
    """Make a column of pandas of dates, or of local times."""
    if pa.types.is_date(values.type):
        return pd.Series(pd.arrays.ArrowExtensionArray(values.cast(pa.date32())), index=like.index, name=like.name)
    local = values if values.type.tz is None else pc.local_timestamp(values)
    return pd.Series(local.cast(_TIME, safe=False).to_numpy(zero_copy_only=False), index=like.index, name=like.name)


def _typed_pandas(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    frame = frame.set_axis([str(column) for column in frame.columns], axis="columns").reset_index(drop=True)
    check_names(frame.columns, name)
    changed = {}
    for column, dtype in frame.dtypes.items():
        if isinstance(dtype, np.dtype) and dtype.kind != "O":
            continue  # numbers, true/false or times, of which there may be thousands
        if isinstance(dtype, pd.DatetimeTZDtype):  # Narwhals knows only zones without an underscore
            changed[column] = frame[column].dt.tz_localize(None)
            continue
        series = _unpacked(frame[column])
        if series.dtype == object:
            series = typed_objects(series)
        elif isinstance(series.dtype, pd.StringDtype) and series.dtype.storage == "python":
            series = series.astype(_TEXT)
        if isinstance(series.dtype, pd.ArrowDtype) and pa.types.is_timestamp(series.dtype.pyarrow_dtype):
            series = pandas_dates(pa.array(series), series)
        if series.dtype != dtype:
            changed[column] = series
    return frame.assign(**changed) if changed else frame


def _unpacked(series: pd.Series) -> pd.Series:
    """Take the values of a categorical or sparse column; intervals and periods become the text that shows them."""
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return series.astype(dtype.subtype)
    if isinstance(dtype, (pd.IntervalDtype, pd.PeriodDtype)):
        return series.map(str, na_action="ignore").astype(_TEXT)
    if not isinstance(dtype, pd.CategoricalDtype):
        return series
    values = dtype.categories
    if isinstance(values.dtype, (pd.IntervalDtype, pd.PeriodDtype)):
        series = series.cat.rename_categories([str(value) for value in values])
        return series.astype(object)
    # Whole numbers and true/false of NumPy cannot be missing.
    loses = isinstance(values.dtype, np.dtype) and values.dtype.kind in "iub" and series.hasnans
    return series.astype(object if loses or not len(values) else values.dtype)


def typed_objects(series: pd.Series) -> pd.Series:
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
