"""Expression: a small language says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import narwhals as nw

from mandoline_core.errors import SliceError
from mandoline_core.slices.expression.compiling import compile_expression_code
from mandoline_core.slices.expression.tree import expression_columns, parse_expression
from mandoline_core.slices.rule import Ground, Schema, Slice, shown

_HELP = "Columns by name, numbers, texts in quotes, and, or, not, comparisons, in (...)."


@dataclass(frozen=True, kw_only=True)
class Expression(Slice, kind="expression", title="Expression"):
    """Take the rows where an expression over the columns is true.

    Examples
    --------
    >>> Expression("old", text="age > 65").describe()
    'age > 65'
    """

    text: str = field(metadata=shown("expression", "Expression", help=_HELP))

    def _check(self) -> None:
        self._check_text("text")
        try:
            parse_expression(self.text)
        except SliceError as error:
            raise SliceError(f"Slice {self.name!r}: {error}") from None

    def describe(self) -> str:
        """Say the rule in plain words."""
        return self.text.strip()

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the text names; the expression itself says what it needs of them."""
        return expression_columns(self.text)

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compile the text."""
        # A column without a single value has no type of its own: it takes the first that makes sense of the expression.
        empty = [column for column in self.reads if schema.get(column) == nw.Unknown]
        first: SliceError | None = None
        for types in product((nw.Float64(), nw.String()), repeat=min(len(empty), 4)):
            try:
                return compile_expression_code(self.text, {**schema, **dict(zip(empty, types, strict=False))})
            except SliceError as error:
                first = first or error
        raise SliceError(f"Slice {self.name!r}: {first}")

    @classmethod
    def start(cls, ground: Ground) -> Slice | None:
        """Write an expression of the wordiest text, else of the first numbers, else of the first column."""
        if not ground.free:
            return None
        column = [*ground.text, *ground.numbers, *ground.free][0]
        name = column if column.isidentifier() else f'col("{column}")'
        text = f"{name} > 0" if ground.numbers else f"is_missing({name})"
        return cls("expression", text=f'contains({name}, "not") and words({name}) < 30' if ground.text else text)
