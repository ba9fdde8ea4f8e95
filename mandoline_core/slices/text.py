r"""Patterns for text: regular expressions that mean the same in every engine.

PyArrow and pandas run regular expressions in RE2, Polars in Rust's regex crate. Both are linear in time
and neither knows look-around or backreferences. They differ in ``\w``, ``\d`` and ``\s`` (ASCII in RE2, Unicode
in Rust), so patterns are written with Unicode classes, which mean the same in both. Word boundaries (``\b``) have no
other spelling: a pattern with one is left to RE2 on every engine, where it stands beside ASCII letters only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate
from typing import Literal

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.data import PANDAS_READS_RE2
from mandoline_core.domain_classifier import LETTERS
from mandoline_core.errors import SliceError

# What may stand inside a class: white space in any script.
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

# In a list of words: a phrase in quotes, or what stands between two separators.
_PIECE = re.compile(r'"([^"]*)"|([^",;\t\r\n]+)')
_STRAIGHT = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'))
_OPEN, _CLOSE = "\ue000", "\ue001"  # private characters, which mark what an engine finds
_LONGEST = 20_000  # characters of a text that are looked at to mark something in it
_SURELY_FINE = 2_000  # characters of a keyword pattern that no engine finds too many
_MOST_REPETITIONS, _MOST_NESTED, _MOST_CHARACTERS = 1_000, 100, 20_000


def split_words(text: str) -> tuple[str, ...]:
    """Split a typed or pasted list at commas, semicolons, tabs and line endings; quotes keep a phrase.

    Examples
    --------
    >>> split_words('actor, plot; "well, well"')
    ('actor', 'plot', 'well, well')
    >>> split_words("not good")
    ('not good',)
    """
    pieces = (quoted or plain for quoted, plain in _PIECE.findall(text.translate(_STRAIGHT)))
    return tuple(dict.fromkeys(word for piece in pieces if (word := " ".join(piece.split()))))


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
    body = f"(?:{_any_of(words)})"
    if whole_words:
        body = f"{_BEFORE}{body}{_AFTER}"
    return body if case else f"(?i){body}"


def find_keywords(
    texts: Sequence[str], words: Iterable[str], *, case: bool = False, whole_words: bool = True
) -> list[list[tuple[int, int]]]:
    """Find the places in each text that `keyword_pattern` matches, without the characters around them.

    Examples
    --------
    >>> find_keywords(["Not so, not not"], ["not"])
    [[(0, 3), (8, 11), (12, 15)]]
    """
    body = _any_of(sorted(words, key=len, reverse=True))
    edges = (rf"\A|[^{LETTERS}{_OPEN}]", rf"\z|[^{LETTERS}]") if whole_words else ("", "")
    pattern = f"{'' if case else '(?i)'}({edges[0]})({body})({edges[1]})"
    # What follows a match is part of it, and cannot stand before the next: a second round finds that.
    return _marked(texts, pattern, rf"\1{_OPEN}\2{_CLOSE}\3", rounds=2 if whole_words else 1)


def find_pattern(texts: Sequence[str], pattern: str) -> list[list[tuple[int, int]]]:
    r"""Find the places in each text that a regular expression matches, in the linear time of the engines.

    Examples
    --------
    >>> find_pattern(["9 of 12"], r"\d+")
    [[(0, 1), (5, 7)]]
    """
    return _marked(texts, f"({portable_regex(pattern)})", rf"{_OPEN}\1{_CLOSE}")


def _marked(texts: Sequence[str], pattern: str, replacement: str, rounds: int = 1) -> list[list[tuple[int, int]]]:
    """Let RE2 put characters that no text has around what it finds, and read off where they are.

    All texts at once: getting a pattern ready takes longer than looking for it.
    """
    marked = pa.array([text[:_LONGEST].replace(_OPEN, " ").replace(_CLOSE, " ") for text in texts], pa.string())
    for _ in range(rounds):
        marked = pc.replace_substring_regex(marked, pattern, replacement)
    return [_spans(text) for text in marked.to_pylist()]


def _spans(marked: str) -> list[tuple[int, int]]:
    spans, start, position, depth = [], 0, 0, 0
    for character in marked:
        if character == _OPEN:
            start = position if depth == 0 else start
            depth += 1
        elif character == _CLOSE:
            depth -= 1
            if depth == 0 and position > start:  # a word within a phrase is marked already
                spans.append((start, position))
        else:
            position += 1
    return spans


@lru_cache(maxsize=512)
def check_regex(pattern: str) -> None:
    r"""Refuse a regular expression that not every engine can run, by trying those there are.

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
        raise SliceError(f"Pattern {_shown(pattern)} uses {name}, which is not supported. {remedy}")
    reason = _invalid(pattern)
    if reason:
        raise SliceError(f"Pattern {_shown(pattern)} is not a valid regular expression: {reason}.")
    if not _runs(portable_regex(pattern)):
        raise SliceError(f"Pattern {_shown(pattern)} is too large or not supported. Make it shorter or simpler.")


@lru_cache(maxsize=512)
def check_keywords(pattern: str) -> None:
    """Refuse a `keyword_pattern` of more words than the engines can look for at once.

    >>> check_keywords(keyword_pattern(["not", "never"]))
    """
    if len(pattern) > _SURELY_FINE and not _runs(pattern):
        raise SliceError("Too many words to search for at once. Split the list into several slices.")


