"""Missing: a column has no value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw

from mandoline_core.slices.expression.tree import written_column
from mandoline_core.slices.rule import OfColumn, Predicate, Schema, Survey, code


@dataclass(frozen=True, kw_only=True)
class Missing(OfColumn, kind="missing", title="Missing value", purpose="rows without a value"):
    """Match the rows where a column has no value.

    Examples
    --------
    >>> Missing("no_age", column="age").describe()
    'age is missing'
    """

    functions = ("is_missing",)

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} is missing"

    def compile_codes(self, _schema: Schema) -> nw.Expr:
        """Never abstain: a missing value is what it matches."""
        return nw.when(nw.col(self.column).is_null()).then(code(1)).otherwise(code(-1))

    @classmethod
    def _settings(cls, _condition: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take `is_missing`."""
        return {}

    def as_expression(self) -> str:
        """Write `is_missing`."""
        return f"is_missing({written_column(self.column)})"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Take the first column."""
        return cls("missing", column=survey.free[0]) if survey.free else None
