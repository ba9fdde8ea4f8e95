"""The kinds that read a model's predictions: entropy, confidence, predicted classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Model, Sample, class_name
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed, show_number, show_rounded
from mandoline_core.slices.resolution import each_class
from mandoline_core.slices.rule import (
    CLASSES,
    NUMBERS,
    BoundedRule,
    Control,
    Measure,
    Predicate,
    Scalar,
    Schema,
    Slice,
    Survey,
    plain,
    row_code,
    shown,
)
from mandoline_core.slices.rule.codes import is_class
from mandoline_core.slices.rule.survey import find_name

_TINY = 1e-300  # stands in for 0 in a logarithm; 0 times it is still 0
# Logarithms differ in their last digit from engine to engine, so an entropy this little below a bound is on it.
_SLACK = 1e-12
_BUCKETS = {"buckets": 6, "low": None, "high": None}
_INTERVAL = {"buckets": None, "low": 0.5, "high": 0.7}


@dataclass(frozen=True, kw_only=True)
class OfModel(Slice):
    """What the kinds that read a model's predictions share; most read the probability of each class.

    Parameters
    ----------
    model : str, optional
        The model's name. By default, the model being evaluated.
    """

    model: str | Model | None = None

    def _check(self) -> None:
        model: object = self.model
        if model is not None and (not isinstance(model, (str, Model)) or not model):
            raise self._wrong("model", "a non-empty text", model)
        super()._check()

    @property
    def needs(self) -> dict[str, str]:
        """The probabilities, once the model is known."""
        return dict.fromkeys(self.model.probabilities.values(), NUMBERS) if isinstance(self.model, Model) else {}

    def remedy(self, _column: str, _need: str, _dtype: nw.dtypes.DType) -> str:
        """Suggest another column: a model's predictions cannot be changed."""
        return "Choose another column or another kind."

    @property
    def resolved_model(self) -> Model:
        """The model itself, once resolved."""
        if not isinstance(self.model, Model):
            raise self._not_resolved()
        return self.model

    @property
    def model_name(self) -> str:
        """The model's name in plain words."""
        return self.model.name if isinstance(self.model, Model) else self.model or "the model"

    def for_model(self, source: Sample, model: Model | None) -> Self:
        """Find the model by its name, or take the one being evaluated."""
        chosen = self.model if isinstance(self.model, Model) else model
        if isinstance(self.model, str):
            names = [item.name for item in source.models]
            if self.model not in names:
                raise SliceError(
                    f"Slice {self.name!r} names model {self.model!r}, which does not exist. Models: "
                    f"{listed(names) or 'none'}.{did_you_mean(self.model, names)}"
                )
            chosen = source.models[names.index(self.model)]
        if chosen is None:
            raise SliceError(f"Slice {self.name!r} (kind {self.kind!r}) needs a model. Add a model.")
        self._check_model(chosen)
        return replace(self, model=chosen)

    def _check_model(self, model: Model) -> None:
        """Refuse a model without the columns that the rule reads."""
        if len(model.probabilities) < 2:
            raise SliceError(
                f"Slice {self.name!r} needs the probability of each class, and model {model.name!r} has "
                f"{'only one' if model.probabilities else 'none'}. Give the model probabilities, such as "
                '{ no = "p_no", yes = "p_yes" }.'
            )

    @classmethod
    def _need_probabilities(cls, survey: Survey) -> None:
        if not any(len(model.probabilities) > 1 for model in survey.source.models):
            raise SliceError(
                f"{cls.kind.capitalize()} needs a model with a probability for each class. Add one in the project."
            )

    def _probabilities(self) -> tuple[list[nw.Expr], nw.Expr]:
        """Take the probabilities as numbers, and where one is missing."""
        columns = [nw.col(column).cast(nw.Float64) for column in self.needs]
        return columns, nw.any_horizontal(*(column.is_null() for column in columns), ignore_nulls=False)

    def _measure_name(self) -> str:
        return "\0".join(("", self.kind, *self.resolved_model.probabilities.values()))


