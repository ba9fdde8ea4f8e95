"""Reading: one line, as a person types it, becomes a rule on the columns there are."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import narwhals as nw

from mandoline_core.data import class_name
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed, show_number, tidy_number
from mandoline_core.slices.codes import slice_codes
from mandoline_core.slices.expression.compiling import compile_expression_code
from mandoline_core.slices.expression.tree import written_column, written_text
from mandoline_core.slices.kinds import (
    All,
    Any,
    Category,
    Classifier,
    Confidence,
    Entropy,
    Expression,
    Flag,
    Keyword,
    Length,
    Missing,
    Not,
    Overlap,
    Prediction,
    Range,
    Regex,
    Threshold,
)
from mandoline_core.slices.rule import Ground, Scalar, Slice
from mandoline_core.slices.text import split_words

_LONGEST_NAME = 60
_MOST_VALUES = 200  # a text column with more of them holds no categories
_NAMED = re.compile(r"""([^:()<>=~"'`/,]*[^:()<>=~"'`/,\s\d][^:()<>=~"'`/,]*):(?!/)\s*(.+)""", re.DOTALL)
_COMPARING = re.compile(r"<=|>=|=<|=>|==|!=|<>|[<>=~≤≥≠]")
_SPELLINGS = {"=<": "<=", "≤": "<=", "=>": ">=", "≥": ">=", "==": "=", "<>": "!=", "≠": "!="}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
_BOUNDS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}
# What may follow the name of a column, the longest first, with the sign that it stands for.
_SIGNS_IN_WORDS = {
    "is at least": ">=",
    "is at most": "<=",
    "is more than": ">",
    "is less than": "<",
    "at least": ">=",
    "at most": "<=",
    "more than": ">",
    "less than": "<",
    "fewer than": "<",
    "is above": ">",
    "is below": "<",
    "is one of": "=",
    "is not": "!=",
    "matches": "~",
    "equals": "=",
    "above": ">",
    "below": "<",
    "under": "<",
    "over": ">",
    "in": "=",
    "is": "=",
}
_NUMBER = re.compile(r"([+-]?)(?:(\d{1,3}(?:[,_ ]\d{3})+|\d+)?(?:[.](\d*))?|(\d+),(\d+))(?:[eE]([+-]?\d{1,3}))?(%?)")
_CALL = re.compile(r"(words|characters|length|is_missing|missing|overlap)\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_AND, _OR = re.compile(r"\s+and\s+"), re.compile(r"\s+or\s+")
_CLASSIFIER = re.compile(r"classifier(?:\s*\((.+)\))?", re.IGNORECASE | re.DOTALL)
_INTERVAL = re.compile(r"(?:is\s+)?(?:between\s+(.+?)\s+and|from\s+(.+?)\s+to)\s+(.+)", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d"}


def read_line(text: str, ground: Ground) -> Slice:
    """Read a rule from one line: what is typed into one box stands for a slice of the kind that fits.

    Parameters
    ----------
    text : str
        A word or several, separated by commas; a comparison such as ``age >= 65``; a pattern between slashes; and so
        on: see the examples. A name for the slice may stand before it, followed by a colon.
    ground : Ground
        What the rule can stand on: see `survey`.

    Returns
    -------
    Slice
        Under the given name, else under one made from the rule.

    Raises
    ------
    SliceError
        If the line cannot be read; an `ExpressionError` says where.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey
    >>> rows = {"text": ["it was not good at all", "well done"], "body temp": [70, 80], "port": ["EWR", "JFK"]}
    >>> sample = Sample(pd.DataFrame({**rows, "age": [30, None]}))
    >>> ground = survey(sample, sample, slices=["short", "old"])
    >>> lines = ["short: words(text) < 30", "actor, plot", "body temp >= 75", "60 < body temp < 75", "JFK"]
    >>> for line in lines:
    ...     rule = read_line(line, ground)
    ...     print(f"{rule.kind}, {rule.name}: {rule.describe()}")
    length, short: text below 30 words
    keyword, actor, plot: text contains actor or plot
    threshold, body temp at least 75: body temp at least 75
    range, body temp above 60 and below 75: body temp above 60 and below 75
    category, port is JFK: port is JFK
    >>> for line in ["age is missing", "/go+d/", "short and old", "age * 2 > 60"]:
    ...     print(read_line(line, ground).kind)
    missing
    regex
    all
    expression
    """
    found = _NAMED.fullmatch(text.strip())
    name, line = (found[1].strip(), found[2].strip()) if found else ("", text.strip())
    if not line:
        raise SliceError(f"The line is empty. Type a word, or a rule such as {example_line(ground)}")
    rule = _Reader(ground, name or _shortened(line, _LONGEST_NAME)).read(line)
    return replace(rule, name=name or _name_of(rule))


def example_line(ground: Ground) -> str:
    """Write a line that fits the data.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey
    >>> sample = Sample(pd.DataFrame({"n": [1, 2, 9]}))
    >>> example_line(survey(sample, sample))
    'n > 2'
    """
    if ground.prose is not None:
        return f"words({_quoted(ground.prose)}) < {show_number(ground.length)}"
    if ground.numbers:
        has_more = (ground.source.series(ground.numbers[0]) > ground.middle).any()
        return f"{_quoted(ground.numbers[0])} {'>' if has_more else '>='} {show_number(ground.middle)}"
    for column in ground.short_text:
        for value in ground.source.series(column).drop_nulls().head(1).to_list():
            return f"{_quoted(column)} = {value}"
    return f"{_quoted(ground.free[0])} is missing" if ground.free else "1 < n < 3"


class _Reader:
    """Try the ways to read a line, one after another."""

    def __init__(self, ground: Ground, name: str) -> None:
        self.ground = ground
        self.name = name  # that errors speak of
        self.columns = sorted(ground.columns, key=len, reverse=True)

    def read(self, text: str) -> Slice:
        ways: tuple[Callable[[str], Slice | None], ...] = (
            self._slashes,
            self._combination,
            self._comparison,
            self._after_column,
            self._call,
            self._looks_new,
            self._about_model,
            self._column_alone,
            self._expression,
            self._category,
            self._keyword,
        )
        for way in ways:
            rule = way(text)
            if rule is not None:
                return rule
        raise SliceError(
            f"{_shown(text)} is no rule, no column, no value of one and in no text. Try {example_line(self.ground)}"
        )

    # Ways that need no column

    def _slashes(self, text: str) -> Slice | None:
        """Read /pattern/, or /pattern/i for any case."""
        pattern, slash, flags = text[1:].rpartition("/")
        if not (text.startswith("/") and slash and pattern and flags in ("", "i")):
            return None
        if not self.ground.text:
            raise SliceError(f"No column holds text to look for a pattern in. Try {example_line(self.ground)}")
        return Regex(self.name, column=self.ground.text[0], pattern=f"(?i){pattern}" if flags else pattern)

    def _combination(self, text: str) -> Slice | None:
        """Read the names of slices, joined by 'and' or by 'or', or one after 'not'."""
        first, _, rest = text.partition(" ")
        if first.casefold() == "not" and (name := self._slice(rest)):
            return Not(self.name, of=(name,))
        for joined, kind in ((_AND, All), (_OR, Any)):
            names = [self._slice(part) for part in joined.split(text)]
            if len(names) > 1 and all(names):
                return kind(self.name, of=tuple(name for name in names if name))
        return None

    def _slice(self, text: str) -> str | None:
        return _found(_unquoted(text), self.ground.slices)

    def _about_model(self, text: str) -> Slice | None:
        """Read 'entropy', or 'predicted' with or without a class."""
        word, _, rest = text.partition(" ")
        if word.casefold() == "entropy" and not rest:
            return self._entropy()
        if word.casefold() == "predicted" and (not rest or self._classes([rest])):
            return self._predicted(rest)
        if text.casefold() == "confidence":
            raise SliceError("Say how sure the model is, such as confidence < 0.7")
        return None

    # Ways that start from columns

    def _comparison(self, text: str) -> Slice | None:
        """Read one sign between two sides, or two signs around a middle."""
        sides, signs = _split(text)
        if not signs or not all(sides):
            return None
        if signs == ["~"]:
            return self._matching(sides[0], sides[1])
        if len(signs) == 1:
            left, right = sides
            return self._compared(left, signs[0], right) or self._compared(right, _TURNED[signs[0]], left)
        if len(signs) == 2 and {sign[0] for sign in signs} in ({"<"}, {">"}):
            if signs[0][0] == ">":
                sides, signs = sides[::-1], [_TURNED[sign] for sign in signs[::-1]]
            low, high = _number(sides[0]), _number(sides[2])
            if low is not None and high is not None:
                return self._interval(sides[1], low, high, [sign == "<" for sign in signs])
        return None

    def _after_column(self, text: str) -> Slice | None:
        """Read a column's name and what follows it in words."""
        for column, rest in self._leading_columns(text):
            words = " ".join(rest.split())
            if words.casefold() in ("is missing", "is empty"):
                return Missing(self.name, column=column)
            if words.casefold() in ("is not missing", "is not empty"):
                return Expression(self.name, text=f"not is_missing({written_column(column)})")
            if found := _INTERVAL.fullmatch(words):
                low, high = _number(found[1] or found[2]), _number(found[3])
                if low is not None and high is not None and self._is_number(column):
                    return Range(self.name, column=column, low=min(low, high), high=max(low, high))
            if words.casefold().startswith("contains ") and self._is_text(column):
                return Keyword(self.name, column=column, words=split_words(words[len("contains ") :]))
            for phrase, sign in _SIGNS_IN_WORDS.items():
                if words.casefold().startswith(f"{phrase} "):
                    return self._compared(_quoted(column), sign, rest.split(None, len(phrase.split()))[-1])
        return None

    def _call(self, text: str) -> Slice | None:
        """Read missing(column)."""
        found = _CALL.fullmatch(text)
        if found and found[1].casefold() in ("missing", "is_missing") and (column := self._column(found[2])):
            return Missing(self.name, column=column)
        return None

    def _looks_new(self, text: str) -> Slice | None:
        """Read 'classifier', with or without columns in brackets."""
        found = _CLASSIFIER.fullmatch(text)
        if found is None:
            return None
        named = [] if found[1] is None else [part.strip() for part in found[1].split(",")]
        columns = tuple(self._column(part) or _unquoted(part) for part in named)
        return Classifier(self.name, columns=columns or None)

    def _column_alone(self, text: str) -> Slice | None:
        """Read a column that holds answers, or one slice for each value of a column."""
        column = self._column(text) or (self._column(text[5:]) if text.casefold().startswith("each ") else None)
        if column is None:
            return None
        with suppress(SliceError):
            return replace(Flag(self.name, column=column).settle(self.ground.source), signed=None)
        if self._is_text(column) and len(self._values(column)) <= _MOST_VALUES:
            return Category(column, column=column)
        example = f"{_quoted(column)} is missing"
        if self._is_number(column):
            example = f"{_quoted(column)} >= {show_number(float(self.ground.source.series(column).median() or 0))}"
        raise SliceError(f"{column!r} is a column. Say something about it, such as {example}")

    def _expression(self, text: str) -> Slice | None:
        """Read the little language; what only looks like a list of words may be none."""
        try:
            compile_expression_code(text, self.ground.source.schema)
        except SliceError:
            if re.search(r"[<>=!()+*%]", re.sub(r'"[^"]*"', "", text)):
                raise
            return None
        return Expression(self.name, text=text)

    def _category(self, text: str) -> Slice | None:
        """Read values of one column, as they are written there."""
        words = split_words(text)
        for column in self.ground.short_text:
            values = self._values(column)
            if column != self.ground.prose and len(values) <= _MOST_VALUES and words and set(words) <= set(values):
                return Category(self.name, column=column, values=words)
        return None

    def _keyword(self, text: str) -> Slice | None:
        """Read words, for the wordiest text; where that has no sentences, one of them must be there."""
        words = split_words(text)
        if not words or not self.ground.text:
            return None
        rule = Keyword(self.name, column=self.ground.text[0], words=words)
        both = (self.ground.source, self.ground.target)
        is_there = self.ground.prose is not None or any((slice_codes(sample, rule) == 1).any() for sample in both)
        return rule if is_there else None

    # What the ways share

    def _compared(self, subject: str, sign: str, other: str) -> Slice | None:
        """Make the rule for a sign between a subject and a number or a value; None if this is no subject."""
        column, number = self._column(subject), _number(other)
        call, word = _CALL.fullmatch(subject), subject.casefold()
        if call and (rule := self._called(call[1].casefold(), call[2], sign, number)):
            return rule
        if column is None:
            return self._of_model(word, sign, other, number)
        if sign == "~":
            return self._matching(subject, other)
        if sign in _BOUNDS:
            unit = re.fullmatch(r"(.+?)\s+(words|characters)", other)
            if unit and self._is_text(column) and (number := _number(unit[1])) is not None:
                return Length(self.name, column=column, unit=unit[2], **_bound(sign, number))
            is_threshold = number is not None and self._is_number(column)
            return Threshold(self.name, column=column, **_bound(sign, number)) if is_threshold else None
        if second := self._column(other):
            return Expression(
                self.name,
                text=f"{written_column(column)} {sign.replace('=', '==', sign == '=')} {written_column(second)}",
            )
        values = self._sought(column, other)
        if sign == "=":
            return Category(self.name, column=column, values=values)
        written = (written_text(value) if isinstance(value, str) else str(value).lower() for value in values)
        return Expression(self.name, text=f"{written_column(column)} not in ({', '.join(written)})")

    def _called(self, function: str, inner: str, sign: str, number: float | None) -> Slice | None:
        """Make the rule for a function of columns beside a number."""
        if number is None or sign not in _BOUNDS:
            return None
        bound = _bound(sign, number)
        if function == "overlap":
            columns = [self._column(part) for part in inner.split(",")]
            texts = tuple(column for column in columns if column and self._is_text(column))
            return (
                Overlap(self.name, columns=(texts[0], texts[1]), **bound) if len(texts) == len(columns) == 2 else None
            )
        column = self._column(inner)
        if column is None or not self._is_text(column) or "missing" in function:
            return None
        return Length(self.name, column=column, unit="words" if function == "words" else "characters", **bound)

    def _of_model(self, word: str, sign: str, other: str, number: float | None) -> Slice | None:
        """Make the rule for what a model says."""
        if word in ("predicted", "prediction") and sign == "=":
            return self._predicted(_unquoted(other))
        if number is None or sign not in _BOUNDS:
            return None
        if word == "entropy":
            return self._entropy(**{"high" if sign[0] == "<" else "low": number})
        if word == "confidence":
            self._need_probabilities("confidence")
            return Confidence(self.name, **_bound(sign, number))
        return None

    def _interval(self, subject: str, low: float, high: float, without: Sequence[bool]) -> Slice | None:
        column = self._column(subject)
        if column is not None and self._is_number(column):
            return Range(self.name, column=column, low=low, high=high, without_low=without[0], without_high=without[1])
        return self._entropy(low=low, high=high) if column is None and subject.casefold() == "entropy" else None

    def _matching(self, subject: str, pattern: str) -> Slice | None:
        column = self._column(subject)
        if column is None or not self._is_text(column):
            wrong = "is no column" if column is None else "holds no text"
            texts = f"Columns of text: {listed(self.ground.text)}." if self.ground.text else "No column holds text."
            raise SliceError(f"{_shown(_unquoted(subject))} {wrong}, so no pattern can be looked for in it. {texts}")
        slashes = len(pattern) > 2 and pattern[0] == pattern[-1] == "/"
        return Regex(self.name, column=column, pattern=pattern[1:-1] if slashes else _unquoted(pattern))

    def _entropy(self, low: float | None = None, high: float | None = None) -> Slice:
        self._need_probabilities("entropy")
        return Entropy("entropy", low=low, high=high, buckets=6 if low is None and high is None else None)

    def _need_probabilities(self, word: str) -> None:
        if not any(len(model.probabilities) > 1 for model in self.ground.source.models):
            raise SliceError(
                f"{word.capitalize()} needs a model with the probability of each class, and there is none."
            )

    def _predicted(self, text: str) -> Slice:
        if not any(model.prediction for model in self.ground.source.models):
            raise SliceError("Predicted classes need a model with predictions, and there is none.")
        found = self._classes([text]) if text else []
        if text and not found:
            known = sorted(
                {name for model in self.ground.source.models for name in self._predictions(model.prediction)}
            )
            raise SliceError(f"No model predicts {text!r}. Classes: {listed(known)}.{did_you_mean(text, known)}")
        return Prediction("predicted", value=found[0] if found else None)

    def _classes(self, words: Sequence[str]) -> list[str]:
        known = [name for model in self.ground.source.models for name in self._predictions(model.prediction)]
        return [found for word in words if (found := _found(_unquoted(word), known))]

    def _predictions(self, column: str | None) -> list[str]:
        return [] if column is None else [class_name(value) for value in self._values(column)]

    def _column(self, text: str) -> str | None:
        inner = re.fullmatch(r"col\s*\((.*)\)", text.strip())
        return _found(_unquoted(inner[1] if inner else text), self.columns)

    def _leading_columns(self, text: str) -> Iterator[tuple[str, str]]:
        """Find the columns that a line starts with, the longest name first, each with what follows."""
        if text[0] in _QUOTES:
            end = text.find(_QUOTES[text[0]], 1)
            if end > 0 and (column := self._column(text[: end + 1])):
                yield column, text[end + 1 :].strip()
            return
        for column in self.columns:
            rest = text[len(column) :]
            if text[: len(column)].casefold() == column.casefold() and rest[:1].isspace():
                yield column, rest.strip()

    def _is_number(self, column: str) -> bool:
        return all(sample.schema[column].is_numeric() for sample in (self.ground.source, self.ground.target))

    def _is_text(self, column: str) -> bool:
        return all(sample.schema[column] == nw.String for sample in (self.ground.source, self.ground.target))

    def _values(self, column: str) -> list[Scalar]:
        """List the values of a column in both samples, those of the source first."""
        series = (
            sample.series(column) for sample in (self.ground.source, self.ground.target) if column in sample.columns
        )
        return list(
            dict.fromkeys(value for one in series for value in one.drop_nulls().unique(maintain_order=True).to_list())
        )

    def _sought(self, column: str, text: str) -> tuple[Scalar, ...]:
        """Find the values of a column that a list names; refuse what is none."""
        body = text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text
        known = {class_name(value): value for value in self._values(column)}
        words = [word for word in (" ".join(body.split()), _unquoted(body)) if word in known][:1] or [
            word for piece in split_words(body) for word in re.split(r"\s+or\s+", piece)
        ]
        found = []
        for word in words:
            number = _number(word)
            names = [word, class_name(_unquoted(word)), *([] if number is None else [class_name(number)])]
            name = next((match for one in names if (match := _found(_unquoted(one), known))), None)
            if name is None:
                hint = did_you_mean(word, known) if number is None else ""
                hint = hint or (f" It has {listed(known, most=6)}." if len(known) <= _MOST_VALUES else "")
                raise SliceError(f"Column {column!r} has no value {_unquoted(word)!r}.{hint}")
            found.append(known[name])
        return tuple(dict.fromkeys(found))


def _split(text: str) -> tuple[list[str], list[str]]:
    """Part a line at its signs of comparison, but for those in quotes or brackets."""
    sides, signs, start, place = [], [], 0, 0
    closing = ""
    depth = 0
    while place < len(text):
        character = text[place]
        found = None if closing or depth else _COMPARING.match(text, place)
        if closing:
            closing = "" if character == closing else closing
        elif character in '"`\u201c':
            closing = _QUOTES[character]
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth = max(depth - 1, 0)
        elif found:
            sides.append(text[start:place].strip())
            signs.append(_SPELLINGS.get(found[0], found[0]))
            start = place = found.end()
            if signs[-1] == "~":  # a pattern may hold signs of its own
                break
            continue
        place += 1
    return [*sides, text[start:].strip()], signs


def _number(text: str) -> float | None:
    """Read a number as people write it; None if it is none.

    >>> [_number(text) for text in ("75", "1,000", "0,5", "1.5e3", "60%", "-3", "x", "")]
    [75, 1000, 0.5, 1500, 0.6, -3, None, None]
    """
    text = text.strip().replace("\u2212", "-")
    found = _NUMBER.fullmatch(text)
    if not found or not any(character.isdigit() for character in text):
        return None
    sign, whole, decimals, before_comma, after_comma, exponent, percent = found.groups()
    if whole and whole.startswith("0,"):
        whole, decimals = whole.split(",", 1)
    digits = before_comma if before_comma is not None else re.sub(r"[,_ ]", "", whole or "0")
    value = float(f"{sign}{digits}.{(after_comma or decimals or '0')}e{exponent or 0}")
    return tidy_number(value / 100 if percent else value)


def _bound(sign: str, number: float | None) -> dict[str, typing.Any]:
    return {_BOUNDS[sign]: number}


def _found(word: str, names: Collection[str]) -> str | None:
    """Find a name as it is written, else the only one that differs in case alone."""
    if word in names:
        return word
    close = [name for name in names if name.casefold() == word.casefold()]
    return close[0] if len(close) == 1 else None


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] else text


def _quoted(column: str) -> str:
    """Write a column's name so that it is read as one."""
    return f"`{column}`" if _COMPARING.search(column) or not re.fullmatch(r"[\w .-]+", column) else column


def _shown(text: str) -> str:
    return repr(_shortened(text, 40))


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"


def _name_of(rule: Slice) -> str:
    """Make a name that says what the rule is."""
    match rule:
        case Keyword(words=words):
            name = listed(words, most=3)
        case Regex(pattern=pattern):
            name = f"matches {pattern}"
        case Entropy(buckets=None):
            name = rule.describe().replace("entropy of the model's probabilities", "entropy")
        case Confidence():
            name = rule.describe().replace("confidence of the model", "confidence")
        case Prediction(value=value) if value is not None:
            name = f"predicted {value}"
        case Entropy() | Prediction():
            name = rule.name
        case Category(values=None):
            name = rule.column
        case _:
            name = rule.describe()
    return _shortened(name, _LONGEST_NAME)
