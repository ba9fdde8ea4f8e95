"""Confidence: the probability of the most likely class is above, or below, a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw

from mandoline_core.errors import SliceError
from mandoline_core.slices.rule import BoundedRule, Control, Measure, OfModel, Predicate, Schema, Survey


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
        """Take `confidence` beside one number."""
        if predicate == Predicate("confidence"):
            raise SliceError("Say how sure the model is, such as confidence < 0.7")
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
        """Take unsure answers, if a model has probabilities."""
        return cls("unsure", below=0.7) if any(model.probabilities for model in survey.source.models) else None

    def form(self) -> tuple[Control, ...]:
        """Offer the cuts."""
        return Control("note", "", "The model's largest class probability."), *self._cuts(low=0.0, high=1.0)
