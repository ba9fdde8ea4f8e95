"""Rules are shown with rounded numbers, say what they do, and can be seen in full."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.slices import codes

WORDS = {"above": ">", "at least": ">=", "below": "<", "at most": "<="}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (md.Threshold("a", column="AGEP", above=64.999999935), "AGEP at least 65"),
        (md.Threshold("a", column="AGEP", at_most=65.00000012), "AGEP at most 65"),
        (md.Threshold("a", column="AGEP", at_most=64.99999988), "AGEP below 65"),
        (md.Threshold("a", column="n", above=1234567), "n above 1234567"),
        (md.Threshold("a", column="n", above=75.092), "n above 75.092"),
        (md.Range("a", column="humid", low=57.80000012, high=76.79999931), "humid from 57.8 to 76.8"),
        (md.Range("a", column="x", low=1.00000001, high=1.00000002), "x from 1.00000001 to 1.00000002"),
        (md.Expression("a", text='place in ("b")'), "place is b"),
        (
            md.Expression("a", text='place not in ("b", "c") and x < 0.30000001'),
            "place is not b or c, and x at most 0.3",
        ),
        (md.Expression("a", text="words(text) >= 10 and not (x > 2)"), "text at least 10 words and not (x above 2)"),
        (md.Expression("a", text='place == ""'), 'place == ""'),
        (md.Expression("a", text="x + y > 1"), "x + y > 1"),
    ],
)
def test_rules_read_as_people_say_them(rule, words):
    """Whole numbers and short ones as typed; what would be long in words as it is written."""
    assert rule.describe() == words


@given(
    st.sampled_from(["above", "at_least", "below", "at_most"]),
    st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False),
)
def test_the_number_shown_is_in_or_out_as_the_rule_has_it(name, bound):
    """Rounding moves a bound, never the row that lies on the rounded number."""
    rule = md.Threshold("a", column="x", **{name: bound})
    word, number = re.fullmatch(r"x (above|at least|below|at most) (\S+)", rule.describe()).groups()
    shown = float(number)
    said = {">": False, ">=": True, "<": False, "<=": True}[WORDS[word]]
    inside = codes(md.Sample(pd.DataFrame({"x": [shown]})), [rule])[0, 0] == 1
    assert inside == said or abs(shown - bound) <= 1e-11 * abs(bound)  # the 12th digit is arithmetic's


@pytest.mark.parametrize(
    ("rule", "full"),
    [
        (md.Threshold("a", column="AGEP", above=64.999999935), 'column = "AGEP", above = 64.999999935'),
        (md.Keyword("a", column="t", words=tuple("abcdefgh"), case=True), None),
        (md.Expression("a", text="x > 0.30000001"), 'text = "x > 0.30000001"'),
        (md.Not("a", of=("b",)), 'of = ["b"]'),
    ],
)
def test_a_rule_can_be_seen_in_full(rule, full):
    """With every digit and every word."""
    letters = ", ".join(f'"{letter}"' for letter in "abcdefgh")
    assert rule.in_full == (full or f'column = "t", words = [{letters}], case = true')
