"""Tables of the gallery: our results with the paper's numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mandoline_core.paper import (
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
from mandoline_core.report.charts import series_title

OURS, SPREAD, THEIRS, WHERE = "ours", "standard error", "the paper", "where"


def measures(found: Reproduction) -> list[str]:
    """List what an experiment measures, if it is more than one thing."""
    names = list(dict.fromkeys(str(row[MEASURE]) for row in found.rows if MEASURE in row))
    return names if len(names) > 1 else []


def ours_table(found: Reproduction, measure: str | None = None) -> pd.DataFrame:
    """List our results, with the paper's numbers where it has them.

    Parameters
    ----------
    measure : str, optional
        Only rows that measure this; all when left out.
    """
    pairs = zip(found.rows, beside_ours(found), strict=True)
    chosen = [(row, said) for row, said in pairs if measure is None or row.get(MEASURE) == measure]
    rows, theirs = [row for row, _ in chosen], [said for _, said in chosen]
    columns = {OURS: [shown(row[VALUE]) for row in rows]}
    if any(value is not None for value in theirs):
        columns[THEIRS] = [shown(value) for value in theirs]
    if ERROR in fields(rows):
        columns[SPREAD] = [shown(row[ERROR]) for row in rows]
    return pd.DataFrame({**_varied(rows), **columns})


def paper_table(found: Reproduction) -> pd.DataFrame:
    """List the paper's numbers without a counterpart of ours."""
    rows = paper_alone(found)
    numbers = {
        THEIRS: [shown(row[VALUE]) for row in rows],
        WHERE: [str(row.get("place", "")) for row in rows],
    }
    return pd.DataFrame({**_varied(rows), **numbers})


def _varied(rows: Sequence[Row]) -> dict[str, list[str]]:
    """List what varied, a column each; what is the same in all rows is left out."""
    columns = {}
    for name in fields(rows):
        if name in (VALUE, ERROR):
            continue
        values = [row.get(name) for row in rows]
        if len(set(map(str, values))) == 1 and len(rows) > 1:
            continue
        columns[name.replace("_", " ")] = [series_title(str(v)) if name == METHOD else shown(v) for v in values]
    return columns
