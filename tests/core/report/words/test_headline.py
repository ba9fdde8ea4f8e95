"""The headline follows the verdict: the number, the number with its condition, or first which check failed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mandoline_core as md
from mandoline_core import Check, ModelReport, Verdict
from mandoline_core.findings import Finding
from mandoline_core.metrics import get_metric
from mandoline_core.report.words import headline
from tests.core.projects import REVIEWS

FAILED = Check("rows", "Enough rows?", "failed", "", "There are 3 labelled rows.")
FEW = Finding("rows", "few", "serious", "There are 3 labelled rows.", "Label more new rows.")


@pytest.fixture(scope="module")
def report() -> ModelReport:
    return md.estimate(md.load_project(REVIEWS), reveal=True).first


def judged(report: ModelReport, level: str) -> ModelReport:
    """Give a report a verdict of some level, with one loud check and a finding behind it."""
    verdict = Verdict(
        level,
        "1 check failed. There are 3 labelled rows.",
        (FAILED,),
        "the new data are so.",
        "There are 3 labelled rows.",
    )
    return replace(report, verdict=verdict, findings=(FEW,))


def test_green_says_both_numbers_and_no_condition(report):
    said = headline(judged(report, "green"))
    assert said.sentence == "On the new data this model is probably right 79.4% of the time (76.5 to 82.0)."
    assert said.measured == "On your labelled data it was 88.4%."
    assert said.can_be_quoted


def test_amber_says_the_number_and_its_condition_in_one_sentence(report):
    said = headline(report)
    assert said.level == "amber"
    assert said.sentence == (
        "On the new data this model is probably right 79.4% of the time (76.5 to 82.0), if your 4 slices capture the "
        "shift."
    )
    assert said.text.startswith(said.sentence)
    assert said.obstacle.startswith(
        "'text contains dollars' differs after weighting (15.4% in weighted labelled data, "
    )
    assert said.way_on.startswith("Add a keyword slice: ")


def test_red_says_what_stands_in_the_way_and_what_to_do_before_any_number(report):
    """In plain words, as every sentence of the headline."""
    said = headline(judged(report, "red"))
    assert said.text == (
        "Do not quote yet: 1 check failed. There are 3 labelled rows. Label more new rows. Raw result: 79.4% (76.5 to "
        "82.0). On your labelled data it was 88.4%."
    )
    assert not said.can_be_quoted
    assert not said.condition


def test_the_truth_is_said_only_when_it_is_asked_for(report):
    assert headline(report, reveal=True).truth == (
        "The true value is 79.0%: the estimate is 0.4 points off, and the interval for these rows (75.8 to 82.7) "
        "contains it."
    )
    assert "true value" not in headline(report).text
    assert "unknown" in headline(replace(report, truth=None), reveal=True).truth


def test_a_truth_that_the_narrow_interval_misses_may_be_in_that_for_these_rows(report):
    """The truth is that of exactly these rows, which varies around their population's."""
    low, high = report.interval
    between = (low + report.prediction_interval[0]) / 2
    assert report.prediction_interval[0] < low < high < report.prediction_interval[1]
    assert headline(replace(report, truth=between), reveal=True).truth.endswith(" contains it.")


def test_an_error_is_how_often_the_model_is_wrong(report):
    problem = replace(report.problem, metric=get_metric("error"))
    error = replace(judged(report, "green"), fit=replace(report.fit, problem=problem))
    error = replace(error, estimate=0.2, interval=(0.1, 0.3), source=0.1)
    assert headline(error).sentence == "On the new data this model is probably wrong 20.0% of the time (10.0 to 30.0)."


def test_a_mean_is_no_share():
    values = np.array([10.0, 14.0] * 20)
    said = headline(md.estimate_from_codes([[1], [-1]] * 20, values, [[1], [-1]] * 20).first)
    assert said.before == "On the new data the mean is probably"
    assert said.number == "12"
    assert said.measured == "On your labelled data it is 12."


def test_the_number_speaks_only_of_what_is_not_set_aside(report):
    aside = replace(report.diagnostics, set_aside=0.25)
    said = headline(replace(report, diagnostics=aside))
    assert said.before.startswith("On the 75.0% of new rows that labelled rows match,")


@pytest.mark.parametrize("level", ["amber", "red"])
def test_a_failed_fit_has_no_number_to_quote(report, level):
    said = headline(replace(judged(report, level), converged=False))
    assert said.sentence == "There is no estimate: the weights could not be fitted."
    assert not said.can_be_quoted
    assert "79.4" not in said.text


def test_before_any_check_was_made_there_is_nothing_to_doubt(report):
    said = headline(replace(report, verdict=None))
    assert (said.level, said.obstacle, said.condition, said.way_on) == ("unjudged", "", "", "")
    assert said.can_be_quoted
