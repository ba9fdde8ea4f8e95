"""Settings of the estimator and of the metric, checked as they come in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from mandoline_core.data import FrozenMapping, class_name
from mandoline_core.errors import ProjectError, did_you_mean

CHOICES = {
    "split": ("none", "half", "crossfit"),
    "overlap": ("trim", "strict"),
    "interval": ("influence", "bootstrap"),
}


@dataclass(frozen=True)
class EstimatorSettings:
    """Say how the estimate is made.

    Parameters
    ----------
    name : str
        The estimator, by its name in the registry.
    split : {"none", "half", "crossfit"}
        Whether the same source rows fit the weights and are weighted.
    overlap : {"trim", "strict"}
        What to do with target rows beyond the source's reach: set aside, or refuse.
    ridge : float
        A penalty on large weights; 0 for none.
    confidence : float
        The coverage that intervals aim at.
    seed : int
        Where random numbers start, for splitting and resampling.
    interval : {"influence", "bootstrap"}
        How intervals are made.
    replicates : int
        How often the bootstrap resamples; at least so often that some redraws lie beyond each end of the interval.

    Examples
    --------
    >>> EstimatorSettings(confidence=0.9).split
    'none'
    >>> EstimatorSettings(confidence=95)
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: confidence must be between 0 and 1. Got 95. Did you mean 0.95?
    """

    name: str = "mandoline"
    split: str = "none"
    overlap: str = "trim"
    ridge: float = 0.0
    confidence: float = 0.95
    seed: int = 0
    interval: str = "influence"
    replicates: int = 1000

    def __post_init__(self) -> None:
        """Refuse what no data could make right."""
        _check_name("estimator", self.name)
        for key, choices in CHOICES.items():
            value = getattr(self, key)
            if value not in choices:
                names = ", ".join(map(repr, choices[:-1])) + f" or {choices[-1]!r}"
                raise ProjectError(f"{key} must be {names}. Got {value!r}.{did_you_mean(str(value), choices)}")
        if not _is_number(self.ridge) or not 0 <= self.ridge < math.inf:
            raise ProjectError(f"ridge must be a number, 0 or above. Got {self.ridge!r}.")
        if not _is_number(self.confidence) or not 0 < self.confidence < 1:
            is_percentage = _is_number(self.confidence) and 1 < self.confidence < 100
            hint = f" Did you mean {self.confidence / 100:g}?" if is_percentage else ""
            raise ProjectError(f"confidence must be between 0 and 1. Got {self.confidence!r}.{hint}")
        _check_whole(self, seed=0, replicates=2)
        fewest = fewest_replicates(self.confidence)
        if self.interval == "bootstrap" and self.replicates < fewest:
            raise ProjectError(
                f"replicates must be {fewest:,} or above where confidence is {self.confidence:g}: with fewer redraws "
                f"the ends of the interval lie beyond all of them. Got {self.replicates!r}."
            )

    def as_dict(self) -> dict[str, str | int | float]:
        """List the settings by name.

        Examples
        --------
        >>> EstimatorSettings(ridge=0.1).as_dict()["ridge"]
        0.1
        """
        return asdict(self)


def fewest_replicates(confidence: float) -> int:
    """Return how many redraws reach to both ends of an interval: of n in order, each cuts off 1 / (n + 1) more.

    >>> fewest_replicates(0.95), fewest_replicates(0.9)
    (39, 19)
    """
    return math.ceil(round(2 / (1 - confidence), 6)) - 1


@dataclass(frozen=True)
class MetricSettings:
    """Say what is estimated.

    Parameters
    ----------
    name : str
        The metric: "accuracy", "error", "mean" or another that is known.
    column : str, optional
        The column that "mean" averages.
    positive : str, int, float or bool, optional
        The class that precision, recall, F1 and AUROC are about; the average over all classes when left out.
    merge : mapping of str to sequence
        Classes to take for one before scoring: the new name, and the classes it stands for.

    Examples
    --------
    >>> MetricSettings(merge={"no": ["neutral", "contradiction"]}).merge
    {'no': ('neutral', 'contradiction')}
    """

    name: str = "accuracy"
    column: str | None = None
    positive: str | int | float | bool | None = None
    merge: Mapping[str, tuple[str | int | float | bool, ...]] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
        """Refuse what no data could make right, and freeze the merged classes."""
        _check_name("metric", self.name)
        if self.column is not None:
            _check_name("the metric's column", self.column)
        if self.name == "mean" and self.column is None:
            raise ProjectError("Metric 'mean' needs a column to average. Add column to the metric.")
        if self.positive == "" or isinstance(self.positive, (list, tuple, dict)):
            raise ProjectError(f"positive must name a class. Got {self.positive!r}.")
        if not isinstance(self.merge, Mapping):
            raise ProjectError(f"merge must give lists of classes by their new name. Got {self.merge!r}.")
        merged = FrozenMapping({name: self._classes(name, values) for name, values in self.merge.items()})
        seen: dict[str, str] = {}
        for name, values in merged.items():
            for value in values:
                other = seen.setdefault(class_name(value), name)
                if other != name:
                    raise ProjectError(f"Class {value!r} is merged into {other!r} and into {name!r}. Choose one.")
        object.__setattr__(self, "merge", merged)

    def _classes(self, name: str, values: object) -> tuple[object, ...]:
        classes = () if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
        if not classes or not all(isinstance(value, (str, int, float)) for value in classes):
            hint = f" Did you mean [{values!r}]?" if isinstance(values, str) else ""
            raise ProjectError(f"merge must give {name!r} a list of the classes it stands for. Got {values!r}.{hint}")
        return classes


@dataclass(frozen=True)
class TrustSettings:
    """Say what a person takes upon themselves: the verdict rests on it and says so.

    Parameters
    ----------
    harmless : mapping of str to str
        Columns whose change does not matter, each with the reason, which may be empty; a list of columns will do.

    Examples
    --------
    >>> TrustSettings(harmless=["year"]).harmless, TrustSettings(harmless={"year": "nothing else changed"}).harmless
    ({'year': ''}, {'year': 'nothing else changed'})
    """

    harmless: Mapping[str, str] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
        """Refuse what names no columns, and freeze the reasons."""
        given: object = self.harmless
        if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
            given = dict.fromkeys(given, "")
        if not isinstance(given, Mapping) or not all(
            isinstance(name, str) and name and isinstance(reason, str) for name, reason in given.items()
        ):
            hint = f" Did you mean [{given!r}]?" if isinstance(given, str) else ""
            raise ProjectError(
                f"harmless must be a list of columns, or give the reason for each column. Got {given!r}.{hint}"
            )
        object.__setattr__(self, "harmless", FrozenMapping(given))


@dataclass(frozen=True)
class MethodSettings:
    """Say what the methods look at that do not work on slices, and how they are tuned.

    Parameters
    ----------
    features : tuple of str
        Columns for the methods on features; all but labels, answers and identifiers when empty.
    scores : str, optional
        A column with the probability that a row is from the target, computed elsewhere.
    max_rows : int
        So many rows of each sample, drawn at random, are enough for a method on features.
    width : float, optional
        Of the Gaussian kernel; chosen from the data when left out.
    box : float
        The most that kernel mean matching lets a row count (the paper's B).
    tolerance : float, optional
        How far kernel mean matching's ratios may be from averaging 1 (epsilon).
    redraws : int
        How often kernel mean matching is repeated for its interval.
    transformer : str, optional
        The folder of a Hugging Face model on this machine, to be fine-tuned; relative to the project file.
    texts : tuple of str
        Columns that a fine-tuned model reads; the columns of text when empty.
    epochs : int
        How often fine-tuning goes through its rows.
    batch_size : int
        Rows of a step of it.
    learning_rate : float
        Of its first step; it falls to 0 in a line.
    folds : int
        Parts that the rows are cut into: each is scored by a fit to the others, one of which calibrates.

    Examples
    --------
    >>> MethodSettings(features=["age", "text"]).features
    ('age', 'text')
    """

    features: tuple[str, ...] = ()
    scores: str | None = None
    max_rows: int = 10_000
    width: float | None = None
    box: float = 1000.0
    tolerance: float | None = None
    redraws: int = 40
    transformer: str | None = None
    texts: tuple[str, ...] = ()
    epochs: int = 3
    batch_size: int = 16
    learning_rate: float = 5e-5
    folds: int = 5

    def __post_init__(self) -> None:
        """Refuse what no data could make right."""
        for key in ("features", "texts"):
            given = getattr(self, key)
            if not isinstance(given, (list, tuple)) or not all(isinstance(name, str) and name for name in given):
                hint = f" Did you mean [{given!r}]?" if isinstance(given, str) else ""
                raise ProjectError(f"{key} must be a list of columns. Got {given!r}.{hint}")
            object.__setattr__(self, key, tuple(given))
        if self.scores is not None:
            _check_name("the column of scores", self.scores)
        if self.transformer is not None:
            _check_name("the folder of the transformer", self.transformer)
        _check_whole(self, max_rows=10, redraws=10, epochs=1, batch_size=1, folds=3)
        for key in ("width", "box", "learning_rate"):
            value = getattr(self, key)
            if not (value is None and key == "width") and not (_is_number(value) and 0 < value < math.inf):
                raise ProjectError(f"{key} must be a number above 0. Got {value!r}.")
        if self.tolerance is not None and not (_is_number(self.tolerance) and 0 <= self.tolerance < math.inf):
            raise ProjectError(f"tolerance must be a number, 0 or above. Got {self.tolerance!r}.")


def _check_name(what: str, value: object) -> None:
    if not isinstance(value, str) or not value:
        raise ProjectError(f"The name of {what} must be a text that is not empty. Got {value!r}.")


def _check_whole(settings: object, **least: int) -> None:
    for key, lowest in least.items():
        value = getattr(settings, key)
        if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
            raise ProjectError(f"{key} must be a whole number, {lowest} or above. Got {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
