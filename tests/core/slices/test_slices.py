"""Slices: what each kind answers, in every engine; what it refuses; what it says of itself."""

from __future__ import annotations

import pickle
from itertools import product

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.data import Model, Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.codes import codes, gold_codes, slice_codes
from mandoline_core.slices.kinds import (
    KINDS,
    All,
    Any,
    Category,
    Confidence,
    Entropy,
    Expression,
    Flag,
    FunctionSlice,
    Keyword,
    Length,
    Missing,
    Not,
    Overlap,
    Prediction,
    Range,
    Regex,
    Threshold,
    slicing_function,
)
from mandoline_core.slices.noise import Noise
from mandoline_core.slices.rule import codes as row_codes

MODEL = Model("lr", "answer", {"no": "p_no", "yes": "p_yes"})
DATA = {
    "text": ["Not bad at all", "fine", None, "", "It's NEVER late\n"],
    "other": ["bad, not good", "fine wine", "x", "y", None],
    "n": [1, 5, None, 10, 3],
    "x": [0.5, float("nan"), 2.5, None, -1.0],
    "k": ["a", "b", None, "a", "c"],
    "one": ["1", "1.0", "true", "0", None],
    "truth": [True, False, None, True, False],
    "signed": [1, 0, -1, None, 1],
    "said": ["Yes", "no", "", "TRUE", "0"],
    "answer": ["yes", "no", "no", None, "yes"],
    "p_no": [0.5, 1.0, 0.9, None, 0.0],
    "p_yes": [0.5, 0.0, 0.1, 0.5, 1.0],
    "empty": [None, None, None, None, None],
}
NEGATION = Keyword("negation", column="text", words=("not", "never"))
LONG = Threshold("long", column="n", above=4)
ANSWERS = [
    (NEGATION, [1, -1, 0, -1, 1]),
    (Keyword("case", column="text", words=["Not"], case=True), [1, -1, 0, -1, -1]),
    (Keyword("part", column="text", words=["in"], whole_words=False), [-1, 1, 0, -1, -1]),
    (Regex("end", column="text", pattern=r"l$|^$"), [1, -1, 0, 1, -1]),
    (LONG, [-1, 1, 0, 1, -1]),
    (Threshold("above", column="n", above=5), [-1, -1, 0, 1, -1]),
    (Threshold("below", column="n", below=5), [1, -1, 0, -1, 1]),
    (Threshold("both", column="n", above=5, below=3), [-1, 0, 0, 1, 0]),
    (Threshold("at least", column="n", at_least=5), [-1, 1, 0, 1, -1]),
    (Threshold("at most", column="n", at_most=5), [1, 1, 0, -1, 1]),
    (Threshold("both taken in", column="n", at_least=5, at_most=3), [-1, 1, 0, 1, -1]),
    (Threshold("one taken in", column="n", above=5, at_most=3), [-1, 0, 0, 1, -1]),
    (Threshold("nothing between", column="n", at_least=5, below=5), [-1, 1, 0, 1, -1]),
    (Threshold("nan", column="x", above=0), [1, 0, 1, 0, -1]),
    (Range("range", column="n", low=3, high=5), [-1, 1, 0, -1, 1]),
    (Range("open", column="n", low=3, high=5, without_low=True, without_high=True), [-1, -1, 0, -1, -1]),
    (Range("half open", column="n", low=3, high=5, without_low=True), [-1, 1, 0, -1, -1]),
    (Category("category", column="k", values=("a", "c")), [1, -1, 0, 1, 1]),
    (Category("spelled", column="one", values=(1,)), [1, 1, 1, -1, 0]),
    (Category("exact", column="one", values=("1",)), [1, -1, -1, -1, 0]),
    (Category("number", column="n", values=("1", "5.0")), [1, 1, 0, -1, -1]),
    (Category("bool", column="truth", values=("true",)), [1, -1, 0, 1, -1]),
    (Category("nothing", column="n", values=("a",)), [-1, -1, 0, -1, -1]),
    (Flag("truth", column="truth"), [1, -1, 0, 1, -1]),
    (Flag("signed", column="signed"), [1, 0, -1, 0, 1]),
    (Flag("unsigned", column="signed", signed=False), [1, -1, -1, 0, 1]),
    (Flag("said", column="said"), [1, -1, 0, 1, -1]),
    (Missing("missing", column="x"), [-1, 1, -1, 1, -1]),
    (Missing("all missing", column="empty"), [1, 1, 1, 1, 1]),
    (Length("words", column="text", above=2), [1, -1, 0, -1, 1]),
    (Length("three or more", column="text", at_least=3), [1, -1, 0, -1, 1]),
    (Length("characters", column="text", unit="characters", below=5), [-1, 1, 0, 1, -1]),
    (Length("between", column="text", above=3, below=1), [1, 0, 0, -1, 0]),
    (Overlap("overlap", columns=("text", "other"), above=0.5), [1, -1, 0, -1, 0]),
    (Overlap("half", columns=("text", "other"), at_most=0.5), [-1, 1, 0, 1, 0]),
    (Entropy("sure", model=MODEL, low=0.0, high=0.1), [-1, 1, -1, 0, 1]),
    (Entropy("unsure", model=MODEL, low=0.6), [1, -1, -1, 0, -1]),
    (Confidence("confident", model=MODEL, above=0.9), [-1, 1, -1, 0, 1]),
    (Confidence("quite confident", model=MODEL, at_least=0.9), [-1, 1, 1, 0, 1]),
    (Confidence("doubtful", model=MODEL, above=0.95, below=0.6), [-1, 1, 0, 0, 1]),
    (Prediction("yes", model=MODEL, value="yes"), [1, -1, -1, 0, 1]),
    (Expression("expression", text="n > 4 or x > 0"), [1, 1, 1, 1, -1]),
    (All("all", of=(NEGATION, LONG)), [-1, -1, 0, -1, -1]),
    (Any("any", of=(NEGATION, LONG)), [1, 1, 0, 1, 1]),
    (Not("not", of=NEGATION), [-1, 1, 0, 1, -1]),
    (Threshold("no number", column="empty", above=1), [0] * 5),
    (Keyword("no text", column="empty", words=("a",)), [0] * 5),
    (Range("no range", column="empty", low=0, high=1), [0] * 5),
    (Category("no class", column="empty", values=("a",)), [0] * 5),
    (Flag("no flag", column="empty"), [0] * 5),
    (Length("no length", column="empty", above=1), [0] * 5),
    (Overlap("no overlap", columns=("empty", "other"), above=0.1), [0] * 5),
    (Expression("no number in it", text="empty > 1"), [0] * 5),
    (Expression("no text in it", text='contains(empty, "a")'), [0] * 5),
]


