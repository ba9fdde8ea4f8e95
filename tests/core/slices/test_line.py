"""One line, as a person types it, becomes a rule on the columns there are."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.slices import ExpressionError, codes, example_line, read_line, resolve, survey_samples
from mandoline_core.slices.rule import Survey


def review_survey() -> Survey:
    """Survey reviews: sentences, names, numbers, a column with a space in its name, and a model."""
    texts = [
        "the film was not good at all",
        "we liked the long plot and the cast",
        "lol so bad, never again please",
    ] * 4
    rows = {
        "text": texts,
        "title": ["film", "book", "Big Film"] * 4,
        "n_words": range(12),
        "body temp": np.linspace(70, 81, 12),
        "body temp max": np.linspace(80, 91, 12),
        "member": [True, False, None] * 4,
        "a<b": [1, 2, 3] * 4,
        "answer": ["yes", "no", "no"] * 4,
        "p_yes": [0.9, 0.2, 0.4] * 4,
        "p_no": [0.1, 0.8, 0.6] * 4,
        "label": ["yes", "no", "yes"] * 4,
    }
    frame = pd.DataFrame(rows)
    model = md.Model("m", prediction="answer", probabilities={"yes": "p_yes", "no": "p_no"})
    source = md.Sample(frame, label="label", models=(model,))
    return survey_samples(source, md.Sample(frame.drop(columns="label")), slices=["short", "says no", "old"])


def flight_survey() -> Survey:
    """Survey flights: codes and numbers, no sentence and no model."""
    rows = {"origin": ["EWR", "JFK", "LGA"] * 4, "carrier": ["UA", "B6", "AA"] * 4, "month": [1, 2, 3] * 4}
    sample = md.Sample(pd.DataFrame({**rows, "delay": [float(number) for number in range(12)]}))
    return survey_samples(sample, sample)


REVIEWS, FLIGHTS = review_survey(), flight_survey()


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        # Words
        ("plot", md.Keyword("plot", column="text", words=("plot",))),
        ("actor, plot; cast", md.Keyword("actor, plot, cast", column="text", words=("actor", "plot", "cast"))),
        ("not good", md.Keyword("not good", column="text", words=("not good",))),
        ('"not good", bad', md.Keyword("not good, bad", column="text", words=("not good", "bad"))),
        ("slang: lol, omg", md.Keyword("slang", column="text", words=("lol", "omg"))),
        ("title contains film", md.Keyword("film", column="title", words=("film",))),
        ("don't", md.Keyword("don't", column="text", words=("don't",))),
        # Numbers
        ("body temp >= 75", md.Threshold("body temp at least 75", column="body temp", at_least=75)),
        ("body temp max>75", md.Threshold("body temp max above 75", column="body temp max", above=75)),
        ("75 < body temp", md.Threshold("body temp above 75", column="body temp", above=75)),
        ("`body temp` ≤ 75.5", md.Threshold("body temp at most 75.5", column="body temp", at_most=75.5)),
        ('"a<b" < 2', md.Threshold("a<b below 2", column="a<b", below=2)),
        ("Body Temp at least 75", md.Threshold("body temp at least 75", column="body temp", at_least=75)),
        ("n_words is more than 1,000", md.Threshold("n_words above 1000", column="n_words", above=1000)),
        ("hot: body temp => 75", md.Threshold("hot", column="body temp", at_least=75)),
        ("10 <= n_words <= 20", md.Range("n_words from 10 to 20", column="n_words", low=10, high=20)),
        ("body temp between 10 and 20", md.Range("body temp from 10 to 20", column="body temp", low=10, high=20)),
        ("n_words from 20 to 10", md.Range("n_words from 10 to 20", column="n_words", low=10, high=20)),
        (
            "20 > n_words >= 1,5",
            md.Range("n_words at least 1.5 and below 20", column="n_words", low=1.5, high=20, without_high=True),
        ),
        # Lengths
        ("short: words(text) < 30", md.Length("short", column="text", below=30)),
        (
            "characters(text) > 200",
            md.Length("text above 200 characters", column="text", unit="characters", above=200),
        ),
        ("30 >= words(text)", md.Length("text at most 30 words", column="text", at_most=30)),
        ("text below 30 words", md.Length("text below 30 words", column="text", below=30)),
        (
            "overlap(text, title) > 50%",
            md.Overlap("share of title's words found in text above 0.5", columns=("text", "title"), above=0.5),
        ),
        # Values
        ("title = film", md.Category("title is film", column="title", values=("film",))),
        ("title in film, book", md.Category("title is film or book", column="title", values=("film", "book"))),
        (
            "title is one of (Film or big film)",
            md.Category("title is film or Big Film", column="title", values=("film", "Big Film")),
        ),
        ("film", md.Category("title is film", column="title", values=("film",))),
        ("film, book", md.Category("title is film or book", column="title", values=("film", "book"))),
        ("n_words = 3", md.Category("n_words is 3", column="n_words", values=(3,))),
        ("member = true", md.Category("member is true", column="member", values=(True,))),
        ("answer = yes", md.Category("answer is yes", column="answer", values=("yes",))),
        ("title", md.Category("title", column="title")),
        ("each title", md.Category("title", column="title")),
        ("member", md.Flag("member is true", column="member")),
        ("title is not film", md.Expression("title is not film", text='title not in ("film")')),
        ("title != film", md.Expression("title is not film", text='title not in ("film")')),
        ("title = text", md.Expression("title == text", text="title == text")),
        # Missing
        ("member is missing", md.Missing("member is missing", column="member")),
        ("none: is_missing(body temp)", md.Missing("none", column="body temp")),
        (
            "body temp is not missing",
            md.Expression("body temp is not missing", text='not is_missing(col("body temp"))'),
        ),
        # Patterns
        ("/lo+l/", md.Regex("matches lo+l", column="text", pattern="lo+l")),
        ("links: /https?:.*/i", md.Regex("links", column="text", pattern="(?i)https?:.*")),
        ("title ~ ^[A-Z]", md.Regex("matches ^[A-Z]", column="title", pattern="^[A-Z]")),
        ("text ~ /a<b/", md.Regex("matches a<b", column="text", pattern="a<b")),
        # What the model says
        ("entropy", md.Entropy("entropy", buckets=6)),
        ("unsure: entropy > 0.5", md.Entropy("unsure", low=0.5)),
        ("0.2 < entropy < 0.5", md.Entropy("entropy from 0.2 up to 0.5", low=0.2, high=0.5)),
        ("predicted", md.Prediction("predicted")),
        ("predicted = yes", md.Prediction("predicted yes", value="yes")),
        ("predicted no", md.Prediction("predicted no", value="no")),
        ("confidence < 60%", md.Confidence("confidence below 0.6", below=0.6)),
        # Other slices
        ("short and says no", md.All("short and says no", of=("short", "says no"))),
        ("short or old or says no", md.Any("short, old or says no", of=("short", "old", "says no"))),
        ("calm: not says no", md.Not("calm", of="says no")),
        # The little language
        ("n_words * 2 > 60", md.Expression("n_words * 2 > 60", text="n_words * 2 > 60")),
        ('contains(text, "plot", "cast")', md.Keyword("plot, cast", column="text", words=("plot", "cast"))),
        ('matches(text, "lo+l")', md.Regex("matches lo+l", column="text", pattern="lo+l")),
        ('title < "m"', md.Expression('title < "m"', text='title < "m"')),
        ("10 < words(text) < 20", md.Expression("text above 10 and below 20 words", text="10 < words(text) < 20")),
        ("member and n_words > 3", md.Expression("member is true and n_words above 3", text="member and n_words > 3")),
    ],
)
def test_a_line_is_read_as_it_is_meant(line: str, rule: md.Slice) -> None:
    """The rule, its kind and the name made from it; and it can be evaluated."""
    assert read_line(line, REVIEWS) == rule
    if not rule.made_of:
        model = REVIEWS.source.models[0]
        assert codes(REVIEWS.source, resolve([rule], REVIEWS.source, REVIEWS.target, model)).shape[0] == 12


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("EWR", md.Category("origin is EWR", column="origin", values=("EWR",))),
        ("UA, AA", md.Category("carrier is UA or AA", column="carrier", values=("UA", "AA"))),
        ("ewr", md.Keyword("ewr", column="origin", words=("ewr",))),
        ("month = 2", md.Category("month is 2", column="month", values=(2,))),
        ("delay >\u2060= 10", md.Threshold("delay at least 10", column="delay", at_least=10)),  # copied from a page
        ("delay > 1e1", md.Threshold("delay above 10", column="delay", above=10)),
    ],
)
def test_codes_are_values_where_no_column_holds_sentences(line: str, rule: md.Slice) -> None:
    assert read_line(line, FLIGHTS) == rule


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (" ", "The line is empty. Type a word, or a rule such as month > 2"),
        ("storm", "Nothing matches 'storm'. Try month > 2"),
        ("origin = EWQ", "Column 'origin' has no value 'EWQ'. Did you mean 'EWR'?"),
        ("month = 13", "Column 'month' has no value '13'. It has 1, 2, 3."),
        ("delay", "'delay' is a column. Add a condition, such as delay >= 5.5"),
        ("entropy", "Entropy needs a model with a probability for each class. Add one in the project."),
        ("predicted", "Predicted classes need a model with predictions. Add one in the project."),
        ("confidence", "Add a bound, such as confidence < 0.7"),
        (
            "month ~ 1",
            "'month' is not a text column, so no pattern can match. Text columns: origin, carrier.",
        ),
        ("/(?=a)b/", "Slice '/(?=a)b/': Pattern '(?=a)b' uses look-around"),
        ("3 < delay < 1", "Slice '3 < delay < 1': low = 3 is above high = 1. Swap them."),
    ],
)
def test_what_cannot_be_read_is_answered_with_what_fits_the_data(line: str, message: str) -> None:
    with pytest.raises(md.SliceError) as refused:
        read_line(line, FLIGHTS)
    assert str(refused.value).startswith(message)


def test_a_slice_may_be_called_not_something() -> None:
    """A name that starts with 'not' can be combined like any other."""
    survey = replace(REVIEWS, slices=("not short", "old"))
    assert read_line("not short and old", survey) == md.All("not short and old", of=("not short", "old"))
    assert read_line("not not short", survey) == md.Not("not not short", of="not short")


def test_a_mistake_in_the_little_language_has_a_place() -> None:
    with pytest.raises(ExpressionError) as refused:
        read_line("late: dellay > 3", FLIGHTS)
    assert refused.value.problem == "unknown column 'dellay'. Did you mean 'delay'?"
    assert refused.value.with_caret() == "dellay > 3\n^"


def test_the_example_fits_the_data() -> None:
    """It can be typed in as it stands."""
    for survey in (REVIEWS, FLIGHTS):
        rule = read_line(example_line(survey), survey)
        assert len(np.unique(codes(survey.source, [rule]))) == 2


PIECES = st.sampled_from(
    [*"<>=~!()'\"`/:, ", "text", "body temp", "75", "is", "not", "and", "in", "between", "words(", "film", "a{", "é"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=20))
def test_whatever_is_typed_is_read_or_refused_in_a_sentence(line: str) -> None:
    with suppress(md.SliceError):
        rule = read_line(line, REVIEWS)
        assert rule.name.strip()
        assert rule.describe()


def test_a_line_is_read_quickly_on_many_rows() -> None:
    """A word is looked up among the values of 60,000 rows within a blink."""
    rng = np.random.default_rng(0)
    words = rng.choice(["good", "bad", "fine", "film", "plot", "lol"], (60_000, 8))
    rows = {"text": [" ".join(row) for row in words], "port": words[:, 0], "n": rng.normal(size=60_000)}
    sample = md.Sample(pd.DataFrame(rows))
    survey = survey_samples(sample, sample)
    started = time.perf_counter()
    assert read_line("cast, plot", survey).kind == "keyword"
    assert time.perf_counter() - started < 2
