"""Dates and times: read as ISO 8601 writes them; a time with a zone or an offset is the local time that it states."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.arrays import Floats

TIME = pa.timestamp("us")  # how every engine holds times; dates stay dates
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_OFFSET = r" ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
_DATE = f"^{_DAY}$"
_TIME = f"^{_DAY}(?:[T ]{_CLOCK}(?:{_OFFSET})?)?$"
_WRITTEN = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)(?: ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)
_LOOKED_AT = 5  # texts: most columns of text are told from dates by the first few
_MILLISECOND = timedelta(milliseconds=1)


def parse_dates(texts: pa.Array) -> pa.Array | None:
    """Read a column of texts as dates, or as times if one has a time; None unless every text is one.

    Offsets are dropped, so that a time stays the local time as written; digits beyond microseconds, too.

    Examples
    --------
    >>> parse_dates(pa.array(["2024-03-01", None])).type, parse_dates(pa.array(["2024-03-01", "soon"]))
    (DataType(date32[day]), None)
    >>> print(parse_dates(pa.array(["2024-03-01T09:30:00.5+01:00"]))[0])
    2024-03-01 09:30:00.500000
    """
    known = texts.drop_null()
    if not len(known) or not all(
        pc.all(pc.match_substring_regex(part, _TIME)).as_py() for part in (known[:_LOOKED_AT], known)
    ):
        return None
    try:
        if pc.all(pc.match_substring_regex(known, _DATE)).as_py():
            return texts.cast(pa.date32())
        local = pc.replace_substring_regex(texts, f"({_CLOCK}){_OFFSET}$", r"\1")
        return pc.replace_substring_regex(local, r"[.,]([0-9]{1,6})[0-9]*$", r".\1").cast(TIME)
    except pa.ArrowInvalid:  # the 30th of February, 25 o'clock
        return None


def read_date(text: str) -> date | datetime | None:
    """Read one date or time as ISO 8601 writes it; None if it is neither.

    >>> read_date("2024-03-01"), read_date("2024-03-01 09:30Z"), read_date("2024-02-30")
    (datetime.date(2024, 3, 1), datetime.datetime(2024, 3, 1, 9, 30), None)
    """
    written = _WRITTEN.fullmatch(text.strip())
    try:
        if written is None or written[2] is None:
            return None if written is None else date.fromisoformat(written[1])
        clock, _, rest = written[2].replace(",", ".").partition(".")
        return datetime.fromisoformat(f"{written[1]} {clock}.{rest[:6]}" if rest else f"{written[1]} {clock}")
    except ValueError:
        return None


def is_date(dtype: nw.dtypes.DType) -> bool:
    """Tell whether a column of a type holds dates or times.

    >>> is_date(nw.Date()), is_date(nw.Datetime("us")), is_date(nw.String())
    (True, True, False)
    """
    return dtype in (nw.Date, nw.Datetime)


def moment(value: date, *, end: bool = False) -> datetime:
    """Return a time as it is, and of a date its first moment, or its last.

    >>> print(moment(date(2024, 3, 1)), moment(date(2024, 3, 1), end=True))
    2024-03-01 00:00:00 2024-03-01 23:59:59.999999
    """
    return value if isinstance(value, datetime) else datetime.combine(value, time.max if end else time.min)


def milliseconds(values: nw.Series[Any] | date) -> Floats:
    """Count milliseconds since 1970, of a column of dates or of one date: what axes of figures take; NaN if missing.

    >>> float(milliseconds(date(1970, 1, 2)))
    86400000.0
    """
    if isinstance(values, date):
        return np.asarray((moment(values) - datetime(1970, 1, 1)) / _MILLISECOND)
    ticks = pc.cast(pc.cast(values.to_arrow(), TIME), pa.int64())
    return np.asarray(pc.cast(ticks, pa.float64(), safe=False), dtype=float) / 1000


def from_milliseconds(value: float) -> datetime:
    """Return the time at a number of milliseconds since 1970.

    >>> print(from_milliseconds(86_400_000))
    1970-01-02 00:00:00
    """
    return datetime(1970, 1, 1) + value * _MILLISECOND
