"""Numbers and lists as text: the one place that writes a number for a person."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

_WIDTH = 100


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


def show_value(value: float, *, share: bool) -> str:
    """Write a metric's value: shares as percentages.

    >>> show_value(0.7941, share=True), show_value(12.34567, share=False)
    ('79.4%', '12.35')
    """
    return f"{value:.1%}" if share else f"{value:.4g}"


def show_interval(value: float, interval: tuple[float, float], *, share: bool) -> str:
    """Write a value with its interval.

    >>> show_interval(0.7941, (0.776, 0.811), share=True)
    '79.4% (77.6 to 81.1)'
    """
    low, high = (show_value(end, share=share).rstrip("%") for end in interval)
    return f"{show_value(value, share=share)} ({low} to {high})"


def show_points(difference: float, *, share: bool) -> str:
    """Write a difference: of shares, in points.

    >>> show_points(-0.088, share=True), show_points(0.5, share=False)
    ('-8.8 points', '+0.5')
    """
    return f"{100 * difference:+.1f} points" if share else f"{difference:+.4g}"


def show_times(ratio: float) -> str:
    """Write how many times a row counts.

    >>> show_times(4.2), show_times(0.25)
    ('4.2 times', '0.25 times')
    """
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.2g} times"


def wrapped(text: str, indent: str) -> str:
    """Break text into lines for a terminal."""
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent))


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
