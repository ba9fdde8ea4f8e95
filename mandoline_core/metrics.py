"""Metrics: what is measured on each row, and how the means of it make the number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mandoline_core.classes import class_codes, find_classes
from mandoline_core.data import Model, Sample, kind_of
from mandoline_core.errors import DataError, ProjectError, counted, did_you_mean, listed
from mandoline_core.intervals import Interval
from mandoline_core.patterns import Floats


@dataclass(frozen=True)
class Metric:
    """Describe a metric as a smooth function of means of per-row statistics.

    Accuracy is the mean of one statistic. A ratio such as F1 would have three statistics (true positives,
    false positives, false negatives) and combine their means; nothing else in the package would change.

    Parameters
    ----------
    name, title : str
    needs : {"predictions", "column"}
        What a row's statistics are computed from.
    bounds : pair of floats, optional
        Least and largest possible value.
    combine : callable
        Means of the statistics, shape (n_statistics,), to the metric's value.
    slope : callable
        Means of the statistics to the derivatives of the value, shape (n_statistics,).
    """

    name: str
    title: str
    needs: str
    bounds: Interval | None
    combine: Callable[[Floats], float] = lambda means: float(means[0])
    slope: Callable[[Floats], Floats] = np.ones_like


METRICS = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "share of predictions that are right", "predictions", (0.0, 1.0)),
        Metric("error", "share of predictions that are wrong", "predictions", (0.0, 1.0)),
        Metric("mean", "mean of a column", "column", None),
    )
}


def get_metric(name: str) -> Metric:
    """Look a metric up by name.

    >>> get_metric("accuracy").bounds
    (0.0, 1.0)
    """
    if name not in METRICS:
        raise ProjectError(f"Metric {name!r} is not known. Metrics: {listed(METRICS)}.{did_you_mean(name, METRICS)}")
    return METRICS[name]


class Scores(NamedTuple):
    """Hold the statistics of each row, shape (n_rows, n_statistics), and which rows have them."""

    statistics: Floats
    known: NDArray[np.bool_]


def score_rows(
    metric: Metric,
    sample: Sample,
    *,
    label: str | None = None,
    model: Model | None = None,
    column: str | None = None,
    merge: Mapping[str, Sequence[object]] | None = None,
) -> Scores:
    """Compute a metric's statistics for every row of a labelled sample.

    Parameters
    ----------
    metric : Metric
    sample : Sample
    label : str
        Column of true classes, for metrics of predictions.
    model : Model
        Whose predictions are scored.
    column : str
        Column that holds the score itself, for the metric "mean".
    merge : mapping of str to sequence
        Classes to put together before scoring: new name -> old names.

    Returns
    -------
    Scores
        Rows without a label or a prediction are not known.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"y": [1, 0, 1], "p": ["1", "1", None]}), label="y", prediction="p")
    >>> found = score_rows(get_metric("accuracy"), sample, label="y", model=sample.models[0])
    >>> found.statistics.ravel().tolist(), found.known.tolist()
    ([1.0, 0.0, 0.0], [True, True, False])
    """
    if metric.needs == "column":
        return _column_scores(sample, column)
    if label is None:
        raise ProjectError(f"Metric {metric.name!r} needs the column of true classes. Set label in [task].")
    if model is None or model.prediction is None:
        who = f"Model {model.name!r}" if model is not None else "The project"
        raise ProjectError(f"{who} has no prediction column, which metric {metric.name!r} needs. Set prediction.")
    return _prediction_scores(metric, sample, label, model.prediction, merge or {})


def _column_scores(sample: Sample, column: str | None) -> Scores:
    if column is None:
        raise ProjectError('Metric "mean" needs the column to average. Set column in [metric].')
    series = sample.series(column)
    if not series.dtype.is_numeric() and str(series.dtype) != "Boolean":
        raise DataError(
            f"Column {column!r} of {sample.name} holds {kind_of(series.dtype)}, but metric 'mean' needs numbers. "
            "Name a column of numbers in [metric]."
        )
    values = series.to_numpy().astype(float)
    check_finite(values, f"Column {column!r} of {sample.name}")
    return Scores(values[:, None], np.ones(len(values), dtype=bool))


def check_finite(values: Floats, where: str) -> None:
    """Refuse scores that are missing or infinite."""
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise DataError(
            f"{where} has {counted(len(bad), 'missing or infinite value')}, the first in row {bad[0] + 1}. "
            "Every score must be a finite number. Fill them in, or drop their rows."
        )


def _prediction_scores(
    metric: Metric, sample: Sample, label: str, prediction: str, merge: Mapping[str, Sequence[object]]
) -> Scores:
    (truth, answer), names = class_codes(sample.series(label), sample.series(prediction))
    known = (truth >= 0) & (answer >= 0)
    for column, codes in ((label, truth), (prediction, answer)):
        if not (codes >= 0).any():
            raise DataError(
                f"Column {column!r} of {sample.name} has no values, so nothing can be scored. "
                "Fill it in, or name another column."
            )
    table = _merged(names, merge)
    truth, answer = table[truth], table[answer]
    if not set(truth[truth >= 0]) & set(answer[answer >= 0]):
        raise DataError(
            f"Labels in {label!r} ({_values(sample, label)}) and predictions in {prediction!r} "
            f"({_values(sample, prediction)}) of {sample.name} have no value in common, so every prediction would "
            "count as wrong. Give both the same class names, or merge classes in [metric]."
        )
    right = known & (truth == answer)
    scores = right if metric.name == "accuracy" else known & ~right
    return Scores(scores.astype(float)[:, None], known)


def _merged(names: tuple[str, ...], merge: Mapping[str, Sequence[object]]) -> NDArray[np.int32]:
    """Return the merged class of each class; the last entry is what code -1 (missing) reads."""
    table = np.append(np.arange(len(names)), -1).astype(np.int32)
    taken: dict[int, str] = {}
    for number, (new, old) in enumerate(merge.items()):
        for value in old:
            found = find_classes(value, names)
            if not found:
                raise ProjectError(
                    f"merge names class {value!r}, which is neither a label nor a prediction. "
                    f"Classes: {listed(names)}.{did_you_mean(str(value), names)}"
                )
            for code in found:
                if code in taken:
                    raise ProjectError(f"merge puts class {value!r} into both {taken[code]!r} and {new!r}. Choose one.")
                taken[code] = new
                table[code] = len(names) + number
        for code in find_classes(new, names):
            if code not in taken:  # a merged class may already exist under its new name
                table[code] = len(names) + number
    return table


def _values(sample: Sample, column: str) -> str:
    codes, names = class_codes(sample.series(column))
    return listed([names[i] for i in np.unique(codes[0]) if i >= 0], most=5)
