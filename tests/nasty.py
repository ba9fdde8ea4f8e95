"""Nasty rows, rules of every kind that read them, and their codes as an engine itself gives them, row by row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from itertools import cycle, islice
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

import mandoline_core as md
from mandoline_core.samples import Table
from mandoline_core.slices import codes, resolve, settle
from mandoline_core.slices.rule import Slice

N_ROWS = 2_400
ROW = "row"
_WORDS = (
    # Dotless and dotted i, sharp s, sigma at the end, Cyrillic, Greek, accents in one sign or two, ligatures.
    *(
        "NOT",
        "not",
        "knot",
        "nöt",
        "not.",
        "istanbul",
        "İSTANBUL",
        "ISTANBUL",
        "ıstanbul",
        "straße",
        "STRASSE",
        "STRAẞE",
    ),
    *("ΟΔΟΣ", "οδος", "οδοσ", "Οδός", "ΣΣ", "ΑΣ", "никогда", "НИКОГДА", "Ёлка", "été", "e\u0301te\u0301", "ÉTÉ"),
    *("ﬁne", "fine", "ﬀ", "ſet", "set", "SET", "\u212aelvin", "kelvin", "\u2126", "ω", "Å", "\u212b", "a\u030a"),
    # Emoji, joined ones, skin colours, flags; from right to left; marks without a letter.
    *(
        "🙂",
        "👩\u200d👩\u200d👧",
        "👍🏽",
        "🇫🇷",
        "‏לא‏",
        "לֹא",
        "لا",
        "لَا",
        "\u0301",
        "न\u094dन",
        "ไม่",
        "不",
        "ノ\u30fcト",
        "ﾉｰﾄ",
    ),
    # Digits of several scripts, and what looks like a number.
    *(
        "7",
        "٣",
        "३",
        "𝟗",
        "½",
        "²",
        "Ⅷ",
        "1e5",
        "-1",
        "0x1F",
        "1,000",
        "NaN",
        "nan",
        "inf",
        "None",
        "null",
        "NULL",
        "<NA>",
    ),
    *(
        "snake_case",
        "it's",
        "it\u2019s",
        "it\u02bcs",
        "C++",
        "a.b",
        "$5",
        "50%",
        "O'Neil",
        '"quoted"',
        "back\\slash",
        "(a)",
    ),
    *(
        "ǅ",
        "ǆ",
        "Ǆ",
        "ŉ",
        "ǰ",
        "ΐ",
        "և",
        "ẖ",
        "ᾳ",
        "ᏸ",
        "Ᏸ",
        "ꭰ",
        "\U00010400",
        "\U00010428",
        "\U0001e900",
        "\U0001e922",
    ),
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


_KEYWORDS = (
    *("not", "NOT", "istanbul", "İstanbul", "ıstanbul", "straße", "STRAẞE", "οδος", "ΟΔΟΣ", "οδός", "никогда", "ёлка"),
    *(
        "été",
        "e\u0301te\u0301",
        "ﬁne",
        "set",
        "kelvin",
        "ω",
        "å",
        "🙂",
        "👩",
        "👍",
        "לא",
        "لا",
        "不",
        "it's",
        "C++",
        "not not",
    ),
    *("7", "٣", "½", "x", "ǆ", "և", "$5", "\\", "ᏸ", "\U00010428", "\U0001e922", "a.b", "(a)", "न", "ノ"),
)
_PATTERNS = (
    *(
        r"\bnot\b",
        r"\bété\b",
        r"\b\d+\b",
        r"не\b",
        r"\Bnot",
        r"a\b.\bb",
        r"\d",
        r"\D",
        r"\w+\s\w+",
        r"^\w+$",
        r"\W",
        r"\s$",
    ),
    *(
        r"[\d\w]",
        r"[^\w\s]",
        r"[\s\S]",
        r"(?i)STRASSE",
        r"(?i)straße",
        r"(?i)ſ",
        r"(?i)[a-z]\z",
        r"(?i)[к-н]",
        r"^$",
        r"\A\z",
    ),
    *(
        r"^not$",
        r"(?m)^not$",
        r"not.",
        r"(?s)not.",
        r".",
        r"^.$",
        r"^.{3}$",
        r"\x00",
        r"\p{Lu}",
        r"\p{Greek}",
        r"\pM",
        r"[^\x00-\x7f]",
    ),
    *(r"e\x{301}", r"(?i)\x{212a}", r"(?:no ){100}", r"x{999}", r"\.|,", r"\\", r"[\]\-a]+", r"(?U)a+", r"\$"),
)
_CONDITIONS = (
    *(
        'lower(text) == "not"',
        'lower(text) == "οδος"',
        'lower(text) == "οδοσ"',
        'lower(text) == "istanbul"',
        'text < "o"',
    ),
    *(
        'lower(text) == "i\u0307stanbul"',
        'text >= "\u00e9"',
        "text == other",
        'text != ""',
        'contains(text, "not", "été")',
    ),
    *(
        'starts_with(text, "not")',
        'ends_with(text, "not")',
        r'matches(text, "\\bnot\\b")',
        "length(text) > 5",
        "words(text) == 2",
    ),
    *("words(other) % 2 == 0", "real == 0", "real * 0 == 0", "real - real == 0", "real / whole > 1", "real % 3 < 1"),
    *(
        "whole == 9007199254740992",
        "whole > 9007199254740992",
        "abs(real) > 1",
        "max(real, whole) > 2",
        "min(single, tiny) < 0",
    ),
    *("real in (0, 0.3)", "whole in (1, 9007199254740992)", "single == 0.1", "unsigned > 9.3e18", "decimal == 0.1"),
    *(
        "yes",
        "yes == (real > 0)",
        "not yes or whole > 0",
        'class in ("a", "ß", "")',
        "is_missing(real) and is_missing(text)",
    ),
    *(
        "is_missing(zoned)",
        "is_missing(empty)",
        'text in ("not", "")',
        "byte + tiny > 200",
        "-whole < 0",
        "real == 0.30000000000000004",
    ),
)


def nasty_rules() -> list[Slice]:
    """Make rules of every kind that looks at rows alone; their names say what they are."""
    rules: list[Slice] = []
    for word in _KEYWORDS:
        for case in (False, True):
            for whole in (False, True):
                rules.append(
                    md.Keyword(
                        f"keyword {word!r} {case} {whole}", column="text", words=(word,), case=case, whole_words=whole
                    )
                )
    rules += [
        md.Regex(f"regex {pattern}", column=column, pattern=pattern)
        for pattern in _PATTERNS
        for column in ("text", "other")
    ]
    rules += [md.Expression(f"expression {text}", text=text) for text in _CONDITIONS]
    numbers = ("real", "single", "whole", "tiny", "unsigned", "byte", "decimal", "signed", "odd name; \"'`")
    for column in numbers:
        for bound in (
            0,
            -0.0,
            0.1,
            1,
            0.3,
            300,
            2**53,
            2**53 + 1,
            2.0**63,
            2**63 - 1,
            5e-324,
            1e308,
            -1,
            -129,
            16777216.5,
            1.7e308,
        ):
            rules.append(md.Threshold(f"threshold {column} {bound!r}", column=column, above=bound))
            rules.append(md.Threshold(f"threshold {column} {bound!r} or less", column=column, at_most=bound))
        rules.append(md.Threshold(f"threshold {column} between", column=column, above=1, at_most=0))
        rules += [
            md.Range(f"range {column} {low!r}", column=column, low=low, high=high, without_high=True)
            for low, high in ((0, 0.3), (-1e308, 2**53 + 1), (0.1, 0.5))
        ]
        for values in (
            (0,),
            (0.1,),
            (1, "0.3"),
            ("1.0",),
            (2**53 + 1,),
            (300,),
            (-1, 255),
            (True,),
            ("x",),
            (2**64 - 1, 0),
        ):
            rules.append(md.Category(f"category {column} {values!r}", column=column, values=values))
    for values in (
        ("a",),
        ("A", "ß"),
        ("",),
        (1,),
        ("1.0",),
        (True,),
        ("é",),
        ("nan", "none"),
        ("x" * 300,),
        (1.0, "b"),
    ):
        rules += [
            md.Category(f"category {column} {values!r}"[:60], column=column, values=values)
            for column in ("class", "text", "yes", "answer")
        ]
    rules += [
        md.Flag(f"flag {column} {signed}", column=column, signed=signed)
        for column in ("yes", "answer", "signed")
        for signed in (True, False, None)
    ]
    rules += [md.Missing(f"missing {column}", column=column) for column in nasty_table().column_names]
    for unit in ("words", "characters"):
        for column in ("text", "other"):
            rules += [
                md.Length(f"length {column} {unit} {n}", column=column, unit=unit, above=n)
                for n in (0, 1, 2, 3, 4, 5, 7, 10, 20, 99_999)
            ]
    rules += [
        md.Overlap(f"overlap {share}", columns=("text", "other"), at_least=share)
        for share in (0.0, 0.01, 0.2, 1 / 3, 0.5, 1.0)
    ]
    rules += [md.Entropy(f"entropy {low}", low=low, high=low + 0.1) for low in (0.0, 0.1, 0.3, 0.6, 0.9, 1.0)]
    rules += [md.Confidence(f"confidence {bound}", at_least=bound) for bound in (0.334, 0.5, 0.75, 0.9, 1.0)]
    rules += [md.Prediction(f"prediction {value!r}", value=value) for value in ("no", "YES", "maybe", 1)]
    unknown = ("flag yes True", "threshold real 0", "keyword 'not' False True", "overlap 0.2", r"regex \bnot\b")
    named = {rule.name: rule for rule in rules}
    for first in unknown:
        for second in unknown:
            if first != second:
                rules.append(md.All(f"all {first}, {second}", of=(named[first], named[second])))
                rules.append(md.Any(f"any {first}, {second}", of=(named[first], named[second])))
        rules.append(md.Not(f"not {first}", of=(named[first],)))
    return list({rule.name: rule for rule in rules}.values())


def codes_in(sample: md.Sample, rules: Sequence[Slice]) -> np.ndarray:
    """Code every row as the estimate does where the rows are, and put the rows in their order."""
    slices = resolve(rules, sample, sample, sample.models[0])
    if sample.table is None:
        order = sample.frame[ROW].to_numpy()
        return codes(sample, slices)[np.argsort(order)]
    settled = [settle(rule, sample) for rule in slices]
    found = _codes_of_table(sample.table, settled)
    return np.column_stack([found[str(number)].to_numpy() for number in range(len(settled))])


def _codes_of_table(table: Table, settled: Sequence[Slice]) -> pa.Table:
    from mandoline_core.estimating.cells import _are_expressions

    numbered = [(str(number), rule) for number, rule in enumerate(settled)]
    own = [(n, rule) for n, rule in numbered if table.runs_expressions and _are_expressions([rule], table.schema)]
    others = [pair for pair in numbered if pair not in own]
    whole = None
    if own:
        expressions = (rule.compile_codes(table.schema).cast(nw.Int8).alias(n) for n, rule in own)
        whole = table.collect(table.at_the_door.select(nw.col(ROW), *expressions)).sort_by(ROW)
    if others:
        columns = [ROW, *dict.fromkeys(c for _, rule in others for leaf in rule.leaves for c in leaf.reads if c != ROW)]
        found = table.reduce(columns, partial(_coded, others), pa.concat_tables).sort_by(ROW)
        for name in found.column_names[1:]:
            whole = (
                (whole or found.select([ROW])).append_column(name, found[name])
                if whole is not None
                else found.select([ROW, name])
            )
    assert whole is not None
    assert len(whole) == N_ROWS
    return whole


def _coded(rules: Sequence[tuple[str, Slice]], batch: pa.Table) -> pa.Table:
    found = codes(md.Sample(batch), [rule for _, rule in rules])
    return pa.table({ROW: batch[ROW], **{name: found[:, place] for place, (name, _) in enumerate(rules)}})
