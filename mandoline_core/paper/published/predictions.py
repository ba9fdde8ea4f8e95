"""Models' answers beside a published file: one row for each of its rows."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mandoline_core.data import read_table
from mandoline_core.errors import DataError

LINE = "line"  # which row of the published file this is, counted from 0; rows without a label are left out


def predictions_path(path: Path) -> Path:
    """Name the file with answers: beside data.jsonl it is data.predictions.csv."""
    return path.with_name(f"{path.stem}.predictions.csv")


def with_predictions(frame: pd.DataFrame, path: Path) -> pd.DataFrame | None:
    """Put answers from a file beside the rows of another; None where there is no such file.

    Its columns are pred_<model> and prob_<model>_<class>, as in a project's data; it has one row for each row of the
    published file, in the same order, also for rows without a label.

    Parameters
    ----------
    frame : pandas.DataFrame
        With a column `line`.
    path : Path
        The published file, or folder.
    """
    beside = predictions_path(path)
    if not beside.is_file():
        return None
    answers = read_table(beside)
    if not any(column.startswith("pred_") for column in answers.columns):
        raise DataError(f"{beside.name} has no column pred_<model>. Expected pred_<model> and prob_<model>_<class>.")
    if frame[LINE].max() >= len(answers):
        raise DataError(
            f"{beside.name} has {len(answers):,} rows, and {path.name} has at least {frame[LINE].max() + 1:,}. "
            "Expected one row of answers for each row, in the same order."
        )
    columns = [column for column in answers.columns if column.startswith(("pred_", "prob_"))]
    chosen = answers.loc[frame[LINE], columns].reset_index(drop=True)
    return pd.concat([frame.reset_index(drop=True), chosen], axis=1)
