"""Expressions of codes (1 in, -1 out, 0 abstained), and what rules compute before they compare."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, time
from functools import partial
from typing import Any

import narwhals as nw
import pyarrow as pa

from mandoline_core.data import SAMPLE_CACHE, Sample, is_date, matching_values, moment
from mandoline_core.slices.rule.needs import Schema

_TESTS = {"above": operator.gt, "at_least": operator.ge, "below": operator.lt, "at_most": operator.le}
_BITS = {8: (nw.Int8, nw.UInt8), 16: (nw.Int16, nw.UInt16), 32: (nw.Int32, nw.UInt32), 64: (nw.Int64, nw.UInt64)}


def row_code(missing: nw.Expr, inside: nw.Expr) -> nw.Expr:
    """Return the code: 0 where a value is missing, otherwise 1 or -1.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = nw.from_native(pa.table({"n": [1, None, 3]}))
    >>> frame.select(row_code(nw.col("n").is_null(), nw.col("n") > 2).alias("code"))["code"].to_list()
    [-1, 0, 1]
    """
    # Missing goes first: what a comparison with a missing value gives differs between engines.
    return nw.when(missing).then(code(0)).otherwise(nw.when(inside).then(code(1)).otherwise(code(-1)))


def is_class(column: str, values: Iterable[object], schema: Schema) -> nw.Expr:
    """Return the code of whether a column's value is one of some classes, in any spelling."""
    if schema[column] == nw.Unknown:
        return abstain(column)
    missing, matching = nw.col(column).is_null(), _holdable(matching_values(values, schema[column]), schema[column])
    if not matching:
        return nw.when(missing).then(code(0)).otherwise(code(-1))
    return row_code(missing, _is_one_of(nw.col(column), matching, schema[column]))


def compares(value: nw.Expr, test: str, bound: float | date, dtype: nw.dtypes.DType | None = None) -> nw.Expr:
    """Compare numbers with a bound exactly: engines differ on whole numbers beyond 2**53 and fractions.

    Parameters
    ----------
    test : {"above", "at_least", "below", "at_most"}
    bound : float or date
        Times are compared with a date as days are: those above it come after the day, those at most it up to its end.
    dtype : narwhals dtype, optional
        What holds the numbers; floats, or small whole numbers, unless it is given.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = nw.from_native(pa.table({"n": [2**53, 2**53 + 1]}))
    >>> frame.select(compares(nw.col("n"), "above", 2**53, nw.Int64()).alias("more"))["more"].to_list()
    [False, True]
    """
    if isinstance(bound, date):
        when = moment(bound, end=test in ("above", "at_most"))
        if dtype != nw.Date:
            return _TESTS[test](value, when)
        # A date is compared as its first moment, so that one with a later bound on its day is before that.
        within = {"at_least": "above", "below": "at_most"} if when.time() > time() else {}
        return _TESTS[within.get(test, test)](value, when.date())
    if dtype is None or not dtype.is_integer():
        return _TESTS[test](value, float(bound))
    # Among whole numbers, above 0.5 is above 0, and at least 0.5 is at least 1.
    whole = math.floor(bound) if test in ("above", "at_most") else math.ceil(bound)
    low, high = _ends(dtype)
    if whole < low:
        return value >= _lit(low, dtype) if test in ("above", "at_least") else value < _lit(low, dtype)
    if whole > high:
        return value > _lit(high, dtype) if test in ("above", "at_least") else value <= _lit(high, dtype)
    return _TESTS[test](value, _lit(whole, dtype))


def is_when(value: nw.Expr, when: date, dtype: nw.dtypes.DType) -> nw.Expr:
    """Tell whether times or dates are the given one; times on a given day all are."""
    return compares(value, "at_least", when, dtype) & compares(value, "at_most", when, dtype)


