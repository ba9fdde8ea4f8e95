"""The kinds of slice that read a model, an expression, other slices or a function; and the table of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from mandoline_core.errors import SliceError
from mandoline_core.samples import Model
from mandoline_core.slices.column_rules import (
    Category,
    Flag,
    Keyword,
    Length,
    Missing,
    Overlap,
    Range,
    Regex,
    Threshold,
)
from mandoline_core.slices.expression.tree import parse_expression
from mandoline_core.slices.rule import CLASSES, NUMBERS, BoundedRule, Scalar, Slice, either, plain


@dataclass(frozen=True, kw_only=True)
class OfModel(Slice):
    """What the kinds that read a model's answers share: the model, by name until it is resolved."""

    model: str | Model | None = None

    def _check(self) -> None:
        if self.model is not None and not isinstance(self.model, Model):
            self._check_text("model")

    @property
    def resolved_model(self) -> Model:
        """The model itself; `resolve` puts it in the place of its name."""
        if not isinstance(self.model, Model):
            raise SliceError(f"Slice {self.name!r} is not resolved. Call resolve() on the rules first.")
        return self.model

    @property
    def model_name(self) -> str:
        """The model's name in plain words."""
        return self.model.name if isinstance(self.model, Model) else self.model or "the model"


@dataclass(frozen=True, kw_only=True)
class Entropy(OfModel):
    """Take the rows where the entropy of the class probabilities, in nats, is in [low, high).

    With `buckets`, make that many slices of equal width from 0 to the logarithm of the number of classes.

    Examples
    --------
    >>> Entropy("unsure", low=0.5, high=0.7).describe()
    "entropy of the model's probabilities from 0.5 up to 0.7"
    """

    kind: ClassVar[str] = "entropy"
    low: float | None = None
    high: float | None = None
    buckets: int | None = None

    def _check(self) -> None:
        super()._check()
        self._check_number("low", "high")
        buckets: object = self.buckets
        if buckets is not None:
            if isinstance(buckets, bool) or not isinstance(buckets, int) or not 2 <= buckets <= 50:
                raise self._wrong("buckets", "a whole number from 2 to 50", buckets)
            if self.low is not None or self.high is not None:
                raise SliceError(f"Slice {self.name!r} takes either buckets, or low and high; not both. Remove one.")
        elif self.low is None and self.high is None:
            raise SliceError(f"Slice {self.name!r} needs low and high, or buckets. Got none. Try buckets = 6.")
        elif self.low is not None and self.high is not None and self.low >= self.high:
            raise SliceError(f"Slice {self.name!r}: low = {self.low:g} must be below high = {self.high:g}.")

    def describe(self) -> str:
        """Say the rule in plain words."""
        what = f"entropy of {self.model_name}'s probabilities"
        if self.buckets is not None:
            return f"{what} in {self.buckets} buckets"
        if self.high is None:
            return f"{what} {self.low:g} or more"
        return f"{what} from {self.low or 0:g} up to {self.high:g}"

    @property
    def needs(self) -> dict[str, str]:
        """The probabilities, once the model is known."""
        return dict.fromkeys(self.model.probabilities.values(), NUMBERS) if isinstance(self.model, Model) else {}

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return self.buckets is not None


@dataclass(frozen=True, kw_only=True)
class Prediction(OfModel):
    """Take the rows a model puts in a class; without a value, make one slice for each class.

    Examples
    --------
    >>> Prediction("praised", value="positive").describe()
    'the model predicts positive'
    """

    kind: ClassVar[str] = "prediction"
    value: Scalar | None = None

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

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return self.value is None


@dataclass(frozen=True, kw_only=True)
class Confidence(OfModel, BoundedRule):
    """Compare the probability of the most likely class with a bound, or two.

    Examples
    --------
    >>> Confidence("sure", above=0.9).describe()
    'confidence of the model above 0.9'
    """

    kind: ClassVar[str] = "confidence"

    def _check(self) -> None:
        OfModel._check(self)
        BoundedRule._check(self)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"confidence of {self.model_name} {self._bounds()}"

    @property
    def needs(self) -> dict[str, str]:
        """The probabilities, once the model is known."""
        return dict.fromkeys(self.model.probabilities.values(), NUMBERS) if isinstance(self.model, Model) else {}


@dataclass(frozen=True, kw_only=True)
class Expression(Slice):
    """Take the rows where an expression over the columns is true.

    Examples
    --------
    >>> Expression("old", text="age > 65").describe()
    'age > 65'
    """

    kind: ClassVar[str] = "expression"
    text: str

    def _check(self) -> None:
        self._check_text("text")
        try:
            parse_expression(self.text)
        except SliceError as error:
            raise SliceError(f"Slice {self.name!r}: {error}") from None

    def describe(self) -> str:
        """Say the rule in plain words."""
        return self.text.strip()


