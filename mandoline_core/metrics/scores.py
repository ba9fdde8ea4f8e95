"""Scores: a metric's statistics for every row of a labelled sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Model, Sample, class_codes, kind_of
from mandoline_core.errors import DataError, ProjectError
from mandoline_core.formatting import counted, listed
from mandoline_core.metrics.class_labels import ClassLabels, read_class_labels
from mandoline_core.metrics.metric import Metric
from mandoline_core.metrics.probabilities import add_probable_classes, read_probabilities
from mandoline_core.metrics.registry import get_metric
from mandoline_core.project import MetricSettings

MOST_CELLS = 10**8  # rows times pairs of classes, held in memory for an average over classes


class Scores(NamedTuple):
    """Hold the statistics of each row, and what they are of.

    Parameters
    ----------
    statistics : array of float, shape (n_rows, n_statistics)
        0 in rows that are not known.
    known : array of bool, shape (n_rows,)
        Rows that have what the metric needs.
    metric : Metric
        Fitted to the classes at hand.
    classes : tuple of str
        After merging; empty where the metric is not about classes.
    labels : ClassLabels or None
        Labels and predictions as they were read, where the metric is about classes.
    """

    statistics: Floats
    known: Bools
    metric: Metric
    classes: tuple[str, ...] = ()
    labels: ClassLabels | None = None


def score_rows(
    settings: MetricSettings,
    sample: Sample,
    *,
    label: str | None,
    model: Model | None,
    known: Sequence[str] = (),
    whole: bool = True,
) -> Scores:
    """Compute a metric's statistics for every row of a labelled sample.

    Parameters
    ----------
    label : str or None
        Column of true classes or values.
    model : Model or None
        Whose predictions are scored; None only for the metric "mean".
    known : sequence of str
        Classes, after merging, that another sample has and that this one may lack.
    whole : bool
        Whether the rows are all there are; what only all rows can tell is not checked on a part of them.

    Returns
    -------
    Scores
        Rows without a label or a prediction are not known.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = Sample(pd.DataFrame({"y": [1, 0, 1], "p": ["1", "1", None]}), label="y", prediction="p")
    >>> found = score_rows(MetricSettings(), sample, label="y", model=sample.models[0])
    >>> found.statistics.ravel().tolist(), found.known.tolist()
    ([1.0, 0.0, 0.0], [True, True, False])
    """
    metric = get_metric(settings.name)
    if metric.needs == "column":
        return _column_scores(metric, sample, settings.column, whole=whole)
    if label is None:
        raise ProjectError(f"Metric {metric.name!r} needs the column of true classes. Set label in [task].")
    if model is None or model.prediction is None:
        who = f"Model {model.name!r}" if model is not None else "The project"
        raise ProjectError(f"{who} has no prediction column, which metric {metric.name!r} needs. Set prediction.")
    if metric.needs == "numbers":
        return _number_scores(metric, sample, label, model.prediction)
    return _class_scores(settings, sample, label, model, model.prediction, known, whole=whole)


def _column_scores(metric: Metric, sample: Sample, column: str | None, *, whole: bool) -> Scores:
    if column is None:
        raise ProjectError('Metric "mean" needs the column to average. Set column in [metric].')
    values = _numbers(sample, column, metric, "Name a column of numbers in [metric].")
    check_finite(values, f"Column {column!r} of {sample.name}", numbered=whole)
    return Scores(values[:, None], np.ones(len(values), dtype=bool), metric)


def _number_scores(metric: Metric, sample: Sample, label: str, prediction: str) -> Scores:
    advice = "For classes, choose a metric such as 'accuracy'."
    truth, answer = (_numbers(sample, column, metric, advice) for column in (label, prediction))
    gap = answer - truth
    known = np.isfinite(gap)
    gap = np.where(known, gap, 0.0)
    if metric.of_numbers is None:
        raise TypeError(f"Metric {metric.name!r} says nothing about numbers.")
    with np.errstate(over="ignore"):
        scores = metric.of_numbers(gap)
    if not np.isfinite(scores).all():
        raise DataError(
            f"Predictions in {prediction!r} and labels in {label!r} of {sample.name} are up to {np.abs(gap).max():.3g} "
            f"apart, which is too much to compute metric {metric.name!r}. Scale both, or mend the rows that are off."
        )
    return Scores(scores[:, None], known, metric)


def _numbers(sample: Sample, column: str, metric: Metric, advice: str) -> Floats:
    series = sample.series(column)
    if not series.dtype.is_numeric() and str(series.dtype) != "Boolean":
        raise DataError(
            f"Column {column!r} of {sample.name} holds {kind_of(series.dtype)}, but metric {metric.name!r} needs "
            f"numbers. {advice}"
        )
    return np.asarray(series.to_numpy(), dtype=float)


def check_finite(values: Floats, where: str, *, numbered: bool = True) -> None:
    """Refuse scores that are missing or infinite; say in which row, where rows are numbered as a person would."""
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        found = f"{counted(len(bad), 'missing or infinite value')}, the first in row {bad[0] + 1}"
        raise DataError(
            f"{where} has {found if numbered else 'missing or infinite values'}. "
            "Every score must be a finite number. Fill them in, or drop their rows."
        )


def _class_scores(
    settings: MetricSettings,
    sample: Sample,
    label: str,
    model: Model,
    prediction: str,
    others: Sequence[str],
    *,
    whole: bool,
) -> Scores:
    metric = get_metric(settings.name)
    labels = read = read_class_labels(sample, label=label, prediction=prediction, merge=settings.merge, known=others)
    if whole:
        _check_class_labels(sample, label, prediction, labels)
    known = (labels.truth >= 0) & (labels.predicted >= 0)
    probabilities = np.zeros((sample.n_rows, 0))
    if metric.needs == "probabilities":
        every = add_probable_classes(labels, model, settings.merge)
        probabilities, _ = read_probabilities(sample, model, every, settings.merge, whole=whole)
        if metric.about_one:  # a class that no row shows cannot be ranked first
            probabilities = probabilities[:, : len(labels.classes)]
        else:
            labels = every
        known &= np.isfinite(probabilities[:, 0])
    metric = metric.fit(labels.classes, settings.positive)
    if metric.needs_table and settings.positive is None:
        _check_size(metric, sample, len(labels.classes))
    if metric.statistics is None:
        raise TypeError(f"Metric {metric.name!r} says nothing about classes.")
    rows = np.where(known)[0] if not known.all() else slice(None)  # mostly all: then nothing is copied
    some = metric.statistics(labels.truth[rows], labels.predicted[rows], probabilities[rows])
    if known.all():
        return Scores(some, known, metric, labels.classes, read)
    statistics = np.zeros((sample.n_rows, some.shape[1]))
    statistics[known] = some
    return Scores(statistics, known, metric, labels.classes, read)


def _check_size(metric: Metric, sample: Sample, n_classes: int) -> None:
    if sample.n_rows * n_classes**2 > MOST_CELLS:
        raise ProjectError(
            f"Metric {metric.name!r} over {n_classes} classes and {sample.n_rows:,} rows would need too much memory. "
            "Set positive in [metric] to one class, or merge classes."
        )


def _check_class_labels(sample: Sample, label: str, prediction: str, labels: ClassLabels) -> None:
    truth, predicted = labels.truth, labels.predicted
    for column, codes in ((label, truth), (prediction, predicted)):
        if not (codes >= 0).any():
            raise DataError(
                f"Column {column!r} of {sample.name} has no values, so nothing can be scored. "
                "Fill it in, or name another column."
            )
    if not set(np.unique(truth[truth >= 0])) & set(np.unique(predicted[predicted >= 0])):
        raise DataError(
            f"Labels in {label!r} ({_values(sample, label)}) and predictions in {prediction!r} "
            f"({_values(sample, prediction)}) of {sample.name} have no value in common, so every prediction would "
            "count as wrong. Give both the same class names, or merge classes in [metric]."
        )


def _values(sample: Sample, column: str) -> str:
    codes, names = class_codes(sample.series(column))
    return listed([names[i] for i in np.unique(codes[0]) if i >= 0], most=5)