def samples(columns=DATA, **arguments) -> list[Sample]:
    """Make the same sample in each engine."""
    table = pa.table(columns)
    objects = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    chunks = pa.concat_tables([table.slice(0, 2), table.slice(2)])
    frames = (pd.DataFrame(columns), objects, pl.DataFrame(columns), table, chunks)
    return [Sample(frame, **arguments) for frame in frames]


def refusal(make) -> str:
    """Return what a person is told."""
    with pytest.raises(SliceError) as caught:
        make()
    return str(caught.value)


@pytest.mark.parametrize(("rule", "expected"), ANSWERS, ids=[rule.name for rule, _ in ANSWERS])
def test_every_kind_gives_the_same_codes_in_every_engine(rule, expected):
    """1 inside, -1 outside, 0 where a missing value hides the answer."""
    for sample in samples():
        assert slice_codes(sample, rule).tolist() == expected


def test_every_kind_is_tested():
    """A new kind has to come with its answers; a classifier's depend on two samples and have a file of their own."""
    assert {rule.kind for rule, _ in ANSWERS} == set(KINDS) - {"classifier"}


def test_codes_are_one_column_a_slice():
    """All slices at once give what each gives alone, as int8 in column order."""
    rules = [rule for rule, _ in ANSWERS]
    for sample in samples():
        out = codes(sample, rules)
        assert out.dtype == np.int8
        assert out.flags.f_contiguous
        assert out.T.tolist() == [expected for _, expected in ANSWERS]
        assert codes(sample, []).shape == (5, 0)


def test_measures_stay_with_the_sample(monkeypatch):
    """Moving a bound measures nothing anew."""
    sample = samples()[0]
    assert slice_codes(sample, Length("a", column="text", above=2)).tolist() == [1, -1, 0, -1, 1]
    measured = []
    compute = row_codes._computed
    monkeypatch.setattr(row_codes, "_computed", lambda *given: measured.append(given) or compute(*given))
    assert slice_codes(sample, Length("b", column="text", above=3)).tolist() == [1, -1, 0, -1, -1]
    assert measured == []
    slice_codes(samples()[0], Length("c", column="text", above=3))  # another sample is measured for itself
    assert len(measured) == 1


