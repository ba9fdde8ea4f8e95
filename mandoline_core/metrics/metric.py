"""A metric: statistics of each row, and how they combine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from mandoline_core.arrays import Floats, Interval
from mandoline_core.data import find_classes
from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.metrics.class_labels import ClassCodes
from mandoline_core.project import MetricSettings

UNIT, ABOVE = (0.0, 1.0), (0.0, np.inf)


def _first(means: Floats) -> float:
    return float(means[0])


_ROUNDING = 1e-9  # what adding up weights may add to a value


@dataclass(frozen=True)
class Metric:
    """Describe a metric: statistics of each row, and a smooth function of their means.

    A new metric goes into the file of its family, or a new file, and into the list in `registry.py`. The command line,
    the library and the app then offer it.

    Accuracy is the mean of one statistic. F1 has three (right, wrongly given, missed) and combines their means.
    A ranking metric, such as AUROC, depends on all rows together: it is a function of the rows' weights instead.

    Parameters
    ----------
    needs : {"predictions", "probabilities", "numbers", "column"}
        What a row's statistics are computed from.
    bounds : pair of floats, optional
        Least and largest possible value; the largest may be infinite.
    unit : {"percent", "number"}
        How values are shown.
    better : {"higher", "lower", "near 0"}
    statistics : callable, optional
        Classes of truth and prediction, shape (n_rows,), and probabilities, shape (n_rows, n_classes), to the
        rows' statistics, shape (n_rows, n_statistics). None where no classes are involved.
    combine : callable
        Means of the statistics, shape (n_statistics,), to the metric's value.
    slope : callable
        Means of the statistics to the derivatives of the value, shape (n_statistics,).
    rank : callable, optional
        For a ranking metric: statistics and weights to the value and each row's slope.
    whole : callable, optional
        For a metric of all rows together that has no slopes: statistics and weights to the value.
    called : str
        Its name in sentences, if different.
    sentence : tuple of str
        The words before its value on the new data, before that on the labelled data, and after the first.
    of_classes : callable, optional
        Fits the metric to the classes at hand: itself, their names, and the code of the one it is about or None.
    about_one : bool
        Whether it may be about one class; else, or where none is named, it averages over all.
    needs_table : bool
        Whether averaging over classes takes a table of all their pairs.
    of_numbers : callable, optional
        Prediction minus label, shape (n_rows,), to the rows' statistic.
    relative : bool
        Whether the difference is divided by the size of the label first.
    reads : tuple of str
        The settings of [metric] that it reads, such as "beta".
    of_settings : callable, optional
        Takes the metric to the one that those settings ask for.
    function : callable, optional
        Of a metric of your own: see `Metric.of`.
    """

    name: str
    title: str
    needs: str
    bounds: Interval | None
    unit: str = "percent"
    better: str = "higher"
    statistics: Callable[[ClassCodes, ClassCodes, Floats], Floats] | None = None
    combine: Callable[[Floats], float] = _first
    slope: Callable[[Floats], Floats] = np.ones_like
    rank: Callable[[Floats, Floats], tuple[float, Floats]] | None = None
    whole: Callable[[Floats, Floats], float] | None = None
    called: str = ""
    sentence: tuple[str, str, str] = ("the {metric} is probably", "it is", "")
    of_classes: Callable[[Metric, tuple[str, ...], int | None], Metric] | None = None
    about_one: bool = False
    needs_table: bool = False
    of_numbers: Callable[[Floats], Floats] | None = None
    relative: bool = False
    reads: tuple[str, ...] = ()
    of_settings: Callable[[Metric, MetricSettings], Metric] | None = None
    function: Callable[..., Any] | None = None

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        bounds: Interval | None = None,
        unit: Literal["number", "percent"] = "number",
        better: Literal["higher", "lower", "near 0"] = "higher",
    ) -> Metric:
        """Make a metric of your own function, which scores every row, or returns one number for weighted rows.

        Of scores, the metric is the weighted mean. One number may be anything; unless it turns out to be a weighted
        mean, too, its interval comes from the bootstrap, and methods on columns and a few labels do not support it.

        Pass it as `metric` to `estimate` and what is built on it. Project files, the command line and the app know
        metrics by name only. For these, add a column of scores and use the metric "mean".

        Parameters
        ----------
        function : callable
            Takes label and prediction and, if it asks for them, probabilities (a frame with a column for each class,
            None if the model has none) and weight (1 on average). Returns one score for each row; or one number, if
            it takes the weight as its fourth argument or, as those of scikit-learn, as `sample_weight`. Rows without
            a label or a prediction are left out.
        name : str, optional
            Its name in the report. By default, that of the function.
        bounds : pair of floats, optional
            The least and largest possible score. Intervals stay within them.
        unit : {"number", "percent"}
            How values are shown.
        better : {"higher", "lower", "near 0"}

        Examples
        --------
        >>> def cost(label, prediction):
        ...     return np.where(label == prediction, 0.0, np.where(label == "yes", 5.0, 1.0))
        >>> metric = Metric.of(cost, better="lower", bounds=(0, 5))
        >>> metric.name, metric.is_mean
        ('cost', True)
        """
        if not callable(function):
            raise ProjectError(f"Metric.of needs a function. Got {type(function).__name__}.")
        called = name or getattr(function, "__name__", "")
        if not called or called == "<lambda>":
            raise ProjectError("Metric.of needs a name for this function: Metric.of(function, name=...).")
        if unit not in ("number", "percent") or better not in ("higher", "lower", "near 0"):
            raise ProjectError(
                'unit must be "number" or "percent", and better "higher", "lower" or "near 0". '
                f"Got {unit!r} and {better!r}."
            )
        if bounds is not None and not bounds[0] < bounds[1]:
            raise ProjectError(f"bounds must be two numbers, the lower one first. Got {bounds!r}.")
        limits = None if bounds is None else (float(bounds[0]), float(bounds[1]))
        return cls(called, called, "own", limits, unit=unit, better=better, function=function)

    def fit(self, classes: tuple[str, ...], positive: object = None) -> Metric:
        """Fit the metric to the classes.

        Parameters
        ----------
        classes : tuple of str
            Labels, predictions and probabilities are codes into it.
        positive : str, int, float or bool, optional
            The class the metric is about; the average over all classes when left out.

        Examples
        --------
        >>> from mandoline_core.metrics import get_metric
        >>> f1 = get_metric("f1").fit(("no", "yes"), "yes")
        >>> rows = f1.statistics(np.array([1, 1, 0]), np.array([1, 0, 0]), np.zeros((3, 0)))
        >>> round(f1.combine(rows.mean(axis=0)), 3)
        0.667
        """
        if self.of_classes is None:
            return self
        return self.of_classes(self, classes, self._one_of(classes, positive))

    @property
    def spoken(self) -> str:
        """Its name in sentences."""
        return self.called or self.name

    @property
    def share(self) -> bool:
        """Whether values are shown as percentages."""
        return self.unit == "percent"

    @property
    def ranked(self) -> bool:
        """Whether the metric depends on all rows together, such as on their ranking, not on means alone."""
        return self.rank is not None or self.whole is not None

    @property
    def is_mean(self) -> bool:
        """Whether the metric is the mean of one statistic."""
        return not self.ranked and self.combine is _first

    def within(self, value: float) -> float:
        """Take back what rounding alone adds to a bounded metric.

        Examples
        --------
        >>> from mandoline_core.metrics import get_metric
        >>> get_metric("accuracy").within(1 + 2e-16), get_metric("accuracy").within(1.01)
        (1.0, 1.01)
        """
        if self.bounds is None:
            return value
        low, high = self.bounds
        inside = min(max(value, low), high)
        return inside if abs(value - inside) < _ROUNDING else value

    def _one_of(self, classes: tuple[str, ...], positive: object) -> int | None:
        if positive is None or not self.about_one:
            return None
        codes = find_classes(positive, classes)
        if not codes:
            raise ProjectError(
                f"positive in [metric] is {positive!r}, an unknown class. "
                f"Classes: {listed(classes)}.{did_you_mean(str(positive), classes)}"
            )
        return codes[0]


class Evaluation(NamedTuple):
    """Hold a metric's value on weighted rows, its means, and its slope in each row's weight.

    Parameters
    ----------
    means : array of float, shape (n_statistics,)
    slopes : array of float, shape (n_rows,)
        Change of the value when a row gains weight at the expense of all; weighted, they average 0. NaN where a
        metric has none.
    """

    value: float
    means: Floats
    slopes: Floats


def evaluate(metric: Metric, statistics: Floats, weights: Floats) -> Evaluation:
    """Evaluate a metric on weighted rows.

    Parameters
    ----------
    statistics : array of float, shape (n_rows, n_statistics)
    weights : array of float, shape (n_rows,)
        Sum to 1.

    Examples
    --------
    >>> from mandoline_core.metrics import get_metric
    >>> found = evaluate(get_metric("accuracy"), np.array([[1.0], [0.0]]), np.array([0.75, 0.25]))
    >>> found.value, found.slopes.tolist()
    (0.75, [0.25, -0.75])
    """
    means = weights @ statistics
    if metric.whole is not None:
        return Evaluation(metric.whole(statistics, weights), means, np.full(len(weights), np.nan))
    if metric.rank is not None:
        value, slopes = metric.rank(statistics, weights)
        return Evaluation(value, means, slopes)
    # The delta method: a smooth function of means moves with a row as its gradient does along that row's deviation.
    gradient = metric.slope(means)
    return Evaluation(metric.within(metric.combine(means)), means, statistics @ gradient - float(means @ gradient))
