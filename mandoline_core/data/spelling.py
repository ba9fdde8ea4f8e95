"""Numbers and dates in texts, as people in several countries write them: how a column does, and what its values are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.data.dates import TIME
from mandoline_core.data.delimited import MISSING
from mandoline_core.errors import DataError

ColumnType = Literal["number", "date"]
_SPACES = "\u00a0\u2009\u202f"
_MINUS = "\u2212"


def _number(decimal: str, thousands: str) -> str:
    whole = f"(?:[0-9]{{1,3}}(?:[{thousands} '\u2019{_SPACES}][0-9]{{3}})+|[0-9]{{1,30}})"
    fraction = f"[{decimal}][0-9]{{1,30}}"
    return f"^[+-]?(?:{whole}(?:{fraction})?|{fraction})(?:[eE][+-]?[0-9]{{1,2}})?$"


_NUMBER = {False: _number(".", ","), True: _number(",", ".")}  # by whether the decimal sign is a comma
_CLOCK = r"(?:(?:[T ]|, ?)[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?: ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
_ISO = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_CLOCK}$"
_DAY, _MONTH, _YEAR = r"(0?[1-9]|[12][0-9]|3[01])", r"(0?[1-9]|1[0-2])", r"([0-9]{4})"
_DOTTED = rf"^{_DAY}\. ?{_MONTH}\. ?{_YEAR}({_CLOCK})$"
_SLASHED = {  # by whether the month comes first
    False: rf"^{_DAY}[/-]{_MONTH}[/-]{_YEAR}({_CLOCK})$",
    True: rf"^{_MONTH}[/-]{_DAY}[/-]{_YEAR}({_CLOCK})$",
}


@dataclass(frozen=True)
class Spelling:
    """Hold how a column writes its values, found over all of its rows.

    Parameters
    ----------
    comma : bool
        Whether 1.234 is a thousand and 12,5 twelve and a half.
    month_first : bool
        Whether 03/04/2024 is in March.
    clock : bool
        Whether any date has a time.
    """

    type: ColumnType
    comma: bool = False
    month_first: bool = False
    clock: bool = False


def _trimmed(texts: pa.Array) -> pa.Array:
    return pc.replace_substring(pc.utf8_trim_whitespace(texts), _MINUS, "-")


def known_texts(texts: pa.Array) -> pa.Array:
    """Leave out what says that a value is missing."""
    trimmed = pc.utf8_trim_whitespace(texts.drop_null())
    return trimmed.filter(pc.invert(pc.is_in(trimmed, value_set=pa.array([*MISSING, ""], trimmed.type))))


def _count(texts: pa.Array, pattern: str) -> int:
    return pc.sum(pc.match_substring_regex(texts, pattern)).as_py() or 0


def share_matched(texts: pa.Array, kind: ColumnType) -> float:
    """Return the share of texts that look like numbers or dates, in whichever spelling."""
    patterns = _NUMBER.values() if kind == "number" else (_ISO, _DOTTED, *_SLASHED.values())
    texts = pc.replace_substring(texts, _MINUS, "-")
    hits = [pc.match_substring_regex(texts, pattern) for pattern in patterns]
    either = hits[0]
    for more in hits[1:]:
        either = pc.or_(either, more)
    return (pc.sum(either).as_py() or 0) / max(1, len(texts))


def find_spelling(batches: Iterable[pa.Array], kind: ColumnType, column: str, name: str) -> Spelling:
    """Find how a column writes numbers or dates: as most of its values do that can be read in one way only."""
    points = commas = days = months = clocks = 0
    example = ""
    for batch in batches:
        texts = pc.replace_substring(known_texts(batch), _MINUS, "-")
        if kind == "number":
            points, commas = points + _count(texts, _NUMBER[False]), commas + _count(texts, _NUMBER[True])
            continue
        clocks += _count(texts, "[0-9]{2}:[0-9]{2}")
        days, months = days + _count(texts, _SLASHED[False]), months + _count(texts, _SLASHED[True])
        if not example and months:
            example = texts.filter(pc.match_substring_regex(texts, _SLASHED[True]))[0].as_py()
    if days and days == months:
        raise DataError(
            f"Dates in column {column!r} of {name} could start with the day or the month, such as {example!r}. Write "
            "them as in 2024-03-01."
        )
    return Spelling(kind, comma=commas > points, month_first=months > days, clock=clocks > 0)


def read_texts(texts: pa.Array, spelling: Spelling) -> pa.Array:
    """Read texts; what is neither number nor date becomes missing."""
    trimmed = _trimmed(texts)
    if spelling.type == "number":
        first, second = (_numbers(trimmed, comma=comma) for comma in (spelling.comma, not spelling.comma))
        return pc.coalesce(first, second)
    iso = _where(trimmed, _ISO, "")
    parts = [_where(trimmed, _DOTTED, r"\3-0\2-0\1\4")]
    first, second = (r"\1", r"\2") if spelling.month_first else (r"\2", r"\1")
    parts.append(_where(trimmed, _SLASHED[spelling.month_first], rf"\3-0{first}-0{second}\4"))
    padded = [pc.replace_substring_regex(part, "-0([0-9]{2})", r"-\1") for part in parts]
    return _moments(pc.coalesce(iso, *padded), clock=spelling.clock)


def _where(texts: pa.Array, pattern: str, rewrite: str) -> pa.Array:
    """Keep texts that match, rewritten if so asked; others are missing."""
    kept = pc.if_else(pc.match_substring_regex(texts, pattern), texts, None)
    return pc.replace_substring_regex(kept, pattern, rewrite) if rewrite else kept


def _numbers(texts: pa.Array, *, comma: bool) -> pa.Array:
    kept = _where(texts, _NUMBER[comma], "")
    plain = pc.replace_substring_regex(kept, f"^[+]|[{'.' if comma else ','} '\u2019{_SPACES}]", "")
    return pc.replace_substring(plain, ",", ".").cast(pa.float64())


def _moments(texts: pa.Array, *, clock: bool) -> pa.Array:
    """Read what is written as ISO 8601 writes it; days that no month has, and hours that no day has, are missing."""
    day = pc.utf8_slice_codeunits(texts, 0, 10)
    month = pc.utf8_slice_codeunits(day, 5, 7)
    short, leap = pc.is_in(month, value_set=pa.array(["04", "06", "09", "11"], day.type)), _is_leap(day)
    number = pc.utf8_slice_codeunits(day, 8, 10).cast(pa.int64())
    most = pc.if_else(short, 30, pc.if_else(pc.equal(month, "02"), pc.if_else(leap, 29, 28), 31))
    sound = pc.and_(pc.less_equal(number, most), pc.match_substring_regex(day, "-(0[1-9]|1[0-2])-(0[1-9]|[1-3][0-9])$"))
    sound = pc.and_(sound, pc.invert(pc.match_substring_regex(day, "^0000")))
    days = pc.if_else(sound, day, None)
    if not clock:
        return days.cast(pa.date32())
    time = pc.replace_substring_regex(pc.utf8_slice_codeunits(texts, 10), r"^[T ,]+| ?(?:Z|[+-][0-9:]+)$", "")
    time = pc.replace_substring_regex(time, r"[.,]([0-9]{1,6})[0-9]*$", r".\1")
    valid = pc.match_substring_regex(time, "^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.].*)?)?)?$")
    time = pc.if_else(pc.equal(time, ""), "00:00", time)
    return pc.if_else(valid, pc.binary_join_element_wise(days, time, pa.scalar(" ", days.type)), None).cast(TIME)


def _is_leap(day: pa.Array) -> pa.Array:
    return pc.match_substring_regex(
        day, "^(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
    )
