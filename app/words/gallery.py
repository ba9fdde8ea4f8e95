"""The gallery's words: experiments in tables, with what the paper says beside what we found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mandoline_core.charts import series_title
from mandoline_core.formatting import say
from mandoline_core.reproducing import (
    ERROR,
    MEASURE,
    METHOD,
    VALUE,
    Reproduction,
    Row,
    beside_ours,
    fields,
    paper_alone,
    shown,
)
from mandoline_core.words import PLAIN

OURS, SPREAD, THEIRS, WHERE = "ours", "standard error", "the paper", "where"


def ours_table(found: Reproduction) -> pd.DataFrame:
    """Write our rows with the paper's number beside those that it has one for."""
    names = fields(found.rows)
    columns = {OURS: [shown(row[VALUE]) for row in found.rows]}
    theirs = beside_ours(found)
    if any(value is not None for value in theirs):
        columns[THEIRS] = [shown(value) for value in theirs]
    if ERROR in names:
        columns[SPREAD] = [shown(row[ERROR]) for row in found.rows]
    return _table(found.rows, names, columns)


def paper_table(found: Reproduction) -> pd.DataFrame:
    """Write the paper's numbers that stand beside none of ours."""
    rows = paper_alone(found)
    columns = {
        THEIRS: [shown(row[VALUE]) for row in rows],
        WHERE: [str(row.get("place", "")) for row in rows],
    }
    return _table(rows, fields(rows), columns)


def _table(rows: Sequence[Row], names: Sequence[str], numbers: Mapping[str, list[str]]) -> pd.DataFrame:
    """Put what varied before the numbers; what they measure comes last, for on a phone it would push them away."""
    varied = _varied(rows, names)
    measure = {name: varied.pop(name) for name in (MEASURE,) if name in varied}
    return pd.DataFrame({**varied, **numbers, **measure})


def _varied(rows: Sequence[Row], names: Sequence[str]) -> dict[str, list[str]]:
    """Write what varied, a column each; what is the same in all rows is left out."""
    columns = {}
    for name in names:
        if name in (VALUE, ERROR):
            continue
        values = [row.get(name) for row in rows]
        if len(set(map(str, values))) == 1 and len(rows) > 1:
            continue
        written = [series_title(str(value)) if name == METHOD else shown(value) for value in values]
        columns[name.replace("_", " ")] = [say(text, PLAIN) for text in written]
    return columns
