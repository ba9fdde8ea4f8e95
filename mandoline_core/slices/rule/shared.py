"""What several kinds of rule share: a column, bounds, a model; and how they write values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import narwhals as nw

from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.samples import Model, Sample
from mandoline_core.slices.rule.answers import abstain, answer
from mandoline_core.slices.rule.base import Slice
from mandoline_core.slices.rule.control import Control
from mandoline_core.slices.rule.needs import ANYTHING, NUMBERS, Schema

_WAYS = {"above": "Above a value", "below": "Below a value", "both": "Above one, below another; abstain between"}


@dataclass(frozen=True, kw_only=True)
class OfColumn(Slice):
    """What the kinds that read one column share."""

    need: ClassVar[str] = ANYTHING
    column: str

    def __init_subclass__(cls, *, need: str = ANYTHING, **more: Any) -> None:
        """Take what the column must hold."""
        super().__init_subclass__(**more)
        cls.need = need

    def _check(self) -> None:
        self._check_text("column")
        super()._check()

    @property
    def needs(self) -> dict[str, str]:
        """The column."""
        return {self.column: self.need}

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Abstain on a column without a value, else ask the kind."""
        if schema[self.column] == nw.Unknown:
            return abstain(self.column)
        return self._codes(nw.col(self.column), schema)

    def _codes(self, column: nw.Expr, _schema: Schema) -> nw.Expr:
        """Compile the rule for a column that has values."""
        return answer(column.is_null(), self._inside(column))

    def _inside(self, column: nw.Expr) -> nw.Expr:
        """Say of the values that are there whether they are inside."""
        raise NotImplementedError

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; on another column, start anew what belongs to a column."""
        rule = super().edited(field, value, source)
        return rule.refit(source) if field == "column" else rule

    def refit(self, _source: Sample) -> Self:
        """Take bounds and values, which belong to a column, from the source's."""
        return self

    def form(self) -> tuple[Control, ...]:
        """Offer the columns that hold what the rule needs."""
        return self._control("column", "column", "Column", need=self.need), *super().form()


@dataclass(frozen=True, kw_only=True)
class BoundedRule(Slice):
    """What the kinds with bounds share: inside above, or below; with both bounds, between abstains."""

    above: float | None = None
    below: float | None = None

    def _check(self) -> None:
        self._check_number("above", "below")
        if self.above is None and self.below is None:
            raise SliceError(f"Slice {self.name!r} needs above, below or both. Got neither.")
        if self.above is not None and self.below is not None and self.above < self.below:
            raise SliceError(
                f"Slice {self.name!r} is inside above {self.above:g} and outside below {self.below:g}, so values "
                "between the two are both. For the values between two bounds use kind 'range' with low and high."
            )

    def _bounds(self, unit: str = "") -> str:
        """Say the bounds in plain words."""
        if self.above is None:
            return f"below {self.below:g}{unit}"
        if self.below is None:
            return f"above {self.above:g}{unit}"
        return f"above {self.above:g}{unit}, not below {self.below:g}, unknown between"

    def _compare(self, value: nw.Expr, missing: nw.Expr | None = None) -> nw.Expr:
        """Compare a number with the bounds."""
        missing = value.is_null() if missing is None else missing
        if self.above is None:
            return answer(missing, value < self.below)
        if self.below is None:
            return answer(missing, value > self.above)
        return answer(missing | ((value >= self.below) & (value <= self.above)), value > self.above)

    def _cut_at(self, value: float) -> Self:
        """Move every bound that there is."""
        above, below = (None if bound is None else value for bound in (self.above, self.below))
        return replace(self, above=above, below=below)

    def _cuts(self, **limits: Any) -> tuple[Control, ...]:
        """Offer one cut or two, on which side, and where."""
        both = self.above is not None and self.below is not None
        way = "both" if both else "above" if self.above is not None else "below"
        fields = [field for field in ("above", "below") if getattr(self, field) is not None]
        return (
            Control("choice", "way", "Inside when", way, options=_WAYS),
            *(self._control("cut", field, field.capitalize(), **limits) for field in fields),
        )

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting; another way of cutting keeps the cut."""
        if field != "way":
            return super().edited(field, value, source)
        cut = self.above if self.above is not None else self.below
        return replace(self, above=None if value == "below" else cut, below=None if value == "above" else cut)


@dataclass(frozen=True, kw_only=True)
class OfModel(Slice):
    """What the kinds that read a model's answers share: the model, by name until it is resolved.

    Unless a kind says otherwise, it reads the probability of each class.
    """

    model: str | Model | None = None

    def _check(self) -> None:
        if self.model is not None and not isinstance(self.model, Model):
            self._check_text("model")
        super()._check()

    @property
    def needs(self) -> dict[str, str]:
        """The probabilities, once the model is known."""
        return dict.fromkeys(self.model.probabilities.values(), NUMBERS) if isinstance(self.model, Model) else {}

    def remedy(self, _need: str, _dtype: nw.dtypes.DType) -> str:
        """Send a person to another column: a model's answers are what they are."""
        return "Choose another column or another kind."

    @property
    def resolved_model(self) -> Model:
        """The model itself; `resolve` puts it in the place of its name."""
        if not isinstance(self.model, Model):
            raise self._not_resolved()
        return self.model

    @property
    def model_name(self) -> str:
        """The model's name in plain words."""
        return self.model.name if isinstance(self.model, Model) else self.model or "the model"

    def for_model(self, source: Sample, model: Model | None) -> Self:
        """Look the model up among the source's, or take the one being evaluated."""
        found = self.model if isinstance(self.model, Model) else model
        if isinstance(self.model, str):
            names = [item.name for item in source.models]
            if self.model not in names:
                raise SliceError(
                    f"Slice {self.name!r} names model {self.model!r}, which is not there. "
                    f"Models: {listed(names) or 'none'}.{did_you_mean(self.model, names)}"
                )
            found = source.models[names.index(self.model)]
        if found is None:
            raise SliceError(f"Slice {self.name!r} (kind {self.kind!r}) needs a model, and there is none. Add a model.")
        self._check_model(found)
        return replace(self, model=found)

    def _check_model(self, model: Model) -> None:
        """Refuse a model without the answers that the rule reads."""
        if len(model.probabilities) < 2:
            raise SliceError(
                f"Slice {self.name!r} needs the probability of each class, and model {model.name!r} has "
                f"{'only one' if model.probabilities else 'none'}. Give the model probabilities, such as "
                '{ no = "p_no", yes = "p_yes" }.'
            )

    def _probabilities(self) -> tuple[list[nw.Expr], nw.Expr]:
        """Take the probabilities as numbers, and where one is missing."""
        columns = [nw.col(column).cast(nw.Float64) for column in self.needs]
        return columns, nw.any_horizontal(*(column.is_null() for column in columns), ignore_nulls=False)

    def _measure_name(self) -> str:
        return "\0".join(("", self.kind, *self.resolved_model.probabilities.values()))


def either(values: Iterable[object], word: str = "or") -> str:
    """Join values with commas and a last 'or', shortened when there are many.

    Examples
    --------
    >>> either(["a", "b", True])
    'a, b or true'
    """
    items = [plain(value) for value in values]
    if len(items) > 6:
        return listed(items, most=5)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"


def plain(value: object) -> str:
    """Write a value as a person writes it in a project file.

    Examples
    --------
    >>> plain(True), plain(1.5), plain("x")
    ('true', '1.5', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