@dataclass(frozen=True, kw_only=True)
class Entropy(OfModel, kind="entropy", title="Entropy buckets", purpose="how uncertain the model is"):
    """Match the rows where the entropy of the class probabilities, in nats, is in [low, high).

    Parameters
    ----------
    low : float, optional
        The lower end, which is in the range.
    high : float, optional
        The upper end, which is not in the range.
    buckets : int, optional
        Make this number of slices, of equal width from 0 to the logarithm of the number of classes.

    Examples
    --------
    >>> Entropy("unsure", low=0.5, high=0.7).describe()
    "entropy of the model's probabilities from 0.5 up to 0.7"
    """

    functions = ("entropy",)

    low: float | None = None
    high: float | None = None
    buckets: int | None = None

    def _check(self) -> None:
        super()._check()
        self._check_whole("buckets", 2, 50)
        if self.buckets is not None:
            if self.low is not None or self.high is not None:
                raise SliceError(f"Slice {self.name!r} takes either buckets, or low and high. Got both. Remove one.")
        elif self.low is None and self.high is None:
            raise SliceError(f"Slice {self.name!r} needs low and high, or buckets. Got none. Try buckets = 6.")
        elif self.low is not None and self.high is not None and self.low >= self.high:
            raise SliceError(
                f"Slice {self.name!r}: low = {show_number(self.low)} must be below high = {show_number(self.high)}."
            )

    def describe(self) -> str:
        """Say the rule in plain words."""
        return self._words(f"entropy of {self.model_name}'s probabilities")

    def _words(self, what: str) -> str:
        if self.buckets is not None:
            return f"{what} in {self.buckets} buckets"
        if self.high is None:
            return f"{what} {show_rounded(self.low or 0)} or more"
        return f"{what} from {show_rounded(self.low or 0)} up to {show_rounded(self.high)}"

    @property
    def is_family(self) -> bool:
        """Tell whether the rule makes several slices."""
        return self.buckets is not None

    def members(self, _source: Sample, _target: Sample) -> Sequence[Slice]:
        """Make one slice for each bucket."""
        if self.buckets is None:
            return [self]
        # The entropy of k classes is largest when all are as likely: log k.
        width = math.log(len(self.resolved_model.probabilities)) / self.buckets
        lows = [number * width for number in range(self.buckets)]
        # The last has no upper bound: rounding may push the largest entropy beyond the logarithm.
        highs = [*((number + 1) * width for number in range(self.buckets - 1)), None]
        return [
            replace(self, name=f"{self.name}_{number}", low=low, high=high, buckets=None)
            for number, (low, high) in enumerate(zip(lows, highs, strict=True), start=1)
        ]

    def measure(self, _schema: Schema) -> Measure:
        """Compute the entropy."""
        columns, missing = self._probabilities()
        terms = (column * column.clip(_TINY, None).log() * -1.0 for column in columns)
        # Rounded probabilities may add up to a little over 1 and give an entropy just below 0.
        return Measure(self._measure_name(), nw.when(~missing).then(nw.sum_horizontal(*terms).clip(0.0, None)))

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compare the entropy with the interval."""
        value = self.measure(schema).value(schema)
        inside = value >= (self.low or 0.0) - _SLACK
        return row_code(value.is_null(), inside if self.high is None else inside & (value < self.high - _SLACK))

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take `entropy` alone, or next to a number or between two."""
        if predicate.columns or predicate.constants:
            return None
        cls._need_probabilities(survey)
        return predicate.ends or _BUCKETS

    @property
    def short_name(self) -> str:
        """The interval, if it is one."""
        return "entropy" if self.is_family else self._words("entropy")

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take six buckets, if a model has probabilities."""
        return cls("entropy", buckets=6) if any(model.probabilities for model in survey.source.models) else None

    def form(self) -> tuple[Control, ...]:
        """Offer a number of buckets, or an interval."""
        family = Control("switch", "family", "One slice for each equal bucket", self.is_family)
        if self.is_family:
            return family, self._control("number", "buckets", "Buckets", low=2, high=50)
        return (
            family,
            self._control("number", "low", "From (nats)", low=0.0, step=0.05),
            self._control("number", "high", "Up to (nats)", low=0.0, step=0.05),
        )

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or go from buckets to an interval and back."""
        if field == "family":
            return replace(self, **(_BUCKETS if value else _INTERVAL))
        return super().edited(field, value, source)


