"""Rules of every kind for the nasty rows, and their codes as an engine itself gives them, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import narwhals as nw
import numpy as np
import pyarrow as pa

import mandoline_core as md
from mandoline_core.data import Table
from mandoline_core.pipeline.table_count import are_expressions
from mandoline_core.slices import codes, resolve, settle
from mandoline_core.slices.rule import Slice
from tests.nasty import N_ROWS, ROW, nasty_table

_KEYWORDS = (
    *(
        "not NOT istanbul İstanbul ıstanbul straße STRAẞE οδος ΟΔΟΣ οδός никогда ёлка été e\u0301te\u0301 \ufb01ne "
        "set kelvin ω å \U0001f642 \U0001f469 \U0001f44d לא لا 不 it's C++ 7 ٣ ½ x ǆ և $5 \\ ᏸ \U00010428 \U0001e922 "
        "a.b (a) न ノ"
    ).split(" "),
    "not not",
)
_PATTERNS = (
    *(
        r"\bnot\b \bété\b \b\d+\b не\b \Bnot a\b.\bb \d \D \w+\s\w+ ^\w+$ \W \s$ [\d\w] [^\w\s] [\s\S] (?i)STRASSE "
        r"(?i)straße (?i)ſ (?i)[a-z]\z (?i)[к-н] ^$ \A\z ^not$ (?m)^not$ not. (?s)not. . ^.$ ^.{3}$ \x00 \p{Lu} "
        r"\p{Greek} \pM [^\x00-\x7f] e\x{301} (?i)\x{212a} x{999} \.|, \\ [\]\-a]+ (?U)a+ \$"
    ).split(" "),
    "(?:no ){100}",
)
_CONDITIONS = (
    r'lower(text) == "not"; lower(text) == "οδος"; lower(text) == "οδοσ"; lower(text) == "istanbul"; text < "o"; '
    r'lower(text) == "i̇stanbul"; text >= "é"; text == other; text != ""; contains(text, "not", "été"); '
    r'starts_with(text, "not"); ends_with(text, "not"); matches(text, "\\bnot\\b"); length(text) > 5; '
    r"words(text) == 2; words(other) % 2 == 0; real == 0; real * 0 == 0; real - real == 0; real / whole > 1; "
    r"real % 3 < 1; whole == 9007199254740992; whole > 9007199254740992; abs(real) > 1; max(real, whole) > 2; "
    r"min(single, tiny) < 0; real in (0, 0.3); whole in (1, 9007199254740992); single == 0.1; unsigned > 9.3e18; "
    r'decimal == 0.1; yes; yes == (real > 0); not yes or whole > 0; class in ("a", "ß", ""); '
    r'is_missing(real) and is_missing(text); is_missing(zoned); is_missing(empty); text in ("not", ""); '
    r"byte + tiny > 200; -whole < 0; real == 0.30000000000000004"
).split("; ")
_DATES = ("0001-01-01", "1970-01-01", "2024-02-29", "2024-03-31", "9999-12-31")
_TIMES = ("1970-01-01 00:59:59", "2024-03-31 02:30", "2024-10-27 02:30:00.000001")
_DATE_CONDITIONS = (
    'month({0}) == 10; weekday({0}) >= 6; hour({0}) >= 2; year({0}) < 1970; {0} == "2024-02-29"; {0} >= moment; '
    '{0} in ("2024-03-31", "1970-01-01"); {0} != "2024-03-31 02:30"; "1970-01-01" < {0} <= "2024-03-31"; '
    'starts_with({0}, "2024-0"); matches({0}, "\\b2024"); is_missing({0})'
).split("; ")


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
    for column in ("date", "moment", "zoned"):
        for bound in (*_DATES, *_TIMES):
            rules += [
                md.Threshold(f"{test} {column} {bound}", column=column, **{test: bound})
                for test in ("above", "at_least", "below", "at_most")
            ]
            rules.append(md.Category(f"category {column} {bound}", column=column, values=(bound,)))
        rules.append(md.Range(f"range {column}", column=column, low=_DATES[1], high=_DATES[3], without_low=True))
        rules += [
            md.Regex(f"regex {column} {pattern}", column=column, pattern=pattern)
            for pattern in (r"^2024-\d\d", r"\b31")
        ]
        rules.append(md.Keyword(f"keyword {column}", column=column, words=("2024",)))
        texts = [text.format(column) for text in _DATE_CONDITIONS]
        rules += [md.Expression(f"expression {text}", text=text) for text in texts]
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
    numbered = [(str(number), rule) for number, rule in enumerate(settled)]
    own = [(n, rule) for n, rule in numbered if table.runs_expressions and are_expressions([rule], table.schema)]
    others = [pair for pair in numbered if pair not in own]
    whole = None
    if own:
        expressions = (rule.compile_codes(table.schema).cast(nw.Int8).alias(n) for n, rule in own)
        whole = table.collect(table.normalised.select(nw.col(ROW), *expressions)).sort_by(ROW)
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
