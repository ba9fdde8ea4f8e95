"""Files of labels that people bring: joined, named and written in the order of the new rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import pandas as pd

from mandoline_core.arrays import Floats
from mandoline_core.data import PLAN_COLUMNS, ROW, WEIGHT


def merge(known: Sequence[object], new: Sequence[object]) -> list[object]:
    """Add labels to those that are known; where a row has both, the new one counts.

    >>> merge(["a", None, "c"], [None, "b", "d"])
    ['a', 'b', 'd']
    """
    return [old if value is None else value for old, value in zip(known, new, strict=True)]


def write_labels(values: Sequence[object], label: str, weights: Floats | None = None) -> bytes:
    r"""Write labels as a table with one line for each new row; with the weights of a plan, as that plan's sheet.

    Parameters
    ----------
    weights : array of float, shape (n_rows,), optional
        How many new rows each planned row represents; NaN elsewhere.

    Examples
    --------
    >>> write_labels(["bad", None, "good"], "y")
    b'y\r\nbad\r\n""\r\ngood\r\n'
    """
    table = pd.Series(list(values), dtype=object).to_frame(label)
    if weights is not None:
        sheet = {ROW: range(1, len(table) + 1), "in_slices": "", WEIGHT: weights, "reason": ""}
        table = pd.DataFrame({name: sheet[name] for name in PLAN_COLUMNS}).join(table)
    # A plain newline as the end of a line would leave a carriage return in a label without quotes.
    return table.to_csv(index=False, lineterminator="\r\n").encode()


def name_in_order(name: str) -> str:
    """Name a file of labels in the order of the new rows.

    >>> name_in_order("labels.csv.gz")
    'labels in order.csv'
    """
    return f"{PurePath(name).name.split('.')[0]} in order.csv"
