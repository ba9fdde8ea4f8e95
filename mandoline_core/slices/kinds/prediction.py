"""Prediction: a model puts a row in a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Model, Sample, class_name
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.slices.resolution import each_class
from mandoline_core.slices.rule import CLASSES, OfModel, Predicate, Scalar, Schema, Slice, Survey, plain, shown
from mandoline_core.slices.rule.codes import is_class
from mandoline_core.slices.rule.survey import find_name

_EACH = {None: "(one slice for each class)"}


@dataclass(frozen=True, kw_only=True)
class Prediction(OfModel, kind="prediction", title="Predicted classes", purpose="what the model answers"):
    """Take the rows a model puts in a class; without a value, make one slice for each class.

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
                f"Slice {self.name!r} needs predictions, and model {model.name!r} has none. "
                "Give the model a prediction column."
            )

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
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
            raise SliceError("Predicted classes need a model with predictions, and there is none.")
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
