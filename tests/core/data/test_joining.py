"""Labels that people bring: the right rows get them, or a sentence says why not, with the name of the file."""

from __future__ import annotations

import pandas as pd
import pytest

from mandoline_core import DataError, Model, Project, Sample
from mandoline_core.data import label_columns, match_labels, prediction_checksums

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


@pytest.mark.parametrize("name", ["id", "row"])
def test_labels_in_another_order_are_joined_by_the_column_that_names_rows(name, tmp_path):
    """A project needs no key for it: the truth is 2 of 3, and by position it would be none."""
    (tmp_path / "a.csv").write_text("label,pred\nyes,yes\n")
    (tmp_path / "b.csv").write_text(("id,pred\n7,yes\n8,no\n9,yes\n") if name == "id" else "pred\nyes\nno\nyes\n")
    labels = {"id": "id,label\n8,no\n7,yes\n9,no\n", "row": "row,label\n2,no\n1,yes\n3,no\n"}[name]
    (tmp_path / "labels.csv").write_text(labels)
    project = Project(
        name="small",
        source_path="a.csv",
        target_path="b.csv",
        target_labels="labels.csv",
        label="label",
        models=(Model("m", "pred"),),
        base=tmp_path,
    )
    assert project.reveal(project.read()[1]).series("label").to_list() == ["yes", "no", "no"]


def test_a_file_in_another_order_is_refused_where_no_column_names_rows():
    """Whatever both have is compared; what a spreadsheet writes differently is the same."""
    target = Sample(pd.DataFrame({"x": [0.5, 0.25, 0.25], "day": ["2024-05-01"] * 3, "t": ["a  b", "B", "c"]}))
    same = brought(x=["0,5", "0,25", "0,25"], day=["1.5.24"] * 3, t=["'a b", "b", None], y=["p", "q", "r"])
    assert match_labels(same, target, "y").labels == ["p", "q", "r"]
    with pytest.raises(
        DataError, match=r"^Line 2 of mine\.csv has '0\.25' in column 'x', but row 1 of .* has '0\.5': "
    ):
        match_labels(brought(x=[0.25, 0.5, 0.25], y=["p", "q", "r"]), target, "y")


def test_a_plan_of_other_new_rows_is_refused():
    """By what its rows contain or, where they contain nothing else, by what the model predicts of them."""
    model = Model("m", "pred")
    ours, others = (Sample(pd.DataFrame({"pred": list(p)}), models=[model], name="new.csv") for p in ("aab", "baa"))
    sums = prediction_checksums(ours, "pred", [0, 2])
    plan = brought(row=[1, 3], weight=[1.5, 1.5], prediction_checksum=sums, y=["p", "q"])
    assert match_labels(plan, ours, "y").labels == ["p", None, "q"]
    with pytest.raises(DataError, match=r"mine\.csv was made for other predictions than those of new\.csv"):
        match_labels(plan, others, "y")
    with pytest.raises(
        DataError, match=r"Line 3 of mine\.csv has 'a' in column 'place', but row 3 of new\.csv has 'b'"
    ):
        match_labels(brought(row=[1, 3], weight=[1.5, 1.5], place=["a", "a"], y=["p", "q"]), TARGET, "y")


def test_rows_of_others_are_left_out_and_counted():
    match = match_labels(brought(id=[7, 1, 2], y=[1, 2, 3]), TARGET, "y")
    assert (match.n_labelled, match.n_strange) == (1, 2)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"y": [None, None, None]}, "Column 'y' of mine.csv is empty"),
        ({"y": ["p", "q"]}, "mine.csv has 2 rows, but new.csv has 3. Give one row for each new row"),
        ({"y": ["p", "q"], "place": ["a", "b"]}, "mine.csv has 2 rows, but new.csv has 3"),
        (
            {"y": ["p", "q", "p"], "place": ["a", "b", "a"]},
            "Line 3 of mine.csv has 'b' in column 'place', but row 2 of new.csv has 'a': the labels would",
        ),
        ({"y": ["p", "q"], "row": [0, 1]}, "Column 'row' of mine.csv must contain unique row numbers from 1 to 3"),
        ({"y": ["p", "q"], "row": [1, 1]}, "Column 'row' of mine.csv must contain unique row numbers from 1 to 3"),
        ({"y": ["p", "q"], "row": [1.5, 1]}, "Column 'row' of mine.csv must contain unique row numbers from 1 to 3"),
        ({"y": [3, 4, 5]}, "Column 'y' of mine.csv contains none of the classes p, q"),
        ({"z": ["p", "q", "p"]}, "Column 'y' is not in mine.csv"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_names_of_the_files(columns, message):
    with pytest.raises(DataError, match=message):
        match_labels(brought(**columns), TARGET, "y", classes=("p", "q"))
