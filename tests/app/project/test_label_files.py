"""Labels that people bring: the right rows get them, or a sentence says why not, with the name of the file."""

from __future__ import annotations

import pandas as pd
import pytest

from app.project.label_files import label_columns, match_labels
from mandoline_core import DataError, Sample

TARGET = Sample(pd.DataFrame({"id": [7, 8, 9], "place": ["a", "a", "b"]}), name="new.csv")


def brought(**columns: list[object]) -> Sample:
    return Sample(pd.DataFrame(columns), name="mine.csv")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"label": [1], "other": [1]}, ("label",)),
        ({"truth": [1]}, ("truth",)),
        ({"id": [1], "truth": [1]}, ("truth",)),
        ({"row": [1], "weight": [1], "truth": [1]}, ("truth",)),
        ({"first": [1], "second": [1]}, ("first", "second")),
        ({"id": [1]}, ("id",)),
    ],
)
def test_the_column_of_labels_is_the_one_called_so_or_what_is_new(columns, found):
    assert label_columns(brought(**columns), TARGET, "label") == found


@pytest.mark.parametrize(
    ("columns", "values", "by"),
    [
        ({"y": ["p", None, "q"]}, ["p", None, "q"], ""),
        ({"y": ["p", "q", "r"], "place": ["a", "a", "b"]}, ["p", "q", "r"], ""),
        ({"y": ["p", "q", "r"], "id": [9, 8, 7]}, ["r", "q", "p"], "id"),
        ({"y": ["p"], "id": ["9.0"]}, [None, None, "p"], "id"),
        ({"y": ["p", "q"], "row": [3, 1]}, ["q", None, "p"], "row"),
    ],
)
def test_labels_find_their_rows(columns, values, by):
    match = match_labels(brought(**columns), TARGET, "y")
    assert (match.labels, match.by) == (values, by)


def test_rows_of_others_are_left_out_and_counted():
    match = match_labels(brought(id=[7, 1, 2], y=[1, 2, 3]), TARGET, "y")
    assert (match.n_labelled, match.n_strange) == (1, 2)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [None, None, None]}, "Column 'y' of mine.csv is empty"),
        ({"y": ["p", "q"]}, "mine.csv has 2 rows, and new.csv has 3. Bring one row for each new row"),
        ({"y": ["p", "q"], "place": ["a", "b"]}, "mine.csv has 2 rows, and new.csv has 3"),
        (
            {"y": ["p", "q", "p"], "place": ["a", "b", "a"]},
            "Row 2 of mine.csv has another 'place' than that of new.csv",
        ),
        ({"y": ["p", "q"], "row": [0, 1]}, "Column 'row' of mine.csv must hold different numbers from 1 to 3"),
        ({"y": ["p", "q"], "row": [1, 1]}, "Column 'row' of mine.csv must hold different numbers from 1 to 3"),
        ({"y": ["p", "q"], "row": [1.5, 1]}, "Column 'row' of mine.csv must hold different numbers from 1 to 3"),
        ({"y": [3, 4, 5]}, "Column 'y' of mine.csv holds none of the classes p, q"),
        ({"z": ["p", "q", "p"]}, "Column 'y' is not in mine.csv"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_names_of_the_files(columns, message):
    with pytest.raises(DataError, match=message):
        match_labels(brought(**columns), TARGET, "y", classes=("p", "q"))
