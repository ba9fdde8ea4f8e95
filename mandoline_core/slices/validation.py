"""Validation: whether a sample's columns hold what a rule needs, and the classes that one slice each is made of."""

from __future__ import annotations

import narwhals as nw

from mandoline_core.data import Sample, class_codes, class_name, kind_of
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


MOST_MEMBERS = 50


def each_class(rule: Slice, source: Sample, target: Sample, instead: str) -> dict[str, str | int | float]:
    """List the classes of the one column that a rule reads, in both samples together, by the names they go by.

    Parameters
    ----------
    instead : str
        What to write when there are too many, such as 'value = "a"'.
    """
    (column,) = rule.needs
    for sample in (source, target):
        check_columns(rule, sample.schema, sample.name, sample)
    columns = [sample.values(column) for sample in (source, target) if sample.schema[column] != nw.Unknown]
    if not columns:
        raise nothing_there(rule, column)
    _, names = class_codes(*columns)
    if len(names) > MOST_MEMBERS:
        raise SliceError(
            f"Slice {rule.name!r} would become {len(names)} slices, one for each value of column {column!r}. "
            f"The most is {MOST_MEMBERS}. Name the values of interest, such as {instead}."
        )
    text = all(series.dtype == nw.String for series in columns)
    return {name: name if text else _number(name) for name in names}


def _number(name: str) -> str | int | float:
    """Take a class's name back to the number it stands for, so that other spellings match too."""
    try:
        number = float(class_name(name))
    except ValueError:
        return name
    return int(number) if number.is_integer() else number
