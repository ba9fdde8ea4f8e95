"""Answers: expressions of codes, 1 inside, -1 outside and 0 abstained, that kinds of rule are put together of."""

from __future__ import annotations

from collections.abc import Iterable

import narwhals as nw

from mandoline_core.samples import matching_values
from mandoline_core.slices.rule.needs import Schema


def answer(missing: nw.Expr, inside: nw.Expr) -> nw.Expr:
    """Abstain where something is missing, else say whether a row is inside.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = nw.from_native(pa.table({"n": [1, None, 3]}))
    >>> frame.select(answer(nw.col("n").is_null(), nw.col("n") > 2).alias("code"))["code"].to_list()
    [-1, 0, 1]
    """
    # Missing goes first: what a comparison with a missing value gives differs between engines.
    return nw.when(missing).then(code(0)).otherwise(nw.when(inside).then(code(1)).otherwise(code(-1)))


def is_class(column: str, values: Iterable[object], schema: Schema) -> nw.Expr:
    """Say whether a column's value is one of some classes, however either is written."""
    if schema[column] == nw.Unknown:
        return abstain(column)
    missing, matching = nw.col(column).is_null(), matching_values(values, schema[column])
    if not matching:
        return nw.when(missing).then(code(0)).otherwise(code(-1))
    return answer(missing, nw.col(column) == matching[0] if len(matching) == 1 else nw.col(column).is_in(matching))


def abstain(column: str) -> nw.Expr:
    """Abstain on every row: the column has no value."""
    return nw.when(nw.col(column).is_null()).then(code(0)).otherwise(code(0))


def code(value: int) -> nw.Expr:
    """Return the same code for every row."""
    return nw.lit(value, dtype=nw.Int8)