def test_a_rule_compiles_to_one_expression_for_lazy_engines():
    """The same rule runs on a lazy frame, with its measure inside the expression."""
    frame = pl.DataFrame({key: DATA[key] for key in ("text", "p_no", "p_yes")}).lazy()
    sample = Sample(frame)
    rules = [NEGATION, Length("words", column="text", above=2), Entropy("sure", model=MODEL, low=0.0, high=0.1)]
    lazy = nw.from_native(frame).select(*(rule.compile_codes(sample.schema).alias(rule.name) for rule in rules))
    assert lazy.collect().to_numpy().tolist() == codes(sample, rules).tolist()


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=8), st.floats(0.01, 0.69), st.floats(0, 0.5))
def test_entropy_is_that_of_the_definition(probabilities, low, width):
    """In nats, with nothing added by a probability of zero; all engines agree away from the bounds."""
    columns = {"p": probabilities, "q": [None if p is None else 1 - p for p in probabilities]}
    table = pa.table({name: pa.array(values, pa.float64()) for name, values in columns.items()})
    rule = Entropy("e", model=Model("m", None, {"a": "p", "b": "q"}), low=low, high=low + width + 0.01)
    expected = []
    for p, q in zip(columns["p"], columns["q"], strict=True):
        if p is None:
            expected.append(0)
            continue
        value = -sum(part * np.log(part) for part in (p, q) if part > 0)
        if min(abs(value - rule.low), abs(value - rule.high)) < 1e-9:
            return
        expected.append(1 if rule.low <= value < rule.high else -1)
    for frame in (table, pl.from_arrow(table), table.to_pandas()):
        assert slice_codes(Sample(frame), rule).tolist() == expected


def test_combinations_follow_kleene():
    """All is the least code, any the greatest, not the opposite, for every combination of three codes."""
    rows = list(product([-1, 0, 1], repeat=3))
    columns = {name: [row[i] for row in rows] for i, name in enumerate("abc")}
    flags = [Flag(name, column=name, signed=True) for name in "abc"]
    for sample in samples(columns):
        out = codes(sample, [All("all", of=flags), Any("any", of=flags), Not("not", of=All("both", of=flags[:2]))])
        assert out.tolist() == [[min(row), max(row), -min(row[:2])] for row in rows]


def test_zero_abstains_in_a_flag_only_beside_minus_one():
    """1/0 is yes/no; 1/-1 leaves 0 for abstaining; texts are read the same."""
    for values, expected in (
        ([1, 0, 0], [1, -1, -1]),
        ([1, 0, -1], [1, 0, -1]),
        (["1", "0", "0"], [1, -1, -1]),
        (["1", "0", "-1"], [1, 0, -1]),
        ([1.0, 0.0, None], [1, -1, 0]),
    ):
        for sample in samples({"f": values}):
            assert slice_codes(sample, Flag("flag", column="f")).tolist() == expected


def test_a_flag_names_the_value_it_cannot_read():
    """A wrong column is found by its first strange value."""
    for values, strange in (([1, 2], "2"), (["yes", "maybe"], "maybe"), ([1.0, 0.5], "0.5")):
        for sample in samples({"f": values}, name="source.csv"):
            assert refusal(lambda sample=sample: slice_codes(sample, Flag("wife", column="f"))) == (
                f"Slice 'wife' reads '{strange}' in column 'f' of source.csv. "
                "Expected true/false, yes/no, 1/0, or 1/-1 with 0 to abstain."
            )


