"""The line: a rule typed into one box, read as a predicate on columns.

A line is an expression with a few words of convenience: other signs, unquoted values, the names of columns with spaces,
words alone. Like an expression it is read as a predicate, and the first kind that can say that predicate takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import partial

from mandoline_core.data import class_name, read_date
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.formatting import listed, show_number
from mandoline_core.slices.codes import slice_codes
from mandoline_core.slices.expression.compiler import compile_expression_code
from mandoline_core.slices.expression.tree import (
    FUNCTIONS,
    Predicate,
    bounds_of,
    predicate_of,
    written_column,
    written_text,
)
from mandoline_core.slices.kinds import KINDS, Expression
from mandoline_core.slices.rule import DATES, NUMBERS, TEXT, Scalar, Slice, Survey, find_name
from mandoline_core.slices.rule.bases import place
from mandoline_core.slices.spelling import (
    COMPARING,
    QUOTES,
    as_typed,
    read_bound,
    read_number,
    split_comparison,
    unquoted,
)
from mandoline_core.slices.text import split_words

_LONGEST_NAME = 60
_MOST_VALUES = 200  # a text column with more of them holds no categories
_NAMED = re.compile(r"""([^:()<>=~"'`/,]*[^:()<>=~"'`/,\s\d][^:()<>=~"'`/,]*):(?!/|(?<=\d:)\d\d)\s*(.+)""", re.DOTALL)
_TURNED = str.maketrans("<>", "><")
# What may follow the name of a column, by the sign that it stands for; "is" comes last, as others start with it.
_PHRASES = {
    ">=": ("is at least", "at least", "from", "since"),
    "<=": ("is at most", "at most", "until"),
    ">": ("is more than", "more than", "is above", "above", "over", "after"),
    "<": ("is less than", "less than", "fewer than", "is below", "below", "under", "before"),
    "~": ("matches",),
    "!=": ("is not",),
    "=": ("is one of", "equals", "in", "is"),
}
_CALL = re.compile(r"(\w+)\s*\((.+)\)", re.DOTALL)
_FUNCTIONS = {"characters": "length", "missing": "is_missing"}  # other names of functions of the language
_AND, _OR = re.compile(r"\s+and\s+"), re.compile(r"\s+or\s+")
_INTERVAL = re.compile(r"(?:is\s+)?(?:between\s+(.+?)\s+and|from\s+(.+?)\s+to)\s+(.+)", re.IGNORECASE)


def read_line(text: str, survey: Survey) -> Slice:
    """Read a rule from one line of text, as a slice of the kind that fits.

    Parameters
    ----------
    text : str
        A word or several, separated by commas; a comparison such as ``age >= 65``; a pattern between slashes; and so
        on: see the examples. A name for the slice and a colon may come first.
    survey : Survey
        What the rule can read: see `survey_samples`.

    Returns
    -------
    Slice
        With the given name, otherwise with one made from the rule.

    Raises
    ------
    SliceError
        If the line cannot be read; an `ExpressionError` says where.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey_samples
    >>> rows = {"text": ["it was not good at all", "well done"], "body temp": [70, 80], "port": ["EWR", "JFK"]}
    >>> sample = Sample(pd.DataFrame({**rows, "age": [30, None]}))
    >>> survey = survey_samples(sample, sample, slices=["short", "old"])
    >>> lines = ["short: words(text) < 30", "actor, plot", "body temp >= 75", "60 < body temp < 75", "JFK"]
    >>> for line in lines:
    ...     rule = read_line(line, survey)
    ...     print(f"{rule.kind}, {rule.name}: {rule.describe()}")
    length, short: text below 30 words
    keyword, actor, plot: text contains actor or plot
    threshold, body temp at least 75: body temp at least 75
    range, body temp above 60 and below 75: body temp above 60 and below 75
    category, port is JFK: port is JFK
    >>> for line in ["age is missing", "/go+d/", "short and old", "age * 2 > 60"]:
    ...     print(read_line(line, survey).kind)
    missing
    regex
    all
    expression
    """
    text = as_typed(text)
    named = _NAMED.fullmatch(text.strip())
    name, line = (named[1].strip(), named[2].strip()) if named else ("", text.strip())
    if not line:
        raise SliceError(f"The line is empty. Type a word, or a rule such as {example_line(survey)}")
    for predicate in _Line(survey).readings(line):
        rule = _simplest(name or _shortened(line, _LONGEST_NAME), predicate, survey)
        if rule is not None:
            return replace(rule, name=name or default_name(rule))
    example = example_line(survey)
    raise SliceError(f"Nothing matches {_shown(line)}. Try {example}")


def default_name(rule: Slice) -> str:
    """Return the name that a rule gets when nobody gives it one.

    >>> from mandoline_core import Threshold
    >>> default_name(Threshold("hot", column="temp", above=75))
    'temp above 75'
    """
    return _shortened(rule.short_name, _LONGEST_NAME)


def _simplest(name: str, predicate: Predicate, survey: Survey) -> Slice | None:
    """Make a rule of the first kind that can say a predicate; an expression, which can say most, comes last."""
    kinds = sorted(KINDS.values(), key=lambda kind: kind is Expression)
    rules = (kind.from_predicate(name, predicate, survey) for kind in kinds)
    return next((rule for rule in rules if rule is not None), None)


def example_line(survey: Survey) -> str:
    """Write a line that fits the data.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey_samples
    >>> sample = Sample(pd.DataFrame({"n": [1, 2, 9]}))
    >>> example_line(survey_samples(sample, sample))
    'n > 2'
    """
    if survey.prose is not None:
        return f"words({_quoted(survey.prose)}) < {show_number(survey.length)}"
    if survey.numbers:
        has_more = (survey.source.series(survey.numbers[0]) > survey.middle).any()
        return f"{_quoted(survey.numbers[0])} {'>' if has_more else '>='} {show_number(survey.middle)}"
    for column in survey.short_text:
        if (known := survey.source.series(column).drop_nulls()).n_unique() > 1:
            return f"{_quoted(column)} = {known[0]}"
    return f"{_quoted(survey.free[0])} is missing" if survey.free else "1 < n < 3"


class _Line:
    """Find the predicates that a line may mean, on the columns there are."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.columns = sorted(survey.columns, key=len, reverse=True)

    def readings(self, text: str) -> Iterator[Predicate]:
        """Write a line as a predicate in each way it may be meant, the likeliest first."""
        yield from self._pattern(text)
        yield from self._combination(text)
        yield from self._comparison(text)
        yield from self._after_column(text)
        # A function of columns, or the name of one that needs none, with or without a word after it.
        yield from self._call(text)
        # A kind that knows the word takes it; to the others the line is still open.
        word, _, rest = text.partition(" ")
        yield Predicate(word.casefold(), constants=(unquoted(rest),) if rest else ())
        yield from self._column_alone(text)
        yield from self._expression(text)
        yield from self._values_alone(text)
        yield from self._words_alone(text)

    def _pattern(self, text: str) -> Iterator[Predicate]:
        """Read /pattern/, or /pattern/i for any case."""
        pattern, slash, flags = text[1:].rpartition("/")
        if text.startswith("/") and slash and pattern and flags in ("", "i"):
            if not self.survey.text:
                raise SliceError(f"No column contains text, so no pattern can match. Try {example_line(self.survey)}")
            pattern = f"(?i){pattern}" if flags else pattern
            yield Predicate("matches", (self.survey.text[0],), (pattern,))

    def _combination(self, text: str) -> Iterator[Predicate]:
        """Read the names of slices, joined by 'and' or by 'or', or one after 'not'."""
        first, _, rest = text.partition(" ")
        parts = {"not of": [rest] * (first.casefold() == "not"), "all of": _AND.split(text), "any of": _OR.split(text)}
        for function, texts in parts.items():
            names = tuple(find_name(unquoted(text), self.survey.slices) for text in texts)
            if len(names) > (function != "not of") and all(names):
                yield Predicate(function, constants=names)

    def _comparison(self, text: str) -> Iterator[Predicate]:
        """Read one sign between two sides, or two signs around a middle."""
        sides, signs = split_comparison(text)
        if not all(sides):
            return
        if len(signs) == 1:
            yield from self._compared(sides[0], signs[0], sides[1])
            yield from self._compared(sides[1], signs[0].translate(_TURNED), sides[0])
        elif len(signs) == 2:
            bounds = bounds_of([read_bound(sides[0]), None, read_bound(sides[2])], signs)
            yield from (replace(subject, bounds=bounds) for subject in self._subject(sides[1]) if bounds)

    def _compared(self, left: str, sign: str, right: str) -> Iterator[Predicate]:
        """Read a sign between a column, or a function, and a number or values."""
        if sign == "~":
            yield self._matching(left, right)
        for subject in self._subject(left):
            # A unit after the number makes a length of the text.
            unit = None if subject.function else re.fullmatch(r"(.+?)\s+(words|characters)", right)
            bounds = bounds_of([None, read_bound(unit[1] if unit else right)], [sign])
            if sign in ("=", "!="):
                yield from self._equal(subject, sign, right)
            elif bounds:
                function = _FUNCTIONS.get(unit[2], unit[2]) if unit else subject.function
                yield replace(subject, function=function, bounds=bounds)

    def _equal(self, subject: Predicate, sign: str, text: str) -> Iterator[Predicate]:
        """Read what a column, or a function without a column, is or is not."""
        if subject.function in FUNCTIONS and (number := read_number(text)) is not None:
            value = f"{subject.function}({', '.join(map(written_column, subject.columns))})"
            yield predicate_of(f"{value} {'==' if sign == '=' else sign} {show_number(number)}")
        if subject.function:
            yield Predicate(f"{subject.function} {sign}", subject.columns, (unquoted(text),))
            return
        (column,) = subject.columns
        if other := self._column(text):
            yield predicate_of(f"{written_column(column)} {'==' if sign == '=' else sign} {written_column(other)}")
            return
        values = self._values(column, text)
        if sign == "=":
            yield Predicate("is one of", (column,), values)
        else:
            texts = (written_text(value) if isinstance(value, str) else str(value).lower() for value in values)
            yield predicate_of(f"{written_column(column)} not in ({', '.join(texts)})")

    def _after_column(self, text: str) -> Iterator[Predicate]:
        """Read a column's name and what follows it in words."""
        for column, rest in self._leading_columns(text):
            words = " ".join(rest.split())
            phrase = words.casefold()
            if phrase in ("is missing", "is empty"):
                yield Predicate("is_missing", (column,))
            if phrase in ("is not missing", "is not empty"):
                yield predicate_of(f"not is_missing({written_column(column)})")
            if interval := _INTERVAL.fullmatch(words):
                texts = interval[1] or interval[2], interval[3]
                ends = [end for end in map(read_bound, texts) if end is not None]
                if len(ends) == 2 and len({isinstance(end, date) for end in ends}) == 1:
                    low, high = sorted(ends, key=partial(place, end=False))
                    yield Predicate("", (column,), bounds=bounds_of([low, None, high], ["<=", "<="]))
            if phrase.startswith("contains "):
                yield Predicate("contains", (column,), split_words(words[len("contains ") :]))
            for sign, start in ((sign, start) for sign, starts in _PHRASES.items() for start in starts):
                if phrase.startswith(f"{start} "):
                    yield from self._compared(_quoted(column), sign, rest.split(None, len(start.split()))[-1])
                    return

    def _column_alone(self, text: str) -> Iterator[Predicate]:
        """Read a column that holds answers, or one slice for each value of a column."""
        column = self._column(text) or (self._column(text[5:]) if text.casefold().startswith("each ") else None)
        if column is None:
            return
        yield Predicate("", (column,))
        if len(self.survey.values(column)) <= _MOST_VALUES:
            yield Predicate("each", (column,))
        example = f"{_quoted(column)} is missing"
        if self.survey.holds(column, NUMBERS):
            example = f"{_quoted(column)} >= {show_number(float(self.survey.source.series(column).median() or 0))}"
        raise SliceError(f"{column!r} is a column. Add a condition, such as {example}")

    def _expression(self, text: str) -> Iterator[Predicate]:
        """Read the language as it is; what only looks like a list of words may be none."""
        try:
            compile_expression_code(text, self.survey.source.schema)
        except SliceError:
            if re.search(r"[<>=!()+*%]", re.sub(r'"[^"]*"', "", text)):
                raise
        else:
            yield predicate_of(text)

    def _values_alone(self, text: str) -> Iterator[Predicate]:
        """Read values of one column, as they are written there."""
        words = split_words(text)
        for column in self.survey.short_text:
            values = self.survey.values(column)
            if column != self.survey.prose and len(values) <= _MOST_VALUES and words and set(words) <= set(values):
                yield Predicate("is one of", (column,), words)

    def _words_alone(self, text: str) -> Iterator[Predicate]:
        """Read words, for the wordiest text; where that has no sentences, one of them must be there."""
        words = split_words(text)
        if words and self.survey.text:
            contains = Predicate("contains", (self.survey.text[0],), words)
            rule = _simplest(_shortened(text, _LONGEST_NAME), contains, self.survey)
            samples = (self.survey.source, self.survey.target)
            if self.survey.prose or (rule and any((slice_codes(sample, rule) == 1).any() for sample in samples)):
                yield contains

    # What the ways share

    def _subject(self, text: str) -> Iterator[Predicate]:
        """Read what is compared: a column, a function of columns, or the name of a function that needs none."""
        column = self._column(text)
        if column is not None:
            yield Predicate("", (column,))
        elif re.fullmatch(r"\w+", text):
            yield Predicate(text.casefold())
        else:
            yield from self._call(text)

    def _call(self, text: str) -> Iterator[Predicate]:
        if call := _CALL.fullmatch(text):
            function = call[1].casefold()
            columns = tuple(self._column(part) or unquoted(part) for part in call[2].split(","))
            yield Predicate(_FUNCTIONS.get(function, function), columns)

    def _matching(self, subject: str, pattern: str) -> Predicate:
        column = self._column(subject)
        if column is None or not self.survey.holds(column, TEXT):
            wrong = "is not a column" if column is None else "is not a text column"
            texts = f"Text columns: {listed(self.survey.text)}." if self.survey.text else ("There are no text columns.")
            raise SliceError(f"{_shown(unquoted(subject))} {wrong}, so no pattern can match. {texts}")
        slashes = len(pattern) > 2 and pattern[0] == pattern[-1] == "/"
        return Predicate("matches", (column,), (pattern[1:-1] if slashes else unquoted(pattern),))

    def _column(self, text: str) -> str | None:
        inner = re.fullmatch(r"col\s*\((.*)\)", text.strip())
        return find_name(unquoted(inner[1] if inner else text), self.columns)

    def _leading_columns(self, text: str) -> Iterator[tuple[str, str]]:
        """Find the columns that a line starts with, the longest name first, each with what follows."""
        if text[0] in QUOTES:
            end = text.find(QUOTES[text[0]], 1)
            if end > 0 and (column := self._column(text[: end + 1])):
                yield column, text[end + 1 :].strip()
            return
        for column in self.columns:
            rest = text[len(column) :]
            if text[: len(column)].casefold() == column.casefold() and rest[:1].isspace():
                yield column, rest.strip()

    def _values(self, column: str, text: str) -> tuple[Scalar, ...]:
        """Find the values of a column that a list names; refuse unknown ones."""
        body = text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text
        values = {class_name(value): value for value in self.survey.values(column)}
        # A value may itself hold a comma, or an "or": the whole list goes before its pieces.
        words = [word for word in (" ".join(body.split()), unquoted(body)) if word in values][:1] or [
            word for piece in split_words(body) for word in _OR.split(piece)
        ]
        if self.survey.holds(column, DATES) and all(read_date(unquoted(word)) for word in words):
            return tuple(unquoted(word) for word in words)  # a date is also that of times on the day
        sought = []
        for word in words:
            number = read_number(word)
            spellings = [word, class_name(unquoted(word)), *([] if number is None else [class_name(number)])]
            name = next((match for each in spellings if (match := find_name(unquoted(each), values))), None)
            if name is None:
                hint = did_you_mean(word, values) if number is None else ""
                hint = hint or (f" It has {listed(values, most=6)}." if len(values) <= _MOST_VALUES else "")
                raise SliceError(f"Column {column!r} has no value {unquoted(word)!r}.{hint}")
            sought.append(values[name])
        return tuple(dict.fromkeys(sought))


def _quoted(column: str) -> str:
    """Write a column's name so that it is read as one."""
    return f"`{column}`" if COMPARING.search(column) or not re.fullmatch(r"[\w .-]+", column) else column


def _shown(text: str) -> str:
    return repr(_shortened(text, 40))


def _shortened(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}\u2026"
