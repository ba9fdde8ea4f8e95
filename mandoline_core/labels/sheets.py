"""Sheets of labels: a plan that comes back with its label column filled in, or a table of labels with a key."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import narwhals as nw
import pandas as pd
from narwhals.dependencies import is_into_dataframe

from mandoline_core.arrays import Floats
from mandoline_core.data import ROW, WEIGHT, Sample, match_labels, read_plan, read_table, take_derived, with_labels
from mandoline_core.labels.plan import LabelPlan
from mandoline_core.pipeline import Request


def read_sheet_file(path: Path, source: Sample) -> Sample:
    """Read a file of labels: as text, where the labels of the source are text."""
    codes = () if source.label is None or source.schema[source.label] != nw.String else (source.label,)
    return Sample(read_table(path, codes), name=path.name)


def as_sheet(given: Any, source: Sample) -> Sample | None:
    """Read a file or a frame as a sheet; None for anything else."""
    if isinstance(given, (str, Path)):
        return read_sheet_file(Path(given), source)
    return Sample(given, name="The sheet") if is_into_dataframe(given) else None


def bring_labels(
    given: Sample | Iterable[Any] | Path,
    request: Request,
    column: str,
    plan: LabelPlan | Floats | None = None,
    key: str | None = None,
) -> tuple[Sample, Floats | None]:
    """Put labels that somebody brings in any form next to the new rows, with the weights of the plan, if there is one.

    Parameters
    ----------
    given : Sample, frame, path, or one value per new row
        As `Report.use_labels` takes them.
    column : str
        The label column.
    """
    target, weights = request.target, plan.weights if isinstance(plan, LabelPlan) else plan
    if isinstance(given, Sample):
        return take_derived(given, target, request.source.models), weights
    sheet = as_sheet(given, request.source)
    if sheet is None:
        return with_labels(target, column, cast("Iterable[Any]", given)), weights
    labelled, own = read_sheet(sheet, target, column, key=key or request.key)
    return labelled, own if weights is None else weights


def read_sheet(sheet: Sample, target: Sample, label: str, *, key: str | None = None) -> tuple[Sample, Floats | None]:
    """Put the labels of a sheet next to the new rows they belong to.

    Rows are found by the plan's column row, else by the key, else by a column that names rows in both, else by order.

    Parameters
    ----------
    sheet : Sample
        A plan with its label column filled in, or any table with labels.
    target : Sample
        The new data, with the labels known so far; the sheet's are added. Labels of all rows are the truth, and used
        only if the sheet has none.
    label : str
        The label column of both.
    key : str, optional
        The column that names rows in both.

    Returns
    -------
    Sample
        The new data with its labels.
    array of float, shape (n_target,), or None
        How many new rows each planned row represents, as from `read_plan`; None if the sheet is not a plan.

    Examples
    --------
    >>> new = Sample(pd.DataFrame({"id": [7, 8, 9]}))
    >>> labelled, _ = read_sheet(Sample(pd.DataFrame({"id": [9], "y": ["good"]})), new, "y", key="id")
    >>> labelled.series("y").is_null().to_list()
    [True, True, False]
    """
    known = target.series(label).to_list() if label in target.columns else []
    known = [None if pd.isna(value) else value for value in known]
    has_known = any(value is not None for value in known)
    if has_known and (label not in sheet.columns or sheet.series(label).is_null().all()):
        return target, read_plan(sheet, target.n_rows) if {ROW, WEIGHT} <= set(sheet.columns) else None
    found = match_labels(sheet, target, label, key=key, strict=True)
    labels = known if has_known and None in known else [None] * target.n_rows
    for row, value in enumerate(found.labels):
        if value is not None:
            labels[row] = value
    return with_labels(target, label, labels), found.weights