def test_the_gold_column_is_read_as_a_flag():
    """The truth of a slice, where it is known."""
    rule = Threshold("long", column="n", above=4, gold="truth")
    for sample in samples():
        assert gold_codes(sample, rule).tolist() == [1, -1, 0, 1, -1]
    message = "Slice 'long' has no gold column. Set gold to the column of its gold labels."
    assert refusal(lambda: gold_codes(sample, LONG)) == message


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            Keyword("negation", column="txt", words=("not",)),
            (
                "Slice 'negation' reads column 'txt', which is not in source.csv. "
                "Columns: text, n, ok, day. Did you mean 'text'?"
            ),
        ),
        (
            Threshold("long", column="text", above=1),
            (
                "Slice 'long' needs numbers in column 'text', which holds text in source.csv, such as 'ten'. "
                "Use kind 'length' for the length of a text. If it holds numbers, choose its type on the Data page, or "
                'set types = { text = "number" } in the project file.'
            ),
        ),
        (
            Range("long", column="ok", low=0, high=1),
            (
                "Slice 'long' needs numbers in column 'ok', which holds true/false in source.csv, such as "
                "True. Use kind 'flag' for true/false."
            ),
        ),
        (
            Regex("digits", column="n", pattern="1"),
            (
                "Slice 'digits' needs text in column 'n', which holds numbers in source.csv, such as 1. Use "
                "kind 'threshold', 'range' or 'category' for numbers."
            ),
        ),
        (
            Threshold("day", column="day", above=3),
            (
                "Slice 'day' needs numbers in column 'day', which holds times in source.csv, such as '2020-01-01'. "
                'Compare it with a date, such as "2024-03-01".'
            ),
        ),
        (
            Range("day", column="text", low="2024-03-01", high="2024-03-31"),
            (
                "Slice 'day' needs dates in column 'text', which holds text in source.csv, such as '12'. Write every "
                "date as in 2024-03-01. If it holds dates, choose its type on the Data page, or set types = { text = "
                '"date" } in the project file.'
            ),
        ),
        (
            All("both", of=(Missing("gone", column="nn"),)),
            "Slice 'gone' reads column 'nn', which is not in source.csv.",
        ),
        (Category("family", column="text"), "Slice 'family' is not resolved. Call resolve() on the rules first."),
        (Not("not", of="other"), "Slice 'not' is not resolved. Call resolve() on the rules first."),
        (Expression("e", text="txt > 1"), "Slice 'e': Expression, position 1: unknown column 'txt'."),
    ],
)
def test_a_rule_that_does_not_fit_the_data_says_so(rule, message):
    """What is wrong, where, and what to do, with the value that shows it."""
    frame = pl.DataFrame(
        {"text": ["12", "ten"], "n": [1, 2], "ok": [True, None], "day": [pd.Timestamp(2020, 1, 1)] * 2}
    )
    assert refusal(lambda: codes(Sample(frame, name="source.csv"), [rule])).startswith(message)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Missing("", column="a"), "A slice's name must be a non-empty text. Got ''."),
        (lambda: Missing("m", column=""), "Slice 'm': column must be a non-empty text. Got ''."),
        (
            lambda: Keyword("k", column="a", words="not"),
            "Slice 'k': words must be a list of words. Got 'not'. Did you mean ['not']?",
        ),
        (lambda: Keyword("k", column="a", words=[]), "Slice 'k': words is empty. Add at least one of its words."),
        (
            lambda: Keyword("k", column="a", words=["a", " "]),
            "Slice 'k': words must be a list of non-empty words. Got ' '.",
        ),
        (lambda: Keyword("k", column="a", words=["a"], case=1), "Slice 'k': case must be true or false. Got 1."),
        (
            lambda: Regex("r", column="a", pattern="(?=a)"),
            (
                "Slice 'r': Pattern '(?=a)' uses look-around, which is not supported. Remove it, or combine "
                "two slices with kind 'all' and 'not'."
            ),
        ),
        (lambda: Threshold("t", column="a"), "Slice 't' needs above, at_least, below or at_most. Got none."),
        (
            lambda: Threshold("t", column="a", above="9"),
            "Slice 't': above must be a number, or a date such as \"2024-03-01\". Got '9'.",
        ),
        (
            lambda: Threshold("t", column="a", above="2024-03-01", at_most=3),
            "Slice 't' has a number and a date as bounds. Use two numbers or two dates.",
        ),
        (
            lambda: Range("r", column="a", low="2024-03-02", high="2024-03-01"),
            "Slice 'r': low = 2024-03-02 is above high = 2024-03-01. Swap them.",
        ),
        (
            lambda: Length("l", column="a", above="2024-03-01"),
            "Slice 'l': above must be a number. Got '2024-03-01'.",
        ),
        (lambda: Threshold("t", column="a", above=True), "Slice 't': above must be a number. Got True."),
        (lambda: Threshold("t", column="a", above=float("nan")), "Slice 't': above must be a finite number. Got nan."),
        (
            lambda: Threshold("t", column="a", above=1, below=5),
            (
                "Slice 't' matches above 1 and excludes below 5, so the values between are both. For values "
                "between two bounds, use kind 'range' with low and high."
            ),
        ),
        (
            lambda: Threshold("t", column="a", at_least=5, at_most=5),
            (
                "Slice 't' matches at least 5 and excludes at most 5, so the values between are both. For "
                "values between two bounds, use kind 'range' with low and high."
            ),
        ),
        (
            lambda: Threshold("t", column="a", above=5, at_least=5),
            "Slice 't' takes either above or at_least. Got both. Remove one.",
        ),
        (
            lambda: Range("r", column="a", low=1, high=1, without_high=True),
            "Slice 'r': nothing is between 1 and 1. Change one of them.",
        ),
        (lambda: Range("r", column="a", low=2, high=1), "Slice 'r': low = 2 is above high = 1. Swap them."),
        (
            lambda: Range("r", column="a", low=2, high=None),
            "Slice 'r': high must be a number or a date. Got None. Use kind 'threshold' for one bound.",
        ),
        (
            lambda: Category("c", column="a", values=[None]),
            "Slice 'c': values must be a list of texts, numbers, dates or true/false. Got None.",
        ),
        (
            lambda: Length("l", column="a", unit="word", above=1),
            "Slice 'l': unit must be 'words' or 'characters'. Got 'word'. Did you mean 'words'?",
        ),
        (
            lambda: Length("l", column="a", unit=[3], below=1),
            "Slice 'l': unit must be 'words' or 'characters'. Got [3].",
        ),
        (
            lambda: Overlap("o", columns=["a"], above=1),
            "Slice 'o': columns must be a list of two text columns. Got ['a'].",
        ),
        (lambda: Entropy("e"), "Slice 'e' needs low and high, or buckets. Got none. Try buckets = 6."),
        (
            lambda: Entropy("e", buckets=6, low=0),
            "Slice 'e' takes either buckets, or low and high. Got both. Remove one.",
        ),
        (lambda: Entropy("e", buckets=1), "Slice 'e': buckets must be a whole number from 2 to 50. Got 1."),
        (lambda: Entropy("e", low=1, high=1), "Slice 'e': low = 1 must be below high = 1."),
        (
            lambda: Prediction("p", value=[1]),
            "Slice 'p': value must be a class: a text, a number or true/false. Got [1].",
        ),
        (lambda: Not("n", of=["a", "b"]), "Slice 'n': of must be the name of one slice. Got ['a', 'b']."),
        (lambda: All("a", of=[1]), "Slice 'a': of must be a list of slice names. Got 1."),
        (
            lambda: Missing("m", column="a", noise=Noise(measured=True)),
            "Slice 'm' needs a gold column or an audit to measure its corrections. Set gold, or audit some rows.",
        ),
        (
            lambda: Prediction("p", gold="g"),
            (
                "Slice 'p' is a family of slices, so it cannot have one gold column. Write out its slices, "
                "each with its own."
            ),
        ),
        (lambda: Missing("m", column="a", enabled="no"), "Slice 'm': enabled must be true or false. Got 'no'."),
    ],
)
def test_settings_that_cannot_be_right_are_refused_at_once(make, message):
    """Before any data are seen, and with the same words for Python and for the project file."""
    assert refusal(make) == message


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (NEGATION, "text contains not or never"),
        (
            Keyword("k", column="a", words=["x", "y", "z"], case=True, whole_words=False),
            "a contains x, y or z, case-sensitive, also inside words",
        ),
        (Regex("r", column="a", pattern="x+"), "a matches x+"),
        (Threshold("t", column="n", above=200), "n above 200"),
        (Threshold("t", column="n", above=5, below=3), "n above 5, not below 3, abstains between"),
        (Threshold("t", column="n", above=75.0), "n above 75"),
        (Threshold("t", column="n", at_least=75.092), "n at least 75.092"),
        (Threshold("t", column="n", at_most=0.1 + 0.2), "n at most 0.3"),
        (Threshold("t", column="n", below=1e-9), "n below 1e-09"),
        (Threshold("t", column="n", below=1234567), "n below 1234567"),
        (Length("l", column="a", at_least=20), "a at least 20 words"),
        (Range("r", column="n", low=1, high=2, without_low=True), "n above 1 and at most 2"),
        (Range("r", column="n", low=1, high=2.5), "n from 1 to 2.5"),
        (Category("c", column="k", values=[True, 1, "a"]), "k is true, 1 or a"),
        (Category("c", column="k"), "one slice for each k"),
        (Length("l", column="a", below=20), "a below 20 words"),
        (Overlap("o", columns=("a", "b"), above=0.8), "share of b's words found in a above 0.8"),
        (Entropy("e", model="lr", buckets=6), "entropy of lr's probabilities in 6 buckets"),
        (Entropy("e", low=0.5), "entropy of the model's probabilities 0.5 or more"),
        (Entropy("e", model=MODEL, high=0.5), "entropy of lr's probabilities from 0 up to 0.5"),
        (Prediction("p", model=MODEL, value="yes"), "lr predicts yes"),
        (Prediction("p"), "the model predicts each class"),
        (All("a", of=("x", NEGATION)), "x and negation"),
        (Category("c", column="k", values=list("abcdefgh")), "k is a, b, c, d, e and 3 more"),
    ],
)
def test_rules_are_said_in_plain_words(rule, words):
    """A table of slices can be read aloud."""
    assert rule.describe() == words


