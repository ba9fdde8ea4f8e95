"""The spelling of expressions: text to checked tokens, with an error that points at the first thing wrong."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from mandoline_core.errors import SliceError

MAX_CHARACTERS = 5_000
# Each level costs a few Python frames when an engine runs the expression; 40 stays far from the recursion limit.
MAX_DEPTH = 40
# Engines take longer with each, and more than in proportion: a few hundred cost seconds on a dozen rows.
MAX_OPERATORS = 100
# Numbers are compared as 64-bit floats, which are exact for whole numbers up to here.
MAX_WHOLE_NUMBER = 2**53

_SIGNS = ("==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%")
_INFIX = {"and", "or", "in", "not in", *_SIGNS}
_BRACKETS = {"(": ")", "[": "]"}

# Longest first, so that '<=' is not read as '<'.
_SIGN = re.compile(r"==|!=|<=|>=|[<>+\-*/%()\[\],]|not\s+in\b")
_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TEXT = re.compile(r"""[rR]?(?:"((?:[^"\\\r\n]|\\.)*)"|'((?:[^'\\\r\n]|\\.)*)')""")
_FOREIGN = re.compile(r"\*\*|//|<>|<<|>>|===|!==|=>|=<|:=|&&|\|\|")
# What people bring from other languages, with what to write here.
_INSTEAD = {
    **dict.fromkeys(("=", "==="), "Write == to compare."),
    **dict.fromkeys(("<>", "!==", "≠"), "Write !=."),
    **dict.fromkeys(("&", "&&"), "Write and."),
    **dict.fromkeys(("|", "||"), "Write or."),
    **dict.fromkeys(("!", "~"), "Write not."),
    **dict.fromkeys(("=>", "≥"), "Write >=."),
    **dict.fromkeys(("=<", "≤"), "Write <=."),
    **dict.fromkeys("\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb", 'Write straight quotes, as in "text".'),
    **dict.fromkeys("\u2212\u2013\u2014", "Write -."),
    "\u00d7": "Write *.",
    "\u00f7": "Write /.",
    "**": "Write x * x for a square.",
    "`": 'Write col("any column name").',
    ".": 'Write lower(text), not text.lower(). Write a column whose name has a point as col("a.b").',
}
_INSTEAD_OF_WORD = {
    "is": "Write == to compare, or is_missing(column).",
    "between": "Write 0 < x and x <= 10, or 0 < x <= 10.",
    "like": 'Write contains(text, "word") or matches(text, "pattern").',
    **{word: f"Write '{word}' in lower case." for word in ("and", "or", "not", "in")},
}


class ExpressionError(SliceError):
    """Report an expression that cannot be used, with the place.

    Attributes
    ----------
    problem : str
        What is wrong and what to do, without the place.
    position : int
        Offset into the text, from 0. The message counts from 1.
    text : str
        The whole expression.
    name : str
        The slice that it belongs to, if it belongs to one.

    Examples
    --------
    >>> error = ExpressionError("unknown column 'agee'. Did you mean 'age'?", 4, "not agee > 3")
    >>> print(error)
    Expression, position 5: unknown column 'agee'. Did you mean 'age'?
    >>> print(error.with_caret())
    not agee > 3
        ^
    """

    def __init__(self, problem: str, position: int, text: str, name: str = "") -> None:
        # All are passed on, so that the error survives pickling between processes.
        super().__init__(problem, position, text, name)
        self.problem, self.position, self.text, self.name = problem, position, text, name

    def __str__(self) -> str:
        """Say the place, then the problem."""
        where = f"Slice {self.name!r}: " if self.name else ""
        return f"{where}Expression, position {self.position + 1}: {self.problem}"

    def of(self, name: str) -> ExpressionError:
        """Say which slice the expression belongs to."""
        return ExpressionError(self.problem, self.position, self.text, name)

    def with_caret(self, width: int = 100) -> str:
        """Show the line that is wrong, at most `width` characters of it, over a caret."""
        start = max(self.text.rfind("\n", 0, self.position) + 1, self.position - width // 2)
        shown = "".join(c if c.isprintable() else " " for c in self.text[start:].split("\n")[0][:width])
        before = shown[: self.position - start].ljust(self.position - start)
        # Chinese, Japanese and Korean characters are two columns wide in a terminal.
        columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in before)
        return f"{shown}\n{' ' * columns}^"


