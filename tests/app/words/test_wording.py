"""Sentences carry the report's numbers and show people's own words as they are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import mandoline_core as md
from app.words import wording
from mandoline_core import ESTIMATORS, ModelReport
from mandoline_core.findings import FindingKind
from mandoline_core.formatting import say
from mandoline_core.report.words import PLAIN, TOOLTIPS, headline

REVIEWS = Path(__file__).parents[3] / "sample_data" / "reviews" / "project.toml"
JOINER = "\u2060"
TERMS = (
    "effective rows",
    "how much each row counts",
    "how sure you are of this slice",
    "slices that move together",
    "rows unlike any labelled row",
    "set aside",
    "interval",
    "derived corrections",
    "same matrix",
    "denoised",
    "ridge",
    "shift",
    "standardised shift",
    "score inside/outside",
    "leave-one-out",
)


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS), reveal=True).first


def test_the_number_is_set_off_and_people_s_own_words_stay_as_they_are(report):
    said = headline(report, reveal=True)
    assert wording.statement(said).replace("\\", "") == (
        "On the new data this model is probably right **79.4%** of the time (77.0 to 81.6), if your 4 slices capture "
        "the shift. On your labelled data it was 88.4%. The truth is 79.0%."
    )
    assert r"\*so\*" in wording.statement(replace(said, condition="if *so*."))
    none = replace(said, before="There is no estimate", number="", after="", condition="", truth="")
    assert wording.statement(none).replace("\\", "") == "There is no estimate. On your labelled data it was 88.4%."


def test_effective_rows_are_said_out_of_all(report):
    assert wording.effective_rows_sentence(report) == (
        "The estimate rests on 1,756 effective rows out of 6,000 labelled ones; the heaviest row counts 10 times."
    )


def test_leaving_a_slice_out_is_said_with_its_direction():
    assert wording.without_slice("short", -0.05) == "Without *short* the estimate would be 5.0 points lower."
    assert wording.without_slice("<b>", 1.5, share=False) == r"Without *\<b\>* the estimate would be 1.5 higher."


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_says_what_it_does_and_assumes(name):
    does, assumes = wording.estimator_sentence(name).split(" It assumes: ")
    assert does.endswith(".")
    assert not does.startswith(wording.plain(ESTIMATORS[name].title))
    assert assumes.replace("\\", "") == say(ESTIMATORS[name].assumes, PLAIN)


def test_a_finding_is_told_with_names_escaped():
    found = FindingKind("slices", "tiny", "Slice {name!r} is small", "Widen it.").found("warning", name="**x**")
    assert wording.tell(found.message) == r"Slice '\*\*x\*\*' is small\."
    assert wording.tell(found.remedy) == r"Widen it\."


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        ":red[x]",
        "$x$",
        "**b**",
        ":smile:",
        "# head",
        "1. one",
        "`code`",
        "~~s~~",
        "&lt;b&gt;",
        "back\\slash",
    ],
)
def test_hostile_text_shows_as_it_is_written(text):
    escaped = wording.plain(text)
    assert not re.search(r"(?<!\\)(\\\\)*[`*_{}\[\]()<>#+\-.!|$:~&]", escaped)
    assert re.sub(r"\\(.)", r"\1", escaped) == text


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
    assert len(wording.TOUR) == 5
    assert all(title and len(text) < 200 for _, title, text in wording.TOUR)
    assert wording.TOUR[-1][1] == "Use my data"
