"""Nasty rows: whatever engines might read each in their own way."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from itertools import cycle, islice
from typing import Any

import numpy as np
import pyarrow as pa

import mandoline_core as md

N_ROWS = 2_400
ROW = "row"
_WORDS = tuple(
    (
        "NOT not knot nöt not. istanbul İSTANBUL ISTANBUL ıstanbul straße STRASSE STRAẞE ΟΔΟΣ οδος οδοσ Οδός ΣΣ ΑΣ "
        "никогда НИКОГДА Ёлка été e\u0301te\u0301 ÉTÉ \ufb01ne fine \ufb00 \u017fet set SET \u212aelvin kelvin \u2126 "
        "ω Å \u212b a\u030a \U0001f642 \U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd "
        "\U0001f1eb\U0001f1f7 \u200fלא\u200f לֹא لا لَا \u0301 न्न ไม่ 不 ノート ﾉｰﾄ 7 ٣ ३ \U0001d7d7 ½ ² Ⅷ 1e5 -1 0x1F "
        "1,000 NaN nan inf None null NULL <NA> snake_case it's it\u2019s it\u02bcs C++ a.b $5 50% O'Neil \"quoted\" "
        "back\\slash (a) ǅ ǆ Ǆ ŉ ǰ ΐ և ẖ ᾳ ᏸ Ᏸ ꭰ \U00010400 \U00010428 \U0001e900 \U0001e922"
    ).split(" ")
)
_SPACES = (" ", "  ", "\t", "\n", "\r\n", "\v", "\f", "\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f")
_ODD_SPACES = ("\u3000", "\u200b", "\u200d", "\ufeff", "\x1c", "\x1f", "\u180e", "\u00ad", "\0", "", "-", "_", "/")
_TEXTS = (
    *(
        None,
        "",
        " ",
        "\t\n",
        "\xa0\u3000",
        "\0",
        "a\0b",
        "not\0",
        "\0not",
        "\ufeffnot",
        "true",
        "0",
        "\n",
        "not\n",
        "\r",
    ),
    *("x" * 100_000, "no " * 33_334, "é" * 100_000, " " * 100_000, "a" * 99_997 + " not", "🙂" * 50_000),
)
_FLOATS = (
    *(None, float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.1, 0.30000000000000004, 0.3, 0.5, 2.5),
    *(
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        1e308,
        -1e308,
        1.7976931348623157e308,
        1e16,
        1e-7,
        2.0**53,
        2.0**53 + 2,
    ),
    *(1 / 3, 16777217.0, 16777216.0, 3.0, 100.0, 99.99999999999999, 1e22, 123456789.123456789),
)
_WHOLES = (
    None,
    0,
    1,
    -1,
    2,
    3,
    7,
    2**31 - 1,
    -(2**31),
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**63 - 1,
    -(2**63),
    10**18 + 1,
)
_DATES = (
    None,
    dt.date(1, 1, 1),
    dt.date(1582, 10, 10),
    dt.date(1970, 1, 1),
    dt.date(2024, 2, 29),
    dt.date(9999, 12, 31),
)
_TIMES = (
    None,
    dt.datetime(1969, 12, 31, 23, 59, 59),
    dt.datetime(2024, 3, 31, 2, 30),
    dt.datetime(2024, 10, 27, 2, 30, 0, 1),
)
_FLAGS = (
    None,
    "true",
    "TRUE",
    " yes ",
    "No",
    "FALSE",
    "1",
    "0",
    "1.0",
    "-1",
    "",
    "\ttrue",
    "no\n",
    "0.0",
    "\xa0yes",
    "\u2003no",
)
_CLASSES = (None, "a", "A", "b", "ß", "", " a", "1", "1.0", "01", "true", "é", "e\u0301", "nan", "x" * 300)


def _filled(values: Sequence[Any], seed: int) -> list[Any]:
    """Hold every value once in front, and any of them after."""
    random = np.random.default_rng(seed)
    return [*values, *(values[number] for number in random.integers(len(values), size=N_ROWS - len(values)))]


def _texts(seed: int, *special: str | None) -> list[str | None]:
    random = np.random.default_rng(seed)
    spaces = (*_SPACES, *_ODD_SPACES)
    made: list[str | None] = [
        *special,
        *_WORDS,
        *(f"not{space}not" for space in spaces),
        *(s + "no" + s for s in spaces),
    ]
    while len(made) < N_ROWS:
        words = random.choice(_WORDS, size=random.integers(1, 6))
        made.append("".join(word + random.choice(spaces) for word in words))
    return [made[number] for number in random.permutation(N_ROWS)] if seed else made


def nasty_table() -> pa.Table:
    """Make the rows, with a column for every type that files hold."""
    random = np.random.default_rng(0)
    chances = random.dirichlet([0.5, 0.5, 0.5], N_ROWS).round(3)
    p = [[None if random.random() < 0.03 else float(value) for value in column] for column in chances.T]
    p[0][:3], p[1][:3], p[2][:3] = [1.0, 0.0, 0.5], [0.0, 0.0, 0.5], [0.0, 1.0, 0.0]
    times = _filled(_TIMES, 9)
    return pa.table(
        {
            ROW: pa.array(range(N_ROWS), pa.int64()),
            "text": pa.array(_texts(0, *_TEXTS), pa.string()),
            "other": pa.array(_texts(1, *_TEXTS[:15]), pa.large_string()),
            "real": pa.array(_filled(_FLOATS, 1), pa.float64()),
            "single": pa.array(np.float32([0.0 if x is None or abs(x) > 1e38 else x for x in _filled(_FLOATS, 2)])),
            "whole": pa.array(_filled(_WHOLES, 3), pa.int64()),
            "tiny": pa.array(_filled((None, 0, 1, -1, 127, -128), 4), pa.int8()),
            "unsigned": pa.array(_filled((None, 0, 1, 255, 2**32 - 1, 2**53 + 1, 2**63, 2**64 - 1), 5), pa.uint64()),
            "byte": pa.array(_filled((None, 0, 1, 255), 6), pa.uint8()),
            "decimal": pa.array(
                _filled((None, *map(Decimal, ("0.10", "-0.10", "1.00", "99999999.99", "0.30"))), 7),
                pa.decimal128(18, 2),
            ),
            "yes": pa.array(_filled((None, True, False), 8), pa.bool_()),
            "date": pa.array(_filled(_DATES, 10), pa.date32()),
            "moment": pa.array(times, pa.timestamp("us")),
            "zoned": pa.array(times, pa.timestamp("us", "Europe/Paris")),
            "answer": pa.array(_filled(_FLAGS, 11), pa.string()),
            "signed": pa.array(_filled((None, 1, 0, -1), 12), pa.int32()),
            "class": pa.array(_filled(_CLASSES, 13), pa.string()).dictionary_encode(),
            "empty": pa.array([None] * N_ROWS, pa.string()),
            "odd name; \"'`": pa.array(_filled((None, 1.5, 2.5), 14), pa.float64()),
            "prediction": pa.array(list(islice(cycle(["no", "yes", None, "maybe"]), N_ROWS)), pa.string()),
            "p_no": pa.array(p[0], pa.float64()),
            "p_yes": pa.array(p[1], pa.float64()),
            "p_maybe": pa.array(p[2], pa.float32()),
        }
    )


def nasty_model() -> md.Model:
    """Name the columns of the rows' model."""
    return md.Model("model", "prediction", {"no": "p_no", "yes": "p_yes", "maybe": "p_maybe"})