@dataclass(frozen=True)
class Token:
    """Hold one word of an expression: a name, a text, a number or a sign."""

    kind: Literal["name", "text", "number", "sign", "start", "end"]
    source: str
    start: int
    value: str | float | None = None

    @property
    def is_leaf(self) -> bool:
        """Tell whether the token is a value."""
        return self.kind in ("name", "text", "number")


def quoted(source: str) -> str:
    """Quote a piece of an expression for a message, shortened when long.

    >>> quoted("length(text)")
    "'length(text)'"
    """
    source = " ".join(source.split())
    return f"'{source}'" if len(source) <= 40 else f"'{source[:37]}...'"


def read_tokens(text: str) -> list[Token]:
    """Split an expression into tokens and check that values and operators alternate.

    Examples
    --------
    >>> [token.source for token in read_tokens("age >= 65 and not member")]
    ['age', '>=', '65', 'and', 'not', 'member']
    """
    if not isinstance(text, str):
        raise ExpressionError(f"an expression must be a text, such as 'age >= 65'. Got {type(text).__name__}.", 0, "")
    if len(text) > MAX_CHARACTERS:
        problem = f"an expression can have at most {MAX_CHARACTERS:,} characters. Got {len(text):,}."
        raise ExpressionError(problem, MAX_CHARACTERS, text)
    tokens: list[Token] = []
    order, position, n_operators = _Order(text), 0, 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        else:
            tokens.append(_next_token(text, position))
            order.take(tokens[-1])
            n_operators += tokens[-1].source in _INFIX
            if n_operators > MAX_OPERATORS:
                problem = (
                    f"more than {MAX_OPERATORS} comparisons and operators. Split the expression into several slices."
                )
                raise ExpressionError(problem, position, text)
            position += len(tokens[-1].source)
    order.take(Token("end", "", len(text)))
    return tokens


