"""Patterns for text mean the same in RE2 (PyArrow, pandas) and in Rust's regex crate (Polars)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.data import PANDAS_READS_RE2, Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.kinds.overlap import words_in_common
from mandoline_core.slices.text import (
    check_regex,
    count_words,
    find_keywords,
    find_pattern,
    keyword_pattern,
    portable_regex,
    split_words,
)

TEXTS = st.text(alphabet="abé\u0301C+' \u2019_1.-\n\u00a0[]()|^$\\K\u212a", max_size=12)


def in_pandas(texts: Sequence[str | None]) -> nw.DataFrame[Any]:
    """Hold texts as the frame of a sample of pandas, on which rules are evaluated: before pandas 3, in PyArrow."""
    dtype = "str" if PANDAS_READS_RE2 else "string[pyarrow]"
    return Sample(pd.DataFrame({"t": pd.Series(texts, dtype=dtype)})).rule_frame


def found(pattern: str, texts: list[str]) -> list[bool]:
    """Search in all three engines, which must agree."""
    expr = nw.col("t").str.contains(pattern)
    frames = (in_pandas(texts), pl.DataFrame({"t": texts}), pa.table({"t": texts}))
    answers = [nw.from_native(frame, pass_through=True).select(expr)["t"].to_list() for frame in frames]
    assert answers[0] == answers[1] == answers[2]
    return answers[0]


@pytest.mark.parametrize(
    ("word", "inside", "outside"),
    [
        ("not", ["Not here", "not\n", "a\nnot", "(NOT)"], ["knot", "notable", "_not", "not1", ""]),
        ("C++", ["C++", "in c++, yes"], ["C++11", "C+", "ObjC++"]),
        ("don't", ["I don't", "DON\u2019T", "don\u02bct!"], ["dont", "don"]),
        ("don\u2019t", ["I don't"], ["dont"]),
        ("été", ["L'été", "e\u0301te\u0301", "ÉTÉ."], ["étés", "ete", "é té"]),
        ("ete", ["ete"], ["ete\u0301"]),
        ("C\u0301é", ["C\u0301é", "\u0106e\u0301"], ["Cé"]),
        ("very good", ["very  good", "very\u00a0\ngood"], ["verygood", "very, good"]),
        ("a.b", ["a.b"], ["axb"]),
        ("[x]", ["[x]"], ["x"]),
    ],
)
def test_keywords_match_whole_words_in_any_case(word, inside, outside):
    """Words end where letters, marks, digits and underscores end; punctuation in a word is itself."""
    pattern = keyword_pattern([word])
    assert found(pattern, inside) == [True] * len(inside)
    assert found(pattern, outside) == [False] * len(outside)


def test_keywords_can_match_case_and_parts_of_words():
    """`case` and `whole_words` do what they say."""
    assert found(keyword_pattern(["Not"], case=True), ["Not", "not"]) == [True, False]
    assert found(keyword_pattern(["not"], whole_words=False), ["knot", "KNOTS"]) == [True, True]


def test_any_of_the_words_is_enough():
    """One pattern serves all words, and their order does not matter."""
    assert found(keyword_pattern(["no", "not at all"]), ["not at all", "no", "note"]) == [True, True, False]


def test_no_words_is_an_error():
    """A pattern that matches nothing is never built in silence."""
    with pytest.raises(SliceError, match=r"^A keyword rule needs at least one word\. Got none\.$"):
        keyword_pattern([" "])


@given(word=TEXTS.filter(str.strip), text=TEXTS)
def test_engines_agree_on_any_keyword(word, text):
    """Whatever the characters, every engine takes the pattern and gives the same answer."""
    found(keyword_pattern([word]), [text])
    assert found(keyword_pattern([word], whole_words=False), [f"{text}{word}{text}"]) == [True]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (
            "(?=a)b",
            (
                "Pattern '(?=a)b' uses look-around, which is not supported. Remove it, or combine two slices "
                "with kind 'all' and 'not'."
            ),
        ),
        (
            r"(a)\1",
            (r"Pattern '(a)\\1' uses a backreference, which is not supported. Write out what it repeats."),
        ),
        (
            "a++",
            (
                "Pattern 'a++' uses an atomic group or a possessive repetition, which is not supported. Use an "
                "ordinary group or repetition."
            ),
        ),
        ("(a", "Pattern '(a' is not a valid regular expression: missing ): (a."),
        (
            "a{99999999999}",
            (
                "Pattern 'a{99999999999}' uses a repetition of more than 1,000 times, which is not supported. "
                "Use a smaller number, or * or +."
            ),
        ),
        (
            "(" * 700 + "a" + ")" * 700,
            (f"Pattern '{'(' * 57}...' uses more than 100 nested brackets, which is not supported. Use fewer."),
        ),
        (
            r"\w{500}",
            (r"Pattern '\\w{500}' is too large or not supported. Make it shorter or simpler."),
        ),
        (
            r"\C",  # RE2 knows it, Rust's crate does not
            (r"Pattern '\\C' is too large or not supported. Make it shorter or simpler."),
        ),
    ],
)
def test_patterns_that_some_engine_cannot_run_are_refused(pattern, message):
    """The message names what is wrong and what to do."""
    with pytest.raises(SliceError) as caught:
        check_regex(pattern)
    assert str(caught.value) == message


@pytest.mark.parametrize("pattern", [r"\(?=a", "[(?=]", r"[]a]\d", r"a\+\+", r"\\1", "[+]+", r"(?P<x>a)"])
def test_patterns_that_only_look_unsupported_pass(pattern):
    """Escapes and brackets are not taken for operators."""
    check_regex(pattern)


HARD = ["a{99999999999}", "a{" + "9" * 5000 + "}", r"\w{500}", "(" * 700 + "a" + ")" * 700, "(?=a)b", "a" * 100_000]


@pytest.mark.parametrize("pattern", HARD)
def test_every_way_in_refuses_a_pattern_in_one_sentence(pattern):
    """A rule, an expression and a project file know it before a row is read."""
    with pytest.raises(SliceError, match="Slice 'r': Pattern"):
        md.Regex("r", column="t", pattern=pattern)
    if len(pattern) < 5000:
        with pytest.raises(SliceError, match="Slice 'e': Expression, position 12: Pattern"):
            md.Expression("e", text=f'matches(t, "{pattern}")')
    table = {"name": "r", "kind": "regex", "column": "t", "pattern": pattern}
    project = {"version": 1, "source": {"path": "a.csv"}, "target": {"path": "b.csv"}, "slices": [table]}
    with pytest.raises(md.MandolineError, match="Pattern"):
        md.parse_project(project, ".")


@given(st.text(alphabet="ab(){}[]*+?|^$.,0123456789\\wdsbpL-", max_size=12))
def test_a_pattern_that_passes_runs_in_every_engine(pattern):
    """What is not refused when the rule is made is never refused when it runs."""
    try:
        check_regex(pattern)
    except SliceError:
        return
    for frame in (in_pandas(["ab1"]), pl.DataFrame({"t": ["ab1"]}), pa.table({"t": ["ab1"]})):
        nw.from_native(frame, pass_through=True).select(nw.col("t").str.contains(portable_regex(pattern)))
    for start, end in find_pattern(["ab1 ab"], pattern)[0]:
        assert 0 <= start < end <= 6


def test_more_words_than_an_engine_can_look_for_are_refused():
    with pytest.raises(
        SliceError, match=r"^Slice 'k': Too many words to search for at once\. Split the list into several slices\.$"
    ):
        md.Keyword("k", column="t", words=tuple(f"wörter{number}" * 8 for number in range(10_000)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("actor, plot, cast", ("actor", "plot", "cast")),
        ("actor;plot\tcast\nend\r\n", ("actor", "plot", "cast", "end")),
        ("not good", ("not good",)),
        ('"not good", "a, b"', ("not good", "a, b")),
        ("\u201cnot  good\u201d; don't", ("not good", "don't")),
        (" , ;", ()),
        ("a, a,A", ("a", "A")),
    ],
)
def test_a_list_is_taken_apart_as_people_write_it(text, words):
    assert split_words(text) == words


def test_matches_are_marked_where_the_engine_finds_them():
    """Neighbours, other scripts, both ways to write an accent; and a text that holds the marks themselves."""
    text = "Not not, knot \u0130 e\u0301te\u0301 NOT\ue000not\ue001"

    def found(words: list[str], **how: bool) -> list[str]:
        none, places = find_keywords(["", text], words, **how)
        assert none == []
        return [text[a:b] for a, b in places]

    assert found(["not"]) == ["Not", "not", "NOT", "not"]
    assert found(["not"], case=True, whole_words=False) == ["not", "not", "not"]
    assert found(["été"]) == ["e\u0301te\u0301"]
    assert find_keywords(["very good, good", "good"], ["good", "very good"]) == [[(0, 9), (11, 15)], [(0, 4)]]
    assert find_pattern(["a1b22"], r"\d*") == [[(1, 2), (3, 5)]]


def test_a_catastrophic_pattern_marks_at_once():
    """Python's re would take longer than anyone waits."""
    started = time.perf_counter()
    rule = md.Regex("r", column="t", pattern="(a+)+$|x")
    assert rule.marks(["a" * 34 + "x", "a" * 5000 + "b"]) == [[(34, 35)], []]
    assert time.perf_counter() - started < 2


