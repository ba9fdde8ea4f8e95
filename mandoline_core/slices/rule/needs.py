"""What a rule may ask of a column, and the form it is edited with as plain data, which any face can draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as setting
from typing import Any

import narwhals as nw

from mandoline_core.data import Sample, is_date

Schema = Mapping[str, nw.dtypes.DType]

TEXT, NUMBERS, CLASSES, TRUTH, ANYTHING = "text", "numbers", "classes", "truth", "anything"
# Dates alone; what has an order, numbers or dates; and what can be written, text or dates.
DATES, ORDERED, WRITTEN = "dates", "ordered", "written"
NEEDS = {
    TEXT: "text",
    WRITTEN: "text",
    NUMBERS: "numbers",
    DATES: "dates",
    ORDERED: "numbers or dates",
    CLASSES: "text, numbers, dates or true/false",
    TRUTH: "true/false, 1/0 or 1/-1",
    ANYTHING: "anything",
}


def serves(dtype: nw.dtypes.DType, need: str) -> bool:
    """Tell whether a column of a type can give what a rule needs; one without a single value can give all.

    Examples
    --------
    >>> serves(nw.Int64(), NUMBERS), serves(nw.Int64(), TEXT), serves(nw.Int64(), CLASSES)
    (True, False, True)
    """
    # A column without a value has no type, and nothing in it can be wrong; rules abstain on it.
    if dtype == nw.Unknown or need == ANYTHING:
        return True
    dates = is_date(dtype) and need not in (TEXT, NUMBERS, TRUTH)
    if need in (TEXT, WRITTEN):
        return dtype == nw.String or dates
    if need in (NUMBERS, DATES, ORDERED):
        return dates or (need != DATES and dtype.is_numeric())
    return dates or dtype.is_numeric() or dtype == nw.String or dtype == nw.Boolean


def fitting_columns(source: Sample, target: Sample, need: str) -> list[str]:
    """List the columns that both samples have and that hold what a rule needs.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"text": ["a"], "n": [1], "empty": [None]}))
    >>> fitting_columns(sample, sample, NUMBERS), fitting_columns(sample, sample, ANYTHING)
    (['n'], ['text', 'n', 'empty'])
    """
    shared = [column for column in source.columns if column in target.columns]
    if need == ANYTHING:
        return shared
    types = {column: (source.schema[column], target.schema[column]) for column in shared}
    return [c for c in shared if all(dtype != nw.Unknown and serves(dtype, need) for dtype in types[c])]


def shown(type_: str, label: str, **more: Any) -> dict[str, Any]:
    """Say, as a field's metadata, which control shows it."""
    return {"control": {"type": type_, "label": label, **more}}


@dataclass(frozen=True)
class Control:
    """Describe one control of a rule's form.

    Parameters
    ----------
    type : str
        What to draw: "column", "columns", "text", "words", "switch", "choice", "number", "cut", "interval", "values",
        "class", "slice", "slices", "note", "histogram" or "expression"; a kind may add its own.
    field : str
        What `Slice.edited` is told has changed: a setting of the rule, or a name that its kind knows.
    value : object
        What the control shows.
    options : mapping
        Of a choice, what each value is called.
    low, high, step : float, optional
        Limits.
    need : str
        Of a column, what it must hold.
    column : str, optional
        The column that limits or values to choose from are taken from.
    """

    type: str
    field: str
    label: str
    value: Any = None
    help: str | None = None
    options: Mapping[Any, str] = setting(default_factory=dict)
    low: float | None = None
    high: float | None = None
    step: float | None = None
    need: str = ANYTHING
    column: str | None = None
