"""Compiling: from a resolved rule to a Narwhals expression of codes 1 (inside), -1 (outside), 0 (abstains)."""

from __future__ import annotations

from functools import singledispatch
from itertools import product

import narwhals as nw

from mandoline_core.errors import SliceError
from mandoline_core.samples import matching_values
from mandoline_core.slices.checking import Schema, check_columns
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
from mandoline_core.slices.expression.compiling import compile_expression_code
from mandoline_core.slices.expression.tree import expression_columns
from mandoline_core.slices.measures import measure
from mandoline_core.slices.rule import BoundedRule, Slice
from mandoline_core.slices.rules import All, Any, Confidence, Entropy, Expression, FunctionSlice, Not, Prediction
from mandoline_core.slices.text import keyword_pattern, portable_regex

INSIDE_WORDS = ("true", "yes", "1", "1.0")
OUTSIDE_WORDS = ("false", "no")
ZERO_WORDS = ("0", "0.0")
MINUS_WORDS = ("-1", "-1.0")


def compile_slice(rule: Slice, schema: Schema) -> nw.Expr:
    """Turn a resolved rule into an expression of codes for frames with this schema.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from mandoline_core.slices.column_rules import Threshold
    >>> frame = nw.from_native(pa.table({"n": [1, None, 3]}))
    >>> frame.select(compile_slice(Threshold("big", column="n", above=2), frame.schema).alias("big"))["big"].to_list()
    [-1, 0, 1]
    """
    check_columns(rule, schema, "the data")
    return codes_of(rule, schema)


def function_column(rule: FunctionSlice) -> str:
    """Name the column that holds a function's codes, computed before the expressions run."""
    return f"\0function\0{rule.name}\0{id(rule.function)}"


@singledispatch
def codes_of(rule: Slice, _schema: Schema) -> nw.Expr:
    """Compile one kind of rule whose columns have been checked."""
    raise TypeError(f"no way to compile {type(rule).__name__}")


@codes_of.register
def _(rule: Keyword, schema: Schema) -> nw.Expr:
    return _contains(rule.column, keyword_pattern(rule.words, case=rule.case, whole_words=rule.whole_words), schema)


@codes_of.register
def _(rule: Regex, schema: Schema) -> nw.Expr:
    return _contains(rule.column, portable_regex(rule.pattern), schema)


@codes_of.register
def _(rule: Threshold, schema: Schema) -> nw.Expr:
    return _abstain(rule.column) if _is_empty(rule.column, schema) else _bounded(rule, nw.col(rule.column))


@codes_of.register
def _(rule: Range, schema: Schema) -> nw.Expr:
    column = nw.col(rule.column)
    if _is_empty(rule.column, schema):
        return _abstain(rule.column)
    return _answer(column.is_null(), (column >= rule.low) & (column <= rule.high))


@codes_of.register
def _(rule: Category, schema: Schema) -> nw.Expr:
    return _is_class(rule.column, rule.values or (), schema)


@codes_of.register
def _(rule: Prediction, schema: Schema) -> nw.Expr:
    (column,) = rule.needs
    return _is_class(column, (rule.value,), schema)


@codes_of.register
def _(rule: Flag, schema: Schema) -> nw.Expr:
    column, dtype = nw.col(rule.column), schema[rule.column]
    if _is_empty(rule.column, schema):
        return _abstain(rule.column)
    if dtype == nw.Boolean:
        return _answer(column.is_null(), column)
    if dtype == nw.String:
        word = column.str.strip_chars().str.to_lowercase()
        inside, outside, zero = (
            word.is_in(INSIDE_WORDS),
            word.is_in(OUTSIDE_WORDS + MINUS_WORDS),
            word.is_in(ZERO_WORDS),
        )
    else:
        inside, outside, zero = column == 1, column == -1, column == 0
    if not rule.signed:
        outside = outside | zero
    speaks = (inside | outside) & ~column.is_null()
    return _answer(~speaks, inside)


