"""Rows matched by a key: each line finds its row, whatever the order and the types of both columns."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core import DataError, Sample
from mandoline_core.data import rows_by_key
from mandoline_core.formatting import csv_text


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=20, unique=True), st.randoms())
def test_every_line_finds_its_row(keys, rng):
    """Texts are compared as they are, in any order; a part of the rows will do."""
    lines = rng.sample(range(len(keys)), rng.randint(1, len(keys)))
    target, table = (Sample(pd.DataFrame({"id": found})) for found in (keys, [keys[line] for line in lines]))
    assert rows_by_key(table, target, "id") == lines


@pytest.mark.parametrize("theirs", [[9, 7], [9.0, 7.0], ["9", "7"], ["9.0", "7"]])
@pytest.mark.parametrize("ours", [[7, 8, 9], ["7", "8", "9"]])
def test_numbers_and_texts_meet(ours, theirs):
    """A column of numbers with a gap is read as floats, and one with a name among them as text."""
    if isinstance(ours[0], str) and theirs[0] == "9.0":  # two texts, and not the same
        with pytest.raises(DataError, match=r"has 1 value that is not in sample: '9\.0'"):
            rows_by_key(Sample(pl.DataFrame({"id": theirs})), Sample(pd.DataFrame({"id": ours})), "id")
        return
    assert rows_by_key(Sample(pl.DataFrame({"id": theirs})), Sample(pd.DataFrame({"id": ours})), "id") == [2, 0]


def test_texts_that_are_the_same_number_are_different_keys():
    target = Sample(pd.DataFrame({"id": ["007", "7", "07"]}))
    assert rows_by_key(Sample(pd.DataFrame({"id": ["07", "007"]})), target, "id") == [2, 0]


def test_keys_that_a_spreadsheet_would_compute_come_back():
    """A plan's file has a quote before them; a key that has one of its own keeps it."""
    keys = ["+49 1", "@me", "=x", "'=x", "plain"]
    written = csv_text([["id"], *([key] for key in keys)]).splitlines()[1:]
    assert written != keys
    unlike = [key for key in range(len(keys)) if key != 3]
    target = Sample(pd.DataFrame({"id": [keys[row] for row in unlike]}))
    table = Sample(pd.DataFrame({"id": [written[row] for row in unlike]}))
    assert rows_by_key(table, target, "id") == [0, 1, 2, 3]
    assert rows_by_key(Sample(pd.DataFrame({"id": ["'=x"]})), Sample(pd.DataFrame({"id": ["=x", "'=x"]})), "id") == [1]


def test_a_new_row_without_a_key_has_no_label():
    assert rows_by_key(Sample(pd.DataFrame({"id": ["b"]})), Sample(pd.DataFrame({"id": [None, "b", None]})), "id") == [
        1
    ]
