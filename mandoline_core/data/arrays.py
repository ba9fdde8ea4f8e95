"""Arrays: labels, predictions and probabilities next to what they are about, as a frame with roles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from mandoline_core.data.classes import class_codes, class_name, sorted_classes
from mandoline_core.errors import DataError

LABEL, PREDICTION, TEXTS = "label", "prediction", "text"


def as_frame(given: Any, columns: Sequence[str] | None = None, what: str = "X") -> nw.DataFrame[Any]:
    """Make a frame of an array, of a list of texts, or of a frame of any engine.

    Parameters
    ----------
    columns : sequence of str, optional
        Names for the columns: x0, x1 and so on for those of an array, "text" for texts, a frame's own.
    what : str
        What messages call it.

    Examples
    --------
    >>> as_frame([[1, 2], [3, 4]]).columns, as_frame(["a text"]).columns
    (['x0', 'x1'], ['text'])
    """
    if hasattr(given, "toarray"):
        raise DataError(f"{what} is a sparse matrix, which slices cannot read. Pass the rows that it was made from.")
    native = nw.to_native(given, pass_through=True)
    frame = nw.from_native(native, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise DataError(f"{what} is a lazy frame. Collect it first, or use Sample(frame, ...).")
    if not isinstance(frame, nw.DataFrame):
        values = np.asarray(native if isinstance(native, np.ndarray) else list(native))
        if values.ndim == 1 and all(isinstance(value, str | None) for value in values.tolist()):
            frame = nw.from_native(pd.DataFrame({TEXTS: values}), eager_only=True)
        elif values.ndim == 2:
            table = pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])
            frame = nw.from_native(table.infer_objects(), eager_only=True)
        else:
            raise DataError(
                f"{what} must be an array with one row per example, a frame or a list of texts. "
                f"Got shape {values.shape}."
            )
    if columns is None:
        return frame
    if len(columns) != len(frame.columns):
        raise DataError(f"{what} has {len(frame.columns)} columns, and there are {len(columns)} names for them.")
    return frame.rename(dict(zip(frame.columns, map(str, columns), strict=True)))


def add_columns(frame: nw.DataFrame[Any], columns: dict[str, Any], what: str = "X") -> nw.DataFrame[Any]:
    """Add columns that the frame does not have, each with one value per row.

    Parameters
    ----------
    columns : dict of str to array
        By name.

    Examples
    --------
    >>> add_columns(as_frame([[1], [2]]), {"label": ["no", "yes"]})["label"].to_list()
    ['no', 'yes']
    >>> add_columns(as_frame([[1], [2]]), {"label": ["no"]})
    Traceback (most recent call last):
    ...
    mandoline_core.errors.DataError: Column 'label' has 1 values, and X has 2 rows. Give one value per row.
    """
    made = []
    for name, values in columns.items():
        if name in frame.columns:
            raise DataError(f"{what} already has a column {name!r}. Rename it, or leave it out.")
        array = np.asarray(values)
        array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
        if array.ndim != 1 or len(array) != len(frame):
            raise DataError(
                f"Column {name!r} has {len(array)} values, and {what} has {len(frame)} rows. Give one value per row."
                if array.ndim == 1
                else f"Column {name!r} has shape {array.shape}. Give one value per row."
            )
        series = pd.Series(array, name=name)
        if frame.implementation.is_pandas():  # rows go by their order, not by their index
            made.append(nw.from_native(series.set_axis(nw.to_native(frame).index), series_only=True))
        else:
            plain = series.astype(object).where(series.notna(), None).tolist()
            made.append(nw.new_series(name, plain, backend=frame.implementation))
    return frame.with_columns(*made) if made else frame


def arrays_frame(
    X: Any,  # noqa: N803 - as scikit-learn says
    y: Any,
    y_pred: Any,
    proba: Any,
    *,
    classes: Sequence[Any] | None,
    columns: Sequence[str] | None,
    name: str,
) -> tuple[nw.DataFrame[Any], dict[str, Any]]:
    """Put labels, predictions and probabilities next to X, and name their roles: see `Sample.from_arrays`."""
    frame = as_frame(X, columns, "X")
    given = {LABEL: y, PREDICTION: y_pred}
    more = {column: values for column, values in given.items() if values is not None}
    roles: dict[str, Any] = {key: key for key in more}
    if proba is not None:
        chances = np.asarray(proba, dtype=float)
        chances = chances[:, None] if chances.ndim == 1 else chances
        known = _classes_of(y, classes, chances.shape[1], name)
        named = known[1:] if chances.shape[1] == 1 else known  # one column is of the second of two classes
        roles["probabilities"] = {one: f"prob_{one}" for one in named}
        more |= {f"prob_{one}": chances[:, i] for i, one in enumerate(named)}
    return add_columns(frame, more), roles


def _classes_of(y: Any, classes: Sequence[Any] | None, n_columns: int, name: str) -> list[str]:
    """Name the classes that probabilities are of."""
    if classes is not None:
        known = [class_name(one) for one in classes]
    elif y is not None:
        values = nw.from_native(pd.Series(np.asarray(y)).dropna(), series_only=True)
        known = list(sorted_classes(map(class_name, class_codes(values)[1])))
    else:
        raise DataError(f"The classes of proba are not known for {name}. Set classes, such as model.classes_.")
    wanted = max(n_columns, 2)  # one column is of the second of two classes
    if len(known) != wanted:
        raise DataError(
            f"proba has {n_columns} {'column' if n_columns == 1 else 'columns'}, and there are {len(known)} classes: "
            f"{', '.join(known)}. Set classes to one per column, such as model.classes_."
        )
    return known
