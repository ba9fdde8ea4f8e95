"""Checking: whether a sample's columns hold what a rule needs."""

from __future__ import annotations

import narwhals as nw

from mandoline_core.data import Sample, kind_of
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.slices.rule import NEEDS, NUMBERS, Schema, Slice, serves


def check_columns(rule: Slice, schema: Schema, where: str, sample: Sample | None = None) -> None:
    """Refuse a rule that reads a column that is not there or does not hold what the rule needs."""
    for part in rule.parts:
        check_columns(part, schema, where, sample)
    for column, need in rule.needs.items():
        if column not in schema:
            raise SliceError(
                f"Slice {rule.name!r} reads column {column!r}, which is not in {where}. "
                f"Columns: {listed(schema)}.{did_you_mean(column, schema)}"
            )
        dtype = schema[column]
        if not serves(dtype, need):
            example = f", such as {_example(sample, column, need)!r}" if sample is not None else ""
            raise SliceError(
                f"Slice {rule.name!r} needs {NEEDS[need]} in column {column!r}, which holds {kind_of(dtype)} "
                f"in {where}{example}. {rule.remedy(need, dtype)}"
            )


def nothing_there(rule: Slice, column: str) -> SliceError:
    """Build the message for a column without a value."""
    return SliceError(
        f"Slice {rule.name!r} reads column {column!r}, which has no value in either sample. "
        "Remove the slice or choose another column."
    )


def _example(sample: Sample, column: str, need: str) -> object:
    values = sample.frame[column].drop_nulls()
    if need == NUMBERS and values.dtype == nw.String:
        # The first text that is no number is what keeps the column from being numbers.
        words = values.filter(~values.str.contains(r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"))
        values = words if len(words) else values
    value = values[0]
    return value if not isinstance(value, str) or len(value) <= 40 else value[:37] + "..."
