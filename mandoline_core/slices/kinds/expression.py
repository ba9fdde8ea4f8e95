"""Expression: a small language says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Self

import narwhals as nw
import pyarrow as pa

from mandoline_core.data import Sample, arrow_array
from mandoline_core.formatting import show_number
from mandoline_core.slices.expression.compiler import asks_for_boundaries, compile_expression_code
from mandoline_core.slices.expression.syntax import ExpressionError
from mandoline_core.slices.expression.tree import (
    Predicate,
    can_stand,
    expression_columns,
    parse_expression,
    written_column,
)
from mandoline_core.slices.rule import Measure, Schema, Slice, Survey, shown

_HELP = "Columns by name, numbers, texts in quotes, and, or, not, comparisons, in (...)."


@dataclass(frozen=True, kw_only=True)
class Expression(Slice, kind="expression", title="Expression", purpose="a condition on several columns"):
    """Take the rows where an expression over the columns is true.

    Examples
    --------
    >>> Expression("old", text="age > 65").describe()
    'age > 65'
    """

    text: str = field(metadata=shown("expression", "Expression", help=_HELP))

    def _check(self) -> None:
        try:
            parse_expression(self.text)
        except ExpressionError as error:
            raise error.of(self.name) from None

    def describe(self) -> str:
        """Say the rule in plain words."""
        return self.text.strip()

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that the text names; the expression itself says what it needs of them."""
        return expression_columns(self.text)

    def measure(self, _schema: Schema) -> Measure | None:
        """Leave word boundaries, which engines read each in their own way, to one of them."""
        return Measure("\0".join(("", self.kind, self.text)), self._answers) if asks_for_boundaries(self.text) else None

    def _answers(self, sample: Sample) -> pa.Array:
        self._compiled(sample.schema)  # refuses a column that is not there
        rows = nw.from_native(sample.frame.select(*self.reads).to_arrow(), eager_only=True)
        empty = {column: nw.Unknown() for column in self.reads if sample.schema[column] == nw.Unknown}
        code = self._compiled({**rows.schema, **empty})
        return arrow_array(rows.select(code.alias("code"))["code"])

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compile the text."""
        measure = self.measure(schema)
        return self._compiled(schema) if measure is None else measure.value(schema)

    def _compiled(self, schema: Schema) -> nw.Expr:
        # A column without a single value has no type of its own: it takes the first that makes sense of the expression.
        empty = [column for column in self.reads if schema.get(column) == nw.Unknown]
        problems: list[ExpressionError] = []
        for types in product((nw.Float64(), nw.String()), repeat=min(len(empty), 4)):
            try:
                return compile_expression_code(self.text, {**schema, **dict(zip(empty, types, strict=False))})
            except ExpressionError as error:
                problems.append(error.of(self.name))
        raise problems[0]

    @classmethod
    def from_predicate(cls, name: str, predicate: Predicate, _survey: Survey) -> Slice | None:
        """Take any condition that is written in the language."""
        return cls(name, text=predicate.text) if predicate.text else None

    def as_expression(self) -> str:
        """Write the text in brackets, which keep it together."""
        return f"({self.text.strip()})"

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Write an expression of sentences, else of the first numbers, else of the first column that it can name."""
        if survey.prose is not None and can_stand(survey.prose):
            name = written_column(survey.prose)
            first = f'contains({name}, "{survey.word}") and ' if survey.word else ""
            return cls("expression", text=f"{first}words({name}) < {show_number(survey.length)}")
        if survey.numbers and can_stand(survey.numbers[0]):
            return cls("expression", text=f"{written_column(survey.numbers[0])} > {show_number(survey.middle)}")
        free = next(filter(can_stand, survey.free), None)
        return None if free is None else cls("expression", text=f"is_missing({written_column(free)})")
