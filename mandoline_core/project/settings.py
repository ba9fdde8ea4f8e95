"""Settings: each declared once, with its default, its bounds and its description."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, field
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator

from mandoline_core.data import FrozenMapping, class_name
from mandoline_core.errors import ProjectError, did_you_mean
from mandoline_core.project.validation import AS_GIVEN, Columns, Name, Real, Whole, settings

Scalar = str | int | float | bool


@settings
class EstimatorSettings:
    """Hold the settings of the estimate: [estimator] of a project file.

    Parameters
    ----------
    name : str
        The estimation method.
    split : {"none", "half", "crossfit"}
        The rows that fit the weights: all ("none"), one half ("half"), or the other folds ("crossfit").
    overlap : {"trim", "strict"}
        What to do with new rows that no labelled row matches: leave them out ("trim") or stop ("strict").
    ridge : float
        The penalty on large weights. 0 means none.
    confidence : float
        The confidence level of intervals.
    seed : int
        The random seed, for splits and resampling.
    interval : {"influence", "bootstrap"}
        How intervals are computed.
    replicates : int
        The number of bootstrap resamples. A higher confidence needs more.
    spread : bool
        Whether intervals allow for the choice of slices: they are wider by how far other plausible slices move the
        estimate.

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
    replicates: Annotated[Whole, Field(ge=2, le=100_000)] = 1000
    spread: bool = True

    def __post_init__(self) -> None:
        """Refuse fewer resamples than the bootstrap's interval needs."""
        fewest = fewest_replicates(self.confidence)
        if self.interval == "bootstrap" and self.replicates < fewest:
            raise ProjectError(
                f"replicates must be at least {fewest:,} when confidence is {self.confidence:g}. Got "
                f"{self.replicates!r}."
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
    """Return the fewest resamples whose quantiles reach both ends of an interval.

    >>> fewest_replicates(0.95), fewest_replicates(0.9)
    (39, 19)
    """
    # Rounded, because 1 - 0.95 is a little more than 0.05, and 2 / 0.05 must not become 39.999.
    return math.ceil(round(2 / (1 - confidence), 6)) - 1


def _check_positive(value: Any) -> Any:
    if value == "" or isinstance(value, (list, tuple, dict)):
        raise ProjectError(f"positive must be a class. Got {value!r}.")
    return value


def _freeze_merge(merge: Any) -> FrozenMapping:
    """Refuse what are no lists of classes, and a class that is in two of them."""
    if not isinstance(merge, Mapping):
        raise ProjectError(f"merge must map each new class to a list of classes. Got {merge!r}.")
    seen: dict[str, str] = {}
    for name, values in merge.items():
        classes = () if isinstance(values, str) or not isinstance(values, Iterable) else tuple(values)
        if not classes or not all(isinstance(value, (str, int, float)) for value in classes):
            hint = f" Did you mean [{values!r}]?" if isinstance(values, str) else ""
            raise ProjectError(f"merge must map {name!r} to a list of classes. Got {values!r}.{hint}")
        for value in classes:
            other = seen.setdefault(class_name(value), name)
            if other != name:
                raise ProjectError(f"Class {value!r} is merged into both {other!r} and {name!r}. Choose one.")
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
            f"harmless must be a list of columns, or a table with a reason for each column. Got {given!r}.{hint}"
        )
    return FrozenMapping(given)