@codes_of.register
def _(rule: Missing, _schema: Schema) -> nw.Expr:
    return nw.when(nw.col(rule.column).is_null()).then(_code(1)).otherwise(_code(-1))


@codes_of.register
def _(rule: Length, schema: Schema) -> nw.Expr:
    column = nw.col(rule.column)
    return _abstain(rule.column) if _is_empty(rule.column, schema) else _bounded(rule, measure(rule, schema), column)


@codes_of.register
def _(rule: Overlap, schema: Schema) -> nw.Expr:
    return _bounded(rule, measure(rule, schema))


@codes_of.register
def _(rule: Entropy, schema: Schema) -> nw.Expr:
    value = measure(rule, schema)
    inside = value >= (rule.low or 0.0)
    return _answer(value.is_null(), inside if rule.high is None else inside & (value < rule.high))


@codes_of.register
def _(rule: Confidence, schema: Schema) -> nw.Expr:
    return _bounded(rule, measure(rule, schema))


@codes_of.register
def _(rule: Expression, schema: Schema) -> nw.Expr:
    # A column without a single value has no type of its own: it takes the first that makes sense of the expression.
    empty = [column for column in expression_columns(rule.text) if schema.get(column) == nw.Unknown]
    first: SliceError | None = None
    for types in product((nw.Float64(), nw.String()), repeat=min(len(empty), 4)):
        try:
            return compile_expression_code(rule.text, {**schema, **dict(zip(empty, types, strict=False))})
        except SliceError as error:
            first = first or error
    raise SliceError(f"Slice {rule.name!r}: {first}")


@codes_of.register
def _(rule: All, schema: Schema) -> nw.Expr:
    return nw.min_horizontal(*(codes_of(other, schema) for other in rule.parts))


@codes_of.register
def _(rule: Any, schema: Schema) -> nw.Expr:
    return nw.max_horizontal(*(codes_of(other, schema) for other in rule.parts))


@codes_of.register
def _(rule: Not, schema: Schema) -> nw.Expr:
    return codes_of(rule.parts[0], schema) * -1


@codes_of.register
def _(rule: FunctionSlice, _schema: Schema) -> nw.Expr:
    return nw.col(function_column(rule))


def _answer(missing: nw.Expr, inside: nw.Expr) -> nw.Expr:
    # Missing goes first: what a comparison with a missing value gives differs between engines.
    return nw.when(missing).then(_code(0)).otherwise(nw.when(inside).then(_code(1)).otherwise(_code(-1)))


def _bounded(rule: BoundedRule, value: nw.Expr, column: nw.Expr | None = None) -> nw.Expr:
    missing = (value if column is None else column).is_null()
    if rule.above is None:
        return _answer(missing, value < rule.below)
    if rule.below is None:
        return _answer(missing, value > rule.above)
    return _answer(missing | ((value >= rule.below) & (value <= rule.above)), value > rule.above)


def _contains(column: str, pattern: str, schema: Schema) -> nw.Expr:
    if _is_empty(column, schema):
        return _abstain(column)
    return _answer(nw.col(column).is_null(), nw.col(column).str.contains(pattern))


def _is_class(column: str, values: tuple[object, ...], schema: Schema) -> nw.Expr:
    if _is_empty(column, schema):
        return _abstain(column)
    matching = matching_values(values, schema[column])
    if not matching:
        return nw.when(nw.col(column).is_null()).then(_code(0)).otherwise(_code(-1))
    if len(matching) == 1:
        return _answer(nw.col(column).is_null(), nw.col(column) == matching[0])
    return _answer(nw.col(column).is_null(), nw.col(column).is_in(matching))


def _abstain(column: str) -> nw.Expr:
    return nw.when(nw.col(column).is_null()).then(_code(0)).otherwise(_code(0))


def _code(code: int) -> nw.Expr:
    return nw.lit(code, dtype=nw.Int8)


def _is_empty(column: str, schema: Schema) -> bool:
    return schema[column] == nw.Unknown
