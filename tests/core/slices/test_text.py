"""Patterns for text mean the same in RE2 (PyArrow, pandas) and in Rust's regex crate (Polars)."""

from __future__ import annotations

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.errors import SliceError
from mandoline_core.slices.shared_words import words_in_common
from mandoline_core.slices.text import check_regex, count_words, keyword_pattern, portable_regex

TEXTS = st.text(alphabet="abé\u0301C+' \u2019_1.-\n\u00a0[]()|^$\\K\u212a", max_size=12)


def found(pattern: str, texts: list[str]) -> list[bool]:
    """Search in all three engines, which must agree."""
    expr = nw.col("t").str.contains(pattern)
    frames = (pd.DataFrame({"t": texts}, dtype="str"), pl.DataFrame({"t": texts}), pa.table({"t": texts}))
    answers = [nw.from_native(frame).select(expr)["t"].to_list() for frame in frames]
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
                "Pattern '(?=a)b' uses look-around, which the engines behind Mandoline do not run. "
                "Write it without, or combine two slices with kind 'all' and 'not'."
            ),
        ),
        (
            r"(a)\1",
            (
                r"Pattern '(a)\\1' uses a backreference, which the engines behind Mandoline do not run. "
                "Write out what it repeats."
            ),
        ),
        (
            "a++",
            (
                "Pattern 'a++' uses an atomic group or a possessive repetition, which the engines behind Mandoline do "
                "not run. Use an ordinary group or repetition: it is as fast."
            ),
        ),
        ("(a", "Pattern '(a' is not a valid regular expression: missing ): (a."),
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
    frame = pd.DataFrame({"t": ["a" * 40 + "!\n"]}, dtype="str")
    pattern = portable_regex(r"^(a+)+$")
    assert nw.from_native(frame).select(nw.col("t").str.contains(pattern))["t"].to_list() == [False]


@given(st.lists(st.one_of(st.none(), TEXTS), min_size=1, max_size=5))
def test_words_are_counted_between_white_space(texts):
    """All engines count as Python's split does, and a missing text has no count."""
    expected = [None if text is None else len(text.split()) for text in texts]
    frames = (pd.DataFrame({"t": pd.array(texts, dtype="str")}), pl.DataFrame({"t": texts}, {"t": pl.String}))
    for frame in (*frames, pa.table({"t": pa.array(texts, pa.string())})):
        counts = nw.from_native(frame).select(count_words(nw.col("t")).alias("n"))["n"].to_list()
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
    monkeypatch.setattr("mandoline_core.slices.shared_words._ROWS_AT_ONCE", 2)
    assert words_in_common(pa.chunked_array([first]), second).to_pylist() == whole == [1.0, 0.0, 0.5]
    assert pc.is_null(words_in_common(pa.array([None], pa.string()), pa.array(["a"]))).to_pylist() == [True]