def test_classes_mean_the_same_in_every_engine():
    r"""Digits, words and spaces beyond ASCII count, a final newline does not hide from $, and pandas keeps to RE2."""
    texts = ["٣", "é", "a\u00a0b", "b\n", "x\x0by", "+"]
    assert found(portable_regex(r"\d"), texts) == [True, False, False, False, False, False]
    assert found(portable_regex(r"^\w$"), texts) == [True, True, False, False, False, False]
    assert found(portable_regex(r"\s"), texts) == [False, False, True, True, True, False]
    assert found(portable_regex(r"[\s\d]"), texts) == [True, False, True, True, True, False]
    assert found(portable_regex("b$"), texts) == [False, False, True, False, False, False]


def test_catastrophic_patterns_stay_fast():
    """A pattern that explodes in Python's re runs in linear time on pandas too."""
    pattern = portable_regex(r"^(a+)+$")
    assert in_pandas(["a" * 40 + "!\n"]).select(nw.col("t").str.contains(pattern))["t"].to_list() == [False]


@given(st.lists(st.one_of(st.none(), TEXTS), min_size=1, max_size=5))
def test_words_are_counted_between_white_space(texts):
    """All engines count as Python's split does, and a missing text has no count."""
    expected = [None if text is None else len(text.split()) for text in texts]
    frames = (in_pandas(texts), pl.DataFrame({"t": texts}, {"t": pl.String}))
    for frame in (*frames, pa.table({"t": pa.array(texts, pa.string())})):
        counts = nw.from_native(frame, pass_through=True).select(count_words(nw.col("t")).alias("n"))["n"].to_list()
        assert [None if count is None or count != count else int(count) for count in counts] == expected


