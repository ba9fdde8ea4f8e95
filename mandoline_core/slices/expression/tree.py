"""The structure of expressions: checked tokens to a tree of Python's, with only this language in it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from mandoline_core.data import read_date
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed, tidy_number
from mandoline_core.slices.expression.syntax import MAX_DEPTH, ExpressionError, Token, quoted, read_tokens
from mandoline_core.slices.text import check_keywords, check_regex, keyword_pattern

# How each function is called, and the fewest and the most arguments it takes.
_SIGNATURES: dict[str, tuple[str, int, int | None]] = {
    "abs": ("abs(number)", 1, 1),
    "col": ('col("any column name")', 1, 1),
    "contains": ('contains(text, "word", ...)', 2, None),
    "ends_with": ('ends_with(text, "ending", ...)', 2, None),
    "hour": ("hour(time)", 1, 1),
    "is_missing": ("is_missing(column)", 1, 1),
    "length": ("length(text)", 1, 1),
    "lower": ("lower(text)", 1, 1),
    "matches": ('matches(text, "pattern")', 2, 2),
    "max": ("max(number, number, ...)", 2, None),
    "min": ("min(number, number, ...)", 2, None),
    "month": ("month(date)", 1, 1),
    "starts_with": ('starts_with(text, "beginning", ...)', 2, None),
    "weekday": ("weekday(date), 1 is Monday", 1, 1),
    "words": ("words(text)", 1, 1),
    "year": ("year(date)", 1, 1),
}
_SEARCHES = ("contains", "matches")
_NOT_NAMES = ("and", "or", "not", "in", "true", "false")
_SIGNS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
# What a comparison says of its left side, and of its right side.
_BOUNDS = {
    "<": ("below", "above"),
    "<=": ("at_most", "at_least"),
    ">": ("above", "below"),
    ">=": ("at_least", "at_most"),
}
FUNCTIONS = {name: usage for name, (usage, _, _) in _SIGNATURES.items()}


@dataclass(frozen=True)
class ParsedExpression:
    """Hold an expression whose syntax is right.

    Attributes
    ----------
    text : str
        The expression as it was written.
    root : ast.expr
        Its tree: a name is a column, offsets are those of the text, and after 'in' each choice is separate.
    columns : tuple of str
        The columns it reads, in the order they are first named.
    """

    text: str
    root: ast.expr
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
    tokens = read_tokens(text)
    # Blanked out, no name is a Python keyword, no text has Python's escapes, and offsets are plain ASCII. On a
    # line of their own in brackets, they may start with white space and keep their offsets.
    shape = [" "] * len(text)
    for token in tokens:
        blank = "_" * len(token.source) if token.is_leaf else " ".join(token.source.split())
        shape[token.start : token.start + len(token.source)] = blank.ljust(len(token.source))
    try:
        tree = ast.parse(f"(\n{''.join(shape)})", mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError("the expression cannot be read. Make it shorter or simpler.", 0, text) from None
    reader = _Reader(text, tokens)
    return ParsedExpression(text, reader.visit(tree.body), tuple(reader.columns))


def expression_columns(text: str) -> tuple[str, ...]:
    """Return the columns that an expression reads, in the order they are first named.

    Examples
    --------
    >>> expression_columns('col("body text") == "" or is_missing(country)')
    ('body text', 'country')
    """
    return parse_expression(text).columns


@dataclass(frozen=True)
class Predicate:
    """Hold a condition: a function of columns, with constants, within bounds.

    Parameters
    ----------
    function : str
        One of the language, or one that only some kind knows; empty for a column as it is.
    columns : tuple of str
    constants : tuple
        What comes after the columns.
    bounds : dict of str to float or date
        The bounds of the function's value, by 'above', 'at_least', 'below' or 'at_most'.
    text : str
        The whole as an expression, if it is one.
    """

    function: str
    columns: tuple[str, ...] = ()
    constants: tuple[Any, ...] = ()
    bounds: dict[str, Any] = field(default_factory=dict)
    text: str = ""

    @property
    def ends(self) -> dict[str, Any]:
        """The bounds by the side they are on: 'low' or 'high'."""
        return {"low" if bound in ("above", "at_least") else "high": value for bound, value in self.bounds.items()}


def predicate_of(text: str) -> Predicate:
    """Read an expression as a predicate; anything but a function of columns has the function "expression".

    >>> predicate = predicate_of("10 <= words(text) < 20")
    >>> predicate.function, predicate.columns, predicate.bounds
    ('words', ('text',), {'at_least': 10, 'below': 20})
    """
    subject, bounds = parse_expression(text).root, {}
    if isinstance(subject, ast.Compare):
        sides = [subject.left, *subject.comparators]
        numbers = [_bound(side.value) if isinstance(side, ast.Constant) else None for side in sides]
        bounds = bounds_of(numbers, [_SIGNS.get(type(sign), "") for sign in subject.ops])
        subject = sides[numbers.index(None)] if bounds else subject
    match subject:
        case ast.Name(id=column):
            return Predicate("", (column,), (), bounds, text)
        case ast.Call(func=ast.Name(id=function), args=arguments):
            columns = tuple(node.id for node in arguments if isinstance(node, ast.Name))
            constants = tuple(node.value for node in arguments[len(columns) :] if isinstance(node, ast.Constant))
            # Columns first, constants after them: all that kinds of rule can say.
            if len(columns) + len(constants) == len(arguments):
                return Predicate(function, columns, constants, bounds, text)
    return Predicate("expression", text=text)


def _bound(constant: Any) -> Any:
    """Take a quoted date for the date."""
    found = read_date(constant) if isinstance(constant, str) else None
    return constant if found is None else found


def bounds_of(numbers: Sequence[Any], signs: Sequence[str]) -> dict[str, Any]:
    """Read comparisons of something, written as None, with a number or date on one side or both; {} for anything else.

    >>> bounds_of([10, None, 20], ["<=", "<"]), bounds_of([None, 3], [">"]), bounds_of([10, None, 5], ["<", ">"])
    ({'at_least': 10, 'below': 20}, {'above': 3}, {})
    """
    bounds = {}
    for left, sign, right in zip(numbers, signs, numbers[1:], strict=False):
        number = left if right is None else right
        if (left is None) == (right is None) or sign not in _BOUNDS:
            return {}
        if type(number) not in (int, float) and not isinstance(number, date):
            return {}
        bounds[_BOUNDS[sign][right is None]] = number if isinstance(number, date) else tidy_number(number)
    # One lower and one upper bound: the two of 10 < age > 5 are of one kind.
    return bounds if len(Predicate("", bounds=bounds).ends) == len(signs) else {}


def written_column(name: str) -> str:
    """Write a column's name as expressions do.

    >>> written_column("age"), written_column("body text"), written_column("and")
    ('age', 'col("body text")', 'col("and")')
    """
    is_name = name.isidentifier() and name.casefold() not in _NOT_NAMES
    return name if is_name else "col(" + written_text(name) + ")"


def written_text(text: str) -> str:
    r"""Write a text in quotes, as in an expression; refuse one that cannot be quoted.

    >>> print(written_text('say "so"'))
    "say \"so\""
    """
    if not can_stand(text):
        raise SliceError(
            f"{text!r} cannot be quoted in an expression: it has a backslash before a quote, or an unprintable "
            "character."
        )
    escaped = text.replace('"', '\\"')
    return f'"{escaped}"'


def can_stand(text: str) -> bool:
    r"""Tell whether a text can be quoted: a backslash before a quote would escape it.

    >>> can_stand('say "so"'), can_stand("C:\\"), can_stand("two\nlines")
    (True, False, False)
    """
    return text.isprintable() and not any(pair in f'{text}"' for pair in ('\\"', "\\'"))


class _Reader(ast.NodeTransformer):
    """Put names and constants back into a tree of blanks, and refuse what is not part of the language."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.leaves = {token.start: token for token in tokens if token.is_leaf}
        self.columns: dict[str, None] = {}
        self.depth = 0

    def visit(self, node: ast.AST) -> Any:
        """Read one of the allowed types of node, and refuse all others."""
        if not isinstance(node, ast.expr):
            return node
        if self.depth > MAX_DEPTH:
            raise self._error(node, f"more than {MAX_DEPTH} nested steps. Split the expression into two slices.")
        if isinstance(node, (ast.Tuple, ast.List)):
            raise self._error(node, 'a list is only allowed after \'in\', as in country in ("FR", "DE").')
        if not isinstance(node, (ast.Name, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call)):
            raise self._error(node, f"{quoted(piece_of(self.text, node))} is not part of the language.")
        self.depth += 1
        read = super().visit(node)
        self.depth -= 1
        return read

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Read a constant or a column."""
        token = self.leaves[node.col_offset]
        value = {"true": True, "false": False}.get(token.source.casefold(), token.value)
        if value is None:
            return self._column(node, token.source)
        return ast.copy_location(ast.Constant(value), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Read a chain of comparisons, or 'in' with its list."""
        if not any(isinstance(sign, (ast.In, ast.NotIn)) for sign in node.ops):
            return self.generic_visit(node)
        if len(node.ops) > 1:
            problem = "'in' next to another comparison needs brackets, as in (country in (...)) == member."
            raise self._error(node, problem)
        node.comparators = self._choices(node.comparators[0])
        node.left = self.visit(node.left)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Read a function and its arguments."""
        name = piece_of(self.text, node.func)
        if name not in _SIGNATURES:
            hint = did_you_mean(name, _SIGNATURES) or f" Functions: {listed(_SIGNATURES, most=20)}."
            if isinstance(node.func, ast.Name) and " " in (piece := piece_of(self.text, node)):
                hint = f" If it is a column, write {written_column(piece)}."
            raise self._error(node, f"unknown function {quoted(name)}.{hint}")
        (usage, least, most), n = _SIGNATURES[name], len(node.args)
        if n < least or (most is not None and n > most):
            raise self._error(node, f"'{name}' is written {usage}. Got {n} argument{'s'[: n != 1]}.")
        if name == "col":
            column = self.leaves[node.args[0].col_offset].value if isinstance(node.args[0], ast.Name) else None
            if not isinstance(column, str):
                raise self._error(node, f"'col' needs a name in quotes, as in {usage}.")
            return self._column(node, column)
        node.func = ast.Name(name)
        node.args = [self.visit(argument) for argument in node.args]
        if name in _SEARCHES:
            self._check_search(name, node.args[1:])
        return node

    def _check_search(self, name: str, sought: Sequence[ast.expr]) -> None:
        """Refuse a pattern that the engines would refuse once they run it."""
        texts = [node.value for node in sought if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        try:
            if name == "matches" and texts:
                check_regex(texts[0])
            elif any(text.strip() for text in texts):
                check_keywords(keyword_pattern(texts))
        except SliceError as error:
            raise self._error(sought[0], str(error)) from None

    def _column(self, node: ast.expr, name: str) -> ast.expr:
        self.columns[name] = None
        return ast.copy_location(ast.Name(name), node)

    def _choices(self, node: ast.expr) -> list[ast.expr]:
        """Read the list after 'in'; one constant in brackets is a list of one."""
        if isinstance(node, (ast.Tuple, ast.List)):
            if not node.elts:
                raise self._error(node, 'the list is empty. Add at least one value, as in ("FR", "DE").')
            return [self.visit(choice) for choice in node.elts]
        choice = self.visit(node)
        is_column = isinstance(choice, ast.Name)
        if is_column or not self.text[: node.col_offset].rstrip().endswith("("):
            hint = f' To look for words in a text, write contains({piece_of(self.text, choice)}, "word").'
            problem = '\'in\' needs a list in brackets, as in country in ("FR", "DE").'
            raise self._error(node, problem + (hint if is_column else ""))
        return [choice]

    def _error(self, node: ast.expr, problem: str) -> ExpressionError:
        return ExpressionError(problem, node.col_offset, self.text)


def piece_of(text: str, node: ast.expr) -> str:
    """Return the text of a node."""
    return text[node.col_offset : node.end_col_offset]
