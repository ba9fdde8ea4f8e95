"""The structure of expressions: checked tokens to a small tree of our own node types."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from mandoline_core.errors import did_you_mean
from mandoline_core.formatting import listed
from mandoline_core.slices.expression.syntax import MAX_DEPTH, ExpressionError, Token, quoted, read_tokens

# How each function is called, and the fewest and the most arguments it takes.
_SIGNATURES: dict[str, tuple[str, int, int | None]] = {
    "abs": ("abs(number)", 1, 1),
    "col": ('col("any column name")', 1, 1),
    "contains": ('contains(text, "word", ...)', 2, None),
    "ends_with": ('ends_with(text, "ending", ...)', 2, None),
    "is_missing": ("is_missing(column)", 1, 1),
    "length": ("length(text)", 1, 1),
    "lower": ("lower(text)", 1, 1),
    "matches": ('matches(text, "pattern")', 2, 2),
    "max": ("max(number, number, ...)", 2, None),
    "min": ("min(number, number, ...)", 2, None),
    "starts_with": ('starts_with(text, "beginning", ...)', 2, None),
    "words": ("words(text)", 1, 1),
}
FUNCTIONS: Mapping[str, str] = MappingProxyType({name: usage for name, (usage, _, _) in _SIGNATURES.items()})

_OPERATORS: dict[type[ast.AST], str] = {
    ast.And: "and",
    ast.Or: "or",
    ast.Not: "not",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


@dataclass(frozen=True)
class Node:
    """Hold the place of a piece of an expression: text[start:end]."""

    start: int
    end: int


@dataclass(frozen=True)
class Constant(Node):
    """Hold a number, a text, true or false."""

    value: float | str | bool


@dataclass(frozen=True)
class Column(Node):
    """Hold the name of a column."""

    name: str


@dataclass(frozen=True)
class Call(Node):
    """Hold a function and its arguments."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Operation(Node):
    """Hold 'and', 'or' or 'not' over conditions, or a sign over numbers."""

    operator: str
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Comparison(Node):
    """Hold a chain of comparisons, one operator between each two operands."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Membership(Node):
    """Hold 'in' or 'not in' with a list."""

    operator: str
    item: Node
    choices: tuple[Node, ...]


@dataclass(frozen=True)
class ParsedExpression:
    """Hold an expression whose syntax is right.

    Attributes
    ----------
    text : str
        The expression as it was written.
    root : Node
        Its tree.
    columns : tuple of str
        The columns it reads, in the order they are first named.
    """

    text: str
    root: Node
    columns: tuple[str, ...]


def parse_expression(text: str) -> ParsedExpression:
    """Check the syntax of an expression, without any data.

    Parameters
    ----------
    text : str
        The expression, on one line or several.

    Returns
    -------
    ParsedExpression
        The text, its tree and the columns it reads.

    Raises
    ------
    ExpressionError
        If the text is not an expression; its `position` says where.

    Examples
    --------
    >>> parse_expression('age >= 65 or country in ("FR", "DE")').columns
    ('age', 'country')
    >>> parse_expression("age >= 65 and")
    Traceback (most recent call last):
    ...
    mandoline_core.slices.expression.syntax.ExpressionError: Expression, position 11: something is missing after 'and'.
    """
    reader = _Reader(text)
    root = reader.read()
    return ParsedExpression(text, root, tuple(reader.columns))


def expression_columns(text: str) -> tuple[str, ...]:
    """Return the columns that an expression reads, in the order they are first named.

    Examples
    --------
    >>> expression_columns('col("body text") == "" or is_missing(country)')
    ('body text', 'country')
    """
    return parse_expression(text).columns


class _Reader:
    """Turn tokens into nodes; Python's parser only sees the shape, with every name and constant blanked out."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = read_tokens(text)
        self.leaves = {token.start: token for token in self.tokens if token.is_leaf}
        self.columns: dict[str, None] = {}

    def read(self) -> Node:
        """Return the root of the tree."""
        # Blanked out, no name is a Python keyword, no text has Python's escapes, and offsets are plain ASCII. The
        # brackets let the expression start with white space and go over several lines.
        shape = [" "] * len(self.text)
        for token in self.tokens:
            blank = "_" * len(token.source) if token.is_leaf else " ".join(token.source.split())
            shape[token.start : token.start + len(token.source)] = blank.ljust(len(token.source))
        try:
            tree = ast.parse(f"({''.join(shape)})", mode="eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise ExpressionError("the expression cannot be read. Make it shorter or simpler.", 0, self.text) from None
        return self._node(tree.body, 0)

    def _node(self, node: ast.expr, depth: int) -> Node:
        """Turn one of the allowed types of Python node into ours, and refuse all others."""
        start, end = node.col_offset - 1, (node.end_col_offset or 0) - 1
        if depth > MAX_DEPTH:
            raise self._error(node, f"more than {MAX_DEPTH} steps in one another. Split the expression in two slices.")
        match node:
            case ast.Name():
                return self._leaf(self.leaves[start])
            case ast.BoolOp(op=operator, values=values):
                return Operation(start, end, _OPERATORS[type(operator)], self._nodes(values, depth))
            case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.UAdd() as sign, operand=operand):
                return Operation(start, end, _OPERATORS[type(sign)], self._nodes([operand], depth))
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Mod() as sign):
                return Operation(start, end, _OPERATORS[type(sign)], self._nodes([node.left, node.right], depth))
            case ast.Compare(ops=[ast.In() | ast.NotIn() as sign]):
                choices = self._choices(node.comparators[0], depth)
                return Membership(start, end, _OPERATORS[type(sign)], self._node(node.left, depth + 1), choices)
            case ast.Compare(ops=signs) if not any(isinstance(sign, (ast.In, ast.NotIn)) for sign in signs):
                operators = tuple(_OPERATORS[type(sign)] for sign in signs)
                return Comparison(start, end, operators, self._nodes([node.left, *node.comparators], depth))
            case ast.Compare():
                raise self._error(
                    node, "'in' beside another comparison needs brackets, as in (country in (...)) == member."
                )
            case ast.Call(func=ast.Name() as name, args=arguments, keywords=[]):
                return self._call(self.leaves[name.col_offset - 1], arguments, end, depth)
            case ast.Tuple() | ast.List():
                raise self._error(node, 'a list stands only after \'in\', as in country in ("FR", "DE").')
        raise self._error(node, f"{quoted(self.text[start:end])} is not part of the language.")

    def _nodes(self, nodes: Sequence[ast.expr], depth: int) -> tuple[Node, ...]:
        return tuple(self._node(node, depth + 1) for node in nodes)

    def _leaf(self, token: Token) -> Node:
        end = token.start + len(token.source)
        if token.value is not None:
            return Constant(token.start, end, token.value)
        if token.source.casefold() in ("true", "false"):
            return Constant(token.start, end, token.source.casefold() == "true")
        self.columns[token.source] = None
        return Column(token.start, end, token.source)

    def _choices(self, node: ast.expr, depth: int) -> tuple[Node, ...]:
        """Read the list after 'in'; one constant in brackets is a list of one."""
        if isinstance(node, (ast.Tuple, ast.List)):
            if not node.elts:
                raise self._error(node, 'the list is empty. Write at least one value, as in ("FR", "DE").')
            return self._nodes(node.elts, depth)
        before = self.text[: node.col_offset - 1].rstrip()
        choice = self._node(node, depth + 1)
        if before.endswith("(") and not isinstance(choice, Column):
            return (choice,)
        hint = (
            f' To look for words in a text, write contains({self.text[choice.start : choice.end]}, "word").'
            if isinstance(choice, Column)
            else ""
        )
        raise self._error(node, f'after \'in\' comes a list in brackets, as in country in ("FR", "DE").{hint}')

    def _call(self, name: Token, arguments: Sequence[ast.expr], end: int, depth: int) -> Node:
        if name.source not in _SIGNATURES:
            hint = did_you_mean(name.source, _SIGNATURES) or f" Functions: {listed(_SIGNATURES)}."
            raise ExpressionError(f"unknown function {quoted(name.source)}.{hint}", name.start, self.text)
        usage, least, most = _SIGNATURES[name.source]
        if len(arguments) < least or (most is not None and len(arguments) > most):
            problem = f"'{name.source}' is written {usage}. Got {len(arguments)} argument{'s'[: len(arguments) != 1]}."
            raise ExpressionError(problem, name.start, self.text)
        if name.source == "col":
            column = self.leaves.get(arguments[0].col_offset - 1)
            if not isinstance(arguments[0], ast.Name) or column is None or not isinstance(column.value, str):
                raise ExpressionError(f"'col' needs a name in quotes, as in {usage}.", name.start, self.text)
            self.columns[column.value] = None
            return Column(name.start, end, column.value)
        return Call(name.start, end, name.source, self._nodes(arguments, depth))

    def _error(self, node: ast.expr, problem: str) -> ExpressionError:
        return ExpressionError(problem, node.col_offset - 1, self.text)
