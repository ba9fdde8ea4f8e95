"""Your own metric: a function that scores rows, or all of them together, instead of a metric's name."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mandoline_core.arrays import Bools, Floats
from mandoline_core.data import Model, Sample
from mandoline_core.errors import DataError, ProjectError
from mandoline_core.metrics.metric import Metric
from mandoline_core.project import MetricSettings, validated

OWN = "own"
MOST_ROWS = 10_000  # that differ: more are not tried one at a time
FEW_ROWS = 10  # that tell most functions which are no weighted mean
_ARGUMENTS = ("label", "prediction", "probabilities", "weight")


@validated
class OwnMetric(MetricSettings):
    """Hold a metric of your own where settings are expected; a project file cannot hold it.

    Parameters
    ----------
    metric : Metric
        Made by `Metric.of`.
    """

    metric: Any = None

    @classmethod
    def hold(cls, metric: Metric) -> OwnMetric:
        """Put a metric where settings are expected."""
        if metric.needs != OWN:
            raise ProjectError(f"metric must be a name, MetricSettings or Metric.of(function). Try {metric.name!r}.")
        return cls(name=metric.name, metric=metric)


def score_own(
    metric: Metric, sample: Sample, label: str, model: Model, prediction: str, *, whole: bool
) -> tuple[Floats, Bools, Metric]:
    """Score rows with a function.

    Parameters
    ----------
    whole : bool
        Whether the rows are all there are.

    Returns
    -------
    statistics : array of float, shape (n_rows, n_statistics)
        The score; of a function that returns one number, codes of label and prediction, and the probabilities. 0 in
        rows that are not known.
    known : array of bool, shape (n_rows,)
        Rows with a label, a prediction and, if the model has any, all probabilities.
    metric : Metric
        Fitted to these rows.
    """
    columns = [sample.series(name) for name in (label, prediction)]
    known = ~np.logical_or.reduce([np.asarray(column.is_null().to_numpy(), dtype=bool) for column in columns])
    chance = {name: sample.series(column).to_numpy().astype(float) for name, column in model.probabilities.items()}
    for values in chance.values():
        known &= np.isfinite(values)
    if not known.any():
        return np.zeros((sample.n_rows, 1)), known, metric
    truth, said = (_values(column.filter(known.tolist())) for column in columns)
    frame = pd.DataFrame({name: values[known] for name, values in chance.items()}) if chance else None
    found = _call(metric, truth, said, frame, np.ones(int(known.sum())))
    if np.ndim(found) == 0:
        if not whole:
            raise ProjectError(
                f"The function of metric {metric.name!r} returns one number, so all rows must be in memory. Return a "
                "score for each row, or choose engine pandas."
            )
        some, metric = _take_together(metric, truth, said, frame)
    else:
        some = _checked(found, int(known.sum()), metric.name, sample.name)[:, None]
    statistics = np.zeros((sample.n_rows, some.shape[1]))
    statistics[known] = some
    return statistics, known, metric


def _call(metric: Metric, truth: Any, said: Any, probabilities: pd.DataFrame | None, weights: Floats) -> Any:
    if metric.function is None:
        raise TypeError(f"Metric {metric.name!r} has no function.")
    n, by_name = _arguments(metric.function, metric.name)
    given = (truth, said, probabilities, weights)[:n]
    return metric.function(*given, **({"sample_weight": weights} if by_name else {}))


def _take_together(
    metric: Metric, truth: np.ndarray, said: np.ndarray, probabilities: pd.DataFrame | None
) -> tuple[Floats, Metric]:
    """Keep what a function needs of each row; of one that is a weighted mean after all, the scores."""
    n, by_name = _arguments(metric.function, metric.name)  # type: ignore[arg-type]  # it has been called
    if n < len(_ARGUMENTS) and not by_name:
        raise ProjectError(
            f"The function of metric {metric.name!r} returns one number for all rows, but takes no weight. Return a "
            "score for each row, or take label, prediction, probabilities and weight."
        )
    (labels, truth_codes), (answers, said_codes) = (np.unique(values, return_inverse=True) for values in (truth, said))
    names = None if probabilities is None else list(probabilities.columns)
    extra = np.zeros((len(truth), 0)) if probabilities is None else probabilities.to_numpy()
    statistics = np.column_stack([truth_codes, said_codes, extra]).astype(float)

    def whole(rows: Floats, weights: Floats) -> float:
        rows, weights = rows[weights > 0], weights[weights > 0]  # a row without weight is not there
        frame = None if names is None else pd.DataFrame(rows[:, 2:], columns=names)
        codes = rows[:, :2].astype(np.intp)
        shares = weights * (len(rows) / weights.sum())
        try:
            value = _call(metric, labels[codes[:, 0]], answers[codes[:, 1]], frame, shares)
        except Exception as error:
            raise DataError(f"Metric {metric.name!r} failed on {len(rows):,} weighted rows: {error}") from error
        if np.ndim(value) != 0 or not np.isfinite(value):
            raise DataError(f"Metric {metric.name!r} is {value!r} on weighted rows. Return one finite number.")
        return float(value)

    scores = _row_by_row(whole, statistics)
    return (statistics, replace(metric, whole=whole)) if scores is None else (scores[:, None], metric)


def _row_by_row(whole: Callable[[Floats, Floats], float], statistics: Floats) -> Floats | None:
    """Score rows one at a time; None unless the function is the weighted mean of these scores, as far as tried."""
    rows, which = np.unique(statistics, axis=0, return_inverse=True)
    rng, few = np.random.default_rng(0), rows[:: max(len(rows) // FEW_ROWS, 1)]
    if len(rows) > MOST_ROWS:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):  # it may not be meant for a single row
            for some in (few, rows):
                scores = np.array([whole(row[None], np.ones(1)) for row in some])
                for weights in rng.exponential(size=(3, len(some))):
                    if not np.isclose(whole(some, weights), np.average(scores, weights=weights), rtol=1e-9, atol=1e-12):
                        return None
    except DataError:  # it may need more than one row
        return None
    return np.asarray(scores[which.ravel()])


def _values(column: Any) -> np.ndarray:
    values = np.asarray(column.to_numpy())
    return values if values.dtype.kind in "biuf" else np.asarray(column.to_list())


def _arguments(function: Callable[..., Any], name: str) -> tuple[int, bool]:
    """Count how many of label, prediction, probabilities and weight a function takes; and tell if it names the last."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # functions of compiled code may not say
        return 2, False
    kinds = [one.kind for one in parameters.values() if one.default is one.empty]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return len(_ARGUMENTS), False
    n = sum(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
    if not 2 <= n <= len(_ARGUMENTS):
        raise ProjectError(f"The function of metric {name!r} must take {', '.join(_ARGUMENTS)}, or the first of them.")
    return n, "sample_weight" in parameters


def _checked(found: Any, n: int, name: str, where: str) -> Floats:
    scores = np.asarray(found, dtype=float)
    if scores.shape != (n,):
        raise ProjectError(
            f"The function of metric {name!r} must return one score for each of {n:,} rows. Got shape {scores.shape}."
        )
    bad = int((~np.isfinite(scores)).sum())
    if bad:
        raise DataError(
            f"Metric {name!r} is missing or infinite in {bad:,} of {n:,} rows of {where}. Return finite scores."
        )
    return scores
