"""The gallery's words: experiments in tables, with what the paper says beside what we found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from mandoline_core.charts import series_title
from mandoline_core.formatting import say
from mandoline_core.reproducing import (
    ERROR,
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
    columns = _varied(found.rows, names)
    columns[OURS] = [shown(row[VALUE]) for row in found.rows]
    if ERROR in names:
        columns[SPREAD] = [shown(row[ERROR]) for row in found.rows]
    theirs = beside_ours(found)
    if any(value is not None for value in theirs):
        columns[THEIRS] = [shown(value) for value in theirs]
    return pd.DataFrame(columns)


def paper_table(found: Reproduction) -> pd.DataFrame:
    """Write the paper's numbers that stand beside none of ours."""
    rows = paper_alone(found)
    columns = _varied(rows, fields(rows))
    columns[THEIRS] = [shown(row[VALUE]) for row in rows]
    columns[WHERE] = [str(row.get("place", "")) for row in rows]
    return pd.DataFrame(columns)


def _varied(rows: Sequence[Row], names: Sequence[str]) -> dict[str, list[Any]]:
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