def test_slices_are_keys():
    """Equal rules are equal keys, whatever list they were made from; noise and name do not change the rule's key."""
    again = Keyword("negation", column="text", words=["not", "never"])
    assert again == NEGATION
    assert hash(again) == hash(NEGATION)
    assert pickle.loads(pickle.dumps(again)) == NEGATION  # noqa: S301 - our own bytes
    assert Keyword("other", column="text", words=["not", "never"], noise=Noise(), gold="g").key == NEGATION.key
    assert Keyword("negation", column="text", words=["not"]).key != NEGATION.key
    assert All("a", of=(again,)).key == All("b", of=(Keyword("x", column="text", words=("not", "never")),)).key


def test_a_slicing_function_is_a_slice():
    """It sees the frame of its engine, and may answer with truth values or codes, with gaps."""

    @slicing_function
    def big(frame):
        """Take what is big."""
        return [value is not None and value == value and value > 4 for value in list(frame["n"].to_numpy())]

    @slicing_function(name="sign", enabled=False)
    def other(frame):
        return [1, -1, 0, None, 1]

    assert isinstance(big, FunctionSlice)
    assert (big.name, big.describe()) == ("big", "Take what is big.")
    assert (other.name, other.enabled, other.describe()) == ("sign", False, "Python function other")
    for sample in samples():
        assert codes(sample, [big, other, Not("not", of=big)]).T.tolist() == [
            [-1, 1, -1, 1, -1],
            [1, -1, 0, 0, 1],
            [1, -1, 1, -1, 1],
        ]