class _Order:
    """Follow the tokens from left to right and refuse the first that cannot stand where it stands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.opened: list[Token] = []
        self.previous = Token("start", "", 0)
        self.wants_value = True
        self.prefixes = 0

    def take(self, token: Token) -> None:
        """Take the next token."""
        previous = self.previous
        opens = token.source in _BRACKETS if self.wants_value else token.source == "(" and previous.kind == "name"
        if opens:
            self.opened.append(token)
            self.wants_value = True
        elif token.source in (")", "]") and (not self.wants_value or previous.source in ("(", "[", ",")):
            self._close(token)
            self.wants_value = False
        elif self.wants_value:
            self._check_value(token)
            self.wants_value = not token.is_leaf
        else:
            self._check_operator(token)
            self.wants_value = True
        if len(self.opened) + self.prefixes > MAX_DEPTH:
            problem = f"more than {MAX_DEPTH} nested brackets or signs. Split the expression into two slices."
            raise self._error(token, problem)
        self.previous = token

    def _check_value(self, token: Token) -> None:
        """Take a token where a value must start."""
        current, before = quoted(token.source), quoted(self.previous.source)
        if token.is_leaf:
            self.prefixes = 0
        elif token.source in ("+", "-", "not"):
            if token.source == "not" and self.previous.source in _SIGNS:
                raise self._error(token, f"'not' after {before} needs brackets, as in (not ...).")
            self.prefixes += 1
        elif token.kind == "end" and self.previous.kind == "start":
            raise self._error(self.previous, "the expression is empty. Write a condition, such as age >= 65.")
        elif token.kind == "end":
            raise self._error(self.previous, f"something is missing after {before}.")
        elif self.previous.kind == "start":
            raise self._error(token, f"something is missing before {current}.")
        else:
            raise self._error(token, f"something is missing after {before} and before {current}.")

    def _check_operator(self, token: Token) -> None:
        """Take a token where an operator must stand."""
        if token.kind == "end":
            if self.opened:
                raise self._error(self.opened[-1], f"this {quoted(self.opened[-1].source)} is never closed.")
        elif token.source == ",":
            if not self.opened:
                example = 'country in ("FR", "DE")'
                raise self._error(
                    token, (f"a comma is only allowed in brackets, as in {example}. Write decimals with a point: 0.5.")
                )
        elif token.kind != "sign" or " ".join(token.source.split()) not in _INFIX:
            pair = (self.previous, token)
            hints = [_INSTEAD_OF_WORD.get(t.source.casefold(), "") for t in pair if t.kind == "name"]
            hint = next((f" {hint}" for hint in hints if hint), "")
            between = " and ".join(quoted(t.source) for t in pair)
            raise self._error(token, f"an operator, such as 'and', is missing between {between}.{hint}")

    def _close(self, token: Token) -> None:
        if not self.opened:
            raise self._error(token, f"this {quoted(token.source)} has no opening bracket.")
        opening = self.opened.pop()
        if _BRACKETS[opening.source] != token.source:
            wanted = quoted(_BRACKETS[opening.source])
            raise self._error(token, f"{quoted(token.source)} closes {quoted(opening.source)}. Write {wanted}.")

    def _error(self, token: Token, problem: str) -> ExpressionError:
        return ExpressionError(problem, token.start, self.text)


def _next_token(text: str, start: int) -> Token:
    """Read the token that starts at an offset that is not white space."""
    if match := _TEXT.match(text, start):
        return Token("text", match.group(), start, _unescape(text, start, match.group(1) or match.group(2) or ""))
    if re.compile("[rR]?[\"']").match(text, start):
        raise ExpressionError("this quote is never closed.", start, text)
    if match := _NUMBER.match(text, start):
        return Token("number", match.group(), start, _number(text, start, match.group()))
    if foreign := _FOREIGN.match(text, start):
        raise _sign_error(text, start, foreign.group())
    if sign := _SIGN.match(text, start):
        return Token("sign", sign.group(), start)
    if not text[start].isidentifier():
        raise _sign_error(text, start, text[start])
    name = _word(text, start)
    if text[start + len(name) :].startswith(('"', "'")):
        raise ExpressionError(
            f"{quoted(name)} comes right before a quote. Remove it: texts have no prefix.", start, text
        )
    return Token("sign" if name in ("and", "or", "not", "in") else "name", name, start)


def _word(text: str, start: int) -> str:
    end = start
    # Asked of '_' + character, isidentifier also accepts digits and the combining marks of many scripts.
    while end < len(text) and f"_{text[end]}".isidentifier():
        end += 1
    return text[start:end]


def _number(text: str, start: int, source: str) -> float:
    """Check a number and return it."""
    if rest := _word(text, start + len(source)):
        problem = f"{quoted(source + rest)} is not a number. Write digits, a decimal point and an exponent only."
        raise ExpressionError(problem, start, text)
    value = float(source)
    if value > MAX_WHOLE_NUMBER and source.isdigit() and value != float("inf"):
        problem = (
            f"whole numbers beyond {MAX_WHOLE_NUMBER} are not exact. Write {value:g} if an approximation is enough."
        )
        raise ExpressionError(problem, start, text)
    if value == float("inf"):
        raise ExpressionError(f"the number {quoted(source)} is too large.", start, text)
    return value


def _unescape(text: str, start: int, body: str) -> str:
    """Return what a quoted text means: a backslash means itself, except before a quote."""
    for character in body:
        if unicodedata.category(character) in ("Cc", "Cs") and character != "\t":
            problem = f"the character U+{ord(character):04X} is not allowed in a text."
            raise ExpressionError(problem, text.index(character, start), text)
    return re.sub(r"\\([\"'])", r"\1", body)


def _sign_error(text: str, start: int, sign: str) -> ExpressionError:
    shown = quoted(sign) if sign.isprintable() else f"the character U+{ord(sign):04X}"
    hint = f" {_INSTEAD[sign]}" if sign in _INSTEAD else ""
    return ExpressionError(f"{shown} is not part of the language.{hint}", start, text)
