"""The safe little language of expression slices: a condition on columns, compiled to a Narwhals expression."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import narwhals as nw

from mandoline_core.data import is_date, read_date
from mandoline_core.errors import nearest
from mandoline_core.formatting import listed
from mandoline_core.slices.expression.syntax import ExpressionError, quoted
from mandoline_core.slices.expression.tree import FUNCTIONS, parse_expression, piece_of, written_column
from mandoline_core.slices.expression.values import FALSE, SIGNS, Kind, Value, code, is_nothing, literal
from mandoline_core.slices.rule.codes import compares, is_when, text_of
from mandoline_core.slices.text import count_words, has_boundary, keyword_pattern, lower, portable_regex


def asks_for_boundaries(text: str) -> bool:
    r"""Tell whether an expression looks for a pattern with word boundaries, which engines read each in their own way.

    >>> asks_for_boundaries(r'matches(text, "\bnot")'), asks_for_boundaries('contains(text, "not")')
    (True, False)
    """
    calls = [node for node in ast.walk(parse_expression(text).root) if isinstance(node, ast.Call)]
    patterns = (call.args[1] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "matches")
    return any(isinstance(pattern, ast.Constant) and has_boundary(str(pattern.value)) for pattern in patterns)


def compile_expression_code(text: str, schema: Mapping[str, nw.dtypes.DType]) -> nw.Expr:
    """Compile an expression to slice codes.

    Parameters
    ----------
    text : str
        The expression.
    schema : mapping of str to narwhals dtype
        The columns of the frame that the codes will be computed on, as its `collect_schema()` gives them.

    Returns
    -------
    narwhals.Expr
        An Int8, never missing: 1 where the expression is true, -1 where it is false, 0 where a missing value or a
        division by zero hides the answer.

    Raises
    ------
    ExpressionError
        If the syntax, a name or a type is wrong; its `position` says where.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = nw.from_native(pa.table({"text": ["Never again", "fine", None], "age": [70, 30, 70]}))
    >>> code = compile_expression_code('contains(text, "not", "never") and age >= 65', frame.schema)
    >>> frame.select(code.alias("code"))["code"].to_list()
    [1, -1, 0]
    >>> compile_expression_code("aged >= 65", frame.schema)
    Traceback (most recent call last):
    ...
    mandoline_core.slices.expression.syntax.ExpressionError: Expression, position 1: unknown column 'aged'.
    Did you mean 'age'?
    """
    parsed = parse_expression(text)
    compiler = _Compiler(text, schema)
    condition = compiler.condition(parsed.root, "the expression must be true or false")
    if not parsed.columns:
        problem = "the expression reads no column, so it is the same for every row. Name a column."
        raise compiler.error(parsed.root, problem)
    return condition.expr.cast(nw.Int8)


class _Compiler:
    """Turn a tree into Narwhals expressions, checking types on the way."""

    def __init__(self, text: str, schema: Mapping[str, nw.dtypes.DType]) -> None:
        self.text = text
        self.schema = schema

    def value(self, node: ast.expr) -> Value:
        """Compile a piece of any type."""
        match node:
            case ast.Constant(value=str() | float() | bool() as constant):
                return self._constant(node, constant)
            case ast.Name(id=name):
                return self._column(node, name)
            case ast.BoolOp(op=sign, values=parts):
                name = "and" if isinstance(sign, ast.And) else "or"
                needs = f"'{name}' needs true or false on both sides"
                return self._combined(node, name, [self.condition(part, needs) for part in parts])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._opposite(node, self.condition(operand, "'not' needs true or false"))
            case ast.UnaryOp(op=sign, operand=operand):
                return self._arithmetic(node, sign, [operand])
            case ast.BinOp(op=sign, left=left, right=right):
                return self._arithmetic(node, sign, [left, right])
            case ast.Compare(ops=[ast.In()]):
                return self._membership(node, "in")
            case ast.Compare(ops=[ast.NotIn()]):
                return self._opposite(node, self._membership(node, "not in"))
            case ast.Compare(ops=signs):
                values = [self.value(operand) for operand in (node.left, *node.comparators)]
                triples = zip(signs, values, values[1:], strict=False)
                return self._combined(node, "and", [self._comparison(node, *triple) for triple in triples])
            case ast.Call(func=ast.Name(id="is_missing"), args=[column]):
                return self._is_missing(node, column)
            case ast.Call(func=ast.Name(id="abs" | "min" | "max" as name), args=arguments):
                return self._number_function(node, name, arguments)
            case ast.Call(func=ast.Name(id="year" | "month" | "weekday" | "hour" as name), args=[argument]):
                return self._date_function(node, name, argument)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._text_function(node, name, arguments)
        raise TypeError(f"No rule for {type(node).__name__}.")

    def condition(self, node: ast.expr, needs: str) -> Value:
        """Compile a piece that must be true or false."""
        value = self.value(node)
        if value.kind != "condition":
            raise self.error(node, f"{needs}, but {value}. Compare it, as in {value.example()}.")
        return value

    def error(self, node: ast.expr, problem: str) -> ExpressionError:
        """Build the error that points at a piece."""
        return ExpressionError(problem, node.col_offset, self.text)

    def _make(self, node: ast.expr, kind: Kind, expr: nw.Expr, **settings: Any) -> Value:
        return Value(node, piece_of(self.text, node), kind, expr, **settings)

    def _constant(self, node: ast.expr, value: float | str | bool) -> Value:
        return self._make(node, *literal(value), constant=value)

    def _column(self, node: ast.expr, name: str) -> Value:
        piece = piece_of(self.text, node)
        dtype = self._dtype(node, name, f' A text goes in quotes: "{name}".' if name == piece else "")
        column = nw.col(name)
        if dtype.is_numeric():
            return self._make(node, "number", _number(column, dtype), columns=(name,))
        if dtype in (nw.String, nw.Categorical, nw.Enum):
            return self._make(node, "text", column.cast(nw.String), columns=(name,))
        if dtype == nw.Boolean:
            return self._make(node, "condition", code(column, column.is_null()))
        if is_date(dtype):
            return self._make(node, "date", column.cast(_TIME) if dtype == nw.Date else column, columns=(name,))
        if dtype == nw.Unknown:  # no value, so that any time will do
            return self._make(node, "date", nw.when(column.is_null()).then(_NEVER).otherwise(_NEVER), columns=(name,))
        problem = f"column {name!r} holds {dtype}, which expressions cannot read."
        hint = f"They read numbers, text, dates and true/false. is_missing({piece}) reads any column."
        raise self.error(node, f"{problem} {hint}")

    def _dtype(self, node: ast.expr, name: str, advice: str = "") -> nw.dtypes.DType:
        if name in self.schema:
            return self.schema[name]
        if name in FUNCTIONS:
            hint = f" The function is written {FUNCTIONS[name]}."
        elif name.casefold() in ("none", "null", "nan", "na"):
            hint = " For missing values, write is_missing(column)."
        else:
            close = nearest(name, self.schema)
            hint = "" if close is None else f" Did you mean {close!r}?"
            if close is not None and written_column(close) != close and piece_of(self.text, node) == name:
                hint += f" Write {written_column(close)}."
        hint = hint or f" Columns: {listed(self.schema)}.{advice}"
        raise self.error(node, f"unknown column {name!r}.{hint}")

    def _missing(self, name: str) -> nw.Expr:
        column = nw.col(name)
        return is_nothing(column.cast(nw.Float64)) if self.schema[name].is_float() else column.is_null()

    def _known(self, node: ast.expr, answer: nw.Expr, *values: Value) -> Value:
        """Make a condition that is unknown wherever one of the values it comes from is."""
        columns = dict.fromkeys(column for value in values for column in value.columns)
        doubts = [doubt for value in values for doubt in value.all_doubts()]
        unknown = nw.any_horizontal(*map(self._missing, columns), *doubts, ignore_nulls=False)
        return self._make(node, "condition", code(answer, unknown))

    def _combined(self, node: ast.expr, name: str, conditions: Sequence[Value]) -> Value:
        constants = [condition.constant for condition in conditions]
        if None not in constants:
            return self._constant(node, all(constants) if name == "and" else any(constants))
        if len(conditions) == 1:
            return conditions[0]
        choose = nw.min_horizontal if name == "and" else nw.max_horizontal
        return self._make(node, "condition", choose(*(condition.expr for condition in conditions)))

    def _opposite(self, node: ast.expr, condition: Value) -> Value:
        if condition.constant is not None:
            return self._constant(node, not condition.constant)
        return self._make(node, "condition", condition.expr * FALSE)

    def _comparison(self, node: ast.expr, operator: ast.cmpop, left: Value, right: Value) -> Value:
        sign, compare = SIGNS[type(operator)]
        left, right = self._dated(left, right), self._dated(right, left)
        if left.kind != right.kind:
            problem = f"{left} but {right}, so '{sign}' cannot compare them."
            raise self.error(right.node, problem + left.mismatch_hint(right, ordered=sign not in ("==", "!=")))
        if left.kind == "condition" and sign not in ("==", "!="):
            raise self.error(left.node, f"'{sign}' needs numbers, text or dates, but {left}.")
        if left.constant is not None and right.constant is not None:
            return self._constant(node, bool(compare(left.constant, right.constant)))
        if left.kind == "text" and sign in _TESTS:
            for value, other in ((left, right), (right, left)):
                if isinstance(value.constant, str) and _DATED.match(value.constant.strip()):
                    problem = f"{other}, so '{sign}' compares characters, not dates."
                    raise self.error(other.node, f"{problem} Write every date of the column as in 2024-03-01.")
        if left.kind == "condition":
            equal = self._make(node, "condition", left.expr * right.expr)
            return equal if sign == "==" else self._opposite(node, equal)
        if isinstance(left.constant, date):
            left, right, sign = right, left, sign.translate(_TURNED)
        if isinstance(right.constant, date):
            if sign in ("==", "!="):
                equal = self._known(node, is_when(left.expr, right.constant, _TIME), left)
                return equal if sign == "==" else self._opposite(node, equal)
            return self._known(node, compares(left.expr, _TESTS[sign], right.constant), left)
        return self._known(node, compare(left.expr, right.expr), left, right)

    def _dated(self, value: Value, other: Value) -> Value:
        """Read a text next to a date as a date."""
        if other.kind != "date" or not isinstance(value.constant, str):
            return value
        when = read_date(value.constant)
        if when is None:
            hint = 'Write it as in "2024-03-01", or with a time as in "2024-03-01 09:30".'
            raise self.error(value.node, f"{quoted(value.piece)} is not a date. {hint}")
        return replace(value, kind="date", constant=when)

    def _membership(self, node: ast.Compare, name: str) -> Value:
        """Tell whether a value is one of some constants; `name` is what the operator is called in messages."""
        item = self.value(node.left)
        choices = [self._dated(self.value(choice), item) for choice in node.comparators]
        for choice in choices:
            if choice.constant is None:
                raise self.error(
                    choice.node, f"the list after '{name}' takes only numbers, or texts and dates in quotes."
                )
            if choice.kind != item.kind:
                problem = f"{item} but {choice}, so it cannot be in the list."
                raise self.error(choice.node, problem + item.mismatch_hint(choice))
        if item.constant is not None or item.kind in ("condition", "date"):
            return self._combined(node, "or", [self._comparison(node, ast.Eq(), item, choice) for choice in choices])
        # PyArrow's list tells -0 from 0; adding 0 makes them one.
        sought = item.expr + nw.lit(0.0, nw.Float64) if item.kind == "number" else item.expr
        return self._known(node, sought.is_in([choice.constant for choice in choices]), item)

    def _numbers(self, name: str, nodes: Sequence[ast.expr]) -> list[Value]:
        values = [self.value(node) for node in nodes]
        for value in values:
            if value.kind != "number":
                raise self.error(value.node, f"'{name}' needs numbers, but {value}.{value.number_hint()}")
        return values

    def _arithmetic(self, node: ast.expr, operator: ast.AST, operands: Sequence[ast.expr]) -> Value:
        sign, calculate = SIGNS[type(operator)]
        values = self._numbers(sign, operands)
        left, right = values if len(values) == 2 else (self._constant(node, 0.0), values[0])
        divides = sign in ("/", "%")
        if divides and right.constant == 0:
            raise self.error(right.node, "division by zero. Use another divisor.")
        if left.constant is not None and right.constant is not None:
            result = float(calculate(left.constant, right.constant))
            if not math.isfinite(result):
                raise self.error(node, "this number is too large.")
            return self._constant(node, result)
        # The remainder reads both sides twice, so that nesting it would double the work at each level.
        has_remainder = left.has_remainder or right.has_remainder
        if sign == "%" and has_remainder:
            raise self.error(node, "a remainder of a remainder is not supported. Use '%' once.")
        return self._make(
            node,
            "number",
            calculate(left.expr, _column_of(right, left.expr) if divides else right.expr),
            columns=left.columns + right.columns,
            doubts=left.doubts + right.doubts + ((right.expr == 0,) if divides and right.columns else ()),
            computed=True,
            has_remainder=has_remainder or sign == "%",
        )

    def _number_function(self, node: ast.expr, name: str, arguments: Sequence[ast.expr]) -> Value:
        values = self._numbers(name, arguments)
        on_constants, on_columns = _NUMBER_FUNCTIONS[name]
        constants = [value.constant for value in values]
        if None not in constants:
            return self._constant(node, on_constants(*constants))
        return self._make(
            node,
            "number",
            on_columns(*(value.expr for value in values)),
            columns=tuple(column for value in values for column in value.columns),
            # The least of several passes over a NaN, so each argument is asked before.
            doubts=tuple(doubt for value in values for doubt in value.all_doubts()),
            has_remainder=any(value.has_remainder for value in values),
        )

    def _is_missing(self, node: ast.expr, column: ast.expr) -> Value:
        if not isinstance(column, ast.Name):
            raise self.error(column, "'is_missing' needs the name of a column, as in is_missing(age).")
        self._dtype(column, column.id)
        return self._make(node, "condition", code(self._missing(column.id)))

    def _date_function(self, node: ast.expr, name: str, argument: ast.expr) -> Value:
        """Take a part of a date: a number, of which weekdays start with Monday as 1."""
        value = self.value(argument)
        if value.kind != "date":
            hint = " Write every date as in 2024-03-01." if value.kind == "text" and value.constant is None else ""
            raise self.error(argument, f"'{name}' needs dates, but {value}.{hint}")
        part: nw.Expr = getattr(value.expr.dt, name)()
        return self._make(node, "number", part.cast(nw.Float64), columns=value.columns)

    def _text_function(self, node: ast.expr, name: str, arguments: Sequence[ast.expr]) -> Value:
        text, *others = (self.value(argument) for argument in arguments)
        if text.kind == "date":  # as it is written in a file
            column = text.columns[0]
            text = replace(text, kind="text", expr=text_of(nw.col(column), self.schema[column]).cast(nw.String))
        if text.kind != "text":
            raise self.error(text.node, f"'{name}' needs text, but {text}.")
        if text.constant is not None:
            raise self.error(text.node, f"'{name}' needs a column, but {text} in quotes. Remove the quotes.")
        if name == "lower":
            return self._make(node, "text", lower(text.expr), columns=text.columns)
        if name in ("length", "words"):
            number = text.expr.str.len_chars() if name == "length" else count_words(text.expr)
            return self._make(node, "number", number.cast(nw.Float64), columns=text.columns)
        for other in others:
            if not isinstance(other.constant, str) or (name == "contains" and not other.constant.strip()):
                raise self.error(other.node, f"'{name}' needs text in quotes, as in {FUNCTIONS[name]}.")
        sought = [str(other.constant) for other in others]
        return self._known(node, _search(name, text.expr, sought), text)


_HALF = 2**32
# A date as people write it, but year/month/day with slashes or dots: in this order, characters are in that of dates.
_DATED = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[./-] ?[0-9]{1,2}[./-] ?[0-9]{4}")
_TIME = nw.Datetime("us")
_NEVER = nw.lit(datetime(1970, 1, 1), _TIME)
_TESTS = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}
_TURNED = str.maketrans("<>", "><")
_NUMBER_FUNCTIONS: Mapping[str, tuple[Callable[..., Any], Callable[..., nw.Expr]]] = {
    "abs": (abs, nw.Expr.abs),
    "min": (min, nw.min_horizontal),
    "max": (max, nw.max_horizontal),
}


def _number(column: nw.Expr, dtype: nw.dtypes.DType) -> nw.Expr:
    """Give numbers one type: no overflow, no whole-number division, and NaN can be asked for."""
    if dtype not in (nw.Int64, nw.UInt64):
        return column.cast(nw.Float64)
    # In two halves, which floats hold: PyArrow refuses to round a whole number beyond 2**53, the others round it.
    upper = column // nw.lit(_HALF, dtype)
    return upper.cast(nw.Float64) * float(_HALF) + (column - upper * nw.lit(_HALF, dtype)).cast(nw.Float64)


def _column_of(divisor: Value, beside: nw.Expr) -> nw.Expr:
    """Write a constant divisor in every row: Polars multiplies by one over a constant, which rounds otherwise."""
    if divisor.constant is None:
        return divisor.expr
    return nw.when(beside.is_null()).then(divisor.expr).otherwise(divisor.expr)


def _search(name: str, text: nw.Expr, sought: Sequence[str]) -> nw.Expr:
    """Tell where a text contains, matches, starts or ends with any of the texts sought."""
    if name == "contains":
        return text.str.contains(keyword_pattern(sought))
    if name == "matches":
        return text.str.contains(portable_regex(sought[0]))
    matches = [text.str.starts_with(end) if name == "starts_with" else text.str.ends_with(end) for end in sought]
    return nw.any_horizontal(*matches, ignore_nulls=False)
