"""Entropy: how undecided a model is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.formatting import show_number
from mandoline_core.slices.rule import Control, Measure, OfModel, Predicate, Schema, Slice, Survey, row_code

_TINY = 1e-300  # stands in for 0 in a logarithm; 0 times it is still 0
# Logarithms differ in their last digit from engine to engine, so an entropy this little below a bound is on it.
_SLACK = 1e-12
_BUCKETS = {"buckets": 6, "low": None, "high": None}
_INTERVAL = {"buckets": None, "low": 0.5, "high": 0.7}


@dataclass(frozen=True, kw_only=True)
class Entropy(OfModel, kind="entropy", title="Entropy buckets", purpose="how undecided the model is"):
    """Take the rows where the entropy of the class probabilities, in nats, is in [low, high).

    With `buckets`, make that many slices of equal width from 0 to the logarithm of the number of classes.

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
        self._check_number("low", "high")
        self._check_whole("buckets", 2, 50)
        if self.buckets is not None:
            if self.low is not None or self.high is not None:
                raise SliceError(f"Slice {self.name!r} takes either buckets, or low and high; not both. Remove one.")
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
            return f"{what} {show_number(self.low or 0)} or more"
        return f"{what} from {show_number(self.low or 0)} up to {show_number(self.high)}"

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return self.buckets is not None

    def members(self, _source: Sample, _target: Sample) -> Sequence[Slice]:
        """Make one slice for each bucket."""
        if self.buckets is None:
            return [self]
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
        """Take `entropy` alone, or beside a number or between two."""
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
        family = Control("switch", "family", "Equal buckets, one slice each", self.is_family)
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
