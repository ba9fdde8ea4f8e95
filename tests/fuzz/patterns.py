"""Conditions of the little language and regular expressions: grown from their grammar, then damaged now and then."""

from __future__ import annotations

import random

from tests.fuzz.mutating import ODD_NUMBERS, damage_words, odd_text

_COLUMNS = ("n", "x", "text", "other", "country", "flag", "when", "y", 'col("text")', 'col("no such")', "nope")
_PIECES = (
    *(
        "a",
        "not",
        "é",
        ".",
        "^",
        "$",
        r"\b",
        r"\B",
        r"\w",
        r"\d+",
        r"\s",
        r"\S*",
        "[a-z]",
        "[^\\w]",
        "[",
        "]",
        "(",
        ")",
    ),
    *("(?i)", "(?s)", "(?P<n>a)", "(?<n>a)", "(?:a|b)", "(?=a)", "(?!a)", "(?<=a)", "(?>a)", r"\1", r"\k<n>", "(?#c)"),
    *("*", "+", "?", "{2}", "{1,1000}", "{1001}", "{99999999999999999999}", "{,3}", "{3,1}", "++", "*?", "|", "||"),
    *(r"\p{L}", r"\p{Greek}", r"\p{Nope}", r"\pL", r"\x{41}", r"\x{110000}", r"\u0041", r"\Q", r"\E", r"\C", r"\z"),
    *("(a+)+$", "(a|aa)+!", "(.*)*", "(a{1,100}){1,100}", "((a{0,30}){0,30}){0,30}", "[[:alpha:]]", "[a&&b]", "\\"),
    *("\0", "\n", "🙂", "\u0130", "[\\d-z]", "[z-a]", "(?U)a+", "(?x) a # c", "(?-i)", "(?i-s:a)", r"\R", r"\X", r"\G"),
)


def make_pattern(rng: random.Random) -> str:
    """Join pieces of regular expressions, at times many or deep in brackets."""
    how = rng.random()
    pattern = "".join(rng.choice(_PIECES) for _ in range(rng.choice((1, 2, 3, 4, 6, 10, 25))))
    if how < 0.05:
        depth = rng.choice((50, 99, 100, 101, 500, 1_200, 5_000))
        return "(" * depth + pattern + ")" * depth
    if how < 0.1:
        return pattern * rng.choice((10, 100, 1_000))
    if how < 0.15:
        return "|".join([pattern] * rng.choice((2, 50, 400)))
    return damage_words(pattern, rng) if how < 0.3 else pattern


def make_condition(rng: random.Random) -> str:
    """Grow a condition, at times a long or deep one, and damage some."""
    how = rng.random()
    if how < 0.04:
        depth = rng.choice((10, 39, 40, 41, 300, 2_000))
        sign = rng.choice(("(", "not ", "-", "abs(", "lower("))
        return sign * depth + _condition(rng, 1) + ")" * (depth * sign.count("("))
    if how < 0.1:
        many = rng.choice((20, 99, 100, 101, 400, 1_200))
        joiner = rng.choice((" and ", " or ", " < ", " + ", " == "))
        return joiner.join([_number(rng, 1) if joiner in " <  +  == " else _condition(rng, 1)] * many)
    text = _condition(rng, rng.choice((1, 2, 3, 4, 6)))
    return damage_words(text, rng) if how < 0.5 else text


def _condition(rng: random.Random, depth: int) -> str:
    if depth <= 0:
        return rng.choice(("flag", f"is_missing({rng.choice(_COLUMNS)})", "n > 2", 'contains(text, "not")', "true"))
    how = rng.randrange(8)
    if how <= 1:
        return f"({_condition(rng, depth - 1)} {rng.choice(('and', 'or'))} {_condition(rng, depth - 1)})"
    if how == 2:
        return f"not {_condition(rng, depth - 1)}"
    if how <= 4:
        sign = rng.choice(("==", "!=", "<", "<=", ">", ">="))
        return f"{_number(rng, depth - 1)} {sign} {_number(rng, depth - 1)}"
    if how == 5:
        name = rng.choice(("contains", "starts_with", "ends_with", "matches"))
        return f"{name}({rng.choice(_COLUMNS)}, {_quoted(rng)})"
    if how == 6:
        items = ", ".join(rng.choice((_quoted(rng), rng.choice(ODD_NUMBERS))) for _ in range(rng.choice((1, 2, 60))))
        return f"{rng.choice(_COLUMNS)} {rng.choice(('in', 'not in'))} ({items})"
    return f"{rng.choice(_COLUMNS)} {rng.choice(('==', '<', '!='))} {_quoted(rng)}"


def _number(rng: random.Random, depth: int) -> str:
    how = rng.randrange(6) if depth > 0 else rng.randrange(3)
    if how <= 1:
        return rng.choice(("n", "x", "words(text)", "length(other)", "y", "n"))
    if how == 2:
        return rng.choice(ODD_NUMBERS) if rng.random() < 0.5 else str(rng.randrange(10))
    if how == 3:
        return f"{rng.choice(('abs', 'min', 'max'))}({_number(rng, depth - 1)}, {_number(rng, depth - 1)})"
    return f"({_number(rng, depth - 1)} {rng.choice('+-*/%')} {_number(rng, depth - 1)})"


def _quoted(rng: random.Random) -> str:
    text = rng.choice(("not", "FR", "a+", "(a+)+$", r"\bso\b", odd_text(rng)))
    return '"' + text.replace('"', r"\"") + '"'