def _invalid(pattern: str) -> str:
    """Say what is wrong with a pattern in RE2's words, if it is a matter of spelling."""
    try:
        pc.match_substring_regex(pa.array([""]), pattern)
    except pa.ArrowInvalid as error:
        reason = str(error).removeprefix("Invalid regular expression: ")
        return "" if reason.startswith("pattern too large") else _short(reason)
    except UnicodeEncodeError:
        return "it contains half of a surrogate pair"
    return ""


def _runs(pattern: str) -> bool:
    """Tell whether every engine that is installed takes a pattern."""
    engines: dict[Literal["pyarrow", "pandas", "polars"], bool] = {
        "pyarrow": True,
        "pandas": PANDAS_READS_RE2,
        "polars": find_spec("polars") is not None,
    }
    try:
        for engine in (name for name, asked in engines.items() if asked):
            texts = nw.new_series("text", ["a"], nw.String(), backend=engine)
            texts.to_frame().select(nw.col("text").str.contains(pattern))
    except Exception:  # noqa: BLE001 - each engine has errors of its own, some of them Python's
        return False
    return True


def _shown(pattern: str) -> str:
    return repr(_short(pattern))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def portable_regex(pattern: str) -> str:
    r"""Rewrite a regular expression so that ``\d``, ``\w`` and ``\s`` mean the same in every engine.

    Word boundaries (``\b``) stay as they are: see `has_boundary`.

    Examples
    --------
    >>> print(portable_regex(r"\d+[\d.]"))
    \pL{0}\p{Nd}+[\p{Nd}.]
    """
    parts = []
    for token, bracketed in _tokens(pattern):
        outside, inside = _CLASSES.get(token[1:], (token, token)) if token[0] == "\\" else (token, token)
        parts.append((inside or token) if bracketed else outside)
    # "No letter" changes nothing, but Python's re cannot read it: pandas, which would hand some patterns to re
    # (another meaning, and time without bound), keeps to RE2. It stands first: re warns of what it finds before it.
    return r"\pL{0}" + "".join(parts)


def has_boundary(pattern: str) -> bool:
    r"""Tell whether a regular expression has word boundaries: RE2 knows them next to ASCII characters only.

    >>> has_boundary(r"\bnot\b"), has_boundary(r"[\b]|\\bnot")
    (True, False)
    """
    return any(token in (r"\b", r"\B") and not bracketed for token, bracketed in _tokens(pattern))


def search_texts(texts: pa.Array, pattern: str) -> pa.Array:
    r"""Search texts of any engine with RE2: 1 found, -1 not found, 0 no text.

    >>> search_texts(pa.array(["not", "knot", None]), r"\bnot").to_pylist()
    [1, -1, 0]
    """
    matches = pc.match_substring_regex(texts, portable_regex(pattern))
    return pc.if_else(matches, pa.scalar(1, pa.int8()), pa.scalar(-1, pa.int8())).fill_null(0)


def lower(text: nw.Expr) -> nw.Expr:
    """Write a text in lower case, character by character.

    >>> frame = nw.from_native(pa.table({"text": ["\u039f\u0394\u039f\u03a3"]}))
    >>> frame.select(lower(nw.col("text")))["text"].to_list() == ["\u03bf\u03b4\u03bf\u03c3"]
    True
    """
    # Rust writes a sigma at the end of a word, and a dotted I, otherwise than the others: it never gets to see them.
    for large, small in (("\u03a3", "\u03c3"), ("\u0130", "i")):
        text = text.str.replace_all(large, small, literal=True)
    return text.str.to_lowercase()


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


def _any_of(words: Iterable[str]) -> str:
    stripped = [word.strip() for word in words if word.strip()]
    # As written, and with composed accents: _character() then takes each accent as one character or two.
    forms = dict.fromkeys(form for word in stripped for form in (word, unicodedata.normalize("NFC", word)))
    if not forms:
        raise SliceError("A keyword rule needs at least one word. Got none.")
    return "|".join(rf"[{SPACES}]+".join("".join(map(_character, word)) for word in form.split()) for form in forms)


def _character(character: str) -> str:
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
    unescaped = re.sub(r"\\[^1-9kgP]", "\0", plain)  # something stays in its place: \w+\s+ has no "++"
    if re.search(r"\(\?(?:[=!]|<[=!])", unescaped):
        return "look-around", "Remove it, or combine two slices with kind 'all' and 'not'."
    if re.search(r"\\[1-9]|\\[kg][<{']|\(\?P=", unescaped):
        return "a backreference", "Write out what it repeats."
    if re.search(r"\(\?>|[*+?}]\+", unescaped):
        return "an atomic group or a possessive repetition", "Use an ordinary group or repetition."
    counts = re.findall(r"\{0*([0-9]*),?0*([0-9]*)\}", unescaped)
    if any(len(count) > 4 or int(count or 0) > _MOST_REPETITIONS for pair in counts for count in pair):
        return f"a repetition of more than {_MOST_REPETITIONS:,} times", "Use a smaller number, or * or +."
    if len(pattern) > _MOST_CHARACTERS:
        return (
            f"more than {_MOST_CHARACTERS:,} characters",
            "Split it into several slices, and combine them with kind 'any'.",
        )
    depths = accumulate({"(": 1, ")": -1}.get(character, 0) for character in unescaped)
    if max(depths, default=0) > _MOST_NESTED:
        return f"more than {_MOST_NESTED} nested brackets", "Use fewer."
    return None
