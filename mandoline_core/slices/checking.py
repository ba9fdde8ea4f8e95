"""Checking: whether a sample's columns hold what a rule needs."""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw

from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.samples import Sample, kind_of
from mandoline_core.slices.column_rules import Range, Threshold
from mandoline_core.slices.rule import ANYTHING, CLASSES, NUMBERS, TEXT, TRUTH, Slice
from mandoline_core.slices.rules import Combination

Schema = Mapping[str, nw.dtypes.DType]

_NEEDS = {
    TEXT: "text",
    NUMBERS: "numbers",
    CLASSES: "text, numbers or true/false",
    TRUTH: "true/false, 1/0 or 1/-1",
    ANYTHING: "anything",
}


def check_columns(rule: Slice, schema: Schema, where: str, sample: Sample | None = None) -> None:
    """Refuse a rule that reads a column that is not there or does not hold what the rule needs."""
    if isinstance(rule, Combination):
        for other in rule.parts:
            check_columns(other, schema, where, sample)
    for column, need in rule.needs.items():
        if column not in schema:
            raise SliceError(
                f"Slice {rule.name!r} reads column {column!r}, which is not in {where}. "
                f"Columns: {listed(schema)}.{did_you_mean(column, schema)}"
            )
        dtype = schema[column]
        if not _serves(dtype, need):
            example = f", such as {_example(sample, column, need)!r}" if sample is not None else ""
            raise SliceError(
                f"Slice {rule.name!r} needs {_NEEDS[need]} in column {column!r}, which holds {kind_of(dtype)} "
                f"in {where}{example}. {_remedy(rule, dtype)}"
            )


def _serves(dtype: nw.dtypes.DType, need: str) -> bool:
    if dtype == nw.Unknown or need == ANYTHING:
        return True
    if need == TEXT:
        return dtype == nw.String
    if need == NUMBERS:
        return dtype.is_numeric()
    return dtype.is_numeric() or dtype == nw.String or dtype == nw.Boolean


def _example(sample: Sample, column: str, need: str) -> object:
    values = sample.frame[column].drop_nulls()
    if need == NUMBERS and values.dtype == nw.String:
        # The first text that is no number is what keeps the column from being numbers.
        words = values.filter(~values.str.contains(r"^\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*$"))
        values = words if len(words) else values
    value = values[0]
    return value if not isinstance(value, str) or len(value) <= 40 else value[:37] + "..."


def _remedy(rule: Slice, dtype: nw.dtypes.DType) -> str:
    if isinstance(rule, (Threshold, Range)) and dtype == nw.String:
        return "For the length of a text use kind 'length'; else make the column numbers."
    if isinstance(rule, (Threshold, Range)) and dtype == nw.Boolean:
        return "For true/false use kind 'flag'."
    if TEXT in rule.needs.values() and dtype.is_numeric():
        return "For numbers use kind 'threshold', 'range' or 'category'."
    return "Choose another column or another kind."