@dataclass(frozen=True, kw_only=True)
class Combination(Slice):
    """What the kinds made of other slices share: their names, or the slices themselves once resolved."""

    of: tuple[str | Slice, ...]

    def _check(self) -> None:
        if isinstance(self.of, Slice):
            self._set("of", (self.of,))
        for other in self._check_list("of", "slices"):
            if not isinstance(other, Slice) and (not isinstance(other, str) or not other):
                raise self._wrong("of", "a list of slice names", other)

    @property
    def parts(self) -> tuple[Slice, ...]:
        """The other slices; `resolve` puts them in the place of their names."""
        parts = tuple(other for other in self.of if isinstance(other, Slice))
        if len(parts) < len(self.of):
            raise SliceError(f"Slice {self.name!r} is not resolved. Call resolve() on the rules first.")
        return parts

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the other slices."""
        return tuple(other.name if isinstance(other, Slice) else other for other in self.of)


@dataclass(frozen=True, kw_only=True)
class All(Combination):
    """Take the rows inside all of some slices; outside one is outside, else abstaining in one is abstaining.

    Examples
    --------
    >>> All("both", of=("negation", "long")).describe()
    'negation and long'
    """

    kind: ClassVar[str] = "all"

    def describe(self) -> str:
        """Say the rule in plain words."""
        return either(self.names, "and")


@dataclass(frozen=True, kw_only=True)
class Any(Combination):
    """Take the rows inside any of some slices; inside one is inside, else abstaining in one is abstaining.

    Examples
    --------
    >>> Any("either", of=("negation", "long")).describe()
    'negation or long'
    """

    kind: ClassVar[str] = "any"

    def describe(self) -> str:
        """Say the rule in plain words."""
        return either(self.names)


@dataclass(frozen=True, kw_only=True)
class Not(Combination):
    """Take the rows outside another slice.

    Examples
    --------
    >>> Not("plain", of="negation").describe()
    'not negation'
    """

    kind: ClassVar[str] = "not"

    def _check(self) -> None:
        if isinstance(self.of, str) and self.of:
            self._set("of", (self.of,))
        super()._check()
        if len(self.of) != 1:
            raise self._wrong("of", "the name of one slice", list(self.names))

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"not {self.names[0]}"


@dataclass(frozen=True, kw_only=True)
class FunctionSlice(Slice):
    """Ask a Python function of the whole frame; made by `slicing_function`."""

    kind: ClassVar[str] = "function"
    function: Callable[..., object]

    def _check(self) -> None:
        if not callable(self.function):
            raise self._wrong("function", "a function", self.function)

    def describe(self) -> str:
        """Say the rule in plain words: the first line of the function's docstring, else its name."""
        lines = (getattr(self.function, "__doc__", None) or "").strip().splitlines()
        return lines[0] if lines else f"Python function {getattr(self.function, '__name__', self.name)}"


def slicing_function(
    function: Callable[..., object] | None = None, *, name: str | None = None, **settings: object
) -> FunctionSlice | Callable[[Callable[..., object]], FunctionSlice]:
    """Make a slice of a function that takes the frame and answers for every row.

    The answer is true or false per row, or 1, -1 and 0 for inside, outside and abstaining; a missing answer
    abstains too.

    Parameters
    ----------
    function : callable
        Takes the frame in its own engine's type.
    name : str, optional
        The slice's name; the function's own when left out.
    **settings
        noise, gold and enabled, as for every slice.

    Examples
    --------
    >>> @slicing_function
    ... def shouting(frame):
    ...     return frame["text"].str.isupper()
    >>> shouting.name
    'shouting'
    """
    if function is None:
        return lambda later: slicing_function(later, name=name, **settings)  # type: ignore[return-value]
    if not callable(function):
        raise SliceError(f"slicing_function takes a function. Got {function!r}. Write name={function!r} to name one.")
    return FunctionSlice(name or getattr(function, "__name__", "function"), function=function, **settings)  # type: ignore[arg-type]


KINDS: dict[str, type[Slice]] = {
    rule.kind: rule
    for rule in (
        Keyword,
        Regex,
        Threshold,
        Range,
        Category,
        Flag,
        Missing,
        Length,
        Overlap,
        Entropy,
        Prediction,
        Confidence,
        Expression,
        All,
        Any,
        Not,
    )
}
