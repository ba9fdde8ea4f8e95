"""The values of expressions: a type, a Narwhals expression, and where a missing value hides the answer.

A condition is carried as a code: 1 where it is true, -1 where it is false, 0 where a missing value hides the
answer. On these codes three-valued logic is arithmetic: 'and' is the least, 'or' the greatest, 'not' the negative,
and the product tells whether two conditions are equal. So no engine's own rules for missing values are relied on.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import narwhals as nw

from mandoline_core.data import declare_type, read_date
from mandoline_core.slices.expression.syntax import quoted

Kind = Literal["number", "text", "date", "condition"]
KINDS: dict[Kind, str] = {"number": "a number", "text": "text", "date": "a date", "condition": "true or false"}


def _remainder(left: Any, right: Any) -> Any:
    # The engines round the remainder each in their own way, so it is written out; its sign is the divisor's.
    quotient = left / right
    return left - (quotient.floor() if isinstance(quotient, nw.Expr) else quotient // 1) * right


# How people write an operator of Python's tree, and what it does to two numbers or to two expressions.
SIGNS: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.UAdd: ("+", operator.add),
    ast.USub: ("-", operator.sub),
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.Mod: ("%", _remainder),
}
TRUE, FALSE, UNKNOWN = (nw.lit(code, nw.Int8) for code in (1, -1, 0))


@dataclass(frozen=True)
class Value:
    """Hold the value of a piece of an expression, row by row.

    `expr` is a Float64 for a number, a String for a text, a Datetime for a date, an Int8 code for a condition. But for
    a condition, the rows where any of `columns` is missing or any of `doubts` is true are unknown, whatever `expr` is.
    """

    node: ast.expr
    piece: str
    kind: Kind
    expr: nw.Expr
    constant: float | str | bool | date | None = None
    columns: tuple[str, ...] = ()
    doubts: tuple[nw.Expr, ...] = ()
    # Arithmetic can make a NaN of its own (infinity minus infinity), to be looked for before the value is used.
    computed: bool = False
    has_remainder: bool = False

    def __str__(self) -> str:
        """Name the piece and its type, for messages."""
        return f"{quoted(self.piece)} is {KINDS[self.kind]}"

    def all_doubts(self) -> tuple[nw.Expr, ...]:
        """Return what makes the value unknown, in addition to missing columns."""
        return (*self.doubts, is_nothing(self.expr)) if self.computed else self.doubts

    def number_hint(self) -> str:
        """Suggest how to get a number."""
        if self.kind == "condition":
            return ""
        if self.kind == "date":
            return f" For a part of it, write year({self.piece}), month, weekday or hour."
        if isinstance(self.constant, str):
            return " Remove the quotes." if _is_number(self.constant) else " Write a number."
        return f" For its number of characters or words, write length({self.piece}) or words({self.piece})."

    def example(self) -> str:
        """Make a condition of the value, to show how."""
        piece = self.piece if self.constant is None and len(self.piece) <= 30 else ""
        if self.kind == "date":
            return f'{piece or "day"} >= "2024-03-01"'
        return f"{piece or 'age'} > 0" if self.kind == "number" else f'{piece or "country"} == "FR"'

    def mismatch_hint(self, other: Value, *, ordered: bool = False) -> str:
        """Say how to write a constant so that it can be compared with the other side.

        Parameters
        ----------
        ordered : bool
            Whether one is to be larger: texts in quotes would be compared by the alphabet.
        """
        value, written = (other, self) if self.constant is not None else (self, other)
        constant = written.constant
        if constant is None or value.constant is not None:
            return ""
        if value.kind == "date":
            dated = read_date(written.piece) is not None
            return f' Put it in quotes: "{written.piece}".' if dated else ' Compare it with a date: "2024-03-01".'
        if value.kind == "text" and ordered and isinstance(constant, float):
            return f" {declare_type(value.columns[0], 'number')}" if value.columns else ""
        if value.kind == "text":
            return f' Put it in quotes: "{written.piece}".'
        if value.kind == "condition":
            return " Compare it with true or false."
        if isinstance(constant, str) and _is_number(constant):
            return f" Remove the quotes: {constant.strip()}."
        return " Compare it with a number" + (", such as 1 or 0." if isinstance(constant, bool) else ".")


def literal(value: float | str | bool) -> tuple[Kind, nw.Expr]:
    """Return the type and the expression of a constant."""
    if isinstance(value, bool):
        return "condition", TRUE if value else FALSE
    return ("text", nw.lit(value, nw.String)) if isinstance(value, str) else ("number", nw.lit(value, nw.Float64))


def code(answer: nw.Expr, unknown: nw.Expr | None = None) -> nw.Expr:
    """Return the code of an answer, which may be hidden where `unknown` is true."""
    known = nw.when(answer).then(TRUE).otherwise(FALSE)
    return known if unknown is None else nw.when(unknown).then(UNKNOWN).otherwise(known)


def is_nothing(number: nw.Expr) -> nw.Expr:
    """Tell where a number is missing."""
    # Polars and PyArrow tell NaN from missing, pandas does not; here both are missing.
    return number.is_null() | number.is_nan()


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