@given(st.lists(st.tuples(st.none() | TEXTS, st.none() | TEXTS), min_size=1, max_size=6))
def test_words_in_common_equals_sets_of_words(pairs):
    """The fast path over numbers gives what sets of words give."""
    first, second = (pa.array([pair[side] for pair in pairs], pa.string()) for side in (0, 1))
    for share, (a, b) in zip(words_in_common(first, second).to_pylist(), pairs, strict=True):
        wanted = None if b is None else words(b)
        if a is None or not wanted:
            assert share is None
        else:
            assert share == pytest.approx(len(wanted & words(a)) / len(wanted))


def words(text: str) -> set[str]:
    """Split slowly and obviously: letters, marks, digits; apostrophes only inside."""
    plain = text.lower().replace("\u2019", "'")
    kept = "".join(c if c == "'" or c.isalnum() or c == "\u0301" else " " for c in plain)
    return {word.strip("'") for word in kept.split()} - {""}


def test_words_in_common_spans_blocks_of_rows(monkeypatch):
    """Work in blocks gives what one block gives."""
    first, second = pa.array(["a b", "c", "d e"]), pa.array(["a", "d", "e f"])
    whole = words_in_common(first, second).to_pylist()
    monkeypatch.setattr("mandoline_core.slices.kinds.overlap._ROWS_AT_ONCE", 2)
    assert words_in_common(pa.chunked_array([first]), second).to_pylist() == whole == [1.0, 0.0, 0.5]
    assert pc.is_null(words_in_common(pa.array([None], pa.string()), pa.array(["a"]))).to_pylist() == [True]


@pytest.mark.parametrize(
    "pattern",
    [
        "(" * 5_000 + "a" + ")" * 5_000,
        "(?:" * 900 + "a" + ")*" * 900,
        "((a{0,30}){0,30}){0,30}",
        "(a{1,1000}){1,1000}",
        "a{" + "9" * 5_000 + "}",
        r"\x{FFFFFFFFFF}",
        r"\p{" + "L" * 9_000 + "}",
        "a|" * 60_000,
        "[" * 9_000,
        "\ud800",
    ],
    ids=lambda pattern: repr(pattern)[:20],
)
def test_patterns_that_overflow_or_nest_too_deep_are_refused(pattern: str) -> None:
    """In a sentence of ours that a person can read, whatever the engines or Python would raise."""
    with pytest.raises(SliceError) as caught:
        check_regex(pattern)
    assert len(str(caught.value)) < 500


def test_a_list_of_words_has_a_limit() -> None:
    """Two hundred thousand would take every engine seconds, and 300 MB."""
    with pytest.raises(SliceError, match=r"has 10,001 words\. The limit is 10,000\."):
        md.Keyword("many", column="text", words=[f"w{number}" for number in range(10_001)])
