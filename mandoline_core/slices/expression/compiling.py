"""The safe little language of expression slices: a condition on columns, compiled to a Narwhals expression."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.slices.expression.syntax import ExpressionError
from mandoline_core.slices.expression.tree import (
    FUNCTIONS,
    Call,
    Column,
    Comparison,
    Constant,
    Membership,
    Node,
    Operation,
    parse_expression,
)
from mandoline_core.slices.expression.values import (
    COMPARISONS,
    Kind,
    Value,
    calculate,
    certain_code,
    code,
    combine,
    combine_constants,
    comparison_example,
    is_nothing,
    literal,
    mismatch_hint,
    number_hint,
)
from mandoline_core.slices.text import check_regex, count_words, keyword_pattern, portable_regex


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
    condition = compiler.condition(parsed.root, "the expression must come out true or false")
    if not parsed.columns:
        raise compiler.error(
            parsed.root, "the expression reads no column, so it is the same for every row. Name a column."
        )
    return condition.expr.cast(nw.Int8)


class _Compiler:
    """Turn a tree into Narwhals expressions, checking types on the way."""

    def __init__(self, text: str, schema: Mapping[str, nw.dtypes.DType]) -> None:
        self.text = text
        self.schema = schema

    def value(self, node: Node) -> Value:
        """Compile a piece of any type."""
        match node:
            case Constant():
                return self._constant(node, node.value)
            case Column():
                return self._column(node)
            case Operation(operator="and" | "or" | "not" as name, operands=operands):
                needs = f"'{name}' needs true or false" + (" on both sides" if name != "not" else "")
                return self._combined(node, name, [self.condition(operand, needs) for operand in operands])
            case Operation():
                return self._arithmetic(node)
            case Comparison():
                values = [self.value(operand) for operand in node.operands]
                triples = zip(node.operators, values, values[1:], strict=False)
                return self._combined(node, "and", [self._comparison(node, *triple) for triple in triples])
            case Membership():
                return self._membership(node)
            case Call(function="is_missing"):
                return self._is_missing(node)
            case Call(function="abs" | "min" | "max"):
                return self._number_function(node)
            case Call():
                return self._text_function(node)
        raise TypeError(f"No rule for {type(node).__name__}.")

    def condition(self, node: Node, needs: str) -> Value:
        """Compile a piece that must be true or false."""
        value = self.value(node)
        if value.kind != "condition":
            example = comparison_example(value)
            raise self.error(node, f"{needs}, but {value}. Compare it with something, as in {example}.")
        return value

    def error(self, node: Node, problem: str) -> ExpressionError:
        """Build the error that points at a piece."""
        return ExpressionError(problem, node.start, self.text)

    def _make(self, node: Node, kind: Kind, expr: nw.Expr, **settings: Any) -> Value:
        return Value(node, self.text[node.start : node.end], kind, expr, **settings)

    def _constant(self, node: Node, value: float | str | bool) -> Value:
        return self._make(node, *literal(value), constant=value)

    def _column(self, node: Column) -> Value:
        is_bare = node.name == self.text[node.start : node.end]
        dtype = self._dtype(node, f' A text goes in quotes: "{node.name}".' if is_bare else "")
        column = nw.col(node.name)
        if dtype.is_numeric():
            # One numeric type for all: no overflow, no whole-number division, and NaN can be asked for.
            return self._make(node, "number", column.cast(nw.Float64), columns=(node.name,))
        if dtype in (nw.String, nw.Categorical, nw.Enum):
            return self._make(node, "text", column.cast(nw.String), columns=(node.name,))
        if dtype == nw.Boolean:
            return self._make(node, "condition", code(column, column.is_null()))
        raise self.error(
            node,
            f"column {node.name!r} holds {dtype}, which expressions cannot read. They read numbers, text and true or "
            f"false; is_missing({self.text[node.start : node.end]}) reads any column.",
        )

    def _dtype(self, node: Column, advice: str = "") -> nw.dtypes.DType:
        name = node.name
        if name in self.schema:
            return self.schema[name]
        if name in FUNCTIONS:
            hint = f" The function is written {FUNCTIONS[name]}."
        elif name.casefold() in ("none", "null", "nan", "na"):
            hint = " For missing values, write is_missing(column)."
        else:
            hint = did_you_mean(name, self.schema)
        hint = hint or f" Columns: {listed(self.schema)}.{advice}"
        raise self.error(node, f"unknown column {name!r}.{hint}")

    def _missing(self, name: str) -> nw.Expr:
        column = nw.col(name)
        return is_nothing(column.cast(nw.Float64)) if self.schema[name].is_numeric() else column.is_null()

    def _known(self, node: Node, answer: nw.Expr, *values: Value) -> Value:
        """Make a condition that is unknown wherever one of the values it comes from is."""
        columns = dict.fromkeys(column for value in values for column in value.columns)
        doubts = [doubt for value in values for doubt in value.all_doubts()]
        unknown = nw.any_horizontal(*map(self._missing, columns), *doubts, ignore_nulls=False)
        return self._make(node, "condition", code(answer, unknown))

    def _combined(self, node: Node, name: str, conditions: Sequence[Value]) -> Value:
        constants = [condition.constant for condition in conditions]
        if None not in constants:
            return self._constant(node, combine_constants(name, constants))
        return self._make(node, "condition", combine(name, [condition.expr for condition in conditions]))

    def _comparison(self, node: Node, sign: str, left: Value, right: Value) -> Value:
        if left.kind != right.kind:
            problem = f"{left} but {right}, so '{sign}' cannot compare them."
            raise self.error(right.node, problem + mismatch_hint(left, right))
        if left.kind == "condition" and sign not in ("==", "!="):
            raise self.error(left.node, f"'{sign}' needs numbers or text, but {left}.")
        if left.constant is not None and right.constant is not None:
            return self._constant(node, bool(COMPARISONS[sign](left.constant, right.constant)))
        if left.kind == "condition":
            equal = left.expr * right.expr
            return self._make(node, "condition", equal if sign == "==" else combine("not", [equal]))
        return self._known(node, COMPARISONS[sign](left.expr, right.expr), left, right)

    def _membership(self, node: Membership) -> Value:
        item = self.value(node.item)
        choices = [self.value(choice) for choice in node.choices]
        for choice in choices:
            if choice.constant is None:
                raise self.error(choice.node, f"the list after '{node.operator}' holds numbers or quoted texts only.")
            if choice.kind != item.kind:
                problem = f"{item} but {choice}, so it cannot be in the list."
                raise self.error(choice.node, problem + mismatch_hint(item, choice))
        constants = [choice.constant for choice in choices]
        if item.constant is not None:
            found = self._constant(node, item.constant in constants)
        elif item.kind == "condition":
            found = self._make(node, "condition", combine("or", [item.expr * choice.expr for choice in choices]))
        else:
            # PyArrow's list tells -0 from 0; adding 0 makes them one.
            sought = item.expr + nw.lit(0.0, nw.Float64) if item.kind == "number" else item.expr
            found = self._known(node, sought.is_in(constants), item)
        return found if node.operator == "in" else self._combined(node, "not", [found])

    def _numbers(self, name: str, nodes: Sequence[Node]) -> list[Value]:
        values = [self.value(node) for node in nodes]
        for value in values:
            if value.kind != "number":
                raise self.error(value.node, f"'{name}' needs numbers, but {value}.{number_hint(value)}")
        return values

    def _arithmetic(self, node: Operation) -> Value:
        sign = node.operator
        values = self._numbers(sign, node.operands)
        left, right = values if len(values) == 2 else (self._constant(node, 0.0), values[0])
        divides = sign in ("/", "%")
        if divides and right.constant == 0:
            raise self.error(right.node, "division by zero. Divide by something else.")
        if left.constant is not None and right.constant is not None:
            try:
                result = float(calculate(sign, left.constant, right.constant, math.floor))
            except OverflowError:
                result = math.inf
            if not math.isfinite(result):
                raise self.error(node, "this number is too large.")
            return self._constant(node, result)
        # The remainder reads both sides twice, so that nesting it would double the work at each level.
        has_remainder = left.has_remainder or right.has_remainder
        if sign == "%" and has_remainder:
            raise self.error(node, "a remainder of a remainder is not part of the language. Use '%' once.")
        return self._make(
            node,
            "number",
            calculate(sign, left.expr, right.expr, nw.Expr.floor),
            columns=left.columns + right.columns,
            doubts=left.doubts + right.doubts + ((right.expr == 0,) if divides and right.columns else ()),
            computed=True,
            has_remainder=has_remainder or sign == "%",
        )

    def _number_function(self, node: Call) -> Value:
        values = self._numbers(node.function, node.arguments)
        constants = [value.constant for value in values if isinstance(value.constant, float)]
        least_or_greatest, choose = (nw.min_horizontal, min) if node.function == "min" else (nw.max_horizontal, max)
        if len(constants) == len(values):
            return self._constant(node, abs(constants[0]) if node.function == "abs" else choose(constants))
        exprs = [value.expr for value in values]
        return self._make(
            node,
            "number",
            exprs[0].abs() if node.function == "abs" else least_or_greatest(*exprs),
            columns=tuple(column for value in values for column in value.columns),
            # The least of several passes over a NaN, so each argument is asked before.
            doubts=tuple(doubt for value in values for doubt in value.all_doubts()),
            has_remainder=any(value.has_remainder for value in values),
        )

    def _is_missing(self, node: Call) -> Value:
        column = node.arguments[0]
        if not isinstance(column, Column):
            raise self.error(column, "'is_missing' needs the name of a column, as in is_missing(age).")
        self._dtype(column)
        return self._make(node, "condition", certain_code(self._missing(column.name)))

    def _text_function(self, node: Call) -> Value:
        name = node.function
        text, *others = (self.value(argument) for argument in node.arguments)
        if text.kind != "text":
            raise self.error(text.node, f"'{name}' needs text, but {text}.")
        if text.constant is not None:
            raise self.error(text.node, f"'{name}' needs a column, but {text} in quotes. Remove the quotes.")
        if name == "lower":
            return self._make(node, "text", text.expr.str.to_lowercase(), columns=text.columns)
        if name in ("length", "words"):
            number = text.expr.str.len_chars() if name == "length" else count_words(text.expr)
            return self._make(node, "number", number.cast(nw.Float64), columns=text.columns)
        sought: list[str] = []
        for other in others:
            if not isinstance(other.constant, str) or not (other.constant.strip() or name != "contains"):
                raise self.error(other.node, f"'{name}' looks for texts in quotes, as in {FUNCTIONS[name]}.")
            sought.append(other.constant)
        try:
            return self._known(node, _search(name, text.expr, sought), text)
        except SliceError as error:
            raise self.error(others[0].node, str(error)) from None


def _search(name: str, text: nw.Expr, sought: Sequence[str]) -> nw.Expr:
    """Tell where a text contains, matches, starts or ends with any of the texts sought."""
    if name == "contains":
        return text.str.contains(keyword_pattern(sought))
    if name == "matches":
        check_regex(sought[0])
        return text.str.contains(portable_regex(sought[0]))
    found = [text.str.starts_with(end) if name == "starts_with" else text.str.ends_with(end) for end in sought]
    return nw.any_horizontal(*found, ignore_nulls=False)
