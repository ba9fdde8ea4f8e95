"""Numbers, lists and sentences as text: the one place that writes for a person."""

from __future__ import annotations

import csv
import html
import re
import string
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

_WIDTH = 100
# Control characters but for the line end, halves of a pair, and what reorders the text behind it.
_STEERING = re.compile("[\0-\t\v-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
_WHOLE = 1e12  # whole numbers below this are written out


def listed(names: Iterable[object], most: int = 12) -> str:
    """Join names with commas, shortened when there are many.

    >>> listed(["a", "b"])
    'a, b'
    >>> listed("abcd", most=2)
    'a, b and 2 more'
    """
    words = [str(name) for name in names]
    if len(words) <= most:
        return ", ".join(words)
    return ", ".join(words[:most]) + f" and {len(words) - most} more"


def counted(n: float, what: str) -> str:
    """Write a number of things, one of them without an s.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    number = f"{n:,.0f}"
    return f"{number} {what}" if number == "1" else f"{number} {what}s"


def show_number(value: float) -> str:
    """Write a number as a person does: no digits that only a computer sees, and whole numbers whole.

    >>> show_number(75.0), show_number(0.1 + 0.2), show_number(75.092), show_number(1e-9), show_number(1234567)
    ('75', '0.3', '75.092', '1e-09', '1234567')
    """
    return f"{tidy_number(value):.12g}" if abs(value) < _WHOLE else f"{value:g}"


def tidy_number(value: float) -> float:
    """Take away the digits that arithmetic leaves behind; a whole number becomes one.

    >>> tidy_number(0.1 + 0.2), tidy_number(75.0)
    (0.3, 75)
    """
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < _WHOLE else rounded


def show_value(value: float, *, share: bool) -> str:
    """Write a metric's value: shares as percentages.

    >>> show_value(0.7941, share=True), show_value(12.34567, share=False)
    ('79.4%', '12.35')
    """
    return f"{value:.1%}" if share else f"{value:.4g}"


def show_ends(interval: tuple[float, float], *, share: bool) -> str:
    """Write where an interval of a metric's values ends: shares as percentages without their sign.

    >>> show_ends((0.776, 0.811), share=True)
    '77.6 to 81.1'
    """
    return " to ".join(f"{100 * end:.1f}" if share else f"{end:.4g}" for end in interval)


def show_interval(value: float, interval: tuple[float, float], *, share: bool) -> str:
    """Write a value with its interval.

    >>> show_interval(0.7941, (0.776, 0.811), share=True)
    '79.4% (77.6 to 81.1)'
    """
    return f"{show_value(value, share=share)} ({show_ends(interval, share=share)})"


def show_points(
    difference: float, *, share: bool, sign: bool = True, unit: bool = True, digits: int = 1, figures: int = 4
) -> str:
    """Write a difference: of shares, in points; signed, unless it is nothing as written.

    Parameters
    ----------
    sign : bool
        Whether to write a plus.
    unit : bool
        Whether to name the points.
    digits : int
        After the point, of shares.
    figures : int
        In all, of other numbers.

    Examples
    --------
    >>> show_points(-0.088, share=True), show_points(0.5, share=False), show_points(0.02, share=True, sign=False)
    ('-8.8 points', '+0.5', '2.0 points')
    >>> show_points(-0.0001, share=True), show_points(-0.0012, share=True, unit=False, digits=2)
    ('0.0 points', '-0.12')
    """
    if is_nothing(difference, share=share, digits=digits):
        difference, sign = 0.0, False
    plus = "+" if sign else ""
    number = f"{100 * difference:{plus}.{digits}f}" if share else f"{difference:{plus}.{figures}g}"
    return f"{number} points" if share and unit else number


def show_difference(difference: float, *, share: bool, figures: int = 4) -> str:
    """Write the size of a difference: of shares, in points.

    >>> show_difference(-0.0904, share=True), show_difference(-1.25, share=False)
    ('9.0 points', '1.25')
    """
    return show_points(abs(difference), share=share, sign=False, figures=figures)


def is_nothing(difference: float, *, share: bool, digits: int = 1) -> bool:
    """Tell whether a difference is nothing as written.

    >>> is_nothing(0.0001, share=True), is_nothing(0.0001, share=False)
    (True, False)
    """
    return not (round(100 * difference, digits) if share else difference)


def direction(difference: float, *, share: bool) -> str:
    """Say whether a difference, as written, is up, down or nothing.

    >>> direction(0.02, share=True), direction(0.0001, share=True)
    ('higher', 'the same')
    """
    if is_nothing(difference, share=share):
        return "the same"
    return "higher" if difference > 0 else "lower"


def show_percent(share: float) -> str:
    """Write a share as a percentage with the digits it needs.

    >>> show_percent(0.998), show_percent(0.0004), show_percent(0.5)
    ('99.8%', '0.04%', '50%')
    """
    least = 0.005 * min(abs(share), abs(1 - share)) + 1e-12
    digits = next((n for n in range(3) if abs(round(100 * share, n) / 100 - share) < least), 3)
    return f"{share:.{digits}%}"


def show_times(*ratios: float) -> str:
    """Write how many times a row counts, or from how many to how many.

    >>> show_times(4.2), show_times(0.25, 12), show_times(0.251, 0.252)
    ('4.2 times', '0.25 to 12 times', '0.25 times')
    """
    return f"{' to '.join(dict.fromkeys(f'{r:,.0f}' if r >= 10 else f'{r:.2g}' for r in ratios))} times"


def wrapped(text: str, indent: str) -> str:
    """Break text into lines for a terminal."""
    # A hyphen is no place to break: a command that is to be copied may have one.
    after = " " * len(indent)
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=after, break_on_hyphens=False)


def table(rows: Sequence[Sequence[str]], align: str) -> str:
    """Lay rows out in columns; align has one of '<' and '>' for each.

    >>> print(table([["a", "1"], ["bb", "22"]], "<>"))
    a    1
    bb  22
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(align))]
    lines = [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)) for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def html_table(rows: Sequence[Sequence[str]]) -> str:
    """Write rows as an HTML table, the first of them its head; every cell is escaped.

    >>> html_table([["a"], ["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def printable(text: str) -> str:
    r"""Spell out what would steer a terminal, or could not be printed: control characters, half a pair, reordering.

    Ends of lines that hardly anyone writes are among them.

    >>> print(printable("a\x1b[2J\u2028b"))
    a\u001b[2J\u2028b
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    r"""Bring text onto one line without control characters: a log's reader may take the start of a line for a command.

    >>> one_line("a\n::stop:: \x1b[2J")
    'a ::stop:: [2J'
    """
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def file_stem(name: str) -> str:
    """Turn a name into the beginning of a file's name, for any system.

    >>> file_stem("My reviews, 2024/05"), file_stem("...")
    ('My-reviews-2024-05', 'project')
    """
    kept = "".join(letter if letter.isalnum() or letter in "-_" else " " for letter in name)
    return "-".join(kept[:60].split()) or "project"


# The words for the two samples, by what a template calls them. Every face has its own; these are the library's.
Vocabulary = Mapping[str, str]
LIBRARY: Vocabulary = {
    "source": "source",
    "source_score": "Source score",
    "target": "target",
    "a_target": "a target",
    "source_row": "source row",
    "source_rows": "source rows",
    "target_row": "target row",
    "target_rows": "target rows",
}


class Sentence(str):
    """Hold text as a template with named parts: written in the library's words, to be said in any.

    Parts are formatted by what follows the colon: as Python does, or as `percent`, `times`, `count row`, `list 4` or
    `quoted 4` do. What is no part is a word of the vocabulary. A part that is a sentence itself is said in the same
    words; any other text is somebody's own, and stays as it is.

    Examples
    --------
    >>> said = Sentence("{share:percent} of the {target} is in {name!r}, {n:count row}.", share=0.5, name="{a}", n=1)
    >>> print(said)
    50% of the target is in '{a}', 1 row.
    >>> said.say({**LIBRARY, "target": "new data"})
    "50% of the new data is in '{a}', 1 row."
    """

    template: str
    parts: Mapping[str, Any]

    def __new__(cls, template: str, /, **parts: Any) -> Sentence:
        """Write the template in the library's words."""
        sentence = super().__new__(cls, _Writer(LIBRARY).vformat(template, (), parts))
        sentence.template, sentence.parts = template, parts
        return sentence

    def __getnewargs_ex__(self) -> tuple[tuple[str], Mapping[str, Any]]:
        """Copy the template, not what is written."""
        return (self.template,), self.parts

    def say(self, words: Vocabulary) -> str:
        """Write the template in other words."""
        return _Writer(words).vformat(self.template, (), self.parts)


def together(sentences: Iterable[str]) -> Sentence:
    """Put sentences one behind the other.

    >>> together([Sentence("The {source}."), "So."]).say({"source": "labelled data"})
    'The labelled data. So.'
    """
    parts = {f"sentence_{number}": sentence for number, sentence in enumerate(sentences)}
    return Sentence(" ".join(f"{{{name}}}" for name in parts), **parts)


def say(text: object, words: Vocabulary) -> str:
    """Write a sentence, or an error, in a vocabulary; any other text stays as it is.

    >>> say("the source", {"source": "labelled data"})
    'the source'
    """
    told: Callable[[Vocabulary], str] | None = getattr(text, "say", None)
    return str(text) if told is None else told(words)


class _Writer(string.Formatter):
    """Write a template in a vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:  # noqa: ARG002 - its base has it
        return kwargs[str(key)] if key in kwargs else self.words[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:
        how, _, more = format_spec.partition(" ")
        if how in _FORMATS:
            return _FORMATS[how](value, more)
        return format(say(value, self.words) if hasattr(value, "say") else value, format_spec)


_FORMATS: dict[str, Callable[[Any, str], str]] = {
    "percent": lambda share, _: show_percent(share),
    "times": lambda ratio, _: show_times(ratio),
    "count": counted,
    "list": lambda names, most: listed(names, int(most or 12)),
    "quoted": lambda names, most: listed(map(repr, names), int(most or 12)),
}


def no_formula(value: object) -> object:
    """Put a quote before a text that a spreadsheet would take for a formula; taking it off gives the text again.

    >>> no_formula("=1+1"), no_formula("plain"), no_formula(-1)
    ("'=1+1", 'plain', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    r"""Write rows as CSV for spreadsheets: no text in it is a formula, or ends a line.

    >>> csv_text([["name", "weight"], ["=1+1", -0.5], ["a\r=b", None]])
    'name,weight\n\'=1+1,-0.5\n"a\r=b",\n'
    """
    lines: list[str] = []
    # A writer puts into quotes what its own ends of lines are made of: with a plain newline, a carriage return in a
    # name would start another line.
    writer = csv.writer(SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n")))
    writer.writerows(map(no_formula, row) for row in rows)
    return "".join(lines)
