r"""Patterns for text: regular expressions that mean the same in every engine.

PyArrow and pandas run regular expressions in RE2, Polars in Rust's regex crate. Both are linear in time
and neither knows look-around or backreferences. They differ in ``\w``, ``\d`` and ``\s`` (ASCII in RE2, Unicode
in Rust), so patterns are written with Unicode classes, which mean the same in both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.errors import SliceError

# What may stand inside a class: the letters of a word in any script, and white space in any script.
LETTERS = r"\p{L}\p{M}\p{N}_"
SPACES = r"\t-\r\x{85}\p{Z}"
# \A and \z rather than ^ and $: in some engines $ also matches before a final newline.
_BEFORE = rf"(?:\A|[^{LETTERS}])"
_AFTER = rf"(?:\z|[^{LETTERS}])"
APOSTROPHES = "'\u2019\u02bc"
# The Unicode reading of the classes that RE2 reads as ASCII: outside brackets, inside brackets.
_CLASSES = {
    "d": (r"\p{Nd}", r"\p{Nd}"),
    "D": (r"\P{Nd}", r"\P{Nd}"),
    "w": (f"[{LETTERS}]", LETTERS),
    "W": (f"[^{LETTERS}]", None),
    "s": (f"[{SPACES}]", SPACES),
    "S": (f"[^{SPACES}]", None),
}


def keyword_pattern(words: Iterable[str], *, case: bool = False, whole_words: bool = True) -> str:
    r"""Build the regular expression that finds any of some words or phrases.

    Parameters
    ----------
    words : iterable of str
        Words or phrases; they may hold spaces and punctuation. Straight and curly apostrophes match each
        other, and a space matches any run of white space.
    case : bool
        Match upper and lower case as written.
    whole_words : bool
        Refuse a match inside a longer word.

    Returns
    -------
    str
        A pattern for RE2 and for Rust's regex crate.

    Examples
    --------
    >>> keyword_pattern(["not"], whole_words=False)
    '(?i)(?:not)'
    >>> import pyarrow.compute as pc
    >>> pattern = keyword_pattern(["not", "C++", "été"])
    >>> pc.match_substring_regex(["Not here", "knot", "in C++, yes", "L'Été"], pattern).to_pylist()
    [True, False, True, True]
    """
    stripped = [word.strip() for word in words if word.strip()]
    # As written, and with composed accents: _letter() then takes each accent as one character or two.
    forms = dict.fromkeys(form for word in stripped for form in (word, unicodedata.normalize("NFC", word)))
    if not forms:
        raise SliceError("A keyword rule needs at least one word. Got none.")
    body = f"(?:{'|'.join(_phrase(form) for form in forms)})"
    if whole_words:
        body = f"{_BEFORE}{body}{_AFTER}"
    return body if case else f"(?i){body}"


def check_regex(pattern: str) -> None:
    r"""Refuse a regular expression that not every engine can run.

    Examples
    --------
    >>> check_regex(r"https?://\S+")
    >>> check_regex("(not")
    Traceback (most recent call last):
    ...
    mandoline_core.errors.SliceError: Pattern '(not' is not a valid regular expression: missing ): (not.
    """
    unsupported = _unsupported(pattern)
    if unsupported:
        name, remedy = unsupported
        raise SliceError(f"Pattern {pattern!r} uses {name}, which the engines behind Mandoline do not run. {remedy}")
    try:
        pc.match_substring_regex(pa.array([""]), pattern)
    except pa.ArrowInvalid as error:
        reason = str(error).removeprefix("Invalid regular expression: ")
        raise SliceError(f"Pattern {pattern!r} is not a valid regular expression: {reason}.") from None


def portable_regex(pattern: str) -> str:
    r"""Rewrite a regular expression so that ``\d``, ``\w`` and ``\s`` mean the same in every engine.

    Word boundaries (``\b``) stay as they are: RE2 sees them beside ASCII letters only, Polars beside all
    letters. A keyword rule has no such difference.

    Examples
    --------
    >>> print(portable_regex(r"\d+[\d.]"))
    \p{Nd}+[\p{Nd}.]\pL{0}
    """
    parts = []
    for token, bracketed in _tokens(pattern):
        outside, inside = _CLASSES.get(token[1:], (token, token)) if token[0] == "\\" else (token, token)
        parts.append((inside or token) if bracketed else outside)
    # "No letter" changes nothing, but Python's re cannot read it: pandas, which would hand some patterns to re
    # (another meaning, and time without bound), keeps to RE2.
    return "".join(parts) + r"\pL{0}"


def count_words(text: nw.Expr) -> nw.Expr:
    """Count the runs of characters between white space, row by row.

    Examples
    --------
    >>> frame = nw.from_native(pa.table({"text": ["one  two", " ", "three"]}))
    >>> frame.select(count_words(nw.col("text")).alias("n"))["n"].to_list()
    [2, 0, 1]
    """
    # One pass leaves one letter a word; a text of white space alone has nothing to leave and is set to 0 after.
    marks = text.str.replace_all(rf"[{SPACES}]*[^{SPACES}]+[{SPACES}]*", "x")
    blank = ~text.str.contains(rf"[^{SPACES}]")
    return nw.when(blank & ~text.is_null()).then(nw.lit(0)).otherwise(marks.str.len_chars())


def _phrase(words: str) -> str:
    return rf"[{SPACES}]+".join("".join(map(_letter, word)) for word in words.split())


def _letter(character: str) -> str:
    parts = unicodedata.normalize("NFD", character)
    if parts == character:
        return _escape(character)
    return f"(?:{_escape(character)}|{''.join(map(_escape, parts))})"


def _escape(character: str) -> str:
    if character in APOSTROPHES:
        return f"[{APOSTROPHES}]"
    # re.escape also escapes characters that the engines refuse to see escaped.
    return "\\" + character if character in r"\.+*?()|[]{}^$#&-~" else character


def _tokens(pattern: str) -> Iterable[tuple[str, bool]]:
    """Yield each character or escape with whether it stands inside brackets."""
    bracketed, position = False, 0
    while position < len(pattern):
        piece = pattern[position : position + (2 if pattern[position] == "\\" else 1)]
        if piece == "[" and not bracketed:
            yield piece, False
            bracketed = True
            # A closing bracket that comes first stands for itself.
            first = re.match(r"\^?\]", pattern[position + 1 :])
            if first:
                yield first.group(), True
                position += len(first.group())
            position += 1
            continue
        if piece == "]" and bracketed:
            bracketed = False
        yield piece, bracketed
        position += len(piece)


def _unsupported(pattern: str) -> tuple[str, str] | None:
    """Name what RE2 and Rust's crate do not run, with what to do instead."""
    plain = "".join("\0" * len(token) if bracketed else token for token, bracketed in _tokens(pattern))
    unescaped = re.sub(r"\\[^1-9kgP]", "", plain)
    if re.search(r"\(\?(?:[=!]|<[=!])", unescaped):
        return "look-around", "Write it without, or combine two slices with kind 'all' and 'not'."
    if re.search(r"\\[1-9]|\\[kg][<{']|\(\?P=", unescaped):
        return "a backreference", "Write out what it repeats."
    if re.search(r"\(\?>|[*+?}]\+", unescaped):
        return "an atomic group or a possessive repetition", "Use an ordinary group or repetition: it is as fast."
    return None