@dataclass(frozen=True, kw_only=True)
class Confidence(OfModel, BoundedRule, kind="confidence", title="Confidence", purpose="how sure the model is"):
    """Compare the probability of the most likely class with a bound, or two.

    Examples
    --------
    >>> Confidence("sure", above=0.9).describe()
    'confidence of the model above 0.9'
    """

    functions = ("confidence",)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"confidence of {self.model_name} {self._bounds()}"

    def measure(self, _schema: Schema) -> Measure:
        """Find the largest probability."""
        columns, missing = self._probabilities()
        return Measure(self._measure_name(), nw.when(~missing).then(nw.max_horizontal(*columns)))

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compare the largest probability with the bounds."""
        return self._compare(self.measure(schema).value(schema))

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take `confidence` next to one number."""
        if predicate == Predicate("confidence"):
            raise SliceError("Add a bound, such as confidence < 0.7")
        bound = None if predicate.columns else super()._settings(predicate, survey)
        if bound:
            cls._need_probabilities(survey)
        return bound

    @property
    def short_name(self) -> str:
        """The bounds."""
        return f"confidence {self._bounds()}"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Match unsure predictions, if a model has probabilities."""
        return cls("unsure", below=0.7) if any(model.probabilities for model in survey.source.models) else None

    def form(self) -> tuple[Control, ...]:
        """Offer the cuts."""
        return Control("note", "", "The model's largest class probability."), *self._cuts(low=0.0, high=1.0)


_EACH = {None: "(one slice for each class)"}


@dataclass(frozen=True, kw_only=True)
class Prediction(OfModel, kind="prediction", title="Predicted classes", purpose="what the model predicts"):
    """Match the rows that a model predicts as a class; without a value, make one slice for each class.

    Parameters
    ----------
    value : str, int, float or bool, optional
        The predicted class. By default, one slice for each class.

    Examples
    --------
    >>> Prediction("praised", value="positive").describe()
    'the model predicts positive'
    """

    functions = ("predicted", "predicted =", "prediction =")

    value: Scalar | None = field(default=None, metadata=shown("class", "Predicted class", options=_EACH))

    def _check(self) -> None:
        super()._check()
        value: object = self.value
        if value is not None and (not isinstance(value, (str, int, float)) or value == ""):
            raise self._wrong("value", "a class: a text, a number or true/false", value)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.model_name} predicts {'each class' if self.value is None else plain(self.value)}"

    @property
    def needs(self) -> dict[str, str]:
        """The prediction, once the model is known."""
        column = self.model.prediction if isinstance(self.model, Model) else None
        return {} if column is None else {column: CLASSES}

    def _check_model(self, model: Model) -> None:
        if model.prediction is None:
            raise SliceError(
                f"Slice {self.name!r} needs predictions, and model {model.name!r} has none. Set its prediction column."
            )

    @property
    def is_family(self) -> bool:
        """Tell whether the rule makes several slices."""
        return self.value is None

    def members(self, source: Sample, target: Sample) -> Sequence[Slice]:
        """Make one slice for each class."""
        if self.value is not None:
            return [self]
        classes = each_class(self, source, target, 'value = "a"')
        return [replace(self, name=f"{self.name}_{name}", value=value) for name, value in classes.items()]

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compare the prediction with the class."""
        (column,) = self.needs
        return is_class(column, (self.value,), schema)

    @classmethod
    def _settings(cls, predicate: Predicate, survey: Survey) -> dict[str, Any] | None:
        """Take `predicted` alone, with a class after it, or compared with one."""
        predicted = [model.prediction for model in survey.source.models if model.prediction]
        classes = sorted({class_name(value) for column in predicted for value in survey.values(column)})
        value = next((find_name(word, classes) for word in predicate.constants), None)
        if (
            predicate.columns
            or predicate.bounds
            or (predicate.constants and value is None and predicate.function == "predicted")
        ):
            return None  # words as any others
        if not predicted:
            raise SliceError("Predicted classes need a model with predictions. Add one in the project.")
        if predicate.constants and value is None:
            (word,) = predicate.constants
            raise SliceError(f"No model predicts {word!r}. Classes: {listed(classes)}.{did_you_mean(word, classes)}")
        return {"value": value}

    @property
    def short_name(self) -> str:
        """The class, if it is one."""
        return "predicted" if self.value is None else f"predicted {self.value}"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take each class, if there is a model."""
        return cls("predicted") if survey.source.models else None