def text_of(column: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    """Write dates as text, as they are in a CSV file, and times to the minute; text stays as it is."""
    if not is_date(dtype):
        return column
    return column.dt.to_string("%Y-%m-%d" if dtype == nw.Date else "%Y-%m-%d %H:%M")


def _ends(dtype: nw.dtypes.DType) -> tuple[int, int]:
    """Return the least and the largest whole number that a type holds."""
    bits = next(bits for bits, types in _BITS.items() if dtype in types)
    return (0, 2**bits - 1) if dtype.is_unsigned_integer() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _lit(value: int, dtype: nw.dtypes.DType) -> nw.Expr:
    """Write a whole number in a column's own type; PyArrow takes one beyond 63 bits in pieces only."""
    half, rest = divmod(value, 2)
    return nw.lit(value, dtype) if value < 2**63 else nw.lit(half, dtype) * nw.lit(2, dtype) + nw.lit(rest, dtype)


def _holdable(values: Iterable[Any], dtype: nw.dtypes.DType) -> list[Any]:
    """Leave out whole numbers that a column of this type cannot hold."""
    if not dtype.is_integer():
        return list(values)
    low, high = _ends(dtype)
    return [value for value in values if low <= value <= high]


def _is_one_of(column: nw.Expr, values: list[Any], dtype: nw.dtypes.DType) -> nw.Expr:
    if is_date(dtype):
        return nw.any_horizontal(*(is_when(column, value, dtype) for value in values), ignore_nulls=False)
    if dtype.is_integer() and (len(values) == 1 or dtype == nw.UInt64):
        # Each has the column's own type: PyArrow takes whole numbers for signed.
        return nw.any_horizontal(*(column == _lit(value, dtype) for value in values), ignore_nulls=False)
    if len(values) == 1:
        return column == values[0]
    # PyArrow's list tells -0 from 0; adding 0 makes them one.
    return (column + nw.lit(0.0, nw.Float64) if dtype.is_float() else column).is_in(values)


def abstain(column: str) -> nw.Expr:
    """Abstain on every row: the column has no value."""
    return nw.when(nw.col(column).is_null()).then(code(0)).otherwise(code(0))


def code(value: int) -> nw.Expr:
    """Return the same code for every row."""
    return nw.lit(value, dtype=nw.Int8)


@dataclass(frozen=True, eq=False)
class Measure:
    r"""Declare what a rule computes for a row before it compares.

    Parameters
    ----------
    name : str
        The column that holds it; it starts with "\0", unlike the data's own columns.
    how : narwhals.Expr or function
        An expression; if absent, a function from a sample to one value for each row.
    keep : bool
        Cache it with the sample: it depends only on the sample and its name.
    """

    name: str
    how: nw.Expr | Callable[[Sample], pa.Array]
    keep: bool = True

    def value(self, schema: Schema) -> nw.Expr:
        """Take the measure where it has been computed, else compute it; what is no expression always has been."""
        return self.how if isinstance(self.how, nw.Expr) and self.name not in schema else nw.col(self.name)


def with_measures(sample: Sample, measures: Iterable[Measure]) -> tuple[nw.DataFrame[Any], Schema]:
    r"""Add measures to a sample's frame, and to its schema.

    A measure does not depend on bounds: it stays with the sample, so that moving a bound costs a comparison.

    Examples
    --------
    >>> sample = Sample(pa.table({"text": ["one two", None]}))
    >>> frame, _ = with_measures(sample, [Measure("\0characters", nw.col("text").str.len_chars())])
    >>> frame[frame.columns[-1]].to_list()
    [7, None]
    """
    needed = {measure.name: measure for measure in measures}
    if not needed:
        return sample.rule_frame, sample.schema
    found = {
        name: SAMPLE_CACHE.of((sample,), ("measure", name), partial(_computed, measure, sample))
        if measure.keep
        else _computed(measure, sample)
        for name, measure in needed.items()
    }
    frame = sample.rule_frame.with_columns(*(found[name].alias(name) for name in needed))
    return frame, {**sample.schema, **{name: found[name].dtype for name in needed}}


def _computed(measure: Measure, sample: Sample) -> nw.Series[Any]:
    if isinstance(measure.how, nw.Expr):
        return sample.rule_frame.select(measure.how.alias(measure.name))[measure.name]
    return _series(measure.how(sample), sample)


def _series(values: pa.Array, sample: Sample) -> nw.Series[Any]:
    """Hand an Arrow array to the sample's own engine."""
    backend = sample.rule_frame.implementation
    if backend.is_pyarrow():
        return nw.from_native(pa.chunked_array([values]), series_only=True)
    plain = values.to_numpy(zero_copy_only=False) if backend.is_pandas() else values
    return nw.new_series("values", plain, backend=backend)
