"""Settings: each declared once, with its default, its bounds and its sentence; files, schemas and errors follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, field
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator

from mandoline_core.data import FrozenMapping, class_name
from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.project.validation import AS_GIVEN, Columns, Name, Real, Whole, settings

Scalar = str | int | float | bool


@settings
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

    name: Annotated[Name, Field(title="The name of estimator")] = "mandoline"
    split: Literal["none", "half", "crossfit"] = "none"
    overlap: Literal["trim", "strict"] = "trim"
    ridge: Annotated[Real, Field(ge=0), AS_GIVEN] = 0.0
    confidence: Annotated[Real, Field(gt=0, lt=1), AS_GIVEN] = 0.95
    seed: Annotated[Whole, Field(ge=0)] = 0
    interval: Literal["influence", "bootstrap"] = "influence"
    replicates: Annotated[Whole, Field(ge=2)] = 1000

    def __post_init__(self) -> None:
        """Refuse fewer redraws than the bootstrap's interval needs."""
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
    # Rounded, because 1 - 0.95 is a little more than 0.05, and 2 / 0.05 must not become 39.999.
    return math.ceil(round(2 / (1 - confidence), 6)) - 1


def _check_positive(value: Any) -> Any:
    if value == "" or isinstance(value, (list, tuple, dict)):
        raise ProjectError(f"positive must name a class. Got {value!r}.")
    return value


def _freeze_merge(merge: Any) -> FrozenMapping:
    """Refuse what are no lists of classes, and a class that is in two of them."""
    if not isinstance(merge, Mapping):
        raise ProjectError(f"merge must give lists of classes by their new name. Got {merge!r}.")
    seen: dict[str, str] = {}
    for name, values in merge.items():
        classes = () if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
        if not classes or not all(isinstance(value, (str, int, float)) for value in classes):
            hint = f" Did you mean [{values!r}]?" if isinstance(values, str) else ""
            raise ProjectError(f"merge must give {name!r} a list of the classes it stands for. Got {values!r}.{hint}")
        for value in classes:
            other = seen.setdefault(class_name(value), name)
            if other != name:
                raise ProjectError(f"Class {value!r} is merged into {other!r} and into {name!r}. Choose one.")
    return FrozenMapping({name: tuple(values) for name, values in merge.items()})


def _freeze_reasons(harmless: Any) -> FrozenMapping:
    """Refuse what names no columns; a list gives no reasons."""
    given = harmless
    if isinstance(harmless, (list, tuple)) and all(isinstance(name, str) for name in harmless):
        given = dict.fromkeys(harmless, "")
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and name and isinstance(reason, str) for name, reason in given.items()
    ):
        hint = f" Did you mean [{given!r}]?" if isinstance(given, str) else ""
        raise ProjectError(
            f"harmless must be a list of columns, or give the reason for each column. Got {given!r}.{hint}"
        )
    return FrozenMapping(given)


@settings
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

    name: Annotated[Name, Field(title="The name of metric")] = "accuracy"
    column: Annotated[Name | None, Field(title="The name of the metric's column")] = None
    positive: Annotated[Scalar | None, PlainValidator(_check_positive, json_schema_input_type=Scalar)] = None
    merge: Annotated[
        Mapping[str, tuple[Scalar, ...]],
        PlainValidator(_freeze_merge, json_schema_input_type=dict[str, list[Scalar]]),
    ] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
        """Refuse a mean of nothing."""
        if self.name == "mean" and self.column is None:
            raise ProjectError("Metric 'mean' needs a column to average. Add column to the metric.")


@settings
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

    harmless: Annotated[
        Mapping[str, str],
        PlainValidator(_freeze_reasons, json_schema_input_type=list[Name] | dict[str, str]),
    ] = field(default_factory=FrozenMapping)


@settings
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

    features: Columns = ()
    scores: Annotated[Name | None, Field(title="The name of the column of scores")] = None
    max_rows: Annotated[Whole, Field(ge=10)] = 10_000
    width: Annotated[Real, Field(gt=0), AS_GIVEN] | None = None
    box: Annotated[Real, Field(gt=0), AS_GIVEN] = 1000.0
    tolerance: Annotated[Real, Field(ge=0), AS_GIVEN] | None = None
    redraws: Annotated[Whole, Field(ge=10)] = 40
    transformer: Annotated[Name | None, Field(title="The name of the folder of the transformer")] = None
    texts: Columns = ()
    epochs: Annotated[Whole, Field(ge=1)] = 3
    batch_size: Annotated[Whole, Field(ge=1)] = 16
    learning_rate: Annotated[Real, Field(gt=0), AS_GIVEN] = 5e-5
    folds: Annotated[Whole, Field(ge=3)] = 5


TESTS, INVERSE_COVARIANCE, GRAPHICAL_LASSO = EDGE_CHOICES = ("auto", "inverse-covariance", "graphical-lasso")
MOST_ENTRIES = 4  # pairs taken by inverse covariance, as in the paper, where nobody says how many


def read_edge_choice(edges: object) -> tuple[str, int]:
    """Read what chooses the pairs, as the project file has it: one of `EDGE_CHOICES`, and how many pairs at most.

    Examples
    --------
    >>> read_edge_choice("inverse-covariance:6")
    ('inverse-covariance', 6)
    >>> read_edge_choice("graphical lasso")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: edges must be a list of pairs of slice names, "auto", "inverse-covariance" (the
    4 largest entries; more or fewer as in "inverse-covariance:6") or "graphical-lasso". Got 'graphical lasso'. Did you
    mean 'graphical-lasso'?
    """
    name, colon, most = edges.partition(":") if isinstance(edges, str) else ("", "", "")
    if name in EDGE_CHOICES and not colon:
        return name, MOST_ENTRIES
    if name == INVERSE_COVARIANCE and most.isdecimal() and int(most) > 0:
        return name, int(most)
    hint = did_you_mean(edges, EDGE_CHOICES) if isinstance(edges, str) else ""
    raise ProjectError(
        f'edges must be a list of pairs of slice names, "auto", "inverse-covariance" (the {MOST_ENTRIES} largest '
        'entries; more or fewer as in "inverse-covariance:6") or "graphical-lasso". '
        f"Got {edges!r}.{hint}"
    )
