"""Missing: a column has no value."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw

from mandoline_core.slices.rule import Ground, OfColumn, Schema, Slice, code


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
    def start(cls, ground: Ground) -> Slice | None:
        """Take the first column."""
        return cls("missing", column=ground.free[0]) if ground.free else None
