"""Scores: a metric's statistics for every row of a labelled sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Model, Sample, arrow_array, class_codes, kind_of
from mandoline_core.errors import DataError, ProjectError
from mandoline_core.formatting import counted, listed
from mandoline_core.metrics.class_labels import ClassLabels, read_class_labels
from mandoline_core.metrics.metric import Metric
from mandoline_core.metrics.own import OWN, score_own
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
    metric = get_metric(settings)
    if metric.needs == "column":
        return _column_scores(metric, sample, settings.column, whole=whole)
    if label is None:
        raise ProjectError(f"Metric {metric.name!r} needs labels. Set label in [task].")
    if model is None or model.prediction is None:
        who = f"Model {model.name!r}" if model is not None else "The project"
        raise ProjectError(f"{who} has no prediction column. Metric {metric.name!r} needs one. Set prediction.")
    if metric.needs == OWN:
        return Scores(*score_own(metric, sample, label, model, model.prediction, whole=whole))
    if metric.needs == "numbers":
        return _number_scores(metric, sample, label, model.prediction, whole=whole)
    return _class_scores(settings, sample, label, model, model.prediction, known, whole=whole)


def _column_scores(metric: Metric, sample: Sample, column: str | None, *, whole: bool) -> Scores:
    if column is None:
        raise ProjectError('Metric "mean" needs a column. Set column in [metric].')
    values = _numbers(sample, column, metric, "Set column in [metric] to a numeric column.")
    check_finite(values, f"Column {column!r} of {sample.name}", numbered=whole)
    return Scores(values[:, None], np.ones(len(values), dtype=bool), metric)


def _number_scores(metric: Metric, sample: Sample, label: str, prediction: str, *, whole: bool) -> Scores:
    advice = "For classes, choose a metric such as 'accuracy'."
    truth, answer = (_numbers(sample, column, metric, advice) for column in (label, prediction))
    for column, values in ((label, truth), (prediction, answer)):
        _check_no_infinity(values, sample, column, metric, numbered=whole)
    gap = answer - truth
    known = np.isfinite(gap)
    gap = np.where(known, gap, 0.0)
    if metric.relative:
        _check_no_zero(truth, sample, label, metric, numbered=whole)
        gap = gap / np.where(known, np.abs(truth), 1.0)
    if metric.of_numbers is None:
        raise TypeError(f"Metric {metric.name!r} is not for numbers.")
    with np.errstate(over="ignore"):
        scores = metric.of_numbers(gap)
    if not np.isfinite(scores).all():
        raise DataError(
            f"Predictions in {prediction!r} and labels in {label!r} of {sample.name} differ by up to "
            f"{np.abs(gap).max():.3g}, too much for metric {metric.name!r}. Rescale both, or fix these rows."
        )
    return Scores(scores[:, None], known, metric)


def _numbers(sample: Sample, column: str, metric: Metric, advice: str) -> Floats:
    series = sample.series(column)
    if not series.dtype.is_numeric() and str(series.dtype) != "Boolean":
        raise DataError(
            f"Column {column!r} of {sample.name} contains {kind_of(series.dtype)}. Metric {metric.name!r} needs "
            f"numbers. {advice}"
        )
    if not series.dtype.is_float():  # which is missing in a way of its own
        values = pc.cast(arrow_array(series), pa.float64(), safe=False)  # integers beyond 2**53 are rounded
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=float)
    return np.asarray(series.to_numpy(), dtype=float)


def check_new_predictions(metric: Metric, target: Sample, model: Model | None) -> None:
    """Refuse infinite predictions of new rows: no labelled row is as far off, so the estimate would leave them out.

    Parameters
    ----------
    metric : Metric
        Only one that needs numbers has something to refuse.
    target : Sample
        May have no predictions.
    """
    column = None if model is None else model.prediction
    if metric.needs != "numbers" or column is None or column not in target.columns:
        return
    if target.schema[column].is_numeric():
        values = np.asarray(target.series(column).to_numpy(), dtype=float)
        _check_no_infinity(values, target, column, metric, numbered=target.table is None)


def _check_no_infinity(values: Floats, sample: Sample, column: str, metric: Metric, *, numbered: bool) -> None:
    """Refuse what makes a mean infinite; leaving these rows out would flatter the model."""
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        found = f"{counted(len(bad), 'infinite value')}, the first in row {bad[0] + 1}"
        raise DataError(
            f"Column {column!r} of {sample.name} has {found if numbered else 'infinite values'}, so its "
            f"{metric.spoken} is not finite. Fix these rows, or remove them."
        )


def _check_no_zero(truth: Floats, sample: Sample, label: str, metric: Metric, *, numbered: bool) -> None:
    zero = np.flatnonzero(truth == 0)
    if len(zero):
        where = f"{counted(len(zero), 'row')}, the first in row {zero[0] + 1}" if numbered else "some rows"
        raise DataError(
            f"Label {label!r} of {sample.name} is 0 in {where}, so the {metric.spoken} is undefined. "
            "Choose another metric such as 'mae', or remove these rows."
        )


def check_finite(values: Floats, where: str, *, numbered: bool = True) -> None:
    """Refuse missing or infinite scores, and name the first such row if rows are numbered."""
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        found = f"{counted(len(bad), 'missing or infinite value')}, the first in row {bad[0] + 1}"
        raise DataError(
            f"{where} has {found if numbered else 'missing or infinite values'}. "
            "Scores must be finite numbers. Fill them in, or remove these rows."
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
    metric = get_metric(settings)
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
        raise TypeError(f"Metric {metric.name!r} is not for classes.")
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
            f"Metric {metric.name!r} needs too much memory for {n_classes} classes and {sample.n_rows:,} rows. "
            "Set positive in [metric] to one class, or merge classes."
        )


def _check_class_labels(sample: Sample, label: str, prediction: str, labels: ClassLabels) -> None:
    truth, predicted = labels.truth, labels.predicted
    for column, codes in ((label, truth), (prediction, predicted)):
        if not (codes >= 0).any():
            raise DataError(f"Column {column!r} of {sample.name} is empty. Fill it in, or choose another column.")
    if not set(np.unique(truth[truth >= 0])) & set(np.unique(predicted[predicted >= 0])):
        numeric = all(sample.schema[column].is_numeric() for column in (label, prediction))
        remedy = "For numbers, choose metric mae or rmse. " if numeric else ""
        raise DataError(
            f"Labels in {label!r} ({_values(sample, label)}) and predictions in {prediction!r} "
            f"({_values(sample, prediction)}) of {sample.name} have no class in common. "
            f"{remedy}Use the same class names, or merge classes in [metric]."
        )


def _values(sample: Sample, column: str) -> str:
    codes, names = class_codes(sample.series(column))
    return listed([names[i] for i in np.unique(codes[0]) if i >= 0], most=5)
