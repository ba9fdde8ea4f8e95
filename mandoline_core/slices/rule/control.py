"""Controls: the form of a rule as plain data, which any face can draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as setting
from typing import Any

from mandoline_core.slices.rule.needs import ANYTHING


def shown(type_: str, label: str, **more: Any) -> dict[str, Any]:
    """Say, as a field's metadata, which control shows it."""
    return {"control": {"type": type_, "label": label, **more}}


@dataclass(frozen=True)
class Control:
    """Describe one control of a rule's form.

    Parameters
    ----------
    type : str
        What to draw: "column", "columns", "text", "words", "switch", "choice", "number", "cut", "interval", "values",
        "class", "slice", "slices", "note", "histogram" or "expression"; a kind may name one of its own.
    field : str
        What `Slice.edited` is told has changed: a setting of the rule, or a name that its kind knows.
    value : object
        What the control shows.
    options : mapping
        Of a choice, what each value is called.
    low, high, step : float, optional
        Limits.
    need : str
        Of a column, what it must hold.
    column : str, optional
        The column that limits or values to choose from are taken from.
    """

    type: str
    field: str
    label: str
    value: Any = None
    help: str | None = None
    options: Mapping[Any, str] = setting(default_factory=dict)
    low: float | None = None
    high: float | None = None
    step: float | None = None
    need: str = ANYTHING
    column: str | None = None
