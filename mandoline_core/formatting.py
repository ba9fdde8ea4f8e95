"""Numbers, lists and tables as text: one formatter for all faces."""

from __future__ import annotations

import csv
import html
import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from pathlib import PurePath
from types import SimpleNamespace

_WIDTH = 100
# Control characters but for the line end, halves of a pair, and what reorders the text behind it.
_STEERING = re.compile("[\0-\t\v-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the start of one
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


def show_number(value: float | date) -> str:
    """Write a number without rounding noise, and whole numbers without decimals; a date as it is.

    >>> show_number(75.0), show_number(0.1 + 0.2), show_number(75.092), show_number(1e-9), show_number(1234567)
    ('75', '0.3', '75.092', '1e-09', '1234567')
    """
    if isinstance(value, date):
        return show_date(value)
    return f"{tidy_number(value):.12g}" if abs(value) < _WHOLE else f"{value:g}"


def show_rounded(value: float | date) -> str:
    """Write a number for reading: whole numbers and those of up to 6 digits as they are, others with 4 digits.

    >>> show_rounded(64.999999935), show_rounded(57.8123456), show_rounded(0.25), show_rounded(123456.789)
    ('65', '57.81', '0.25', '123457')
    """
    if isinstance(value, date) or abs(value) >= _WHOLE or value == float(f"{value:.6g}") or float(value).is_integer():
        return show_number(value)
    return f"{value:.{max(4, len(str(int(abs(value)))))}g}"


def show_date(value: date, *, midnight: bool = True) -> str:
    """Write a date or a time, with no more digits than it needs.

    Parameters
    ----------
    midnight : bool
        Whether to write the time of day at midnight, too.

    Examples
    --------
    >>> show_date(date(2024, 3, 1)), show_date(datetime(2024, 3, 1)), show_date(datetime(2024, 3, 1, 9, 30, 5))
    ('2024-03-01', '2024-03-01 00:00', '2024-03-01 09:30:05')
    """
    if not isinstance(value, datetime):
        return value.isoformat()
    if not midnight and value.time() == time():
        return value.date().isoformat()
    return value.isoformat(" ", "auto" if value.second or value.microsecond else "minutes")


def tidy_number(value: float) -> float:
    """Remove the digits that rounding errors leave; a whole number becomes an integer.

    >>> tidy_number(0.1 + 0.2), tidy_number(75.0)
    (0.3, 75)
    """
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < _WHOLE else rounded


def show_value(value: float, *, share: bool) -> str:
    """Write a metric's value: shares as percentages.

    >>> show_value(0.7941, share=True), show_value(12.34567, share=False), show_value(2513.42, share=False)
    ('79.4%', '12.35', '2,513')
    """
    return f"{value:.1%}" if share else _four_digits(value)


def _four_digits(value: float, plus: str = "") -> str:
    return f"{value:{plus},.0f}" if 1e4 <= abs(value) < _WHOLE else f"{value:{plus},.4g}"


def show_mean(value: float) -> str:
    """Write a mean of a column: four digits have no comma, because they may be a year.

    >>> show_mean(2015), show_mean(2.4951), show_mean(13983.2)
    ('2015', '2.495', '13,983')
    """
    return f"{value:.4g}" if abs(value) < 1e4 else _four_digits(value)


def show_ends(interval: tuple[float, float], *, share: bool) -> str:
    """Write the ends of an interval: shares as percentages without their sign.

    >>> show_ends((0.776, 0.811), share=True)
    '77.6 to 81.1'
    """
    return " to ".join(f"{100 * end:.1f}" if share else _four_digits(end) for end in interval)


def show_interval(value: float, interval: tuple[float, float], *, share: bool) -> str:
    """Write a value with its interval.

    >>> show_interval(0.7941, (0.776, 0.811), share=True)
    '79.4% (77.6 to 81.1)'
    """
    return f"{show_value(value, share=share)} ({show_ends(interval, share=share)})"


def show_points(difference: float, *, share: bool, sign: bool = True, unit: bool = True) -> str:
    """Write a difference: of shares, in points; signed, unless it rounds to nothing.

    Parameters
    ----------
    sign : bool
        Whether to write a plus.
    unit : bool
        Whether to name the points.

    Examples
    --------
    >>> show_points(-0.088, share=True), show_points(0.5, share=False), show_points(0.02, share=True, sign=False)
    ('-8.8 points', '+0.5', '2.0 points')
    >>> show_points(-0.0001, share=True), show_points(-0.0012, share=True, unit=False)
    ('0.0 points', '-0.1')
    """
    if is_nothing(difference, share=share):
        difference, sign = 0.0, False
    plus = "+" if sign else ""
    number = f"{100 * difference:{plus},.1f}" if share else _four_digits(difference, plus)
    return f"{number} points" if share and unit else number


def show_effect(difference: float, interval: tuple[float, float] | None, *, share: bool) -> str:
    """Write a difference with its interval, if it has one.

    >>> show_effect(-0.021, (-0.03, -0.012), share=True), show_effect(1.5, None, share=False)
    ('-2.1 points (-3.0 to -1.2)', '+1.5')
    """
    ends = [show_points(end, share=share, unit=False) for end in interval or ()]
    return show_points(difference, share=share) + (f" ({' to '.join(ends)})" if ends else "")


def show_difference(difference: float, *, share: bool) -> str:
    """Write the size of a difference: of shares, in points.

    >>> show_difference(-0.0904, share=True), show_difference(-1.25, share=False)
    ('9.0 points', '1.25')
    """
    return show_points(abs(difference), share=share, sign=False)


def is_nothing(difference: float, *, share: bool) -> bool:
    """Tell whether a difference is nothing as written.

    >>> is_nothing(0.0001, share=True), is_nothing(0.0001, share=False)
    (True, False)
    """
    return not (round(100 * difference, 1) if share else difference)


def direction(difference: float, *, share: bool) -> str:
    """Return whether a difference, as written, is up, down or nothing.

    >>> direction(0.02, share=True), direction(0.0001, share=True)
    ('higher', 'the same')
    """
    if is_nothing(difference, share=share):
        return "the same"
    return "higher" if difference > 0 else "lower"


def show_change(difference: float, *, share: bool, than: str = "") -> str:
    """Write how far a value is from another, and which way.

    >>> show_change(-0.088, share=True), show_change(0.0, share=True), show_change(0.5, share=False, than="before")
    ('8.8 points lower', 'the same', '0.5 higher than before')
    """
    way = direction(difference, share=share)
    if way == "the same":
        return f"{way} as {than}" if than else way
    return f"{show_difference(difference, share=share)} {way}{f' than {than}' if than else ''}"


def show_percent(share: float) -> str:
    """Write a share as a percentage with one decimal; only exactly none or all is written as 0% or 100%.

    >>> show_percent(0.998), show_percent(0.0004), show_percent(0.9999), show_percent(0.5)
    ('99.8%', 'under 0.1%', 'over 99.9%', '50.0%')
    """
    if 0 < share < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if 0.9995 <= share < 1 else f"{share:.1%}"


def show_times(*ratios: float) -> str:
    """Write a multiple, or the least and the largest of several.

    >>> show_times(4.2), show_times(0.25, 12), show_times(0.251, 0.252), show_times(float("inf"))
    ('4.2x', '0.25x to 12x', '0.25x', 'no limit')
    """
    written = (
        "no limit" if math.isinf(r) else f"{r:,.0f}x" if r >= 10 else f"{r:.{3 if r > 1 else 2}g}x" for r in ratios
    )
    return " to ".join(dict.fromkeys(written))


def wrapped(text: str, indent: str) -> str:
    """Break text into lines for a terminal."""
    # Never at a hyphen: a command to copy may have one.
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

    Unusual line endings are among them.

    >>> print(printable("a\x1b[2J\u2028b"))
    a\u001b[2J\u2028b
    """
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    r"""Join text into one line without control characters: a log reader may read the start of a line as a command.

    >>> one_line("a\n::stop:: \x1b[2J")
    'a ::stop:: [2J'
    """
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def folder_name(folder: PurePath) -> str:
    """Name a folder at the end of a sentence.

    >>> folder_name(PurePath()), folder_name(PurePath("data"))
    ('the current folder', 'data')
    """
    return "the current folder" if str(folder) == "." else f"{folder}"


def file_stem(name: str) -> str:
    """Turn a name into a file name without its ending, for any system.

    >>> file_stem("My reviews, 2024/05"), file_stem("...")
    ('My-reviews-2024-05', 'project')
    """
    kept = "".join(char if char.isalnum() or char in "-_" else " " for char in name)
    return "-".join(kept[:60].split()) or "project"


def no_formula(value: object) -> object:
    """Quote text that a spreadsheet would read as a formula; without the quote it is the same text.

    >>> no_formula("=1+1"), no_formula("plain"), no_formula(-1)
    ("'=1+1", 'plain', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def with_formula(text: str) -> str:
    """Take the quote away that `no_formula` puts before a text.

    >>> with_formula("'=1+1"), with_formula("'s")
    ('=1+1', "'s")
    """
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA) else text


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    r"""Write rows as CSV for spreadsheets: no text in it is a formula or ends a line.

    >>> csv_text([["name", "weight"], ["=1+1", -0.5], ["a\r=b", None]])
    'name,weight\n\'=1+1,-0.5\n"a\r=b",\n'
    """
    lines: list[str] = []
    # A writer quotes only its own line endings: with a plain newline, a carriage return in a name would start a line.
    writer = csv.writer(SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n")))
    writer.writerows(map(no_formula, row) for row in rows)
    return "".join(lines)
