"""Expression: a condition in a small language."""

from __future__ import annotations

import ast
import calendar
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
    piece_of,
    predicate_of,
    written_column,
)
from mandoline_core.slices.rule import Measure, Schema, Slice, Survey, either, say_bounds, shown
from mandoline_core.slices.spelling import as_typed

_EQUALS = {ast.Eq: "is", ast.In: "is", ast.NotEq: "is not", ast.NotIn: "is not"}
_UNITS = {"": "", "words": " words", "length": " characters"}
_PARTS = {"month": ("in", calendar.month_name[:]), "weekday": ("on", ["", *calendar.day_name])}
_HELP = 'Column names, numbers, quoted texts, comparisons, and, or, not, in ("a", "b").'


@dataclass(frozen=True, kw_only=True)
class Expression(Slice, kind="expression", title="Expression", purpose="a condition on several columns"):
    """Match the rows where an expression over the columns is true.

    Parameters
    ----------
    text : str
        The expression, such as `age >= 65 and country in ("FR", "DE")`.

    Examples
    --------
    >>> Expression("old", text="age > 65").describe()
    'age above 65'
    >>> Expression("new", text='place in ("b") and humid > 57.8123456').describe()
    'place is b and humid above 57.81'
    """

    text: str = field(metadata=shown("expression", "Expression", help=_HELP))

    def _check(self) -> None:
        if isinstance(self.text, str):
            self._set("text", as_typed(self.text))
        try:
            parse_expression(self.text)
        except ExpressionError as error:
            raise error.of(self.name) from None

    def describe(self) -> str:
        """Say the rule in plain words, or as it is written where these would be long."""
        root = parse_expression(self.text).root
        parts = root.values if isinstance(root, ast.BoolOp) and isinstance(root.op, ast.And) else [root]
        said = [_say(self.text, part) for part in parts]
        words = [one for one in said if one]
        if len(words) < len(said):
            return self.text.strip()
        return (", and " if any({"and", "or"} & {*one.split()} for one in words) else " and ").join(words)

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
        for types in product((nw.Float64(), nw.String(), nw.Unknown()), repeat=min(len(empty), 4)):
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


def _say(text: str, node: ast.expr) -> str | None:
    """Say one condition as the kinds say theirs; None where no kind does."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="is_missing"), args=[ast.Name(id=column)])):
            return f"{column} is not missing"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return None if (said := _say(text, operand)) is None else f"not ({said})"
        case ast.Compare(left=ast.Name(id=column), ops=[sign], comparators=[*choices]) if type(sign) in _EQUALS and all(
            isinstance(choice, ast.Constant) and choice.value != "" for choice in choices
        ):
            return f"{column} {_EQUALS[type(sign)]} {either(getattr(choice, 'value', '') for choice in choices)}"
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="month" | "weekday" as part), args=[ast.Name(id=column)]),
            ops=[sign],
            comparators=[*choices],
        ) if type(sign) in _EQUALS:
            word, names = _PARTS[part]
            numbers = [getattr(choice, "value", None) for choice in choices]
            known = [names[int(n)] for n in numbers if isinstance(n, float) and n in range(1, len(names))]
            negated = "not " if _EQUALS[type(sign)] == "is not" else ""
            return f"{column} {negated}{word} {either(known)}" if len(known) == len(numbers) else None
        case ast.Compare() | ast.Call() | ast.Name():
            predicate = predicate_of(piece_of(text, node))
            return _say_predicate(predicate) if len(predicate.columns) == 1 else None
    return None


def _say_predicate(predicate: Predicate) -> str | None:
    (column,) = predicate.columns
    match predicate:
        case Predicate(function="" | "words" | "length" as function, bounds=bounds) if bounds:
            return f"{column} {say_bounds(bounds, _UNITS[function])}"
        case Predicate(function="year" | "month" | "weekday" | "hour" as part, bounds=bounds) if bounds:
            return f"{part} of {column} {say_bounds(bounds)}"
        case Predicate(function="", bounds={}):
            return f"{column} is true"
        case Predicate(function="contains", constants=words) if words:
            return f"{column} contains {either(words)}"
        case Predicate(function="is_missing"):
            return f"{column} is missing"
    return None