@pytest.mark.parametrize(
    "answer",
    [
        pd.Series([True, None], dtype="boolean", index=[5, 6]),
        pl.Series([True, None]),
        pa.array([1.0, float("nan")]),
        np.array([1, 0]),
        [True, None],
    ],
    ids=["pandas", "polars", "arrow", "numpy", "list"],
)
def test_a_slicing_function_may_answer_in_any_container(answer):
    """A missing answer abstains."""
    assert slice_codes(Sample(pd.DataFrame({"n": [1, 2]})), slicing_function(lambda frame: answer)).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            [True],
            (
                "Slicing function 'f' returned 1 values for 2 rows of it.csv. Return one value for each row, "
                "in the same order."
            ),
        ),
        ([1, 2], "Slicing function 'f' returned '2'. Expected true or false, or 1, -1 and 0, for each row."),
        (["a", "b"], "Slicing function 'f' returned 'a'. Expected true or false, or 1, -1 and 0, for each row."),
        (True, "Slicing function 'f' returned bool. Expected one value for each row."),
        ([[1], [1]], "Slicing function 'f' returned '[1]'. Expected true or false, or 1, -1 and 0, for each row."),
    ],
)
def test_a_wrong_answer_of_a_slicing_function_names_the_function(answer, message):
    """The mistake is in the person's code, so they are told where."""
    rule = slicing_function(lambda frame: answer, name="f")
    assert refusal(lambda: codes(Sample(pd.DataFrame({"n": [1, 2]}), name="it.csv"), [rule])) == message
