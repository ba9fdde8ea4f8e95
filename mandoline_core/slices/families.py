"""Families: one slice for each class of a column."""

from __future__ import annotations

import narwhals as nw

from mandoline_core.data import Sample, class_codes, class_name
from mandoline_core.errors import SliceError
from mandoline_core.slices.checking import check_columns, nothing_there
from mandoline_core.slices.rule import Slice

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