@settings
class MetricSettings:
    """Hold the settings of the metric: [metric] of a project file.

    Parameters
    ----------
    name : str
        The metric, such as "accuracy" or "f1".
    column : str, optional
        The column that "mean" averages.
    positive : str, int, float or bool, optional
        The positive class of precision, recall, F1, F-beta and AUROC. By default, the average over all classes.
    merge : mapping of str to sequence
        Classes to merge before scoring: for each new class, the classes that it replaces.
    beta : float
        How many times as much recall counts as precision, for "f_beta".
    quantile : float
        The quantile that the model predicts, for "pinball".
    k : int
        How many of the most probable classes count as a hit, for "top_k_accuracy".

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
    beta: Annotated[Real, Field(gt=0), AS_GIVEN] = 2.0
    quantile: Annotated[Real, Field(gt=0, lt=1), AS_GIVEN] = 0.5
    k: Annotated[Whole, Field(ge=1, le=1000)] = 2

    def __post_init__(self) -> None:
        """Refuse a mean of nothing."""
        if self.name == "mean" and self.column is None:
            raise ProjectError("Metric 'mean' needs a column to average. Set its column.")


def _freeze_errors(chosen: Any) -> FrozenMapping:
    """Refuse what gives no standard error for each model."""
    if not isinstance(chosen, Mapping) or not all(
        isinstance(name, str)
        and isinstance(error, (int, float))
        and not isinstance(error, bool)
        and 0 <= error < math.inf
        for name, error in chosen.items()
    ):
        raise ProjectError(f"chosen must be a table with a standard error, 0 or more, for each model. Got {chosen!r}.")
    return FrozenMapping({name: float(error) for name, error in chosen.items()})


@settings
class TrustSettings:
    """Hold what you declare about the data: [trust] of a project file. The verdict names it.

    Parameters
    ----------
    harmless : mapping of str to str
        Irrelevant columns: no check looks at their change. A list, or a table with a reason for each.
    chosen : mapping of str to float
        For slices that were chosen on these labels: what choosing adds to each model's standard error, as a share or in
        the metric's unit. `init` and `suggest --auto` write it, and intervals allow for it.
    chosen_slices : tuple of str
        The names of these slices. Once none of them is in use, `chosen` has no effect; without names it always has.

    Examples
    --------
    >>> TrustSettings(harmless=["year"]).harmless, TrustSettings(harmless={"year": "nothing else changed"}).harmless
    ({'year': ''}, {'year': 'nothing else changed'})
    """

    harmless: Annotated[
        Mapping[str, str],
        PlainValidator(_freeze_reasons, json_schema_input_type=list[Name] | dict[str, str]),
    ] = field(default_factory=FrozenMapping)
    chosen: Annotated[
        Mapping[str, float],
        PlainValidator(_freeze_errors, json_schema_input_type=dict[str, Annotated[float, Field(ge=0)]]),
    ] = field(default_factory=FrozenMapping)
    chosen_slices: Columns = ()

    def choice_error(self, model: str, slices: Collection[str]) -> float:
        """Return what choosing adds to a model's standard error while the slices of these names are in use.

        >>> trust = TrustSettings(chosen={"m": 0.01}, chosen_slices=["short"])
        >>> trust.choice_error("m", ["short", "old"]), trust.choice_error("m", ["old"])
        (0.01, 0.0)
        """
        applies = not self.chosen_slices or any(name in slices for name in self.chosen_slices)
        return self.chosen.get(model, 0.0) if applies else 0.0


def _freeze_names(names: Any) -> tuple[str, ...]:
    """Refuse what is no list of names."""
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name.strip() for name in names):
        hint = f" Did you mean [{names!r}]?" if isinstance(names, str) else ""
        raise ProjectError(f"sign_off must be a list of names. Got {names!r}.{hint}")
    return tuple(names)


@settings
class DecisionSettings:
    """Hold what the estimate is for: [decision] of a project file. Report, slides and tracking show it.

    Parameters
    ----------
    threshold : float, optional
        The worst acceptable score: a minimum; a maximum where lower is better; the largest distance from 0 for bias.
    intended_use : str
        What the model is to be used for.
    period : str
        The period that the new data cover.
    model : str
        The model's full name.
    version : str
        The model's version.
    owner : str
        Who answers for the model.
    author : str
        Who made the estimate.
    sign_off : tuple of str
        Who signs the report; each gets a line for name, date and signature.

    Examples
    --------
    >>> DecisionSettings(threshold=0.8, sign_off=["Head of risk"]).sign_off
    ('Head of risk',)
    """

    threshold: Annotated[Real, AS_GIVEN] | None = None
    intended_use: str = ""
    period: str = ""
    model: str = ""
    version: str = ""
    owner: str = ""
    author: str = ""
    sign_off: Annotated[tuple[str, ...], PlainValidator(_freeze_names, json_schema_input_type=list[Name])] = ()


@settings
class MethodSettings:
    """Hold the settings of methods that do not use slices: [methods] of a project file.

    Parameters
    ----------
    features : tuple of str
        Feature columns. By default, all but labels, predictions and identifiers.
    scores : str, optional
        A column with the probability that a row is new, computed elsewhere.
    max_rows : int
        The most rows of each sample that a method on features uses, drawn at random.
    width : float, optional
        The width of the Gaussian kernel. By default, chosen from the data.
    box : float
        The largest weight of a row in kernel mean matching (B in the paper).
    tolerance : float, optional
        How far the mean weight of kernel mean matching may be from 1 (epsilon).
    redraws : int
        The number of resamples for the interval of kernel mean matching.
    transformer : str, optional
        The local folder of a Hugging Face model to fine-tune, relative to the project file.
    texts : tuple of str
        Columns that the fine-tuned model reads. By default, all text columns.
    epochs : int
        The number of training epochs.
    batch_size : int
        The batch size of fine-tuning.
    learning_rate : float
        The initial learning rate. It falls linearly to 0.
    folds : int
        The number of folds. Each fold is scored by a model fitted to the others, one of which calibrates.

    Examples
    --------
    >>> MethodSettings(features=["age", "text"]).features
    ('age', 'text')
    """

    features: Columns = ()
    scores: Annotated[Name | None, Field(title="The name of the column of scores")] = None
    max_rows: Annotated[Whole, Field(ge=10, le=1_000_000)] = 10_000
    # Features have a standard deviation of 1: a kernel beyond these widths is flat, or sees no other row.
    width: Annotated[Real, Field(ge=1e-4, le=1e4), AS_GIVEN] | None = None
    box: Annotated[Real, Field(gt=0), AS_GIVEN] = 1000.0
    tolerance: Annotated[Real, Field(ge=0), AS_GIVEN] | None = None
    redraws: Annotated[Whole, Field(ge=10, le=10_000)] = 40
    transformer: Annotated[Name | None, Field(title="The name of the folder of the transformer")] = None
    texts: Columns = ()
    epochs: Annotated[Whole, Field(ge=1, le=1000)] = 3
    batch_size: Annotated[Whole, Field(ge=1, le=10_000)] = 16
    learning_rate: Annotated[Real, Field(gt=0), AS_GIVEN] = 5e-5
    folds: Annotated[Whole, Field(ge=3, le=100)] = 5


TESTS, INVERSE_COVARIANCE, GRAPHICAL_LASSO = EDGE_CHOICES = ("auto", "inverse-covariance", "graphical-lasso")
MOST_ENTRIES = 4  # pairs taken by inverse covariance, as in the paper, where nobody says how many


def read_edge_choice(edges: object) -> tuple[str, int]:
    """Read a choice of edges: one of `EDGE_CHOICES`, and the largest number of pairs.

    Examples
    --------
    >>> read_edge_choice("inverse-covariance:6")
    ('inverse-covariance', 6)
    >>> read_edge_choice("graphical lasso")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.ProjectError: edges must be a list of pairs of slice names, "auto", "graphical-lasso" or
    "inverse-covariance" (4 pairs; for 6, "inverse-covariance:6"). Got 'graphical lasso'. Did you mean
    'graphical-lasso'?
    """
    name, colon, most = edges.partition(":") if isinstance(edges, str) else ("", "", "")
    if name in EDGE_CHOICES and not colon:
        return name, MOST_ENTRIES
    if name == INVERSE_COVARIANCE and most.isdecimal() and int(most) > 0:
        return name, int(most)
    hint = did_you_mean(edges, EDGE_CHOICES) if isinstance(edges, str) else ""
    raise ProjectError(
        'edges must be a list of pairs of slice names, "auto", "graphical-lasso" or "inverse-covariance" '
        f'({MOST_ENTRIES} pairs; for 6, "inverse-covariance:6"). Got {edges!r}.{hint}'
    )
