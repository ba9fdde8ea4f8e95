"""Sentences carry the report's numbers and show people's own words as they are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import mandoline_core as md
from app.words import wording
from mandoline_core import ESTIMATORS, ModelReport
from mandoline_core.findings import Finding
from mandoline_core.report.words import TOOLTIPS, facts, headline

REVIEWS = Path(__file__).parents[3] / "sample_data" / "reviews" / "project.toml"
JOINER = "\u2060"
TERMS = (
    "effective rows",
    "weight",
    "reliability",
    "slices that move together",
    "rows without a match",
    "left out",
    "interval",
    "derived corrections",
    "same matrix",
    "denoised",
    "shift",
    "standardised shift",
    "leave-one-out",
)


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS), reveal=True).first


def test_the_number_is_set_off_and_people_s_own_words_stay_as_they_are(report):
    said = headline(report, reveal=True)
    assert wording.statement(said).replace("\\", "") == (
        "On the new data this model is probably right **79.4%** of the time (76.5 to 82.0), if your 4 slices capture "
        "the shift. On your labelled data it was 88.4%. The true value is 79.0%: the estimate is 0.4 points "
        "off, and the interval for these rows (75.8 to 82.7) contains it."
    )
    assert r"\*so\*" in wording.statement(replace(said, condition="if *so*."))
    none = replace(said, before="There is no estimate", number="", after="", condition="", truth="")
    assert wording.statement(none).replace("\\", "") == "There is no estimate. On your labelled data it was 88.4%."


def test_effective_rows_are_said_out_of_all(report):
    assert facts.basis(report) == "1,756 effective rows out of 6,000; the heaviest row weighs 10x"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_says_what_it_does_and_assumes(name):
    does, assumes = wording.estimator_sentence(name).split(" Assumption: ")
    assert does.endswith(".")
    assert not does.startswith(wording.plain(ESTIMATORS[name].title))
    assert assumes.replace("\\", "") == ESTIMATORS[name].assumes


def test_a_finding_is_told_with_names_escaped():
    found = Finding("slices", "tiny", "warning", "Slice '**x**' is small.", "Widen it.")
    assert wording.tell(found.message) == r"Slice '\*\*x\*\*' is small."
    assert wording.tell(found.remedy) == "Widen it."


ESCAPED = {
    "<img src=x onerror=alert(1)>": r"\<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))": r"\[x\](javascript\:alert(1))",
    ":red[x]": r"\:red\[x\]",
    "$x$": r"\$x\$",
    "**b**": r"\*\*b\*\*",
    "_b_": r"\_b\_",
    "a :smile: b": r"a \:smile\: b",
    "# head": r"\# head",
    "> quote": r"\> quote",
    "1. one": r"1\. one",
    "- one": r"\- one",
    "`code`": r"\`code\`",
    "~~s~~": r"\~\~s\~\~",
    "&lt;b&gt;": r"\&lt;b\&gt;",
    "back\\slash": r"back\\slash",
}


@pytest.mark.parametrize("text", ESCAPED)
def test_hostile_text_shows_as_it_is_written(text):
    assert wording.plain(text) == ESCAPED[text]


@pytest.mark.parametrize("text", ["wind_speed above 0.5", "Betrag (EUR) over 20.0!", "short: a - b + c", "a & b {c}"])
def test_ordinary_names_need_no_escapes(text):
    """Controls are called by their label as it is written, escapes and all."""
    assert wording.plain(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("a -> b", "a <- b", "--flag", "x >= 5", ":streamlit:", "http://evil.example", "a@b.example"),
        *("www.evil.example", ":material/home:"),
    ],
)
def test_text_that_would_be_rewritten_after_escaping_is_broken_by_an_invisible_joiner(text):
    escaped = wording.plain(text)
    assert escaped.count(JOINER) == 1
    assert re.sub(r"\\(.)", r"\1", escaped).replace(JOINER, "") == text


def test_spaces_at_the_ends_stay_and_lines_are_joined():
    assert wording.plain(" a\n\n    b ") == " a b "
    assert wording.plain("") == ""


@pytest.mark.parametrize("term", TERMS)
def test_every_term_has_a_tooltip(term):
    assert TOOLTIPS[term].rstrip(")").endswith(".")


def test_the_tour_has_few_short_steps():
    assert len(wording.TOUR) == 6
    assert all(title and len(text) < 200 for _, title, text in wording.TOUR)
    assert wording.TOUR[-1][1] == "Use my data"
