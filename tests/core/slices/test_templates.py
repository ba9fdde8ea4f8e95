"""The kinds that are offered: those that the data allow, each with a rule that works at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mandoline_core as md
from mandoline_core.discovery.ranking import join_rules
from mandoline_core.slices import KINDS, codes, conjoin, offer, resolve, survey_samples
from mandoline_core.slices.expression.tree import can_stand
from tests.core.projects import DIGITS, REVIEWS
from tests.payloads import PAYLOADS, Payload

FLIGHTS = pd.DataFrame(
    {
        "origin": ["EWR", "JFK", "LGA", "EWR"] * 5,
        "carrier": ["UA", "B6", "AA", "B6"] * 5,
        "month": [1, 2, 3, 4] * 5,
        "temp": np.linspace(30.2, 93.7, 20),
    }
)
NUMBERS = pd.DataFrame({"n": [0, 1, 2, 3] * 5, "x": np.linspace(0, 1, 20), "one": [0, 1] * 10})


@pytest.mark.parametrize("path", [REVIEWS, DIGITS])
def test_every_kind_offered_is_ready_to_use(path: Path) -> None:
    """What the menu adds works on the data at once, and speaks of something that is there."""
    project = md.load_project(path)
    source, target = project.read()
    names = ["a", "b"]
    offered = offer(survey_samples(source, target, slices=names))
    expected = {"threshold", "range", "category", "missing", "entropy", "prediction", "confidence", "expression"}
    texts = {"keyword", "regex", "length"} if path == REVIEWS else {"flag"}
    assert set(offered) >= expected | texts | {"all", "any", "not"}
    others = [md.Missing(name, column=source.columns[0]) for name in names]
    for kind, rule in offered.items():
        assert isinstance(rule, md.Slice)
        found = resolve([*others, replace(rule, name="new")], source, target, source.models[0])
        if kind not in ("missing", "all", "any", "not"):
            assert (codes(source, [one for one in found if one.name.startswith("new")]) == 1).any(), kind


@pytest.mark.parametrize("frame", [FLIGHTS, NUMBERS])
def test_rules_to_start_from_split_the_data_at_hand(frame: pd.DataFrame) -> None:
    """No word, value or number that the data do not have; some rows inside, and some outside."""
    sample = md.Sample(frame)
    offered = offer(survey_samples(sample, sample))
    for kind in ("threshold", "range", "category", "expression"):
        assert set(np.unique(codes(sample, [offered[kind]]))) == {-1, 1}, kind
    assert ("keyword" in offered) == ("origin" in frame)
    if "origin" in frame:
        assert offered["expression"].text == "month > 2"
        assert (codes(sample, [offered["keyword"]]) == 1).any()
    else:
        assert offered["flag"] == md.Flag("flag", column="one")


@pytest.mark.parametrize("one", [one for one in PAYLOADS if not can_stand(one.text)], ids=lambda one: one.word)
def test_rules_to_start_from_can_be_made_whatever_columns_are_called(one: Payload) -> None:
    """Expressions leave out names that cannot stand in quotes."""
    texts = md.Sample(pd.DataFrame({one.text: ["it is not so", "it is so", "no"] * 5}))
    numbers = md.Sample(pd.DataFrame({one.text: np.arange(15.0)}))
    for sample in (texts, numbers):
        offered = offer(survey_samples(sample, sample))
        assert offered
        assert "expression" not in offered
    assert conjoin("both", [md.Missing("a", column=one.text)] * 2) is None
    assert join_rules((md.Missing("a", column=one.text), md.Missing("b", column="c"))) is None


def test_a_keyword_starts_from_a_word_that_has_become_more_frequent() -> None:
    """One that both samples have: a slice without a labelled row says nothing."""
    source = pd.DataFrame({"text": ["the plot was good", "the cast was lol", "the end was fine"] * 20})
    target = pd.DataFrame({"text": ["the plot was lol omg", "omg the lol was", "lol so fine"] * 20})
    offered = offer(survey_samples(md.Sample(source), md.Sample(target)))
    assert offered["keyword"] == md.Keyword("keyword", column="text", words=("lol",))
    assert offered["expression"].text == 'contains(text, "lol") and words(text) < 4'


def test_a_threshold_starts_from_a_round_number_with_rows_on_both_sides() -> None:
    for values, bound in (
        (FLIGHTS["temp"], {"above": 60}),
        ([0, 1, 1, 1], {"at_least": 1}),
        ([0, 0, 0, 1], {"above": 0}),
        ([1234.5, 2345.6, 3456.7, 99999.0], {"above": 3000}),
    ):
        sample = md.Sample(pd.DataFrame({"v": values}))
        assert offer(survey_samples(sample, sample))["threshold"] == md.Threshold("threshold", column="v", **bound)


def test_kinds_that_the_data_do_not_allow_are_not_offered() -> None:
    """Without a text column there is no keyword slice, without probabilities no entropy."""
    source = md.Sample(pd.DataFrame({"n": [1, 2], "label": [0, 1], "pred": [0, 1]}), label="label", prediction="pred")
    target = md.Sample(pd.DataFrame({"n": [1, 2], "pred": [0, 1]}))
    offered = offer(survey_samples(source, target))
    assert not {"keyword", "length", "regex", "entropy", "confidence", "overlap"} & set(offered)


def test_a_combination_needs_something_to_combine() -> None:
    """The message says what to do first."""
    offered = offer(survey_samples(md.Sample(NUMBERS), md.Sample(NUMBERS), slices=["short"]))
    assert "Add them first" in str(offered["all"])
    assert isinstance(offered["not"], md.Slice)


def test_a_kind_that_fails_takes_no_other_with_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is missing from the list, and the log says why."""

    def fail(_survey: object) -> None:
        raise ZeroDivisionError

    sample = md.Sample(NUMBERS)
    before = offer(survey_samples(sample, sample))
    monkeypatch.setattr(KINDS["threshold"], "start", fail)
    assert list(offer(survey_samples(sample, sample))) == [kind for kind in before if kind != "threshold"]
    assert "Kind 'threshold' cannot be offered" in caplog.text
