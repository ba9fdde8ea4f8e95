"""Groups of the new data: the estimate on the rows of each value of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw

from mandoline_core.errors import DataError
from mandoline_core.formatting import counted
from mandoline_core.pipeline import Request
from mandoline_core.report.api import report
from mandoline_core.report.report import Report
from mandoline_core.results import Tabular

MOST_GROUPS = 100


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Tabular):
    """Hold a report for each group of the new data, the largest group first.

    Parameters
    ----------
    column : str
        The column whose values make the groups.
    reports : mapping of str to Report
        By value.
    left_out : int
        Groups with too few new rows.
    """

    column: str
    reports: Mapping[str, Report]
    left_out: int

    def __getitem__(self, value: str) -> Report:
        """Return a group's report."""
        return self.reports[value]

    def as_dict(self) -> dict[str, Any]:
        """Return every group's report as plain data."""
        groups = {value: one.as_dict() for value, one in self.reports.items()}
        return {"column": self.column, "groups": groups, "left_out": self.left_out}

    def records(self) -> list[dict[str, Any]]:
        """List the models of every group."""
        return [
            {self.column: value, "rows": one.first.n_target, **line}
            for value, one in self.reports.items()
            for line in one.to_frame().to_dict("records")
        ]


def estimate_groups(request: Request, column: str, fewest: int) -> Groups:
    """Estimate each group of the new data that has enough rows.

    Each group is new data of its own: the labelled rows are weighted to match its slices.
    """
    request = request.in_memory
    target = request.target
    target.series(column)
    frame = target.frame if target.weight is None else target.frame.filter(nw.col(target.weight) > 0)
    counts = frame[column].drop_nulls().value_counts(sort=True)
    if len(counts) > MOST_GROUPS:
        raise DataError(
            f"Column {column!r} of {target.name} has {counted(len(counts), 'value')}. Groups can be made of at most "
            f"{MOST_GROUPS}. Use a column with fewer, or a slice per group."
        )
    reports = {}
    for value, n in counts.iter_rows():
        if n >= fewest:
            rows = target.with_rows(frame.filter(nw.col(column) == value), name=f"{target.name}, {column} {value}")
            reports[str(value)] = report(replace(request, target=rows))
    if not reports:
        raise DataError(f"No value of {column!r} has {fewest} new rows or more. Lower fewest, or use another column.")
    return Groups(column, reports, len(counts) - len(reports))
