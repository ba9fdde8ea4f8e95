"""Sentences carry the report's numbers and show people's own words as they are written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mandoline_core as md
from app.vocabulary import PLAIN
from app.words import wording
from mandoline_core import ESTIMATORS, ModelReport
from mandoline_core.findings import FindingKind
from mandoline_core.formatting import say

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


def test_the_headline_says_both_numbers(report):
    assert wording.headline(report, reveal=False) == (
        "On the new data this model is probably right **79.4%** of the time (77.0 to 81.6). "
        "On your labelled data it was 88.4%."
    )


def test_the_headline_says_the_truth_only_when_revealed(report):
    assert wording.headline(report, reveal=True).endswith(" The truth is **79.0%**.")
    assert "truth" not in wording.headline(report, reveal=False)
    assert "not known" in wording.headline(replace(report, truth=None), reveal=True)


def test_the_headline_of_an_error_says_wrong(report):
    error = replace(report, metric="error", estimate=0.2, interval=(0.1, 0.3), source=0.1)
    assert wording.headline(error, reveal=False) == (
        "On the new data this model is probably wrong **20.0%** of the time (10.0 to 30.0). "
        "On your labelled data it was 10.0%."
    )


def test_the_headline_of_a_mean_names_no_share():
    values = np.array([10.0, 14.0] * 20)
    report = md.estimate_from_codes([[1], [-1]] * 20, values, [[1], [-1]] * 20).first
    said = wording.headline(report, reveal=False)
    assert said.startswith("On the new data the mean is probably **12**")
    assert said.endswith("On your labelled data it is 12.")
    assert "%" not in said


def test_the_headline_speaks_only_of_what_is_not_set_aside():
    report = md.estimate_from_codes([[-1]] * 50, [1.0, 0.0] * 25, [[-1]] * 75 + [[1]] * 25, estimator="simple").first
    assert report.set_aside == 0.25
    assert wording.headline(report, reveal=False).startswith(
        "On the 75.0% of the new data that resemble labelled rows,"
    )


def test_a_failed_fit_has_no_number_to_quote(report):
    said = wording.headline(replace(report, converged=False), reveal=False)
    assert said.startswith("There is no estimate")
    assert "79.4" not in said
    assert wording.change_sentence(replace(report, converged=False)).startswith("There is no estimate")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (-0.09, "That is 9.0 points lower than on your labelled data."),
        (0.021, "That is 2.1 points higher than on your labelled data."),
        (-0.0001, "That is the same as on your labelled data."),
    ],
)
def test_a_change_is_said_in_points(report, change, said):
    assert wording.change_sentence(replace(report, estimate=report.source + change)) == said


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
        ":material/home:",
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
    ["a -> b", "a <- b", "--flag", "x >= 5", ":streamlit:", "http://evil.example", "a@b.example", "www.evil.example"],
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
    assert wording.TOOLTIPS[term].rstrip(")").endswith(".")


def test_the_tour_has_four_short_steps():
    assert len(wording.TOUR) == 4
    assert all(step.title and len(step.text) < 110 for step in wording.TOUR)
