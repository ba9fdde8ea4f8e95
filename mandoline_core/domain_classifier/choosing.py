"""Choosing: the columns that may tell two samples apart, and why the others may not."""

from __future__ import annotations

import narwhals as nw

from mandoline_core.data import Sample, kind_of, profile_column

MOST_COLUMNS = 1_000  # that are looked at unless asked for: each takes about a millisecond, whatever its length
BEYOND = f"not among the first {MOST_COLUMNS:,} columns that could be looked at"


def default_columns(source: Sample, target: Sample) -> tuple[tuple[str, ...], dict[str, str]]:
    """Choose the columns that may tell the samples apart, and say why the others are left out.

    Of very many, the first are chosen.

    Returns
    -------
    columns : tuple of str
        In the source's order.
    left_out : dict of str to str
        For each other column of either sample, the reason.

    Examples
    --------
    >>> import pandas as pd
    >>> source = Sample(pd.DataFrame({"age": [30, 40], "y": [0, 1], "p": [1, 1]}), label="y", prediction="p")
    >>> target = Sample(pd.DataFrame({"age": [50, 60], "p": [0, 1]}), name="target.csv")
    >>> default_columns(source, target)
    (('age',), {'y': 'the label', 'p': "an answer of model 'model'"})
    """
    reasons = _roles(source, target)
    for here, there in ((source, target), (target, source)):
        for column in {*here.columns} - {*there.columns}:
            reasons.setdefault(column, f"not in {there.name}")
    chosen: list[str] = []
    for column in source.columns:
        if column in reasons:
            continue
        reason = BEYOND if len(chosen) == MOST_COLUMNS else _drawback(column, source, target)
        if reason is None:
            chosen.append(column)
        else:
            reasons[column] = reason
    order = dict.fromkeys((*source.columns, *target.columns))
    return tuple(chosen), {column: reasons[column] for column in order if column in reasons}


def _roles(source: Sample, target: Sample) -> dict[str, str]:
    found = {}
    for sample in (source, target):
        for model in sample.models:
            found.update(dict.fromkeys(model.columns, f"an answer of model {model.name!r}"))
    labels = [sample.label for sample in (source, target) if sample.label is not None]
    return {**found, **dict.fromkeys(labels, "the label")}


def _drawback(column: str, source: Sample, target: Sample) -> str | None:
    """Return why a column is not used unless asked for."""
    kind, wrong = kind_in_both(column, source, target)
    if kind is None:
        return wrong
    empty = [sample.name for sample in (source, target) if sample.schema[column] == nw.Unknown]
    if empty:
        return "no value at all" if len(empty) == 2 else f"no value at all in {empty[0]}"
    return profile_column(column, source, target).drawback or None


def kind_in_both(column: str, source: Sample, target: Sample) -> tuple[str | None, str]:
    """Name what a column's values are compared as in both samples, or return None and what is wrong."""
    types = [sample.schema[column] for sample in (source, target)]
    kinds = [_kind_of_type(dtype) for dtype in types]
    if None in kinds:
        return None, f"holds {kind_of(types[kinds.index(None)])}, which cannot be compared"
    if "nothing" in kinds:
        return next((kind for kind in kinds if kind != "nothing"), "numbers"), ""
    if kinds[0] != kinds[1]:
        here, there = map(kind_of, types)
        return None, f"holds {here} in {source.name} and {there} in {target.name}"
    return kinds[0], ""


def _kind_of_type(dtype: nw.dtypes.DType) -> str | None:
    if dtype.is_numeric() or dtype == nw.Boolean:
        return "numbers"
    known = {nw.String: "text", nw.Date: "dates", nw.Datetime: "dates", nw.Time: "times", nw.Duration: "durations"}
    known[nw.Unknown] = "nothing"
    return next((name for kind, name in known.items() if dtype == kind), None)
