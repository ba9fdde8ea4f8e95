"""Missing: a column has no value."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import narwhals as nw

from mandoline_core.slices.expression.tree import Condition, written_column
from mandoline_core.slices.rule import ANYTHING, OfColumn, Schema, Slice, Survey, code


@dataclass(frozen=True, kw_only=True)
class Missing(OfColumn, kind="missing", title="Missing value", purpose="rows without a value"):
    """Take the rows where a column has no value.

    Examples
    --------
    >>> Missing("no_age", column="age").describe()
    'age is missing'
    """

    def describe(self) -> str:
        """Say the rule in plain words."""
        return f"{self.column} is missing"

    def compile_codes(self, _schema: Schema) -> nw.Expr:
        """Never abstain: a missing value is the answer."""
        return nw.when(nw.col(self.column).is_null()).then(code(1)).otherwise(code(-1))

    @classmethod
    def from_condition(cls, name: str, condition: Condition, survey: Survey) -> Slice | None:
        """Take `is_missing`."""
        match condition.root:
            case ast.Call(func=ast.Name(id="is_missing"), args=[ast.Name(id=column)]) if survey.holds(column, ANYTHING):
                return cls(name, column=column)
        return None

    def as_expression(self) -> str:
        """Write `is_missing`."""
        return f"is_missing({written_column(self.column)})"

    @classmethod
    def start(cls, survey: Survey) -> Slice | None:
        """Take the first column."""
        return cls("missing", column=survey.free[0]) if survey.free else None
