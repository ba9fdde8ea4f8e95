"""The values of expressions: a type, a Narwhals expression, and where a missing value hides the answer.

A condition is carried as a code: 1 where it is true, -1 where it is false, 0 where a missing value hides the
answer. On these codes three-valued logic is arithmetic: 'and' is the least, 'or' the greatest, 'not' the negative,
and the product tells whether two conditions are equal. So no engine's own rules for missing values are relied on.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw

from mandoline_core.slices.expression.syntax import quoted
from mandoline_core.slices.expression.tree import Node

Kind = Literal["number", "text", "condition"]
KINDS: dict[Kind, str] = {"number": "a number", "text": "text", "condition": "true or false"}

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_TRUE, _FALSE, _UNKNOWN = (nw.lit(code, nw.Int8) for code in (1, -1, 0))


@dataclass(frozen=True)
class Value:
    """Hold what a piece of an expression stands for, row by row.

    `expr` is a Float64 for a number, a String for a text, an Int8 code for a condition. For a number or a text, the
    rows where any of `columns` is missing or any of `doubts` is true are unknown, whatever `expr` is there.
    """

    node: Node
    piece: str
    kind: Kind
    expr: nw.Expr
    constant: float | str | bool | None = None
    columns: tuple[str, ...] = ()
    doubts: tuple[nw.Expr, ...] = ()
    # Arithmetic can make a NaN of its own (infinity minus infinity), to be looked for before the value is used.
    computed: bool = False
    has_remainder: bool = False

    def __str__(self) -> str:
        """Name the piece and its type, for messages."""
        return f"{quoted(self.piece)} is {KINDS[self.kind]}"

    def all_doubts(self) -> tuple[nw.Expr, ...]:
        """Return what makes the value unknown, beside missing columns."""
        return (*self.doubts, is_nothing(self.expr)) if self.computed else self.doubts


def literal(value: float | str | bool) -> tuple[Kind, nw.Expr]:
    """Return the type and the expression of a constant."""
    if isinstance(value, bool):
        return "condition", _TRUE if value else _FALSE
    if isinstance(value, str):
        return "text", nw.lit(value, nw.String)
    return "number", nw.lit(value, nw.Float64)


def code(answer: nw.Expr, unknown: nw.Expr) -> nw.Expr:
    """Return the code of an answer that is hidden where `unknown` is true."""
    return nw.when(unknown).then(_UNKNOWN).otherwise(nw.when(answer).then(_TRUE).otherwise(_FALSE))


def certain_code(answer: nw.Expr) -> nw.Expr:
    """Return the code of an answer that is never hidden."""
    return nw.when(answer).then(_TRUE).otherwise(_FALSE)


def combine(name: str, codes: Sequence[nw.Expr]) -> nw.Expr:
    """Apply 'and', 'or' or 'not' to codes."""
    if name == "not":
        return codes[0] * _FALSE
    if len(codes) == 1:
        return codes[0]
    return nw.min_horizontal(*codes) if name == "and" else nw.max_horizontal(*codes)


def combine_constants(name: str, constants: Iterable[object]) -> bool:
    """Apply 'and', 'or' or 'not' to constants.

    >>> combine_constants("and", [True, False])
    False
    """
    return all(constants) if name == "and" else any(constants) if name == "or" else not any(constants)


def is_nothing(number: nw.Expr) -> nw.Expr:
    """Tell where a number is missing."""
    # Polars and PyArrow tell NaN from missing, pandas does not; here both are missing.
    return number.is_null() | number.is_nan()


def calculate(sign: str, left: Any, right: Any, floor: Callable[[Any], Any]) -> Any:
    """Apply an arithmetic sign to two numbers or two expressions.

    >>> calculate("%", -7.0, 2.0, math.floor)
    1.0
    """
    # The engines round the remainder each in their own way, so it is written out; its sign is the divisor's.
    return left - floor(left / right) * right if sign == "%" else _ARITHMETIC[sign](left, right)


def number_hint(value: Value) -> str:
    """Say how to get a number where there is something else."""
    if value.kind == "condition":
        return ""
    if isinstance(value.constant, str):
        return " Remove the quotes." if _is_number(value.constant) else " Write a number."
    return f" For its number of characters or words, write length({value.piece}) or words({value.piece})."


def comparison_example(value: Value) -> str:
    """Make a condition of a value, to show how."""
    short = value.constant is None and len(value.piece) <= 30
    if value.kind == "number":
        return f"{value.piece if short else 'age'} > 0"
    return f'{value.piece if short else "country"} == "FR"'


def mismatch_hint(left: Value, right: Value) -> str:
    """Say how to write a constant so that it can be compared with the other side."""
    value, constant = (right, left) if left.constant is not None else (left, right)
    if constant.constant is None or value.constant is not None:
        return ""
    if value.kind == "text":
        return f' Put it in quotes: "{constant.piece}".'
    if value.kind == "condition":
        return " Compare it with true or false."
    if isinstance(constant.constant, str) and _is_number(constant.constant):
        return f" Remove the quotes: {constant.constant.strip()}."
    return " Compare it with a number" + (", such as 1 or 0." if isinstance(constant.constant, bool) else ".")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
