"""Spelling: numbers, dates, signs of comparison and quotes as people type them."""

from __future__ import annotations

import re
from datetime import date

from mandoline_core.data import read_date
from mandoline_core.formatting import tidy_number

COMPARING = re.compile(r"<=|>=|=<|=>|==|!=|<>|[<>=~≤≥≠]")
_SPELLINGS = {"=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "==": "=", "<>": "!=", "≠": "!="}
_NUMBER = re.compile(r"([+-]?)(?:(\d{1,3}(?:[,_ ]\d{3})+|\d+)?(?:[.](\d*))?|(\d+),(\d+))(?:[eE]([+-]?\d{1,3}))?(%?)")
_QUOTED = re.compile(r'"[^"]*(?:"|$)|`[^`]*(?:`|$)|\u201c[^\u201d]*(?:\u201d|$)')
_BRACKETED, _OPENED = re.compile(r"[(\[][^()\[\]]*[)\]]"), re.compile(r"[(\[].*", re.DOTALL)
# Pages put such characters between the signs of a rule, or where a line may break; they come along when it is copied.
_INVISIBLE = str.maketrans("", "", "\u200b\u2060\ufeff")
QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d"}


def as_typed(text: str) -> str:
    r"""Remove the invisible characters that come along when a rule is copied from a page.

    >>> as_typed("age >\u2060= 65")
    'age >= 65'
    """
    return text.translate(_INVISIBLE)


def split_comparison(text: str) -> tuple[list[str], list[str]]:
    """Part a line at its signs of comparison, but for those in quotes or brackets.

    >>> split_comparison('"a<b" <= max(a > b, 3)'), split_comparison("text ~ a<b")
    ((['"a<b"', 'max(a > b, 3)'], ['<=']), (['text', 'a<b'], ['~']))
    """
    masked, plain = _QUOTED.sub(_blank, text), ""
    while plain != masked:  # from the innermost brackets outwards; one that is never closed goes to the end
        plain, masked = masked, _BRACKETED.sub(_blank, masked)
    found = list(COMPARING.finditer(_OPENED.sub(_blank, masked)))
    # A pattern may hold signs of its own: what comes after ~ is left as it is.
    signs = found[: next((number for number, sign in enumerate(found, start=1) if sign[0] == "~"), None)]
    starts, ends = [0, *(sign.end() for sign in signs)], [*(sign.start() for sign in signs), len(text)]
    sides = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return sides, [_SPELLINGS.get(sign[0], sign[0]) for sign in signs]


def _blank(piece: re.Match[str]) -> str:
    return " " * len(piece[0])


def read_number(text: str) -> float | None:
    """Read a number as people write it; None if it is not one.

    >>> [read_number(text) for text in ("75", "1,000", "0,5", "1.5e3", "60%", "-3", "x", "")]
    [75, 1000, 0.5, 1500, 0.6, -3, None, None]
    """
    text = text.strip().replace("\u2212", "-")
    parts = _NUMBER.fullmatch(text)
    if not parts or not any(character.isdigit() for character in text):
        return None
    sign, whole, decimals, before_comma, after_comma, exponent, percent = parts.groups()
    if whole and whole.startswith("0,"):
        whole, decimals = whole.split(",", 1)
    digits = before_comma if before_comma is not None else re.sub(r"[,_ ]", "", whole or "0")
    value = float(f"{sign}{digits}.{(after_comma or decimals or '0')}e{exponent or 0}")
    return tidy_number(value / 100 if percent else value)


def read_bound(text: str) -> float | date | None:
    """Read a number or a date, in quotes or without; None if it is neither.

    >>> read_bound("1,000"), read_bound('"2024-03-01"'), read_bound("soon")
    (1000, datetime.date(2024, 3, 1), None)
    """
    number = read_number(text)
    return read_date(unquoted(text)) if number is None else number


def unquoted(text: str) -> str:
    """Remove the quotes around a text."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and QUOTES.get(text[0]) == text[-1] else text
