"""Needs: what a rule may ask of a column, and which columns have it."""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw

from mandoline_core.data import Sample

Schema = Mapping[str, nw.dtypes.DType]

TEXT, NUMBERS, CLASSES, TRUTH, ANYTHING = "text", "numbers", "classes", "truth", "anything"
NEEDS = {
    TEXT: "text",
    NUMBERS: "numbers",
    CLASSES: "text, numbers or true/false",
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
    if dtype == nw.Unknown or need == ANYTHING:
        return True
    if need == TEXT:
        return dtype == nw.String
    if need == NUMBERS:
        return dtype.is_numeric()
    return dtype.is_numeric() or dtype == nw.String or dtype == nw.Boolean


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
