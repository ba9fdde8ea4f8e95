"""The rule: what every kind of slice shares, its settings checked as they come in."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, fields
from typing import ClassVar

from mandoline_core.errors import SliceError
from mandoline_core.formatting import listed
from mandoline_core.slices.noise import Noise

Scalar = str | int | float | bool

# What a rule may ask of a column.
TEXT, NUMBERS, CLASSES, TRUTH, ANYTHING = "text", "numbers", "classes", "truth", "anything"


@dataclass(frozen=True)
class Slice:
    """What every slice has beside its rule.

    Parameters
    ----------
    name : str
        The slice's name.
    noise : Noise, optional
        How far to trust the slice; entirely when left out.
    gold : str, optional
        A column that holds the true answer, read as `Flag` reads its column.
    enabled : bool
        A disabled slice can be named by others but is not modelled.
    """

    kind: ClassVar[str] = ""
    name: str
    _: KW_ONLY
    noise: Noise | None = None
    gold: str | None = None
    enabled: bool = True

    def __post_init__(self) -> None:
        """Refuse what no data could make right."""
        name: object = self.name
        if not isinstance(name, str) or not name.strip():
            raise SliceError(f"A slice's name must be a text that is not empty. Got {self.name!r}.")
        if self.noise is not None and not isinstance(self.noise, Noise):
            raise self._wrong("noise", "a Noise with corrections", self.noise)
        if self.gold is not None:
            self._check_text("gold")
            if self.is_family:
                raise SliceError(
                    f"Slice {self.name!r} stands for several slices, so one gold column cannot be the truth of each. "
                    "Write the slices out, each with its own."
                )
        if not isinstance(self.enabled, bool):
            raise self._wrong("enabled", "true or false", self.enabled)
        if self.noise is not None and self.noise.measured and self.gold is None:
            raise SliceError(
                f"Slice {self.name!r} asks for measured corrections but has no gold column to measure against. "
                "Add gold."
            )
        self._check()

    def _check(self) -> None:
        """Refuse settings of this kind that contradict themselves."""

    def describe(self) -> str:
        """Say the rule in plain words."""
        raise NotImplementedError

    @property
    def needs(self) -> dict[str, str]:
        """What the rule asks of each column it reads: one of the words at the top of this module."""
        return {}

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return False

    @property
    def key(self) -> tuple[object, ...]:
        """What decides the slice's codes: its rule, without name, noise, gold and enabled."""
        common = {item.name for item in fields(Slice)}
        values = (getattr(self, item.name) for item in fields(self) if item.name not in common)
        return (self.kind, *(_key(value) for value in values))

    def _wrong(self, field: str, expected: str, value: object, hint: str = "") -> SliceError:
        """Build the message for a setting of the wrong type."""
        return SliceError(f"Slice {self.name!r}: {field} must be {expected}. Got {value!r}.{hint}")

    def _set(self, field: str, value: object) -> None:
        """Replace a setting by its canonical form, while the slice is being made."""
        object.__setattr__(self, field, value)

    def _check_text(self, *names: str) -> None:
        """Refuse what is not a text, or empty."""
        for field in names:
            value = getattr(self, field)
            if not isinstance(value, str) or not value:
                raise self._wrong(field, "a text that is not empty", value)

    def _check_number(self, *names: str) -> None:
        """Refuse what is not a finite number; None passes."""
        for field in names:
            value = getattr(self, field)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise self._wrong(field, "a number", value)
            if not math.isfinite(value):
                raise self._wrong(field, "a finite number", value)

    def _check_bool(self, *names: str) -> None:
        """Refuse what is not true or false."""
        for field in names:
            if not isinstance(getattr(self, field), bool):
                raise self._wrong(field, "true or false", getattr(self, field))

    def _check_list(self, field: str, what: str) -> tuple[object, ...]:
        """Refuse what is not a list with something in it; store it as a tuple."""
        value = getattr(self, field)
        if isinstance(value, str):
            raise self._wrong(field, f"a list of {what}", value, f" Did you mean [{value!r}]?")
        if not isinstance(value, Iterable):
            raise self._wrong(field, f"a list of {what}", value)
        items = tuple(value)
        if not items:
            raise SliceError(f"Slice {self.name!r}: {field} is empty. Expected at least one of its {what}.")
        self._set(field, items)
        return items


def _key(value: object) -> object:
    if isinstance(value, Slice):
        return value.key
    return tuple(_key(item) for item in value) if isinstance(value, tuple) else value


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
