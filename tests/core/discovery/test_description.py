"""Describing a selection: planted rules are found, few rows are no rule, and people's text stays text."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.discovery import FEWEST
from mandoline_core.discovery.cuts import roundest
from mandoline_core.slices import conjoin, slice_codes

N = 400
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")


def world(seed: int, n: int = N) -> md.Sample:
    """Make rows with numbers, categories, flags, texts and gaps, none of which has to do with another."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "weight": rng.lognormal(1.0, 1.0, n),
            "place": rng.choice(["here", "there", "elsewhere", "nowhere"], n),
            "member": rng.random(n) < 0.5,
            "text": [" ".join(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(n)],
        }
    )
    frame.loc[rng.random(n) < 0.2, "weight"] = np.nan
    return md.Sample(frame)


def inside(sample: md.Sample, rule: md.Slice) -> np.ndarray:
    return np.flatnonzero(slice_codes(sample, rule) == 1)


PLANTED = [
    md.Threshold("cut", column="age", above=60),
    md.Range("range", column="age", low=30, high=55),
    md.Category("values", column="place", values=("here", "nowhere")),
    md.Category("flag", column="member", values=(True,)),
    md.Missing("gap", column="weight"),
    md.Keyword("words", column="text", words=("gamma", "kappa")),
    md.Length("short", column="text", below=6),
    md.Expression("two", text='age >= 50 and place == "there"'),
    md.Expression("one column", text='contains(text, "delta") and words(text) < 8'),
    md.Expression("three", text='age >= 35 and member and contains(text, "delta", "eta")'),
]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda rule: rule.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_planted_rule_is_found(planted: md.Slice, seed: int) -> None:
    """The rule that comes first finds the very rows of the one that was planted."""
    sample = world(seed)
    rows = inside(sample, planted)
    found = md.describe_selection(sample, rows)[0]
    assert inside(sample, found.rule).tolist() == rows.tolist()
    assert (found.precision, found.recall) == (1.0, 1.0)
    assert set(found.rule.reads) == set(planted.reads)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 10**6), st.floats(0.02, 0.9), st.integers(0, 3))
def test_what_is_said_of_a_rule_is_what_its_slice_does(seed: int, share: float, noise: int) -> None:
    """Whatever was selected, numbers are counts of the slice's own rows, and no rule rests on a handful."""
    rng = np.random.default_rng(seed)
    sample = world(seed, 150)
    among = np.sort(rng.choice(150, 120, replace=False))
    # A part of the plane, with some rows flipped at random.
    wanted = (sample.series("age").to_numpy() > rng.integers(20, 80)) ^ (rng.random(150) < noise * share / 6)
    selected = np.intersect1d(np.flatnonzero(wanted), among)
    if not FEWEST <= len(selected) < len(among):
        return
    found = md.describe_selection(sample, selected, among=among)
    for one in found:
        rows = np.intersect1d(inside(sample, one.rule), among)
        hits = np.intersect1d(rows, selected)
        assert (one.inside, one.hits) == (len(rows), len(hits))
        assert one.precision == len(hits) / len(rows)
        assert one.recall == len(hits) / len(selected)
        assert one.hits >= max(FEWEST, 0.1 * len(selected) - 0.5)
        assert one.conditions <= 3
    again = md.describe_selection(sample, rng.permutation(selected), among=rng.permutation(among))
    assert [one.rule for one in again] == [one.rule for one in found]


def test_one_condition_is_preferred_where_more_add_little() -> None:
    sample = world(3)
    rows = inside(sample, md.Threshold("cut", column="age", above=60))
    nearly = rows[5:]  # four rows in a hundred that further conditions could only chase
    found = md.describe_selection(sample, nearly)[0]
    assert found.conditions == 1
    assert found.rule.kind == "threshold"
    assert found.recall == 1.0


def test_rows_drawn_by_lot_get_no_convincing_rule() -> None:
    """The numbers say so themselves."""
    sample = world(4)
    rows = np.random.default_rng(4).choice(N, 60, replace=False)
    assert all(one.agreement < 0.5 for one in md.describe_selection(sample, rows))


def test_a_rule_must_say_more_than_that_every_row_is_inside() -> None:
    """Of a large selection any rule that holds nearly all rows has a high recall, and most of its rows selected."""
    sample = world(7)
    rows = inside(sample, md.Threshold("cut", column="age", above=35))
    found = md.describe_selection(sample, rows)
    assert [one.rule.reads for one in found] == [("age",)]


HOSTILE = ['"', '") or (1 == 1', "\\", 'a\\" or true or contains(text, \\"b', "a\nb", "<b>", "__import__('os')", "'"]


@pytest.mark.parametrize("evil", HOSTILE)
def test_values_and_columns_are_never_read_as_rules(evil: str) -> None:
    """A conjunction with someone's own text in it finds its rows, or is not offered; nothing in it is a rule."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"n": rng.integers(0, 100, N), evil: rng.choice([evil, "b", "c"], N)})
    sample = md.Sample(frame)
    rows = np.flatnonzero(((frame["n"] >= 50) & (frame[evil] == evil)).to_numpy())
    for found in md.describe_selection(sample, rows):
        assert np.isin(rows, inside(sample, found.rule)).mean() == found.recall
    both = conjoin("x", [md.Threshold("a", column="n", at_least=50), md.Category("b", column=evil, values=(evil,))])
    if both is not None:
        assert inside(sample, both).tolist() == rows.tolist()
    assert (both is None) == ("\\" in evil or "\n" in evil)


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow"])
def test_every_engine_gets_the_same_rules(engine: str) -> None:
    frame = world(6).frame
    table = {"pandas": frame.to_pandas, "polars": frame.to_polars, "pyarrow": frame.to_arrow}[engine]()
    sample = md.Sample(table)
    rows = inside(sample, PLANTED[-1])
    assert [one.rule for one in md.describe_selection(sample, rows)] == [
        one.rule for one in md.describe_selection(world(6), rows)
    ]


@pytest.mark.parametrize(
    ("selected", "said"),
    [
        ([1, 2], "Select at least 5 rows. Got 2."),
        (range(N), "Every row is selected, so there is nothing to compare them with. Select fewer."),
        ([1, 2, 3, 4, N], f"sample has no row {N}: the first row is 0."),
        ([-1, 2, 3, 4, 5], "sample has no row -1: the first row is 0."),
    ],
)
def test_what_cannot_be_described_is_refused_with_a_reason(selected: list[int], said: str) -> None:
    with pytest.raises(md.MandolineError, match=f"^{re.escape(said)}$"):
        md.describe_selection(world(0), list(selected))


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_the_roundest_number_lies_between(a: float, b: float) -> None:
    low, high = sorted((a, b))
    if low < high:
        assert low < roundest(low, high, "high") <= high
        assert low <= roundest(low, high, "low") < high
